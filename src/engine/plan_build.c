/* Solutions to stages. */
#include <string.h>

#include "engine/plan_solution.h"
#include "engine/plan_stages.h"

/* Everything that making the stages of one solution needs. */
struct building {
	const struct plan_request *request;
	struct execution *execution;
	bool trial;
	bool gives_keys; /* what stands above reads the index keys and not the documents */
	bson_error_t *error;
};

/* Which fields an index must have to give them without the document. */
struct coverage {
	const struct index *index;
	bool any_arrays; /* of a DISTINCT_SCAN over all keys: each stands for itself */
	bool covered;
};

static void check_field(void *context, const char *path)
{
	struct coverage *c = context;

	for (size_t f = 0; f < c->index->field_count; f++)
		if (!strcmp(path, c->index->fields[f].path.text) && (c->any_arrays || !c->index->fields[f].array_components))
			return;
	c->covered = false;
}

/* Whether the keys of every index that the solution scans have what `visit_fields` names. */
static bool keys_have(const struct solution *s, bool (*visit_fields)(const struct plan_request *request, struct coverage *c),
                      const struct plan_request *request)
{
	struct coverage c = { s->index, s->access == ACCESS_DISTINCT, true };

	if (s->fetch_filter)
		return false;
	for (size_t i = 0; s->access == ACCESS_UNION && i < s->branch_count; i++)
		if (!keys_have(&s->branches[i], visit_fields, request))
			return false;
	if (s->access == ACCESS_UNION)
		return true;
	return (s->access == ACCESS_INDEX || s->access == ACCESS_DISTINCT) && index_paths_are_apart(s->index) &&
	       visit_fields(request, &c) && c.covered;
}

static bool visit_projection(const struct plan_request *request, struct coverage *c)
{
	return projection_only_includes(request->projection) && projection_dependencies(request->projection, check_field, c);
}

static bool visit_sort(const struct plan_request *request, struct coverage *c)
{
	struct walk w;
	struct field f;

	for (walk_begin(&w, request->sort); walk_next(&w, &f);)
		check_field(c, f.key.bytes);
	return true;
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

static struct stage *index_stage(const struct solution *s, const struct building *b);

/* Every branch below its own filter. */
static struct stage *union_stage(const struct solution *s, const struct building *b)
{
	struct stage **inputs = arena_allocate(&b->execution->scratch, s->branch_count * sizeof *inputs);
	const struct collection *c = b->request->collection;

	for (size_t i = 0; i < s->branch_count; i++) {
		const struct solution *branch = &s->branches[i];

		inputs[i] = index_stage(branch, b);
		if (branch->fetch_filter)
			inputs[i] = fetch_new(b->execution, inputs[i], c, branch->fetch_filter, b->gives_keys);
	}
	if (s->merges)
		return sort_merge_new(b->execution, c, inputs, s->branch_count, b->request->sort, b->error);
	return or_new(b->execution, inputs, s->branch_count);
}

static struct stage *index_stage(const struct solution *s, const struct building *b)
{
	const struct collection *c = b->request->collection;

	if (s->access == ACCESS_UNION)
		return union_stage(s, b);
	if (s->access == ACCESS_DISTINCT)
		return distinct_scan_new(b->execution, c, s->index, &s->bounds, s->distinct, b->gives_keys, !b->trial);
	return index_scan_new(b->execution, c, s->index, &s->bounds, s->key_filter, b->gives_keys, !b->trial);
}

static struct stage *access_stage(const struct solution *s, const struct building *b)
{
	const struct plan_request *request = b->request;
	struct execution *x = b->execution;

	switch (s->access) {
	case ACCESS_COLLECTION:
		return collection_scan_new(x, request->collection, request->filter, s->backward);
	case ACCESS_ID:
		return id_lookup_new(x, request->collection, s->index, request->filter->operand);
	case ACCESS_METADATA:
		return record_count_new(x, request->collection, request->skip, request->limit);
	case ACCESS_NOTHING:
		return end_new(x);
	default:
		return counts_keys(s, request) ? count_scan_new(x, request->collection, s->index, &s->bounds, !b->trial)
		                               : index_stage(s, b);
	}
}

/* Rows come with their documents: nothing has to be fetched above. */
static bool gives_documents(const struct solution *s)
{
	if (s->fetch_filter)
		return true;
	for (size_t i = 0; s->access == ACCESS_UNION && i < s->branch_count; i++)
		if (!gives_documents(&s->branches[i]))
			return false;
	return s->access != ACCESS_INDEX && s->access != ACCESS_DISTINCT;
}

static struct stage *put_sort(const struct building *b, struct stage *input)
{
	const struct plan_request *request = b->request;
	struct stage *sort = sort_new(b->execution, input, request->sort, request->limit ? request->limit + request->skip : 0,
	                              !b->gives_keys, b->error);

	if (!sort)
		stage_destroy(input);
	return sort;
}

/* Only the access, and what the filter leaves to be tested: all that a count needs. */
static struct stage *filtered(const struct solution *s, const struct building *b)
{
	struct stage *root = access_stage(s, b);

	return root && s->fetch_filter ? fetch_new(b->execution, root, b->request->collection, s->fetch_filter, b->gives_keys)
	                               : root;
}

/* A distinct command has one only for a scan of its own: else it looks into the documents themselves. */
static const struct projection *projection_of(const struct solution *s, const struct plan_request *request)
{
	return request->distinct && s->access != ACCESS_DISTINCT ? NULL : request->projection;
}

static enum projected projected_keys(const struct solution *s)
{
	return s->access == ACCESS_UNION ? PROJECTED_KEYS_OF_SEVERAL : s->access == ACCESS_DISTINCT ? PROJECTED_VALUES
	                                                                                            : PROJECTED_KEYS;
}

static struct stage *put_rest(const struct solution *s, const struct building *b, struct stage *root, bool fetched,
                              bool covered)
{
	const struct plan_request *request = b->request;
	const struct projection *projection = projection_of(s, request);
	struct execution *x = b->execution;

	if (!s->provides_sort) {
		if (!fetched && !b->gives_keys)
			root = fetch_new(x, root, request->collection, NULL, false);
		fetched = !b->gives_keys;
		if (fetched && projection && goes_below_sort(request)) {
			root = projection_new(x, root, projection, request->filter, PROJECTED_DOCUMENTS, false);
			projection = NULL;
		}
		root = put_sort(b, root);
		if (!root)
			return NULL;
	}
	if (request->skip)
		root = skip_new(x, root, request->skip);
	if (!fetched && !covered)
		root = fetch_new(x, root, request->collection, NULL, b->gives_keys);
	if (projection)
		root = projection_new(x, root, projection, request->filter, covered ? projected_keys(s) : PROJECTED_DOCUMENTS,
		                      request->reads_only_projected && !covered && !x->timed);
	if (s->provides_sort && request->limit && s->access != ACCESS_ID)
		root = limit_new(x, root, request->limit);
	return root;
}

static struct stage *make_tree(const struct solution *s, struct building *b)
{
	const struct plan_request *request = b->request;
	bool fetched = gives_documents(s) || counts_keys(s, request), covered;
	struct stage *root;

	if (request->counts || s->access == ACCESS_NOTHING)
		return filtered(s, b);
	covered = !fetched && projection_of(s, request) && keys_have(s, visit_projection, request) &&
	          (s->provides_sort || keys_have(s, visit_sort, request));
	b->gives_keys = covered || (!fetched && !s->provides_sort && keys_have(s, visit_sort, request));
	root = filtered(s, b);
	return root ? put_rest(s, b, root, fetched, covered) : NULL;
}

struct stage *solution_stages(const struct solution *s, const struct plan_request *request, struct execution *x,
                              bool trial, bson_error_t *error)
{
	struct building b = { .request = request, .execution = x, .trial = trial, .error = error };
	struct stage *root = make_tree(s, &b);

	return root && s->subplan ? subplan_new(x, root) : root;
}
