/* Indexes that are there and do not help, or could not: regular expressions, collations, operators. */
#include <string.h>

#include "bson/print.h"
#include "plan/findings_private.h"

/* The bound of a regular expression that has no prefix: "[/png/i, /png/i]". */
static bool is_expression_bound(struct value bound)
{
	return bound.type == BSON_TYPE_UTF8 && value_text(bound).size_bytes > 2 && !memcmp(value_text(bound).bytes, "[/", 2);
}

/* The field whose strings are all read; false: none. */
static bool find_all_strings(const struct plan_node *n, struct field *field, struct value *expression)
{
	struct value bounds = n->bounds ? plan_get(n->source, "indexBounds") : value_missing();
	struct walk fields, intervals;
	struct field interval;

	if (!value_is_document(bounds))
		return false;
	for (walk_begin(&fields, bounds); walk_next(&fields, field);) {
		bool all = false, found = false;

		if (!value_is_array(field->value))
			continue;
		for (walk_begin(&intervals, field->value); walk_next(&intervals, &interval);) {
			all = all || (interval.value.type == BSON_TYPE_UTF8 && key_is(value_text(interval.value), "[\"\", {})"));
			if (is_expression_bound(interval.value)) {
				found = true;
				*expression = interval.value;
			}
		}
		if (all && found)
			return true;
	}
	return false;
}

bool finding_reads_all_strings(const struct plan_node *n)
{
	struct value expression;
	struct field field;

	return find_all_strings(n, &field, &expression);
}

/* "/png/i" of "[/png/i, /png/i]" */
static void append_expression(struct bytes *text, struct value bound)
{
	struct key b = value_text(bound);

	print_text(text, b.bytes + 1, (b.size_bytes - 4) / 2);
}

void judge_regex(struct judging *j, const struct plan_node *n)
{
	struct bytes text = BYTES_INIT;
	char keys[32], returned[32];
	struct value expression;
	struct field field;

	if (!find_all_strings(n, &field, &expression))
		return;
	if (figure_known(n->keys) && figure_known(n->returned) && n->keys.value <= n->returned.value)
		return;
	append_expression(&text, expression);
	bytes_append_text(&text, " has no prefix in the index's order: all strings of ");
	print_text(&text, field.key.bytes, field.key.size_bytes);
	bytes_append_text(&text, " are read");
	if (figure_known(n->keys) && figure_known(n->returned))
		bytes_format(&text, ": examined %s keys for %s that pass", finding_count(n->keys, keys),
		             finding_count(n->returned, returned));
	finding_add(j, FINDING_REGEX, n, &text,
	            "a prefix that is anchored (^) and minds case, an index with a collation for equality that does not, or a "
	            "search index",
	            COST_INDEX);
}

/* The locale and how much differs are what makes two collations two. */
static bool same_collation(struct value a, struct value b)
{
	static const char *const parts[] = { "locale", "strength", "caseLevel", "numericOrdering" };

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct value x = plan_get(a, parts[i]), y = plan_get(b, parts[i]);

		if (value_is_missing(x) || value_is_missing(y))
			continue; /* the default, whatever it is */
		if (x.type == BSON_TYPE_UTF8 && y.type == BSON_TYPE_UTF8) {
			if (!key_equal(value_text(x), value_text(y)))
				return false;
		} else if (value_is_number(x) && value_is_number(y) ? value_as_double(x) != value_as_double(y)
		                                                      : value_is_true(x) != value_is_true(y)) {
			return false;
		}
	}
	return true;
}

static bool is_open(struct value bounds, struct key field)
{
	struct value intervals = value_is_document(bounds) ? value_get_key(bounds, field) : value_missing(), first;

	first = plan_get(intervals, "0");
	return value_is_array(intervals) && value_count(intervals) == 1 && first.type == BSON_TYPE_UTF8 &&
	       (key_is(value_text(first), "[MinKey, MaxKey]") || key_is(value_text(first), "[MaxKey, MinKey]"));
}

/* A FETCH that checks strings itself which its index holds under another collation. */
void judge_collation(struct judging *j, const struct plan_node *n)
{
	const struct plan_node *scan = n->child_count == 1 ? n->children[0] : NULL;
	struct value filter, asked, own;
	char examined[32], returned[32];
	struct bytes text = BYTES_INIT;
	struct walk w;
	struct field f;

	if (strcmp(n->stage, "FETCH") || !scan || strcmp(scan->stage, "IXSCAN") || !n->filter ||
	    !value_is_document(j->tree->command))
		return;
	filter = plan_get(n->source, "filter");
	asked = plan_get(j->tree->command, "collation");
	own = plan_get(scan->source, "collation");
	if (value_is_document(own) == value_is_document(asked) && (!value_is_document(own) || same_collation(own, asked)))
		return;
	for (walk_begin(&w, filter); walk_next(&w, &f);) {
		if (plan_get(f.value, "$eq").type != BSON_TYPE_UTF8 || !is_open(plan_get(scan->source, "indexBounds"), f.key))
			continue;
		bytes_format(&text, "%s holds ", scan->index ? scan->index : "the index");
		print_text(&text, f.key.bytes, f.key.size_bytes);
		bytes_append_text(&text, " in another collation than the command's: its bounds are open");
		if (figure_known(n->docs) && figure_known(n->returned))
			bytes_format(&text, ", %s documents examined for %s that pass", finding_count(n->docs, examined),
			             finding_count(n->returned, returned));
		finding_add(j, FINDING_COLLATION, n, &text, "the command with the index's collation, or an index with the command's",
		            COST_INDEX);
		return;
	}
}

/* Operators that indexes serve badly or not at all; `value`: only with this value. */
static bool is_false(struct value v)
{
	return !value_is_true(v);
}

static bool is_null(struct value v)
{
	return v.type == BSON_TYPE_NULL;
}

/* Case is not minded, or nothing stands at the start. */
static bool is_unanchored(struct value v)
{
	struct key pattern = { "", 0 }, options;

	if (v.type == BSON_TYPE_REGEX)
		value_regex(v, &pattern, &options);
	else if (v.type == BSON_TYPE_UTF8)
		pattern = value_text(v);
	return !pattern.size_bytes || (pattern.bytes[0] != '^' && !(pattern.size_bytes > 1 && !memcmp(pattern.bytes, "\\A", 2)));
}

static const struct {
	const char *operator;
	bool (*is)(struct value v);
	const char *why;
} reasons[] = {
	{ "$where", NULL, "no index serves $where" },
	{ "$expr", NULL, "an index that is sparse, partial or over an array does not serve $expr" },
	{ "$regex", is_unanchored, "a regular expression without a prefix (^) reads all strings of an index" },
	{ "$exists", is_false, "a sparse or partial index does not serve $exists: false" },
	{ "$eq", is_null, "a sparse or partial index does not serve equality to null" },
};

static const char *why_of_filter(struct value filter, int levels)
{
	struct walk w;
	struct field f;

	if (!levels || (!value_is_document(filter) && !value_is_array(filter)))
		return NULL;
	for (walk_begin(&w, filter); walk_next(&w, &f);) {
		const char *why;

		for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
			if (key_is(f.key, reasons[i].operator) && (!reasons[i].is || reasons[i].is(f.value)))
				return reasons[i].why;
		why = why_of_filter(f.value, levels - 1);
		if (why)
			return why;
	}
	return NULL;
}

const char *finding_why_unused(const struct judging *j, struct value filter)
{
	struct value command = j->tree->command;

	if (!value_is_missing(plan_get(plan_get(command, "hint"), "$natural")))
		return "the command's hint asks for the collection's own order: no index was looked at";
	if (value_is_document(plan_get(command, "collation")))
		return "the command has a collation: for strings only an index with the same one serves";
	return why_of_filter(filter, VALUE_DEPTH_LIMIT);
}
