#include "report/json.h"

#include "bson/print.h"

void json_print(struct writer *w, struct bytes *out)
{
	print_value(out, writer_finish(w), &(struct print_options){ .form = PRINT_RELAXED, .indent = 2 });
	bytes_append_byte(out, '\n');
	bytes_clear(w->out);
}
