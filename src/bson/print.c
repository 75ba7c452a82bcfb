#include "bson/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A reply holds the deepest document some levels down: cursor, firstBatch. */
enum { DEPTH_LIMIT = VALUE_DEPTH_LIMIT + 6 };

struct printer {
	struct bytes *out;
	const struct print_options *options;
	size_t start; /* of what this call prints, in out */
	int depth;
};

static void print_any(struct printer *p, struct value v);

/* The notations of JavaScript: mongosh's, and the one that the server uses in messages and index bounds. */
static bool shell(const struct printer *p)
{
	return p->options->form == PRINT_SHELL || p->options->form == PRINT_SERVER;
}

static bool server(const struct printer *p)
{
	return p->options->form == PRINT_SERVER;
}

static bool full(struct printer *p)
{
	return p->options->limit_bytes && p->out->size - p->start >= p->options->limit_bytes;
}

/* Length of the valid UTF-8 sequence at `at` (1 to 4), or 0: overlong forms, surrogates and strays are not valid. */
static size_t utf8_length(const uint8_t *at, size_t available)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf8 ? 4 : 0;
	uint32_t code;

	if (length == 1)
		return 1;
	if (!length || length > available)
		return 0;
	code = at[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

/*
 * C1 controls (U+0080 to U+009F) drive terminals as much as C0 does; so do the bidirectional overrides, which reorder
 * lines.
 */
static bool dangerous(const uint8_t *at, size_t length)
{
	if (length == 2)
		return at[0] == 0xc2 && at[1] < 0xa0;
	return length == 3 && at[0] == 0xe2 &&
	       ((at[1] == 0x80 && ((at[2] >= 0xaa && at[2] <= 0xae) || at[2] == 0xa8 || at[2] == 0xa9)) ||
	        (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

static unsigned code_point(const uint8_t *at, size_t length)
{
	return length == 2 ? (at[0] & 0x1fu) << 6 | (at[1] & 0x3fu)
	                   : (at[0] & 0x0fu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
}

static void escape_text(struct bytes *out, const char *text, size_t size, char quote)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + size;

	while (at < end) {
		const uint8_t *plain = at;
		size_t length;

		while (at < end && *at >= 0x20 && *at < 0x7f && *at != '\\' && *at != (uint8_t)quote)
			at++;
		bytes_append(out, plain, (size_t)(at - plain));
		if (at == end)
			return;
		length = utf8_length(at, (size_t)(end - at));
		if (length == 0) {
			bytes_format(out, quote == '"' ? "\\\\x%02X" : "\\x%02X", *at);
			length = 1;
		} else if (length == 1 && (*at < 0x20 || *at == 0x7f)) {
			static const char names[] = "btn?fr";

			if (*at >= 8 && *at <= 13 && *at != 11)
				bytes_format(out, "\\%c", names[*at - 8]);
			else
				bytes_format(out, "\\u%04x", *at);
		} else if (length == 1 && quote && (*at == (uint8_t)quote || *at == '\\')) {
			bytes_format(out, "\\%c", *at);
		} else if (dangerous(at, length)) {
			bytes_format(out, "\\u%04x", code_point(at, length));
		} else {
			bytes_append(out, at, length);
		}
		at += length;
	}
}

void print_text(struct bytes *out, const char *text, size_t size_bytes)
{
	escape_text(out, text, size_bytes, 0);
}

static void print_quoted(struct printer *p, struct key text)
{
	char quote = shell(p) && !server(p) ? '\'' : '"';
	const char *end = memchr(text.bytes, '\'', text.size_bytes);

	/* mongosh quotes with ' and changes to " only when the text holds a ' */
	if (shell(p) && end && !memchr(text.bytes, '"', text.size_bytes))
		quote = '"';
	bytes_append_byte(p->out, (uint8_t)quote);
	if (p->options->limit_bytes && text.size_bytes > p->options->limit_bytes) {
		escape_text(p->out, text.bytes, p->options->limit_bytes, quote);
		bytes_append_text(p->out, "\u2026");
	} else {
		escape_text(p->out, text.bytes, text.size_bytes, quote);
	}
	bytes_append_byte(p->out, (uint8_t)quote);
}

static bool plain_name(struct key key)
{
	if (!key.size_bytes || (key.bytes[0] >= '0' && key.bytes[0] <= '9'))
		return false;
	for (uint32_t i = 0; i < key.size_bytes; i++) {
		char c = key.bytes[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$'))
			return false;
	}
	return true;
}

static void print_key(struct printer *p, struct key key)
{
	if (server(p))
		print_text(p->out, key.bytes, key.size_bytes);
	else if (shell(p) && plain_name(key))
		bytes_append(p->out, key.bytes, key.size_bytes);
	else
		print_quoted(p, key);
	bytes_append_text(p->out, ": ");
}

static void new_line(struct printer *p)
{
	if (!p->options->indent)
		return;
	bytes_append_byte(p->out, '\n');
	for (int i = 0; i < p->depth * p->options->indent; i++)
		bytes_append_byte(p->out, ' ');
}

static void print_nested(struct printer *p, struct value v)
{
	bool array = v.type == BSON_TYPE_ARRAY, any = false;
	const char *pad = !p->options->indent && shell(p) ? " " : "";
	struct walk w;
	struct field f;

	if (p->depth >= DEPTH_LIMIT) {
		bytes_append_text(p->out, shell(p) ? "\u2026" : "{\"$deeper\": \"\u2026\"}");
		return;
	}
	bytes_append_byte(p->out, array ? '[' : '{');
	p->depth++;
	walk_begin(&w, v);
	while (walk_next(&w, &f)) {
		if (any)
			bytes_append_text(p->out, p->options->indent ? "," : ", ");
		else
			bytes_append_text(p->out, pad);
		any = true;
		new_line(p);
		if (full(p)) {
			bytes_append_text(p->out, "\u2026");
			break;
		}
		if (!array)
			print_key(p, f.key);
		print_any(p, f.value);
	}
	if (w.broken) {
		bytes_format(p->out, "%s<%s at offset %zu>", any ? ", " : "", w.broken, (size_t)(w.at - w.start));
		any = true;
	}
	p->depth--;
	if (any) {
		new_line(p);
		bytes_append_text(p->out, pad);
	}
	bytes_append_byte(p->out, array ? ']' : '}');
}

/* The shortest decimal text that reads back as the same double, always recognisable as a double ("5.0"). */
static void format_double(double n, char text[40])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 40, "%.*g", digits, n);
		if (strtod(text, NULL) == n)
			break;
	}
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
}

static const char *special_double(double n)
{
	return isnan(n) ? "NaN" : isinf(n) ? (n < 0 ? "-Infinity" : "Infinity") : NULL;
}

static void print_double(struct printer *p, double n)
{
	const char *special = special_double(n);
	char text[40];

	if (!special)
		format_double(n, text);
	if (server(p)) {
		bytes_append_text(p->out, !special ? text : isnan(n) ? "nan.0" : n < 0 ? "-inf.0" : "inf.0");
	} else if (shell(p)) {
		/* mongosh shows a whole double as a bare number; -0 keeps its sign */
		size_t length = special ? 0 : strlen(text);

		if (length > 2 && !strcmp(text + length - 2, ".0"))
			text[length - 2] = 0;
		bytes_append_text(p->out, special ? special : text);
	} else if (special || p->options->form == PRINT_CANONICAL) {
		bytes_format(p->out, "{\"$numberDouble\": \"%s\"}", special ? special : text);
	} else {
		bytes_append_text(p->out, text);
	}
}

/* The end of 9999: the last moment that relaxed Extended JSON writes as text. */
static const int64_t last_millis = INT64_C(253402300799999);

static char *put_digits(char *at, int n, int digits, char after)
{
	for (int i = digits; i-- > 0; n /= 10)
		at[i] = (char)('0' + n % 10);
	at[digits] = after;
	return at + digits + 1;
}

/* "2026-01-31T08:30:00.000" */
static bool format_date(int64_t millis, char text[40])
{
	int64_t seconds = millis >= 0 ? millis / 1000 : -((-(millis + 1)) / 1000) - 1;
	int fraction = (int)(millis - seconds * 1000);
	time_t when = (time_t)seconds;
	struct tm t;

	if (millis < INT64_C(-62135596800000) || millis > last_millis || !gmtime_r(&when, &t))
		return false;
	text = put_digits(text, t.tm_year + 1900, 4, '-');
	text = put_digits(text, t.tm_mon + 1, 2, '-');
	text = put_digits(text, t.tm_mday, 2, 'T');
	text = put_digits(text, t.tm_hour, 2, ':');
	text = put_digits(text, t.tm_min, 2, ':');
	text = put_digits(text, t.tm_sec, 2, '.');
	put_digits(text, fraction, 3, 0);
	return true;
}

static void print_date(struct printer *p, int64_t millis)
{
	char text[40];
	bool readable = format_date(millis, text);

	if (shell(p)) {
		if (readable && !server(p))
			bytes_format(p->out, "ISODate('%sZ')", text);
		else
			bytes_format(p->out, "new Date(%" PRId64 ")", millis);
	} else if (p->options->form == PRINT_RELAXED && readable && millis >= 0) {
		if (millis % 1000 == 0)
			text[strlen(text) - 4] = 0;
		bytes_format(p->out, "{\"$date\": \"%sZ\"}", text);
	} else {
		bytes_format(p->out, "{\"$date\": {\"$numberLong\": \"%" PRId64 "\"}}", millis);
	}
}

static void append_base64(struct bytes *out, const uint8_t *at, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		uint32_t group = (uint32_t)at[i] << 16 | (i + 1 < size ? (uint32_t)at[i + 1] << 8 : 0) |
		                 (i + 2 < size ? at[i + 2] : 0);

		bytes_append_byte(out, (uint8_t)digits[group >> 18]);
		bytes_append_byte(out, (uint8_t)digits[group >> 12 & 63]);
		bytes_append_byte(out, i + 1 < size ? (uint8_t)digits[group >> 6 & 63] : '=');
		bytes_append_byte(out, i + 2 < size ? (uint8_t)digits[group & 63] : '=');
	}
}

static void append_hex(struct bytes *out, const uint8_t *at, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	bytes_reserve(out, 2 * size);
	for (size_t i = 0; i < size; i++) {
		out->data[out->size++] = (uint8_t)digits[at[i] >> 4];
		out->data[out->size++] = (uint8_t)digits[at[i] & 15];
	}
}

/* The deprecated subtype 2 repeats its length inside the data. */
static bool repeats_length(const uint8_t *data, uint8_t subtype, uint32_t size)
{
	uint32_t inner;

	if (subtype != BSON_SUBTYPE_BINARY_DEPRECATED || size < 4)
		return false;
	memcpy(&inner, data, 4);
	return BSON_UINT32_FROM_LE(inner) == size - 4;
}

static void print_binary(struct printer *p, struct value v)
{
	uint8_t subtype;
	uint32_t size;
	const uint8_t *data = value_binary(v, &subtype, &size);

	if (server(p)) {
		bytes_format(p->out, "BinData(%u, ", subtype);
		append_hex(p->out, data, size);
		bytes_append_byte(p->out, ')');
		return;
	}
	if (shell(p) && subtype == BSON_SUBTYPE_UUID && size == 16) {
		static const uint8_t ends[] = { 4, 6, 8, 10, 16 };
		uint8_t at = 0;

		bytes_append_text(p->out, "UUID('");
		for (size_t i = 0; i < sizeof ends; at = ends[i++]) {
			bytes_append_text(p->out, at ? "-" : "");
			append_hex(p->out, data + at, (size_t)ends[i] - at);
		}
		bytes_append_text(p->out, "')");
		return;
	}
	if (shell(p))
		bytes_append_text(p->out, "Binary.createFromBase64('");
	else
		bytes_append_text(p->out, "{\"$binary\": {\"base64\": \"");
	if (repeats_length(data, subtype, size)) {
		data += 4;
		size -= 4;
	}
	append_base64(p->out, data, size);
	bytes_format(p->out, shell(p) ? "', %u)" : "\", \"subType\": \"%02x\"}}", subtype);
}

static void print_regex(struct printer *p, struct value v)
{
	struct key pattern, options;

	value_regex(v, &pattern, &options);
	if (shell(p)) {
		bytes_append_byte(p->out, '/');
		escape_text(p->out, pattern.bytes, pattern.size_bytes, 0);
		bytes_append_byte(p->out, '/');
		escape_text(p->out, options.bytes, options.size_bytes, 0);
		return;
	}
	bytes_append_text(p->out, "{\"$regularExpression\": {\"pattern\": ");
	print_quoted(p, pattern);
	bytes_append_text(p->out, ", \"options\": ");
	print_quoted(p, options);
	bytes_append_text(p->out, "}}");
}

static void print_code(struct printer *p, struct value v)
{
	struct value code = v, scope = value_missing();
	uint32_t size;

	if (v.type == BSON_TYPE_CODEWSCOPE) {
		memcpy(&size, v.bytes + 4, 4);
		size = BSON_UINT32_FROM_LE(size);
		code = (struct value){ v.bytes + 4, size + 4, BSON_TYPE_CODE };
		if (size < 1 || (uint64_t)size + 8 > v.size_bytes ||
		    !value_document(&scope, v.bytes + 8 + size, v.size_bytes - 8 - size)) {
			bytes_append_text(p->out, "<code with an impossible length>");
			return;
		}
	}
	bytes_append_text(p->out, shell(p) ? "Code(" : "{\"$code\": ");
	print_quoted(p, value_text(code));
	if (!value_is_missing(scope)) {
		bytes_append_text(p->out, shell(p) ? ", " : ", \"$scope\": ");
		print_any(p, scope);
	}
	bytes_append_byte(p->out, shell(p) ? ')' : '}');
}

static void print_dbpointer(struct printer *p, struct value v)
{
	struct key ns = { (const char *)v.bytes + 4, v.size_bytes - 12 - 5 };

	bytes_append_text(p->out, shell(p) ? "DBPointer(" : "{\"$dbPointer\": {\"$ref\": ");
	print_quoted(p, ns);
	bytes_append_text(p->out, shell(p) ? ", ObjectId('" : ", \"$id\": {\"$oid\": \"");
	append_hex(p->out, v.bytes + v.size_bytes - 12, 12);
	bytes_append_text(p->out, shell(p) ? "'))" : "\"}}}");
}

static void print_int64(struct printer *p, int64_t n)
{
	static const char *const formats[] = {
		[PRINT_RELAXED] = "%" PRId64,
		[PRINT_CANONICAL] = "{\"$numberLong\": \"%" PRId64 "\"}",
		[PRINT_SHELL] = "Long('%" PRId64 "')",
		[PRINT_SERVER] = "%" PRId64,
	};

	bytes_format(p->out, formats[p->options->form], n);
}

static void print_decimal(struct printer *p, struct value v)
{
	bson_decimal128_t n = value_decimal(v);
	char text[BSON_DECIMAL128_STRING];

	bson_decimal128_to_string(&n, text);
	bytes_format(p->out, server(p) ? "%s" : shell(p) ? "Decimal128('%s')" : "{\"$numberDecimal\": \"%s\"}", text);
}

static void print_any(struct printer *p, struct value v)
{
	uint64_t bits;

	switch (v.type) {
	case BSON_TYPE_DOUBLE: print_double(p, value_double(v)); break;
	case BSON_TYPE_UTF8: print_quoted(p, value_text(v)); break;
	case BSON_TYPE_DOCUMENT: case BSON_TYPE_ARRAY: print_nested(p, v); break;
	case BSON_TYPE_BINARY: print_binary(p, v); break;
	case BSON_TYPE_UNDEFINED: bytes_append_text(p->out, shell(p) ? "undefined" : "{\"$undefined\": true}"); break;
	case BSON_TYPE_OID:
		bytes_append_text(p->out, shell(p) ? "ObjectId('" : "{\"$oid\": \"");
		append_hex(p->out, v.bytes, 12);
		bytes_append_text(p->out, shell(p) ? "')" : "\"}");
		break;
	case BSON_TYPE_BOOL: bytes_append_text(p->out, value_bool(v) ? "true" : "false"); break;
	case BSON_TYPE_DATE_TIME: print_date(p, value_int64(v)); break;
	case BSON_TYPE_NULL: bytes_append_text(p->out, "null"); break;
	case BSON_TYPE_REGEX: print_regex(p, v); break;
	case BSON_TYPE_DBPOINTER: print_dbpointer(p, v); break;
	case BSON_TYPE_CODE: case BSON_TYPE_CODEWSCOPE: print_code(p, v); break;
	case BSON_TYPE_SYMBOL:
		bytes_append_text(p->out, shell(p) ? "BSONSymbol(" : "{\"$symbol\": ");
		print_quoted(p, value_text(v));
		bytes_append_byte(p->out, shell(p) ? ')' : '}');
		break;
	case BSON_TYPE_INT32:
		bytes_format(p->out, p->options->form == PRINT_CANONICAL ? "{\"$numberInt\": \"%" PRId32 "\"}" : "%" PRId32,
		             value_int32(v));
		break;
	case BSON_TYPE_TIMESTAMP:
		bits = (uint64_t)value_int64(v);
		bytes_format(p->out,
		             server(p)  ? "Timestamp(%u, %u)"
		             : shell(p) ? "Timestamp({ t: %u, i: %u })"
		                        : "{\"$timestamp\": {\"t\": %u, \"i\": %u}}",
		             (unsigned)(bits >> 32), (unsigned)bits);
		break;
	case BSON_TYPE_INT64: print_int64(p, value_int64(v)); break;
	case BSON_TYPE_DECIMAL128: print_decimal(p, v); break;
	case BSON_TYPE_MINKEY: bytes_append_text(p->out, shell(p) ? server(p) ? "MinKey" : "MinKey()" : "{\"$minKey\": 1}"); break;
	case BSON_TYPE_MAXKEY: bytes_append_text(p->out, shell(p) ? server(p) ? "MaxKey" : "MaxKey()" : "{\"$maxKey\": 1}"); break;
	default: bytes_append_text(p->out, "\u2014"); break; /* missing */
	}
}

void print_value(struct bytes *out, struct value v, const struct print_options *options)
{
	struct printer p = { .out = out, .options = options, .start = out->size };

	print_any(&p, v);
}

void print_line(struct bytes *out, struct value v, enum print_form form)
{
	struct print_options options = { .form = form };

	print_value(out, v, &options);
}
