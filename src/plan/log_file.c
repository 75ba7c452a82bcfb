#include "plan/log_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inflate.h"
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

/* -1 at an error, 0 at the end. */
static ssize_t read_at_most(int descriptor, char *block, size_t size)
{
	ssize_t got;

	do
		got = read(descriptor, block, size);
	while (got < 0 && errno == EINTR);
	return got;
}

static ssize_t read_block(int descriptor, char *block)
{
	return read_at_most(descriptor, block, BLOCK_BYTES);
}

/* Enough to see whether it is gzip, where a pipe has a single byte at first. */
static ssize_t read_first_block(int descriptor, char *block)
{
	ssize_t got = read_block(descriptor, block), more;

	if (got != 1)
		return got;
	more = read_at_most(descriptor, block + 1, BLOCK_BYTES - 1);
	return more < 0 ? more : 1 + more;
}

/* The packed bytes of a descriptor, of which the first block was read already. */
struct packed {
	int descriptor;
	char *block;
	ssize_t first_bytes; /* 0: handed out */
};

static bool next_packed(void *context, const uint8_t **block, size_t *size, bson_error_t *error)
{
	struct packed *p = context;
	ssize_t got = p->first_bytes ? p->first_bytes : read_block(p->descriptor, p->block);

	if (got < 0)
		return error_set(error, ERROR_INPUT, 0, "%s", strerror(errno));
	p->first_bytes = 0;
	*block = (const uint8_t *)p->block;
	*size = (size_t)got;
	return true;
}

static bool add_packed(const struct reading *r, struct packed *packed, bson_error_t *error)
{
	struct inflater *i = inflater_new_from(next_packed, packed);
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

/* 0: not known before the end has come. */
static int64_t size_of(int descriptor)
{
	struct stat status;

	return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

static bool add_descriptor(struct reading *r, int descriptor, bson_error_t *error)
{
	char *block = memory_allocate(BLOCK_BYTES);
	int64_t done = 0;
	bool good = true;
	ssize_t got = read_first_block(descriptor, block);

	r->of_bytes = size_of(descriptor);
	if (got > 0 && input_is_gzip(block, (size_t)got)) {
		good = add_packed(r, &(struct packed){ descriptor, block, got }, error);
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
