#include "remote/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "remote/averages.h"
#include "remote/connection.h"
#include "remote/cost.h"
#include "remote/log.h"
#include "remote/redact.h"

enum {
	LIMIT_MILLIS = 10000,
	MOST_LIMIT_MILLIS = 60000,
	EXACT_DOCUMENTS = 100000,
	SELECTION_MILLIS = 3000,
	OPENING_US = 4500000, /* selection, and names that are looked up before it */
	CLOSING_US = 500000   /* for the last words to a server; one that is silent is not waited for */
};

struct remote {
	struct connection *connection; /* a reference */
	struct averages averages;
};

/* Commands */

static bool remote_command(struct source *s, const char *db, const bson_t *command, bson_t *reply,
                           const struct interrupt *interrupt, bson_error_t *error)
{
	struct remote *r = s->context;
	const struct permit *row = permit_check(command, PERMIT_CALLER, error);

	if (row)
		return connection_command(r->connection, row, db, command, reply, interrupt, error);
	bson_init(reply);
	return false;
}

static bool explain(struct remote *r, const char *db, const bson_t *command, bool writes, bson_t *reply,
                    const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *request = BCON_NEW("explain", BCON_DOCUMENT(command), "verbosity",
	                           BCON_UTF8(writes ? "queryPlanner" : "executionStats"));
	const struct permit *row = permit_check(request, PERMIT_SELF, error);
	bool good = row != NULL;

	if (row)
		good = connection_command(r->connection, row, db, request, reply, interrupt, error);
	else
		bson_init(reply);
	bson_destroy(request);
	return good;
}

struct asking {
	struct remote *remote;
	const char *db;
	const struct interrupt *interrupt;
};

static struct figure find_average(void *context, const char *collection)
{
	const struct asking *a = context;

	return averages_find(&a->remote->averages, a->remote->connection, a->db, collection, a->interrupt);
}

static bool remote_measure(struct source *s, const char *db, const bson_t *command, struct cost *cost,
                           const struct interrupt *interrupt, bson_error_t *error)
{
	struct remote *r = s->context;
	struct asking asking = { r, db, interrupt };
	const struct cost_averages averages = { find_average, &asking };
	bool writes = permit_writes(command), good;
	bson_t reply;

	*cost = cost_unknown();
	if (writes)
		cost_of_write(cost, value_from_bson(command));
	/* MongoDB does not explain an insert, and nothing else needs to be asked about one */
	if (writes && bson_has_field(command, "insert"))
		return true;
	good = explain(r, db, command, writes, &reply, interrupt, error);
	if (good && !writes)
		good = cost_from_explain(cost, value_from_bson(command), value_from_bson(&reply), &averages, error);
	bson_destroy(&reply);
	return good;
}

/* Closing */

struct closing {
	struct task task;
	struct connection *connection;
};

static void run_closing(struct task *t)
{
	connection_release(((struct closing *)t)->connection);
}

static void free_closing(struct task *t)
{
	free(t);
}

/* Says good-bye (endSessions), which a silent server does not hear: the rest is done beside. */
static void close_connection(struct connection *c)
{
	struct closing *closing = memory_allocate_zeroed(1, sizeof *closing);

	closing->connection = c;
	task_init(&closing->task, run_closing, free_closing);
	if (!task_start(&closing->task, NULL))
		return;
	if (task_wait(&closing->task, NULL, interrupt_now_us() + CLOSING_US) == INTERRUPT_NONE)
		task_finish(&closing->task);
	else
		task_leave(&closing->task);
}

static void remote_destroy(struct source *s)
{
	struct remote *r = s->context;

	close_connection(r->connection);
	averages_clear(&r->averages);
	free(r);
}

static void remote_forget(struct source *s)
{
	averages_forget(&((struct remote *)s->context)->averages);
}

static const struct source_type remote_source = {
	.name = "remote",
	.command = remote_command,
	.measure = remote_measure,
	.destroy = remote_destroy,
	.forget = remote_forget,
};

/* Opening */

struct opening {
	struct task task;
	struct connection *connection; /* a reference */
	bson_error_t error;            /* libmongoc's */
	bool good;
	struct bytes member; /* "secondary of rs0"; empty: nothing to be said */
	bool sharded;
};

static void free_opening(struct task *t)
{
	struct opening *o = (struct opening *)t;

	connection_release(o->connection);
	bytes_clear(&o->member);
	free(o);
}

/* What answers: a primary and a server of its own go without saying. */
static void read_member(struct opening *o, const bson_t *hello)
{
	struct value reply = value_from_bson(hello), name = value_get(reply, "setName");
	const char *kind = value_is_true(value_get(reply, "secondary"))     ? "secondary"
	                   : value_is_true(value_get(reply, "arbiterOnly")) ? "arbiter"
	                                                                    : NULL;

	o->sharded = value_get(reply, "msg").type == BSON_TYPE_UTF8 && key_is(value_text(value_get(reply, "msg")), "isdbgrid");
	if (kind)
		bytes_append_text(&o->member, kind);
	if (kind && name.type == BSON_TYPE_UTF8) {
		bytes_append_text(&o->member, " of ");
		print_text(&o->member, value_text(name).bytes, value_text(name).size_bytes);
	}
	if (o->sharded)
		bytes_append_text(&o->member, "mongos");
}

/* Makes the pool, which looks up the names of mongodb+srv, and finds a server. */
static void run_opening(struct task *t)
{
	struct opening *o = (struct opening *)t;
	struct connection *c = o->connection;
	mongoc_read_prefs_t *preference = connection_preference(c, PERMIT_LISTING);
	struct conversation v = { 0 };
	bson_t *hello = BCON_NEW("hello", BCON_INT32(1), "maxTimeMS", BCON_INT32(SELECTION_MILLIS)), reply;

	c->pool = driver()->mongoc_client_pool_new_with_error(c->uri, &o->error);
	if (c->pool) {
		driver()->mongoc_client_pool_set_error_api(c->pool, MONGOC_ERROR_API_VERSION_2);
		driver()->mongoc_client_pool_set_appname(c->pool, "bsonscope");
		if (conversation_begin(&v, c, preference, &o->error)) {
			o->good = conversation_send(&v, "admin", hello, preference, &reply, &o->error);
			read_member(o, &reply);
			bson_destroy(&reply);
		}
		conversation_end(&v, c);
	}
	bson_destroy(hello);
	driver()->mongoc_read_prefs_destroy(preference);
}

/* `name` gets what kind of member answers, where it is not the usual one. */
static bool open_connection(struct connection *c, struct bytes *name, bool *sharded, bson_error_t *error)
{
	struct opening *o = memory_allocate_zeroed(1, sizeof *o);
	bool good;

	o->connection = connection_hold(c);
	task_init(&o->task, run_opening, free_opening);
	if (!task_start(&o->task, error))
		return false;
	if (task_wait(&o->task, NULL, interrupt_now_us() + OPENING_US) != INTERRUPT_NONE) {
		task_leave(&o->task);
		return error_set(error, ERROR_SYSTEM, 0, "the server does not answer");
	}
	good = o->good;
	*sharded = o->sharded;
	if (!good)
		connection_error(c, &o->error, error);
	else if (o->member.size)
		bytes_format(name, " (%s)", bytes_text(&o->member));
	task_finish(&o->task);
	return good;
}

/* Without its "user:password@"; free() it. */
static char *without_user(const char *text)
{
	const char *begin = strstr(text, "://"), *at = strrchr(text, '@');
	struct bytes out = BYTES_INIT;

	begin = begin ? begin + 3 : text;
	bytes_append(&out, text, (size_t)(begin - text));
	bytes_append_text(&out, at && at >= begin ? at + 1 : begin);
	return bytes_take_text(&out);
}

/* libmongoc's reason may quote what it read: it is asked again without the part that holds the password. */
static bool fail_uri(const char *text, bson_error_t *error)
{
	char *bare = without_user(text);
	struct bytes shown = BYTES_INIT;
	bson_error_t reason;
	mongoc_uri_t *uri = driver()->mongoc_uri_new_with_error(bare, &reason);

	redact_source(&shown, text);
	if (uri)
		error_set(error, ERROR_USAGE, 0,
		          "user name and password of \"%.200s\" cannot be read: "
		          "write the characters : / ? # [ ] @ %% in them as %%XX",
		          bytes_text(&shown));
	else
		error_set(error, ERROR_USAGE, 0, "\"%.200s\" is no connection string", bytes_text(&shown));
	if (uri)
		driver()->mongoc_uri_destroy(uri);
	bytes_clear(&shown);
	free(bare);
	return false;
}

static void set_default(mongoc_uri_t *uri, const char *option, int32_t millis)
{
	if (!driver()->mongoc_uri_has_option(uri, option))
		driver()->mongoc_uri_set_option_as_int32(uri, option, millis);
}

static mongoc_uri_t *read_uri(const char *text, int64_t limit_millis, bson_error_t *error)
{
	struct bytes whole = BYTES_INIT;
	mongoc_uri_t *uri;

	bytes_format(&whole, "%s%s", strstr(text, "://") ? "" : "mongodb://", text);
	uri = driver()->mongoc_uri_new(bytes_text(&whole));
	if (!uri)
		fail_uri(bytes_text(&whole), error);
	bytes_clear(&whole);
	if (!uri)
		return NULL;
	set_default(uri, MONGOC_URI_SERVERSELECTIONTIMEOUTMS, SELECTION_MILLIS);
	set_default(uri, MONGOC_URI_CONNECTTIMEOUTMS, SELECTION_MILLIS);
	set_default(uri, MONGOC_URI_WAITQUEUETIMEOUTMS, SELECTION_MILLIS);
	/* a silent server holds a thread and a connection no longer than this */
	set_default(uri, MONGOC_URI_SOCKETTIMEOUTMS, (int32_t)limit_millis + 2 * SELECTION_MILLIS);
	driver()->mongoc_uri_set_option_as_bool(uri, MONGOC_URI_RETRYREADS, false);
	return uri;
}

bool remote_open(const char *text, const struct remote_options *options, struct source **source, bson_error_t *error)
{
	int64_t limit_millis = options && options->limit_millis > 0 ? options->limit_millis : LIMIT_MILLIS;
	struct bytes name = BYTES_INIT;
	struct connection *c;
	struct remote *r;
	mongoc_uri_t *uri;
	bson_error_t reason;
	bool sharded = false;

	limit_millis = limit_millis < MOST_LIMIT_MILLIS ? limit_millis : MOST_LIMIT_MILLIS;
	log_open(options ? options->log_file : NULL);
	uri = read_uri(text, limit_millis, error);
	if (!uri)
		return false;
	log_hide(driver()->mongoc_uri_get_password(uri));
	if (strstr(text, "://"))
		redact_uri(&name, uri);
	else
		redact_source(&name, text);
	c = connection_new(uri, limit_millis * 1000);
	if (!open_connection(c, &name, &sharded, &reason)) {
		error_set(error, reason.domain, reason.code, "\"%.150s\" cannot be reached: %.330s", bytes_text(&name),
		          reason.message);
		bytes_clear(&name);
		close_connection(c);
		return false;
	}
	r = memory_allocate_zeroed(1, sizeof *r);
	r->connection = c;
	averages_init(&r->averages);
	*source = source_new(&remote_source, bytes_text(&name), r);
	bytes_clear(&name);
	(*source)->sharded = sharded;
	(*source)->exact_documents = options && options->exact_documents > 0 ? options->exact_documents
	                                                                     : EXACT_DOCUMENTS;
	return true;
}

const char *remote_database(struct source *s)
{
	struct remote *r = s->context;

	return s->type == &remote_source ? driver()->mongoc_uri_get_database(r->connection->uri) : NULL;
}

void remote_display(const char *source, struct bytes *out)
{
	log_open(NULL);
	redact_source(out, source);
}

void remote_hide(char *argument)
{
	char *begin = strstr(argument, "://"), *at = strrchr(argument, '@');

	begin = begin ? strchr(begin + 3, ':') : NULL;
	if (begin && at > begin)
		memset(begin + 1, '*', (size_t)(at - begin - 1));
}
