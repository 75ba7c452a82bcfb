/* $sort: stable; with a limit it keeps only what can still be among the first. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/pipeline_stage.h"
#include "engine/sort_key.h"

enum { MEMORY_LIMIT_BYTES = 104857600, SPARE_ROWS = 1024 };

struct sort_row {
	uint8_t *bytes; /* the key, then the document; owned */
	uint32_t key_bytes, document_bytes;
	int64_t sequence;
};

struct sort {
	struct stage stage;
	struct bytes pattern_text;
	struct sort_pattern *pattern;
	int64_t limit; /* 0: none */
	struct sort_row *rows;
	size_t count, capacity, given;
	int64_t sequence, held_bytes, sorted_bytes;
	bool filled;
	struct bytes key;
};

static int compare_rows(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	uint32_t common = x->key_bytes < y->key_bytes ? x->key_bytes : y->key_bytes;
	int order = memcmp(x->bytes, y->bytes, common);

	if (order)
		return order;
	if (x->key_bytes != y->key_bytes)
		return x->key_bytes < y->key_bytes ? -1 : 1;
	return x->sequence < y->sequence ? -1 : 1;
}

static int64_t row_bytes(const struct sort_row *row)
{
	return (int64_t)row->key_bytes + row->document_bytes + (int64_t)sizeof *row;
}

static void sort_rows(struct sort *s)
{
	if (s->count)
		qsort(s->rows, s->count, sizeof *s->rows, compare_rows);
}

static void drop_beyond_limit(struct sort *s)
{
	sort_rows(s);
	while (s->count > (size_t)s->limit) {
		s->count--;
		s->held_bytes -= row_bytes(&s->rows[s->count]);
		free(s->rows[s->count].bytes);
	}
}

static bool hold(struct sort *s, struct value document)
{
	struct execution *x = s->stage.execution;
	struct sort_row *row;
	bson_error_t error;

	bytes_reset(&s->key);
	if (!sort_pattern_key(s->pattern, document, &s->key, &error))
		return execution_fail_with(x, &error);
	s->rows = memory_grow(s->rows, &s->capacity, s->count + 1, sizeof *s->rows);
	row = &s->rows[s->count++];
	row->key_bytes = (uint32_t)s->key.size;
	row->document_bytes = document.size_bytes;
	row->sequence = s->sequence++;
	row->bytes = memory_allocate(s->key.size + document.size_bytes);
	if (s->key.size)
		memcpy(row->bytes, s->key.data, s->key.size);
	memcpy(row->bytes + s->key.size, document.bytes, document.size_bytes);
	s->held_bytes += row_bytes(row);
	s->sorted_bytes += row_bytes(row);
	if (s->limit && s->count / 2 > (size_t)s->limit && s->count > (size_t)s->limit + SPARE_ROWS)
		drop_beyond_limit(s);
	if (s->held_bytes > MEMORY_LIMIT_BYTES && s->limit)
		drop_beyond_limit(s);
	if (s->held_bytes > MEMORY_LIMIT_BYTES && !x->allow_disk_use)
		return execution_fail(x, CODE_QueryExceededMemoryLimitNoDiskUseAllowed, "Sort exceeded memory limit of "
		                      "%d bytes, but did not opt in to external sorting.", MEMORY_LIMIT_BYTES);
	return true;
}

static enum stage_status fill(struct sort *s)
{
	enum stage_status status;
	struct row row;

	while ((status = stage_next(s->stage.input, &row)) == STAGE_ADVANCED)
		if (!execution_tick(s->stage.execution) || !hold(s, row.document))
			return STAGE_FAILED;
	if (status == STAGE_FAILED)
		return status;
	if (s->limit)
		drop_beyond_limit(s);
	else
		sort_rows(s);
	s->filled = true;
	return STAGE_ADVANCED;
}

static enum stage_status sort_next(struct stage *stage, struct row *row)
{
	struct sort *s = (struct sort *)stage;
	const struct sort_row *next;

	if (!s->filled && fill(s) == STAGE_FAILED)
		return STAGE_FAILED;
	if (s->given == s->count)
		return STAGE_END;
	next = &s->rows[s->given++];
	*row = (struct row){ { next->bytes + next->key_bytes, next->document_bytes, BSON_TYPE_DOCUMENT }, RECORD_NONE };
	return STAGE_ADVANCED;
}

static void sort_reset(struct stage *stage)
{
	struct sort *s = (struct sort *)stage;

	for (size_t i = 0; i < s->count; i++)
		free(s->rows[i].bytes);
	s->count = s->given = 0;
	s->held_bytes = 0;
	s->filled = false;
}

static void sort_destroy(struct stage *stage)
{
	struct sort *s = (struct sort *)stage;

	sort_reset(stage);
	free(s->rows);
	sort_pattern_destroy(s->pattern);
	bytes_clear(&s->pattern_text);
	bytes_clear(&s->key);
}

static void sort_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct sort *s = (const struct sort *)stage;
	struct walk walk;
	struct field f;

	writer_begin_document(w, key_of("$sort"));
	writer_begin_document(w, key_of("sortKey"));
	for (walk_begin(&walk, stage_sort_pattern(stage)); walk_next(&walk, &f);) {
		uint32_t direction = BSON_UINT32_TO_LE((uint32_t)(value_as_double(f.value) < 0 ? -1 : 1));

		writer_raw(w, f.key, BSON_TYPE_INT32, &direction, sizeof direction);
	}
	writer_end(w);
	if (s->limit)
		writer_int64(w, "limit", s->limit);
	writer_end(w);
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_int64(w, "totalDataSizeSortedBytesEstimate", s->sorted_bytes);
	writer_bool(w, "usedDisk", false);
}

static enum stage_needs sort_needs(const struct stage *stage, struct pipeline_fields *fields)
{
	struct walk walk;
	struct field f;
	struct bytes path = BYTES_INIT;

	for (walk_begin(&walk, stage_sort_pattern(stage)); walk_next(&walk, &f);) {
		bytes_reset(&path);
		bytes_append(&path, f.key.bytes, f.key.size_bytes);
		pipeline_fields_add(fields, bytes_text(&path));
	}
	bytes_clear(&path);
	return NEEDS_MORE;
}

static bool sort_keeps(const struct stage *stage, const char *path)
{
	(void)path;
	return !((const struct sort *)stage)->limit;
}

const struct pipeline_stage_type stage_sort_type = {
	.stage = { .name = "$sort", .next = sort_next, .destroy = sort_destroy, .explain = sort_explain },
	.reset = sort_reset,
	.needs = sort_needs,
	.keeps = sort_keeps,
};

struct value stage_sort_pattern(const struct stage *stage)
{
	const struct bytes *text = &((const struct sort *)stage)->pattern_text;

	return (struct value){ text->data, (uint32_t)text->size, BSON_TYPE_DOCUMENT };
}

int64_t stage_sort_limit(const struct stage *stage)
{
	return ((const struct sort *)stage)->limit;
}

void stage_sort_set_limit(struct stage *stage, int64_t limit)
{
	struct sort *s = (struct sort *)stage;

	if (!s->limit || limit < s->limit)
		s->limit = limit;
}

bool stage_sort_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct sort *s;

	(void)name;
	if (!value_is_document(specification))
		return pipeline_refuse(p, 15973, "the $sort key specification must be an object");
	s = pipeline_add_stage(p, &stage_sort_type, sizeof *s);
	bytes_append(&s->pattern_text, specification.bytes, specification.size_bytes);
	s->pattern = sort_pattern_compile(stage_sort_pattern(&s->stage), p->error);
	return s->pattern != NULL;
}
