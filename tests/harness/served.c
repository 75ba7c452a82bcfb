#include "harness/served.h"

#include "bson/writer.h"
#include "engine/engine.h"

struct key served_name(struct value command)
{
	struct walk w;
	struct field first;

	walk_begin(&w, command);
	return walk_next(&w, &first) ? first.key : key_of("");
}

static bool is_for_the_driver(struct key name)
{
	return key_is(name, "hello") || key_is(name, "isMaster") || key_is(name, "ismaster") ||
	       key_is(name, "endSessions") || key_is(name, "killSessions");
}

enum wire_answer served_answer(void *engine, const char *db, struct value command, struct bytes *reply)
{
	bson_t bare = BSON_INITIALIZER, answer, whole;

	if (is_for_the_driver(served_name(command)))
		return WIRE_UNKNOWN;
	value_to_bson(&whole, command);
	bson_copy_to_excluding_noinit(&whole, &bare, "lsid", "$db", "$readPreference", "$clusterTime", "comment", NULL);
	engine_command(engine, db, &bare, &answer, NULL, NULL);
	bytes_append(reply, bson_get_data(&answer), answer.len);
	bson_destroy(&answer);
	bson_destroy(&bare);
	return WIRE_REPLY;
}

enum wire_answer served_refuse(struct bytes *reply, int code, const char *name, const char *message)
{
	struct writer w;

	writer_begin(&w, reply);
	writer_double(&w, "ok", 0);
	writer_text(&w, "errmsg", message);
	writer_int32(&w, "code", code);
	writer_text(&w, "codeName", name);
	writer_finish(&w);
	return WIRE_REPLY;
}
