#include "harness/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine *ask_engine;

static bson_t kept_replies[512];
static size_t kept_count;

struct value ask_in(const char *db, const char *json)
{
	bson_t view, *reply = &kept_replies[kept_count++];
	bson_error_t error;

	value_to_bson(&view, harness_json(json));
	engine_command(ask_engine, db, &view, reply, NULL, &error);
	return value_from_bson(reply);
}

struct value ask(const char *json)
{
	return ask_in("shop", json);
}

const char *ask_text(struct value v)
{
	char *copy = strdup(harness_text(v)), *to = copy;
	bool quoted = false;

	for (const char *from = copy; *from; from++) {
		quoted ^= *from == '"' && (from == copy || from[-1] != '\\');
		if (*from != ' ' || quoted)
			*to++ = *from;
	}
	*to = 0;
	return harness_keep(copy);
}

void ask_begin(void)
{
	ask_engine = engine_new();
}

void ask_end(void)
{
	engine_destroy(ask_engine);
	while (kept_count)
		bson_destroy(&kept_replies[--kept_count]);
}

struct value ask_batch(const char *json)
{
	return value_get(value_get(ask(json), "cursor"), "firstBatch");
}

void ask_expect_error(const char *json, int code, const char *message, const char *file, int line)
{
	struct value reply = ask(json);

	if (value_as_double(value_get(reply, "ok")) != 0 || value_as_double(value_get(reply, "code")) != code) {
		fprintf(stderr, "%s:%d: %s gave %s\n", file, line, json, ask_text(reply));
		CU_FAIL("another code");
		return;
	}
	ASSERT_TEXT(value_text(value_get(reply, "errmsg")).bytes, message);
}
