/* SORT: reads everything below it, keeps copies, and gives them in order. With a limit it keeps only the first ones. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/plan_stages.h"
#include "engine/sort_key.h"

enum {
	MEMORY_LIMIT_BYTES = 104857600,
	DOCUMENT_OVERHEAD_BYTES = 16, /* what MongoDB adds to a document held, and takes for a sort value */
	SORT_VALUE_BYTES = 16
};

/* One row held: key and document in one piece of memory. */
struct held {
	uint8_t *bytes;
	uint32_t key_size, document_size;
	int64_t sequence; /* equal keys keep the order they came in */
	record_id id;
};

struct sorting {
	struct plan_stage base;
	struct sort_pattern *pattern;
	struct bytes specification;
	int64_t limit;
	int64_t value_count; /* fields of the pattern */
	struct held *rows;   /* with a limit: a heap with the last one on top, until all are read */
	size_t count, capacity, next;
	int64_t sequence, held_bytes, total_bytes;
	struct bytes key;
	uint8_t *given; /* the row given last */
	bool simple, sorted;
};

static int compare_rows(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	int order = memcmp(a->bytes, b->bytes, a->key_size < b->key_size ? a->key_size : b->key_size);

	if (order)
		return order;
	if (a->key_size != b->key_size)
		return a->key_size < b->key_size ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static void swap_rows(struct held *a, struct held *b)
{
	struct held old = *a;

	*a = *b;
	*b = old;
}

static void sift_up(struct sorting *s, size_t at)
{
	for (; at && compare_rows(&s->rows[at], &s->rows[(at - 1) / 2]) > 0; at = (at - 1) / 2)
		swap_rows(&s->rows[at], &s->rows[(at - 1) / 2]);
}

static void sift_down(struct sorting *s)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < s->count; at = child) {
		if (child + 1 < s->count && compare_rows(&s->rows[child + 1], &s->rows[child]) > 0)
			child++;
		if (compare_rows(&s->rows[child], &s->rows[at]) <= 0)
			return;
		swap_rows(&s->rows[at], &s->rows[child]);
	}
}

static int64_t row_bytes(const struct sorting *s, uint32_t document_size)
{
	return (int64_t)document_size + DOCUMENT_OVERHEAD_BYTES + SORT_VALUE_BYTES * s->value_count;
}

static struct held hold(struct sorting *s, const struct row *row)
{
	struct held h = { NULL, (uint32_t)s->key.size, row->document.size_bytes, s->sequence++, row->id };

	h.bytes = memory_allocate((size_t)h.key_size + h.document_size);
	memcpy(h.bytes, s->key.data, h.key_size);
	memcpy(h.bytes + h.key_size, row->document.bytes, h.document_size);
	return h;
}

static bool is_full(const struct sorting *s)
{
	return s->limit && s->count == (size_t)s->limit;
}

static void add(struct sorting *s, const struct row *row)
{
	struct held probe = { s->key.data, (uint32_t)s->key.size, 0, s->sequence, row->id };

	s->total_bytes += row_bytes(s, row->document.size_bytes);
	if (is_full(s)) {
		if (compare_rows(&probe, &s->rows[0]) >= 0)
			return;
		s->held_bytes += row_bytes(s, row->document.size_bytes) - row_bytes(s, s->rows[0].document_size);
		free(s->rows[0].bytes);
		s->rows[0] = hold(s, row);
		sift_down(s);
		return;
	}
	s->rows = memory_grow(s->rows, &s->capacity, s->count + 1, sizeof *s->rows);
	s->rows[s->count++] = hold(s, row);
	s->held_bytes += row_bytes(s, row->document.size_bytes);
	if (s->limit)
		sift_up(s, s->count - 1);
}

static enum stage_status read_one(struct sorting *s, struct row *row)
{
	struct execution *x = s->base.stage.execution;
	enum stage_status status = stage_work(s->base.stage.input, row);
	bson_error_t error;

	if (status == STAGE_FAILED)
		return status;
	if (status == STAGE_END) {
		if (s->count)
			qsort(s->rows, s->count, sizeof *s->rows, compare_rows);
		s->sorted = true;
	}
	if (status != STAGE_ADVANCED)
		return STAGE_NEED_TIME;
	bytes_reset(&s->key);
	if (!sort_pattern_key(s->pattern, row->document, &s->key, &error)) {
		execution_fail_with(x, &error);
		return STAGE_FAILED;
	}
	add(s, row);
	if (s->held_bytes > MEMORY_LIMIT_BYTES && !x->allow_disk_use) {
		execution_fail(x, CODE_QueryExceededMemoryLimitNoDiskUseAllowed,
		               "Sort exceeded memory limit of %d bytes, but did not opt in to external sorting.",
		               MEMORY_LIMIT_BYTES);
		return STAGE_FAILED;
	}
	return STAGE_NEED_TIME;
}

static enum stage_status sort_work(struct stage *stage, struct row *row)
{
	struct sorting *s = (struct sorting *)stage;
	struct held *h;

	if (!s->sorted)
		return read_one(s, row);
	free(s->given);
	s->given = NULL;
	if (s->next == s->count)
		return STAGE_END;
	h = &s->rows[s->next++];
	s->given = h->bytes;
	h->bytes = NULL;
	row->id = h->id;
	row->document = (struct value){ s->given + h->key_size, h->document_size, BSON_TYPE_DOCUMENT };
	return execution_tick(stage->execution) ? STAGE_ADVANCED : STAGE_FAILED;
}

static void sort_destroy(struct stage *stage)
{
	struct sorting *s = (struct sorting *)stage;

	for (size_t i = s->next; i < s->count; i++)
		free(s->rows[i].bytes);
	free(s->rows);
	free(s->given);
	bytes_clear(&s->key);
	bytes_clear(&s->specification);
	sort_pattern_destroy(s->pattern);
	plan_stage_destroy(stage);
}

static void sort_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct sorting *s = (const struct sorting *)stage;
	struct value pattern = { s->specification.data, (uint32_t)s->specification.size, BSON_TYPE_DOCUMENT };

	writer_put(w, "sortPattern", pattern);
	writer_number(w, "memLimit", MEMORY_LIMIT_BYTES);
	if (s->limit)
		writer_number(w, "limitAmount", s->limit);
	writer_text(w, "type", s->simple ? "simple" : "default");
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	/* MongoDB says it when it has sorted */
	writer_number(w, "totalDataSizeSorted", s->sorted ? s->total_bytes : 0);
	writer_bool(w, "usedDisk", false);
}

static const struct stage_type sort_type = {
	.name = "SORT",
	.work = sort_work,
	.destroy = sort_destroy,
	.explain = sort_explain,
};

struct stage *sort_new(struct execution *x, struct stage *input, struct value pattern, int64_t limit, bool simple,
                       bson_error_t *error)
{
	struct sort_pattern *compiled = sort_pattern_compile(pattern, error);
	struct sorting *s;

	if (!compiled)
		return NULL;
	s = plan_stage_new(sizeof *s, &sort_type, x, input);
	s->pattern = compiled;
	s->limit = limit;
	s->simple = simple;
	s->value_count = value_count(pattern);
	bytes_append(&s->specification, pattern.bytes, pattern.size_bytes);
	return &s->base.stage;
}
