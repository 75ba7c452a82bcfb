#include "remote/connection.h"

#include <string.h>

#include "base/memory.h"
#include "remote/redact.h"

struct connection *connection_new(mongoc_uri_t *uri, int64_t limit_us)
{
	struct connection *c = memory_allocate_zeroed(1, sizeof *c);

	atomic_init(&c->references, 1);
	atomic_init(&c->tags, 0);
	c->uri = uri;
	c->limit_us = limit_us;
	c->own_preference = driver()->mongoc_uri_get_option_as_utf8(uri, MONGOC_URI_READPREFERENCE, NULL) != NULL;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

struct connection *connection_hold(struct connection *c)
{
	atomic_fetch_add_explicit(&c->references, 1, memory_order_relaxed);
	return c;
}

void connection_release(struct connection *c)
{
	if (atomic_fetch_sub_explicit(&c->references, 1, memory_order_acq_rel) > 1)
		return;
	while (c->parked_count)
		conversation_end(&c->parked[--c->parked_count], c);
	if (c->pool)
		driver()->mongoc_client_pool_destroy(c->pool);
	driver()->mongoc_uri_destroy(c->uri);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

void connection_error(const struct connection *c, const bson_error_t *from, bson_error_t *to)
{
	char text[sizeof from->message];
	bool server = from->domain == MONGOC_ERROR_SERVER || from->domain == MONGOC_ERROR_WRITE_CONCERN;

	memcpy(text, from->message, sizeof text);
	text[sizeof text - 1] = 0;
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	redact_password(text, driver()->mongoc_uri_get_password(c->uri));
	error_set(to, server ? ERROR_SERVER : ERROR_SYSTEM, from->code, "%s", *text ? text : "no reason given");
}

mongoc_read_prefs_t *connection_preference(const struct connection *c, enum permit_use use)
{
	if (c->own_preference)
		return driver()->mongoc_read_prefs_copy(driver()->mongoc_uri_get_read_prefs_t(c->uri));
	return driver()->mongoc_read_prefs_new(use == PERMIT_SCAN ? MONGOC_READ_SECONDARY_PREFERRED
	                                                : MONGOC_READ_PRIMARY_PREFERRED);
}

/* Conversations */

static bool has_sessions(const mongoc_server_description_t *server)
{
	return bson_has_field(driver()->mongoc_server_description_hello_response(server), "logicalSessionTimeoutMinutes");
}

static bool select_server(struct conversation *v, const mongoc_read_prefs_t *preference, bool *sessions,
                          bson_error_t *error)
{
	mongoc_server_description_t *server = driver()->mongoc_client_select_server(v->client, false, preference, error);

	if (!server)
		return false;
	v->server_id = driver()->mongoc_server_description_id(server);
	*sessions = has_sessions(server);
	driver()->mongoc_server_description_destroy(server);
	return true;
}

bool conversation_begin(struct conversation *v, struct connection *c, const mongoc_read_prefs_t *preference,
                        bson_error_t *error)
{
	mongoc_session_opt_t *options;
	bson_error_t no_session;
	bool sessions;

	v->client = driver()->mongoc_client_pool_pop(c->pool);
	if (!v->client)
		return error_set(error, ERROR_SYSTEM, 0,
		                 "all connections are busy with commands that were not answered");
	if (!select_server(v, preference, &sessions, error))
		return false;
	if (!sessions)
		return true;
	options = driver()->mongoc_session_opts_new();
	driver()->mongoc_session_opts_set_causal_consistency(options, false);
	v->session = driver()->mongoc_client_start_session(v->client, options, &no_session);
	driver()->mongoc_session_opts_destroy(options);
	return true;
}

bool conversation_send(struct conversation *v, const char *db, const bson_t *command,
                       const mongoc_read_prefs_t *preference, bson_t *reply, bson_error_t *error)
{
	bson_t options = BSON_INITIALIZER;
	bool good;

	BSON_APPEND_INT32(&options, "serverId", (int32_t)v->server_id);
	good = !v->session || driver()->mongoc_client_session_append(v->session, &options, error);
	if (good)
		/* of libmongoc's calls the one that never sends a command twice */
		good = driver()->mongoc_client_command_with_opts(v->client, db, command, preference, &options, reply, error);
	else
		bson_init(reply);
	bson_destroy(&options);
	return good;
}

void conversation_end(struct conversation *v, struct connection *c)
{
	if (v->session)
		driver()->mongoc_client_session_destroy(v->session);
	if (v->client)
		driver()->mongoc_client_pool_push(c->pool, v->client);
	*v = (struct conversation){ 0 };
}

static struct conversation take_parked(struct connection *c, size_t i)
{
	struct conversation v = c->parked[i];

	memmove(&c->parked[i], &c->parked[i + 1], (--c->parked_count - i) * sizeof v);
	return v;
}

struct conversation conversation_resume(struct connection *c, int64_t cursor_id)
{
	struct conversation v = { 0 };

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->parked_count && !v.client; i++)
		if (c->parked[i].cursor_id == cursor_id)
			v = take_parked(c, i);
	pthread_mutex_unlock(&c->lock);
	return v;
}

/* Of too many open cursors the oldest is given up: it was forgotten. Its server lets it go after ten minutes. */
void conversation_park(struct conversation v, struct connection *c)
{
	struct conversation forgotten = { 0 };

	if (!v.cursor_id) {
		conversation_end(&v, c);
		return;
	}
	pthread_mutex_lock(&c->lock);
	if (c->parked_count == CONVERSATIONS_PARKED)
		forgotten = take_parked(c, 0);
	c->parked[c->parked_count++] = v;
	pthread_mutex_unlock(&c->lock);
	conversation_end(&forgotten, c);
}
