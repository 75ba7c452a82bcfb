/* The table of records against a plain array of what was put into it, whatever the order of writes. */
#include "harness/harness.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/records.h"
#include "harness/random.h"

enum { MOST = 600, FILE_BYTES = 65536, LARGEST = 2000 };

struct expected {
	const uint8_t *bytes; /* null: deleted, or owned and therefore a copy */
	uint8_t content;
	uint32_t size_bytes;
};

static void check(const struct records *r, const struct expected *expected, size_t count)
{
	int64_t size = -1, n, documents = 0, bytes = 0, counted, summed;
	size_t next;

	CU_ASSERT_EQUAL(r->count, count);
	for (size_t i = 0; i < count; i++) {
		struct value v;
		uint32_t size_bytes;
		bool live = records_document(r, i, &v);

		records_sizes(r, i, i + 1, &size_bytes);
		CU_ASSERT_EQUAL_FATAL(live, expected[i].size_bytes > 0);
		CU_ASSERT_EQUAL(size_bytes, expected[i].size_bytes);
		CU_ASSERT_EQUAL(records_next(r, i, &next) && next == i, live);
		if (!live)
			continue;
		CU_ASSERT_EQUAL(v.size_bytes, expected[i].size_bytes);
		CU_ASSERT(v.bytes[0] == expected[i].content && (!expected[i].bytes || v.bytes == expected[i].bytes));
		documents++;
		bytes += v.size_bytes;
	}
	CU_ASSERT_FALSE(records_next(r, count, &next));
	size_tally_total(&r->tally, &counted, &summed);
	CU_ASSERT(counted == documents && summed == bytes);
	while (size_tally_next(&r->tally, &size, &n)) {
		for (size_t i = 0; i < count; i++)
			n -= expected[i].size_bytes == size;
		CU_ASSERT_EQUAL(n, 0);
	}
}

static uint8_t *made(uint32_t size_bytes, uint8_t content)
{
	uint8_t *bytes = memory_allocate(size_bytes);

	memset(bytes, content, size_bytes);
	return bytes;
}

static void test_any_order_of_writes(void)
{
	uint8_t *file = memory_allocate(FILE_BYTES);

	for (size_t i = 0; i < FILE_BYTES; i++)
		file[i] = (uint8_t)(i * 7919 >> 4);
	for (uint64_t round = 0; round < 60; round++) {
		struct random random = { round + 1 };
		struct expected expected[MOST];
		struct records r = { 0 };
		size_t count = 0, at = 0;

		for (int i = 0; i < MOST; i++) {
			uint32_t size = 5 + random_below(&random, round % 3 ? 60 : LARGEST), what = random_below(&random, 100);
			size_t id = count ? random_below(&random, (uint32_t)count) : 0;
			bool live = count && expected[id].size_bytes;
			uint8_t content = (uint8_t)i;

			if (what < 70 || !live) { /* mostly one behind the other, as in a file */
				if (at + size > FILE_BYTES || what < 2)
					at = random_below(&random, FILE_BYTES / 2);
				records_borrow_all(&r, &(struct value){ file + at, size, BSON_TYPE_DOCUMENT }, 1);
				expected[count++] = (struct expected){ file + at, file[at], size };
				at += size;
			} else if (what < 80) {
				records_append(&r, made(size, content), size, true);
				expected[count++] = (struct expected){ NULL, content, size };
			} else if (what < 90 && round % 2) {
				records_replace(&r, id, made(size, content), size);
				expected[id] = (struct expected){ NULL, content, size };
			} else if (round % 2) {
				records_remove(&r, id);
				expected[id] = (struct expected){ NULL, 0, 0 };
			}
			if (what == 99)
				records_trim(&r);
		}
		check(&r, expected, count);
		records_clear(&r);
	}
	free(file);
}

/* What a dump of many documents costs: the comment in the header. */
static void test_memory(void)
{
	enum { COUNT = 32000, SIZE = 10 };
	uint8_t *file = made(SIZE * 2, 1);
	struct records r = { 0 }, scattered = { 0 };
	const uint8_t *far = (const uint8_t *)(uintptr_t)4096; /* never looked at */

	for (size_t i = 0; i < COUNT; i++) {
		records_append(&r, far + i * SIZE, SIZE, false);
		records_append(&scattered, file + i % 2 * SIZE, SIZE, false);
	}
	records_trim(&r);
	records_trim(&scattered);
	CU_ASSERT(records_memory_bytes(&r) - size_tally_memory_bytes(&r.tally) <= COUNT * 9 / 2);
	CU_ASSERT(records_memory_bytes(&scattered) - size_tally_memory_bytes(&scattered.tally) <= COUNT * 13);
	records_clear(&r);
	records_clear(&scattered);
	free(file);
}

/* A document that grows leaves no counters behind. */
static void test_tally_of_a_growing_document(void)
{
	struct size_tally t = SIZE_TALLY_INIT, copy = SIZE_TALLY_INIT;
	int64_t size = -1, count;

	size_tally_add(&t, 100, 1);
	for (uint32_t i = 100; i < 10000000; i += 1000) {
		size_tally_remove(&t, i);
		size_tally_add(&t, i + 1000, 1);
	}
	CU_ASSERT(size_tally_memory_bytes(&t) < 10000000 / SIZE_TALLY_BLOCK * 8 + 3 * 4104);
	size_tally_copy(&t, &copy);
	CU_ASSERT(size_tally_next(&copy, &size, &count) && size == 10000100 && count == 1);
	CU_ASSERT_FALSE(size_tally_next(&copy, &size, &count));
	size_tally_clear(&t);
	size_tally_clear(&copy);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "any order of writes", test_any_order_of_writes },
		{ "memory", test_memory },
		{ "tally of a growing document", test_tally_of_a_growing_document },
		{ NULL, NULL },
	};

	return harness_run("records", cases);
}
