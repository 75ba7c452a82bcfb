#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/value.h"
#include "engine/expression.h"
#include "engine/index.h"
#include "engine/pipeline_stage.h"

struct pipeline_join {
	char *field;
	struct expression *value; /* of variables only */
};

void pipeline_joins_clear(struct pipeline *p)
{
	for (size_t i = 0; i < p->join_count; i++) {
		free(p->joins[i].field);
		expression_destroy(p->joins[i].value);
	}
	free(p->joins);
	arena_clear(&p->join_arena);
	p->joins = NULL;
	p->join_count = p->join_capacity = 0;
}

static bool is_field_path(struct value v)
{
	struct key text = v.type == BSON_TYPE_UTF8 ? value_text(v) : key_of("");

	return text.size_bytes > 1 && text.bytes[0] == '$' && text.bytes[1] != '$';
}

static void note_read(void *read, const char *path)
{
	(void)path;
	*(bool *)read = true;
}

static bool add_join(struct pipeline *p, struct value field, struct value other, bson_error_t *error)
{
	struct expression *e = expression_compile(other, p->scope, error);
	struct key path = value_text(field);
	bool reads_document = false;

	if (!e)
		return false;
	if (!expression_dependencies(e, note_read, &reads_document) || reads_document) {
		expression_destroy(e);
		return true;
	}
	p->joins = memory_grow(p->joins, &p->join_capacity, p->join_count + 1, sizeof *p->joins);
	p->joins[p->join_count++] = (struct pipeline_join){ memory_duplicate_text(path.bytes + 1), e };
	return true;
}

/* {$eq: [a, b]} or {$and: [{$eq: …}, …]} */
static bool find_in_expression(struct pipeline *p, struct value expression, int depth, bson_error_t *error)
{
	struct value equal, all;
	struct walk w;
	struct field a, b, f;

	if (!value_is_document(expression) || value_count(expression) != 1 || depth > VALUE_DEPTH_LIMIT)
		return true;
	all = value_get(expression, "$and");
	if (value_is_array(all)) {
		for (walk_begin(&w, all); walk_next(&w, &f);)
			if (!find_in_expression(p, f.value, depth + 1, error))
				return false;
		return true;
	}
	equal = value_get(expression, "$eq");
	if (!value_is_array(equal) || value_count(equal) != 2)
		return true;
	walk_begin(&w, equal);
	walk_next(&w, &a);
	walk_next(&w, &b);
	if (is_field_path(a.value) && !is_field_path(b.value))
		return add_join(p, a.value, b.value, error);
	return is_field_path(b.value) && !is_field_path(a.value) ? add_join(p, b.value, a.value, error) : true;
}

static bool find_in_filter(struct pipeline *p, struct value filter, int depth, bson_error_t *error)
{
	struct walk w, elements;
	struct field f, element;

	if (depth > VALUE_DEPTH_LIMIT)
		return true;
	for (walk_begin(&w, filter); walk_next(&w, &f);) {
		if (key_is(f.key, "$expr") && !find_in_expression(p, f.value, depth, error))
			return false;
		if (!key_is(f.key, "$and") || !value_is_array(f.value))
			continue;
		for (walk_begin(&elements, f.value); walk_next(&elements, &element);)
			if (value_is_document(element.value) && !find_in_filter(p, element.value, depth + 1, error))
				return false;
	}
	return true;
}

bool pipeline_joins_find(struct pipeline *p, bson_error_t *error)
{
	struct value filter;

	if (!p->has_cursor || !p->filter_text.size)
		return true;
	value_document(&filter, p->filter_text.data, p->filter_text.size);
	return find_in_filter(p, filter, 0, error);
}

/* An index has the field, and none that has it ever saw an array there. */
static bool is_indexed_scalar(const struct collection *c, const char *field)
{
	bool indexed = false;

	for (size_t i = 0; c && i < c->index_count; i++) {
		if (c->indexes[i]->filter) /* it says nothing of the documents that it leaves out */
			continue;
		for (size_t j = 0; j < c->indexes[i]->field_count; j++) {
			if (strcmp(c->indexes[i]->fields[j].path.text, field))
				continue;
			if (c->indexes[i]->fields[j].array_components)
				return false;
			indexed = indexed || j == 0;
		}
	}
	return indexed;
}

static bool joins_by_index(struct value v)
{
	return !value_is_nullish(v) && !value_is_array(v) && v.type != BSON_TYPE_REGEX;
}

static void write_element(struct writer *w, struct value document)
{
	writer_value(w, key_of(""), document);
}

static bool write_joins(struct pipeline *p, struct writer *w)
{
	static const uint8_t nothing[5] = { 5, 0, 0, 0, 0 };
	const struct value empty = { nothing, sizeof nothing, BSON_TYPE_DOCUMENT };
	const struct collection *c = store_collection(p->execution->store, p->db, p->collection);
	struct value v;

	arena_reset(&p->join_arena);
	for (size_t i = 0; i < p->join_count; i++) {
		if (!is_indexed_scalar(c, p->joins[i].field))
			continue;
		if (!expression_evaluate(p->joins[i].value, p->execution, &p->join_arena, empty, &v))
			return false;
		if (!joins_by_index(v))
			continue;
		writer_begin_document(w, key_of(""));
		writer_begin_document(w, key_of(p->joins[i].field));
		writer_put(w, "$eq", v);
		writer_end(w);
		writer_end(w);
	}
	return true;
}

bool pipeline_joins_bind(struct pipeline *p, struct value predicate)
{
	struct value filter;
	struct writer w;

	bytes_reset(&p->bound_filter_text);
	if (!p->filter_text.size && !value_is_missing(predicate)) {
		bytes_append(&p->bound_filter_text, predicate.bytes, predicate.size_bytes);
		return true;
	}
	if (!p->join_count && value_is_missing(predicate)) {
		bytes_append(&p->bound_filter_text, p->filter_text.data, p->filter_text.size);
		return true;
	}
	value_document(&filter, p->filter_text.data, p->filter_text.size);
	writer_begin(&w, &p->bound_filter_text);
	writer_begin_array(&w, key_of("$and"));
	if (!value_is_missing(predicate))
		write_element(&w, predicate);
	write_element(&w, filter);
	if (!write_joins(p, &w))
		return false;
	writer_end(&w);
	writer_finish(&w);
	return true;
}
