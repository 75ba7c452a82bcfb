#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SMALL_BYTES = 1024 };

static void *or_abort(void *memory)
{
	if (!memory) {
		fputs("bsonscope: out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *memory_allocate(size_t size_bytes)
{
	return or_abort(malloc(size_bytes ? size_bytes : 1));
}

void *memory_allocate_zeroed(size_t count, size_t size_bytes)
{
	/* malloc has small pieces at hand for each thread, which calloc passes by in older C libraries */
	if (count <= SMALL_BYTES && size_bytes <= SMALL_BYTES && count * size_bytes <= SMALL_BYTES)
		return memset(memory_allocate(count * size_bytes), 0, count * size_bytes);
	return or_abort(calloc(count ? count : 1, size_bytes ? size_bytes : 1));
}

void *memory_resize(void *old, size_t count, size_t size_bytes)
{
	if (size_bytes && count > SIZE_MAX / size_bytes)
		return or_abort(NULL);
	size_bytes *= count;
	return or_abort(realloc(old, size_bytes ? size_bytes : 1));
}

void *memory_duplicate(const void *source, size_t size_bytes)
{
	void *copy = memory_allocate(size_bytes);

	if (size_bytes)
		memcpy(copy, source, size_bytes);
	return copy;
}

char *memory_duplicate_text(const char *text)
{
	return memory_duplicate(text, strlen(text) + 1);
}

void *memory_grow(void *items, size_t *capacity, size_t needed, size_t item_size_bytes)
{
	size_t wanted = *capacity ? *capacity : 8;

	if (needed <= *capacity)
		return items;
	while (wanted < needed)
		wanted *= 2;
	*capacity = wanted;
	return memory_resize(items, wanted, item_size_bytes);
}

void *memory_room(void *items, size_t count, size_t item_size_bytes)
{
	bool full = (count & (count - 1)) == 0; /* none, or a power of two */

	return full ? memory_resize(items, count ? 2 * count : 1, item_size_bytes) : items;
}

/* Where a container's own limit stands: control groups 2 and 1. Without one there is none, or a very large number. */
static const char *const limit_files[] = { "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes" };

int64_t memory_limit_bytes(void)
{
	int64_t limit = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	struct rlimit space;

	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && (int64_t)space.rlim_cur < limit)
		limit = (int64_t)space.rlim_cur;
	for (size_t i = 0; i < sizeof limit_files / sizeof *limit_files; i++) {
		FILE *file = fopen(limit_files[i], "re");
		long long most;

		if (!file)
			continue;
		if (fscanf(file, "%lld", &most) == 1 && most > 0 && most < limit)
			limit = most;
		fclose(file);
	}
	return limit;
}
