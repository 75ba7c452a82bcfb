#include "plan/log_unwrap.h"

#include <string.h>

#include "bson/read_wrapper.h"

struct span log_unwrap(struct span line, struct bytes *inner)
{
	static const char *const names[] = { "log", "MESSAGE", "message", "msg" };
	struct span text = { NULL, 0 };
	struct reader r;

	if (line.size_bytes < 10 || line.text[0] != '{' || !memcmp(line.text, "{\"t\":", 5) ||
	    !memmem(line.text, line.size_bytes, "{\\\"t\\\":", 7))
		return line;
	for (size_t i = 0; i < sizeof names / sizeof *names && !text.text; i++)
		text = skim_get(line, names[i]);
	if (!text.text)
		return line;
	bytes_reset(inner);
	reader_init(&r, "log", text.text, text.size_bytes);
	if (!reader_string(&r, inner, NULL))
		return line;
	while (inner->size && strchr("\r\n", inner->data[inner->size - 1]))
		inner->size--;
	return (struct span){ (const char *)inner->data, inner->size };
}
