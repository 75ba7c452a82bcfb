#include "ui/command_log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"

struct command_log {
	pthread_mutex_t lock; /* over `reported` */
	struct log_entry *reported;
	size_t reported_count, reported_capacity;

	struct log_entry *ring; /* COMMAND_LOG_LIMIT entries, by number */
	int64_t first, end, run; /* `run`: number of the last run's first entry */
};

static struct log_entry *at(const struct command_log *log, int64_t number)
{
	return &log->ring[number % COMMAND_LOG_LIMIT];
}

static void clear(struct log_entry *e)
{
	free(e->db);
	free(e->command);
	free(e->failure);
	*e = (struct log_entry){ 0 };
}

struct command_log *command_log_new(void)
{
	struct command_log *log = memory_allocate_zeroed(1, sizeof *log);

	pthread_mutex_init(&log->lock, NULL);
	log->ring = memory_allocate_zeroed(COMMAND_LOG_LIMIT, sizeof *log->ring);
	log->first = log->end = 1;
	return log;
}

void command_log_destroy(struct command_log *log)
{
	for (size_t i = 0; i < log->reported_count; i++)
		clear(&log->reported[i]);
	for (int64_t n = log->first; n < log->end; n++)
		clear(at(log, n));
	pthread_mutex_destroy(&log->lock);
	free(log->reported);
	free(log->ring);
	free(log);
}

static void add(struct command_log *log, const struct log_entry *e)
{
	pthread_mutex_lock(&log->lock);
	log->reported = memory_grow(log->reported, &log->reported_capacity, log->reported_count + 1, sizeof *log->reported);
	log->reported[log->reported_count++] = *e;
	pthread_mutex_unlock(&log->lock);
}

/* Called by the source, on whatever thread sent the command. */
static void report(void *context, const char *db, const bson_t *command, bool measured, int64_t micros, const bson_error_t *error)
{
	struct command_log *log = context;
	struct log_entry e = {
		.db = memory_duplicate_text(db),
		.command = memory_duplicate(bson_get_data(command), command->len),
		.measured = measured,
		.micros = micros,
		.failure = error ? memory_duplicate_text(error->message) : NULL,
	};

	add(log, &e);
}

void command_log_note(struct command_log *log, const char *line)
{
	static const uint8_t nothing[5] = { 5 };
	struct log_entry e = { .command = memory_duplicate(nothing, sizeof nothing), .failure = memory_duplicate_text(line) };

	add(log, &e);
}

void command_log_attach(struct command_log *log, struct source *s)
{
	pthread_mutex_lock(&log->lock);
	if (!s->log) {
		s->log_context = log;
		s->log = report;
	}
	pthread_mutex_unlock(&log->lock);
}

void command_log_detach(struct command_log *log, struct source *s)
{
	if (s->log_context == log) {
		s->log = NULL;
		s->log_context = NULL;
	}
}

static struct value document(const struct log_entry *e)
{
	struct value v = value_missing();
	uint32_t size;

	memcpy(&size, e->command, sizeof size);
	value_document(&v, e->command, BSON_UINT32_FROM_LE(size));
	return v;
}

/* The command's name and what it is sent to. */
static struct field head(struct value command)
{
	struct field f = { { "", 0 }, value_missing() };
	struct walk w;

	walk_begin(&w, command);
	walk_next(&w, &f);
	return f;
}

/* Whether two documents differ in values only. */
static bool same_structure(struct value a, struct value b, int level)
{
	struct walk x, y;
	struct field f, g;
	bool more;

	if (level > VALUE_DEPTH_LIMIT)
		return false;
	walk_begin(&x, a);
	walk_begin(&y, b);
	while ((more = walk_next(&x, &f)) && walk_next(&y, &g)) {
		bool inner = value_is_document(f.value) || value_is_array(f.value);

		if (f.value.type != g.value.type || !key_equal(f.key, g.key) || (inner && !same_structure(f.value, g.value, level + 1)))
			return false;
	}
	return !more && !walk_next(&y, &g);
}

static bool same_run(const struct log_entry *a, const struct log_entry *b)
{
	struct field x = head(document(a)), y = head(document(b));

	return a->measured == b->measured && !a->failure && !b->failure && !strcmp(a->db, b->db) &&
	       x.value.size_bytes == y.value.size_bytes && !memcmp(x.value.bytes, y.value.bytes, x.value.size_bytes) &&
	       same_structure(document(a), document(b), 1);
}

static void drop_oldest(struct command_log *log)
{
	struct log_entry *oldest = at(log, log->first), *next = at(log, log->first + 1);

	if (oldest->run_length > 1) {
		next->run_length = oldest->run_length - 1;
		next->unfolded = oldest->unfolded;
		if (log->run == log->first)
			log->run++;
	}
	clear(oldest);
	log->first++;
}

static void append(struct command_log *log, struct log_entry e)
{
	struct log_entry *last;

	if (log->end - log->first == COMMAND_LOG_LIMIT)
		drop_oldest(log);
	last = log->end > log->first ? at(log, log->end - 1) : NULL;
	e.number = log->end;
	if (last && same_run(last, &e)) {
		at(log, log->run)->run_length++;
	} else {
		e.run_length = 1;
		log->run = e.number;
	}
	*at(log, log->end++) = e;
}

bool command_log_take(struct command_log *log)
{
	struct log_entry *taken;
	size_t count;

	pthread_mutex_lock(&log->lock);
	taken = log->reported;
	count = log->reported_count;
	log->reported = NULL;
	log->reported_count = log->reported_capacity = 0;
	pthread_mutex_unlock(&log->lock);
	for (size_t i = 0; i < count; i++)
		append(log, taken[i]);
	free(taken);
	return count > 0;
}

int64_t command_log_first(const struct command_log *log)
{
	return log->first;
}

int64_t command_log_end(const struct command_log *log)
{
	return log->end;
}

struct log_entry *command_log_entry(const struct command_log *log, int64_t number)
{
	return number >= log->first && number < log->end ? at(log, number) : NULL;
}

void command_log_text(const struct log_entry *e, struct bytes *text)
{
	if (!e->db) {
		bytes_format(text, "// %s", e->failure);
		return;
	}
	bytes_append_text(text, "db.getSiblingDB(\"");
	print_text(text, e->db, strlen(e->db));
	bytes_append_text(text, e->measured ? "\").runCommand({explain: " : "\").runCommand(");
	print_line(text, document(e), PRINT_SHELL);
	bytes_append_text(text, e->measured ? ", verbosity: \"executionStats\"})" : ")");
}

/* What the head says already, or what says nothing. */
static bool is_noise(struct field f, size_t position)
{
	return position == 0 || (key_is(f.key, "cursor") && value_count(f.value) == 0) || key_is(f.key, "$db");
}

static bool speaks_for_itself(struct key k)
{
	static const char *const names[] = { "filter", "pipeline", "query", "updates", "deletes", "documents" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (key_is(k, names[i]))
			return true;
	return false;
}

void command_brief(struct value command, struct bytes *text)
{
	struct field f = head(command);
	struct walk w;

	print_text(text, f.key.bytes, f.key.size_bytes);
	if (key_is(f.key, "explain") && value_is_document(f.value) && !key_is(head(f.value).key, "explain")) {
		bytes_append_text(text, " ");
		command_brief(f.value, text);
		return;
	}
	if (f.value.type == BSON_TYPE_UTF8) {
		bytes_append_text(text, " ");
		print_text(text, value_text(f.value).bytes, value_text(f.value).size_bytes);
	}
	walk_begin(&w, command);
	for (size_t position = 0; walk_next(&w, &f); position++) {
		if (is_noise(f, position))
			continue;
		bytes_append_text(text, " ");
		if (!speaks_for_itself(f.key)) {
			print_text(text, f.key.bytes, f.key.size_bytes);
			bytes_append_text(text, ": ");
		}
		print_line(text, f.value, PRINT_SHELL);
	}
}

void command_log_brief(const struct log_entry *e, struct bytes *text)
{
	if (e->db)
		command_brief(document(e), text);
	else
		bytes_append_text(text, "a client");
}
