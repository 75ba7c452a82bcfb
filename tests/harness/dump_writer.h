/* Dumps as mongodump writes them, made from a source. */
#ifndef BSONSCOPE_TESTS_DUMP_WRITER_H
#define BSONSCOPE_TESTS_DUMP_WRITER_H

#include "source.h"

/* A new folder that is removed with what is in it when the program ends. Kept. */
const char *dump_folder(void);

/* FOLDER/DB/NAME.bson and NAME.metadata.json of every collection, or both with .gz behind. Aborts on failure. */
void dump_write(struct source *s, const char *db, const char *folder, bool gzipped);

/* A file with these bytes; FOLDER/NAME, whose folder is made. Returns its path, kept. */
const char *dump_file_write(const char *folder, const char *name, const void *bytes, size_t size_bytes, bool gzipped);

#endif
