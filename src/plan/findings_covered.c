/* Documents that were fetched for one field that the index key does not hold. */
#include <string.h>

#include "bson/print.h"
#include "plan/findings_private.h"

enum { FIELD_LIMIT = 32, WORTH_DOCS = 10 };

/* Fields that the answer needs; `whole`: more than single fields, or more than is looked at here. */
struct needs {
	struct key fields[FIELD_LIMIT];
	size_t count;
	bool whole;
};

static void need(struct needs *n, struct key field)
{
	for (size_t i = 0; i < n->count; i++)
		if (key_equal(n->fields[i], field))
			return;
	if (n->count == FIELD_LIMIT)
		n->whole = true;
	else
		n->fields[n->count++] = field;
}

/* Fields "$path" of an expression. */
static void need_expression(struct needs *n, struct value v, int levels)
{
	struct walk w;
	struct field f;

	if (v.type == BSON_TYPE_UTF8 && value_text(v).size_bytes > 1 && value_text(v).bytes[0] == '$') {
		struct key path = value_text(v);

		n->whole = n->whole || path.bytes[1] == '$'; /* a variable */
		need(n, (struct key){ path.bytes + 1, path.size_bytes - 1 });
	}
	if (!value_is_document(v) && !value_is_array(v))
		return;
	if (!levels) {
		n->whole = true;
		return;
	}
	for (walk_begin(&w, v); walk_next(&w, &f);) {
		if (key_is(f.key, "$const") || key_is(f.key, "$literal"))
			continue;
		n->whole = n->whole || key_is(f.key, "$meta") || key_is(f.key, "$elemMatch") || key_is(f.key, "$slice");
		need_expression(n, f.value, levels - 1);
	}
}

static void need_projection(struct needs *n, struct value projection)
{
	bool id = true, includes = false;
	struct walk w;
	struct field f;

	n->whole = n->whole || !value_is_document(projection);
	if (n->whole)
		return;
	for (walk_begin(&w, projection); walk_next(&w, &f);) {
		bool flag = value_is_number(f.value) || f.value.type == BSON_TYPE_BOOL;

		if (key_is(f.key, "_id") && flag && !value_is_true(f.value))
			id = false;
		else if (flag && !value_is_true(f.value))
			n->whole = true; /* all but this one */
		else if (flag)
			need(n, f.key);
		else
			need_expression(n, f.value, VALUE_DEPTH_LIMIT);
		includes = includes || (!key_is(f.key, "_id") && flag && value_is_true(f.value));
	}
	n->whole = n->whole || !includes;
	if (id)
		need(n, key_of("_id"));
}

static void need_filter(struct needs *n, struct value filter, int levels)
{
	struct walk w;
	struct field f;

	if (!value_is_document(filter) && !value_is_array(filter))
		return;
	n->whole = n->whole || !levels;
	for (walk_begin(&w, filter); !n->whole && walk_next(&w, &f);) {
		bool joins = key_is(f.key, "$and") || key_is(f.key, "$or") || key_is(f.key, "$nor");

		if (joins || value_is_array(filter))
			need_filter(n, f.value, levels - 1);
		else if (f.key.size_bytes && f.key.bytes[0] == '$')
			n->whole = true; /* $expr, $where and the like */
		else
			need(n, f.key);
	}
}

static void need_sort(struct needs *n, struct value pattern)
{
	struct walk w;
	struct field f;

	if (value_is_document(pattern))
		for (walk_begin(&w, pattern); walk_next(&w, &f);)
			need(n, f.key);
}

/* How many of the fields the key does not hold, and the last of those. */
static size_t missing_of(const struct needs *n, struct value pattern, struct key *missing)
{
	size_t count = 0;

	for (size_t i = 0; i < n->count; i++)
		if (!value_is_number(value_get_key(pattern, n->fields[i]))) {
			*missing = n->fields[i];
			count++;
		}
	return count;
}

void judge_covered(struct judging *j, const struct plan_node *n)
{
	static const char *const passed[] = { "SORT", "LIMIT", "SKIP", "SORT_KEY_GENERATOR" };
	struct bytes text = BYTES_INIT, advice = BYTES_INIT;
	const struct plan_node *fetch = n->child_count == 1 ? n->children[0] : NULL, *scan;
	struct needs needs = { .count = 0 };
	struct value pattern;
	struct key missing;
	char docs[32];

	if (strncmp(n->stage, "PROJECTION", 10))
		return;
	need_projection(&needs, plan_get(n->source, "transformBy"));
	for (; fetch && fetch->child_count == 1 && STAGE_IS_ANY(fetch, passed); fetch = fetch->children[0])
		need_sort(&needs, plan_get(fetch->source, "sortPattern"));
	if (!fetch || strcmp(fetch->stage, "FETCH") || fetch->child_count != 1 || needs.whole)
		return;
	scan = fetch->children[0];
	pattern = plan_get(scan->source, "keyPattern");
	need_filter(&needs, plan_get(fetch->source, "filter"), VALUE_DEPTH_LIMIT);
	/* an index over arrays, or in a collation, covers nothing */
	if (strcmp(scan->stage, "IXSCAN") || !value_is_document(pattern) || needs.whole ||
	    value_is_true(plan_get(scan->source, "isMultiKey")) || value_is_document(plan_get(scan->source, "collation")) ||
	    missing_of(&needs, pattern, &missing) != 1)
		return;
	if (!figure_known(fetch->docs) || fetch->docs.value < WORTH_DOCS)
		return;
	bytes_format(&text, "fetched %s documents for one field that the key of %s does not hold: ",
	             finding_count(fetch->docs, docs), scan->index ? scan->index : "the index");
	print_text(&text, missing.bytes, missing.size_bytes);
	if (key_is(missing, "_id"))
		bytes_append_text(&advice, "_id: 0 in the projection, if it is not needed: the index alone answers then");
	else
		bytes_append_text(&advice, "this field at the end of the index, or out of what is asked for: the index alone "
		                           "answers then");
	finding_add(j, FINDING_COVERED, fetch, &text, bytes_text(&advice),
	            key_is(missing, "_id") ? COST_NOTHING : "a longer key: more disk and memory, and a write of it with each change");
	bytes_clear(&advice);
}
