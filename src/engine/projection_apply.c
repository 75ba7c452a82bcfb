/* Applying: one walk over the raw document, copying spans of bytes. */
#include <string.h>

#include "engine/expression_internal.h"
#include "engine/projection_internal.h"

struct application {
	const struct projection *p;
	struct evaluation at;
	struct bytes *out;
	int64_t position;    /* of the element that the query matched */
	int depth;
};

static bool apply_document(struct application *a, const struct projection_node *n, struct value document,
                           bool positioned);

/* Most appends fit: no call then. */
static inline void append(struct bytes *out, const void *source, size_t size)
{
	if (size > out->capacity - out->size) {
		bytes_append(out, source, size);
		return;
	}
	if (size)
		memcpy(out->data + out->size, source, size);
	out->size += size;
}

static size_t begin(struct bytes *out)
{
	static const uint8_t room[4] = { 0 };
	size_t start = out->size;

	append(out, room, 4);
	return start;
}

static void end(struct bytes *out, size_t start)
{
	uint32_t size;

	append(out, "", 1);
	size = BSON_UINT32_TO_LE((uint32_t)(out->size - start));
	memcpy(out->data + start, &size, 4);
}

static void put_name(struct bytes *out, uint8_t type, struct key key)
{
	append(out, &type, 1);
	append(out, key.bytes, key.size_bytes);
	append(out, "", 1);
}

static void put(struct bytes *out, struct key key, struct value v)
{
	if (value_is_missing(v))
		return;
	put_name(out, v.type, key);
	append(out, v.bytes, v.size_bytes);
}

/* Type byte, name and payload lie together. */
static void put_field(struct bytes *out, struct field f)
{
	const uint8_t *start = (const uint8_t *)f.key.bytes - 1;

	append(out, start, (size_t)(f.value.bytes + f.value.size_bytes - start));
}

static struct key index_key(char buffer[12], uint32_t index)
{
	char *at = buffer + 12;

	do
		*--at = (char)('0' + index % 10);
	while (index /= 10);
	return (struct key){ at, (uint32_t)(buffer + 12 - at) };
}

static bool keeps_others(const struct application *a)
{
	return a->p->type == PROJECTION_KEEPS_OTHERS;
}

static bool deeper(struct application *a)
{
	if (a->depth >= VALUE_DEPTH_LIMIT)
		return execution_fail(a->at.x, CODE_Overflow, "document is nested deeper than %d levels", (int)VALUE_DEPTH_LIMIT);
	a->depth++;
	return true;
}

static bool apply_array(struct application *a, const struct projection_node *n, struct value array, bool positioned);

/* What a branch makes of a value; *absent when nothing, and nothing was written. */
static bool apply_branch(struct application *a, const struct projection_node *n, struct key key, struct value v,
                         bool positioned, bool *absent)
{
	bool ok;

	*absent = false;
	if (value_is_array(v)) {
		put_name(a->out, v.type, key);
		if (!deeper(a))
			return false;
		ok = apply_array(a, n, v, positioned);
		a->depth--;
		return ok;
	}
	if (value_is_document(v) || (n->computes && keeps_others(a))) {
		static const uint8_t nothing[5] = { 5 };
		struct value empty = { nothing, sizeof nothing, BSON_TYPE_DOCUMENT };

		put_name(a->out, BSON_TYPE_DOCUMENT, key);
		if (!deeper(a))
			return false;
		ok = apply_document(a, n, value_is_document(v) ? v : empty, positioned);
		a->depth--;
		return ok;
	}
	*absent = !keeps_others(a) || value_is_missing(v);
	if (!*absent)
		put(a->out, key, v);
	return true;
}

static bool apply_array(struct application *a, const struct projection_node *n, struct value array, bool positioned)
{
	bool picks = n->leads_to_positional && !positioned;
	size_t start = begin(a->out);
	uint32_t written = 0;
	int64_t i = 0;
	char buffer[12];
	struct walk w;
	struct field f;
	bool absent;

	walk_begin(&w, array);
	for (; walk_next(&w, &f); i++) {
		if (picks && i != a->position)
			continue;
		if (!apply_branch(a, n, index_key(buffer, written), f.value, true, &absent))
			return false;
		written += !absent;
	}
	if (picks && a->position >= i)
		return execution_fail(a->at.x, 51247, "positional operator '.$' element mismatch");
	end(a->out, start);
	return true;
}

static bool put_positional(struct application *a, struct field f, bool positioned)
{
	size_t start;
	struct walk w;
	struct field element;
	int64_t i = 0;

	if (positioned || !value_is_array(f.value)) {
		put_field(a->out, f);
		return true;
	}
	put_name(a->out, f.value.type, f.key);
	start = begin(a->out);
	walk_begin(&w, f.value);
	for (; walk_next(&w, &element); i++)
		if (i == a->position)
			put(a->out, key_of("0"), element.value);
	if (a->position >= i)
		return execution_fail(a->at.x, 51247, "positional operator '.$' element mismatch");
	end(a->out, start);
	return true;
}

static void put_slice(struct application *a, const struct projection_node *n, struct field f)
{
	int64_t size, from, to, i = 0;
	uint32_t written = 0;
	char buffer[12];
	size_t start;
	struct walk w;
	struct field element;

	if (!value_is_array(f.value)) {
		put_field(a->out, f);
		return;
	}
	size = value_count(f.value);
	if (!n->has_skip) {
		from = n->limit < 0 ? size + n->limit : 0;
		to = n->limit < 0 ? size : n->limit;
	} else {
		from = n->skip < 0 ? size + n->skip : n->skip;
		to = (from < 0 ? 0 : from) + n->limit;
	}
	put_name(a->out, f.value.type, f.key);
	start = begin(a->out);
	walk_begin(&w, f.value);
	for (; i < to && walk_next(&w, &element); i++)
		if (i >= from)
			put(a->out, index_key(buffer, written++), element.value);
	end(a->out, start);
}

/* The first element that matches, alone in an array. */
static bool put_elem_match(struct application *a, const struct projection_node *n, struct key key)
{
	int64_t position = -1;
	struct value array = value_get_key(a->at.root, key);
	struct walk w;
	struct field element;
	size_t start;

	if (!value_is_array(array) || !match_test_position(n->match, a->at.x, a->at.root, &position) || position < 0)
		return !a->at.x->failed;
	put_name(a->out, BSON_TYPE_ARRAY, key);
	start = begin(a->out);
	walk_begin(&w, array);
	for (int64_t i = 0; walk_next(&w, &element); i++)
		if (i == position)
			put(a->out, key_of("0"), element.value);
	end(a->out, start);
	return true;
}

static bool put_computed(struct application *a, const struct projection_node *n, struct key key)
{
	struct value v;

	if (!evaluate(n->expression, &a->at, &v))
		return false;
	put(a->out, key, v);
	return true;
}

/* A field that the specification names. *later: it is written after the document's own fields. */
static bool apply_field(struct application *a, const struct projection_node *n, struct field f, bool positioned,
                        bool *later)
{
	bool absent;

	*later = false;
	switch (n->kind) {
	case PROJECTION_INCLUDE:
		put_field(a->out, f);
		return true;
	case PROJECTION_EXCLUDE:
		return true;
	case PROJECTION_SLICE:
		put_slice(a, n, f);
		return true;
	case PROJECTION_POSITIONAL:
		return put_positional(a, f, positioned);
	case PROJECTION_EXPRESSION:
		*later = !keeps_others(a);
		return *later || put_computed(a, n, f.key);
	case PROJECTION_ELEM_MATCH:
		*later = !keeps_others(a);
		return *later || put_elem_match(a, n, f.key);
	case PROJECTION_BRANCH:
		if (!apply_branch(a, n, f.key, f.value, positioned, &absent))
			return false;
		*later = absent;
		return true;
	}
	return true;
}

/* What the document did not have, or what comes after its fields. */
static bool append_field(struct application *a, const struct projection_node *n)
{
	struct key key = { n->name, n->name_size_bytes };
	size_t start;

	if (n->kind == PROJECTION_EXPRESSION)
		return put_computed(a, n, key);
	if (n->kind == PROJECTION_ELEM_MATCH)
		return put_elem_match(a, n, key);
	if (n->kind != PROJECTION_BRANCH || !n->computes)
		return true;
	put_name(a->out, BSON_TYPE_DOCUMENT, key);
	start = begin(a->out);
	for (size_t i = 0; i < n->child_count; i++)
		if (!append_field(a, n->children[i]))
			return false;
	end(a->out, start);
	return true;
}

/* Looks at the child after the last one found first: specifications often have the document's order. */
static size_t child_index(const struct projection_node *n, struct key key, size_t hint)
{
	for (size_t tried = 0; tried < n->child_count; tried++) {
		size_t i = hint + tried < n->child_count ? hint + tried : hint + tried - n->child_count;
		const struct projection_node *child = n->children[i];

		if (child->name_size_bytes == key.size_bytes && !memcmp(child->name, key.bytes, key.size_bytes))
			return i;
	}
	return n->child_count;
}

enum { NOT_FOUND, WRITTEN, LATER };

static bool apply_document(struct application *a, const struct projection_node *n, struct value document,
                           bool positioned)
{
	uint8_t small[64] = { NOT_FOUND };
	uint8_t *seen = n->child_count <= sizeof small ? small : arena_allocate(a->at.arena, n->child_count);
	size_t start = begin(a->out), hint = 0, found = 0;
	struct walk w;
	struct field f;
	bool later;

	if (seen != small)
		memset(seen, NOT_FOUND, n->child_count);
	walk_begin(&w, document);
	while ((keeps_others(a) || found < n->wanted) && walk_next(&w, &f)) {
		size_t i = child_index(n, f.key, hint);

		if (i == n->child_count ||
		    (seen[i] != NOT_FOUND && keeps_others(a) && n->children[i]->kind == PROJECTION_EXPRESSION)) {
			if (keeps_others(a))
				put_field(a->out, f);
			continue;
		}
		hint = i + 1 < n->child_count ? i + 1 : 0;
		if (!apply_field(a, n->children[i], f, positioned, &later))
			return false;
		found += seen[i] == NOT_FOUND && n->children[i]->kind != PROJECTION_EXPRESSION &&
		         n->children[i]->kind != PROJECTION_ELEM_MATCH;
		seen[i] = later ? LATER : WRITTEN;
	}
	for (size_t i = 0; i < n->child_count; i++)
		if (seen[i] != WRITTEN && !append_field(a, n->children[i]))
			return false;
	end(a->out, start);
	return true;
}

bool projection_apply(const struct projection *p, struct execution *x, struct arena *arena, struct value document,
                      const struct match *filter, struct bytes *out)
{
	struct application a = { p, { x, arena, document }, out, -1, 0 };

	bytes_reset(out);
	bytes_reserve(out, document.size_bytes);
	if (p->has_positional) {
		if (!filter || !match_test_position(filter, x, document, &a.position) || a.position < 0)
			return !x->failed && execution_fail(x, 51246, "positional "
			                                    "operator '.$' couldn't find a matching element in the array");
	}
	return apply_document(&a, &p->root, document, false);
}
