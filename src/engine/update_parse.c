/* An update document becomes a tree over path components; conflicts show when a leaf would stand on another's way. */
#include <stdlib.h>
#include <string.h>

#include "engine/update_private.h"

#include "base/memory.h"
#include "bson/print.h"
#include "engine/match_private.h"

enum { PATH_LENGTH_LIMIT = 200 };

static const struct update_operator operators[] = {
	{ "$set", UPDATE_CREATES, NULL, update_apply_set, NULL },
	{ "$setOnInsert", UPDATE_CREATES | UPDATE_ON_INSERT_ONLY, NULL, update_apply_set, NULL },
	{ "$unset", UPDATE_ANY_PATH, NULL, update_apply_unset, NULL },
	{ "$inc", UPDATE_CREATES, update_parse_number, update_apply_arithmetic, NULL },
	{ "$mul", UPDATE_CREATES, update_parse_number, update_apply_arithmetic, NULL },
	{ "$min", UPDATE_CREATES, NULL, update_apply_extreme, NULL },
	{ "$max", UPDATE_CREATES, NULL, update_apply_extreme, NULL },
	{ "$currentDate", UPDATE_CREATES, update_parse_current_date, update_apply_current_date, NULL },
	{ "$bit", UPDATE_CREATES, update_parse_bit, update_apply_bit, NULL },
	{ "$rename", UPDATE_CREATES, update_parse_rename, update_apply_rename, NULL },
	{ "$push", UPDATE_CREATES, update_parse_push, update_apply_push, update_destroy_push },
	{ "$addToSet", UPDATE_CREATES, update_parse_add_to_set, update_apply_add_to_set, NULL },
	{ "$pop", 0, update_parse_pop, update_apply_pop, NULL },
	{ "$pull", 0, update_parse_pull, update_apply_pull, update_destroy_pull },
	{ "$pullAll", 0, update_parse_pull_all, update_apply_pull_all, NULL },
};

const struct update_operator update_rename_source = { "$rename", UPDATE_ANY_PATH, NULL, update_apply_rename_source,
                                                      NULL };

const struct update_operator *update_operator_find(struct key name)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (key_is(name, operators[i].name))
			return &operators[i];
	return NULL;
}

static void node_destroy(struct update_node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->child_count; i++)
		node_destroy((struct update_node *)(uintptr_t)node->children[i].node);
	if (node->compiled && node->operator->destroy)
		node->operator->destroy(node->compiled);
	else
		free(node->compiled);
	free(node->children);
	free(node);
}

static int compare_keys(struct key a, struct key b)
{
	size_t common = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
	int difference = common ? memcmp(a.bytes, b.bytes, common) : 0;

	return difference ? difference : (a.size_bytes > b.size_bytes) - (a.size_bytes < b.size_bytes);
}

/* Where `key` is or belongs. */
static size_t child_place(const struct update_node *node, struct key key, bool *there)
{
	size_t low = 0, high = node->child_count;

	*there = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_keys(key, node->children[middle].key);

		if (order == 0) {
			*there = true;
			return middle;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static struct update_node *add_child(struct update_node *node, size_t place, struct key key)
{
	struct update_node *child = memory_allocate_zeroed(1, sizeof *child);

	node->children = memory_resize(node->children, node->child_count + 1, sizeof *node->children);
	memmove(node->children + place + 1, node->children + place, (node->child_count - place) * sizeof *node->children);
	node->children[place] = (struct update_child){ key, child };
	node->child_count++;
	return child;
}

/* $[] and $[identifier] */
static bool is_filtered(struct key component, struct key *identifier)
{
	if (component.size_bytes < 3 || memcmp(component.bytes, "$[", 2) || component.bytes[component.size_bytes - 1] != ']')
		return false;
	*identifier = (struct key){ component.bytes + 2, component.size_bytes - 3 };
	return true;
}

static size_t split(struct key dotted, struct key parts[PATH_LENGTH_LIMIT])
{
	size_t count = 0;
	uint32_t start = 0;

	for (uint32_t i = 0; i <= dotted.size_bytes; i++) {
		if (i < dotted.size_bytes && dotted.bytes[i] != '.')
			continue;
		if (count == PATH_LENGTH_LIMIT)
			return 0;
		parts[count++] = (struct key){ dotted.bytes + start, i - start };
		start = i + 1;
	}
	return count;
}

static bool check_parts(struct key path, const struct key *parts, size_t count, bson_error_t *error)
{
	struct key identifier;
	size_t positional = 0;

	if (!count)
		return error_set(error, ERROR_SERVER, CODE_Overflow, "Document exceeds maximum nested object depth of %d",
		                 PATH_LENGTH_LIMIT);
	if (!path.size_bytes)
		return error_set(error, ERROR_SERVER, CODE_EmptyFieldName, "An empty update path is not valid.");
	for (size_t i = 0; i < count; i++) {
		if (!parts[i].size_bytes)
			return error_set(error, ERROR_SERVER, CODE_EmptyFieldName,
			                 "The update path '%.*s' contains an empty field name, which is not allowed.",
			                 (int)path.size_bytes, path.bytes);
		positional += key_is(parts[i], "$");
	}
	if (key_is(parts[0], "$"))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "Cannot have positional (i.e. '$') element in the first position in path '%.*s'",
		                 (int)path.size_bytes, path.bytes);
	if (positional > 1)
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "Too many positional (i.e. '$') elements found in path '%.*s'", (int)path.size_bytes,
		                 path.bytes);
	if (is_filtered(parts[0], &identifier))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in "
		                 "path '%.*s'", (int)path.size_bytes, path.bytes);
	if (parts[0].bytes[0] == '$')
		return error_set(error, ERROR_SERVER, CODE_DollarPrefixedFieldName,
		                 "The dollar ($) prefixed field '%.*s' in '%.*s' is not valid for storage.",
		                 (int)parts[0].size_bytes, parts[0].bytes, (int)path.size_bytes, path.bytes);
	return true;
}

static bool conflict(struct key path, size_t prefix_bytes, bson_error_t *error)
{
	return error_set(error, ERROR_SERVER, CODE_ConflictingUpdateOperators,
	                 "Updating the path '%.*s' would create a conflict at '%.*s'", (int)path.size_bytes, path.bytes,
	                 (int)prefix_bytes, path.bytes);
}

static bool check_identifier(struct update *u, struct key identifier, struct key path, bson_error_t *error)
{
	if (!identifier.size_bytes)
		return true;
	for (size_t i = 0; i < u->filter_count; i++)
		if (key_equal(u->filters[i].identifier, identifier)) {
			u->filters[i].used = true;
			return true;
		}
	return error_set(error, ERROR_SERVER, CODE_BadValue, "No array filter found for identifier '%.*s' in path '%.*s'",
	                 (int)identifier.size_bytes, identifier.bytes, (int)path.size_bytes, path.bytes);
}

/* Makes the way to a new leaf. Null with the reason. */
static struct update_node *add_leaf(struct update *u, struct key path, bson_error_t *error)
{
	struct key parts[PATH_LENGTH_LIMIT];
	size_t count = split(path, parts);
	struct update_node *node = u->root;

	if (!check_parts(path, parts, count, error))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		struct key key = parts[i];
		bool filtered = is_filtered(parts[i], &key), there;
		size_t place;

		if (filtered && !check_identifier(u, key, path, error))
			return NULL;
		if (node->kind == UPDATE_LEAF ||
		    (node->child_count && node->kind != (filtered ? UPDATE_ELEMENTS : UPDATE_FIELDS))) {
			conflict(path, (size_t)(parts[i].bytes - path.bytes) - 1, error);
			return NULL;
		}
		node->kind = filtered ? UPDATE_ELEMENTS : UPDATE_FIELDS;
		if (!filtered && key_is(key, "$"))
			node->positional = u->needs_position = true;
		place = child_place(node, key, &there);
		if (!there)
			node = add_child(node, place, key);
		else if (i + 1 < count)
			node = (struct update_node *)(uintptr_t)node->children[place].node;
		else {
			conflict(path, path.size_bytes, error);
			return NULL;
		}
	}
	node->kind = UPDATE_LEAF;
	node->path = path;
	return node;
}

/* A rename is a leaf at its target; the source is held by a leaf of its own. */
static bool add_rename(struct update *u, const struct update_operator *operator, struct field f, bson_error_t *error)
{
	struct update_node check = { .kind = UPDATE_LEAF, .operator = operator, .path = f.key, .operand = f.value };
	struct update_node *source, *target;
	struct arena a;

	if (!update_parse_rename(&check, error))
		return false;
	source = add_leaf(u, f.key, error);
	if (!source)
		return false;
	source->operator = &update_rename_source;
	target = add_leaf(u, value_text(f.value), error);
	if (!target)
		return false;
	target->operator = operator;
	/* the target's operand is the source path, as a text value; it lives with the leaf */
	arena_init(&a);
	target->compiled = memory_duplicate(value_make_text(&a, f.key.bytes, f.key.size_bytes).bytes, f.key.size_bytes + 5);
	target->operand = (struct value){ target->compiled, f.key.size_bytes + 5, BSON_TYPE_UTF8 };
	arena_clear(&a);
	return true;
}

static bool add_operator(struct update *u, const struct update_operator *operator, struct value fields,
                         bson_error_t *error)
{
	struct walk w;
	struct field f;

	walk_begin(&w, fields);
	while (walk_next(&w, &f)) {
		struct update_node *leaf;

		if (operator->apply == update_apply_rename) {
			if (!add_rename(u, operator, f, error))
				return false;
			continue;
		}
		leaf = add_leaf(u, f.key, error);
		if (!leaf)
			return false;
		leaf->operator = operator;
		leaf->operand = f.value;
		if (operator->parse && !operator->parse(leaf, error))
			return false;
	}
	return true;
}

static bool compile_operators(struct update *u, bson_error_t *error)
{
	struct walk w;
	struct field f;

	u->root = memory_allocate_zeroed(1, sizeof *u->root);
	walk_begin(&w, u->value);
	while (walk_next(&w, &f)) {
		const struct update_operator *operator = update_operator_find(f.key);
		char element[160], name[80];

		if (!operator)
			return error_set(error, ERROR_SERVER, CODE_FailedToParse,
			                 "Unknown modifier: %.*s. Expected a valid update modifier or pipeline-style update "
			                 "specified as an array", (int)f.key.size_bytes, f.key.bytes);
		if (f.value.type != BSON_TYPE_DOCUMENT) {
			snprintf(name, sizeof name, "%s", operator->name);
			return error_set(error, ERROR_SERVER, CODE_FailedToParse,
			                 "Modifiers operate on fields but we found type %s instead. For example: {$mod: {<field>: "
			                 "...}} not {%s}", value_type_name(f.value.type),
			                 match_print_element(name, f.value, element, sizeof element));
		}
		if (!add_operator(u, operator, f.value, error))
			return false;
	}
	return true;
}

bool update_check_filter(const struct match *m, bson_error_t *error)
{
	if (m->kind == MATCH_EXPR || m->kind == MATCH_JSON_SCHEMA)
		return error_set(error, ERROR_SERVER, 224, "%s is not allowed in this context",
		                 m->kind == MATCH_EXPR ? "$expr" : "$jsonSchema");
	for (size_t i = 0; i < m->child_count; i++)
		if (!update_check_filter(m->children[i], error))
			return false;
	return true;
}

/* The one name that all paths of an array filter begin with. */
static bool find_identifier(const struct match *m, struct key *identifier, bson_error_t *error)
{
	if (m->path.count) {
		struct key first = m->path.keys[0];

		if (identifier->bytes && !key_equal(*identifier, first))
			return error_set(error, ERROR_SERVER, CODE_FailedToParse,
			                 "Error parsing array filter :: caused by :: Expected a single top-level field name, found "
			                 "'%.*s' and '%.*s'", (int)identifier->size_bytes, identifier->bytes,
			                 (int)first.size_bytes, first.bytes);
		*identifier = first;
		return true;
	}
	for (size_t i = 0; i < m->child_count; i++)
		if (!find_identifier(m->children[i], identifier, error))
			return false;
	return true;
}

static bool identifier_is_good(struct key identifier)
{
	if (!identifier.size_bytes || identifier.bytes[0] < 'a' || identifier.bytes[0] > 'z')
		return false;
	for (uint32_t i = 0; i < identifier.size_bytes; i++) {
		char c = identifier.bytes[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')))
			return false;
	}
	return true;
}

static bool add_filter(struct update *u, struct value filter, bson_error_t *error)
{
	struct array_filter *slot = &u->filters[u->filter_count];
	bson_error_t reason;

	if (filter.type != BSON_TYPE_DOCUMENT)
		return error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "BSON field 'update.updates.arrayFilters.%zu' is the wrong type '%s', expected type 'object'",
		                 u->filter_count, value_type_name(filter.type));
	slot->match = match_compile(filter, NULL, &reason);
	if (!slot->match)
		return error_set(error, ERROR_SERVER, reason.code, "Error parsing array filter :: caused by :: %s",
		                 reason.message);
	u->filter_count++;
	slot->identifier = (struct key){ NULL, 0 };
	if (!update_check_filter(slot->match, error) || !find_identifier(slot->match, &slot->identifier, error))
		return false;
	if (!slot->identifier.bytes)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "Cannot use an expression without a top-level field name in arrayFilters");
	if (!identifier_is_good(slot->identifier))
		return error_set(error, ERROR_SERVER, CODE_BadValue,
		                 "Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric "
		                 "string beginning with a lowercase letter, found '%.*s'", (int)slot->identifier.size_bytes,
		                 slot->identifier.bytes);
	for (size_t i = 0; i + 1 < u->filter_count; i++)
		if (key_equal(u->filters[i].identifier, slot->identifier))
			return error_set(error, ERROR_SERVER, CODE_FailedToParse,
			                 "Found multiple array filters with the same top-level field name %.*s",
			                 (int)slot->identifier.size_bytes, slot->identifier.bytes);
	return true;
}

static bool compile_filters(struct update *u, struct value filters, bson_error_t *error)
{
	struct walk w;
	struct field f;

	if (filters.type != BSON_TYPE_ARRAY)
		return value_is_missing(filters) ||
		       error_set(error, ERROR_SERVER, CODE_TypeMismatch,
		                 "BSON field 'update.updates.arrayFilters' is the wrong type '%s', expected type 'array'",
		                 value_type_name(filters.type));
	u->filters = memory_allocate_zeroed(value_count(filters), sizeof *u->filters);
	walk_begin(&w, filters);
	while (walk_next(&w, &f))
		if (!add_filter(u, f.value, error))
			return false;
	return true;
}

static bool check_filters_used(const struct update *u, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	bool used = true;

	for (size_t i = 0; i < u->filter_count && used; i++) {
		if (u->filters[i].used)
			continue;
		print_line(&text, u->value, PRINT_SERVER);
		used = error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "The array filter for identifier '%.*s' was not used in the update %s",
		                 (int)u->filters[i].identifier.size_bytes, u->filters[i].identifier.bytes, bytes_text(&text));
	}
	bytes_clear(&text);
	return used;
}

static bool check_replacement(const struct update *u, bson_error_t *error)
{
	struct walk w;
	struct field f;

	walk_begin(&w, u->value);
	while (walk_next(&w, &f))
		if (f.key.size_bytes && f.key.bytes[0] == '$')
			return error_set(error, ERROR_SERVER, CODE_DollarPrefixedFieldName,
			                 "The dollar ($) prefixed field '%.*s' in '%.*s' is not allowed in the context of an "
			                 "update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
			                 (int)f.key.size_bytes, f.key.bytes, (int)f.key.size_bytes, f.key.bytes);
	return true;
}

static bool compile(struct update *u, struct value array_filters, const struct expression_scope *scope,
                    bson_error_t *error)
{
	struct walk w;
	struct field first;

	if (u->value.type == BSON_TYPE_ARRAY) {
		if (!value_is_missing(array_filters))
			return error_set(error, ERROR_SERVER, CODE_FailedToParse,
			                 "arrayFilters may not be specified for pipeline-syle updates");
		u->pipeline = update_pipeline_compile(u->value, scope, error);
		return u->pipeline;
	}
	if (u->value.type != BSON_TYPE_DOCUMENT)
		return error_set(error, ERROR_SERVER, CODE_FailedToParse,
		                 "Update argument must be either an object or an array");
	if (!compile_filters(u, array_filters, error))
		return false;
	walk_begin(&w, u->value);
	if (!walk_next(&w, &first) || !first.key.size_bytes || first.key.bytes[0] != '$')
		return check_replacement(u, error) && check_filters_used(u, error);
	return compile_operators(u, error) && check_filters_used(u, error);
}

struct update *update_compile(struct value u, struct value array_filters, const struct expression_scope *scope,
                              bson_error_t *error)
{
	struct update *update = memory_allocate_zeroed(1, sizeof *update);

	bytes_append(&update->source, u.bytes, u.size_bytes);
	update->value = (struct value){ update->source.data, u.size_bytes, u.type };
	if (compile(update, array_filters, scope, error))
		return update;
	update_destroy(update);
	return NULL;
}

void update_destroy(struct update *u)
{
	if (!u)
		return;
	node_destroy(u->root);
	for (size_t i = 0; i < u->filter_count; i++)
		match_destroy(u->filters[i].match);
	free(u->filters);
	update_pipeline_destroy(u->pipeline);
	bytes_clear(&u->source);
	free(u);
}

bool update_is_replacement(const struct update *u)
{
	return !u->root && !u->pipeline;
}
