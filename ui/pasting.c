#include "ui/pasting.h"

#include <string.h>

static const char end_mark[] = "\033[201~";
enum { END_MARK_SIZE = sizeof end_mark - 1, LIMIT_BYTES = 64 << 20 };

void pasting_begin(struct pasting *p)
{
	bytes_reset(&p->text);
	p->under_way = true;
}

void pasting_clear(struct pasting *p)
{
	bytes_clear(&p->text);
	p->under_way = false;
}

/* Terminals send "\r" for a line's end. */
void pasting_end(struct pasting *p)
{
	size_t to = 0;

	for (size_t i = 0; i < p->text.size; i++) {
		uint8_t c = p->text.data[i];

		if (c == '\r' && i + 1 < p->text.size && p->text.data[i + 1] == '\n')
			continue;
		p->text.data[to++] = c == '\r' ? '\n' : c;
	}
	p->text.size = to;
	p->under_way = false;
}

/* Where the mark begins in the text, which may have come in pieces; text.size: nowhere. */
static size_t find_end(const struct bytes *text, size_t from)
{
	for (size_t i = from; i + END_MARK_SIZE <= text->size; i++)
		if (!memcmp(text->data + i, end_mark, END_MARK_SIZE))
			return i;
	return text->size;
}

bool pasting_add(struct pasting *p, const char *bytes, size_t size, size_t *rest)
{
	size_t before = p->text.size, end;

	bytes_append(&p->text, bytes, size);
	end = find_end(&p->text, before < END_MARK_SIZE ? 0 : before - END_MARK_SIZE + 1);
	*rest = 0;
	if (end == p->text.size) {
		if (end > LIMIT_BYTES) { /* its end may hold a part of the mark */
			memmove(p->text.data + LIMIT_BYTES - END_MARK_SIZE, p->text.data + end - END_MARK_SIZE, END_MARK_SIZE);
			p->text.size = LIMIT_BYTES;
		}
		return false;
	}
	*rest = p->text.size - end - END_MARK_SIZE;
	p->text.size = end;
	pasting_end(p);
	return true;
}
