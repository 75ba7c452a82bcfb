/*
 * Which files a dump has, and which collection each holds: a folder that mongodump wrote (the root with a folder a
 * database, or one database's), or a single file, .bson or .json, each also with .gz behind.
 */
#ifndef BSONSCOPE_DUMP_FILES_H
#define BSONSCOPE_DUMP_FILES_H

#include "base/bytes.h"
#include "base/error.h"

enum dump_format { DUMP_BSON, DUMP_JSON };

struct dump_file {
	char *path;               /* null: only its description is there */
	char *db, *collection;
	enum dump_format format;
	bool gzipped;
	bool described;           /* there was a .metadata.json */
	struct bytes indexes;     /* of it: a BSON array; empty: none */
	struct bytes options;     /* those of `create`; empty: none */
	struct bytes remark;      /* what could not be understood */
};

struct dump_files {
	struct dump_file *list;   /* in the order of databases, then collections */
	size_t count;
	/* the databases' names are the dump's own: not so for single files and for one database's folder */
	bool is_named;
};

/* Reads descriptions, not data. False with one line: no such path, nothing in it, an archive. */
bool dump_files_find(const char *path, struct dump_files *files, bson_error_t *error);
void dump_files_clear(struct dump_files *files);

/* Gives all of it to a database of that name. */
void dump_files_rename(struct dump_files *files, const char *db);

/* The database to look at first: the first that is not one of MongoDB's own (admin, config, local), else the first. */
const char *dump_files_database(const struct dump_files *files);
bool dump_files_have(const struct dump_files *files, const char *db);

/* "bookstore, library" */
void dump_files_list_databases(const struct dump_files *files, struct bytes *out);

#endif
