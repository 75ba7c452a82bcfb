/*
 * Where the bytes are, as a tree of paths. In JSON a collection is its root node with db, name and kind beside; of a
 * node, bytes = values + names + overhead, and overhead = arrays + frames (field_parts.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "model/document.h"
#include "model/path_remarks.h"
#include "model/path_text.h"
#include "model/paths.h"
#include "report/choice.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/paths_report.h"
#include "report/report.h"
#include "report/table.h"
#include "report/tree_text.h"

enum { SHOWN = 20 };

/* JSON */

static void write_mark(struct writer *w, const char *name, const char *what, const struct path_mark *m)
{
	writer_begin_document(w, key_of(name));
	writer_put(w, "_id", wrapped_value(&m->id));
	writer_number(w, what, m->value);
	writer_end(w);
}

static void write_lengths(struct writer *w, const struct path_lengths *l)
{
	writer_begin_document(w, key_of("lengths"));
	writer_number(w, "arrays", l->arrays);
	writer_number(w, "elements", l->elements);
	writer_double(w, "avg", (double)l->elements / (double)l->arrays);
	writer_begin_array(w, key_of("histogram"));
	for (int i = 0; i < PATH_LENGTH_BINS; i++) {
		if (!l->bins[i])
			continue;
		writer_begin_document(w, key_of(""));
		writer_number(w, "from", i ? INT64_C(1) << (i - 1) : 0);
		writer_number(w, "to", INT64_C(1) << i);
		writer_number(w, "count", l->bins[i]);
		writer_end(w);
	}
	writer_end(w);
	writer_begin_array(w, key_of("longest"));
	for (size_t i = 0; i < l->longest_count; i++)
		write_mark(w, "", "length", &l->longest[i]);
	writer_end(w);
	writer_end(w);
}

static void write_node(struct writer *w, const struct path_node *n, const struct tree_options *o, int64_t depth);

/* A writer nests as deep as documents do; a node takes two levels. Deeper ones are counted in their parent. */
static void write_children(struct writer *w, const struct path_node *n, const struct tree_options *o, int64_t depth)
{
	bool enters = (!o->depth || depth < o->depth) && w->depth + 8 < VALUE_DEPTH_LIMIT;
	const struct path_node **list = path_sorted(n, o->order);
	uint32_t count = !enters ? 0 : n->child_count < o->top ? n->child_count : o->top;

	writer_begin_array(w, key_of("children"));
	for (uint32_t i = 0; i < count; i++) {
		writer_begin_document(w, key_of(""));
		write_node(w, list[i], o, depth + 1);
		writer_end(w);
	}
	writer_end(w);
	if (count < n->child_count)
		writer_number(w, "childrenLeftOut", n->child_count - count);
	free(list);
}

static void write_node(struct writer *w, const struct path_node *n, const struct tree_options *o, int64_t depth)
{
	static const char *const kinds[] = { "documents", "field", "elements", "folded" };

	writer_key_text(w, "key", path_node_key(n));
	paths_write_path(w, n);
	writer_text(w, "is", kinds[n->kind]);
	writer_number(w, "bytes", n->bytes);
	writer_number(w, "values", n->parts.values);
	writer_number(w, "names", n->parts.names);
	writer_number(w, "overhead", n->parts.arrays + n->parts.frames);
	writer_number(w, "arrays", n->parts.arrays);
	writer_number(w, "frames", n->parts.frames);
	writer_number(w, "count", n->count);
	writer_number(w, "avg", tree_average(n->bytes, n->count));
	writer_number(w, "max", n->largest_bytes);
	if (n->count)
		write_mark(w, "largest", "bytes", &n->largest);
	paths_write_presence(w, n);
	paths_write_types(w, n);
	if (n->lengths)
		write_lengths(w, n->lengths);
	if (n->kind == PATH_FOLDED) {
		struct figure keys = distinct_figure(&n->keys);

		writer_begin_document(w, key_of("keys"));
		writer_number(w, "distinct", keys.value);
		writer_text(w, "provenance", provenance_text(keys.provenance));
		writer_key_text(w, "example", (struct key){ (const char *)n->example.data, (uint32_t)n->example.size });
		writer_end(w);
	}
	write_children(w, n, o, depth);
}

/* What can grow, and what names cost. */
static void write_remarks(struct writer *w, const struct paths *p, const struct tree_options *o)
{
	struct path_remarks r;

	path_remarks_make(p, o->limit_bytes, &r);
	writer_begin_array(w, key_of("growing"));
	for (size_t i = 0; i < r.growing_count; i++) {
		const struct path_growing *g = &r.growing[i];

		writer_begin_document(w, key_of(""));
		paths_write_path(w, g->node);
		writer_text(w, "by", path_growth_name(g->by));
		figures_write(w, "most", g->most);
		writer_put(w, "_id", wrapped_value(&g->where->id));
		writer_number(w, "bytes", g->bytes);
		writer_double(w, "percentOfLimit", (double)g->bytes * 100 / (double)o->limit_bytes);
		figures_write(w, "moreFit", g->more_fit);
		writer_end(w);
	}
	writer_end(w);
	writer_begin_document(w, key_of("nameBytes"));
	figures_write(w, "all", r.names);
	figures_write(w, "oneLetterSaves", r.names_saved);
	writer_end(w);
}

static void write_entry(struct writer *w, const char *db, const struct paths_entry *e, const struct tree_options *o)
{
	writer_begin_document(w, key_of(""));
	paths_entry_write(w, db, e);
	if (e->paths) {
		const struct paths *p = e->paths;

		paths_write_choice(w, p);
		if (p->tree.broken)
			writer_number(w, "broken", p->tree.broken);
		if (p->tree.deepest.position >= 0)
			write_mark(w, "deepest", "depth", &p->tree.deepest);
		write_remarks(w, p, o);
		write_node(w, p->tree.root, o, 0);
	}
	writer_end(w);
}

static void print_json(const struct source *s, const char *db, const struct paths_entry *list, size_t count, const struct tree_options *o,
                       struct bytes *out)
{
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	writer_text(&w, "source", s->name);
	writer_begin_array(&w, key_of("collections"));
	for (size_t i = 0; i < count; i++)
		write_entry(&w, db, &list[i], o);
	writer_end(&w);
	json_print(&w, out);
}

/* Which documents */

static bool parse_id(const char *text, struct bytes *wrapped, bson_error_t *error)
{
	struct bytes document = BYTES_INIT, found = BYTES_INIT;
	bool good;

	bytes_format(&document, "{\"\": %s}", text);
	good = read_shell_document("--document", (const char *)document.data, document.size, wrapped, NULL);
	print_text(&found, text, strlen(text));
	if (!good)
		error_set(error, ERROR_USAGE, 0,
		          "expected a value such as 5, \"text\" or ObjectId(\"...\"), or the word largest, for --document, found \"%s\"",
		          bytes_text(&found));
	bytes_clear(&document);
	bytes_clear(&found);
	return good;
}

/* One document's tree, or none when it is not there. */
static bool measure_document(const struct choice *c, const struct paths_wish *wish, const char *id, struct paths_entry *e,
                             bson_error_t *error)
{
	struct document_wish which = { .db = c->db, .collection = e->name, .key = wish->key };
	struct bytes wrapped = BYTES_INIT, document = BYTES_INIT;
	struct sizes *sizes = NULL;
	struct value v;
	bool good;

	if (!strcmp(id, "largest")) {
		sizes = sizes_measure(c->source, c->db, e->name, wish->key, INT64_MAX, NULL, error);
		good = sizes != NULL;
		if (good && sizes->largest_count)
			which = document_of_largest(sizes, 0, wish->key);
		good = good && (!sizes->largest_count || document_read(c->source, &which, &document, NULL, error));
	} else {
		good = parse_id(id, &wrapped, error);
		which.id = wrapped_value(&wrapped);
		good = good && document_read(c->source, &which, &document, NULL, error);
	}
	if (good && value_document(&v, document.data, document.size))
		e->paths = paths_of_document(wish, v);
	sizes_destroy(sizes);
	bytes_clear(&wrapped);
	bytes_clear(&document);
	return good;
}

static bool measure(struct lab *lab, const struct options *o, const struct choice *c, struct paths_entry *e, bson_error_t *error)
{
	struct paths_wish wish = { .db = c->db, .collection = e->name, .key = model_key(lab_model(lab), e->name) };
	bson_error_t reason;

	if (paths_entry_is_computed(e, c))
		return true;
	if (o->document ? measure_document(c, &wish, o->document, e, &reason)
	                : (e->paths = paths_measure(c->source, &wish, NULL, &reason)) != NULL)
		return true;
	return paths_entry_refuse(e, c, &reason, error);
}

bool report_tree(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error)
{
	struct tree_options shown = { .top = o->top ? (uint32_t)o->top : o->json ? UINT32_MAX : SHOWN, .depth = o->depth, .ascii = o->ascii,
	                              .columns = report_columns(), .limit_bytes = lab_limit_bytes(lab) };
	struct choice c = { 0 };
	struct paths_entry *list = NULL;
	size_t count = 0;
	bool good = choice_make(lab, o, &c, error);

	if (o->sort)
		path_order_from_name(o->sort, &shown.order);
	if (good)
		list = memory_allocate_zeroed(c.names.count, sizeof *list);
	for (size_t i = 0; good && i < c.names.count; i++) {
		struct paths_entry *e = &list[count];

		*e = (struct paths_entry){ .name = c.names.list[i] };
		good = measure(lab, o, &c, e, error);
		if (good && (e->paths || (e->refused && !o->document))) /* a document is in one of them */
			count++;
		else
			paths_entry_clear(e);
	}
	if (good && o->document && !count)
		good = error_set(error, ERROR_INPUT, 0, "no document %.200s in %s", o->document,
		                 o->collection ? o->collection : "any of the collections");
	if (good && o->json)
		print_json(c.source, c.db, list, count, &shown, out);
	else if (good)
		bytes_format(out, "%s  database %s\n", c.source->name, c.db);
	for (size_t i = 0; i < count; i++) {
		if (good && !o->json)
			tree_print(&list[i], &shown, out);
		paths_entry_clear(&list[i]);
	}
	free(list);
	choice_clear(&c);
	return good;
}
