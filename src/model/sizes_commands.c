/*
 * Sizes by commands. A server tells them itself, of all documents or of a sample; where it cannot ($bsonSize came with
 * 4.4, and is not everybody's), documents are fetched and their bytes counted as they came. What takes longer than a
 * command may is looked at in part, and that is said.
 *
 * $bsonSize stands in a stage of its own: inside $group after $project it tells another document's size (SERVER-75267).
 * Nothing larger than a key and a number is grouped or sorted. Two scans, not a $facet: that returns one document, which
 * may be no larger than others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/writer.h"
#include "model/count.h"
#include "model/cursor.h"
#include "model/sizes_private.h"

enum {
	SCANNED_ANYWAY = 1000000, /* more are not read whole because a sample of them would read them too */
	REPORT_US = 200000
};

struct reading {
	enum sampling method;
	bool whole; /* documents themselves come */
};

/* What comes */

static void forget(struct gathering *g)
{
	for (size_t i = 0; i < g->drawn_count; i++)
		free(g->drawn[i].entry);
	g->drawn_count = 0;
	g->result->largest_count = 0;
	size_tally_clear(&g->tally);
}

static bool take_count(void *context, struct value document, bson_error_t *error)
{
	struct gathering *g = context;
	int64_t size, count;

	if (!value_as_int64(value_get(document, "_id"), &size) || !value_as_int64(value_get(document, "n"), &count) ||
	    size < 0 || size > INT32_MAX)
		return error_set(error, ERROR_INPUT, 0, "a count of documents by size without a number");
	size_tally_add(&g->tally, (uint32_t)size, count);
	return true;
}

static bool take_largest(void *context, struct value document, bson_error_t *error)
{
	int64_t size;

	if (!value_as_int64(value_get(document, "bytes"), &size))
		return error_set(error, ERROR_INPUT, 0, "the size of a document is no number");
	sizes_offer(context, size, value_get(document, "key"));
	return true;
}

static int by_entry(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;
	uint32_t least = x->entry_bytes < y->entry_bytes ? x->entry_bytes : y->entry_bytes;
	int order = memcmp(x->entry, y->entry, least);

	return order ? order : (x->entry_bytes > y->entry_bytes) - (x->entry_bytes < y->entry_bytes);
}

/* $sample may return a document more than once: it is counted once. */
static void settle(struct gathering *g)
{
	struct value entry;

	if (!g->drawn_count)
		return;
	qsort(g->drawn, g->drawn_count, sizeof *g->drawn, by_entry);
	size_tally_clear(&g->tally);
	g->result->largest_count = 0;
	for (size_t i = 0; i < g->drawn_count; i++) {
		const struct drawn *d = &g->drawn[i];

		value_document(&entry, d->entry, d->entry_bytes);
		if (i && !by_entry(&d[-1], d) && !value_is_missing(value_get(entry, "id")))
			continue;
		size_tally_add(&g->tally, (uint32_t)d->size_bytes, 1);
		sizes_offer(g, d->size_bytes, value_get(entry, "key"));
	}
}

static void report(struct gathering *g)
{
	if (!g->report || interrupt_now_us() - g->reported_us < REPORT_US)
		return;
	g->reported_us = interrupt_now_us();
	settle(g);
	sizes_compute(g);
	sizes_scale_up(g);
	g->report(g->report_context, g->result);
}

static void keep(struct gathering *g, int64_t size_bytes, struct value key, struct value id)
{
	struct bytes entry = BYTES_INIT;
	struct drawn *d;
	struct writer w;

	g->drawn = memory_grow(g->drawn, &g->drawn_capacity, g->drawn_count + 1, sizeof *g->drawn);
	d = &g->drawn[g->drawn_count++];
	writer_begin(&w, &entry);
	writer_put(&w, "id", id);
	writer_put(&w, "key", key);
	writer_finish(&w);
	*d = (struct drawn){ memory_duplicate(entry.data, entry.size), (uint32_t)entry.size, size_bytes };
	bytes_clear(&entry);
}

static void take(struct gathering *g, int64_t size_bytes, struct value key, struct value id)
{
	if (g->result->method == SAMPLING_RANDOM || g->result->method == SAMPLING_SORTED) {
		keep(g, size_bytes, key, id);
	} else {
		size_tally_add(&g->tally, (uint32_t)size_bytes, 1);
		sizes_offer(g, size_bytes, key);
	}
	report(g);
}

static bool take_measured(void *context, struct value document, bson_error_t *error)
{
	int64_t size;

	if (!value_as_int64(value_get(document, "bytes"), &size) || size < 0 || size > INT32_MAX)
		return error_set(error, ERROR_INPUT, 0, "the size of a document is no number");
	take(context, size, value_get(document, "key"), value_get(document, "id"));
	return true;
}

static bool take_whole(void *context, struct value document, bson_error_t *error)
{
	struct gathering *g = context;

	(void)error;
	take(g, document.size_bytes, value_get(document, g->key), value_get(document, "_id"));
	return true;
}

/* What is asked */

/* Destroys the stage. */
static void append(bson_t *pipeline, bson_t *stage)
{
	char text[16];
	const char *key;

	bson_uint32_to_string((uint32_t)bson_count_keys(pipeline), &key, text, sizeof text);
	BSON_APPEND_DOCUMENT(pipeline, key, stage);
	bson_destroy(stage);
}

static bson_t *project_size(const struct gathering *g, bool with_key)
{
	bson_t *fields = BCON_NEW("_id", BCON_INT32(0), "bytes", "{", "$bsonSize", BCON_UTF8("$$ROOT"), "}"), *stage;
	char *path = bson_strdup_printf("$%s", g->key);

	if (with_key) {
		BSON_APPEND_UTF8(fields, "key", path);
		BSON_APPEND_UTF8(fields, "id", "$_id");
	}
	stage = BCON_NEW("$project", BCON_DOCUMENT(fields));
	bson_destroy(fields);
	bson_free(path);
	return stage;
}

/* Destroys the pipeline. Distinct sizes may be more than a $group has memory for. */
static bool aggregate(struct gathering *g, bson_t *pipeline, cursor_each each, const struct interrupt *interrupt,
                      bson_error_t *error)
{
	bson_t *command = BCON_NEW("aggregate", BCON_UTF8(g->collection), "pipeline", BCON_ARRAY(pipeline), "cursor",
	                           "{", "}", "allowDiskUse", BCON_BOOL(true));
	bool good = cursor_run(g->source, g->db, command, each, g, interrupt, error);

	bson_destroy(command);
	bson_destroy(pipeline);
	return good;
}

static bool count_by_size(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *pipeline = bson_new();

	append(pipeline, project_size(g, false));
	append(pipeline, BCON_NEW("$group", "{", "_id", BCON_UTF8("$bytes"), "n", "{", "$sum", BCON_INT32(1), "}", "}"));
	append(pipeline, BCON_NEW("$sort", "{", "_id", BCON_INT32(1), "}"));
	return aggregate(g, pipeline, take_count, interrupt, error);
}

static bool find_largest(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *pipeline = bson_new();

	append(pipeline, project_size(g, true));
	append(pipeline, BCON_NEW("$sort", "{", "bytes", BCON_INT32(-1), "key", BCON_INT32(1), "}"));
	append(pipeline, BCON_NEW("$limit", BCON_INT64((int64_t)g->result->largest_most)));
	return aggregate(g, pipeline, take_largest, interrupt, error);
}

static bool find_documents(struct gathering *g, int64_t limit, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *command = BCON_NEW("find", BCON_UTF8(g->collection), "filter", "{", "}");
	bool good;

	if (limit)
		BSON_APPEND_INT64(command, "limit", limit);
	good = cursor_run(g->source, g->db, command, take_whole, g, interrupt, error);
	bson_destroy(command);
	return good;
}

static bool look_at_some(struct gathering *g, const struct reading *r, const struct interrupt *interrupt,
                         bson_error_t *error)
{
	bson_t *pipeline = bson_new();

	append(pipeline, r->method == SAMPLING_FIRST
	                         ? BCON_NEW("$limit", BCON_INT64(sampling_size(g->source)))
	                         : BCON_NEW("$sample", "{", "size", BCON_INT64(sampling_size(g->source)), "}"));
	if (!r->whole)
		append(pipeline, project_size(g, true));
	return aggregate(g, pipeline, r->whole ? take_whole : take_measured, interrupt, error);
}

static bool read_documents(struct gathering *g, const struct reading *r, const struct interrupt *interrupt,
                           bson_error_t *error)
{
	forget(g);
	g->result->method = r->method;
	if (r->whole && (r->method == SAMPLING_ALL || r->method == SAMPLING_FIRST))
		return find_documents(g, r->method == SAMPLING_FIRST ? sampling_size(g->source) : 0, interrupt, error);
	if (r->method == SAMPLING_ALL)
		return count_by_size(g, interrupt, error) && find_largest(g, interrupt, error);
	return look_at_some(g, r, interrupt, error);
}

/* What was answered */

static struct reading choose(struct gathering *g, int64_t count)
{
	struct reading r = { SAMPLING_ALL, false };
	int64_t exact = g->source->exact_documents;

	if (!exact || count <= exact)
		return r;
	r.method = sampling_scans(sampling_size(g->source), count) ? SAMPLING_SORTED : SAMPLING_RANDOM;
	if (r.method == SAMPLING_SORTED && count <= SCANNED_ANYWAY) {
		r.method = SAMPLING_ALL;
		sizes_remark(g->result, "all documents, not a sample: one of %lld, 5 %% or more of them, would read them all too",
		             (long long)sampling_size(g->source));
	}
	return r;
}

/* What is tried after a failure; false: nothing. Documents are fetched where the server does not tell their sizes. */
static bool try_less(struct gathering *g, struct reading *r, int64_t count, const bson_error_t *error,
                     const struct interrupt *interrupt)
{
	struct bytes remark = BYTES_INIT;
	bool less = true;

	if (!r->whole && sampling_is_unsupported(error))
		r->whole = true;
	else
		less = sampling_less(r->method, sampling_size(g->source), count, error, interrupt, &r->method, &remark);
	if (remark.size)
		sizes_remark(g->result, "%s", bytes_text(&remark));
	bytes_clear(&remark);
	return less;
}

/* What was seen when somebody stopped it is kept, as a part. */
static bool keep_part(struct gathering *g, const struct reading *r, const bson_error_t *error)
{
	int64_t count, bytes;

	settle(g);
	size_tally_total(&g->tally, &count, &bytes);
	if (error->domain != ERROR_SERVER || error->code != CODE_Interrupted || !count ||
	    (r->method == SAMPLING_ALL && !r->whole))
		return false;
	if (r->method == SAMPLING_ALL)
		g->result->method = SAMPLING_FIRST;
	sizes_remark(g->result, "stopped before its end");
	return true;
}

static void remark_changes(struct gathering *g)
{
	const struct sizes *s = g->result;

	if (s->method == SAMPLING_ALL && s->largest_count && s->largest[0].size_bytes != s->max.value)
		sizes_remark(g->result, "it changed while it was read");
}

bool sizes_gather_by_commands(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	struct reading r;
	bson_error_t reason;
	int64_t count = 0, orphans = 0;
	bool good;

	if (!source_engine(g->source) && g->source->exact_documents)
		count_documents(g->source, g->db, g->collection, &count, interrupt, NULL);
	if (g->source->sharded && count > g->source->exact_documents &&
	    count_orphans(g->source, g->db, g->collection, &orphans, interrupt) && orphans > 0 && orphans <= count) {
		count -= orphans;
		sizes_remark(g->result, "%lld orphaned documents on its shards are not counted", (long long)orphans);
	}
	r = choose(g, count);
	g->of = count;
	g->reported_us = interrupt_now_us();
	while (!(good = read_documents(g, &r, interrupt, &reason) || keep_part(g, &r, &reason)) &&
	       try_less(g, &r, count, &reason, interrupt))
		;
	if (good && r.whole)
		sizes_remark(g->result, "fetched to be measured: the server does not tell sizes ($bsonSize)");
	if (good) {
		settle(g);
		sizes_compute(g);
		sizes_scale_up(g);
		remark_changes(g);
	} else {
		*error = reason;
	}
	for (size_t i = 0; i < g->drawn_count; i++)
		free(g->drawn[i].entry);
	free(g->drawn);
	g->drawn = NULL;
	g->drawn_count = g->drawn_capacity = 0;
	return good;
}
