/*
 * For programs that use libmongoc, included once each: ThreadSanitizer does not see the atomics inside libmongoc and
 * libbson, which are not built with it, and takes what they hand from thread to thread for races. Accesses made inside
 * these two libraries are left out; those of this project are not.
 */
#ifndef BSONSCOPE_TESTS_DRIVER_RACES_H
#define BSONSCOPE_TESTS_DRIVER_RACES_H

#if defined(__SANITIZE_THREAD__)
#define DRIVER_RACES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DRIVER_RACES 1
#endif
#endif

#ifdef DRIVER_RACES
#include <bson/bson.h>

const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
	return BSON_MAJOR_VERSION >= 2 ? "race:libmongoc2\ncalled_from_lib:libbson2\n"
	                               : "race:libmongoc-1.0\ncalled_from_lib:libbson-1.0\n";
}
#endif

#endif
