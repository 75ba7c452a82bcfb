/*
 * The stages that walk an index: IXSCAN, COUNT_SCAN and DISTINCT_SCAN. They hold a position that finds its place again
 * after writes, and ids of records, never documents.
 */
#include <string.h>

#include "engine/plan_stages.h"
#include "engine/plan_write.h"
#include "engine/record_set.h"

struct index_scan {
	struct plan_stage base;
	const struct collection *collection;
	struct index *index;
	const struct bounds *bounds;
	struct stage_home home;
	struct index_cursor *cursor;
	struct bounds_seek seek; /* where to go next; of a single run: its end */
	struct record_set given; /* of a multikey index: a document is given once */
	int64_t seeks, dups_tested, dups_dropped;
	size_t distinct; /* a DISTINCT_SCAN gives one entry for each value of that many first fields */
	struct bytes document;
	bool single, count_use, needs_seek, gives_keys;
};

/* Moves to the next entry of a single run, or the first; false past its end. */
static bool next_of_run(struct index_scan *s)
{
	bool backward = s->bounds->backward, found;
	const uint8_t *key;
	size_t size;
	record_id id;
	int order;

	if (s->needs_seek) {
		s->needs_seek = false;
		s->seeks++;
		found = bounds_start(s->bounds, &s->seek) &&
		        index_cursor_seek(s->cursor, s->seek.key.data, s->seek.key.size, s->seek.after, backward);
		if (found)
			bounds_end(s->bounds, &s->seek);
	} else {
		found = index_cursor_next(s->cursor, backward);
	}
	if (!found)
		return false;
	index_cursor_get(s->cursor, &key, &size, &id);
	order = memcmp(key, s->seek.key.data, size < s->seek.key.size ? size : s->seek.key.size);
	return backward ? order > 0 || (!order && s->seek.after) : order < 0 || (!order && s->seek.after);
}

/* Moves to the next entry, wherever it is; false at the end of the index or when there is nothing to look for. */
static bool next_of_index(struct index_scan *s)
{
	if (!s->needs_seek)
		return index_cursor_next(s->cursor, s->bounds->backward);
	s->needs_seek = false;
	if (!s->seeks++ && !bounds_start(s->bounds, &s->seek))
		return false;
	return index_cursor_seek(s->cursor, s->seek.key.data, s->seek.key.size, s->seek.after, s->bounds->backward);
}

static bool begin(struct index_scan *s)
{
	if (s->cursor)
		return stage_home_check(&s->home, s->base.stage.execution);
	s->cursor = index_cursor_new(s->index);
	s->needs_seek = true;
	s->index->accesses += s->count_use && !s->base.stage.execution->dry_run;
	return true;
}

/* A filter on values that the key holds too. They are read from the document, which is not examined by that. */
static enum stage_status test_key(struct index_scan *s, record_id id)
{
	struct value document;

	if (!s->base.filter)
		return STAGE_ADVANCED;
	if (!collection_document(s->collection, id, &document))
		return STAGE_NEED_TIME;
	return plan_stage_test(s->base.filter, s->base.stage.execution, document);
}

/* What a covered plan sees of the entry; the document itself is not examined by that. */
static void give_key(struct index_scan *s, struct row *row, const uint8_t *key, size_t size)
{
	struct value document;

	row->document = value_missing();
	if (s->gives_keys && collection_document(s->collection, row->id, &document) &&
	    index_key_document(s->index, document, key, size, &s->document))
		value_document(&row->document, s->document.data, s->document.size);
}

static bool is_duplicate(struct index_scan *s, record_id id)
{
	if (!s->index->multikey)
		return false;
	s->dups_tested++;
	if (record_set_add(&s->given, id))
		return false;
	s->dups_dropped++;
	return true;
}

static enum stage_status index_scan_work(struct stage *stage, struct row *row)
{
	struct index_scan *s = (struct index_scan *)stage;
	enum bounds_position position;
	const uint8_t *key;
	size_t size;

	if (!begin(s))
		return STAGE_FAILED;
	if (!(s->single ? next_of_run(s) : next_of_index(s)))
		return STAGE_END;
	if (!plan_stage_examine_key(&s->base))
		return STAGE_FAILED;
	index_cursor_get(s->cursor, &key, &size, &row->id);
	if (!s->single) {
		position = bounds_check(s->bounds, s->index, key, size, &s->seek);
		s->needs_seek = position == BOUNDS_SEEK;
		if (position != BOUNDS_WITHIN)
			return position == BOUNDS_PAST ? STAGE_END : STAGE_NEED_TIME;
	}
	if (is_duplicate(s, row->id))
		return STAGE_NEED_TIME;
	give_key(s, row, key, size);
	return test_key(s, row->id);
}

static enum stage_status distinct_scan_work(struct stage *stage, struct row *row)
{
	struct index_scan *s = (struct index_scan *)stage;
	enum bounds_position position;
	const uint8_t *key;
	size_t size;

	if (!begin(s))
		return STAGE_FAILED;
	if (!next_of_index(s))
		return STAGE_END;
	if (!plan_stage_examine_key(&s->base))
		return STAGE_FAILED;
	index_cursor_get(s->cursor, &key, &size, &row->id);
	position = bounds_check(s->bounds, s->index, key, size, &s->seek);
	if (position == BOUNDS_PAST)
		return STAGE_END;
	s->needs_seek = true;
	if (position == BOUNDS_SEEK)
		return STAGE_NEED_TIME;
	bounds_skip(s->bounds, s->index, key, size, s->distinct, &s->seek);
	give_key(s, row, key, size);
	return STAGE_ADVANCED;
}

/* Counts one key more than it finds, the end included, as MongoDB does. */
static enum stage_status count_scan_work(struct stage *stage, struct row *row)
{
	struct index_scan *s = (struct index_scan *)stage;
	const uint8_t *key;
	size_t size;
	bool found;

	if (!begin(s))
		return STAGE_FAILED;
	found = next_of_run(s);
	if (!plan_stage_examine_key(&s->base))
		return STAGE_FAILED;
	if (!found)
		return STAGE_END;
	index_cursor_get(s->cursor, &key, &size, &row->id);
	row->document = value_missing();
	return is_duplicate(s, row->id) ? STAGE_NEED_TIME : STAGE_ADVANCED;
}

static void index_scan_save(struct stage *stage)
{
	stage_home_park(&((struct index_scan *)stage)->home);
}

static void index_scan_destroy(struct stage *stage)
{
	struct index_scan *s = (struct index_scan *)stage;

	if (s->cursor)
		index_cursor_destroy(s->cursor);
	bytes_clear(&s->seek.key);
	bytes_clear(&s->document);
	record_set_clear(&s->given);
	stage_home_clear(&s->home);
	plan_stage_destroy(stage);
}

static void index_scan_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct index_scan *s = (const struct index_scan *)stage;

	plan_write_index(w, s->index);
	writer_text(w, "direction", s->bounds->backward ? "backward" : "forward");
	plan_write_bounds(w, s->index, s->bounds);
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_number(w, "keysExamined", s->base.keys_examined);
	writer_number(w, "seeks", s->seeks);
	writer_number(w, "dupsTested", s->dups_tested);
	writer_number(w, "dupsDropped", s->dups_dropped);
}

static void distinct_scan_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct index_scan *s = (const struct index_scan *)stage;

	plan_write_index(w, s->index);
	writer_text(w, "direction", s->bounds->backward ? "backward" : "forward");
	plan_write_bounds(w, s->index, s->bounds);
	if (verbosity != VERBOSITY_QUERY_PLANNER)
		writer_number(w, "keysExamined", s->base.keys_examined);
}

static void count_scan_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	const struct index_scan *s = (const struct index_scan *)stage;

	if (verbosity != VERBOSITY_QUERY_PLANNER)
		writer_number(w, "keysExamined", s->base.keys_examined);
	plan_write_index(w, s->index);
	plan_write_range(w, s->index, s->bounds);
}

static const struct stage_type index_scan_type = {
	.name = "IXSCAN",
	.work = index_scan_work,
	.destroy = index_scan_destroy,
	.save = index_scan_save,
	.explain = index_scan_explain,
};

static const struct stage_type count_scan_type = {
	.name = "COUNT_SCAN",
	.work = count_scan_work,
	.destroy = index_scan_destroy,
	.save = index_scan_save,
	.explain = count_scan_explain,
};

static const struct stage_type distinct_scan_type = {
	.name = "DISTINCT_SCAN",
	.work = distinct_scan_work,
	.destroy = index_scan_destroy,
	.save = index_scan_save,
	.explain = distinct_scan_explain,
};

static struct index_scan *scan_new(const struct stage_type *type, struct execution *x, const struct collection *c,
                                   struct index *i, const struct bounds *bounds, bool count_use)
{
	struct index_scan *s = plan_stage_new(sizeof *s, type, x, NULL);

	s->collection = c;
	s->index = i;
	s->bounds = bounds;
	s->single = bounds_are_single(bounds);
	s->count_use = count_use;
	stage_home_init(&s->home, c, i);
	return s;
}

const struct index *index_scan_index(const struct stage *s)
{
	return s->type->destroy == index_scan_destroy ? ((const struct index_scan *)s)->index : NULL;
}

struct stage *index_scan_new(struct execution *x, const struct collection *c, struct index *i,
                             const struct bounds *bounds, const struct match *key_filter, bool gives_keys, bool count_use)
{
	struct index_scan *s = scan_new(&index_scan_type, x, c, i, bounds, count_use);

	s->base.filter = key_filter;
	s->gives_keys = gives_keys;
	return &s->base.stage;
}

struct stage *count_scan_new(struct execution *x, const struct collection *c, struct index *i,
                             const struct bounds *bounds, bool count_use)
{
	return &scan_new(&count_scan_type, x, c, i, bounds, count_use)->base.stage;
}

struct stage *distinct_scan_new(struct execution *x, const struct collection *c, struct index *i,
                                const struct bounds *bounds, size_t fields, bool gives_keys, bool count_use)
{
	struct index_scan *s = scan_new(&distinct_scan_type, x, c, i, bounds, count_use);

	s->single = false;
	s->distinct = fields;
	s->gives_keys = gives_keys;
	return &s->base.stage;
}
