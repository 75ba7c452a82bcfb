#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bson/decimal.h"
#include "bson/print.h"
#include "engine/expression_internal.h"

enum { RESULT_LIMIT_BYTES = 64 * 1024 * 1024, FIRST_CAPACITY = 8 };

static void *grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size_bytes)
{
	void *grown;

	*capacity = *capacity ? *capacity * 2 : FIRST_CAPACITY;
	grown = arena_allocate(arena, *capacity * item_size_bytes);
	if (count)
		memcpy(grown, items, count * item_size_bytes);
	return grown;
}

void list_init(struct list *l, struct evaluation *at)
{
	*l = (struct list){ .arena = at->arena };
}

void list_push(struct list *l, struct value v)
{
	if (l->count == l->capacity)
		l->items = grow(l->arena, l->items, l->count, &l->capacity, sizeof *l->items);
	l->items[l->count++] = v;
}

void list_push_all(struct list *l, struct value array)
{
	struct walk w;
	struct field f;

	walk_begin(&w, array);
	while (walk_next(&w, &f))
		list_push(l, f.value);
}

static unsigned digits(size_t n)
{
	unsigned count = 1;

	while (n >= 10) {
		n /= 10;
		count++;
	}
	return count;
}

static bool too_large(struct evaluation *at, size_t size_bytes)
{
	return execution_fail(at->x, 13548, "BufBuilder attempted to grow() to %zu bytes, past the 64MB limit.", size_bytes);
}

static void put_size(uint8_t *at, size_t size_bytes)
{
	uint32_t little = BSON_UINT32_TO_LE((uint32_t)size_bytes);

	memcpy(at, &little, sizeof little);
}

bool list_array(const struct list *l, struct evaluation *at, struct value *out)
{
	size_t size = 5;
	uint8_t *start, *p;

	for (size_t i = 0; i < l->count; i++)
		size += 2 + digits(i) + l->items[i].size_bytes;
	if (size > RESULT_LIMIT_BYTES)
		return too_large(at, size);
	start = arena_allocate(at->arena, size);
	put_size(start, size);
	p = start + 4;
	for (size_t i = 0; i < l->count; i++) {
		struct value v = value_is_missing(l->items[i]) ? value_null() : l->items[i];
		unsigned length = digits(i);

		*p++ = v.type;
		for (size_t d = length, n = i; d-- > 0; n /= 10)
			p[d] = (uint8_t)('0' + n % 10);
		p += length;
		*p++ = 0;
		if (v.size_bytes)
			memcpy(p, v.bytes, v.size_bytes);
		p += v.size_bytes;
	}
	*p = 0;
	*out = (struct value){ start, (uint32_t)size, BSON_TYPE_ARRAY };
	return true;
}

void fields_init(struct fields *f, struct evaluation *at)
{
	*f = (struct fields){ .arena = at->arena };
}

void fields_append(struct fields *f, struct key key, struct value v)
{
	if (f->count == f->capacity)
		f->items = grow(f->arena, f->items, f->count, &f->capacity, sizeof *f->items);
	f->items[f->count++] = (struct field){ key, v };
}

void fields_set(struct fields *f, struct key key, struct value v)
{
	for (size_t i = 0; i < f->count; i++) {
		if (key_equal(f->items[i].key, key)) {
			f->items[i].value = v;
			return;
		}
	}
	fields_append(f, key, v);
}

bool fields_document(const struct fields *f, struct evaluation *at, struct value *out)
{
	size_t size = 5;
	uint8_t *start, *p;

	for (size_t i = 0; i < f->count; i++) {
		if (!value_is_missing(f->items[i].value))
			size += 2 + (size_t)f->items[i].key.size_bytes + f->items[i].value.size_bytes;
	}
	if (size > RESULT_LIMIT_BYTES)
		return too_large(at, size);
	start = arena_allocate(at->arena, size);
	put_size(start, size);
	p = start + 4;
	for (size_t i = 0; i < f->count; i++) {
		struct field field = f->items[i];

		if (value_is_missing(field.value))
			continue;
		*p++ = field.value.type;
		if (field.key.size_bytes)
			memcpy(p, field.key.bytes, field.key.size_bytes);
		p += field.key.size_bytes;
		*p++ = 0;
		if (field.value.size_bytes)
			memcpy(p, field.value.bytes, field.value.size_bytes);
		p += field.value.size_bytes;
	}
	*p = 0;
	*out = (struct value){ start, (uint32_t)size, BSON_TYPE_DOCUMENT };
	return true;
}

const char *evaluation_text(struct evaluation *at, struct value v)
{
	struct bytes text = BYTES_INIT;
	struct print_options options = { .form = PRINT_SERVER, .limit_bytes = 200 };
	const char *copy;

	if (value_is_missing(v))
		return "MISSING";
	print_value(&text, v, &options);
	copy = arena_duplicate(at->arena, bytes_text(&text), text.size + 1);
	bytes_clear(&text);
	return copy;
}

struct value make_int_or_long(struct arena *a, int64_t n)
{
	return n >= INT32_MIN && n <= INT32_MAX ? value_make_int32(a, (int32_t)n) : value_make_int64(a, n);
}

bson_decimal128_t number_to_decimal(struct value v)
{
	switch (v.type) {
	case BSON_TYPE_INT32: return decimal_from_int64(value_int32(v));
	case BSON_TYPE_INT64: return decimal_from_int64(value_int64(v));
	case BSON_TYPE_DOUBLE: return decimal_from_double(value_double(v));
	case BSON_TYPE_DECIMAL128: return value_decimal(v);
	default: return decimal_from_int64(0);
	}
}

static bool out_of_range(struct evaluation *at, struct value v, const char *type)
{
	return execution_fail(at->x, 31109, "Can't coerce out of range value %s to %s", evaluation_text(at, v), type);
}

static bool not_a_number(struct evaluation *at, struct value v, const char *type, uint32_t code)
{
	return execution_fail(at->x, code, "can't convert from BSON type %s to %s", value_type_name(v.type), type);
}

static bool truncate_number(struct evaluation *at, struct value v, const char *type, uint32_t not_number_code,
                            int64_t *out)
{
	double d;

	switch (v.type) {
	case VALUE_MISSING: case BSON_TYPE_NULL: case BSON_TYPE_UNDEFINED: *out = 0; return true;
	case BSON_TYPE_INT32: *out = value_int32(v); return true;
	case BSON_TYPE_INT64: *out = value_int64(v); return true;
	case BSON_TYPE_DOUBLE:
		d = value_double(v);
		if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
			return out_of_range(at, v, type);
		*out = (int64_t)d;
		return true;
	case BSON_TYPE_DECIMAL128:
		if (!decimal_to_int64(value_decimal(v), DECIMAL_TOWARD_ZERO, out))
			*out = INT64_MIN; /* the decimal library's answer, which MongoDB takes */
		return true;
	default:
		return not_a_number(at, v, type, not_number_code);
	}
}

bool coerce_to_long(struct evaluation *at, struct value v, int64_t *out)
{
	return truncate_number(at, v, "long", 16004, out);
}

bool coerce_to_int(struct evaluation *at, struct value v, int32_t *out)
{
	int64_t n;

	if (!truncate_number(at, v, "int", 16003, &n))
		return false;
	if (n < INT32_MIN || n > INT32_MAX)
		return execution_fail(at->x, 31108, "Can't coerce out of range value %s to int", evaluation_text(at, v));
	*out = (int32_t)n;
	return true;
}

bool number_is_int(struct value v)
{
	int64_t n;

	return value_as_int64(v, &n) && n >= INT32_MIN && n <= INT32_MAX;
}

uint8_t number_wider(uint8_t a, uint8_t b)
{
	static const uint8_t order[] = { BSON_TYPE_DECIMAL128, BSON_TYPE_DOUBLE, BSON_TYPE_INT64 };

	for (size_t i = 0; i < sizeof order; i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return BSON_TYPE_INT32;
}
