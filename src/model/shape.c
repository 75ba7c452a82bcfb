/* Shapes as pipelines, and the build of a shape from them. What a build could lose it counts or refuses. */
#include "model/lab.h"

#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "bson/writer.h"
#include "engine/engine.h"
#include "model/element.h"

/* Where $unwind notes an element's position. */
#define POSITION_FIELD "__position"

struct stages {
	struct writer w;
	unsigned count;
};

static void stages_begin(struct stages *s, struct bytes *out)
{
	writer_begin(&s->w, out);
	s->count = 0;
}

/* Opens the next stage, {name: …; the caller writes the stage's value under the key returned and calls stage_end. */
static void stage_begin(struct stages *s)
{
	char position[12];

	snprintf(position, sizeof position, "%u", s->count++);
	writer_begin_document(&s->w, key_of(position));
}

static void stage_end(struct stages *s)
{
	writer_end(&s->w);
}

/* name: "$prefix.field" */
static void write_reference(struct writer *w, const char *name, const char *prefix, const char *field)
{
	struct bytes text = BYTES_INIT;

	bytes_format(&text, "$%s%s%s", prefix ? prefix : "", prefix && field ? "." : "", field ? field : "");
	writer_text(w, name, bytes_text(&text));
	bytes_clear(&text);
}

/*
 * The names that "*" would carry over and must not: mapped ones that have no place on the other side, or another name.
 */
static bool is_left_behind(const struct field_map_entry *f, bool child_to_element)
{
	const char *from = child_to_element ? f->child : f->element, *to = child_to_element ? f->element : f->child;

	return from && (!to || strcmp(from, to));
}

static bool any_left_behind(const struct relationship *r, bool child_to_element)
{
	for (size_t i = 0; i < r->field_count; i++)
		if (is_left_behind(&r->fields[i], child_to_element))
			return true;
	return false;
}

static void write_unset(struct writer *w, const struct relationship *r, const char *prefix, bool child_to_element)
{
	writer_begin_array(w, key_of("$unset"));
	for (size_t i = 0; i < r->field_count; i++) {
		struct bytes path = BYTES_INIT;

		if (!is_left_behind(&r->fields[i], child_to_element))
			continue;
		bytes_format(&path, "%s%s", prefix, child_to_element ? r->fields[i].child : r->fields[i].element);
		writer_text(w, "", bytes_text(&path));
		bytes_clear(&path);
	}
	writer_end(w);
}

/* The mapped fields of an element, from its child. */
static void write_element_fields(struct writer *w, const struct relationship *r)
{
	for (size_t i = 0; i < r->field_count; i++)
		if (r->fields[i].child && r->fields[i].element)
			write_reference(w, r->fields[i].element, NULL, r->fields[i].child);
}

/* The mapped fields of a child, from the unwound parent: its key and its parent's key too. */
static void write_child_fields(struct writer *w, const struct relationship *r)
{
	for (size_t i = 0; i < r->field_count; i++) {
		const struct field_map_entry *f = &r->fields[i];

		if (!f->child)
			continue;
		if (!strcmp(f->child, r->child_parent_key)) {
			write_reference(w, f->child, NULL, r->parent_key);
		} else if (r->ordinal_key && !strcmp(f->child, r->child_key)) {
			writer_begin_document(w, key_of(f->child));
			write_reference(w, r->child_parent_key, NULL, r->parent_key);
			writer_begin_document(w, key_of("n"));
			writer_text(w, "$toInt", "$" POSITION_FIELD);
			writer_end(w);
			writer_end(w);
		} else if (f->element) {
			write_reference(w, f->child, r->path, f->element);
		}
	}
}

/* {$replaceRoot: {newRoot: {…}}} or, with "*", {…} and behind it whatever `rest` has. */
static void write_new_root(struct writer *w, const struct relationship *r, const char *rest,
                           void (*write_fields)(struct writer *, const struct relationship *))
{
	writer_begin_document(w, key_of("$replaceRoot"));
	writer_begin_document(w, key_of("newRoot"));
	if (r->keeps_other_fields) {
		writer_begin_array(w, key_of("$mergeObjects"));
		writer_begin_document(w, key_of(""));
		write_fields(w, r);
		writer_end(w);
		writer_text(w, "", rest);
		writer_end(w);
	} else {
		write_fields(w, r);
	}
	writer_end(w);
	writer_end(w);
}

static bool has_order(const struct relationship *r, struct value *order)
{
	return r->order.size && value_document(order, r->order.data, r->order.size) && value_count(*order) > 0;
}

static void write_lookup(struct writer *w, const struct relationship *r)
{
	struct value order;

	writer_begin_document(w, key_of("$lookup"));
	writer_text(w, "from", r->child);
	writer_text(w, "localField", r->parent_key);
	writer_text(w, "foreignField", r->child_parent_key);
	writer_begin_array(w, key_of("pipeline"));
	if (has_order(r, &order)) {
		writer_begin_document(w, key_of(""));
		writer_put(w, "$sort", order);
		writer_end(w);
	}
	writer_begin_document(w, key_of(""));
	write_new_root(w, r, "$$ROOT", write_element_fields);
	writer_end(w);
	if (r->keeps_other_fields && any_left_behind(r, true)) {
		writer_begin_document(w, key_of(""));
		write_unset(w, r, "", true);
		writer_end(w);
	}
	writer_end(w);
	writer_text(w, "as", r->path);
	writer_end(w);
}

/*
 * Puts the array behind the fields that stand before it: $mergeObjects keeps a name's first place and its last value.
 */
static void write_place(struct writer *w, const struct relationship *r)
{
	writer_begin_document(w, key_of("$replaceRoot"));
	writer_begin_document(w, key_of("newRoot"));
	writer_begin_array(w, key_of("$mergeObjects"));
	writer_begin_document(w, key_of(""));
	for (size_t i = 0; i < r->before_count; i++)
		write_reference(w, r->before[i], NULL, r->before[i]);
	write_reference(w, r->path, NULL, r->path);
	writer_end(w);
	writer_text(w, "", "$$ROOT");
	writer_end(w);
	writer_end(w);
	writer_end(w);
}

static void embed_pipeline(struct stages *s, const struct relationship *r)
{
	stage_begin(s);
	write_lookup(&s->w, r);
	stage_end(s);
	if (!r->before_count)
		return;
	stage_begin(s);
	write_place(&s->w, r);
	stage_end(s);
}

static void reference_parent_pipeline(struct stages *s, const struct relationship *r)
{
	stage_begin(s);
	writer_text(&s->w, "$unset", r->path);
	stage_end(s);
}

static void reference_child_pipeline(struct stages *s, const struct relationship *r)
{
	struct bytes rest = BYTES_INIT;

	stage_begin(s);
	writer_begin_document(&s->w, key_of("$unwind"));
	write_reference(&s->w, "path", r->path, NULL);
	if (r->ordinal_key)
		writer_text(&s->w, "includeArrayIndex", POSITION_FIELD);
	writer_end(&s->w);
	stage_end(s);

	bytes_format(&rest, "$%s", r->path);
	stage_begin(s);
	write_new_root(&s->w, r, bytes_text(&rest), write_child_fields);
	stage_end(s);
	bytes_clear(&rest);
	if (!r->keeps_other_fields || !any_left_behind(r, false))
		return;
	stage_begin(s);
	write_unset(&s->w, r, "", false);
	stage_end(s);
}

void element_stages(struct writer *w, const struct relationship *r)
{
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of("$replaceRoot"));
	writer_begin_document(w, key_of("newRoot"));
	write_reference(w, "k", NULL, r->child_parent_key);
	if (r->keeps_other_fields) {
		writer_begin_document(w, key_of("e"));
		writer_begin_array(w, key_of("$mergeObjects"));
	}
	writer_begin_document(w, key_of("e"));
	write_element_fields(w, r);
	writer_end(w);
	if (r->keeps_other_fields) {
		writer_text(w, "", "$$ROOT");
		writer_end(w);
		writer_end(w);
	}
	writer_end(w);
	writer_end(w);
	writer_end(w);
	if (!r->keeps_other_fields || !any_left_behind(r, true))
		return;
	writer_begin_document(w, key_of(""));
	write_unset(w, r, "e.", true);
	writer_end(w);
}

bool shape_pipeline(const struct relationship *r, enum shape_kind to, bool child_collection, struct bytes *pipeline,
                    bson_error_t *error)
{
	struct stages s;

	if (r->population)
		return error_set(error, ERROR_INPUT, 0,
		                 "relationship \"%s\" is a population without documents: it has no shapes to build",
		                 r->name);
	if (to == SHAPE_EMBED && child_collection)
		return error_set(error, ERROR_INPUT, 0,
		                 "relationship \"%s\" has no collection of children when embedded", r->name);
	stages_begin(&s, pipeline);
	if (to == SHAPE_EMBED)
		embed_pipeline(&s, r);
	else if (child_collection)
		reference_child_pipeline(&s, r);
	else
		reference_parent_pipeline(&s, r);
	writer_finish(&s.w);
	return true;
}
