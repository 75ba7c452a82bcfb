#include "bson/value.h"

#include <math.h>
#include <string.h>

#include "bson/decimal.h"
#include "bson/scan.h"

static uint32_t read_u32(const uint8_t *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof n);
	return BSON_UINT32_FROM_LE(n);
}

struct key key_of(const char *text)
{
	return (struct key){ text, (uint32_t)strlen(text) };
}

bool key_equal(struct key a, struct key b)
{
	return a.size_bytes == b.size_bytes && (!a.size_bytes || !memcmp(a.bytes, b.bytes, a.size_bytes));
}

bool key_is(struct key k, const char *text)
{
	return key_equal(k, key_of(text));
}

void walk_begin(struct walk *w, struct value document)
{
	w->start = document.bytes;
	w->at = document.bytes + 4;
	w->end = document.bytes + document.size_bytes;
	w->broken = NULL;
	if (document.size_bytes < 5)
		w->at = w->end;
}

static bool stop(struct walk *w, const char *reason)
{
	w->broken = reason;
	return false;
}

int64_t scan_rare_payload(uint8_t type, const uint8_t *at, const uint8_t *end)
{
	int64_t available = end - at, stated;
	const uint8_t *second;

	if (type == BSON_TYPE_MINKEY || type == BSON_TYPE_MAXKEY)
		return available >= 0 ? 0 : -1;
	if (type == BSON_TYPE_REGEX) {
		second = scan_name(at, end);
		second = second ? scan_name(second, end) : NULL;
		return second ? second - at : -1;
	}
	if (available < 5)
		return -1;
	stated = read_u32(at);
	switch (type) {
	case BSON_TYPE_BINARY:
		return stated + 5 <= available ? stated + 5 : -1;
	case BSON_TYPE_DBPOINTER:
		return stated >= 1 && stated + 16 <= available && !at[4 + stated - 1] ? stated + 16 : -1;
	case BSON_TYPE_CODEWSCOPE:
		return stated >= 14 && stated <= available ? stated : -1;
	default:
		return -1;
	}
}

bool walk_next(struct walk *w, struct field *field)
{
	const uint8_t *name, *payload, *terminator = w->end - 1;
	int64_t size;

	if (w->at >= w->end)
		return stop(w, "no terminator");
	if (*w->at == 0)
		return w->at == terminator ? false : stop(w, "terminator before the end");
	field->value.type = *w->at;
	name = w->at + 1;
	payload = scan_name(name, w->end);
	if (!payload)
		return stop(w, "field name without an end");
	if (!scan_type_is_known(field->value.type))
		return stop(w, "unknown type byte");
	size = scan_payload(field->value.type, payload, terminator);
	if (size < 0)
		return stop(w, scan_size_is_fixed(field->value.type) ? "value past the end of its document"
		                                                     : "value with an impossible length");
	field->key = (struct key){ (const char *)name, (uint32_t)(payload - 1 - name) };
	field->value.bytes = payload;
	field->value.size_bytes = (uint32_t)size;
	w->at = payload + size;
	return true;
}

bool value_document(struct value *out, const uint8_t *bytes, size_t available)
{
	uint32_t size;

	if (available < 5)
		return false;
	size = read_u32(bytes);
	if (size < 5 || size > available || bytes[size - 1] != 0)
		return false;
	*out = (struct value){ bytes, size, BSON_TYPE_DOCUMENT };
	return true;
}

struct value value_from_bson(const bson_t *document)
{
	return (struct value){ bson_get_data(document), document->len, BSON_TYPE_DOCUMENT };
}

bool value_to_bson(bson_t *out, struct value document)
{
	return bson_init_static(out, document.bytes, document.size_bytes);
}

struct value value_empty_document(void)
{
	static const uint8_t empty[5] = { 5 };

	return (struct value){ empty, sizeof empty, BSON_TYPE_DOCUMENT };
}

struct value value_missing(void)
{
	return (struct value){ (const uint8_t *)"", 0, VALUE_MISSING };
}

struct value value_null(void)
{
	return (struct value){ (const uint8_t *)"", 0, BSON_TYPE_NULL };
}

/* Not a walk: names that are not asked for are stepped over, eight bytes at a time. */
struct value value_get_key(struct value document, struct key key)
{
	const uint8_t *at = document.bytes + 4, *end = document.bytes + document.size_bytes, *payload;
	uint8_t first = key.size_bytes ? (uint8_t)key.bytes[0] : 0;

	while (at < end && *at) {
		uint8_t type = *at++;
		bool found = at < end && *at == first && end - at > (int64_t)key.size_bytes && !at[key.size_bytes] &&
		             !memcmp(at, key.bytes, key.size_bytes);
		int64_t size;

		payload = found ? at + key.size_bytes + 1 : scan_name(at, end);
		if (!payload)
			break;
		size = scan_payload(type, payload, end - 1);
		if (size < 0)
			break;
		if (found)
			return (struct value){ payload, (uint32_t)size, type };
		at = payload + size;
	}
	return value_missing();
}

struct value value_get(struct value document, const char *name)
{
	return value_get_key(document, key_of(name));
}

uint32_t value_count(struct value document)
{
	struct walk w;
	struct field f;
	uint32_t count = 0;

	walk_begin(&w, document);
	while (walk_next(&w, &f))
		count++;
	return count;
}

static bool check_level(struct value document, const uint8_t *start, int depth, const char **reason, size_t *offset_bytes)
{
	struct walk w;
	struct field f;

	walk_begin(&w, document);
	if (depth > VALUE_DEPTH_LIMIT) {
		*reason = VALUE_TOO_DEEP;
		*offset_bytes = (size_t)(document.bytes - start);
		return false;
	}
	while (walk_next(&w, &f)) {
		if ((f.value.type == BSON_TYPE_DOCUMENT || f.value.type == BSON_TYPE_ARRAY) &&
		    !check_level(f.value, start, depth + 1, reason, offset_bytes))
			return false;
	}
	if (!w.broken)
		return true;
	*reason = w.broken;
	*offset_bytes = (size_t)(w.at - start);
	return false;
}

bool value_check(struct value document, const char **reason, size_t *offset_bytes)
{
	return check_level(document, document.bytes, 1, reason, offset_bytes);
}

int32_t value_int32(struct value v)
{
	return (int32_t)read_u32(v.bytes);
}

int64_t value_int64(struct value v)
{
	uint64_t n;

	memcpy(&n, v.bytes, sizeof n);
	return (int64_t)BSON_UINT64_FROM_LE(n);
}

double value_double(struct value v)
{
	uint64_t bits;
	double n;

	memcpy(&bits, v.bytes, sizeof bits);
	bits = BSON_UINT64_FROM_LE(bits);
	memcpy(&n, &bits, sizeof n);
	return n;
}

bool value_bool(struct value v)
{
	return v.bytes[0] != 0;
}

bson_decimal128_t value_decimal(struct value v)
{
	bson_decimal128_t n;

	memcpy(&n.low, v.bytes, 8);
	memcpy(&n.high, v.bytes + 8, 8);
	n.low = BSON_UINT64_FROM_LE(n.low);
	n.high = BSON_UINT64_FROM_LE(n.high);
	return n;
}

struct key value_text(struct value v)
{
	return (struct key){ (const char *)v.bytes + 4, v.size_bytes - 5 };
}

const uint8_t *value_binary(struct value v, uint8_t *subtype, uint32_t *size_bytes)
{
	*size_bytes = v.size_bytes - 5;
	*subtype = v.bytes[4];
	return v.bytes + 5;
}

void value_regex(struct value v, struct key *pattern, struct key *options)
{
	*pattern = key_of((const char *)v.bytes);
	*options = key_of((const char *)v.bytes + pattern->size_bytes + 1);
}

bool value_is_number(struct value v)
{
	return v.type == BSON_TYPE_INT32 || v.type == BSON_TYPE_INT64 || v.type == BSON_TYPE_DOUBLE ||
	       v.type == BSON_TYPE_DECIMAL128;
}

bool value_is_document(struct value v)
{
	return v.type == BSON_TYPE_DOCUMENT;
}

bool value_is_array(struct value v)
{
	return v.type == BSON_TYPE_ARRAY;
}

bool value_is_missing(struct value v)
{
	return v.type == VALUE_MISSING;
}

bool value_is_nullish(struct value v)
{
	return v.type == VALUE_MISSING || v.type == BSON_TYPE_NULL || v.type == BSON_TYPE_UNDEFINED;
}

bool value_is_true(struct value v)
{
	switch (v.type) {
	case BSON_TYPE_BOOL: return value_bool(v);
	case BSON_TYPE_INT32: return value_int32(v) != 0;
	case BSON_TYPE_INT64: return value_int64(v) != 0;
	case BSON_TYPE_DOUBLE: return value_double(v) != 0;
	case BSON_TYPE_DECIMAL128: return !decimal_is_zero(value_decimal(v));
	default: return !value_is_nullish(v);
	}
}

bool value_as_int64(struct value v, int64_t *out)
{
	double d;

	switch (v.type) {
	case BSON_TYPE_INT32: *out = value_int32(v); return true;
	case BSON_TYPE_INT64: *out = value_int64(v); return true;
	case BSON_TYPE_DOUBLE:
		d = value_double(v);
		if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0) || d != floor(d))
			return false;
		*out = (int64_t)d;
		return true;
	case BSON_TYPE_DECIMAL128: return decimal_to_int64_exact(value_decimal(v), out);
	default: return false;
	}
}

double value_as_double(struct value v)
{
	switch (v.type) {
	case BSON_TYPE_INT32: return value_int32(v);
	case BSON_TYPE_INT64: return (double)value_int64(v);
	case BSON_TYPE_DOUBLE: return value_double(v);
	case BSON_TYPE_DECIMAL128: return decimal_to_double(value_decimal(v));
	default: return 0;
	}
}

const char *value_type_name(uint8_t type)
{
	switch (type) {
	case VALUE_MISSING: return "missing";
	case BSON_TYPE_DOUBLE: return "double";
	case BSON_TYPE_UTF8: return "string";
	case BSON_TYPE_DOCUMENT: return "object";
	case BSON_TYPE_ARRAY: return "array";
	case BSON_TYPE_BINARY: return "binData";
	case BSON_TYPE_UNDEFINED: return "undefined";
	case BSON_TYPE_OID: return "objectId";
	case BSON_TYPE_BOOL: return "bool";
	case BSON_TYPE_DATE_TIME: return "date";
	case BSON_TYPE_NULL: return "null";
	case BSON_TYPE_REGEX: return "regex";
	case BSON_TYPE_DBPOINTER: return "dbPointer";
	case BSON_TYPE_CODE: return "javascript";
	case BSON_TYPE_SYMBOL: return "symbol";
	case BSON_TYPE_CODEWSCOPE: return "javascriptWithScope";
	case BSON_TYPE_INT32: return "int";
	case BSON_TYPE_TIMESTAMP: return "timestamp";
	case BSON_TYPE_INT64: return "long";
	case BSON_TYPE_DECIMAL128: return "decimal";
	case BSON_TYPE_MAXKEY: return "maxKey";
	case BSON_TYPE_MINKEY: return "minKey";
	default: return "unknown";
	}
}

static struct value make(struct arena *a, uint8_t type, const void *payload, uint32_t size_bytes)
{
	return (struct value){ arena_duplicate(a, payload, size_bytes), size_bytes, type };
}

struct value value_make_int32(struct arena *a, int32_t n)
{
	uint32_t little = BSON_UINT32_TO_LE((uint32_t)n);

	return make(a, BSON_TYPE_INT32, &little, 4);
}

static struct value make_64(struct arena *a, uint8_t type, uint64_t bits)
{
	uint64_t little = BSON_UINT64_TO_LE(bits);

	return make(a, type, &little, 8);
}

struct value value_make_int64(struct arena *a, int64_t n)
{
	return make_64(a, BSON_TYPE_INT64, (uint64_t)n);
}

struct value value_make_date(struct arena *a, int64_t millis)
{
	return make_64(a, BSON_TYPE_DATE_TIME, (uint64_t)millis);
}

struct value value_make_double(struct arena *a, double n)
{
	uint64_t bits;

	memcpy(&bits, &n, sizeof bits);
	return make_64(a, BSON_TYPE_DOUBLE, bits);
}

struct value value_make_decimal(struct arena *a, bson_decimal128_t n)
{
	uint64_t parts[2] = { BSON_UINT64_TO_LE(n.low), BSON_UINT64_TO_LE(n.high) };

	return make(a, BSON_TYPE_DECIMAL128, parts, 16);
}

struct value value_make_bool(bool b)
{
	return (struct value){ (const uint8_t *)(b ? "\1" : "\0"), 1, BSON_TYPE_BOOL };
}

struct value value_make_text(struct arena *a, const char *text, size_t size_bytes)
{
	uint8_t *payload = arena_allocate(a, size_bytes + 5);
	uint32_t stated = BSON_UINT32_TO_LE((uint32_t)(size_bytes + 1));

	memcpy(payload, &stated, 4);
	if (size_bytes)
		memcpy(payload + 4, text, size_bytes);
	payload[4 + size_bytes] = 0;
	return (struct value){ payload, (uint32_t)(size_bytes + 5), BSON_TYPE_UTF8 };
}

struct value value_make_copy(struct arena *a, struct value v)
{
	return make(a, v.type, v.bytes, v.size_bytes);
}
