#include "harness/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/read.h"

static struct {
	pthread_mutex_t lock; /* a test's server keeps things too */
	void **items;
	size_t count, capacity;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

void *harness_keep(void *memory)
{
	pthread_mutex_lock(&kept.lock);
	kept.items = memory_grow(kept.items, &kept.capacity, kept.count + 1, sizeof *kept.items);
	kept.items[kept.count++] = memory;
	pthread_mutex_unlock(&kept.lock);
	return memory;
}

static void free_kept(void)
{
	while (kept.count)
		free(kept.items[--kept.count]);
	free(kept.items);
	kept.items = NULL;
	kept.capacity = 0;
}

int harness_run(const char *suite_name, const struct test_case *cases)
{
	CU_pSuite suite;
	unsigned failures;

	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
	suite = CU_add_suite(suite_name, NULL, NULL);
	for (; cases->name; cases++)
		CU_add_test(suite, cases->name, cases->run);
	CU_basic_set_mode(CU_BRM_VERBOSE);
	CU_basic_run_tests();
	/* CU_basic_run_tests returns success with failing tests */
	failures = CU_get_number_of_failures();
	CU_cleanup_registry();
	free_kept();
	return failures ? 1 : 0;
}

const char *harness_corpus(void)
{
	const char *folder = getenv("BSONSCOPE_CORPUS");

	return folder && *folder ? folder : NULL;
}

void harness_skip(const char *reason)
{
	printf("%s\n", reason);
	exit(77);
}

struct value harness_json(const char *text)
{
	char *copy = memory_duplicate_text(text);
	struct bytes out = BYTES_INIT;
	bson_error_t error;
	struct value v;

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	if (!read_document("test", copy, strlen(copy), &out, &error)) {
		fprintf(stderr, "%s in %s\n", error.message, text);
		abort();
	}
	free(copy);
	harness_keep(out.data);
	value_document(&v, out.data, out.size);
	return v;
}

const char *harness_text(struct value v)
{
	struct bytes out = BYTES_INIT;

	print_line(&out, v, PRINT_RELAXED);
	return harness_keep(bytes_take_text(&out));
}

char *harness_read_file(const char *path, size_t *size_bytes)
{
	FILE *file = fopen(path, "rb");
	struct bytes content = BYTES_INIT;
	char block[65536];
	size_t got;

	if (!file)
		return NULL;
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		bytes_append(&content, block, got);
	fclose(file);
	*size_bytes = content.size;
	return bytes_take_text(&content);
}
