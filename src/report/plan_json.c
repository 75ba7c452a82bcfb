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
	figures_write(w, "ownMillis", n->own_millis);
	figures_write(w, "ownMicros", n->own_micros);
	write_share(w, plan_own_share(t, n));
	figures_write(w, "works", n->works);
	write_text(w, "bounds", n->bounds);
	write_text(w, "filter", n->filter);
	write_text(w, "detail", n->detail);
	write_memory(w, n);
	write_text(w, "shard", n->shard);
	writer_begin_array(w, key_of("children"));
}

/* The tree is deeper in JSON than in the reply: what the writer cannot nest is left out. */
static void write_node(struct writer *w, const char *name, const struct plan_tree *t, const struct plan_node *n,
                       int levels)
{
	writer_begin_document(w, key_of(name));
	write_node_fields(w, t, n);
	for (size_t i = 0; i < n->child_count && levels > 0; i++)
		write_node(w, "", t, n->children[i], levels - 1);
	writer_end(w);
	writer_end(w);
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
	enum { LEVELS = VALUE_DEPTH_LIMIT / 2 - 2 };
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
	write_node(&w, "plan", t, t->root, LEVELS);
	writer_begin_array(&w, key_of("findings"));
	for (size_t i = 0; i < t->finding_count; i++)
		write_finding(&w, &t->findings[i]);
	writer_end(&w);
	print_value(out, writer_finish(&w), &(struct print_options){ .form = PRINT_RELAXED, .indent = 2 });
	bytes_append_byte(out, '\n');
	bytes_clear(&document);
}
