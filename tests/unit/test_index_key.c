/* Index keys: memcmp of encodings says what value_compare says, for every pair of values of all types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "engine/index_key.h"
#include "harness/harness.h"
#include "harness/random.h"

enum { VALUES = 1500 };

struct pool {
	struct bytes documents[VALUES], ascending[VALUES], descending[VALUES];
	struct value values[VALUES];
};

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static int compare_keys(const struct bytes *a, const struct bytes *b)
{
	size_t common = a->size < b->size ? a->size : b->size;
	int difference = memcmp(a->data, b->data, common);

	return difference ? sign(difference) : sign((a->size > b->size) - (a->size < b->size));
}

static struct pool *pool_new(uint64_t seed, void (*write)(struct random *r, struct writer *w))
{
	struct pool *p = memory_allocate_zeroed(1, sizeof *p);
	struct random r = { seed };

	for (size_t i = 0; i < VALUES; i++) {
		struct writer w;

		writer_begin(&w, &p->documents[i]);
		write(&r, &w);
		p->values[i] = value_get(writer_finish(&w), "v");
		index_key_append(&p->ascending[i], p->values[i], false);
		index_key_append(&p->descending[i], p->values[i], true);
	}
	return p;
}

static void pool_free(struct pool *p)
{
	for (size_t i = 0; i < VALUES; i++) {
		bytes_clear(&p->documents[i]);
		bytes_clear(&p->ascending[i]);
		bytes_clear(&p->descending[i]);
	}
	free(p);
}

static void report(const char *what, struct value a, struct value b)
{
	const char *text_a = harness_text(a), *text_b = harness_text(b);

	fprintf(stderr, "%s: %s and %s\n", what, text_a, text_b);
}

static void compare_all_pairs(struct pool *p)
{
	size_t wrong = 0, equal = 0;

	for (size_t i = 0; i < VALUES; i++) {
		for (size_t j = 0; j < i; j++) {
			int expected = sign(value_compare(p->values[i], p->values[j]));
			size_t common = p->ascending[i].size < p->ascending[j].size ? p->ascending[i].size : p->ascending[j].size;

			equal += expected == 0;
			if (compare_keys(&p->ascending[i], &p->ascending[j]) != expected ||
			    compare_keys(&p->descending[i], &p->descending[j]) != -expected ||
			    (expected && !memcmp(p->ascending[i].data, p->ascending[j].data, common))) {
				if (wrong++ < 10)
					report("order or prefix is wrong", p->values[i], p->values[j]);
			}
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(equal > VALUES); /* the pool is one that tests equality too */
}

static void write_any(struct random *r, struct writer *w)
{
	random_value(r, w, key_of("v"), 3);
}

static void write_number(struct random *r, struct writer *w)
{
	random_number(r, w, key_of("v"));
}

static void test_all_types(void)
{
	struct pool *p = pool_new(7, write_any);

	compare_all_pairs(p);
	pool_free(p);
}

static void test_numbers(void)
{
	struct pool *p = pool_new(11, write_number);

	compare_all_pairs(p);
	pool_free(p);
}

static void test_type_bounds(void)
{
	struct pool *p = pool_new(13, write_any);

	for (size_t i = 0; i < VALUES; i++) {
		int rank = value_canonical_type(p->values[i].type);
		struct bytes low = BYTES_INIT, high = BYTES_INIT, top = BYTES_INIT, bottom = BYTES_INIT;

		index_key_append_type_low(&low, rank, false);
		index_key_append_type_high(&high, rank, false);
		index_key_append_type_low(&top, rank, true);
		index_key_append_type_high(&bottom, rank, true);
		CU_ASSERT_EQUAL(compare_keys(&low, &p->ascending[i]), -1);
		CU_ASSERT_EQUAL(compare_keys(&p->ascending[i], &high), -1);
		CU_ASSERT_EQUAL(compare_keys(&bottom, &p->descending[i]), -1);
		CU_ASSERT_EQUAL(compare_keys(&p->descending[i], &top), -1);
		for (size_t j = 0; j < 100; j++)
			if (value_canonical_type(p->values[j].type) != rank)
				CU_ASSERT_EQUAL(compare_keys(&p->ascending[j], &low), compare_keys(&p->ascending[j], &high));
		bytes_clear(&low);
		bytes_clear(&high);
		bytes_clear(&top);
		bytes_clear(&bottom);
	}
	pool_free(p);
}

static void test_missing_is_null(void)
{
	struct bytes missing = BYTES_INIT, null = BYTES_INIT;

	index_key_append(&missing, value_missing(), false);
	index_key_append(&null, value_null(), false);
	CU_ASSERT_EQUAL(compare_keys(&missing, &null), 0);
	bytes_clear(&missing);
	bytes_clear(&null);
}

static void test_usual_keys_are_short(void)
{
	struct bytes key = BYTES_INIT;

	index_key_append(&key, value_get(harness_json("{'n': {'$numberInt': '26'}}"), "n"), false);
	CU_ASSERT(key.size <= 10);
	bytes_reset(&key);
	index_key_append(&key, value_get(harness_json("{'k': 'K-04242'}"), "k"), false);
	CU_ASSERT_EQUAL(key.size, 9);
	bytes_clear(&key);
}

/* A document nested deeper than any that is stored must not end the program. */
static void test_deep_nesting(void)
{
	enum { LEVELS = 5000 };
	size_t size = 5 + (size_t)LEVELS * 8;
	uint8_t *deep = memory_allocate_zeroed(size, 1);
	struct bytes key = BYTES_INIT;
	struct value v;

	for (uint32_t i = 0; i < LEVELS; i++) {
		uint32_t level_size = 5 + (LEVELS - i) * 8u; /* length, type, name "a", terminator: 8 bytes a level */
		uint8_t *at = deep + (size_t)i * 7;

		memcpy(at, &level_size, 4);
		memcpy(at + 4, "\x03" "a", 3);
	}
	deep[LEVELS * 7] = 5;
	CU_ASSERT_FATAL(value_document(&v, deep, size));
	index_key_append(&key, v, false);
	CU_ASSERT(key.size > VALUE_DEPTH_LIMIT);
	bytes_clear(&key);
	free(deep);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "all types: keys order as values do", test_all_types },
		{ "numbers of all types: keys order as values do", test_numbers },
		{ "bounds of a type enclose it", test_type_bounds },
		{ "missing is encoded as null", test_missing_is_null },
		{ "usual keys are short", test_usual_keys_are_short },
		{ "nesting without end", test_deep_nesting },
		{ NULL, NULL }
	};

	return harness_run("index keys", cases);
}
