/* Files that are part of the program: written into the build by scripts/embed.sh. */
#ifndef BSONSCOPE_BASE_EMBEDDED_H
#define BSONSCOPE_BASE_EMBEDDED_H

#include <stddef.h>

/*
 * The file's bytes, followed by a NUL that is not counted; null when it is not part of the program. `name` is its
 * path in the project.
 */
const char *embedded_find(const char *name, size_t *size_bytes);

#endif
