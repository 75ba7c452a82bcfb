/* .metadata.json: what mongodump writes beside a collection's documents. Private to the dump room. */
#ifndef BSONSCOPE_DUMP_METADATA_H
#define BSONSCOPE_DUMP_METADATA_H

#include "dump/files.h"

/*
 * Fills what it describes: indexes, options, the collection's name where the file's is cut. What cannot be read
 * becomes a remark.
 */
void metadata_read(const char *path, bool gzipped, struct dump_file *file);

#endif
