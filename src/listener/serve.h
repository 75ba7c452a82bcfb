/* `bsonscope serve`: an engine is served until the program is told to end. */
#ifndef BSONSCOPE_LISTENER_SERVE_H
#define BSONSCOPE_LISTENER_SERVE_H

#include "listener/listener.h"

struct serve_options {
	const char *name;      /* of what is served */
	struct address address;
	const char *save;      /* the folder to save to at the end; null: none */
};

/*
 * Prints where it listens on standard output and what clients do wrong on standard error, and returns true after
 * SIGINT or SIGTERM, when everything is saved. False with one line. Blocks those signals for the calling thread: called
 * before threads are started that could take them.
 */
bool serve(struct engine *e, const struct serve_options *options, bson_error_t *error);

#endif
