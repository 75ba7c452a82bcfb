/* Solutions to stages. */
#include <string.h>

#include "engine/plan_solution.h"
#include "engine/plan_stages.h"

/* Which of the projection's fields an index must have to give them without the document. */
struct coverage {
	const struct index *index;
	bool covered;
};

static void check_field(void *context, const char *path)
{
	struct coverage *c = context;

	for (size_t f = 0; f < c->index->field_count; f++)
		if (!strcmp(path, c->index->fields[f].path.text) && !c->index->fields[f].array_components)
			return;
	c->covered = false;
}

static bool is_covered(const struct solution *s, const struct projection *p)
{
	struct coverage c = { s->index, true };

	if (s->access != ACCESS_INDEX || s->fetch_filter || strcmp(projection_stage_name(p), "PROJECTION_SIMPLE"))
		return false;
	return projection_dependencies(p, check_field, &c) && c.covered;
}

struct fields {
	struct value sort;
	uint32_t kept;
};

static void count_kept(void *context, const char *path)
{
	struct fields *f = context;

	f->kept += !value_is_missing(value_get(f->sort, path));
}

/* A projection that keeps the sort's fields goes below a SORT without a limit: less to hold. */
static bool goes_below_sort(const struct plan_request *request)
{
	struct fields f = { request->sort, 0 };

	return !request->limit && !strcmp(projection_stage_name(request->projection), "PROJECTION_SIMPLE") &&
	       projection_dependencies(request->projection, count_kept, &f) && f.kept == value_count(request->sort);
}

/* The keys alone say how many documents there are. */
static bool counts_keys(const struct solution *s, const struct plan_request *request)
{
	return (request->counts || request->no_documents) && s->access == ACCESS_INDEX && !s->fetch_filter && !s->key_filter &&
	       bounds_are_single(&s->bounds);
}

static struct stage *access_stage(const struct solution *s, const struct plan_request *request, struct execution *x,
                                  bool trial)
{
	switch (s->access) {
	case ACCESS_COLLECTION:
		return collection_scan_new(x, request->collection, request->filter, s->backward);
	case ACCESS_ID:
		return id_lookup_new(x, request->collection, s->index, request->filter->operand);
	case ACCESS_METADATA:
		return record_count_new(x, request->collection, request->skip, request->limit);
	case ACCESS_INDEX:
		if (counts_keys(s, request))
			return count_scan_new(x, request->collection, s->index, &s->bounds, !trial);
		return index_scan_new(x, request->collection, s->index, &s->bounds, s->key_filter, !trial);
	default:
		return end_new(x);
	}
}

struct stage *solution_stages(const struct solution *s, const struct plan_request *request, struct execution *x,
                              bool trial, bson_error_t *error)
{
	const struct projection *projection = request->projection;
	struct stage *root = access_stage(s, request, x, trial), *sort;
	bool fetched = s->access != ACCESS_INDEX || counts_keys(s, request), covered;

	if (s->fetch_filter) {
		root = fetch_new(x, root, request->collection, s->fetch_filter);
		fetched = true;
	}
	if (request->counts || s->access == ACCESS_NOTHING)
		return root;
	covered = projection && s->provides_sort && is_covered(s, projection);
	if (!s->provides_sort) {
		if (!fetched)
			root = fetch_new(x, root, request->collection, NULL);
		fetched = true;
		if (projection && goes_below_sort(request)) {
			root = projection_new(x, root, projection, request->filter, NULL);
			projection = NULL;
		}
		sort = sort_new(x, root, request->sort, request->limit ? request->limit + request->skip : 0, true,
		                error);
		if (!sort) {
			stage_destroy(root);
			return NULL;
		}
		root = sort;
	}
	if (request->skip)
		root = skip_new(x, root, request->skip);
	if (!fetched && !covered)
		root = fetch_new(x, root, request->collection, NULL);
	if (projection)
		root = projection_new(x, root, projection, request->filter, covered ? request->collection : NULL);
	if (s->provides_sort && request->limit && s->access != ACCESS_ID)
		root = limit_new(x, root, request->limit);
	return root;
}
