#include "bson/read_wrapper.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void writer_text_bytes(struct writer *w, struct key key, uint8_t type, const struct bytes *text)
{
	uint32_t size = BSON_UINT32_TO_LE((uint32_t)text->size + 1);

	writer_raw(w, key, type, &size, 4);
	bytes_append(w->out, text->data, text->size);
	bytes_append_byte(w->out, 0);
}

/* A short string; fails with `what` as the thing that was expected. */
static bool short_text(struct reader *r, char *text, size_t size, const char *what, bson_error_t *error)
{
	struct bytes content = BYTES_INIT;
	const char *start;
	bool ok;

	reader_at_end(r);
	start = r->at;
	ok = r->at < r->end && *r->at == '"' ? reader_string(r, &content, error) : reader_expected(r, what, error);
	if (ok && (content.size >= size || (content.size && memchr(content.data, 0, content.size)))) {
		reader_go_back(r, start);
		ok = reader_expected(r, what, error);
	}
	if (ok)
		snprintf(text, size, "%s", bytes_text(&content));
	bytes_clear(&content);
	return ok;
}

static bool parse_int64(const char *text, int64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoll(text, &end, 10);
	return *text && !*end && !errno && (*text == '-' || (*text >= '0' && *text <= '9'));
}

/* "…" with a whole number in it. */
static bool quoted_integer(struct reader *r, int64_t least, int64_t most, int64_t *n, const char *what, bson_error_t *error)
{
	char text[32];
	const char *start;

	reader_at_end(r);
	start = r->at;
	if (!short_text(r, text, sizeof text, what, error))
		return false;
	if (parse_int64(text, n) && *n >= least && *n <= most)
		return true;
	reader_go_back(r, start);
	return reader_expected(r, what, error);
}

static void write_64(struct writer *w, struct key key, uint8_t type, uint64_t bits)
{
	bits = BSON_UINT64_TO_LE(bits);
	writer_raw(w, key, type, &bits, 8);
}

void reader_write_double(struct writer *w, struct key key, double n)
{
	uint64_t bits;

	memcpy(&bits, &n, sizeof bits);
	write_64(w, key, BSON_TYPE_DOUBLE, bits);
}

void reader_write_integer(struct writer *w, struct key key, int64_t n)
{
	uint32_t little = BSON_UINT32_TO_LE((uint32_t)(int32_t)n);

	if (n >= INT32_MIN && n <= INT32_MAX)
		writer_raw(w, key, BSON_TYPE_INT32, &little, 4);
	else
		write_64(w, key, BSON_TYPE_INT64, (uint64_t)n);
}

static bool read_int32(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	int64_t n;
	uint32_t little;

	if (!quoted_integer(r, INT32_MIN, INT32_MAX, &n, "a 32-bit integer in quotes", error))
		return false;
	little = BSON_UINT32_TO_LE((uint32_t)(int32_t)n);
	writer_raw(w, key, BSON_TYPE_INT32, &little, 4);
	return true;
}

static bool read_int64(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	int64_t n;

	if (!quoted_integer(r, INT64_MIN, INT64_MAX, &n, "a 64-bit integer in quotes", error))
		return false;
	write_64(w, key, BSON_TYPE_INT64, (uint64_t)n);
	return true;
}

static bool read_double(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	static const char what[] = "a number, \"Infinity\", \"-Infinity\" or \"NaN\" in quotes";
	const char *start;
	char text[512], *end;
	double n;

	reader_at_end(r);
	start = r->at;
	if (!short_text(r, text, sizeof text, what, error))
		return false;
	n = strtod(text, &end);
	if (!*text || *end || strpbrk(text, "xX \t\n")) {
		reader_go_back(r, start);
		return reader_expected(r, what, error);
	}
	reader_write_double(w, key, n);
	return true;
}

static bool read_decimal(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	const char *start;
	char text[128];
	bson_decimal128_t n;
	uint64_t parts[2];

	reader_at_end(r);
	start = r->at;
	if (!short_text(r, text, sizeof text, "a decimal number in quotes", error))
		return false;
	if (!bson_decimal128_from_string(text, &n)) {
		reader_go_back(r, start);
		return reader_expected(r, "a decimal number of at most 34 digits in quotes", error);
	}
	parts[0] = BSON_UINT64_TO_LE(n.low);
	parts[1] = BSON_UINT64_TO_LE(n.high);
	writer_raw(w, key, BSON_TYPE_DECIMAL128, parts, 16);
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool read_parse_hex(const char *text, uint8_t *out, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int high = hex_digit(text[2 * i]), low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return text[2 * size] == 0;
}

static bool object_id(struct reader *r, uint8_t id[12], bson_error_t *error)
{
	const char *start;
	char text[32];

	reader_at_end(r);
	start = r->at;
	if (!short_text(r, text, sizeof text, "24 hexadecimal digits", error))
		return false;
	if (read_parse_hex(text, id, 12))
		return true;
	reader_go_back(r, start);
	return reader_expected(r, "24 hexadecimal digits", error);
}

static bool read_object_id(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	uint8_t id[12];

	if (!object_id(r, id, error))
		return false;
	writer_raw(w, key, BSON_TYPE_OID, id, sizeof id);
	return true;
}

static bool read_text_type(struct reader *r, struct writer *w, struct key key, uint8_t type, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	bool ok = reader_string(r, &text, error);

	if (ok)
		writer_text_bytes(w, key, type, &text);
	bytes_clear(&text);
	return ok;
}

static bool read_symbol(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	return read_text_type(r, w, key, BSON_TYPE_SYMBOL, error);
}

/* The deprecated subtype 2 repeats its length inside the data; Extended JSON does not show that. */
void writer_binary(struct writer *w, struct key key, uint8_t subtype, const struct bytes *data)
{
	bool repeats = subtype == BSON_SUBTYPE_BINARY_DEPRECATED;
	uint32_t inner = BSON_UINT32_TO_LE((uint32_t)data->size);
	uint32_t size = BSON_UINT32_TO_LE((uint32_t)data->size + (repeats ? 4 : 0));

	writer_raw(w, key, BSON_TYPE_BINARY, &size, 4);
	bytes_append_byte(w->out, subtype);
	if (repeats)
		bytes_append(w->out, &inner, 4);
	bytes_append(w->out, data->data, data->size);
}

bool read_parse_base64(const struct bytes *text, struct bytes *out)
{
	uint32_t group = 0;
	size_t digits = 0, padding = 0;

	for (size_t i = 0; i < text->size; i++) {
		char c = (char)text->data[i];
		int digit = c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52
			: c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;

		if (c == '=') {
			padding++;
			continue;
		}
		if (digit < 0 || padding)
			return false;
		group = group << 6 | (uint32_t)digit;
		if (++digits % 4 == 0) {
			bytes_append_byte(out, (uint8_t)(group >> 16));
			bytes_append_byte(out, (uint8_t)(group >> 8));
			bytes_append_byte(out, (uint8_t)group);
		}
	}
	if (digits % 4 == 1 || padding > 2)
		return false;
	if (digits % 4 >= 2)
		bytes_append_byte(out, (uint8_t)(digits % 4 == 2 ? group >> 4 : group >> 10));
	if (digits % 4 == 3)
		bytes_append_byte(out, (uint8_t)(group >> 2));
	return true;
}

/* Reads {"NAME": value, …} with the names of a table, each at most once; those needed must be there. */
struct member {
	const char *name;
	bool (*read)(struct reader *r, void *target, bson_error_t *error);
	void *target;
	bool seen;
};

static bool read_members(struct reader *r, struct member *members, size_t count, const char *what, bson_error_t *error)
{
	struct bytes name = BYTES_INIT;
	bool ok = reader_take(r, '{', error);

	for (size_t seen = 0; ok && seen < count; seen++) {
		struct member *member = members;

		bytes_reset(&name);
		ok = (seen == 0 || reader_take(r, ',', error)) && reader_name(r, &name, error);
		while (ok && member < members + count && (member->seen || strcmp(member->name, bytes_text(&name))))
			member++;
		if (ok && member == members + count)
			ok = reader_fail_at(r, r->at, what, error);
		if (ok) {
			member->seen = true;
			ok = reader_take(r, ':', error) && member->read(r, member->target, error);
		}
	}
	bytes_clear(&name);
	return ok && reader_take(r, '}', error);
}

static bool member_string(struct reader *r, void *target, bson_error_t *error)
{
	return reader_string(r, target, error);
}

/* "NAME": with just that name. */
static bool expect_name(struct reader *r, const char *expected, bson_error_t *error)
{
	struct bytes name = BYTES_INIT;
	char what[40];
	const char *start;
	bool ok;

	reader_at_end(r);
	start = r->at;
	ok = reader_name(r, &name, error);
	if (ok && strcmp(bytes_text(&name), expected)) {
		snprintf(what, sizeof what, "\"%s\"", expected);
		reader_go_back(r, start);
		ok = reader_expected(r, what, error);
	}
	bytes_clear(&name);
	return ok && reader_take(r, ':', error);
}

static bool member_object_id(struct reader *r, void *target, bson_error_t *error)
{
	return reader_take(r, '{', error) && expect_name(r, "$oid", error) && object_id(r, target, error) &&
	       reader_take(r, '}', error);
}

static bool member_uint32(struct reader *r, void *target, bson_error_t *error)
{
	uint64_t n = 0;
	const char *start;

	reader_at_end(r);
	for (start = r->at; r->at < r->end && *r->at >= '0' && *r->at <= '9' && n <= UINT32_MAX; r->at++)
		n = n * 10 + (uint64_t)(*r->at - '0');
	if (r->at == start || n > UINT32_MAX) {
		reader_go_back(r, start);
		return reader_expected(r, "a number from 0 to 4294967295", error);
	}
	*(uint32_t *)target = (uint32_t)n;
	return true;
}

static bool read_binary_parts(struct reader *r, struct bytes *base64, struct bytes *subtype, bson_error_t *error)
{
	struct member members[] = { { "base64", member_string, base64, false }, { "subType", member_string, subtype, false } };

	reader_at_end(r);
	if (r->at < r->end && *r->at == '"') /* the older form: {"$binary": "…", "$type": "00"} */
		return reader_string(r, base64, error) && reader_take(r, ',', error) &&
		       expect_name(r, "$type", error) && reader_string(r, subtype, error);
	return read_members(r, members, 2, "$binary wants {base64, subType}", error);
}

static bool read_binary(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes base64 = BYTES_INIT, subtype = BYTES_INIT, data = BYTES_INIT;
	const char *start = r->at;
	uint8_t type = 0;
	bool ok = read_binary_parts(r, &base64, &subtype, error);

	if (ok && (subtype.size == 0 || subtype.size > 2 ||
	           !read_parse_hex(subtype.size == 1 ? (char[]){ '0', (char)subtype.data[0], 0 } : bytes_text(&subtype), &type, 1)))
		ok = reader_fail_at(r, start, "subType wants one or two hexadecimal digits", error);
	if (ok && !read_parse_base64(&base64, &data))
		ok = reader_fail_at(r, start, "not base64", error);
	if (ok)
		writer_binary(w, key, type, &data);
	bytes_clear(&base64);
	bytes_clear(&subtype);
	bytes_clear(&data);
	return ok;
}

bool read_parse_uuid(const char *text, uint8_t id[16])
{
	char digits[33];
	size_t length = 0;

	for (const char *c = text; *c && length < 32; c++)
		if (*c != '-')
			digits[length++] = *c;
	digits[length] = 0;
	return strlen(text) == 36 && length == 32 && read_parse_hex(digits, id, 16);
}

static bool read_uuid(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes data = BYTES_INIT;
	char text[40];
	const char *start = r->at;
	uint8_t id[16];

	if (!short_text(r, text, sizeof text, "a UUID in quotes", error))
		return false;
	if (!read_parse_uuid(text, id))
		return reader_fail_at(r, start, "not a UUID", error);
	bytes_append(&data, id, sizeof id);
	writer_binary(w, key, BSON_SUBTYPE_UUID, &data);
	bytes_clear(&data);
	return true;
}

void writer_date(struct writer *w, struct key key, int64_t millis)
{
	write_64(w, key, BSON_TYPE_DATE_TIME, (uint64_t)millis);
}

static int64_t days_from_civil(int64_t year, int month, int day)
{
	int64_t era, shifted = month <= 2 ? year - 1 : year;
	int64_t of_era, of_year;

	era = (shifted >= 0 ? shifted : shifted - 399) / 400;
	of_era = shifted - era * 400;
	of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool read_parse_date(const char *text, int64_t *millis)
{
	static const int month_days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day, hour, minute, second, used = 0, fraction = 0, scale = 100, offset_hour, offset_minute = 0;
	char sign;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second, &used) != 6 || used != 19)
		return false;
	if (month < 1 || month > 12 || day < 1 || day > month_days[month - 1] || hour > 23 || minute > 59 || second > 60)
		return false;
	text += used;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, scale /= 10)
			fraction += (*text - '0') * scale;
	*millis = ((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60000 + second * 1000 + fraction;
	if (!strcmp(text, "Z"))
		return true;
	if (sscanf(text, "%c%2d:%2d%n", &sign, &offset_hour, &offset_minute, &used) != 3 &&
	    sscanf(text, "%c%2d%2d%n", &sign, &offset_hour, &offset_minute, &used) != 3)
		return false;
	if ((sign != '+' && sign != '-') || text[used])
		return false;
	*millis -= (sign == '+' ? 1 : -1) * (offset_hour * 60 + offset_minute) * 60000;
	return true;
}

/* Digits without quotes; false and nowhere else when there are none. */
static bool bare_integer(struct reader *r, int64_t *value)
{
	char digits[24];
	size_t size = 0;
	char *end;

	while (size < sizeof digits - 1 && r->at + size < r->end && strchr("-0123456789", r->at[size]) && r->at[size]) {
		digits[size] = r->at[size];
		size++;
	}
	digits[size] = 0;
	errno = 0;
	*value = strtoll(digits, &end, 10);
	if (!size || *end || errno)
		return false;
	r->at += size;
	return true;
}

static bool read_date(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	static const char what[] = "a date as \"2026-06-30T08:12:00Z\" or {\"$numberLong\": \"…\"}";
	char text[48];
	const char *start;
	int64_t millis;

	reader_at_end(r);
	start = r->at;
	if (reader_next_is(r, '{')) {
		if (!short_text(r, text, sizeof text, "\"$numberLong\"", error))
			return false;
		if (strcmp(text, "$numberLong")) {
			reader_go_back(r, start);
			return reader_expected(r, what, error);
		}
		if (!reader_take(r, ':', error) ||
		    !quoted_integer(r, INT64_MIN, INT64_MAX, &millis, "milliseconds in quotes", error) || !reader_take(r, '}', error))
			return false;
	} else if (!bare_integer(r, &millis)) { /* which mongoexport wrote before 2.6 */
		if (!short_text(r, text, sizeof text, what, error))
			return false;
		if (!read_parse_date(text, &millis)) {
			reader_go_back(r, start);
			return reader_expected(r, what, error);
		}
	}
	writer_date(w, key, millis);
	return true;
}

static bool read_timestamp(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	uint32_t seconds = 0, increment = 0;
	struct member members[] = { { "t", member_uint32, &seconds, false }, { "i", member_uint32, &increment, false } };

	if (!read_members(r, members, 2, "$timestamp wants {t, i}", error))
		return false;
	write_64(w, key, BSON_TYPE_TIMESTAMP, (uint64_t)seconds << 32 | increment);
	return true;
}

bool reader_write_regex(struct reader *r, struct writer *w, struct key key, const struct bytes *pattern,
                        const struct bytes *options, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	bytes_append(&text, pattern->data, pattern->size);
	bytes_append_byte(&text, 0);
	bytes_append(&text, options->data, options->size);
	bytes_append_byte(&text, 0);
	if (memchr(text.data, 0, text.size) == text.data + pattern->size &&
	    !memchr(text.data + pattern->size + 1, 0, options->size)) {
		writer_raw(w, key, BSON_TYPE_REGEX, text.data, text.size);
		bytes_clear(&text);
		return true;
	}
	bytes_clear(&text);
	return r ? reader_fail_at(r, r->at, "a regular expression cannot hold a zero byte", error) : false;
}

static bool read_regex(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes pattern = BYTES_INIT, options = BYTES_INIT;
	struct member members[] = { { "pattern", member_string, &pattern, false }, { "options", member_string, &options, false } };
	bool ok = read_members(r, members, 2, "$regularExpression wants {pattern, options}", error) &&
	          reader_write_regex(r, w, key, &pattern, &options, error);

	bytes_clear(&pattern);
	bytes_clear(&options);
	return ok;
}

static bool read_dbpointer(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes name = BYTES_INIT;
	uint8_t id[12] = { 0 };
	struct member members[] = { { "$ref", member_string, &name, false }, { "$id", member_object_id, id, false } };
	bool ok = read_members(r, members, 2, "$dbPointer wants {$ref, $id}", error);

	if (ok) {
		writer_text_bytes(w, key, BSON_TYPE_DBPOINTER, &name);
		bytes_append(w->out, id, sizeof id);
	}
	bytes_clear(&name);
	return ok;
}

/* {"$code": "…"} or {"$code": "…", "$scope": {…}}. */
static bool read_code(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes code = BYTES_INIT, scope = BYTES_INIT;
	bool ok = reader_string(r, &code, error);

	if (ok && !reader_next_is(r, ',')) {
		writer_text_bytes(w, key, BSON_TYPE_CODE, &code);
	} else if (ok) {
		ok = expect_name(r, "$scope", error);
		/* reader_document counts levels anew: scopes in scopes are counted here */
		if (ok && ++r->scopes > 4)
			ok = reader_fail_at(r, r->at, "$scope nested deeper than 4 levels", error);
		ok = ok && reader_document(r, &scope, error);
		r->scopes--;
		if (ok) {
			uint32_t size = BSON_UINT32_TO_LE((uint32_t)(4 + 4 + code.size + 1 + scope.size));
			uint32_t code_size = BSON_UINT32_TO_LE((uint32_t)code.size + 1);

			writer_raw(w, key, BSON_TYPE_CODEWSCOPE, &size, 4);
			bytes_append(w->out, &code_size, 4);
			bytes_append(w->out, bytes_text(&code), code.size + 1);
			bytes_append(w->out, scope.data, scope.size);
		}
	}
	bytes_clear(&code);
	bytes_clear(&scope);
	return ok;
}

static bool read_marker(struct reader *r, struct writer *w, struct key key, uint8_t type, const char *one, const char *what,
                        bson_error_t *error)
{
	reader_at_end(r);
	if ((size_t)(r->end - r->at) < strlen(one) || memcmp(r->at, one, strlen(one)))
		return reader_expected(r, what, error);
	r->at += strlen(one);
	writer_raw(w, key, type, NULL, 0);
	return true;
}

static bool read_min_key(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	return read_marker(r, w, key, BSON_TYPE_MINKEY, "1", "1", error);
}

static bool read_max_key(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	return read_marker(r, w, key, BSON_TYPE_MAXKEY, "1", "1", error);
}

static bool read_undefined(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	return read_marker(r, w, key, BSON_TYPE_UNDEFINED, "true", "true", error);
}

const struct read_wrapper *read_wrapper_find(const char *name)
{
	static const struct read_wrapper wrappers[] = {
		{ "$oid", read_object_id },       { "$numberInt", read_int32 },
		{ "$numberLong", read_int64 },    { "$numberDouble", read_double },
		{ "$numberDecimal", read_decimal }, { "$date", read_date },
		{ "$binary", read_binary },       { "$uuid", read_uuid },
		{ "$timestamp", read_timestamp }, { "$regularExpression", read_regex },
		{ "$symbol", read_symbol },       { "$code", read_code },
		{ "$dbPointer", read_dbpointer }, { "$minKey", read_min_key },
		{ "$maxKey", read_max_key },      { "$undefined", read_undefined },
	};

	if (name[0] != '$')
		return NULL;
	for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
		if (!strcmp(wrappers[i].name, name))
			return &wrappers[i];
	return NULL;
}
