/* A plan tree as JSON: null is unknown. */
#include "report/plan_report.h"

#include "bson/print.h"
#include "bson/writer.h"
#include "plan/words.h"
#include "report/figures.h"

static void write_text(struct writer *w, const char *name, const char *text)
{
	if (text && *text)
		writer_text(w, name, text);
	else
		writer_null(w, name);
}

static void write_work(struct writer *w, const char *name, const struct plan_work *work, bool total)
{
	writer_begin_document(w, key_of(name));
	figures_write(w, "keysExamined", work->keys);
	figures_write(w, "docsExamined", work->docs);
	if (total)
		writer_bool(w, "atLeast", work->keys.at_least || work->docs.at_least);
	writer_end(w);
}

static void write_lookup(struct writer *w, const struct plan_lookup *l)
{
	writer_begin_document(w, key_of(""));
	write_text(w, "from", l->from);
	figures_write(w, "keysExamined", l->keys);
	figures_write(w, "docsExamined", l->docs);
	figures_write(w, "collectionScans", l->collection_scans);
	if (l->indexes_known) {
		writer_begin_array(w, key_of("indexesUsed"));
		for (size_t i = 0; i < l->index_count; i++)
			writer_text(w, "", l->indexes[i]);
		writer_end(w);
	} else {
		writer_null(w, "indexesUsed");
	}
	writer_end(w);
}

static void write_memory(struct writer *w, const struct plan_node *n)
{
	figures_write(w, "memoryBytes", n->memory_bytes);
	writer_bool(w, "spilled", n->spilled);
	figures_write(w, "spills", n->spills);
	figures_write(w, "spilledRecords", n->spilled_records);
	figures_write(w, "spilledBytes", n->spilled_bytes);
	figures_write(w, "spilledDiskBytes", n->spilled_disk_bytes);
}

static void write_share(struct writer *w, double share)
{
	if (share < 0)
		writer_null(w, "ownShare");
	else
		writer_double(w, "ownShare", share);
}

static void write_node_fields(struct writer *w, const struct plan_tree *t, const struct plan_node *n)
{
	writer_text(w, "stage", n->stage);
	write_text(w, "does", plan_stage_words(n->stage));
	write_text(w, "index", n->index);
	figures_write(w, "keysExamined", n->keys);
	figures_write(w, "docsExamined", n->docs);
	figures_write(w, "returned", n->returned);
	figures_write(w, "millis", n->millis);
	figures_write(w, "micros", n->micros);
	figures_write(w, "ownMillis", n->own_millis);
	figures_write(w, "ownMicros", n->own_micros);
	write_share(w, plan_own_share(t, n));
	figures_write(w, "works", n->works);
	write_text(w, "bounds", n->bounds);
	write_text(w, "filter", n->filter);
	write_text(w, "detail", n->detail);
	write_memory(w, n);
	write_text(w, "shard", n->shard);
}

static void indent(struct bytes *out, int levels)
{
	bytes_append_byte(out, '\n');
	while (levels-- > 0)
		bytes_append_text(out, "  ");
}

/* A document's members after what stands there, without its braces; a newline in a text is escaped. */
static void append_members(struct bytes *out, struct writer *w, int levels)
{
	struct bytes text = BYTES_INIT;

	print_value(&text, writer_finish(w), &(struct print_options){ .form = PRINT_RELAXED, .indent = 2 });
	for (size_t i = 1; i + 2 < text.size; i++) { /* the last two are a newline and the brace */
		if (text.data[i] == '\n')
			indent(out, levels);
		else
			bytes_append_byte(out, text.data[i]);
	}
	bytes_clear(&text);
}

/* As text at once: a plan may be deeper in JSON than a document may be. */
static void append_node(struct bytes *out, const struct plan_tree *t, const struct plan_node *n, int levels)
{
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	write_node_fields(&w, t, n);
	bytes_append_byte(out, '{');
	append_members(out, &w, levels);
	bytes_clear(&document);
	bytes_append_byte(out, ',');
	indent(out, levels + 1);
	bytes_append_text(out, "\"children\": [");
	for (size_t i = 0; i < n->child_count; i++) {
		if (i)
			bytes_append_byte(out, ',');
		indent(out, levels + 2);
		append_node(out, t, n->children[i], levels + 2);
	}
	if (n->child_count)
		indent(out, levels + 1);
	bytes_append_byte(out, ']');
	indent(out, levels);
	bytes_append_byte(out, '}');
}

static void write_finding(struct writer *w, const struct plan_finding *f)
{
	writer_begin_document(w, key_of(""));
	writer_text(w, "code", f->code);
	writer_text(w, "stage", f->stage);
	writer_text(w, "evidence", f->evidence);
	writer_text(w, "advice", f->advice);
	writer_text(w, "cost", f->cost);
	writer_end(w);
}

void plan_report_json(struct bytes *out, const struct plan_tree *t)
{
	struct bytes document = BYTES_INIT;
	struct writer w;

	writer_begin(&w, &document);
	writer_text(&w, "rootForm", t->root_form);
	write_text(&w, "serverVersion", t->server_version);
	write_text(&w, "engine", t->engine);
	writer_text(&w, "verbosity", plan_tree_verbosity(t));
	writer_bool(&w, "sharded", t->sharded);
	figures_write(&w, "returned", t->returned);
	figures_write(&w, "millis", t->millis);
	write_work(&w, "outer", &t->outer, false);
	writer_begin_array(&w, key_of("lookups"));
	for (size_t i = 0; i < t->lookup_count; i++)
		write_lookup(&w, &t->lookups[i]);
	writer_end(&w);
	write_work(&w, "total", &t->total, true);
	bytes_append_byte(out, '{');
	append_members(out, &w, 0);
	bytes_append_text(out, ",\n  \"plan\": ");
	append_node(out, t, t->root, 1);
	bytes_append_text(out, ",");
	bytes_reset(&document);
	writer_begin(&w, &document);
	writer_begin_array(&w, key_of("findings"));
	for (size_t i = 0; i < t->finding_count; i++)
		write_finding(&w, &t->findings[i]);
	writer_end(&w);
	append_members(out, &w, 0);
	bytes_append_text(out, "\n}\n");
	bytes_clear(&document);
}
