/* Commands to an engine of the test's own, in JSON, and what they answer. */
#ifndef BSONSCOPE_TESTS_ASK_H
#define BSONSCOPE_TESTS_ASK_H

#include "engine/engine.h"
#include "harness/harness.h"

/* The engine that the running test asks; made by ask_begin, gone with ask_end. */
extern struct engine *ask_engine;

void ask_begin(void);
void ask_end(void);

/* The reply, good until ask_end. `ask` is on database "shop". */
struct value ask_in(const char *db, const char *json);
struct value ask(const char *json);

/* JSON without spaces outside of texts; good until the test ends. */
const char *ask_text(struct value v);

/* Every document of the first batch. */
struct value ask_batch(const char *json);

#define ASSERT_REPLY(json, expected) ASSERT_TEXT(ask_text(ask(json)), expected)

/* {ok: 0} with that code and message. */
void ask_expect_error(const char *json, int code, const char *message, const char *file, int line);

#define ASSERT_ERROR(json, code, message) ask_expect_error(json, code, message, __FILE__, __LINE__)

#endif
