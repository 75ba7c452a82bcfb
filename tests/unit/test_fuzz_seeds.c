/* The fuzzer's seeds, and what once broke a reader, through the functions that the fuzzer calls. */
#include "harness/harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

/* Files of the folder whose bytes, and every beginning of them, went through. */
static int replay(const char *folder, void (*target)(const uint8_t *bytes, size_t size_bytes))
{
	DIR *d = opendir(folder);
	const struct dirent *entry;
	int files = 0;

	while (d && (entry = readdir(d))) {
		char path[512];
		size_t size;
		char *text;

		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		text = *entry->d_name == '.' ? NULL : harness_read_file(path, &size);
		if (!text)
			continue;
		target((const uint8_t *)text, size);
		for (size_t cut = 0; cut < size; cut += 1 + size / 64) {
			uint8_t *part = malloc(cut ? cut : 1); /* of that size: reading beyond it shows */

			memcpy(part, text, cut);
			target(part, cut);
			free(part);
		}
		free(text);
		files++;
	}
	if (d)
		closedir(d);
	return files;
}

static void test_reader(void)
{
	CU_ASSERT_TRUE(replay("tests/fuzz/seeds/reader", fuzz_reader) >= 4);
}

static void test_plan(void)
{
	CU_ASSERT_TRUE(replay("tests/fuzz/seeds/plan", fuzz_plan) >= 5);
}

static void test_log(void)
{
	CU_ASSERT_TRUE(replay("tests/fuzz/seeds/log", fuzz_log) >= 3);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "what the readers are fed does not break them", test_reader },
		{ "what plan trees are made of does not break them", test_plan },
		{ "what logs are made of does not break them", test_log },
		{ NULL, NULL },
	};

	return harness_run("fuzz seeds", cases);
}
