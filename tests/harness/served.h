/* An engine behind the scripted wire server: its data as a real server would have them. */
#ifndef BSONSCOPE_TESTS_SERVED_H
#define BSONSCOPE_TESTS_SERVED_H

#include "harness/wire.h"

/* A handler; the context is the engine. What a driver adds to commands is taken off. */
enum wire_answer served_answer(void *engine, const char *db, struct value command, struct bytes *reply);

/* The command's name, and the reply of a refusal. */
struct key served_name(struct value command);
enum wire_answer served_refuse(struct bytes *reply, int code, const char *name, const char *message);

#endif
