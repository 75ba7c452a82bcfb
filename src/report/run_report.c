#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "bson/read.h"

/* A reply can be {ok: 1} and still hold what a write refused. */
static bool check_writes(struct value reply, int number, bson_error_t *error)
{
	struct value first = value_get(reply, "writeErrors"), message;
	struct bytes text = BYTES_INIT;
	int64_t code = 0;

	if (!value_is_array(first) || !value_count(first))
		return true;
	first = value_get(first, "0");
	message = value_get(first, "errmsg");
	value_as_int64(value_get(first, "code"), &code);
	if (message.type == BSON_TYPE_UTF8)
		print_text(&text, value_text(message).bytes, value_text(message).size_bytes);
	error_set(error, ERROR_SERVER, (uint32_t)code, "command %d: a write failed with code %d: %s", number, (int)code,
	          bytes_text(&text));
	bytes_clear(&text);
	return false;
}

static bool run(struct lab *lab, const struct options *o, int number, struct bytes *out, bson_error_t *error)
{
	const char *text = o->commands[number - 1], *db = o->db ? o->db : lab_model(lab)->database;
	struct bytes document = BYTES_INIT;
	bson_error_t failure;
	bson_t command, reply;
	char name[24];
	bool good;

	snprintf(name, sizeof name, "command %d", number);
	if (!read_shell_document(name, text, strlen(text), &document, error)) {
		bytes_clear(&document);
		return false;
	}
	bson_init_static(&command, document.data, document.size);
	good = source_command(lab_origin(lab), db, &command, &reply, NULL, &failure);
	print_line(out, value_from_bson(&reply), o->canonical ? PRINT_CANONICAL : PRINT_RELAXED);
	bytes_append_byte(out, '\n');
	if (!good)
		error_set(error, failure.domain, failure.code, "command %d failed with code %u: %s", number,
		          failure.code, failure.message);
	good = good && check_writes(value_from_bson(&reply), number, error);
	bson_destroy(&reply);
	bytes_clear(&document);
	return good;
}

bool report_run(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error)
{
	for (int number = 1; number <= o->command_count; number++)
		if (!run(lab, o, number, out, error))
			return false;
	return true;
}
