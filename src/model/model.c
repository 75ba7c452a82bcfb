#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "bson/writer.h"

static void clear_relationship(struct relationship *r)
{
	free(r->name);
	free(r->parent);
	free(r->parent_key);
	free(r->child);
	free(r->child_key);
	free(r->child_parent_key);
	free(r->path);
	free(r->note);
	for (size_t i = 0; i < r->before_count; i++)
		free(r->before[i]);
	free(r->before);
	for (size_t i = 0; i < r->field_count; i++) {
		free(r->fields[i].child);
		free(r->fields[i].element);
	}
	free(r->fields);
	bytes_clear(&r->order);
	bytes_clear(&r->parent_indexes);
	bytes_clear(&r->child_indexes);
	bytes_clear(&r->element_example);
	bytes_clear(&r->growth_parent);
	bytes_clear(&r->growth_child);
	for (size_t i = 0; i < r->growth_without_count; i++)
		free(r->growth_without[i]);
	free(r->growth_without);
}

static void clear_operation(struct operation *o)
{
	free(o->name);
	free(o->frequency);
	free(o->together);
	bytes_clear(&o->draw);
	for (size_t i = 0; i < o->set_count; i++) {
		struct command_set *set = &o->sets[i];

		free(set->relationship);
		for (size_t c = 0; c < set->command_count; c++)
			bytes_clear(&set->commands[c]);
		free(set->commands);
		free(set->lines);
	}
	free(o->sets);
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->relationship_count; i++)
		clear_relationship(&m->relationships[i]);
	for (size_t i = 0; i < m->operation_count; i++)
		clear_operation(&m->operations[i]);
	for (size_t i = 0; i < m->copy_count; i++) {
		free(m->copies[i].copy);
		free(m->copies[i].source);
		free(m->copies[i].on_change);
	}
	for (size_t i = 0; i < m->index_count; i++) {
		free(m->indexes[i].collection);
		free(m->indexes[i].why);
		bytes_clear(&m->indexes[i].specification);
	}
	free(m->relationships);
	free(m->operations);
	free(m->copies);
	free(m->indexes);
	free(m->database);
	free(m->name);
	free(m);
}

struct model *model_empty(const char *name, const char *database)
{
	struct model *m = memory_allocate_zeroed(1, sizeof *m);

	m->name = memory_duplicate_text(name);
	m->database = memory_duplicate_text(database);
	m->document_limit_bytes = LIMIT_USER_BYTES;
	return m;
}

const struct relationship *model_relationship(const struct model *m, const char *name, bson_error_t *error)
{
	struct bytes known = BYTES_INIT;

	for (size_t i = 0; i < m->relationship_count; i++)
		if (!strcmp(m->relationships[i].name, name))
			return &m->relationships[i];
	for (size_t i = 0; i < m->relationship_count; i++)
		bytes_format(&known, "%s%s", i ? ", " : "", m->relationships[i].name);
	error_set(error, ERROR_USAGE, 0, "unknown relationship \"%s\"; \"%s\" has: %s", name, m->database,
	          known.size ? bytes_text(&known) : "none");
	bytes_clear(&known);
	return NULL;
}

const struct command_set *operation_commands(const struct operation *o, const struct relationship *r,
                                             enum shape_kind shape)
{
	const struct command_set *for_all = NULL;

	for (size_t i = 0; i < o->set_count; i++) {
		const struct command_set *set = &o->sets[i];

		if (!set->relationship)
			for_all = set;
		else if (r && set->shape == shape && !strcmp(set->relationship, r->name))
			return set;
	}
	return for_all;
}

void model_indexes(const struct model *m, const char *collection, struct bytes *out)
{
	struct writer w;
	unsigned position = 0;

	writer_begin(&w, out);
	for (size_t i = 0; i < m->index_count; i++) {
		const struct index_row *row = &m->indexes[i];
		struct value specification;
		char key[12];

		if (strcmp(row->collection, collection) ||
		    !value_document(&specification, row->specification.data, row->specification.size))
			continue;
		snprintf(key, sizeof key, "%u", position++);
		writer_value(&w, key_of(key), specification);
	}
	writer_finish(&w);
}

const char *model_key(const struct model *m, const char *collection)
{
	for (size_t i = 0; i < m->relationship_count; i++) {
		const struct relationship *r = &m->relationships[i];

		if (!strcmp(r->parent, collection))
			return r->parent_key;
		if (!strcmp(r->child, collection))
			return r->child_key;
	}
	return "_id";
}
