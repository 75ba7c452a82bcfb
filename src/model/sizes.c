#include "model/sizes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/size_tally.h"
#include "bson/compare.h"
#include "engine/engine.h"
#include "model/count.h"
#include "model/cursor.h"

enum { MANY_DOCUMENTS = 100000 }; /* the largest of fewer are found at once */

struct gathering {
	struct source *source;
	const char *db, *collection, *key;
	int64_t limit_bytes;
	struct size_tally tally;
	int64_t count; /* of the documents in it */
	struct sizes *result;
	bool at_least; /* there are more documents than can be seen */
	int64_t of;    /* so many, where that is known; else 0 */
	sizes_report report;
	void *report_context;
};

/* Figures */

static struct figure exact(int64_t value)
{
	return figure_of(value, PROVENANCE_EXACT);
}

/* A figure over all documents: of a part it is the least that it can be. */
static struct figure total(int64_t value, bool at_least)
{
	struct figure f = exact(value);

	f.at_least = at_least;
	return f;
}

/* One that may become more or less with what was not seen. */
static struct figure typical(int64_t value, const struct gathering *g)
{
	struct figure f = exact(value);

	if (g->at_least) {
		f.provenance = PROVENANCE_SAMPLED;
		f.n = g->count;
		f.of = g->of;
	}
	return f;
}

static size_t bin_of(int64_t size_bytes)
{
	size_t bin = 0;

	while (bin + 1 < SIZES_BINS && (int64_t)1 << (bin + 1) <= size_bytes)
		bin++;
	return bin;
}

static void add_to_bin(struct sizes *result, size_t first, int64_t size_bytes, int64_t count)
{
	size_t bin = bin_of(size_bytes) - first;

	while (result->bin_count <= bin) {
		size_t i = result->bin_count++;

		result->bins[i] = (struct size_bin){ (int64_t)1 << (first + i), (int64_t)1 << (first + i + 1), 0 };
	}
	result->bins[bin].count += count;
}

/* Nearest rank: the number, from 1, of the document that stands for a percentile. */
static int64_t rank_of(int64_t percent, int64_t count)
{
	return (count / 100) * percent + ((count % 100) * percent + 99) / 100;
}

/* Of a part of the documents it is the least that there are. */
static void count_reached(struct gathering *g)
{
	struct sizes *result = g->result;
	int64_t counts[THRESHOLDS_MOST] = { 0 }, alarming = 0, size = -1, count;

	while (size_tally_next(&g->tally, &size, &count)) {
		for (size_t i = 0; i < result->thresholds.count && result->thresholds.list[i].bytes <= size; i++)
			counts[i] += count;
		alarming += result->alarm_bytes && size > result->alarm_bytes ? count : 0;
	}
	for (size_t i = 0; i < result->thresholds.count; i++)
		result->reached[i] = total(counts[i], g->at_least);
	result->alarming = total(alarming, g->at_least);
}

static void compute(struct gathering *g)
{
	struct sizes *result = g->result;
	struct percentile {
		struct figure *figure;
		int64_t percent, rank;
	} percentiles[] = { { &result->p50, 50, 0 }, { &result->p90, 90, 0 }, { &result->p99, 99, 0 } };
	int64_t size = -1, count, seen = 0, all, bytes;
	size_t first = 0;

	size_tally_total(&g->tally, &all, &bytes);
	g->count = all;
	for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
		percentiles[i].rank = rank_of(percentiles[i].percent, all);
	result->count = total(all, g->at_least);
	result->bytes = total(bytes, g->at_least);
	result->avg_millibytes = result->max = result->p50 = result->p90 = result->p99 = result->headroom =
	        figure_unknown();
	result->bin_count = 0;
	result->over_limit = 0;
	count_reached(g);
	while (size_tally_next(&g->tally, &size, &count)) {
		if (!seen)
			first = bin_of(size);
		add_to_bin(result, first, size, count);
		for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
			if (seen < percentiles[i].rank && seen + count >= percentiles[i].rank)
				*percentiles[i].figure = typical(size, g);
		seen += count;
		result->over_limit += size > g->limit_bytes ? count : 0;
	}
	if (!all)
		return;
	/* in two parts: a thousand times the bytes may not fit */
	result->avg_millibytes = typical(bytes / all * 1000 + (bytes % all * 1000 + all / 2) / all, g);
	result->max = total(size, g->at_least);
	result->headroom = typical(g->limit_bytes - size, g);
}

/* The largest documents */

static void set_id(struct largest_document *largest, struct value key)
{
	uint32_t size = BSON_UINT32_TO_LE(4 + 2 + key.size_bytes + 1);

	bytes_reset(&largest->id);
	if (value_is_missing(key))
		return;
	bytes_append(&largest->id, &size, 4);
	bytes_append_byte(&largest->id, key.type);
	bytes_append_byte(&largest->id, 0);
	bytes_append(&largest->id, key.bytes, key.size_bytes);
	bytes_append_byte(&largest->id, 0);
}

static struct value id_of(const struct largest_document *largest)
{
	struct value document;

	return value_document(&document, largest->id.data, largest->id.size) ? value_get(document, "") : value_null();
}

/* Equal sizes stand in the order of keys, so that every run names the same documents; a missing key is as null. */
static bool is_before(int64_t size_bytes, struct value key, const struct largest_document *other)
{
	if (size_bytes != other->size_bytes)
		return size_bytes > other->size_bytes;
	return value_compare(value_is_missing(key) ? value_null() : key, id_of(other)) < 0;
}

static void offer_largest(void *context, int64_t size_bytes, struct value key)
{
	struct sizes *result = ((struct gathering *)context)->result;
	struct largest_document *list = result->largest, last;
	size_t i = result->largest_count;

	if (i == result->largest_most && !is_before(size_bytes, key, &list[i - 1]))
		return;
	if (i < result->largest_most)
		result->largest_count++;
	else
		i--;
	last = list[i]; /* its memory is used again */
	for (; i > 0 && is_before(size_bytes, key, &list[i - 1]); i--)
		list[i] = list[i - 1];
	list[i] = last;
	list[i].size_bytes = size_bytes;
	set_id(&list[i], key);
}

/* The size of the last of the largest: no smaller document is looked at. */
static int64_t least_of_largest(const struct gathering *g)
{
	int64_t size = -1, count, seen = 0;

	while (size_tally_next(&g->tally, &size, &count) && g->count - (seen += count) >= (int64_t)g->result->largest_most)
		;
	return size;
}

/* Over the engine, which knows the sizes: only documents that may be among the largest are looked at. */

static bool gather_from_engine(struct gathering *g, struct engine *e, const struct interrupt *interrupt,
                               bson_error_t *error)
{
	struct engine_size_walk walk = { .key = g->key, .take = offer_largest, .context = g };

	if (!engine_tally_sizes(e, g->db, g->collection, &g->tally, error))
		return false;
	compute(g);
	if (!g->count)
		return true;
	if (g->report && g->count >= MANY_DOCUMENTS)
		g->report(g->report_context, g->result);
	walk.from_bytes = (uint32_t)least_of_largest(g);
	return engine_walk_sizes(e, g->db, g->collection, &walk, interrupt, error);
}

/* Over the seam: by commands */

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
	struct sizes *result = ((struct gathering *)context)->result;
	struct largest_document *largest = &result->largest[result->largest_count];

	if (result->largest_count == result->largest_most)
		return true;
	if (!value_as_int64(value_get(document, "bytes"), &largest->size_bytes))
		return error_set(error, ERROR_INPUT, 0, "the size of a document is no number");
	set_id(largest, value_get(document, "key"));
	result->largest_count++;
	return true;
}

static bool take_kind(void *context, struct value document, bson_error_t *error)
{
	struct sizes *result = ((struct gathering *)context)->result;
	struct value type = value_get(document, "type"), options = value_get(document, "options");
	const char *kind = "collection";

	(void)error;
	if (type.type == BSON_TYPE_UTF8 && value_text(type).size_bytes)
		kind = value_text(type).bytes;
	if (value_is_document(options) && value_is_true(value_get(options, "capped")))
		kind = "capped";
	free(result->kind);
	result->kind = memory_duplicate_text(kind);
	return true;
}

/* Destroys the command. */
static bool run(struct gathering *g, bson_t *command, cursor_each each, const struct interrupt *interrupt,
                bson_error_t *error)
{
	bool good = cursor_run(g->source, g->db, command, each, g, interrupt, error);

	bson_destroy(command);
	return good;
}

static bool find_kind(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	return run(g, BCON_NEW("listCollections", BCON_INT32(1), "filter", "{", "name", BCON_UTF8(g->collection), "}"),
	           take_kind, interrupt, error) &&
	       (g->result->kind ||
	        error_set(error, ERROR_INPUT, 0, "no collection \"%s\" in \"%s\"", g->collection, g->db));
}

static bool gather_by_commands(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	char *path = bson_strdup_printf("$%s", g->key);
	bson_t *by_size = BCON_NEW("aggregate", BCON_UTF8(g->collection), "pipeline", "[", "{", "$project", "{", "_id",
	                           BCON_INT32(0), "bytes", "{", "$bsonSize", BCON_UTF8("$$ROOT"), "}", "}", "}", "{",
	                           "$group", "{", "_id", BCON_UTF8("$bytes"), "n", "{", "$sum", BCON_INT32(1), "}", "}",
	                           "}", "{", "$sort", "{", "_id", BCON_INT32(1), "}", "}", "]", "cursor", "{", "}");
	bson_t *largest = BCON_NEW("aggregate", BCON_UTF8(g->collection), "pipeline", "[", "{", "$project", "{", "_id",
	                           BCON_INT32(0), "key", BCON_UTF8(path), "bytes", "{", "$bsonSize",
	                           BCON_UTF8("$$ROOT"), "}", "}", "}", "{", "$sort", "{", "bytes", BCON_INT32(-1),
	                           "key", BCON_INT32(1), "}", "}", "{", "$limit", BCON_INT64((int64_t)g->result->largest_most), "}", "]",
	                           "cursor", "{", "}");
	bool good = run(g, by_size, take_count, interrupt, error);

	good = good ? run(g, largest, take_largest, interrupt, error) : (bson_destroy(largest), false);
	bson_free(path);
	if (good)
		compute(g);
	return good;
}

/* Over a server: a sample of what is too much, and sizes of whole documents where it cannot tell them. */

enum { SAMPLE_DOCUMENTS = 10000, CODE_UnrecognizedExpression = 168 };

static bool take_one(void *context, struct value document, bson_error_t *error)
{
	struct gathering *g = context;
	int64_t size;

	if (!value_as_int64(value_get(document, "bytes"), &size) || size < 0 || size > INT32_MAX)
		return error_set(error, ERROR_INPUT, 0, "the size of a document is no number");
	size_tally_add(&g->tally, (uint32_t)size, 1);
	offer_largest(g, size, value_get(document, "key"));
	return true;
}

static bool take_whole(void *context, struct value document, bson_error_t *error)
{
	struct gathering *g = context;

	(void)error;
	size_tally_add(&g->tally, document.size_bytes, 1);
	offer_largest(g, document.size_bytes, value_get(document, g->key));
	return true;
}

/* The sample's stage, before others or alone; nothing without a sample. */
static void append_sample(const struct gathering *g, bson_t *pipeline, bool sampled)
{
	int64_t size = g->source->sample_documents ? g->source->sample_documents : SAMPLE_DOCUMENTS;
	bson_t *stage = BCON_NEW("$sample", "{", "size", BCON_INT64(size), "}");

	if (sampled)
		BSON_APPEND_DOCUMENT(pipeline, "0", stage);
	bson_destroy(stage);
}

static bool run_pipeline(struct gathering *g, bson_t *pipeline, cursor_each each, const struct interrupt *interrupt,
                         bson_error_t *error)
{
	bson_t *command = BCON_NEW("aggregate", BCON_UTF8(g->collection), "pipeline", BCON_ARRAY(pipeline), "cursor",
	                           "{", "}");

	return run(g, command, each, interrupt, error);
}

static bool gather_whole(struct gathering *g, bool sampled, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t pipeline = BSON_INITIALIZER;
	bool good;

	append_sample(g, &pipeline, sampled);
	good = run_pipeline(g, &pipeline, take_whole, interrupt, error);
	bson_destroy(&pipeline);
	return good;
}

static bool gather_sample(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	char *path = bson_strdup_printf("$%s", g->key);
	bson_t *project = BCON_NEW("$project", "{", "_id", BCON_INT32(0), "key", BCON_UTF8(path), "bytes", "{", "$bsonSize",
	                           BCON_UTF8("$$ROOT"), "}", "}");
	bson_t pipeline = BSON_INITIALIZER;
	bool good;

	append_sample(g, &pipeline, true);
	BSON_APPEND_DOCUMENT(&pipeline, "1", project);
	good = run_pipeline(g, &pipeline, take_one, interrupt, error);
	bson_destroy(&pipeline);
	bson_destroy(project);
	bson_free(path);
	return good;
}

/* A sample says of all only how many bytes they may have. */
static void scale_up(struct gathering *g)
{
	struct sizes *result = g->result;

	result->count = figure_of(g->of, PROVENANCE_ESTIMATED);
	result->bytes = figure_known(result->avg_millibytes)
	                        ? figure_of((int64_t)((double)result->avg_millibytes.value / 1000 * (double)g->of),
	                                    PROVENANCE_ESTIMATED)
	                        : figure_unknown();
	result->max.provenance = PROVENANCE_SAMPLED;
	result->max.n = g->count;
	result->max.of = g->of;
}

static bool gather_from_server(struct gathering *g, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_error_t first;
	bool sampled, good;

	count_to_sample(g->source, g->db, g->collection, &g->of, interrupt, NULL);
	sampled = g->of > 0;
	good = sampled ? gather_sample(g, interrupt, &first) : gather_by_commands(g, interrupt, &first);
	if (!good && first.domain == ERROR_SERVER && first.code == CODE_UnrecognizedExpression) /* before 4.4: no $bsonSize */
		good = gather_whole(g, sampled, interrupt, &first);
	if (!good)
		*error = first;
	if (!good)
		return false;
	g->at_least = g->at_least || sampled;
	compute(g);
	if (sampled)
		scale_up(g);
	return true;
}

/* What cannot be read of one collection does not hide the others: a view of a dump, one that a server refuses. */
static bool keep_refused(struct gathering *g, const bson_error_t *error)
{
	struct sizes *r = g->result;

	if (!r->kind || error->domain != ERROR_SERVER || error->code == CODE_Interrupted)
		return false;
	if (source_engine(g->source) && error->code != CODE_NotImplemented)
		return false;
	r->count = r->bytes = r->avg_millibytes = r->max = r->p50 = r->p90 = r->p99 = r->headroom = figure_unknown();
	for (size_t i = 0; i < r->largest_most; i++)
		bytes_clear(&r->largest[i].id);
	for (size_t i = 0; i < r->thresholds.count; i++)
		r->reached[i] = figure_unknown();
	r->alarming = figure_unknown();
	r->largest_count = r->bin_count = 0;
	if (!r->remark)
		r->remark = memory_duplicate_text(error->message);
	return true;
}

static void find_remark(struct gathering *g)
{
	struct bytes text = BYTES_INIT;

	if (source_remark(g->source, g->db, g->collection, &text, &g->at_least))
		g->result->remark = bytes_take_text(&text);
	bytes_clear(&text);
}

static void take_wish(struct sizes *r, const struct size_wish *wish)
{
	r->thresholds = wish->thresholds ? *wish->thresholds : *thresholds_default();
	r->alarm_bytes = wish->alarm_bytes;
	r->largest_most = wish->largest ? wish->largest : SIZES_LARGEST;
	r->largest = memory_allocate_zeroed(r->largest_most, sizeof *r->largest);
}

static struct sizes *measure(struct gathering *g, struct engine *e, const struct interrupt *interrupt,
                             bson_error_t *error)
{
	bson_error_t reason;
	bool good, server = !source_engine(g->source);

	g->result = memory_allocate_zeroed(1, sizeof *g->result);
	g->result->db = memory_duplicate_text(g->db);
	g->result->collection = memory_duplicate_text(g->collection);
	g->key = g->key ? g->key : "_id";
	take_wish(g->result, &g->source->size_wish);
	find_remark(g);
	good = find_kind(g, interrupt, &reason) &&
	       (e        ? gather_from_engine(g, e, interrupt, &reason)
	        : server ? gather_from_server(g, interrupt, &reason)
	                 : gather_by_commands(g, interrupt, &reason));
	if (!good)
		good = keep_refused(g, &reason);
	if (!good && error)
		*error = reason;
	size_tally_clear(&g->tally);
	if (good)
		return g->result;
	sizes_destroy(g->result);
	return NULL;
}

struct sizes *sizes_measure_reporting(struct source *s, const char *db, const char *collection, const char *key,
                                      int64_t limit_bytes, sizes_report report, void *context,
                                      const struct interrupt *interrupt, bson_error_t *error)
{
	struct gathering g = { .source = s, .db = db, .collection = collection, .key = key, .limit_bytes = limit_bytes,
		               .report = report, .report_context = context };

	return measure(&g, source_engine(s), interrupt, error);
}

struct sizes *sizes_measure(struct source *s, const char *db, const char *collection, const char *key,
                            int64_t limit_bytes, const struct interrupt *interrupt, bson_error_t *error)
{
	return sizes_measure_reporting(s, db, collection, key, limit_bytes, NULL, NULL, interrupt, error);
}

struct sizes *sizes_measure_by_commands(struct source *s, const char *db, const char *collection, const char *key,
                                        int64_t limit_bytes, const struct interrupt *interrupt, bson_error_t *error)
{
	struct gathering g = { .source = s, .db = db, .collection = collection, .key = key, .limit_bytes = limit_bytes };

	return measure(&g, NULL, interrupt, error);
}

void sizes_mark_sampled(struct sizes *s, int64_t n, int64_t of)
{
	struct figure *const figures[] = { &s->count, &s->bytes, &s->avg_millibytes, &s->max,
		                           &s->p50,   &s->p90,   &s->p99,            &s->headroom };

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		if (!figure_known(*figures[i]))
			continue;
		figures[i]->provenance = PROVENANCE_SAMPLED;
		figures[i]->n = n;
		figures[i]->of = of;
	}
	for (size_t i = 0; i < s->thresholds.count; i++)
		s->reached[i].at_least = true;
	s->alarming.at_least = true;
}

static char *copy_text(const char *text)
{
	return text ? memory_duplicate_text(text) : NULL;
}

struct sizes *sizes_copy(const struct sizes *s)
{
	struct sizes *copy = memory_duplicate(s, sizeof *s);

	copy->db = copy_text(s->db);
	copy->collection = copy_text(s->collection);
	copy->kind = copy_text(s->kind);
	copy->remark = copy_text(s->remark);
	copy->largest = memory_duplicate(s->largest, s->largest_most * sizeof *s->largest);
	for (size_t i = 0; i < s->largest_most; i++) {
		bytes_init(&copy->largest[i].id);
		bytes_append(&copy->largest[i].id, s->largest[i].id.data, s->largest[i].id.size);
	}
	return copy;
}

void sizes_destroy(struct sizes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->largest_most; i++)
		bytes_clear(&s->largest[i].id);
	free(s->largest);
	free(s->db);
	free(s->collection);
	free(s->kind);
	free(s->remark);
	free(s);
}
