#include "remote/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __linux__ && MONGOC_MAJOR_VERSION == 1

static const char library[] = "libmongoc-1.0.so.0";
static struct driver loaded;

static void *function(void *handle, const char *name)
{
	void *address = handle ? dlsym(handle, name) : NULL;

	if (address)
		return address;
	fprintf(stderr, "bsonscope: libmongoc cannot be loaded, and servers are reached through it: %s\n", dlerror());
	exit(1);
}

static void load(void)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *address;

/* ISO C has no cast from an object's address to a function's; POSIX says that their bytes are the same. */
#define X(name) \
	address = function(handle, #name); \
	memcpy(&loaded.name, &address, sizeof address);
	DRIVER_FUNCTIONS(X)
#undef X
}

const struct driver *driver(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return &loaded;
}

#else /* linked */

const struct driver *driver(void)
{
	static const struct driver linked = {
#define X(name) .name = name,
		DRIVER_FUNCTIONS(X)
#undef X
	};

	return &linked;
}

#endif
