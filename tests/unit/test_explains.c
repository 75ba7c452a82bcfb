/*
 * Explain outputs from public places, where that corpus is at hand: every value of its index, from the JSON and from
 * the text as it was pasted.
 */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/paste.h"
#include "bson/read.h"
#include "plan/tree.h"

enum { COLUMNS = 15 };

enum column {
	FILE_NAME, SOURCE, SERVER_VERSION, SHAPE, VERBOSITY, EXPLAIN_VERSION, WINNING_PLAN, RETURNED, KEYS, DOCS, MILLIS,
	REJECTED, LOOKUPS, EXTRA, NOTES
};

/* The plan's stages as the index writes them: "$cursor[FETCH>IXSCAN] | $group". */
static void append_plan(struct bytes *out, const struct plan_node *n);

static void append_list(struct bytes *out, const struct plan_node *n, size_t from, const char *separator)
{
	for (size_t i = from; i < n->child_count; i++) {
		const struct plan_node *child = n->children[i];
		const char *name = child->shard ? child->shard : child->label;

		if (i > from)
			bytes_append_text(out, separator);
		if (name)
			bytes_format(out, "%s: ", name);
		append_plan(out, child);
	}
}

static void append_children(struct bytes *out, const struct plan_node *n)
{
	bool facet = !strcmp(n->stage, "$facet"), shards = !strcmp(n->stage, "SHARDS");
	bool pipeline = n->stage[0] == '$', named = n->child_count && n->children[0]->shard;
	size_t from = n->has_input ? 1 : 0;
	const char *brackets = facet || shards ? "{}" : pipeline || named ? "[]" : n->child_count > 1 ? "()" : ">";

	if (from == n->child_count || !strcmp(n->stage, "$lookup"))
		return;
	bytes_append_byte(out, (uint8_t)brackets[0]);
	append_list(out, n, from, brackets[0] == '(' ? ", " : "; ");
	if (brackets[1])
		bytes_append_byte(out, (uint8_t)brackets[1]);
}

static void append_plan(struct bytes *out, const struct plan_node *n)
{
	bool after_shards = n->has_input && !strcmp(n->children[0]->stage, "SHARDS");

	if (n->has_input) {
		append_plan(out, n->children[0]);
		bytes_append_text(out, after_shards ? " merge[" : " | ");
	}
	bytes_append_text(out, !strcmp(n->stage, "SHARDS") ? "shards" : n->stage);
	append_children(out, n);
}

static const char *plan_text_of(const struct plan_tree *t)
{
	struct bytes out = BYTES_INIT;

	if (t->legacy) {
		bytes_format(&out, "(legacy) %s", t->root->stage);
		if (t->root->index && !t->root->child_count)
			bytes_format(&out, " %s", t->root->index);
		for (size_t i = 0; i < t->root->child_count; i++) {
			const struct plan_node *n = t->root->children[i];

			bytes_format(&out, "%s%s: %s %s", i ? "; " : "[", n->shard, n->stage, n->index);
		}
		if (t->root->child_count)
			bytes_append_text(&out, "]");
	} else {
		append_plan(&out, t->root);
		if (strstr(bytes_text(&out), " merge["))
			bytes_append_text(&out, "]");
	}
	return harness_keep(bytes_take_text(&out));
}

static int checks, wrong;

static void expect(const char *file, const char *what, const char *got, const char *expected)
{
	checks++;
	if (!strcmp(got, expected))
		return;
	wrong++;
	fprintf(stderr, "%s: %s: got %s, expected %s\n", file, what, got, expected);
}

static const char *figure_text(struct figure f)
{
	char text[32];

	if (!figure_known(f))
		return "null";
	snprintf(text, sizeof text, "%lld", (long long)f.value);
	return harness_keep(strdup(text));
}

static const char *engine_text(const struct plan_tree *t)
{
	return !t->engine ? "absent" : !strcmp(t->engine, "sbe") ? "2" : "1";
}

static const char *verbosity_text(const struct plan_tree *t)
{
	if (t->legacy)
		return t->verbosity == PLAN_ALL_PLANS ? "verbose" : "legacy";
	return plan_verbosity_text(t->verbosity);
}

static void append_text_field(struct bytes *out, const char *name, const char *text)
{
	if (text && *text)
		bytes_format(out, ", \"%s\": \"%s\"", name, text);
	else
		bytes_format(out, ", \"%s\": null", name);
}

static void append_lookup(struct bytes *out, const struct plan_lookup *l)
{
	if (l->node->stage[0] != '$') {
		bytes_format(out, "{\"stage\": \"%s\"", l->node->stage);
		append_text_field(out, "from", l->from);
		append_text_field(out, "as", l->as);
		append_text_field(out, "strategy", l->strategy);
		append_text_field(out, "indexName", l->node->index);
		bytes_append_text(out, "}");
		return;
	}
	bytes_format(out, "{\"from\": \"%s\", \"as\": \"%s\"", l->from, l->as);
	bytes_format(out, ", \"totalDocsExamined\": %s, \"totalKeysExamined\": %s, \"collectionScans\": %s",
	             figure_text(l->docs), figure_text(l->keys), figure_text(l->collection_scans));
	bytes_append_text(out, ", \"indexesUsed\": ");
	if (l->indexes_known)
		bytes_append_text(out, "[");
	for (size_t i = 0; i < l->index_count; i++)
		bytes_format(out, "%s\"%s\"", i ? ", " : "", l->indexes[i]);
	bytes_append_text(out, l->indexes_known ? "]" : "null");
	bytes_format(out, ", \"nReturned\": %s}", figure_text(l->node->returned));
}

static const char *lookups_text(const struct plan_tree *t)
{
	struct bytes out = BYTES_INIT;

	for (size_t i = 0; i < t->lookup_count; i++) {
		bytes_append_text(&out, i ? ", " : "[");
		append_lookup(&out, &t->lookups[i]);
	}
	bytes_append_text(&out, t->lookup_count ? "]" : "null");
	return harness_keep(bytes_take_text(&out));
}

static void find_cursor(void *context, const struct plan_node *n, int depth)
{
	(void)depth;
	if (!strcmp(n->stage, "$cursor") || !strcmp(n->stage, "$geoNearCursor"))
		*(const struct plan_node **)context = n->children[0];
}

static const struct plan_node *shard_named(const struct plan_node *n, struct key name)
{
	if (n->shard && key_is(name, n->shard))
		return n;
	for (size_t i = 0; i < n->child_count; i++) {
		const struct plan_node *found = shard_named(n->children[i], name);

		if (found)
			return found;
	}
	return NULL;
}

/* {"shards": {name: {leaf}}} and {"per_shard": {name: {plan, nReturned}}}: a plan a shard. */
static void expect_shards(const char *file, const struct plan_tree *t, struct value shards)
{
	struct walk w;
	struct field f;

	for (walk_begin(&w, shards); walk_next(&w, &f);) {
		const struct plan_node *n = shard_named(t->root, f.key);
		struct value plan = value_get(f.value, "plan"), returned = value_get(f.value, "nReturned");
		struct bytes text = BYTES_INIT;

		if (value_is_missing(plan))
			plan = value_get(f.value, "leaf");
		if (n)
			append_plan(&text, n);
		expect(file, "shard", bytes_text(&text), value_text(plan).bytes);
		if (n && !value_is_missing(returned) && returned.type != BSON_TYPE_NULL)
			expect(file, "returned by the shard", figure_text(n->returned), harness_text(returned));
		bytes_clear(&text);
	}
}

static void expect_extra(const char *file, const struct plan_tree *t, const char *text)
{
	struct value extra, cursor;
	const struct plan_node *n = NULL;

	if (!strcmp(text, "null"))
		return;
	extra = harness_json(text);
	cursor = value_get(extra, "cursor_nReturned");
	if (!value_is_missing(cursor)) {
		plan_tree_walk(t, find_cursor, &n);
		expect(file, "returned by the cursor", n ? figure_text(n->returned) : "null", harness_text(cursor));
	}
	if (value_is_document(value_get(extra, "shards")))
		expect_shards(file, t, value_get(extra, "shards"));
	if (value_is_document(value_get(extra, "per_shard")))
		expect_shards(file, t, value_get(extra, "per_shard"));
}

/* Versions that only the index's author knew are not in the output. */
static bool version_is_in(const char *text, const char *version)
{
	char quoted[64];

	snprintf(quoted, sizeof quoted, "%s", version);
	return strstr(text, quoted) != NULL;
}

static void check(const char *file, char **columns, const char *text, size_t size)
{
	struct paste paste;
	struct paste_document d;
	struct plan_tree *t = NULL;
	struct value reply;
	bson_error_t error = { 0 };
	char verbosity[64];

	paste_init(&paste, file, text, size);
	while (!t && paste_next(&paste, &d)) {
		if (value_document(&reply, d.bson.data, d.bson.size))
			t = plan_tree_read(reply, &error);
		bytes_clear(&d.bson);
	}
	if (!t) {
		if (!error.message[0])
			paste_fail(&paste, &error);
		expect(file, "plan", error.message, "");
		paste_clear(&paste);
		return;
	}
	snprintf(verbosity, sizeof verbosity, "%s", columns[VERBOSITY]);
	verbosity[strcspn(verbosity, " ")] = 0;
	expect(file, "verbosity", verbosity_text(t), verbosity);
	if (strstr(text, "explainVersion"))
		expect(file, "engine", engine_text(t), columns[EXPLAIN_VERSION]);
	if (t->server_version && version_is_in(text, columns[SERVER_VERSION]))
		expect(file, "version", t->server_version, columns[SERVER_VERSION]);
	expect(file, "plan", plan_text_of(t), columns[WINNING_PLAN]);
	expect(file, "returned", figure_text(t->returned), columns[RETURNED]);
	expect(file, "keys", figure_text(t->outer.keys), columns[KEYS]);
	expect(file, "docs", figure_text(t->outer.docs), columns[DOCS]);
	expect(file, "millis", figure_text(t->millis), columns[MILLIS]);
	expect(file, "rejected", figure_text(figure_measured((int64_t)t->rejected_count)), columns[REJECTED]);
	expect(file, "lookups", lookups_text(t), columns[LOOKUPS]);
	expect_extra(file, t, columns[EXTRA]);
	plan_tree_destroy(t);
	paste_clear(&paste);
}

static bool check_file(const char *name, char **columns)
{
	char path[4096];
	size_t size;
	char *text;

	snprintf(path, sizeof path, "%s/explains/%s", harness_corpus(), name);
	text = harness_read_file(path, &size);
	if (!text)
		return false;
	check(name, columns, text, size);
	free(text);
	return true;
}

static void every_explain_of_the_index(void)
{
	char path[4096], *index, *line, *rest, *columns[COLUMNS];
	int files = 0, texts = 0;
	size_t size;

	snprintf(path, sizeof path, "%s/explains/INDEX.tsv", harness_corpus());
	index = harness_read_file(path, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(index);
	rest = index;
	strsep(&rest, "\n"); /* the headings */
	while ((line = strsep(&rest, "\n")) && *line) {
		char shell[256];

		for (int i = 0; i < COLUMNS; i++) {
			columns[i] = strsep(&line, "\t");
			if (!columns[i])
				columns[i] = "";
		}
		files += check_file(columns[FILE_NAME], columns);
		snprintf(shell, sizeof shell, "%.*s.shell.txt", (int)strlen(columns[FILE_NAME]) - 5, columns[FILE_NAME]);
		texts += check_file(shell, columns);
	}
	printf("summary: %d explains and %d pasted texts: %d values, %d wrong\n", files, texts, checks, wrong);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(files > 0 && texts > 0);
	free(index);
}

int main(void)
{
	static const struct test_case tests[] = { { "explains of the index", every_explain_of_the_index }, { NULL, NULL } };

	if (!harness_corpus())
		harness_skip("BSONSCOPE_CORPUS is not set");
	return harness_run("explain outputs", tests);
}
