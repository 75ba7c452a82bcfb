#include "dump/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int open_in(const char *folder)
{
	char path[4096];
	int descriptor;

	if (!folder || !*folder || snprintf(path, sizeof path, "%s/bsonscope-XXXXXX", folder) >= (int)sizeof path)
		return -1;
	descriptor = mkostemp(path, O_CLOEXEC);
	if (descriptor >= 0)
		unlink(path);
	return descriptor;
}

static int open_anywhere(void)
{
	const char *const folders[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		int descriptor = open_in(folders[i]);

		if (descriptor >= 0)
			return descriptor;
	}
	return memfd_create("bsonscope", MFD_CLOEXEC);
}

static size_t room_on_disk(int descriptor)
{
	struct statvfs disk;

	return fstatvfs(descriptor, &disk) == 0 && disk.f_blocks ? (size_t)disk.f_bavail * disk.f_frsize : SIZE_MAX;
}

bool spool_open(struct spool *s, size_t most_bytes, bson_error_t *error)
{
	const size_t least = 1 << 20, most = (size_t)1 << 44; /* of the 2^47 that a process can address */

	*s = (struct spool)SPOOL_INIT;
	s->descriptor = open_anywhere();
	if (s->descriptor < 0)
		return error_set(error, ERROR_SYSTEM, (uint32_t)errno, "cannot make a temporary file: %s", strerror(errno));
	if (most_bytes > room_on_disk(s->descriptor))
		most_bytes = room_on_disk(s->descriptor);
	most_bytes = most_bytes < least ? least : most_bytes > most ? most : most_bytes;
	/* address space may be limited: then as much as there is */
	while (!mapping_open_descriptor(&s->mapping, "temporary file", s->descriptor, most_bytes, error)) {
		most_bytes /= 2;
		if (most_bytes < least) {
			spool_close(s);
			return false;
		}
	}
	return true;
}

void spool_close(struct spool *s)
{
	mapping_close(&s->mapping);
	if (s->descriptor >= 0)
		close(s->descriptor);
	*s = (struct spool)SPOOL_INIT;
}

bool spool_append(struct spool *s, const void *bytes, size_t size_bytes, bson_error_t *error)
{
	const char *at = bytes;

	if (size_bytes > s->mapping.size_bytes - s->size_bytes)
		return error_set(error, ERROR_SYSTEM, 0, "more than %zu bytes do not fit into the temporary file", s->mapping.size_bytes);
	for (size_t left = size_bytes; left;) {
		ssize_t n = pwrite(s->descriptor, at, left, (off_t)(s->size_bytes + size_bytes - left));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(error, ERROR_SYSTEM, (uint32_t)errno, "cannot write to a temporary file: %s", strerror(errno));
		at += n;
		left -= (size_t)n;
	}
	s->size_bytes += size_bytes;
	return true;
}
