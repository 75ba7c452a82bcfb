#include "ui/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void rows_init(struct rows *l)
{
	*l = (struct rows){ .selected = -1 };
}

void rows_clear(struct rows *l)
{
	free(l->ids);
	free(l->filter);
	rows_init(l);
}

void rows_begin(struct rows *l)
{
	l->count = 0;
}

void rows_add(struct rows *l, int64_t id)
{
	l->ids = memory_grow(l->ids, &l->capacity, l->count + 1, sizeof *l->ids);
	l->ids[l->count++] = id;
}

void rows_settle(struct rows *l)
{
	size_t found = l->count;

	for (size_t i = 0; i < l->count && found == l->count; i++)
		if (l->ids[i] == l->selected)
			found = i;
	if (l->follows_end && l->count)
		found = l->count - 1;
	if (found < l->count)
		l->position = found;
	else if (l->position >= l->count)
		l->position = l->count ? l->count - 1 : 0;
	if (l->count && l->selected < 0)
		l->selected = l->ids[l->position];
}

struct sortable {
	int64_t id, value;
	size_t position;
};

static int larger_first(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

void rows_sort(struct rows *l, int64_t (*value)(const void *context, int64_t id), const void *context)
{
	struct sortable *rows = memory_allocate_zeroed(l->count, sizeof *rows);

	for (size_t i = 0; i < l->count; i++)
		rows[i] = (struct sortable){ l->ids[i], value(context, l->ids[i]), i };
	if (l->count)
		qsort(rows, l->count, sizeof *rows, larger_first);
	for (size_t i = 0; i < l->count; i++)
		l->ids[i] = rows[i].id;
	free(rows);
}

int64_t rows_selected(const struct rows *l)
{
	return l->count ? l->ids[l->position] : -1;
}

void rows_select(struct rows *l, int64_t id)
{
	l->selected = id;
	for (size_t i = 0; i < l->count; i++)
		if (l->ids[i] == id)
			l->position = i;
}

void rows_move(struct rows *l, int64_t rows)
{
	int64_t wanted = (int64_t)l->position + rows;

	if (!l->count)
		return;
	if (wanted < 0)
		wanted = 0;
	if (wanted >= (int64_t)l->count)
		wanted = (int64_t)l->count - 1;
	l->position = (size_t)wanted;
	l->selected = l->ids[l->position];
}

void rows_scroll(struct rows *l, int visible_rows)
{
	int position = (int)l->position, last = (int)l->count - visible_rows;

	if (visible_rows < 1)
		return;
	if (position < l->top)
		l->top = position;
	if (position >= l->top + visible_rows)
		l->top = position - visible_rows + 1;
	if (l->top > last)
		l->top = last > 0 ? last : 0;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

void rows_set_filter(struct rows *l, const char *text)
{
	free(l->filter);
	l->filter = text && *text ? memory_duplicate_text(text) : NULL;
	for (char *c = l->filter; c && *c; c++)
		*c = lower(*c);
}

const char *rows_find(const struct rows *l, const char *text)
{
	size_t length = l->filter ? strlen(l->filter) : 0;

	for (; length && *text; text++) {
		size_t same = 0;

		while (same < length && lower(text[same]) == l->filter[same])
			same++;
		if (same == length)
			return text;
	}
	return NULL;
}

bool rows_matches(const struct rows *l, const char *text)
{
	return !l->filter || rows_find(l, text);
}
