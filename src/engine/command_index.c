/* createIndexes and dropIndexes. */
#include "engine/command.h"

#include <string.h>

#include "bson/compare.h"
#include "bson/print.h"
#include "engine/index.h"

static struct value specification_of(const struct index *i)
{
	struct value v = value_missing();

	value_document(&v, i->specification.data, i->specification.size);
	return v;
}

/* The same fields in the same order with the same directions: {a: 1} is {a: 1.0}. */
static bool same_pattern(struct value a, struct value b)
{
	return value_is_document(a) && value_is_document(b) && value_equal(a, b);
}

static bool same_flag(struct value a, struct value b, const char *name)
{
	return value_is_true(value_get(a, name)) == value_is_true(value_get(b, name));
}

static bool conflict(struct command_call *call, uint32_t code, const char *how, struct value wanted, struct value there)
{
	struct bytes text = BYTES_INIT;

	bytes_append_text(&text, how);
	bytes_append_text(&text, " Requested index: ");
	print_line(&text, wanted, PRINT_SERVER);
	bytes_append_text(&text, ", existing index: ");
	print_line(&text, there, PRINT_SERVER);
	command_fail(call, code, "%s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}

/* Sets *exists when the collection has that very index; fails on one that is in its way. */
static bool compare_with_existing(struct command_call *call, const struct collection *c, struct value wanted,
                                  bool *exists)
{
	struct value name = value_get(wanted, "name"), key = value_get(wanted, "key");

	*exists = false;
	for (size_t i = 0; i < c->index_count; i++) {
		struct value there = specification_of(c->indexes[i]);
		bool same_name = name.type == BSON_TYPE_UTF8 && key_is(value_text(name), c->indexes[i]->name);
		bool same_key = same_pattern(value_get(there, "key"), key);
		bool id_index = !strcmp(c->indexes[i]->name, "_id_");

		if (same_key && id_index) {
			*exists = true;
			return true;
		}
		if (same_name && !same_key)
			return conflict(call, CODE_IndexKeySpecsConflict,
			                "An existing index has the same name as the requested index. When index names are not "
			                "specified, they are auto generated and can cause conflicts. Please refer to our "
			                "documentation.", wanted, there);
		if (!same_key)
			continue;
		if (!same_flag(there, wanted, "unique") || !same_flag(there, wanted, "sparse"))
			return conflict(call, same_name ? CODE_IndexKeySpecsConflict : CODE_IndexOptionsConflict,
			                "An equivalent index already exists with different options.", wanted, there);
		if (!same_name)
			return command_fail(call, CODE_IndexOptionsConflict, "Index already exists with a different name: %s",
			                    c->indexes[i]->name);
		*exists = true;
		return true;
	}
	return true;
}

/* Every specification is good before the first index is built. */
static bool check_specifications(struct command_call *call, struct value specifications)
{
	struct walk w;
	struct field f;

	if (!value_count(specifications))
		return command_fail(call, CODE_BadValue, "Must specify at least one index to create");
	walk_begin(&w, specifications);
	while (walk_next(&w, &f)) {
		struct index *i;

		if (!value_is_document(f.value))
			return command_fail(call, CODE_TypeMismatch,
			                    "BSON field 'createIndexes.indexes.%.*s' is the wrong type '%s', expected type 'object'",
			                    (int)f.key.size_bytes, f.key.bytes, value_type_name(f.value.type));
		i = index_new(f.value, &call->error);
		if (!i)
			return false;
		index_destroy(i);
	}
	return true;
}

bool command_create_indexes(struct command_call *call)
{
	const char *name = command_collection(call);
	struct value specifications = value_get(call->command, "indexes");
	struct collection *c = store_collection(call->engine->store, call->db, name);
	bool created = !c, exists;
	size_t before;
	struct walk w;
	struct field f;

	if (!value_is_missing(command_option(call->command, "commitQuorum")))
		return command_fail(call, CODE_BadValue, "Standalones can't specify commitQuorum");
	if (!check_specifications(call, specifications) || !command_collection_to_write(call, name, &c))
		return false;
	before = c->index_count;
	walk_begin(&w, specifications);
	while (walk_next(&w, &f)) {
		bool ok = compare_with_existing(call, c, f.value, &exists) &&
		          (exists || collection_create_index(c, f.value, &call->error));

		if (ok)
			continue;
		while (c->index_count > before)
			collection_drop_index(c, c->indexes[c->index_count - 1]->name, NULL);
		return false;
	}
	writer_number(call->reply, "numIndexesBefore", (int64_t)before);
	writer_number(call->reply, "numIndexesAfter", (int64_t)c->index_count);
	if (c->index_count == before)
		writer_text(call->reply, "note", "all indexes already exist");
	else
		writer_bool(call->reply, "createdCollectionAutomatically", created);
	return true;
}

static const struct index *find_by_pattern(const struct collection *c, struct value pattern)
{
	for (size_t i = 0; i < c->index_count; i++)
		if (same_pattern(value_get(specification_of(c->indexes[i]), "key"), pattern))
			return c->indexes[i];
	return NULL;
}

static bool drop_all(struct command_call *call, struct collection *c)
{
	while (c->index_count > 1)
		if (!collection_drop_index(c, c->indexes[c->index_count - 1]->name, &call->error))
			return false;
	writer_text(call->reply, "msg", "non-_id indexes dropped for collection");
	return true;
}

/* One index by name or key pattern; null: call->error. */
static const struct index *find_to_drop(struct command_call *call, const struct collection *c, struct value which)
{
	const struct index *i = NULL;
	struct bytes text = BYTES_INIT;

	if (which.type == BSON_TYPE_UTF8) {
		i = collection_index(c, value_text(which).bytes);
		if (!i)
			command_fail(call, CODE_IndexNotFound, "index not found with name [%s]", value_text(which).bytes);
	} else if (value_is_document(which)) {
		i = find_by_pattern(c, which);
		print_line(&text, which, PRINT_SERVER);
		if (!i)
			command_fail(call, CODE_IndexNotFound, "can't find index with key: %s", bytes_text(&text));
		bytes_clear(&text);
	} else {
		command_fail(call, CODE_TypeMismatch,
		             "BSON field 'dropIndexes.index' is the wrong type '%s', expected types '[string, object, array']",
		             value_type_name(which.type));
	}
	if (i && i == c->indexes[0]) {
		command_fail(call, CODE_InvalidOptions, "cannot drop _id index");
		return NULL;
	}
	return i;
}

bool command_drop_indexes(struct command_call *call)
{
	const char *name = command_collection(call);
	struct collection *c = store_collection(call->engine->store, call->db, name);
	struct value which = value_get(call->command, "index");
	const struct index *i;
	struct walk w;
	struct field f;

	if (!c)
		return command_fail(call, CODE_NamespaceNotFound, "ns not found %s.%s", call->db, name);
	cursor_kill_collection(&call->engine->cursors, call->db, name);
	writer_number(call->reply, "nIndexesWas", (int64_t)c->index_count);
	if (which.type == BSON_TYPE_UTF8 && key_is(value_text(which), "*"))
		return drop_all(call, c);
	if (!value_is_array(which)) {
		i = find_to_drop(call, c, which);
		return i && collection_drop_index(c, i->name, &call->error);
	}
	walk_begin(&w, which);
	while (walk_next(&w, &f))
		if (!find_to_drop(call, c, f.value))
			return false;
	walk_begin(&w, which);
	while (walk_next(&w, &f)) {
		i = find_to_drop(call, c, f.value);
		if (!i || !collection_drop_index(c, i->name, &call->error))
			return false;
	}
	return true;
}
