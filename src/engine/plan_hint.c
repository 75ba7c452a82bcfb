/* The message about a hint that names no index: MongoDB puts its picture of the query before it. */
#include "base/bytes.h"
#include "bson/print.h"
#include "engine/plan_private.h"

bool plan_bad_hint(const struct plan_request *request, bson_error_t *error)
{
	struct bytes text = BYTES_INIT;

	bytes_format(&text, "error processing query: ns=%sTree: ", request->namespace_text);
	if (request->filter)
		match_draw(request->filter, &text);
	else
		bytes_append_text(&text, "$and\n");
	bytes_append_text(&text, "Sort: ");
	if (value_is_missing(request->sort))
		bytes_append_text(&text, "{}");
	else
		print_line(&text, request->sort, PRINT_SERVER);
	bytes_append_text(&text, "\nProj: ");
	if (request->projection) {
		struct bytes document = BYTES_INIT;
		struct writer w;

		writer_begin(&w, &document);
		projection_write(request->projection, &w, key_of("p"));
		print_line(&text, value_get(writer_finish(&w), "p"), PRINT_SERVER);
		bytes_clear(&document);
	} else {
		bytes_append_text(&text, "{}");
	}
	bytes_append_text(&text, "\n planner returned error :: caused by :: "
	                         "hint provided does not correspond to an existing index");
	error_set(error, ERROR_SERVER, CODE_BadValue, "%s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}
