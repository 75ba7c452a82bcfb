#include "model/loading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/read.h"

unsigned loading_line(const struct loading *l)
{
	unsigned line = 0;

	for (size_t depth = l->depth; depth > 0 && !line; depth--)
		line = read_line_of(l->text, l->size_bytes, l->keys, depth);
	return line ? line : 1;
}

bool loading_fail(struct loading *l, const char *format, ...)
{
	struct bytes message = BYTES_INIT, where = BYTES_INIT;
	va_list arguments;

	for (size_t i = 0; i < l->depth; i++)
		bytes_format(&where, "%s%s", i ? "." : "", l->keys[i]);
	va_start(arguments, format);
	bytes_format_v(&message, format, arguments);
	va_end(arguments);
	error_set(l->error, ERROR_INPUT, 0, "%s:%u: %s%s%s", l->name, loading_line(l), bytes_text(&where),
	          where.size ? ": " : "", bytes_text(&message));
	bytes_clear(&message);
	bytes_clear(&where);
	return false;
}

void loading_enter(struct loading *l, const char *key)
{
	snprintf(l->key_texts[l->depth], sizeof l->key_texts[0], "%s", key);
	l->keys[l->depth] = l->key_texts[l->depth];
	l->depth++;
}

void loading_enter_at(struct loading *l, size_t index)
{
	char key[24];

	snprintf(key, sizeof key, "%zu", index);
	loading_enter(l, key);
}

void loading_leave(struct loading *l)
{
	l->depth--;
}

static bool fail_type(struct loading *l, const char *expected, struct value v)
{
	return loading_fail(l, "expected %s, found %s", expected, value_type_name(v.type));
}

static bool fail_name(struct loading *l, const char *what, struct key found, const struct member *members)
{
	struct bytes name = BYTES_INIT, known = BYTES_INIT;

	print_text(&name, found.bytes, found.size_bytes);
	for (; members->name; members++)
		bytes_format(&known, "%s%s", known.size ? ", " : "", members->name);
	loading_fail(l, "%s field \"%s\"; there are: %s", what, bytes_text(&name), bytes_text(&known));
	bytes_clear(&name);
	bytes_clear(&known);
	return false;
}

bool loading_members(struct loading *l, struct value v, const struct member *members, void *target)
{
	uint32_t seen = 0;
	struct walk w;
	struct field f;

	if (!value_is_document(v))
		return fail_type(l, "an object", v);
	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		size_t i = 0;
		bool good;

		while (members[i].name && !key_is(f.key, members[i].name))
			i++;
		if (!members[i].name)
			return fail_name(l, "unknown", f.key, members);
		if (seen & (1u << i))
			return fail_name(l, "repeated", f.key, members);
		seen |= 1u << i;
		loading_enter(l, members[i].name);
		good = members[i].read(l, f.value, (char *)target + members[i].offset);
		loading_leave(l);
		if (!good)
			return false;
	}
	for (size_t i = 0; members[i].name; i++)
		if (members[i].required && !(seen & (1u << i)))
			return loading_fail(l, "field \"%s\" is missing", members[i].name);
	return true;
}

bool loading_list(struct loading *l, struct value v, size_t item_size,
                  bool (*read)(struct loading *, struct value, void *), void *items, size_t *count)
{
	struct walk w;
	struct field f;
	char *list;

	if (!value_is_array(v))
		return fail_type(l, "an array", v);
	list = memory_allocate_zeroed(value_count(v), item_size);
	memcpy(items, &list, sizeof list);
	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		size_t i = (*count)++;
		bool good;

		loading_enter_at(l, i);
		good = read(l, f.value, list + i * item_size);
		loading_leave(l);
		if (!good)
			return false;
	}
	return true;
}

bool loading_text(struct loading *l, struct value v, void *target)
{
	struct key text;
	char *copy;

	if (v.type != BSON_TYPE_UTF8)
		return fail_type(l, "a string", v);
	text = value_text(v);
	if (!text.size_bytes)
		return loading_fail(l, "expected a string that is not empty");
	if (memchr(text.bytes, 0, text.size_bytes))
		return loading_fail(l, "a string with a null byte inside");
	copy = memory_allocate(text.size_bytes + 1);
	memcpy(copy, text.bytes, text.size_bytes);
	copy[text.size_bytes] = 0;
	memcpy(target, &copy, sizeof copy);
	return true;
}

static const char *text_of(void *target)
{
	const char *text;

	memcpy(&text, target, sizeof text);
	return text;
}

bool loading_collection(struct loading *l, struct value v, void *target)
{
	if (!loading_text(l, v, target))
		return false;
	if (strchr(text_of(target), '$') || *text_of(target) == '.')
		return loading_fail(l, "\"%s\" is no name for a collection", text_of(target));
	return true;
}

bool loading_field(struct loading *l, struct value v, void *target)
{
	if (!loading_text(l, v, target))
		return false;
	if (strpbrk(text_of(target), ".$"))
		return loading_fail(l, "expected a top-level field without \".\" and \"$\", found \"%s\"",
		                    text_of(target));
	return true;
}

bool loading_identifier(struct loading *l, struct value v, void *target)
{
	if (!loading_text(l, v, target))
		return false;
	for (const char *c = text_of(target); *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
			return loading_fail(l, "expected letters, digits, \"_\" and \"-\", found \"%s\"",
			                    text_of(target));
	return true;
}

bool loading_document(struct loading *l, struct value v, void *target)
{
	if (!value_is_document(v))
		return fail_type(l, "an object", v);
	bytes_append(target, v.bytes, v.size_bytes);
	return true;
}

bool loading_flag(struct loading *l, struct value v, void *target)
{
	if (v.type != BSON_TYPE_BOOL)
		return fail_type(l, "true or false", v);
	*(bool *)target = value_bool(v);
	return true;
}

bool loading_count(struct loading *l, struct value v, void *target)
{
	if (!value_as_int64(v, target) || *(int64_t *)target < 1)
		return loading_fail(l, "expected a whole number from 1");
	return true;
}

bool loading_rate(struct loading *l, struct value v, void *target)
{
	double rate = value_is_number(v) ? value_as_double(v) : -1;

	if (!(rate >= 0) || isinf(rate))
		return loading_fail(l, "expected a number from 0");
	*(double *)target = rate;
	return true;
}

bool loading_shape(struct loading *l, struct value v, void *target)
{
	char *name = NULL;
	bool good;

	if (!loading_text(l, v, &name))
		return false;
	good = shape_from_name(name, target);
	if (!good)
		loading_fail(l, "unknown shape \"%s\"; there are: embed, reference", name);
	free(name);
	return good;
}
