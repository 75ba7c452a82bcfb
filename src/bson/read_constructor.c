#include "bson/read_constructor.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_LIMIT = 8, NESTING_LIMIT = 8 };

struct arguments {
	struct value values[ARGUMENT_LIMIT];
	size_t count;
};

/* False: the arguments make none. */
typedef bool (*make)(const struct arguments *a, struct writer *w, struct key key);

static bool text_of(const struct arguments *a, size_t i, struct key *text)
{
	if (i >= a->count || a->values[i].type != BSON_TYPE_UTF8)
		return false;
	*text = value_text(a->values[i]);
	return !memchr(text->bytes, 0, text->size_bytes);
}

static bool integer_of(const struct arguments *a, size_t i, int64_t least, int64_t most, int64_t *n)
{
	struct key text;
	char *end;

	if (text_of(a, i, &text)) { /* its bytes are followed by a NUL in BSON */
		errno = 0;
		*n = strtoll(text.bytes, &end, 10);
		return text.size_bytes && !*end && !errno && *n >= least && *n <= most;
	}
	return i < a->count && value_as_int64(a->values[i], n) && *n >= least && *n <= most;
}

static bool make_object_id(const struct arguments *a, struct writer *w, struct key key)
{
	struct key text;
	uint8_t id[12];

	if (a->count != 1 || !text_of(a, 0, &text) || !read_parse_hex(text.bytes, id, sizeof id))
		return false;
	writer_raw(w, key, BSON_TYPE_OID, id, sizeof id);
	return true;
}

static bool make_int64(const struct arguments *a, struct writer *w, struct key key)
{
	int64_t n;
	uint64_t little;

	if (!integer_of(a, 0, INT64_MIN, INT64_MAX, &n))
		return false;
	little = BSON_UINT64_TO_LE((uint64_t)n);
	writer_raw(w, key, BSON_TYPE_INT64, &little, 8);
	return true;
}

static bool make_int32(const struct arguments *a, struct writer *w, struct key key)
{
	int64_t n;
	uint32_t little;

	if (!integer_of(a, 0, INT32_MIN, INT32_MAX, &n))
		return false;
	little = BSON_UINT32_TO_LE((uint32_t)(int32_t)n);
	writer_raw(w, key, BSON_TYPE_INT32, &little, 4);
	return true;
}

static bool make_double(const struct arguments *a, struct writer *w, struct key key)
{
	struct key text;
	char *end;
	double n;

	if (a->count != 1)
		return false;
	if (text_of(a, 0, &text)) {
		n = strtod(text.bytes, &end);
		if (!text.size_bytes || *end)
			return false;
	} else if (value_is_number(a->values[0])) {
		n = value_as_double(a->values[0]);
	} else {
		return false;
	}
	reader_write_double(w, key, n);
	return true;
}

static bool make_decimal(const struct arguments *a, struct writer *w, struct key key)
{
	bson_decimal128_t n;
	char buffer[48];
	struct key text;
	int64_t whole;
	uint64_t parts[2];

	if (!text_of(a, 0, &text)) {
		if (!integer_of(a, 0, INT64_MIN, INT64_MAX, &whole))
			return false;
		snprintf(buffer, sizeof buffer, "%lld", (long long)whole);
		text.bytes = buffer;
	}
	if (a->count != 1 || !bson_decimal128_from_string(text.bytes, &n))
		return false;
	parts[0] = BSON_UINT64_TO_LE(n.low);
	parts[1] = BSON_UINT64_TO_LE(n.high);
	writer_raw(w, key, BSON_TYPE_DECIMAL128, parts, 16);
	return true;
}

/* ISODate("2026-06-30"), also with a time, with or without its zone. */
static bool parse_shell_date(const char *text, int64_t *millis)
{
	char whole[64];
	size_t length = strlen(text);

	if (length >= sizeof whole - 16)
		return false;
	snprintf(whole, sizeof whole, "%s", text);
	if (length > 10 && whole[10] == ' ')
		whole[10] = 'T';
	if (length == 10)
		snprintf(whole + 10, sizeof whole - 10, "T00:00:00Z");
	else if (length == 16)
		snprintf(whole + 16, sizeof whole - 16, ":00Z");
	return read_parse_date(whole, millis) ||
	       (strlen(whole) + 2 < sizeof whole && read_parse_date(strcat(whole, "Z"), millis));
}

static bool make_date(const struct arguments *a, struct writer *w, struct key key)
{
	struct key text;
	int64_t millis;

	if (a->count != 1)
		return false;
	if (text_of(a, 0, &text) ? !parse_shell_date(text.bytes, &millis) : !integer_of(a, 0, INT64_MIN, INT64_MAX, &millis))
		return false;
	writer_date(w, key, millis);
	return true;
}

static bool make_timestamp(const struct arguments *a, struct writer *w, struct key key)
{
	struct arguments parts = *a;
	int64_t seconds, increment, bits;
	uint64_t little;

	if (a->count == 1 && value_is_document(a->values[0])) {
		parts.values[0] = value_get(a->values[0], "t");
		parts.values[1] = value_get(a->values[0], "i");
		parts.count = 2;
	}
	if (parts.count == 2 && integer_of(&parts, 0, 0, UINT32_MAX, &seconds) &&
	    integer_of(&parts, 1, 0, UINT32_MAX, &increment))
		bits = (int64_t)((uint64_t)seconds << 32 | (uint64_t)increment);
	else if (a->count != 1 || !integer_of(a, 0, INT64_MIN, INT64_MAX, &bits))
		return false;
	little = BSON_UINT64_TO_LE((uint64_t)bits);
	writer_raw(w, key, BSON_TYPE_TIMESTAMP, &little, 8);
	return true;
}

static bool make_uuid(const struct arguments *a, struct writer *w, struct key key)
{
	struct bytes data = BYTES_INIT;
	struct key text;
	uint8_t id[16];

	if (a->count != 1 || !text_of(a, 0, &text) || !read_parse_uuid(text.bytes, id))
		return false;
	bytes_append(&data, id, sizeof id);
	writer_binary(w, key, BSON_SUBTYPE_UUID, &data);
	bytes_clear(&data);
	return true;
}

enum encoding { BASE64, HEXADECIMAL };

static bool decode(struct key text, enum encoding encoding, struct bytes *data)
{
	struct bytes own = BYTES_INIT;
	bool ok;

	if (encoding == HEXADECIMAL) {
		if (text.size_bytes % 2)
			return false;
		bytes_reserve(data, text.size_bytes / 2 + 1);
		data->size = text.size_bytes / 2;
		return read_parse_hex(text.bytes, data->data, data->size);
	}
	bytes_append(&own, text.bytes, text.size_bytes);
	ok = read_parse_base64(&own, data);
	bytes_clear(&own);
	return ok;
}

static bool write_decoded(struct writer *w, struct key key, int64_t subtype, struct key text, enum encoding encoding)
{
	struct bytes data = BYTES_INIT;
	bool ok = decode(text, encoding, &data);

	if (ok)
		writer_binary(w, key, (uint8_t)subtype, &data);
	bytes_clear(&data);
	return ok;
}

static bool write_bytes(struct writer *w, struct key key, int64_t subtype, struct value binary)
{
	struct bytes data = BYTES_INIT;
	uint8_t ignored;
	uint32_t size;
	const uint8_t *at = value_binary(binary, &ignored, &size);

	bytes_append(&data, at, size);
	writer_binary(w, key, (uint8_t)subtype, &data);
	bytes_clear(&data);
	return true;
}

static bool make_binary_data(const struct arguments *a, struct writer *w, struct key key)
{
	struct key text;
	int64_t subtype;

	if (a->count == 2 && integer_of(a, 0, 0, 255, &subtype) && a->values[1].type == BSON_TYPE_BINARY) /* take_bare_hex */
		return write_bytes(w, key, subtype, a->values[1]);
	return a->count == 2 && integer_of(a, 0, 0, 255, &subtype) && text_of(a, 1, &text) &&
	       write_decoded(w, key, subtype, text, BASE64);
}

static bool make_hex_data(const struct arguments *a, struct writer *w, struct key key)
{
	struct key text;
	int64_t subtype;

	return a->count == 2 && integer_of(a, 0, 0, 255, &subtype) && text_of(a, 1, &text) &&
	       write_decoded(w, key, subtype, text, HEXADECIMAL);
}

static bool make_md5(const struct arguments *a, struct writer *w, struct key key)
{
	struct key text;

	return a->count == 1 && text_of(a, 0, &text) && write_decoded(w, key, BSON_SUBTYPE_MD5, text, HEXADECIMAL);
}

/* Text in base64 or hexadecimal and then the subtype: Binary.createFromBase64("…", 0). */
static bool make_encoded(const struct arguments *a, struct writer *w, struct key key, enum encoding encoding)
{
	struct key text;
	int64_t subtype = 0;

	return a->count >= 1 && text_of(a, 0, &text) && (a->count < 2 || integer_of(a, 1, 0, 255, &subtype)) &&
	       write_decoded(w, key, subtype, text, encoding);
}

static bool make_from_base64(const struct arguments *a, struct writer *w, struct key key)
{
	return make_encoded(a, w, key, BASE64);
}

static bool make_from_hex(const struct arguments *a, struct writer *w, struct key key)
{
	return make_encoded(a, w, key, HEXADECIMAL);
}

/* Buffer.from("…", "hex" | "base64") */
static bool make_buffer(const struct arguments *a, struct writer *w, struct key key)
{
	struct key text, encoding;

	if (a->count != 2 || !text_of(a, 0, &text) || !text_of(a, 1, &encoding))
		return false;
	if (!key_is(encoding, "hex") && !key_is(encoding, "base64"))
		return false;
	return write_decoded(w, key, 0, text, key_is(encoding, "hex") ? HEXADECIMAL : BASE64);
}

/* Binary(Buffer.from(…), subtype) or Binary("text", subtype) */
static bool make_binary(const struct arguments *a, struct writer *w, struct key key)
{
	struct bytes data = BYTES_INIT;
	int64_t subtype = 0;
	struct key text;

	if (!a->count || (a->count > 1 && !integer_of(a, 1, 0, 255, &subtype)))
		return false;
	if (a->values[0].type == BSON_TYPE_BINARY)
		bytes_append(&data, a->values[0].bytes + 5, a->values[0].size_bytes - 5);
	else if (text_of(a, 0, &text))
		bytes_append(&data, text.bytes, text.size_bytes);
	else
		return false;
	writer_binary(w, key, (uint8_t)subtype, &data);
	bytes_clear(&data);
	return true;
}

/* datetime.datetime(year, month, day[, hour, minute, second, microsecond]) */
static bool make_python_date(const struct arguments *a, struct writer *w, struct key key)
{
	static const int64_t most[] = { 9999, 12, 31, 23, 59, 59, 999999 };
	int64_t parts[7] = { 0 };
	char text[40];
	int64_t millis;
	bool ok = a->count >= 3 && a->count <= 7;

	for (size_t i = 0; ok && i < a->count; i++)
		ok = integer_of(a, i, i < 3, most[i], &parts[i]);
	if (!ok)
		return false;
	snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (int)parts[0], (int)parts[1], (int)parts[2],
	         (int)parts[3], (int)parts[4], (int)parts[5], (int)(parts[6] / 1000));
	if (!parse_shell_date(text, &millis))
		return false;
	writer_date(w, key, millis);
	return true;
}

static bool make_min_key(const struct arguments *a, struct writer *w, struct key key)
{
	writer_raw(w, key, BSON_TYPE_MINKEY, NULL, 0);
	return a->count == 0;
}

static bool make_max_key(const struct arguments *a, struct writer *w, struct key key)
{
	writer_raw(w, key, BSON_TYPE_MAXKEY, NULL, 0);
	return a->count == 0;
}

static bool make_regex(const struct arguments *a, struct writer *w, struct key key)
{
	struct bytes pattern = BYTES_INIT, options = BYTES_INIT;
	struct key text, flags = { "", 0 };
	bool ok = text_of(a, 0, &text) && (a->count == 1 || (a->count == 2 && text_of(a, 1, &flags)));

	if (ok) {
		bytes_append(&pattern, text.bytes, text.size_bytes);
		bytes_append(&options, flags.bytes, flags.size_bytes);
		ok = reader_write_regex(NULL, w, key, &pattern, &options, NULL);
	}
	bytes_clear(&pattern);
	bytes_clear(&options);
	return ok;
}

/* DBRef("collection", id[, "database"]) is a document. */
static bool make_reference(const struct arguments *a, struct writer *w, struct key key)
{
	static const char *const names[] = { "$ref", "$id", "$db" };

	if (a->count < 2 || a->count > 3 || a->values[0].type != BSON_TYPE_UTF8)
		return false;
	writer_begin_document(w, key);
	for (size_t i = 0; i < a->count; i++)
		writer_put(w, names[i], a->values[i]);
	writer_end(w);
	return true;
}

static bool make_text(const struct arguments *a, struct writer *w, struct key key, uint8_t type)
{
	struct bytes own = BYTES_INIT;
	struct key text;

	if (a->count != 1 || a->values[0].type != BSON_TYPE_UTF8)
		return false;
	text = value_text(a->values[0]);
	bytes_append(&own, text.bytes, text.size_bytes);
	writer_text_bytes(w, key, type, &own);
	bytes_clear(&own);
	return true;
}

static bool make_code(const struct arguments *a, struct writer *w, struct key key)
{
	return make_text(a, w, key, BSON_TYPE_CODE);
}

static bool make_symbol(const struct arguments *a, struct writer *w, struct key key)
{
	return make_text(a, w, key, BSON_TYPE_SYMBOL);
}

static const struct constructor {
	const char *name;
	make make;
	const char *wants;
} constructors[] = {
	{ "ObjectId", make_object_id, "24 hexadecimal digits in quotes" },
	{ "ObjectID", make_object_id, "24 hexadecimal digits in quotes" },
	{ "NumberLong", make_int64, "a 64-bit integer" },
	{ "Long", make_int64, "a 64-bit integer" },
	{ "Long.fromString", make_int64, "a 64-bit integer" },
	{ "Long.fromNumber", make_int64, "a 64-bit integer" },
	{ "BigInt", make_int64, "a 64-bit integer" },
	{ "BSONLong", make_int64, "a 64-bit integer" },
	{ "BSONInteger", make_int32, "a 32-bit integer" },
	{ "BSONDouble", make_double, "a number" },
	{ "Int64", make_int64, "a 64-bit integer" },
	{ "NumberInt", make_int32, "a 32-bit integer" },
	{ "Int32", make_int32, "a 32-bit integer" },
	{ "Double", make_double, "a number" },
	{ "Number", make_double, "a number" },
	{ "NumberDecimal", make_decimal, "a decimal number of at most 34 digits in quotes" },
	{ "Decimal128", make_decimal, "a decimal number of at most 34 digits in quotes" },
	{ "Decimal128.fromString", make_decimal, "a decimal number of at most 34 digits in quotes" },
	{ "ISODate", make_date, "a date as \"2026-06-30T08:12:00Z\", or milliseconds" },
	{ "Date", make_date, "a date as \"2026-06-30T08:12:00Z\", or milliseconds" },
	{ "datetime.datetime", make_python_date, "year, month and day" },
	{ "Timestamp", make_timestamp, "seconds and increment" },
	{ "UUID", make_uuid, "a UUID in quotes" },
	{ "BinData", make_binary_data, "a subtype and base64 in quotes" },
	{ "HexData", make_hex_data, "a subtype and hexadecimal digits in quotes" },
	{ "MD5", make_md5, "hexadecimal digits in quotes" },
	{ "Binary", make_binary, "bytes and a subtype" },
	{ "Binary.createFromBase64", make_from_base64, "base64 in quotes and a subtype" },
	{ "Binary.createFromHexString", make_from_hex, "hexadecimal digits in quotes and a subtype" },
	{ "Buffer.from", make_buffer, "text in quotes and \"hex\" or \"base64\"" },
	{ "MinKey", make_min_key, "nothing" },
	{ "MaxKey", make_max_key, "nothing" },
	{ "RegExp", make_regex, "a pattern and options in quotes" },
	{ "BSONRegExp", make_regex, "a pattern and options in quotes" },
	{ "DBRef", make_reference, "a collection in quotes and an id" },
	{ "Code", make_code, "text in quotes" },
	{ "Symbol", make_symbol, "text in quotes" },
	{ "BSONSymbol", make_symbol, "text in quotes" },
};

static const struct constructor *find(struct key name)
{
	for (size_t i = 0; i < sizeof constructors / sizeof *constructors; i++)
		if (key_is(name, constructors[i].name))
			return &constructors[i];
	return NULL;
}

static struct key take_word(struct reader *r)
{
	const char *start = r->at;

	while (r->at < r->end && (isalnum((unsigned char)*r->at) || strchr("_$.", *r->at)) && *r->at)
		r->at++;
	return (struct key){ start, (uint32_t)(r->at - start) };
}

/* Python's "tzinfo=datetime.timezone.utc": our dates are in UTC anyway. */
static bool skip_utc(struct reader *r)
{
	static const char utc[] = "tzinfo=datetime.timezone.utc";

	if (r->notation != READER_PASTE || reader_at_end(r) || (size_t)(r->end - r->at) < sizeof utc - 1 ||
	    memcmp(r->at, utc, sizeof utc - 1))
		return false;
	r->at += sizeof utc - 1;
	return true;
}

/* Servers' own texts have the bytes in hexadecimal digits without quotes: BinData(4, A12C…). */
static bool take_bare_hex(struct reader *r, struct writer *w)
{
	const char *start = r->at, *at;
	struct bytes digits = BYTES_INIT, data = BYTES_INIT;
	bool ok;

	while (start < r->end && *start == ' ')
		start++;
	for (at = start; at < r->end && isxdigit((unsigned char)*at);)
		at++;
	bytes_append(&digits, start, (size_t)(at - start));
	ok = at < r->end && *at == ')' &&
	     decode((struct key){ bytes_text(&digits), (uint32_t)digits.size }, HEXADECIMAL, &data);
	if (ok) {
		writer_binary(w, key_of(""), 0, &data);
		r->at = at;
	}
	bytes_clear(&digits);
	bytes_clear(&data);
	return ok;
}

/* The arguments as an array in `out`. */
static bool read_arguments(struct reader *r, const struct constructor *c, struct bytes *out, bson_error_t *error)
{
	struct writer w;
	bool ok = reader_take(r, '(', error), bare_hex = false;

	writer_begin(&w, out);
	writer_begin_array(&w, key_of("a"));
	if (ok && !reader_next_is(r, ')')) {
		do {
			ok = (bare_hex && take_bare_hex(r, &w)) || skip_utc(r) || reader_value(r, &w, key_of(""), error);
			bare_hex = r->notation == READER_PASTE && c && c->make == make_binary_data;
		} while (ok && reader_next_is(r, ','));
		ok = ok && reader_take(r, ')', error);
	}
	writer_end(&w);
	writer_finish(&w);
	return ok;
}

/* Without a constructor the arguments are read and forgotten. */
static bool construct(struct reader *r, const struct constructor *c, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes text = BYTES_INIT, what = BYTES_INIT;
	const char *start = r->at;
	struct arguments a = { .count = 0 };
	struct value document;
	bool ok = ++r->scopes <= NESTING_LIMIT ? true : reader_fail_at(r, r->at, "constructors nested deeper than 8 levels", error);

	ok = ok && read_arguments(r, c, &text, error);
	r->scopes--;
	if (ok && r->notation == READER_PASTE && r->at >= r->end && r->end[-1] != ')')
		r->cut = true;
	else if (ok && value_document(&document, text.data, text.size)) {
		struct walk walk;
		struct field f;

		for (walk_begin(&walk, value_get(document, "a")); walk_next(&walk, &f) && a.count < ARGUMENT_LIMIT;)
			a.values[a.count++] = f.value;
		if (c && c->make(&a, w, key)) {
			/* written */
		} else if (r->notation == READER_PASTE) { /* somebody else's notation: left out rather than misread */
			r->incomplete = true;
		} else {
			bytes_format(&what, "%s wants %s", c->name, c->wants);
			ok = reader_fail_at(r, start, bytes_text(&what), error);
		}
	}
	bytes_clear(&what);
	bytes_clear(&text);
	return ok;
}

static bool integer_field(struct value document, const char *name, int64_t *n)
{
	return value_as_int64(value_get(document, name), n);
}

/* Node's console prints a class's name before its fields: Long { low: 12, high: 0, unsigned: false } is a number. */
static bool read_named_fields(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;
	struct value document;
	int64_t low, high;
	bool ok = ++r->scopes <= NESTING_LIMIT ? true : reader_fail_at(r, r->at, "classes nested deeper than 8 levels", error);

	ok = ok && reader_document(r, &text, error);
	r->scopes--;
	if (ok && value_document(&document, text.data, text.size)) {
		if (integer_field(document, "low", &low) && integer_field(document, "high", &high)) {
			uint64_t little = BSON_UINT64_TO_LE((uint64_t)high << 32 | (uint32_t)low);

			writer_raw(w, key, BSON_TYPE_INT64, &little, 8);
		} else {
			writer_value(w, key, document);
		}
	}
	bytes_clear(&text);
	return ok;
}

/* Python's b'…'. */
static bool read_python_bytes(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	struct bytes data = BYTES_INIT;
	bool ok = reader_string(r, &data, error);

	if (ok)
		writer_binary(w, key, 0, &data);
	bytes_clear(&data);
	return ok;
}

/* Words of other languages' consoles; one that says nothing to us is left out. */
static bool read_foreign_word(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	static const struct {
		const char *word;
		uint8_t type, payload;
		size_t size_bytes;
	} words[] = { { "True", BSON_TYPE_BOOL, 1, 1 }, { "False", BSON_TYPE_BOOL, 0, 1 }, { "None", BSON_TYPE_NULL, 0, 0 } };
	const char *start = r->at;
	struct key name = take_word(r);

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (key_is(name, words[i].word)) {
			writer_raw(w, key, words[i].type, &words[i].payload, words[i].size_bytes);
			return true;
		}
	if (key_is(name, "b") && r->at < r->end && strchr("\"'", *r->at))
		return read_python_bytes(r, w, key, error);
	if (name.size_bytes && r->end - r->at > 1 && r->at[0] == ' ' && r->at[1] == '{')
		return read_named_fields(r, w, key, error);
	reader_go_back(r, start);
	if (reader_word(r, w, key, error))
		return true;
	take_word(r);
	r->incomplete = r->incomplete || r->at > start;
	return r->at > start;
}

bool reader_constructor(struct reader *r, struct writer *w, struct key key, bson_error_t *error)
{
	const char *start = r->at;
	const struct constructor *c;
	struct key name = take_word(r);

	if (key_is(name, "new")) {
		reader_at_end(r);
		name = take_word(r);
	}
	c = find(name);
	if (name.size_bytes && !reader_at_end(r) && *r->at == '(' && (c || r->notation == READER_PASTE))
		return construct(r, c, w, key, error);
	reader_go_back(r, start);
	return r->notation == READER_PASTE ? read_foreign_word(r, w, key, error) : reader_word(r, w, key, error);
}
