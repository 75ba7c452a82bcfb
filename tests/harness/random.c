#include "harness/random.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

/* xorshift64* */
static uint64_t draw(struct random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * UINT64_C(2685821657736338717);
}

uint32_t random_below(struct random *r, uint32_t limit)
{
	return (uint32_t)((draw(r) >> 32) % limit);
}

static const double EDGES[] = {
	0.0, -0.0, 1, -1, 0.1, -0.1, 0.5, 2.5, 1e15, 1e16, 9007199254740991.0, 9007199254740992.0, 9007199254740994.0,
	-9007199254740992.0, 9223372036854775808.0, -9223372036854775808.0, 1.8446744073709552e19, 2147483647, 2147483648.0,
	-2147483648.0, DBL_MIN, -DBL_MIN, 5e-324, -5e-324, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN, 1e300, -1e300, 9.5, 100,
};

static const char *const DECIMALS[] = {
	"0", "-0", "0E+100", "0.1", "0.10", "-0.1", "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257828",
	"1", "1.0", "1.00E0", "-1", "9007199254740993", "9007199254740992.5", "9007199254740992.000000000000000001",
	"9223372036854775807", "9223372036854775807.5", "-9223372036854775808.5", "9223372036854775808", "1E6144", "-1E6144",
	"9.999999999999999999999999999999999E6144", "1E-6176", "-1E-6176", "4E-324", "5E-324", "1.7976931348623157E308", "1.8E308",
	"-0.1000000000000000055511151231257828", "-0.1000000000000000056", "-0.10000000000000001", "2E-6176", "-2E-6176",
	"-9007199254740992.5", "-9007199254740992.25", "NaN", "-NaN", "Infinity", "-Infinity", "100", "1E2", "9.5", "9.50", "1234567890123456789012345678901234",
};

static double random_double(struct random *r)
{
	static const double scales[] = { 1, 0.1, 1e-3, 1e10, 1e17, 1e-310 };
	double n = EDGES[random_below(r, sizeof EDGES / sizeof *EDGES)];

	switch (random_below(r, 4)) {
	case 0: return n;
	case 1: return nextafter(n, random_below(r, 2) ? INFINITY : -INFINITY);
	case 2: return (double)(int32_t)random_below(r, 200) - 100;
	default:
		return ((double)random_below(r, 2000) - 1000) * scales[random_below(r, sizeof scales / sizeof *scales)];
	}
}

static int64_t random_int64(struct random *r)
{
	static const int64_t edges[] = { 0, 1, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 53, -(INT64_C(1) << 53), INT64_C(1) << 62,
	                                 INT64_MAX - 1024, INT32_MAX, INT32_MIN };
	uint64_t n = (uint64_t)edges[random_below(r, sizeof edges / sizeof *edges)];

	return (int64_t)(n + random_below(r, 7) - 3);
}

static void write_decimal(struct random *r, struct writer *w, struct key key)
{
	char text[64];
	bson_decimal128_t n;
	uint64_t parts[2];

	switch (random_below(r, 3)) {
	case 0:
		snprintf(text, sizeof text, "%s", DECIMALS[random_below(r, sizeof DECIMALS / sizeof *DECIMALS)]);
		break;
	case 1:
		snprintf(text, sizeof text, "%lld.%u", (long long)random_int64(r), random_below(r, 1000));
		break;
	default:
		snprintf(text, sizeof text, "%.17g", random_double(r));
	}
	bson_decimal128_from_string(text, &n);
	parts[0] = BSON_UINT64_TO_LE(n.low);
	parts[1] = BSON_UINT64_TO_LE(n.high);
	writer_raw(w, key, BSON_TYPE_DECIMAL128, parts, sizeof parts);
}

void random_number(struct random *r, struct writer *w, struct key key)
{
	int64_t n = random_int64(r);
	int32_t small = (int32_t)random_below(r, 20) - 10;
	double d = random_double(r);

	/* little-endian hosts only, as the tests' literals are */
	switch (random_below(r, 4)) {
	case 0: writer_raw(w, key, BSON_TYPE_INT32, &small, sizeof small); break;
	case 1: writer_raw(w, key, BSON_TYPE_INT64, &n, sizeof n); break;
	case 2: writer_raw(w, key, BSON_TYPE_DOUBLE, &d, sizeof d); break;
	default: write_decimal(r, w, key);
	}
}

/* Few letters, so that texts begin alike; zero bytes, ones and high bytes among them. */
static size_t random_letters(struct random *r, uint8_t *out, size_t limit, bool zeros)
{
	static const uint8_t letters[] = { 'a', 'b', 1, 2, 255, 0x7f, 0 };
	size_t size = random_below(r, (uint32_t)limit);

	for (size_t i = 0; i < size; i++)
		out[i] = letters[random_below(r, zeros ? 7 : 6)];
	return size;
}

static void write_text(struct random *r, struct writer *w, struct key key, uint8_t type)
{
	uint8_t payload[16] = { 0 };
	uint32_t size = (uint32_t)random_letters(r, payload + 4, 8, true) + 1;

	payload[4 + size - 1] = 0;
	memcpy(payload, &size, 4);
	writer_raw(w, key, type, payload, 4 + size);
}

static void write_binary(struct random *r, struct writer *w, struct key key)
{
	uint8_t payload[16] = { 0 };
	uint32_t size = (uint32_t)random_letters(r, payload + 5, 4, true);

	memcpy(payload, &size, 4);
	payload[4] = (uint8_t)(random_below(r, 2) ? 0 : 0x80);
	writer_raw(w, key, BSON_TYPE_BINARY, payload, 5 + size);
}

static void write_regex(struct random *r, struct writer *w, struct key key)
{
	uint8_t payload[16] = { 0 };
	size_t size = random_letters(r, payload, 4, false) + 1;

	size += random_letters(r, payload + size, 3, false) + 1;
	writer_raw(w, key, BSON_TYPE_REGEX, payload, size);
}

static void write_scoped_code(struct random *r, struct writer *w, struct key key)
{
	uint8_t payload[32] = { 0 };
	uint32_t code = (uint32_t)random_letters(r, payload + 8, 4, true) + 1, total;
	uint8_t *scope = payload + 8 + code;

	scope[-1] = 0;
	memcpy(payload + 4, &code, 4);
	/* {} or {a: null} */
	memset(scope, 0, 8);
	if (random_below(r, 2)) {
		memcpy(scope, "\x08\0\0\0\x0a" "a", 6);
		total = 8 + code + 8;
	} else {
		scope[0] = 5;
		total = 8 + code + 5;
	}
	memcpy(payload, &total, 4);
	writer_raw(w, key, BSON_TYPE_CODEWSCOPE, payload, total);
}

static void write_nested(struct random *r, struct writer *w, struct key key, int depth)
{
	static const char *const names[] = { "a", "b", "", "ab", "\1" };
	uint32_t count = random_below(r, 4);

	if (random_below(r, 2))
		writer_begin_array(w, key);
	else
		writer_begin_document(w, key);
	while (count--)
		random_value(r, w, key_of(names[random_below(r, 5)]), depth - 1);
	writer_end(w);
}

void random_value(struct random *r, struct writer *w, struct key key, int depth)
{
	static const uint8_t empty_types[] = { BSON_TYPE_NULL, BSON_TYPE_UNDEFINED, BSON_TYPE_MINKEY, BSON_TYPE_MAXKEY };
	uint64_t bits = random_below(r, 4) ? random_below(r, 3) : draw(r);
	uint8_t oid[12] = { 0 }, truth = (uint8_t)random_below(r, 2);
	uint8_t pointer[18] = { 2, 0, 0, 0, 'c', 0 };

	switch (random_below(r, depth > 0 ? 17 : 13)) {
	case 0: case 1: case 2: random_number(r, w, key); break;
	case 3: case 4: write_text(r, w, key, random_below(r, 4) ? BSON_TYPE_UTF8 : BSON_TYPE_SYMBOL); break;
	case 5: writer_raw(w, key, empty_types[random_below(r, 4)], NULL, 0); break;
	case 6: write_binary(r, w, key); break;
	case 7:
		oid[0] = (uint8_t)draw(r);
		oid[11] = (uint8_t)random_below(r, 3);
		writer_raw(w, key, BSON_TYPE_OID, oid, sizeof oid);
		break;
	case 8: writer_raw(w, key, BSON_TYPE_BOOL, &truth, 1); break;
	case 9: writer_raw(w, key, random_below(r, 2) ? BSON_TYPE_DATE_TIME : BSON_TYPE_TIMESTAMP, &bits, 8); break;
	case 10: write_regex(r, w, key); break;
	case 11: write_text(r, w, key, BSON_TYPE_CODE); break;
	case 12:
		if (random_below(r, 2)) {
			write_scoped_code(r, w, key);
			break;
		}
		pointer[4] = (uint8_t)('b' + random_below(r, 2));
		pointer[17] = (uint8_t)random_below(r, 2);
		writer_raw(w, key, BSON_TYPE_DBPOINTER, pointer, sizeof pointer);
		break;
	default: write_nested(r, w, key, depth);
	}
}
