#include "engine/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "engine/plan_private.h"
#include "engine/plan_stages.h"

/* MongoDB's Indexability: values that one index key stands for. */
static bool is_exact(struct value v)
{
	return v.type != BSON_TYPE_ARRAY && v.type != BSON_TYPE_NULL && v.type != BSON_TYPE_REGEX &&
	       v.type != BSON_TYPE_UNDEFINED;
}

static struct index *id_index(const struct collection *c)
{
	for (size_t i = 0; i < c->index_count; i++)
		if (c->indexes[i]->field_count == 1 && !strcmp(c->indexes[i]->fields[0].path.text, "_id"))
			return c->indexes[i];
	return NULL;
}

static bool is_id_lookup(const struct plan_request *r)
{
	return r->filter && r->filter->kind == MATCH_EQ && !strcmp(r->filter->path.text, "_id") &&
	       is_exact(r->filter->operand) && value_is_missing(r->hint) && !r->skip && id_index(r->collection);
}

/* The index that a hint names or gives the key pattern of. */
static struct index *hinted_index(const struct plan_request *r)
{
	const struct collection *c = r->collection;

	for (size_t i = 0; i < c->index_count; i++) {
		struct index *index = c->indexes[i];

		if (index->hidden)
			continue;
		if (r->hint.type == BSON_TYPE_UTF8 ? key_is(value_text(r->hint), index->name)
		                                   : value_is_document(r->hint) &&
		                                     !value_compare(r->hint, index_key_pattern(index)))
			return index;
	}
	return NULL;
}

/* {$natural: 1} or -1, as a hint or as a sort. */
static bool natural_direction(struct value v, bool *backward)
{
	struct value direction = value_is_document(v) ? value_get(v, "$natural") : value_missing();

	*backward = value_is_number(direction) && value_as_double(direction) < 0;
	return !value_is_missing(direction);
}

static bool is_empty(struct value v)
{
	return value_is_missing(v) || (value_is_document(v) && !value_count(v));
}

static bool matches_everything(const struct match *m)
{
	return m->kind == MATCH_ALWAYS_TRUE || (m->kind == MATCH_AND && !m->child_count);
}

/* A copy of the request in plain terms: no empty filter, sort or hint; a sort in natural order becomes a hint. */
static struct plan_request simplify(const struct plan_request *request, struct arena *a)
{
	struct plan_request r = *request;
	bool backward;

	if (r.filter && matches_everything(r.filter))
		r.filter = NULL;
	if (is_empty(r.hint))
		r.hint = value_missing();
	if (is_empty(r.sort) || r.counts)
		r.sort = value_missing();
	if (natural_direction(r.sort, &backward)) {
		if (value_is_missing(r.hint))
			r.hint = value_make_copy(a, r.sort);
		r.sort = value_missing();
	}
	if (!value_is_missing(r.sort))
		r.sort = value_make_copy(a, r.sort);
	return r;
}

static bool any_gives_sort(const struct solutions *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].provides_sort)
			return true;
	return false;
}

/* An index that no predicate uses may still give the order; the first that does is enough. */
static void add_for_sort(struct solutions *list, const struct plan_request *r, struct arena *a)
{
	for (size_t i = 0; i < r->collection->index_count; i++) {
		struct index *index = r->collection->indexes[i];

		if (index->sparse || index->hidden || !index_serves(index, r->filter) || !index_begins_with_sort(index, r->sort))
			continue;
		solutions_add_whole(list, index, r->filter, a);
		solution_finish(&list->items[list->count - 1], r->sort, a);
		if (list->items[list->count - 1].provides_sort)
			return;
		list->count--; /* arrays: the index's order is not the sort's */
	}
}

static void finish_all(struct solutions *list, struct value sort, struct arena *a)
{
	for (size_t i = 0; i < list->count; i++)
		solution_finish(&list->items[i], sort, a);
}

/* Only that index: what it does not hold is not found, as in MongoDB. */
static void add_hinted(struct solutions *list, const struct plan_request *r, struct index *hint, struct arena *a)
{
	if (r->distinct && plan_add_distinct(list, r, hint, a))
		return;
	if (r->filter)
		solutions_from_indexes(list, r->collection, r->filter, r->filter, hint, a);
	if (!list->count)
		solutions_add_whole(list, hint, r->filter, a);
	finish_all(list, r->sort, a);
}

static void add_all(struct solutions *list, const struct plan_request *r, struct execution *x, struct arena *a)
{
	bool or = r->filter && r->filter->kind == MATCH_OR;

	if (r->distinct && plan_add_distinct(list, r, NULL, a))
		return;
	if (or)
		plan_add_subplan(list, r, x, a);
	if (!list->count && r->filter)
		solutions_from_indexes(list, r->collection, r->filter, r->filter, NULL, a);
	finish_all(list, r->sort, a);
	if (!value_is_missing(r->sort) && !any_gives_sort(list))
		add_for_sort(list, r, a);
	if (!list->count)
		solution_finish(solutions_add(list, a, ACCESS_COLLECTION), r->sort, a);
	for (size_t i = 0; i < list->count; i++)
		list->items[i].subplan = or;
}

static bool find_solutions(struct solutions *list, const struct plan_request *r, struct execution *x, struct arena *a,
                           bson_error_t *error)
{
	struct index *hint;
	bool backward;

	if (!r->collection || (r->filter && r->filter->kind == MATCH_ALWAYS_FALSE)) {
		solution_finish(solutions_add(list, a, ACCESS_NOTHING), value_missing(), a);
		return true;
	}
	if (natural_direction(r->hint, &backward)) {
		solutions_add(list, a, ACCESS_COLLECTION)->backward = backward;
		solution_finish(&list->items[0], r->sort, a);
		return true;
	}
	if (!value_is_missing(r->hint)) {
		hint = hinted_index(r);
		if (!hint)
			return plan_bad_hint(r, error);
		add_hinted(list, r, hint, a);
		return true;
	}
	if (r->counts && !r->filter) {
		solutions_add(list, a, ACCESS_METADATA);
		return true;
	}
	if (is_id_lookup(r)) {
		solutions_add(list, a, ACCESS_ID)->index = id_index(r->collection);
		solution_finish(&list->items[0], r->sort, a);
		return true;
	}
	add_all(list, r, x, a);
	if (x->failed && error)
		*error = x->error;
	return !x->failed;
}

/* COUNT stands on top of what was chosen and of what was rejected. */
static struct stage *crown(const struct plan_request *r, const struct solution *s, struct execution *x,
                           struct stage *root)
{
	if (!r->counts || s->access == ACCESS_METADATA)
		return root;
	return count_new(x, root, r->skip, r->limit);
}

/* Makes the stages of every solution and lets them race. */
static bool choose(struct plan *p, struct solutions *list, struct execution *x, bson_error_t *error)
{
	struct plan_private *own = p->private;
	struct stage *trials[PLAN_CANDIDATES];
	size_t count = list->count < PLAN_CANDIDATES ? list->count : PLAN_CANDIDATES, best = 0, made = 0;
	bool ended = false, chosen = false;

	own->winner = &list->items[0];
	if (count == 1)
		return true;
	while (made < count && (trials[made] = solution_stages(&list->items[made], &own->request, x, true, error)))
		made++;
	if (made == count) {
		chosen = plan_trial(trials, count, &own->request, x, &best, &ended);
		if (!chosen && error)
			*error = x->error;
	}
	if (!chosen) {
		while (made)
			stage_destroy(trials[--made]);
		return false;
	}
	own->winner = &list->items[best];
	own->winner_ended = ended;
	own->winner_trial = crown(&own->request, own->winner, x, trials[best]);
	p->rejected = memory_resize(NULL, count, sizeof(struct stage *));
	for (size_t i = 0; i < count; i++)
		if (i != best)
			p->rejected[p->rejected_count++] = crown(&own->request, &list->items[i], x, trials[i]);
	return true;
}

static bool make_root(struct plan *p, struct execution *x, bson_error_t *error)
{
	struct plan_private *own = p->private;
	struct stage *root = solution_stages(own->winner, &own->request, x, false, error);

	if (!root)
		return false;
	/* MongoDB goes on with the trial's winner, and asks it once more for its end */
	root->plan->asked_again = own->winner_ended && !own->request.counts;
	p->root = own->top = crown(&own->request, own->winner, x, root);
	return true;
}

struct plan *plan_make(const struct plan_request *request, struct execution *x, bson_error_t *error)
{
	struct plan *p;
	struct solutions list = { NULL, 0, 0 };

	if (!value_is_missing(request->min) || !value_is_missing(request->max)) {
		error_set(error, ERROR_SERVER, CODE_NotImplemented, "min and max are not supported by this engine");
		return NULL;
	}
	p = memory_allocate_zeroed(1, sizeof *p);
	p->private = memory_allocate_zeroed(1, sizeof *p->private);
	arena_init(&p->private->arena);
	p->private->request = simplify(request, &p->private->arena);
	if (find_solutions(&list, &p->private->request, x, &p->private->arena, error) && choose(p, &list, x, error) &&
	    make_root(p, x, error))
		return p;
	plan_destroy(p);
	return NULL;
}

void plan_destroy(struct plan *p)
{
	if (!p)
		return;
	stage_destroy(p->root);
	stage_destroy(p->private->winner_trial);
	for (size_t i = 0; i < p->rejected_count; i++)
		stage_destroy(p->rejected[i]);
	free(p->rejected);
	arena_clear(&p->private->arena);
	free(p->private);
	free(p);
}

static void visit_indexes(const struct stage *s, void (*visit)(void *context, const struct index *i), void *context)
{
	const struct index *i = s->input ? NULL : id_lookup_index(s);

	if (!s->input && !i)
		i = index_scan_index(s);
	if (i && s->works)
		visit(context, i);
	for (s = s->input; s; s = s->next_input)
		visit_indexes(s, visit, context);
}

void plan_indexes(const struct plan *p, void (*visit)(void *context, const struct index *i), void *context)
{
	visit_indexes(p->root, visit, context);
}

int64_t plan_counted(const struct plan *p)
{
	return count_result(p->private->top);
}
