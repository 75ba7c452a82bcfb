#include "report/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/workload.h"

void table_init(struct table *t, const char *alignment, bool ascii)
{
	*t = (struct table){ .columns = strlen(alignment), .alignment = alignment, .ascii = ascii };
	assert(t->columns <= TABLE_COLUMNS);
}

void table_clear(struct table *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i]);
	free(t->cells);
}

void table_text(struct table *t, const char *text)
{
	t->cells = memory_grow(t->cells, &t->capacity, t->count + 1, sizeof *t->cells);
	t->cells[t->count++] = memory_duplicate_text(text);
}

void table_figure(struct table *t, struct figure f)
{
	char buffer[48];

	table_text(t, figure_format(f, t->ascii, buffer, sizeof buffer));
}

void table_ratio(struct table *t, struct figure mine, struct figure other)
{
	struct bytes text = BYTES_INIT;
	double ratio;

	if (workload_comparable(mine, other) && mine.value == other.value)
		bytes_append_text(&text, mine.value ? "=" : "");
	else if (workload_ratio(mine, other, &ratio))
		bytes_format(&text, "%.2f%s", ratio, t->ascii ? "x" : "×");
	table_text(t, bytes_text(&text));
	bytes_clear(&text);
}

/* Columns on a screen: the texts here have no wide and no combining characters. */
static size_t width(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static void spaces(struct bytes *out, size_t count)
{
	while (count-- > 0)
		bytes_append_byte(out, ' ');
}

void table_print(const struct table *t, int indent, struct bytes *out)
{
	size_t widths[TABLE_COLUMNS] = { 0 };

	for (size_t i = 0; i < t->count; i++)
		if (width(t->cells[i]) > widths[i % t->columns])
			widths[i % t->columns] = width(t->cells[i]);
	for (size_t i = 0; i + t->columns <= t->count; i += t->columns) {
		size_t pending = (size_t)indent; /* written only before something visible */

		for (size_t c = 0; c < t->columns; c++) {
			size_t pad = widths[c] - width(t->cells[i + c]);

			if (*t->cells[i + c]) {
				spaces(out, pending + (t->alignment[c] == 'r' ? pad : 0));
				bytes_append_text(out, t->cells[i + c]);
				pending = t->alignment[c] == 'r' ? 0 : pad;
			} else {
				pending += widths[c];
			}
			if (widths[c])
				pending += 2;
		}
		bytes_append_byte(out, '\n');
	}
}
