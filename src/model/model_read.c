/* The format is described in queries/README.md; the tables below are its fields. */
#include "base/limits.h"
#include "model/model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/read.h"
#include "bson/writer.h"
#include "model/loading.h"

#define TABLE(name, read_name)                                                                                         \
	static bool read_name(struct loading *l, struct value v, void *target)                                         \
	{                                                                                                              \
		return loading_members(l, v, name, target);                                                            \
	}

#define LIST(read_name, type, item_read, list_member, count_member)                                                    \
	static bool read_name(struct loading *l, struct value v, void *target)                                         \
	{                                                                                                              \
		type *owner = target;                                                                                  \
                                                                                                                       \
		return loading_list(l, v, sizeof *owner->list_member, item_read, &owner->list_member,                  \
		                    &owner->count_member);                                                             \
	}

/* Relationships */

static const struct member parent_members[] = {
	{ "collection", loading_collection, offsetof(struct relationship, parent), true },
	{ "key", loading_field, offsetof(struct relationship, parent_key), true },
	{ 0 },
};
TABLE(parent_members, read_parent)

static const struct member child_members[] = {
	{ "collection", loading_collection, offsetof(struct relationship, child), true },
	{ "key", loading_field, offsetof(struct relationship, child_key), true },
	{ "parentKey", loading_field, offsetof(struct relationship, child_parent_key), true },
	{ "ordinal", loading_flag, offsetof(struct relationship, ordinal_key), false },
	{ 0 },
};
TABLE(child_members, read_child)

LIST(read_before, struct relationship, loading_field, before, before_count)
static const struct member array_members[] = {
	{ "path", loading_field, offsetof(struct relationship, path), true },
	{ "after", read_before, 0, false },
	{ "order", loading_document, offsetof(struct relationship, order), false },
	{ 0 },
};
TABLE(array_members, read_array)

static bool read_name_or_null(struct loading *l, struct value v, void *target)
{
	return v.type == BSON_TYPE_NULL || loading_field(l, v, target);
}

/* ["child", "element"], either null; "*" last: whatever else there is, under its own name. */
static bool read_field(struct loading *l, struct value v, void *target)
{
	struct field_map_entry *entry = target;
	bool (*const read)(struct loading *, struct value, void *) = read_name_or_null;
	bool good = true;

	if (!value_is_array(v) || value_count(v) != 2)
		return loading_fail(l, "expected [child's field, element's field] or \"*\"");
	for (size_t i = 0; i < 2 && good; i++) {
		loading_enter_at(l, i);
		good = read(l, value_get(v, i ? "1" : "0"), i ? &entry->element : &entry->child);
		loading_leave(l);
	}
	if (good && !entry->child && !entry->element)
		return loading_fail(l, "a line of the field map names no field");
	return good;
}

static bool read_fields(struct loading *l, struct value v, void *target)
{
	struct relationship *r = target;
	struct bytes pairs = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field f;
	struct value named;
	bool good;

	if (!value_is_array(v))
		return loading_fail(l, "expected an array");
	writer_begin(&w, &pairs);
	walk_begin(&walk, v);
	while (walk_next(&walk, &f)) {
		if (f.value.type == BSON_TYPE_UTF8 && key_is(value_text(f.value), "*")) {
			r->keeps_other_fields = true;
		} else if (r->keeps_other_fields) {
			bytes_clear(&pairs);
			return loading_fail(l, "nothing may stand after \"*\"");
		} else {
			writer_value(&w, f.key, f.value);
		}
	}
	named = writer_finish(&w);
	named.type = BSON_TYPE_ARRAY;
	good = loading_list(l, named, sizeof *r->fields, read_field, &r->fields, &r->field_count);
	bytes_clear(&pairs);
	return good;
}

static const struct member population_members[] = {
	{ "parents", loading_count, offsetof(struct relationship, population_parents), true },
	{ "children", loading_count, offsetof(struct relationship, population_children), true },
	{ "zipf", loading_rate, offsetof(struct relationship, zipf_exponent), true },
	{ "element", loading_document, offsetof(struct relationship, element_example), true },
	{ 0 },
};

static bool read_population(struct loading *l, struct value v, void *target)
{
	struct relationship *r = target;

	r->population = true;
	return loading_members(l, v, population_members, r);
}

/* Of any type: as a document {"": value}. */
static bool read_value(struct loading *l, struct value v, void *target)
{
	struct writer w;

	(void)l;
	writer_begin(&w, target);
	writer_put(&w, "", v);
	writer_finish(&w);
	return true;
}

LIST(read_without, struct relationship, loading_field, growth_without, growth_without_count)
static const struct member growth_members[] = {
	{ "parent", read_value, offsetof(struct relationship, growth_parent), false },
	{ "child", loading_document, offsetof(struct relationship, growth_child), false },
	{ "without", read_without, 0, false },
	{ 0 },
};
TABLE(growth_members, read_growth)

static const struct member relationship_members[] = {
	{ "name", loading_identifier, offsetof(struct relationship, name), true },
	{ "note", loading_text, offsetof(struct relationship, note), false },
	{ "origin", loading_shape, offsetof(struct relationship, origin), true },
	{ "parent", read_parent, 0, true },
	{ "child", read_child, 0, true },
	{ "array", read_array, 0, true },
	{ "fields", read_fields, 0, true },
	{ "population", read_population, 0, false },
	{ "growth", read_growth, 0, false },
	{ 0 },
};

static const struct field_map_entry *mapped_child(const struct relationship *r, const char *child)
{
	for (size_t i = 0; i < r->field_count; i++)
		if (r->fields[i].child && !strcmp(r->fields[i].child, child))
			return &r->fields[i];
	return NULL;
}

/* Without these the two shapes would not hold the same information. */
static bool check_fields(struct loading *l, const struct relationship *r)
{
	const struct field_map_entry *key = mapped_child(r, r->child_key),
	                             *parent_key = mapped_child(r, r->child_parent_key);

	if (!parent_key || parent_key->element)
		return loading_fail(l, "expected [\"%s\", null]: an element needs no key of its parent",
		                    r->child_parent_key);
	if (r->ordinal_key && (!key || key->element))
		return loading_fail(l, "expected [\"%s\", null]: with \"ordinal\" the key is the position",
		                    r->child_key);
	if (!r->ordinal_key && (key ? !key->element : !r->keeps_other_fields))
		return loading_fail(l, "the child's key \"%s\" is dropped; without it children cannot be told apart",
		                    r->child_key);
	for (size_t i = 0; i < r->field_count; i++) {
		const struct field_map_entry *entry = &r->fields[i];

		for (size_t k = 0; k < r->field_count; k++) {
			const struct field_map_entry *other = &r->fields[k];

			if (k != i && entry->child && other->child && !strcmp(entry->child, other->child))
				return loading_fail(l, "the child's field \"%s\" is mapped twice", entry->child);
			if (k != i && entry->element && other->element && !strcmp(entry->element, other->element))
				return loading_fail(l, "the element's field \"%s\" is mapped twice", entry->element);
			if (k != i && r->keeps_other_fields && entry->child && other->element &&
			    !strcmp(entry->child, other->element))
				return loading_fail(l, "with \"*\" the name \"%s\" cannot stand for two fields",
				                    entry->child);
		}
	}
	return true;
}

static bool read_relationship(struct loading *l, struct value v, void *target)
{
	struct relationship *r = target;
	bool good;

	if (!loading_members(l, v, relationship_members, r))
		return false;
	if (!strcmp(r->parent, r->child))
		return loading_fail(l, "parent and child are the same collection \"%s\"", r->parent);
	for (const struct relationship *other = l->model->relationships; other < r; other++)
		if (!strcmp(other->name, r->name))
			return loading_fail(l, "a second relationship \"%s\"", r->name);
	loading_enter(l, "fields");
	good = check_fields(l, r);
	loading_leave(l);
	return good;
}

/* Operations */

static bool read_type(struct loading *l, struct value v, void *target)
{
	enum operation_type *type = target;

	if (v.type == BSON_TYPE_UTF8 && key_is(value_text(v), "read"))
		*type = OPERATION_READ;
	else if (v.type == BSON_TYPE_UTF8 && key_is(value_text(v), "write"))
		*type = OPERATION_WRITE;
	else
		return loading_fail(l, "expected \"read\" or \"write\"");
	return true;
}

static bool read_command(struct loading *l, struct value v, void *target)
{
	struct walk w;
	struct field first;

	if (!loading_document(l, v, target))
		return false;
	walk_begin(&w, v);
	if (!walk_next(&w, &first))
		return loading_fail(l, "expected a command, found an empty object");
	if (first.value.type != BSON_TYPE_UTF8 && !value_is_number(first.value))
		return loading_fail(
		        l, "expected a command such as {\"find\": \"books\"}: its first field names the collection");
	return true;
}

LIST(read_commands, struct command_set, read_command, commands, command_count)
static const struct member set_members[] = {
	{ "relationship", loading_text, offsetof(struct command_set, relationship), false },
	{ "shape", loading_shape, offsetof(struct command_set, shape), false },
	{ "run", read_commands, 0, true },
	{ 0 },
};

/* For errors that only show when a command is filled. */
static void note_lines(struct loading *l, struct command_set *set)
{
	set->lines = memory_allocate_zeroed(set->command_count, sizeof *set->lines);
	loading_enter(l, "run");
	for (size_t i = 0; i < set->command_count; i++) {
		loading_enter_at(l, i);
		set->lines[i] = loading_line(l);
		loading_leave(l);
	}
	loading_leave(l);
}

static bool read_set(struct loading *l, struct value v, void *target)
{
	struct command_set *set = target;
	bool shape_given;

	if (!loading_members(l, v, set_members, set))
		return false;
	shape_given = !value_is_missing(value_get(v, "shape"));
	if (!set->relationship != !shape_given)
		return loading_fail(l, "\"relationship\" and \"shape\" go together");
	if (!set->command_count)
		return loading_fail(l, "\"run\" is empty");
	note_lines(l, set);
	return true;
}

LIST(read_sets, struct operation, read_set, sets, set_count)
static const struct member operation_members[] = {
	{ "name", loading_text, offsetof(struct operation, name), true },
	{ "type", read_type, offsetof(struct operation, type), true },
	{ "frequency", loading_text, offsetof(struct operation, frequency), true },
	{ "perSecond", loading_rate, offsetof(struct operation, per_second), false },
	{ "together", loading_text, offsetof(struct operation, together), true },
	{ "draw", read_command, offsetof(struct operation, draw), false },
	{ "commands", read_sets, 0, true },
	{ 0 },
};

static bool read_operation(struct loading *l, struct value v, void *target)
{
	struct operation *o = target;

	o->per_second = -1;
	if (!loading_members(l, v, operation_members, o))
		return false;
	for (const struct operation *other = l->model->operations; other < o; other++)
		if (!strcmp(other->name, o->name))
			return loading_fail(l, "a second operation \"%s\"", o->name);
	return true;
}

/* The table of copies */

static const struct member copy_members[] = {
	{ "copy", loading_text, offsetof(struct copy_row, copy), true },
	{ "source", loading_text, offsetof(struct copy_row, source), true },
	{ "onChange", loading_text, offsetof(struct copy_row, on_change), true },
	{ 0 },
};
TABLE(copy_members, read_copy)

/* Indexes */

struct index_line {
	struct index_row row;
	struct bytes key;
	char *name;
	bool unique;
};

static const struct member index_members[] = {
	{ "collection", loading_collection, offsetof(struct index_line, row.collection), true },
	{ "key", loading_document, offsetof(struct index_line, key), true },
	{ "name", loading_text, offsetof(struct index_line, name), false },
	{ "unique", loading_flag, offsetof(struct index_line, unique), false },
	{ "for", loading_text, offsetof(struct index_line, row.why), true },
	{ 0 },
};

/* The name that drivers make: "bookId_1_reviewedAt_-1". */
static bool default_index_name(struct loading *l, struct value key, struct bytes *name)
{
	struct walk w;
	struct field f;

	walk_begin(&w, key);
	while (walk_next(&w, &f)) {
		int64_t direction;

		if (!value_as_int64(f.value, &direction) || (direction != 1 && direction != -1))
			return loading_fail(l, "expected 1 or -1 for each field of an index");
		if (name->size)
			bytes_append_byte(name, '_');
		bytes_append(name, f.key.bytes, f.key.size_bytes);
		bytes_format(name, "_%d", (int)direction);
	}
	return name->size > 0 || loading_fail(l, "an index without fields");
}

static bool make_specification(struct loading *l, struct index_line *line)
{
	struct bytes name = BYTES_INIT;
	struct value key;
	bool good;

	value_document(&key, line->key.data, line->key.size);
	loading_enter(l, "key");
	good = default_index_name(l, key, &name);
	loading_leave(l);
	if (good) {
		struct writer w;

		writer_begin(&w, &line->row.specification);
		writer_put(&w, "key", key);
		writer_text(&w, "name", line->name ? line->name : bytes_text(&name));
		if (line->unique)
			writer_bool(&w, "unique", true);
		writer_finish(&w);
	}
	bytes_clear(&name);
	return good;
}

static bool read_index(struct loading *l, struct value v, void *target)
{
	struct index_line line = { 0 };
	bool good = loading_members(l, v, index_members, &line) && make_specification(l, &line);

	*(struct index_row *)target = line.row;
	bytes_clear(&line.key);
	free(line.name);
	return good;
}

/* The file */

LIST(read_relationships, struct model, read_relationship, relationships, relationship_count)
LIST(read_operations, struct model, read_operation, operations, operation_count)
LIST(read_copies, struct model, read_copy, copies, copy_count)
LIST(read_indexes, struct model, read_index, indexes, index_count)
static const struct member model_members[] = {
	{ "database", loading_identifier, offsetof(struct model, database), true },
	{ "documentLimit", loading_count, offsetof(struct model, document_limit_bytes), false },
	{ "indexes", read_indexes, 0, false },
	{ "relationships", read_relationships, 0, true },
	{ "operations", read_operations, 0, true },
	{ "copies", read_copies, 0, false },
	{ 0 },
};

static bool check_set(struct loading *l, const struct operation *o, const struct command_set *set)
{
	if (set->relationship && !model_relationship(l->model, set->relationship, NULL))
		return loading_fail(l, "unknown relationship \"%s\"", set->relationship);
	for (const struct command_set *other = o->sets; other < set; other++)
		if (!other->relationship == !set->relationship &&
		    (!set->relationship ||
		     (other->shape == set->shape && !strcmp(other->relationship, set->relationship))))
			return loading_fail(l, "a second set of commands for the same relationship and shape");
	return true;
}

/* What can only be said once the whole file is there. */
static bool check_model(struct loading *l)
{
	bool good = true;

	if (!l->model->relationship_count)
		return loading_fail(l, "expected at least one relationship");

	loading_enter(l, "operations");
	for (size_t i = 0; i < l->model->operation_count && good; i++) {
		const struct operation *o = &l->model->operations[i];

		loading_enter_at(l, i);
		loading_enter(l, "commands");
		for (size_t s = 0; s < o->set_count && good; s++) {
			loading_enter_at(l, s);
			good = check_set(l, o, &o->sets[s]);
			loading_leave(l);
		}
		loading_leave(l);
		loading_leave(l);
	}
	loading_leave(l);
	return good;
}

struct model *model_read(const char *name, const char *text, size_t size_bytes, bson_error_t *error)
{
	struct model *m = memory_allocate_zeroed(1, sizeof *m);
	struct loading l = { .name = name, .text = text, .size_bytes = size_bytes, .model = m, .error = error };
	struct bytes document = BYTES_INIT;
	struct value root;
	bool good;

	m->name = memory_duplicate_text(name);
	m->document_limit_bytes = LIMIT_USER_BYTES;
	good = read_document(name, text, size_bytes, &document, error) &&
	       value_document(&root, document.data, document.size) && loading_members(&l, root, model_members, m) &&
	       check_model(&l);
	bytes_clear(&document);
	if (!good) {
		model_destroy(m);
		return NULL;
	}
	for (size_t i = 0; i < m->relationship_count; i++) {
		struct relationship *r = &m->relationships[i];

		model_indexes(m, r->parent, &r->parent_indexes);
		model_indexes(m, r->child, &r->child_indexes);
	}
	return m;
}
