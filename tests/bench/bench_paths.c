/*
 * The tree of paths of two large .bson files, of documents of about 260 bytes and of 16 MB, beside the whole histogram
 * and what `cat` takes for the same file; what a processor does in a second of its own, whoever else uses the machine;
 * and the memory of the histogram beyond the mapping. The files are made in the build folder and removed afterwards;
 * $BENCH_MB sets their size (1,000).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "bson/writer.h"
#include "dump/dump.h"
#include "model/paths.h"
#include "model/sizes.h"

enum { RUNS = 5, ITEMS_OF_LARGE = 92000 };

enum kind { CAT, HISTOGRAM, ONE_THREAD, TREE, OF_A_PROCESSOR, KINDS };

static const char *const kinds[KINDS] = { "cat", "histogram", "tree on one thread", "tree",
	                            "tree in a processor's second" };

static void write_item(struct writer *w, int i)
{
	writer_begin_document(w, key_of(""));
	writer_int32(w, "bookId", i);
	writer_text(w, "title", "The Left Hand of Darkness");
	writer_int32(w, "quantity", i % 7);
	writer_double(w, "unitPrice", i * 0.25);
	writer_bool(w, "gift", i % 2);
	writer_text(w, "note", "as it was ordered, without a wrapping, to be left at the door");
	writer_end(w);
}

/* An order of about 260 bytes, or one with so many items that it has 16 MB. */
static void write_order(struct bytes *out, int i, int items)
{
	struct writer w;

	writer_begin(&w, out);
	writer_int32(&w, "_id", i);
	writer_text(&w, "status", i % 3 ? "shipped" : "new");
	writer_int64(&w, "orderedAt", i);
	if (i % 5 == 0)
		writer_text(&w, "coupon", "SPRING");
	writer_begin_document(&w, key_of("customer"));
	writer_int32(&w, "customerId", i);
	writer_text(&w, "city", "Istanbul");
	writer_end(&w);
	writer_begin_array(&w, key_of("items"));
	for (int k = 0; k < items; k++)
		write_item(&w, k);
	writer_end(&w);
	writer_finish(&w);
}

static bool make_file(const char *path, int64_t bytes, int items)
{
	FILE *file = fopen(path, "w");
	struct bytes block = BYTES_INIT;
	bool good = file != NULL;

	for (int i = 0; i < 4096 && (i == 0 || block.size < (16 << 20)); i++)
		write_order(&block, i, items);
	for (; good && bytes > 0; bytes -= (int64_t)block.size)
		good = fwrite(block.data, 1, block.size, file) == block.size;
	bytes_clear(&block);
	return file && fclose(file) == 0 && good;
}

static int64_t processors_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t measure(struct source *s, int threads, int64_t *used_us)
{
	struct paths_wish wish = { .db = "test", .collection = "bench_paths", .threads = threads };
	int64_t start = interrupt_now_us(), used = processors_us();

	paths_destroy(paths_measure(s, &wish, NULL, NULL));
	*used_us = processors_us() - used;
	return interrupt_now_us() - start;
}

/* Resident and of no file, in KB; 0 where the system does not tell. */
static int64_t own_memory_kb(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[128];
	long long kb = 0;

	while (status && fgets(line, sizeof line, status) && sscanf(line, "RssAnon: %lld", &kb) != 1)
		;
	if (status)
		fclose(status);
	return kb;
}

static bool run(const char *path, int64_t times_us[KINDS], int64_t *memory_kb)
{
	char command[320];
	int64_t start = interrupt_now_us(), used_us;
	struct dump_files files;
	struct model *model;
	struct source *s;

	snprintf(command, sizeof command, "cat '%s' >/dev/null", path);
	if (system(command) || !dump_files_find(path, &files, NULL))
		return false;
	times_us[CAT] = interrupt_now_us() - start;
	model = model_empty("none", "test");
	start = interrupt_now_us();
	s = dump_open(path, &files, model, false);
	source_wait(s, false, NULL);
	sizes_destroy(sizes_measure(s, "test", "bench_paths", "_id", 16777216, NULL, NULL));
	times_us[HISTOGRAM] = interrupt_now_us() - start;
	*memory_kb = own_memory_kb();
	times_us[ONE_THREAD] = measure(s, 1, &used_us);
	times_us[TREE] = measure(s, 0, &times_us[OF_A_PROCESSOR]);
	source_destroy(s);
	model_destroy(model);
	return true;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void report(const char *path, const char *what, int64_t bytes)
{
	int64_t times_us[KINDS][RUNS], of_run[KINDS], memory_kb = 0;

	for (int i = 0; i < RUNS; i++) {
		if (!run(path, of_run, &memory_kb))
			return;
		for (int k = 0; k < KINDS; k++)
			times_us[k][i] = of_run[k];
	}
	printf("  %" PRId64 " MB of documents of %s, MB/s (medians of %d):", bytes / 1000000, what, RUNS);
	for (int k = 0; k < KINDS; k++) {
		qsort(times_us[k], RUNS, sizeof **times_us, by_value);
		printf("%s %s %" PRId64, k ? "," : "", kinds[k], bytes / times_us[k][RUNS / 2]);
	}
	printf("; memory of the histogram beside the file %" PRId64 " KB\n", memory_kb);
}

static int64_t size_of(const char *path)
{
	FILE *file = fopen(path, "r");
	int64_t size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;

	if (file)
		fclose(file);
	return size;
}

int main(void)
{
	const char *build = getenv("BUILD"), *megabytes = getenv("BENCH_MB");
	int64_t bytes = (megabytes ? atoi(megabytes) : 1000) * INT64_C(1000000);
	char path[256];

	snprintf(path, sizeof path, "%s/bench_paths.bson", build ? build : "build");
	if (make_file(path, bytes, 1))
		report(path, "about 260 bytes", size_of(path));
	if (make_file(path, bytes, ITEMS_OF_LARGE))
		report(path, "about 16 MB", size_of(path));
	unlink(path);
	return 0;
}
