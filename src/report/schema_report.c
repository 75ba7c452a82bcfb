/* The types of each path, and the documents that are odd ones out; values of a schema version; what breaks the validator. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "model/path_text.h"
#include "model/paths.h"
#include "model/violations.h"
#include "report/choice.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/paths_report.h"
#include "report/report.h"
#include "report/table.h"

struct entry {
	struct paths_entry of;
	struct violations violations;
};

/* JSON */

static void write_node(struct writer *w, const struct path_node *n)
{
	writer_begin_document(w, key_of(""));
	paths_write_path(w, n);
	paths_write_types(w, n);
	writer_number(w, "count", n->count);
	paths_write_presence(w, n);
	writer_begin_array(w, key_of("odd"));
	for (uint32_t i = 1; i < n->type_count; i++) {
		writer_begin_document(w, key_of(""));
		writer_put(w, "_id", wrapped_value(&n->types[i].first.id));
		writer_text(w, "type", value_type_name(n->types[i].type));
		writer_end(w);
	}
	writer_end(w);
	if (n->lengths)
		writer_number(w, "longestArray", n->lengths->longest[0].value);
	writer_end(w);
	for (uint32_t i = 0; i < n->child_count; i++)
		write_node(w, n->children[i]);
}

/* The values of a version field of the root. */
static const struct path_values *versions_of(const struct path_node *root)
{
	for (uint32_t i = 0; i < root->child_count; i++)
		if (root->children[i]->values)
			return root->children[i]->values;
	return NULL;
}

static void write_versions(struct writer *w, const struct path_node *root)
{
	const struct path_values *v = versions_of(root);

	writer_begin_array(w, key_of("schemaVersions"));
	for (size_t i = 0; v && i < v->count; i++) {
		writer_begin_document(w, key_of(""));
		writer_put(w, "value", wrapped_value(&v->list[i].value));
		writer_number(w, "count", v->list[i].count);
		writer_end(w);
	}
	writer_end(w);
}

static void write_violations(struct writer *w, const struct violations *v)
{
	size_t at = 0;
	struct value found;

	if (!v->validated) {
		writer_null(w, "violations");
		return;
	}
	writer_begin_document(w, key_of("violations"));
	writer_number(w, "count", v->count.value);
	if (v->method != SAMPLING_ALL) {
		writer_text(w, "method", sampling_name(v->method));
		writer_number(w, "sampled", v->count.n);
		writer_number(w, "sampledOf", v->count.of);
	}
	writer_begin_array(w, key_of("documents"));
	for (; value_document(&found, v->found.data + at, v->found.size - at); at += found.size_bytes)
		writer_value(w, key_of(""), found);
	writer_end(w);
	writer_end(w);
}

static void write_entry(struct writer *w, const char *db, const struct entry *e)
{
	const struct paths *p = e->of.paths;

	writer_begin_document(w, key_of(""));
	paths_entry_write(w, db, &e->of);
	if (p) {
		writer_number(w, "documents", p->tree.root->count);
		paths_write_choice(w, p);
		writer_number(w, "depth", p->tree.deepest.value);
		writer_begin_array(w, key_of("paths"));
		for (uint32_t i = 0; i < p->tree.root->child_count; i++)
			write_node(w, p->tree.root->children[i]);
		writer_end(w);
		write_versions(w, p->tree.root);
		write_violations(w, &e->violations);
	}
	writer_end(w);
}

static void print_json(const struct source *s, const char *db, const struct entry *list, size_t count, struct bytes *out)
{
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	writer_text(&w, "source", s->name);
	writer_begin_array(&w, key_of("collections"));
	for (size_t i = 0; i < count; i++)
		write_entry(&w, db, &list[i]);
	writer_end(&w);
	json_print(&w, out);
}

/* Text */

static void print_id(struct bytes *out, struct value id)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 60 };

	if (value_is_missing(id))
		bytes_append_text(out, "without a key");
	else
		print_value(out, id, &shell);
}

/* "string: 17, null: 23" */
static void print_odd(struct bytes *out, const struct path_node *n)
{
	for (uint32_t i = 1; i < n->type_count; i++) {
		bytes_format(out, "%s%s: ", i > 1 ? ", " : "", value_type_name(n->types[i].type));
		print_id(out, wrapped_value(&n->types[i].first.id));
	}
}

static void table_bytes(struct table *t, struct bytes *text)
{
	table_text(t, bytes_text(text));
	bytes_reset(text);
}

static void print_nodes(struct table *t, const struct paths *p, const struct path_node *n)
{
	struct bytes text = BYTES_INIT;

	for (uint32_t i = 0; i < n->child_count; i++) {
		const struct path_node *child = n->children[i];

		path_print(&text, child);
		table_bytes(t, &text);
		table_figure(t, child->documents < 0 ? figure_unknown() : paths_figure(p, child->documents));
		if (child->documents >= 0 && p->tree.root->count)
			bytes_format(&text, "%.4g %%", (double)child->documents / (double)p->tree.root->count * 100);
		table_bytes(t, &text);
		if (child->lengths)
			table_figure(t, paths_largest(p, child->lengths->longest[0].value));
		else
			table_text(t, "");
		path_print_types(&text, child);
		table_bytes(t, &text);
		print_odd(&text, child);
		table_bytes(t, &text);
		print_nodes(t, p, child);
	}
	bytes_clear(&text);
}

static void print_versions(const struct path_node *root, struct bytes *out)
{
	const struct path_values *v = versions_of(root);
	char n[32];

	if (!v)
		return;
	bytes_append_text(out, "schema versions: ");
	for (size_t i = 0; i < v->count; i++) {
		bytes_append_text(out, i ? ", " : "");
		print_id(out, wrapped_value(&v->list[i].value));
		bytes_format(out, " in %s", figure_format_count(v->list[i].count, n, sizeof n));
	}
	bytes_append_byte(out, '\n');
}

static void table_path(struct table *t, struct value path)
{
	struct bytes text = BYTES_INIT;
	struct walk walk;
	struct field f;

	if (value_is_document(path) || path.type == BSON_TYPE_ARRAY) {
		walk_begin(&walk, path);
		while (walk_next(&walk, &f)) {
			struct key key = value_text(f.value);

			bytes_append_text(&text, text.size ? "." : "");
			print_text(&text, key.bytes, key.size_bytes);
		}
	}
	table_bytes(t, &text);
	bytes_clear(&text);
}

/* "bsonType: type did not match: "five", a string", "required: missing name" */
static void table_reason(struct table *t, struct value found)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 60 };
	struct value keyword = value_get(found, "keyword"), reason = value_get(found, "reason"), names = value_get(found, "properties");
	struct value considered = value_get(found, "value"), type = value_get(found, "type");
	struct bytes text = BYTES_INIT;
	struct walk walk;
	struct field f;

	if (keyword.type == BSON_TYPE_UTF8)
		print_text(&text, value_text(keyword).bytes, value_text(keyword).size_bytes);
	else
		bytes_append_text(&text, t->ascii ? "-" : "—");
	if (reason.type == BSON_TYPE_UTF8) {
		bytes_append_text(&text, ": ");
		print_text(&text, value_text(reason).bytes, value_text(reason).size_bytes);
	}
	if (names.type == BSON_TYPE_ARRAY) {
		const char *before = key_is(value_text(keyword), "required") ? ": missing " : ": ";

		walk_begin(&walk, names);
		for (; walk_next(&walk, &f); before = ", ") {
			bytes_append_text(&text, before);
			print_text(&text, value_text(f.value).bytes, value_text(f.value).size_bytes);
		}
	}
	if (!value_is_missing(considered)) {
		bytes_append_text(&text, ": ");
		print_value(&text, considered, &shell);
	}
	if (type.type == BSON_TYPE_UTF8) {
		bytes_append_text(&text, ", type ");
		print_text(&text, value_text(type).bytes, value_text(type).size_bytes);
	}
	table_bytes(t, &text);
	bytes_clear(&text);
}

static void print_violations(const struct violations *v, const char *key, bool ascii, struct bytes *out)
{
	struct bytes text = BYTES_INIT;
	size_t at = 0;
	struct value found;
	struct table t;
	char n[32];

	if (!v->validated)
		return;
	bytes_format(out, "%s documents break the validator", figure_format_count(v->count.value, n, sizeof n));
	if (v->method != SAMPLING_ALL)
		bytes_format(out, v->method == SAMPLING_FIRST ? " of the first %s" : " of %s in a sample of their own",
		             figure_format_count(v->count.n, n, sizeof n));
	bytes_append_byte(out, '\n');
	table_init(&t, "llll", ascii);
	for (; value_document(&found, v->found.data + at, v->found.size - at); at += found.size_bytes) {
		table_text(&t, key);
		print_id(&text, value_get(found, key));
		table_bytes(&t, &text);
		table_path(&t, value_get(found, "path"));
		table_reason(&t, found);
	}
	table_print(&t, 2, out);
	table_clear(&t);
	bytes_clear(&text);
}

static void print_entry(const struct entry *e, bool ascii, struct bytes *out)
{
	static const char *const headings[] = { "path", "present", "share", "longest", "types", "odd" };
	const struct paths *p = e->of.paths;
	char number[48];
	struct table t;

	bytes_append_byte(out, '\n');
	if (!p) {
		paths_entry_print_refused(&e->of, out);
		return;
	}
	print_text(out, e->of.name, strlen(e->of.name));
	if (e->of.kind && strcmp(e->of.kind, "collection") != 0)
		bytes_format(out, "  %s", e->of.kind);
	bytes_format(out, "  documents %s", figure_format(p->documents, ascii, number, sizeof number));
	if (p->documents.of)
		bytes_format(out, " sampled of %s", figure_format_count(p->documents.of, number, sizeof number));
	bytes_format(out, "  depth %lld\n", (long long)p->tree.deepest.value);
	if (!p->tree.root->count)
		return;
	table_init(&t, "lrrrll", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&t, headings[i]);
	print_nodes(&t, p, p->tree.root);
	table_print(&t, 2, out);
	table_clear(&t);
	print_versions(p->tree.root, out);
	paths_print_method(p, out);
	print_violations(&e->violations, p->tree.id_key, ascii, out);
	if (e->of.refused) {
		print_text(out, e->of.refused, strlen(e->of.refused));
		bytes_append_byte(out, '\n');
	}
}

static bool measure(struct lab *lab, const struct choice *c, struct entry *e, bson_error_t *error)
{
	struct paths_wish wish = { .db = c->db, .collection = e->of.name, .key = model_key(lab_model(lab), e->of.name) };
	bson_error_t reason;

	if (paths_entry_is_computed(&e->of, c))
		return true;
	e->of.paths = paths_measure(c->source, &wish, NULL, &reason);
	if (!e->of.paths)
		return paths_entry_refuse(&e->of, c, &reason, error);
	if (!violations_find(c->source, e->of.paths, wish.key, &e->violations, NULL, &reason)) {
		struct bytes text = BYTES_INIT;

		bytes_format(&text, "violations are not known: %s", reason.message);
		e->of.refused = bytes_take_text(&text);
	}
	return true;
}

bool report_types(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error)
{
	struct choice c = { 0 };
	struct entry *list = NULL;
	size_t count = 0;
	bool good = choice_make(lab, o, &c, error);

	if (good)
		list = memory_allocate_zeroed(c.names.count, sizeof *list);
	while (good && count < c.names.count) {
		list[count] = (struct entry){ .of.name = c.names.list[count] };
		good = measure(lab, &c, &list[count++], error);
	}
	if (good && o->json)
		print_json(c.source, c.db, list, count, out);
	else if (good)
		bytes_format(out, "%s  database %s\n", c.source->name, c.db);
	for (size_t i = 0; i < count; i++) {
		if (good && !o->json)
			print_entry(&list[i], o->ascii, out);
		violations_clear(&list[i].violations);
		paths_entry_clear(&list[i].of);
	}
	free(list);
	choice_clear(&c);
	return good;
}
