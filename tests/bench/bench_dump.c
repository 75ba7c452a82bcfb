/*
 * A large .bson file: how long until there are figures, until all documents are read, until the histogram is whole and
 * until the largest documents are known, beside what `cat` takes for the same file; and what both cost of a processor,
 * which others on the machine do not change as much. The file is made in the build folder and removed afterwards;
 * $BENCH_MB sets its size (1,000).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "dump/dump.h"
#include "model/sizes.h"

enum { RUNS = 9, BLOCK = 1 << 20 };

enum kind { CAT, FIRST, READ, HISTOGRAM, LARGEST, CAT_PROCESSOR, PROCESSOR, KINDS };

static const char *const kinds[KINDS] = { "cat", "first figures", "all read", "whole histogram", "largest documents",
	                                  "processor of cat", "processor until the histogram" };

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

static int64_t cpu_us(int whose)
{
	struct rusage used;

	getrusage(whose, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000) + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

struct seen {
	int64_t count, at_us;
};

/* The histogram is there; the largest documents are not yet looked for. */
static void see(void *context, const struct sizes *so_far)
{
	*(struct seen *)context = (struct seen){ so_far->count.value, interrupt_now_us() };
}

static struct seen look(struct source *s)
{
	struct seen seen = { 0, 0 };
	struct sizes *sizes = sizes_measure_reporting(s, "test", "bench_dump", "_id", 16777216, see, &seen, NULL, NULL);

	if (sizes && !seen.at_us)
		see(&seen, sizes);
	sizes_destroy(sizes);
	return seen;
}

static bool run_cat(const char *path)
{
	char command[320];

	snprintf(command, sizeof command, "cat '%s' >/dev/null", path);
	return system(command) == 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* One open file, read beside nothing else: all times from its start. */
static bool run(const char *path, int64_t times_us[KINDS])
{
	int64_t start = interrupt_now_us(), cpu = cpu_us(RUSAGE_CHILDREN);
	struct dump_files files;
	struct model *model;
	struct source *s;
	bson_error_t error;

	if (!run_cat(path))
		return false;
	times_us[CAT] = interrupt_now_us() - start;
	times_us[CAT_PROCESSOR] = cpu_us(RUSAGE_CHILDREN) - cpu;

	start = interrupt_now_us();
	cpu = cpu_us(RUSAGE_SELF);
	if (!dump_files_find(path, &files, &error)) {
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	model = model_empty("none", "test");
	s = dump_open(path, &files, model, false);
	while (!look(s).count)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	times_us[FIRST] = interrupt_now_us() - start;
	source_wait(s, false, NULL);
	times_us[READ] = interrupt_now_us() - start;
	times_us[PROCESSOR] = cpu_us(RUSAGE_SELF) - cpu;
	times_us[HISTOGRAM] = look(s).at_us - start;
	times_us[LARGEST] = interrupt_now_us() - start;
	source_destroy(s);
	model_destroy(model);
	return true;
}

/* Medians, and the median of the ratios: each of a file and a cat that ran one after the other. */
static void report(const char *path, int64_t bytes)
{
	int64_t times_us[KINDS][RUNS], ratios[RUNS], of_run[KINDS];

	for (int i = 0; i < RUNS; i++) {
		if (!run(path, of_run))
			return;
		ratios[i] = of_run[CAT] * 1000 / of_run[HISTOGRAM];
		for (int k = 0; k < KINDS; k++)
			times_us[k][i] = of_run[k];
	}
	printf("  a .bson of %" PRId64 " MB, medians of %d:", bytes / 1000000, RUNS);
	for (int k = 0; k < KINDS; k++) {
		qsort(times_us[k], RUNS, sizeof *times_us[k], by_value);
		printf("%s %s %" PRId64 " ms", k ? "," : "", kinds[k], times_us[k][RUNS / 2] / 1000);
	}
	qsort(ratios, RUNS, sizeof *ratios, by_value);
	printf("\n  the whole histogram at %.2f of cat's rate (%.2f to %.2f)\n", (double)ratios[RUNS / 2] / 1000,
	       (double)ratios[0] / 1000, (double)ratios[RUNS - 1] / 1000);
}

int main(void)
{
	const char *build = getenv("BUILD"), *megabytes = getenv("BENCH_MB");
	int64_t bytes = (megabytes ? atoi(megabytes) : 1000) * INT64_C(1000000);
	char path[256];

	snprintf(path, sizeof path, "%s/bench_dump.bson", build ? build : "build");
	if (make_file(path, bytes))
		report(path, bytes);
	unlink(path);
	return 0;
}
