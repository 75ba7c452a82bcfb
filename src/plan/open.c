#include "plan/open.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inflate.h"
#include "bson/paste.h"
#include "bson/writer.h"
#include "plan/input.h"

enum { BLOCK_BYTES = 1 << 16 };

static bool read_descriptor(int descriptor, const char *path, struct bytes *out, bson_error_t *error)
{
	struct stat info;
	ssize_t got;

	if (fstat(descriptor, &info) == 0 && info.st_size > 0 && info.st_size <= PLAN_TEXT_LIMIT_BYTES)
		bytes_reserve(out, (size_t)info.st_size + BLOCK_BYTES);
	do {
		bytes_reserve(out, BLOCK_BYTES);
		got = read(descriptor, out->data + out->size, BLOCK_BYTES);
		if (got > 0)
			out->size += (size_t)got;
		if (out->size > PLAN_TEXT_LIMIT_BYTES)
			return input_fail(path, "more than 64 MiB: no explain output is that large", error);
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0 ? true : input_fail(path, strerror(errno), error);
}

static bool unpack(const char *path, struct bytes *text, bson_error_t *error)
{
	struct bytes plain = BYTES_INIT;

	if (!input_is_gzip(text->data, text->size))
		return true;
	if (!inflate_all(text->data, text->size, PLAN_TEXT_LIMIT_BYTES, &plain, NULL)) {
		bytes_clear(&plain);
		return input_fail(path, "not whole as gzip, or more than 64 MiB when unpacked", error);
	}
	bytes_clear(text);
	*text = plain;
	return true;
}

static bool read_all(const char *path, struct bytes *text, bson_error_t *error)
{
	int descriptor = input_open(path, error);
	bool good;

	if (descriptor < 0)
		return false;
	good = read_descriptor(descriptor, path, text, error);
	input_close(descriptor);
	return good && unpack(path, text, error);
}

/* Document{{stage=COLLSCAN, …}}: the texts in it have no quotes, so nobody knows where they end. */
static bool is_java_text(const char *text, size_t size)
{
	return memmem(text, size, "Document{{", 10) != NULL;
}

/* A "winningPlan: {…}" that was copied alone, and an "executionStats: {…}" behind it, are two halves of a reply. */
static struct plan_tree *with_run(struct plan_tree *t, struct paste *paste)
{
	struct value planner, stats = value_missing();
	struct bytes whole = BYTES_INIT;
	struct plan_tree *both = NULL;
	struct paste_document d;
	struct writer w;

	if (strcmp(t->root_form, "winningPlan") || !paste_next(paste, &d))
		return t;
	if (value_document(&stats, d.bson.data, d.bson.size))
		stats = value_get(stats, "executionStats");
	if (value_is_document(stats) && value_document(&planner, t->reply.data, t->reply.size)) {
		writer_begin(&w, &whole);
		writer_put(&w, "queryPlanner", planner);
		writer_put(&w, "executionStats", stats);
		writer_finish(&w);
		both = plan_tree_take(&whole, t->incomplete || d.incomplete, NULL);
	}
	bytes_clear(&whole);
	bytes_clear(&d.bson);
	if (!both)
		return t;
	plan_tree_destroy(t);
	return both;
}

struct plan_tree *plan_from_text(const char *name, const char *text, size_t size, bson_error_t *error)
{
	struct plan_tree *t = NULL;
	struct paste_document d;
	struct paste paste;
	bool refused = false;
	bson_error_t why;

	paste_init(&paste, name, text, size);
	while (!t && paste_next(&paste, &d)) {
		t = plan_tree_take(&d.bson, d.incomplete, &why);
		refused = refused || !t;
	}
	if (!t && refused)
		input_fail(name, why.message, error);
	else if (!t && is_java_text(text, size))
		input_fail(name, "printed by Java's toString, which leaves out the quotes: print toJson() instead", error);
	else if (!t)
		paste_fail(&paste, error);
	else
		t = with_run(t, &paste);
	paste_clear(&paste);
	return t;
}

struct plan_tree *plan_open(const char *path, bson_error_t *error)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	struct bytes text = BYTES_INIT;
	struct plan_tree *t = NULL;

	if (read_all(path, &text, error))
		t = plan_from_text(name, bytes_text(&text), text.size, error);
	bytes_clear(&text);
	return t;
}
