#include "plan/log_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/inflate.h"
#include "base/mapping.h"
#include "base/memory.h"
#include "plan/input.h"

enum { BLOCK_BYTES = 1 << 20 };

struct reading {
	struct log_workload *workload;
	const char *path;
	const struct interrupt *interrupt;
	const struct log_watcher *watcher;
	int64_t of_bytes;
	int64_t most_bytes; /* a look: no further than this, nor than the first record; 0: all is read */
};

/* Between two blocks. False: no further. */
static bool go_on(const struct reading *r, int64_t done_bytes, bson_error_t *error)
{
	if (r->watcher)
		r->watcher->progress(r->watcher->context, done_bytes, r->of_bytes);
	return interrupt_check(r->interrupt) == INTERRUPT_NONE || input_fail(r->path, "not read to its end", error);
}

/* A look has seen what it wants, or as much as it may. */
static bool has_seen(const struct reading *r, int64_t done_bytes)
{
	return r->most_bytes && (done_bytes >= r->most_bytes || log_workload_records(r->workload));
}

static bool add_packed(const struct reading *r, const uint8_t *packed, size_t size, bson_error_t *error)
{
	struct inflater *i = inflater_new(packed, size);
	uint8_t *block = memory_allocate(BLOCK_BYTES);
	bool good = true;
	size_t got = 1;
	int64_t done = 0;

	while (good && got && !has_seen(r, done)) {
		bson_error_t why;

		if (!inflater_next(i, block, BLOCK_BYTES, &got, &why))
			good = input_fail(r->path, why.message, error);
		else if (got)
			good = go_on(r, (int64_t)inflater_position(i), error);
		if (good && got)
			log_workload_add(r->workload, (const char *)block, got);
		done += (int64_t)got;
	}
	inflater_destroy(i);
	free(block);
	return good;
}

/* -1 at an error, 0 at the end. */
static ssize_t read_block(int descriptor, char *block)
{
	ssize_t got;

	do
		got = read(descriptor, block, BLOCK_BYTES);
	while (got < 0 && errno == EINTR);
	return got;
}

/* gzip that comes through a pipe: the rest of it, then all. */
static bool add_packed_rest(const struct reading *r, int descriptor, char *block, ssize_t got, bson_error_t *error)
{
	struct bytes packed = BYTES_INIT;
	bool good = true;

	for (; good && got > 0; got = good ? read_block(descriptor, block) : 0) {
		bytes_append(&packed, block, (size_t)got);
		good = go_on(r, 0, error);
	}
	if (good && got < 0)
		good = input_fail(r->path, strerror(errno), error);
	good = good && add_packed(r, packed.data, packed.size, error);
	bytes_clear(&packed);
	return good;
}

static bool add_packed_file(const struct reading *r, bson_error_t *error)
{
	struct mapping m;
	bson_error_t why;
	bool good;

	if (!mapping_open(&m, r->path, &why))
		return input_fail(r->path, why.message, error);
	good = add_packed(r, m.bytes, m.size_bytes, error);
	mapping_close(&m);
	return good;
}

static bool is_regular_file(int descriptor, int64_t *size_bytes)
{
	struct stat status;

	*size_bytes = 0;
	if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	*size_bytes = status.st_size;
	return true;
}

static bool add_descriptor(struct reading *r, int descriptor, bson_error_t *error)
{
	char *block = memory_allocate(BLOCK_BYTES);
	int64_t done = 0;
	bool regular = is_regular_file(descriptor, &r->of_bytes), good = true;
	ssize_t got = read_block(descriptor, block);

	if (got > 0 && input_is_gzip(block, (size_t)got)) {
		good = regular && descriptor != STDIN_FILENO ? add_packed_file(r, error)
		                                             : add_packed_rest(r, descriptor, block, got, error);
		got = 0;
	}
	for (; good && got > 0 && !has_seen(r, done); got = good ? read_block(descriptor, block) : 0) {
		log_workload_add(r->workload, block, (size_t)got);
		good = go_on(r, done += got, error);
	}
	free(block);
	return good && (got == 0 || input_fail(r->path, strerror(errno), error));
}

bool log_file_read(struct log_workload *w, const char *path, const struct interrupt *interrupt, const struct log_watcher *watcher,
                   bson_error_t *error)
{
	struct reading r = { .workload = w, .path = path, .interrupt = interrupt, .watcher = watcher };
	int descriptor = input_open(path, error);
	bool good;

	if (descriptor < 0)
		return false;
	good = add_descriptor(&r, descriptor, error);
	input_close(descriptor);
	log_workload_finish(w);
	return good && (log_workload_records(w) ||
	                input_fail(path, "no slow query, no profile document and no $queryStats in it", error));
}

static int64_t finish_look(struct log_workload *w)
{
	int64_t records;

	log_workload_finish(w);
	records = log_workload_records(w);
	log_workload_destroy(w);
	return records;
}

int64_t log_file_count_records(const char *path, int64_t most_bytes, const struct interrupt *interrupt)
{
	struct reading r = { .workload = log_workload_new(), .path = path, .interrupt = interrupt, .most_bytes = most_bytes };
	bson_error_t ignored;
	int descriptor = input_open(path, &ignored);

	if (descriptor >= 0) {
		add_descriptor(&r, descriptor, &ignored);
		input_close(descriptor);
	}
	return finish_look(r.workload);
}

int64_t log_text_count_records(const char *text, size_t size)
{
	struct log_workload *w = log_workload_new();

	log_workload_add(w, text, size);
	return finish_look(w);
}
