/*
 * A real MongoDB as a source: standalone, replica set or sharded, through libmongoc. It is only read from (permit.h);
 * what a command costs is read from the explain that is asked for it. Any thread may call.
 */
#ifndef BSONSCOPE_REMOTE_REMOTE_H
#define BSONSCOPE_REMOTE_REMOTE_H

#include "base/bytes.h"
#include "source.h"

struct remote_options {
	int64_t limit_millis;    /* maxTimeMS of a command without a nearer deadline; 0: 10 s; at most a minute */
	int64_t exact_documents; /* sizes of a larger collection are sampled; 0: 100,000 */
	const char *log_file;    /* what libmongoc has to say is appended there; null: nowhere. The first that is opened
	                            decides */
};

/*
 * Connects: "mongodb://…", "mongodb+srv://…" or "HOST[:PORT][/DB]"; `options` may be null. False, within 3 s for a
 * server that is not there, with one line that holds no password.
 */
bool remote_open(const char *uri, const struct remote_options *options, struct source **source, bson_error_t *error);

/* The database that the connection string names; null: none. Borrowed. */
const char *remote_database(struct source *s);

/* What was given as a source, as text that may be shown: without password and options. */
void remote_display(const char *source, struct bytes *out);

/* Overwrites what may be a password in a program's own argument, where others on the machine can read it. */
void remote_hide(char *argument);

#endif
