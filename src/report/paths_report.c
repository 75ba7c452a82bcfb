#include "report/paths_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "model/listing.h"
#include "model/sizes.h"

void paths_entry_clear(struct paths_entry *e)
{
	paths_destroy(e->paths);
	free(e->refused);
	free(e->kind);
}

bool paths_entry_is_computed(struct paths_entry *e, const struct choice *c)
{
	bson_error_t reason;

	if (!listing_kind(c->source, c->db, e->name, &e->kind, NULL, &reason) || !e->kind || !sizes_kind_is_computed(e->kind))
		return false;
	e->refused = memory_duplicate_text("it holds no documents of its own");
	return true;
}

bool paths_entry_refuse(struct paths_entry *e, const struct choice *c, const bson_error_t *reason, bson_error_t *error)
{
	if (reason->domain != ERROR_SERVER || c->names.count == 1) {
		*error = *reason;
		return false;
	}
	e->refused = memory_duplicate_text(reason->message);
	return true;
}

static const char *kind(const struct paths_entry *e)
{
	return e->kind ? e->kind : "unknown";
}

void paths_entry_write(struct writer *w, const char *db, const struct paths_entry *e)
{
	writer_text(w, "db", db);
	writer_text(w, "name", e->name);
	writer_text(w, "kind", kind(e));
	if (e->refused)
		writer_text(w, "remark", e->refused);
}

void paths_write_choice(struct writer *w, const struct paths *p)
{
	writer_text(w, "provenance", provenance_text(p->documents.provenance));
	if (p->method != SAMPLING_ALL)
		writer_text(w, "method", sampling_name(p->method));
	if (p->documents.of)
		writer_number(w, "sampledOf", p->documents.of);
	if (p->remark)
		writer_text(w, "methodRemark", p->remark);
	if (p->documents.at_least)
		writer_bool(w, "atLeast", true);
}

static void write_keys(struct writer *w, const struct path_node *n)
{
	if (!n->parent)
		return;
	write_keys(w, n->parent);
	writer_key_text(w, "", path_node_key(n));
}

void paths_write_path(struct writer *w, const struct path_node *n)
{
	writer_begin_array(w, key_of("path"));
	write_keys(w, n);
	writer_end(w);
}

void paths_write_types(struct writer *w, const struct path_node *n)
{
	writer_begin_document(w, key_of("types"));
	for (uint32_t i = 0; i < n->type_count; i++)
		writer_number(w, value_type_name(n->types[i].type), n->types[i].count);
	writer_end(w);
}

void paths_write_presence(struct writer *w, const struct path_node *n)
{
	if (n->documents < 0)
		writer_null(w, "present");
	else
		writer_number(w, "present", n->documents);
}

void paths_entry_print_refused(const struct paths_entry *e, struct bytes *out)
{
	print_text(out, e->name, strlen(e->name));
	bytes_format(out, "  %s: ", kind(e));
	print_text(out, e->refused, strlen(e->refused));
	bytes_append_byte(out, '\n');
}

void paths_print_method(const struct paths *p, struct bytes *out)
{
	struct bytes text = BYTES_INIT;

	paths_method_text(p, &text);
	print_text(out, (const char *)text.data, text.size);
	bytes_append_text(out, text.size ? "\n" : "");
	bytes_clear(&text);
}
