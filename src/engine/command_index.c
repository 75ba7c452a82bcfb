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

/* {_id: 1} by any name and with any options that it may have is there already. */
static bool is_id_index(const struct collection *c, struct value wanted)
{
	return c->index_count && !strcmp(c->indexes[0]->name, "_id_") &&
	       same_pattern(index_key_pattern(c->indexes[0]), value_get(wanted, "key"));
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
	bool created = !c;
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
		if (is_id_index(c, f.value) || collection_create_index(c, f.value, &call->error))
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
