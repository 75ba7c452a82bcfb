/* What the reports over trees of paths (`tree`, `schema`) share: a collection, its tree or why there is none. */
#ifndef BSONSCOPE_REPORT_PATHS_REPORT_H
#define BSONSCOPE_REPORT_PATHS_REPORT_H

#include "base/error.h"
#include "bson/writer.h"
#include "model/paths.h"
#include "report/choice.h"

struct paths_entry {
	const char *name;
	char *kind; /* listing_kind; null: not known */
	struct paths *paths;
	char *refused; /* beside a tree: what else is to be said */
};

void paths_entry_clear(struct paths_entry *e);

/* Finds the kind. True: it has no documents of its own, and that is why there is no tree. */
bool paths_entry_is_computed(struct paths_entry *e, const struct choice *c);

/* What a server refuses of one collection does not hide the others: false, with the error, for anything else. */
bool paths_entry_refuse(struct paths_entry *e, const struct choice *c, const bson_error_t *reason, bson_error_t *error);

/* db, name, kind and remark, into a document that was begun. */
void paths_entry_write(struct writer *w, const char *db, const struct paths_entry *e);

/* How the documents were chosen. */
void paths_write_choice(struct writer *w, const struct paths *p);

/* A node's path: [keys], from the root down. */
void paths_write_path(struct writer *w, const struct path_node *n);

/* {string: 181}, and in how many documents the path is: present, or null. */
void paths_write_types(struct writer *w, const struct path_node *n);
void paths_write_presence(struct writer *w, const struct path_node *n);

/* "NAME  KIND: why not" of one without a tree. */
void paths_entry_print_refused(const struct paths_entry *e, struct bytes *out);

/* A line of how documents were chosen; nothing when it is all of them. */
void paths_print_method(const struct paths *p, struct bytes *out);

#endif
