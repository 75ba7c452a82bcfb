/* The order in which MongoDB would run the stages, and what of them the cursor takes over. */
#include <stdlib.h>
#include <string.h>

#include "engine/match.h"
#include "engine/pipeline_stage.h"
#include "engine/projection.h"

/* A $match whose filter is written while it is taken apart or put together: {$and: [conjunct, …]}, or a single
 * conjunct. */
struct conjunction {
	struct bytes list; /* documents, one after the other */
	size_t count;
};

static void conjunction_add(struct conjunction *c, struct value document)
{
	bytes_append(&c->list, document.bytes, document.size_bytes);
	c->count++;
}

/* Each field of a filter is a conjunct; so is each element of $and. */
static void conjunction_add_fields(struct conjunction *c, struct value filter, int depth)
{
	struct bytes single = BYTES_INIT;
	struct walk w, elements;
	struct field f, element;
	struct writer writer;

	for (walk_begin(&w, filter); walk_next(&w, &f);) {
		if (key_is(f.key, "$and") && value_is_array(f.value) && depth < VALUE_DEPTH_LIMIT) {
			for (walk_begin(&elements, f.value); walk_next(&elements, &element);)
				conjunction_add_fields(c, element.value, depth + 1);
			continue;
		}
		bytes_reset(&single);
		writer_begin(&writer, &single);
		writer_value(&writer, f.key, f.value);
		conjunction_add(c, writer_finish(&writer));
	}
	bytes_clear(&single);
}

static bool conjunction_at(const struct conjunction *c, size_t *offset, struct value *document)
{
	if (*offset >= c->list.size || !value_document(document, c->list.data + *offset, c->list.size - *offset))
		return false;
	*offset += document->size_bytes;
	return true;
}

static struct value conjunction_filter(const struct conjunction *c, struct bytes *out)
{
	struct value document;
	struct writer w;
	size_t offset = 0;

	if (c->count == 1 && conjunction_at(c, &offset, &document))
		return document;
	writer_begin(&w, out);
	if (c->count)
		writer_begin_array(&w, key_of("$and"));
	for (offset = 0; conjunction_at(c, &offset, &document);)
		writer_value(&w, key_of(""), document);
	if (c->count)
		writer_end(&w);
	return writer_finish(&w);
}

/* A new $match of these conjuncts at position `at`. */
static bool insert_match(struct pipeline *p, size_t at, const struct conjunction *c, bson_error_t *error)
{
	struct pipeline_parser parser = { p, error, at };
	struct bytes text = BYTES_INIT;
	bool ok = stage_match_add(&parser, conjunction_filter(c, &text));
	struct stage *s = p->stages[--p->stage_count];

	bytes_clear(&text);
	pipeline_insert_stage(p, at, s);
	return ok;
}

static bool merge_matches(struct pipeline *p, size_t at, bson_error_t *error)
{
	struct conjunction both = { BYTES_INIT, 0 };
	bool ok;

	conjunction_add(&both, stage_match_filter(p->stages[at]));
	conjunction_add(&both, stage_match_filter(p->stages[at + 1]));
	pipeline_remove_stage(p, at + 1);
	pipeline_remove_stage(p, at);
	ok = insert_match(p, at, &both, error);
	bytes_clear(&both.list);
	return ok;
}

/* True when the predicate says the same before the stage as after it. */
static bool may_pass(const struct pipeline *p, const struct stage *s, struct value conjunct)
{
	const struct pipeline_stage_type *type = pipeline_stage_type(s);
	struct match *m = match_compile(conjunct, p->scope, NULL);
	struct pipeline_fields fields;
	bool passes = m != NULL;

	pipeline_fields_init(&fields);
	if (m && !match_dependencies(m, pipeline_fields_add, &fields))
		passes = type->keeps(s, NULL);
	for (size_t i = 0; passes && i < fields.count; i++)
		passes = type->keeps(s, fields.paths[i]);
	pipeline_fields_clear(&fields);
	match_destroy(m);
	return passes;
}

/* Moves what it can of the $match at `at` + 1 before the stage at `at`. */
static bool move_match(struct pipeline *p, size_t at, bool *moved, bson_error_t *error)
{
	struct conjunction all = { BYTES_INIT, 0 }, before = all, after = all;
	struct value conjunct;
	size_t offset = 0;
	bool ok = true;

	conjunction_add_fields(&all, stage_match_filter(p->stages[at + 1]), 0);
	while (conjunction_at(&all, &offset, &conjunct))
		conjunction_add(may_pass(p, p->stages[at], conjunct) ? &before : &after, conjunct);
	*moved = before.count > 0;
	if (*moved) {
		pipeline_remove_stage(p, at + 1);
		ok = (!after.count || insert_match(p, at + 1, &after, error)) && insert_match(p, at, &before, error);
	}
	bytes_clear(&all.list);
	bytes_clear(&before.list);
	bytes_clear(&after.list);
	return ok;
}

static bool is_one_to_one(const struct stage *s)
{
	return pipeline_stage_type(s)->one_to_one && pipeline_stage_type(s)->one_to_one(s);
}

static bool sum_fits(int64_t a, int64_t b)
{
	return a <= INT64_MAX - b;
}

/*
 * Takes the $limit stages from `at` on out of the pipeline, as far as they could stand at `at`; a $skip on the way
 * makes the limit that much larger. 0: none.
 */
static int64_t take_limit(struct pipeline *p, size_t at)
{
	int64_t limit = 0, skipped = 0, amount;

	while (at < p->stage_count) {
		struct stage *s = p->stages[at];
		bool is_limit = pipeline_stage_is(s, &stage_limit_type);
		bool is_skip = pipeline_stage_is(s, &stage_skip_type);

		if (!is_limit && !is_skip) {
			if (!is_one_to_one(s))
				break;
			at++;
			continue;
		}
		amount = *stage_limit_amount(s);
		if (!sum_fits(amount, skipped))
			break;
		amount += skipped;
		if (is_skip) {
			skipped = amount;
			at++;
		} else {
			limit = limit && limit < amount ? limit : amount;
			pipeline_remove_stage(p, at);
		}
	}
	return limit;
}

static int64_t take_skip(struct pipeline *p)
{
	int64_t skip = 0;
	size_t at = 0;

	while (at < p->stage_count) {
		struct stage *s = p->stages[at];

		if (pipeline_stage_is(s, &stage_skip_type) && sum_fits(skip, *stage_limit_amount(s))) {
			skip += *stage_limit_amount(s);
			pipeline_remove_stage(p, at);
		} else if (is_one_to_one(s)) {
			at++;
		} else {
			break;
		}
	}
	return skip;
}

static void swap_stages(struct pipeline *p, size_t at)
{
	struct stage *s = p->stages[at];

	p->stages[at] = p->stages[at + 1];
	p->stages[at + 1] = s;
}

/* Rules for two neighbours about counting; true when one applied. */
static bool arrange_amounts(struct pipeline *p, size_t at)
{
	struct stage *a = p->stages[at], *b = p->stages[at + 1];
	bool a_limits = pipeline_stage_is(a, &stage_limit_type), b_limits = pipeline_stage_is(b, &stage_limit_type);
	bool a_skips = pipeline_stage_is(a, &stage_skip_type), b_skips = pipeline_stage_is(b, &stage_skip_type);
	int64_t limit;

	if (a_limits && b_limits) {
		if (*stage_limit_amount(b) < *stage_limit_amount(a))
			*stage_limit_amount(a) = *stage_limit_amount(b);
		pipeline_remove_stage(p, at + 1);
		return true;
	}
	if (a_skips && (b_limits || b_skips) && sum_fits(*stage_limit_amount(a), *stage_limit_amount(b))) {
		if (b_skips) {
			*stage_limit_amount(a) += *stage_limit_amount(b);
			pipeline_remove_stage(p, at + 1);
		} else {
			*stage_limit_amount(b) += *stage_limit_amount(a);
			swap_stages(p, at);
		}
		return true;
	}
	if (is_one_to_one(a) && b_skips) {
		swap_stages(p, at);
		return true;
	}
	if (!pipeline_stage_is(a, &stage_sort_type))
		return false;
	limit = take_limit(p, at + 1);
	if (limit)
		stage_sort_set_limit(a, limit);
	return limit > 0;
}

static bool arrange_pair(struct pipeline *p, size_t at, bool *changed, bson_error_t *error)
{
	struct stage *a = p->stages[at], *b = p->stages[at + 1];

	*changed = true;
	if (pipeline_stage_is(a, &stage_lookup_type) && pipeline_stage_is(b, &stage_unwind_type) &&
	    stage_lookup_absorbs(a, stage_unwind_settings(b))) {
		stage_lookup_absorb(a, b);
		pipeline_remove_stage(p, at + 1);
		return true;
	}
	if (pipeline_stage_is(b, &stage_match_type)) {
		if (pipeline_stage_is(a, &stage_match_type))
			return merge_matches(p, at, error);
		if (pipeline_stage_type(a)->keeps)
			return move_match(p, at, changed, error);
	}
	*changed = arrange_amounts(p, at);
	return true;
}

bool pipeline_rearrange(struct pipeline *p, bson_error_t *error)
{
	bool changed;

	/* every rule removes a stage or moves a $match, $limit or $skip forward, so that this ends */
	for (size_t at = 0; at + 1 < p->stage_count;) {
		if (!arrange_pair(p, at, &changed, error))
			return false;
		if (!changed)
			at++;
		else if (at)
			at--;
	}
	return true;
}

enum stage_needs pipeline_needs(const struct pipeline *p, size_t first, struct pipeline_fields *fields)
{
	for (size_t i = first; i < p->stage_count; i++) {
		const struct pipeline_stage_type *type = pipeline_stage_type(p->stages[i]);
		enum stage_needs needs = type->needs ? type->needs(p->stages[i], fields) : NEEDS_UNKNOWN;

		if (needs == NEEDS_ONLY)
			return NEEDS_ONLY;
		if (needs == NEEDS_UNKNOWN)
			break;
	}
	fields->whole = true;
	return NEEDS_UNKNOWN;
}

/* A leading inclusion is the cursor's projection; without one, the fields that the stages need are. */
static bool push_projection(struct pipeline *p, bson_error_t *error)
{
	struct pipeline_fields fields;
	struct bytes text = BYTES_INIT;
	struct writer w;
	bool good;

	if (p->stage_count && pipeline_stage_is(p->stages[0], &stage_project_type)) {
		p->projection = stage_project_take_inclusion(p->stages[0]);
		if (p->projection) {
			pipeline_remove_stage(p, 0);
			return true;
		}
	}
	/* nobody sees the cursor of a $lookup's pipeline: there it would only cost time, each round */
	if (p->place != PIPELINE_OF_COMMAND)
		return true;
	pipeline_fields_init(&fields);
	pipeline_needs(p, 0, &fields);
	if (!fields.whole && fields.count) {
		writer_begin(&w, &text);
		pipeline_fields_write_projection(&fields, &w);
		p->projection = projection_compile(writer_finish(&w), PROJECTION_FIND, p->scope, error);
	}
	/* a $group makes no documents of those it reads, and shows none; one of nothing but constants counts */
	p->request.reads_only_projected = p->stage_count && pipeline_stage_is(p->stages[0], &stage_group_type);
	p->request.no_documents = p->request.reads_only_projected && !fields.whole && !fields.count && !p->sort.size;
	good = fields.whole || !fields.count || p->projection;
	bytes_clear(&text);
	pipeline_fields_clear(&fields);
	return good;
}

static void push_amounts(struct pipeline *p, int64_t sort_limit)
{
	int64_t limit = take_limit(p, 0), skip = take_skip(p);
	struct pipeline_parser parser = { p, NULL, 0 };

	if (sort_limit && (!limit || sort_limit < limit))
		limit = sort_limit;
	/* the cursor skips first and limits then; the limit here counts what is skipped */
	if (limit && skip >= limit) {
		stage_skip_add(&parser, skip);
		pipeline_insert_stage(p, 0, p->stages[--p->stage_count]);
		skip = 0;
	}
	p->request.skip = skip;
	p->request.limit = limit ? limit - skip : 0;
}

bool pipeline_push_down(struct pipeline *p, bson_error_t *error)
{
	struct value v;
	int64_t sort_limit = 0;

	if (p->stage_count && pipeline_stage_is(p->stages[0], &stage_match_type)) {
		v = stage_match_filter(p->stages[0]);
		bytes_append(&p->filter_text, v.bytes, v.size_bytes);
		pipeline_remove_stage(p, 0);
	}
	if (p->stage_count && pipeline_stage_is(p->stages[0], &stage_sort_type)) {
		v = stage_sort_pattern(p->stages[0]);
		bytes_append(&p->sort, v.bytes, v.size_bytes);
		sort_limit = stage_sort_limit(p->stages[0]);
		pipeline_remove_stage(p, 0);
	}
	push_amounts(p, sort_limit);
	return push_projection(p, error);
}
