/* One stage of a plan: its figures and texts, from the document that describes it. */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "plan/tree_private.h"

/* Where a stage's numbers stand, and what they count. The later of two names that are both there wins. */
static const struct {
	const char *name;
	size_t offset;
} figures[] = {
	{ "n", offsetof(struct plan_node, returned) }, /* and the others of before 3.0 */
	{ "nscanned", offsetof(struct plan_node, keys) },
	{ "nscannedObjects", offsetof(struct plan_node, docs) },
	{ "millis", offsetof(struct plan_node, millis) },
	{ "nReturned", offsetof(struct plan_node, returned) },
	{ "docsExamined", offsetof(struct plan_node, docs) },
	{ "totalDocsExamined", offsetof(struct plan_node, docs) },
	{ "keysExamined", offsetof(struct plan_node, keys) },
	{ "totalKeysExamined", offsetof(struct plan_node, keys) },
	{ "works", offsetof(struct plan_node, works) },
	{ "executionTimeMillis", offsetof(struct plan_node, millis) },
	{ "executionTimeMillisEstimate", offsetof(struct plan_node, millis) },
	{ "executionTimeMicros", offsetof(struct plan_node, micros) },
	{ "collectionScans", offsetof(struct plan_node, collection_scans) },
	{ "nWouldModify", offsetof(struct plan_node, would_modify) },
	{ "nWouldDelete", offsetof(struct plan_node, would_modify) },
	{ "nMeasurementsModified", offsetof(struct plan_node, would_modify) },
	{ "nMeasurementsDeleted", offsetof(struct plan_node, would_modify) },
	{ "out", offsetof(struct plan_node, returned) }, /* and Cosmos DB's */
	{ "timeInclusiveMS", offsetof(struct plan_node, millis) },
};

/* Documents and numbers that say more about a stage; the word stands before all but the first. */
static const struct {
	const char *name, *word;
} details[] = { { "sortPattern", "" }, { "transformBy", "" }, { "limitAmount", "limit " }, { "skipAmount", "skip " },
              { "nCounted", "counted " } };

struct plan_node *plan_node_new(const char *stage, struct value source)
{
	const struct figure unknown = figure_unknown();
	struct plan_node *n = memory_allocate(sizeof *n);

	*n = (struct plan_node){ .stage = memory_duplicate_text(stage),
		                 .source = source,
		                 .docs = unknown,
		                 .keys = unknown,
		                 .returned = unknown,
		                 .works = unknown,
		                 .bytes = unknown,
		                 .millis = unknown,
		                 .micros = unknown,
		                 .own_millis = unknown,
		                 .own_micros = unknown,
		                 .memory_bytes = unknown,
		                 .collection_scans = unknown,
		                 .would_modify = unknown,
		                 .spills = unknown,
		                 .spilled_records = unknown,
		                 .spilled_bytes = unknown,
		                 .spilled_disk_bytes = unknown };
	return n;
}

void plan_node_adopt(struct plan_node *parent, struct plan_node *child)
{
	if (!child)
		return;
	parent->children = memory_room(parent->children, parent->child_count, sizeof *parent->children);
	parent->children[parent->child_count++] = child;
}

void plan_node_set_input(struct plan_node *n, struct plan_node *input)
{
	if (!input)
		return;
	plan_node_adopt(n, input);
	memmove(n->children + 1, n->children, (n->child_count - 1) * sizeof *n->children);
	n->children[0] = input;
	n->has_input = true;
}

bool plan_node_joins_shards(const struct plan_node *n)
{
	for (size_t i = 0; i < n->child_count; i++)
		if (n->children[i]->shard)
			return true;
	return n->child_count && value_is_array(plan_get(n->source, "shards"));
}

void plan_node_destroy(struct plan_node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->child_count; i++)
		plan_node_destroy(n->children[i]);
	free(n->children);
	free(n->stage);
	free(n->index);
	free(n->bounds);
	free(n->filter);
	free(n->detail);
	free(n->shard);
	free(n->label);
	free(n);
}

struct plan_lookup *plan_add_lookup(struct plan_tree *t, struct plan_node *n, char *from)
{
	struct plan_lookup *l;

	t->lookups = memory_room(t->lookups, t->lookup_count, sizeof *t->lookups);
	l = &t->lookups[t->lookup_count++];
	*l = (struct plan_lookup){ .from = from ? from : memory_duplicate_text(""),
		                   .node = n,
		                   .keys = n->keys,
		                   .docs = n->docs,
		                   .collection_scans = n->collection_scans };
	return l;
}

struct value plan_lookup_specification(const struct plan_lookup *l)
{
	struct value lookup = plan_get(l->node->source, "$lookup");

	return value_is_document(lookup) ? lookup : l->node->source;
}

void plan_lookup_indexes(struct plan_lookup *l, struct value used)
{
	struct walk w;
	struct field f;

	l->indexes_known = value_is_array(used);
	if (!l->indexes_known)
		return;
	for (walk_begin(&w, used); walk_next(&w, &f);) {
		char *name = plan_text(f.value);

		if (!name)
			continue;
		l->indexes = memory_room(l->indexes, l->index_count, sizeof *l->indexes);
		l->indexes[l->index_count++] = name;
	}
}

struct value plan_get(struct value v, const char *name)
{
	return value_is_document(v) || value_is_array(v) ? value_get(v, name) : value_missing();
}

/* Rounded; but a little is not nothing, and a number of ours cannot say it. */
static struct figure figure_of_double(double n)
{
	return n == 0 || (n >= 0.5 && n < 9e18) ? figure_measured((int64_t)(n + 0.5)) : figure_unknown();
}

/* DocumentDB writes numbers as texts: "4.186". Not a number: it is another text. */
static double number_in(struct key text)
{
	char *end;
	double n;

	if (!text.size_bytes || !isdigit((unsigned char)text.bytes[0]))
		return NAN;
	n = strtod(text.bytes, &end); /* a NUL follows it in BSON */
	return *end ? NAN : n;
}

struct figure plan_figure(struct value v)
{
	int64_t n;

	if (value_as_int64(v, &n))
		return n >= 0 ? figure_measured(n) : figure_unknown();
	if (v.type == BSON_TYPE_UTF8)
		return figure_of_double(number_in(value_text(v)));
	return value_is_number(v) ? figure_of_double(value_as_double(v)) : figure_unknown();
}

/* "0.199" is no zero milliseconds: what others count finer than MongoDB is kept. */
static void fill_fine_time(struct plan_node *n, const struct field_table *stage)
{
	static const char *const names[] = { "executionTimeMillisEstimate", "timeInclusiveMS" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct value v = field_table_get(stage, names[i]);
		double millis = v.type == BSON_TYPE_UTF8 ? number_in(value_text(v))
		                : value_is_number(v)     ? value_as_double(v)
		                                         : NAN;

		if (!figure_known(n->micros) && isfinite(millis) && millis != floor(millis))
			n->micros = figure_of_double(millis * 1000);
	}
}

char *plan_text(struct value v)
{
	struct bytes text = BYTES_INIT;

	if (v.type != BSON_TYPE_UTF8)
		return NULL;
	print_text(&text, value_text(v).bytes, value_text(v).size_bytes);
	return bytes_take_text(&text);
}

char *plan_key_text(struct key key)
{
	struct bytes text = BYTES_INIT;

	print_text(&text, key.bytes, key.size_bytes);
	return bytes_take_text(&text);
}

static char *shell_text(struct value v)
{
	struct bytes text = BYTES_INIT;

	print_line(&text, v, PRINT_SHELL);
	return bytes_take_text(&text);
}

static void append_safely(struct bytes *out, struct value text)
{
	print_text(out, value_text(text).bytes, value_text(text).size_bytes);
}

/* {a: ["[1, 1]"], b: [...]}: one field after the other. */
static char *bounds_text(struct value bounds)
{
	struct bytes text = BYTES_INIT;
	struct walk fields, intervals;
	struct field f, interval;

	for (walk_begin(&fields, bounds); walk_next(&fields, &f);) {
		size_t count = 0;

		if (!value_is_array(f.value)) { /* as releases before 3 had them, or startKey and endKey */
			bytes_clear(&text);
			return shell_text(bounds);
		}
		if (text.size)
			bytes_append_text(&text, "; ");
		print_text(&text, f.key.bytes, f.key.size_bytes);
		bytes_append_text(&text, ": ");
		for (walk_begin(&intervals, f.value); walk_next(&intervals, &interval);) {
			if (count++)
				bytes_append_text(&text, ", ");
			if (interval.value.type == BSON_TYPE_UNDEFINED) /* left out of a paste */
				bytes_append_text(&text, "…");
			else if (interval.value.type == BSON_TYPE_UTF8)
				append_safely(&text, interval.value);
			else
				print_line(&text, interval.value, PRINT_SHELL);
		}
	}
	if (text.size)
		return bytes_take_text(&text);
	bytes_clear(&text);
	return NULL;
}

static void replace_text(char **place, char *text)
{
	if (!text)
		return;
	free(*place);
	*place = text;
}

static char *joined(struct value list)
{
	struct bytes text = BYTES_INIT;
	struct walk w;
	struct field f;

	for (walk_begin(&w, list); walk_next(&w, &f);) {
		if (f.value.type != BSON_TYPE_UTF8)
			continue;
		if (text.size)
			bytes_append_text(&text, ", ");
		append_safely(&text, f.value);
	}
	if (text.size)
		return bytes_take_text(&text);
	bytes_clear(&text);
	return NULL;
}

/* "{ price: -1 } limit 10" */
static void fill_detail(struct plan_node *n, const struct field_table *stage)
{
	struct bytes text = BYTES_INIT;

	for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
		struct value v = field_table_get(stage, details[i].name);

		if (value_is_missing(v))
			continue;
		if (text.size)
			bytes_append_byte(&text, ' ');
		bytes_append_text(&text, details[i].word);
		print_line(&text, v, PRINT_SHELL);
	}
	if (text.size)
		replace_text(&n->detail, bytes_take_text(&text));
	bytes_clear(&text);
}

void plan_node_fill_fields(struct plan_node *n, const struct field_table *stage)
{
	struct value v;

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		struct figure f = plan_figure(field_table_get(stage, figures[i].name));

		if (figure_known(f))
			*(struct figure *)((char *)n + figures[i].offset) = f;
	}
	fill_fine_time(n, stage);
	replace_text(&n->index, plan_text(field_table_get(stage, "indexName")));
	v = field_table_get(stage, "indexesUsed");
	if (value_is_array(v))
		replace_text(&n->index, joined(v));
	v = field_table_get(stage, "indexBounds");
	if (value_is_document(v))
		replace_text(&n->bounds, bounds_text(v));
	v = field_table_get(stage, "filter");
	if (value_is_document(v) && value_count(v))
		replace_text(&n->filter, shell_text(v));
	fill_detail(n, stage);
	plan_node_fill_memory(n, stage);
}

void plan_node_fill(struct plan_node *n, struct value stage)
{
	struct field_table fields;

	field_table_init(&fields, stage);
	plan_node_fill_fields(n, &fields);
}
