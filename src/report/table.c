#include "report/table.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

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

/* The next character: how many bytes, and how many columns of a screen. What is no text takes one each. */
static size_t next_character(const char *text, size_t *columns)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t size;
	int wide;

	if (*text >= ' ' && *text < 0x7f && ((unsigned char)text[1] & 0xc0) != 0x80) { /* most: the locale is not asked */
		*columns = 1;
		return 1;
	}
	size = mbrtowc(&c, text, MB_LEN_MAX, &state);
	wide = size && size <= MB_LEN_MAX ? wcwidth(c) : 1;
	*columns = wide < 0 ? 1 : (size_t)wide;
	for (size = 1; ((unsigned char)text[size] & 0xc0) == 0x80; size++)
		;
	return size;
}

static size_t width(const char *text)
{
	size_t columns = 0, more;

	while (*text) {
		text += next_character(text, &more);
		columns += more;
	}
	return columns;
}

static void spaces(struct bytes *out, size_t count)
{
	while (count-- > 0)
		bytes_append_byte(out, ' ');
}

/* The longest beginning, in bytes, that has so many columns at most. */
static size_t beginning(const char *text, size_t columns)
{
	size_t at = 0, size, more;

	for (; text[at]; at += size, columns -= more) {
		size = next_character(text + at, &more);
		if (more > columns)
			break;
	}
	return at;
}

/* "a very l…ng name": beginning and end say more than the middle. */
static void cut_middle(char **cell, size_t columns, bool ascii)
{
	const char *mark = ascii ? "..." : "…";
	size_t room = columns - width(mark), tail, whole = width(*cell);
	struct bytes text = BYTES_INIT;
	const char *end;

	if (whole <= columns)
		return;
	tail = room / 2;
	bytes_append(&text, *cell, beginning(*cell, room - tail));
	bytes_append_text(&text, mark);
	for (end = *cell + beginning(*cell, whole - tail); width(end) > tail;)
		end += next_character(end, &room);
	bytes_append_text(&text, end);
	free(*cell);
	*cell = bytes_take_text(&text);
}

static void measure(const struct table *t, size_t widths[TABLE_COLUMNS])
{
	for (size_t i = 0; i < t->count; i++) {
		size_t own = width(t->cells[i]);

		if (own > widths[i % t->columns])
			widths[i % t->columns] = own;
	}
}

void table_fit(struct table *t, size_t columns, size_t cut, const size_t *expendable, size_t count)
{
	size_t widths[TABLE_COLUMNS] = { 0 }, others = 0, least;

	if (!columns)
		return;
	measure(t, widths);
	for (size_t c = 0; c < t->columns; c++)
		others += c != cut && widths[c] ? widths[c] + 2 : 0;
	least = widths[cut] < TABLE_LEAST_NAME ? widths[cut] : TABLE_LEAST_NAME;
	for (size_t i = 0; i < count && others + least > columns; i++) {
		for (size_t k = expendable[i]; k < t->count; k += t->columns)
			*t->cells[k] = 0;
		others -= widths[expendable[i]] ? widths[expendable[i]] + 2 : 0;
	}
	if (others + least < columns)
		least = columns - others;
	for (size_t k = cut; k < t->count; k += t->columns)
		cut_middle(&t->cells[k], least, t->ascii);
}

void table_print(const struct table *t, int indent, struct bytes *out)
{
	size_t widths[TABLE_COLUMNS] = { 0 };

	measure(t, widths);
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

size_t report_columns(void)
{
	const char *said = getenv("COLUMNS");
	struct winsize size;

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return said ? strtoul(said, NULL, 10) : 0;
}
