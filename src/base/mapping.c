#include "base/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SLOTS = 16384,
	DESCRIPTORS_KEPT = 512, /* of the 1,024 that a process may usually have open */
	NO_DESCRIPTOR = -1
};

/* The handler reads; mapping_open and mapping_close write under the mutex. A slot is free when its start is 0. */
static struct {
	struct {
		_Atomic uintptr_t start, end;
		atomic_int descriptor;  /* to ask for the file's size; or NO_DESCRIPTOR */
		atomic_bool shrank;     /* zeros stand for pages that the file no longer has */
	} slots[SLOTS];
	atomic_int used;                /* slots from here on were never used */
	int descriptors;
	pthread_mutex_t mutex;
	bool catches;
	struct sigaction before;
} mappings = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static uintptr_t page_size(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* A page that the file should have is only one bad page; behind the file's end all are gone. */
static uintptr_t end_of_fault(int slot, uintptr_t page)
{
	uintptr_t start = atomic_load(&mappings.slots[slot].start);
	int descriptor = atomic_load(&mappings.slots[slot].descriptor);
	struct stat now;

	if (descriptor == NO_DESCRIPTOR || fstat(descriptor, &now) != 0 || (uintptr_t)now.st_size > page - start)
		return page + page_size();
	return atomic_load(&mappings.slots[slot].end);
}

/* Only what a signal handler may call: fstat and mmap, which is a plain system call. */
bool mapping_repair(const void *address)
{
	uintptr_t page = (uintptr_t)address & ~(page_size() - 1);
	int used = atomic_load(&mappings.used), error = errno;

	for (int i = 0; i < used; i++) {
		uintptr_t start = atomic_load(&mappings.slots[i].start), end = atomic_load(&mappings.slots[i].end);
		void *zeros;

		if (!start || (uintptr_t)address < start || (uintptr_t)address >= end)
			continue;
		zeros = mmap((void *)page, end_of_fault(i, page) - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		errno = error;
		if (zeros == MAP_FAILED)
			return false;
		atomic_store(&mappings.slots[i].shrank, true);
		return true;
	}
	return false;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code > 0 && mapping_repair(info->si_addr))
		return;
	sigaction(number, &mappings.before, NULL);
	raise(number); /* as soon as this returns */
}

static void catch_bus_errors(void)
{
	struct sigaction action;

	if (mappings.catches)
		return;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = on_bus_error;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigfillset(&action.sa_mask);
	mappings.catches = sigaction(SIGBUS, &action, &mappings.before) == 0;
}

/* -1: all are taken. */
static int take_slot(uintptr_t start, uintptr_t end, int descriptor)
{
	int i = 0, used;

	pthread_mutex_lock(&mappings.mutex);
	catch_bus_errors();
	used = atomic_load(&mappings.used);
	while (i < used && atomic_load(&mappings.slots[i].start))
		i++;
	if (i == SLOTS) {
		pthread_mutex_unlock(&mappings.mutex);
		return -1;
	}
	if (descriptor != NO_DESCRIPTOR && mappings.descriptors < DESCRIPTORS_KEPT)
		mappings.descriptors += (descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) >= 0;
	else
		descriptor = NO_DESCRIPTOR;
	atomic_store(&mappings.slots[i].shrank, false);
	atomic_store(&mappings.slots[i].descriptor, descriptor >= 0 ? descriptor : NO_DESCRIPTOR);
	atomic_store(&mappings.slots[i].end, end);
	atomic_store(&mappings.slots[i].start, start);
	if (i == used)
		atomic_store(&mappings.used, used + 1);
	pthread_mutex_unlock(&mappings.mutex);
	return i;
}

static void free_slot(int i)
{
	int descriptor;

	pthread_mutex_lock(&mappings.mutex);
	atomic_store(&mappings.slots[i].start, 0);
	descriptor = atomic_exchange(&mappings.slots[i].descriptor, NO_DESCRIPTOR);
	if (descriptor != NO_DESCRIPTOR) {
		close(descriptor);
		mappings.descriptors--;
	}
	pthread_mutex_unlock(&mappings.mutex);
}

static bool fail(const char *name, const char *reason, bson_error_t *error)
{
	return error_set(error, ERROR_SYSTEM, (uint32_t)errno, "cannot read \"%.300s\": %s", name, reason);
}

static bool map(struct mapping *m, const char *name, int descriptor, size_t size_bytes, int sharing, bson_error_t *error)
{
	void *bytes;

	*m = (struct mapping){ NULL, size_bytes, -1 };
	if (!size_bytes)
		return true;
	bytes = mmap(NULL, size_bytes, PROT_READ, sharing | MAP_NORESERVE, descriptor, 0);
	if (bytes == MAP_FAILED)
		return fail(name, strerror(errno), error);
	m->slot = take_slot((uintptr_t)bytes, (uintptr_t)bytes + size_bytes, descriptor);
	if (m->slot < 0) {
		munmap(bytes, size_bytes);
		return fail(name, "too many files are open", error);
	}
	m->bytes = bytes;
	return true;
}

bool mapping_open(struct mapping *m, const char *path, bson_error_t *error)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	bool good;

	*m = (struct mapping){ NULL, 0, -1 };
	if (descriptor < 0)
		return fail(path, strerror(errno), error);
	if (fstat(descriptor, &status) != 0)
		good = fail(path, strerror(errno), error);
	else if (!S_ISREG(status.st_mode))
		good = fail(path, "not a regular file", error);
	else
		good = map(m, path, descriptor, (size_t)status.st_size, MAP_PRIVATE, error);
	close(descriptor);
	return good;
}

bool mapping_open_descriptor(struct mapping *m, const char *name, int descriptor, size_t reserve_bytes, bson_error_t *error)
{
	return map(m, name, descriptor, reserve_bytes, MAP_SHARED, error);
}

void mapping_close(struct mapping *m)
{
	if (m->slot < 0)
		return;
	munmap((void *)(uintptr_t)m->bytes, m->size_bytes);
	free_slot(m->slot);
	*m = (struct mapping){ NULL, 0, -1 };
}

bool mapping_shrank(const struct mapping *m, int64_t *left_bytes)
{
	struct stat now = { .st_size = 0 };
	int descriptor;

	if (m->slot < 0)
		return false;
	descriptor = atomic_load(&mappings.slots[m->slot].descriptor);
	/* the last page of the file reads as zeros behind its end without any signal: so its size is asked for, too */
	if (descriptor != NO_DESCRIPTOR && fstat(descriptor, &now) == 0) {
		if (left_bytes)
			*left_bytes = now.st_size;
		if ((uint64_t)now.st_size < m->size_bytes)
			return true;
	} else if (left_bytes) {
		*left_bytes = -1;
	}
	return atomic_load(&mappings.slots[m->slot].shrank);
}

size_t mapping_read(const struct mapping *m, size_t at, uint8_t *buffer, size_t size_bytes)
{
	int descriptor = m->slot < 0 ? NO_DESCRIPTOR : atomic_load(&mappings.slots[m->slot].descriptor);
	ssize_t got = descriptor == NO_DESCRIPTOR ? 0 : pread(descriptor, buffer, size_bytes, (off_t)at);

	return got < 0 ? 0 : (size_t)got;
}
