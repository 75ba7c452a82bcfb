/*
 * A large .bson file: how long until there are figures, until all documents are read and until the histogram is
 * whole, beside what `cat` takes for the same file. The file is made in the build folder and removed afterwards;
 * $BENCH_MB sets its size (1,000).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "dump/dump.h"
#include "model/sizes.h"

enum { RUNS = 3, BLOCK = 1 << 20 };

/* Documents of 140 to 440 bytes: {_id: int32, text: string}. */
static bool make_file(const char *path, int64_t bytes)
{
	FILE *file = fopen(path, "w");
	uint8_t *block = memory_allocate(BLOCK);
	uint32_t seed = 1;
	int32_t id = 0;
	bool good = file != NULL;

	while (good && bytes > 0) {
		size_t at = 0;

		while (at + 512 < BLOCK) {
			uint32_t text = 120 + ((seed = seed * 1103515245u + 12345u) >> 16) % 300, stated = text + 1, size = 25 + text;

			memcpy(block + at, &size, 4);
			memcpy(block + at + 4, "\x10_id", 5);
			memcpy(block + at + 9, &id, 4);
			memcpy(block + at + 13, "\x02text", 6);
			memcpy(block + at + 19, &stated, 4);
			memset(block + at + 23, 'x', text);
			memset(block + at + 23 + text, 0, 2);
			at += size;
			id++;
		}
		good = fwrite(block, 1, at, file) == at;
		bytes -= (int64_t)at;
	}
	free(block);
	return file && fclose(file) == 0 && good;
}

static int64_t cpu_us(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000) + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static int64_t count_now(struct source *s)
{
	struct sizes *sizes = sizes_measure(s, "test", "bench_dump", "_id", 16777216, NULL, NULL);
	int64_t count = sizes ? sizes->count.value : -1;

	sizes_destroy(sizes);
	return count;
}

static void run(const char *path, int64_t bytes)
{
	char command[320];
	int64_t start = interrupt_now_us(), cat_us, first_us, read_us, whole_us, cpu;
	struct dump_files files;
	struct model *model;
	struct source *s;
	bson_error_t error;

	snprintf(command, sizeof command, "cat '%s' >/dev/null", path);
	if (system(command))
		return;
	cat_us = interrupt_now_us() - start;

	start = interrupt_now_us();
	cpu = cpu_us();
	if (!dump_files_find(path, &files, &error)) {
		fprintf(stderr, "%s\n", error.message);
		return;
	}
	model = model_empty("none", "test");
	s = dump_open(path, &files, model, false);
	while (count_now(s) <= 0)
		;
	first_us = interrupt_now_us() - start;
	source_wait(s, false, NULL);
	read_us = interrupt_now_us() - start;
	printf("  cat %4d ms, %.1f GB/s;  first figures %3d ms;  read %4d ms;", (int)(cat_us / 1000),
	       (double)bytes / 1e3 / (double)cat_us, (int)(first_us / 1000), (int)(read_us / 1000));
	printf("  %" PRId64 " documents", count_now(s));
	whole_us = interrupt_now_us() - start;
	printf(", histogram %4d ms, %.1f GB/s (%.2f of cat), processor %d ms\n", (int)(whole_us / 1000),
	       (double)bytes / 1e3 / (double)whole_us, (double)cat_us / (double)whole_us, (int)((cpu_us() - cpu) / 1000));
	source_destroy(s);
	model_destroy(model);
	fflush(stdout);
}

int main(void)
{
	const char *build = getenv("BUILD"), *megabytes = getenv("BENCH_MB");
	int64_t bytes = (megabytes ? atoi(megabytes) : 1000) * INT64_C(1000000);
	char path[256];

	snprintf(path, sizeof path, "%s/bench_dump.bson", build ? build : "build");
	if (make_file(path, bytes))
		for (int i = 0; i < RUNS; i++)
			run(path, bytes);
	unlink(path);
	return 0;
}
