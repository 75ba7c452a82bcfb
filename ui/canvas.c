#include "ui/canvas.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/memory.h"

enum { CELL_CHARACTERS = 5 }; /* a character and what combines with it */

/* What takes columns together: a character with its combining ones, or an escape. */
struct cell {
	wchar_t text[CELL_CHARACTERS + 8];
	int length, width;
	bool spelled; /* a column a character */
};

/* Marks and lines of ours without Unicode. What data brings and is not here becomes "?". */
static const struct {
	wchar_t mark;
	const char *ascii;
} fallbacks[] = {
	{ L'─', "-" }, { L'│', "|" }, { L'┬', "+" }, { L'┴', "+" }, { L'▸', ">" }, { L'▾', "v" }, { L'·', "-" }, { L'…', "~" }, { L'—', "-" },
	{ L'–', "-" }, { L'×', "x" }, { L'⟵', "<-" }, { L'␣', "Space" }, { L'⇥', "Tab" }, { L'⏎', "Enter" }, { L'≥', ">=" },
	{ L'█', "#" }, { L'▉', "#" }, { L'▊', "#" }, { L'▋', "#" }, { L'▌', "#" }, { L'▍', ":" }, { L'▎', "." }, { L'▏', "." },
	{ L'↑', "^" }, { L'↓', "v" }, { L'▲', "^" }, { L'→', ">" }, { L'├', "|" }, { L'┤', "|" }, { L'µ', "u" }, { L'✓', "+" },
};

struct canvas canvas_new(WINDOW *window, bool ascii)
{
	return (struct canvas){ window, { 0, 0, getmaxy(window), getmaxx(window) }, ascii };
}

struct canvas canvas_part(const struct canvas *c, struct rect part)
{
	struct canvas inner = *c;
	int height = c->area.height - part.row, width = c->area.width - part.column;

	inner.area.row += part.row;
	inner.area.column += part.column;
	inner.area.height = part.height < height ? part.height : height;
	inner.area.width = part.width < width ? part.width : width;
	return inner;
}

/*
 * One character of UTF-8 and how many bytes it has; false for an invalid byte. Overlong forms and surrogates are
 * invalid.
 */
static bool decode(const char *text, uint32_t *out, int *size)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)*text;
	int length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
	uint32_t c = length == 1 ? lead : length ? lead & (0xffu >> (length + 1)) : 0;

	*size = 1;
	for (int i = 1; i < length; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return false;
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (!length || c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return false;
	*out = c;
	*size = length;
	return true;
}

/* Takes no columns and changes how others are shown, or controls the terminal. */
static bool needs_escape(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xe0000 && c <= 0xe0fff);
}

static void put(struct cell *cell, const char *ascii)
{
	cell->length = 0;
	for (; *ascii; ascii++)
		cell->text[cell->length++] = (wchar_t)(unsigned char)*ascii;
	cell->width = cell->length;
	cell->spelled = true;
}

static void put_ascii(struct cell *cell, wchar_t c)
{
	for (size_t i = 0; i < sizeof fallbacks / sizeof *fallbacks; i++)
		if (fallbacks[i].mark == c) {
			put(cell, fallbacks[i].ascii);
			return;
		}
	put(cell, "?");
}

/* The next cell and the text after it; null at the end. */
static const char *next_cell(const struct canvas *canvas, const char *text, struct cell *cell)
{
	char escape[16];
	uint32_t c;
	int size;

	if (!*text)
		return NULL;
	cell->spelled = false;
	if (!decode(text, &c, &size)) {
		snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)*text);
		put(cell, escape);
		return text + 1;
	}
	text += size;
	if (needs_escape(c)) {
		snprintf(escape, sizeof escape, c > 0xffff ? "\\u%06x" : "\\u%04x", (unsigned)c);
		put(cell, escape);
		return text;
	}
	if (canvas->ascii && c > 0x7e) {
		put_ascii(cell, (wchar_t)c);
		return text;
	}
	cell->width = wcwidth((wchar_t)c);
	cell->length = 1;
	cell->text[0] = (wchar_t)c;
	if (cell->width < 0)
		put(cell, "?");
	if (cell->width == 0) { /* nothing before it to combine with */
		cell->text[0] = L' ';
		cell->text[cell->length++] = (wchar_t)c;
		cell->width = 1;
	}
	while (*text && decode(text, &c, &size) && c > 0x7e && !needs_escape(c) && wcwidth((wchar_t)c) == 0) {
		if (cell->length < CELL_CHARACTERS && !cell->spelled && !canvas->ascii)
			cell->text[cell->length++] = (wchar_t)c;
		text += size;
	}
	return text;
}

int canvas_width(const struct canvas *c, const char *text)
{
	struct cell cell;
	int width = 0;

	while ((text = next_cell(c, text, &cell)))
		width += cell.width;
	return width;
}

static bool inside(const struct canvas *c, int row, int column)
{
	return row >= 0 && row < c->area.height && column >= 0 && column < c->area.width;
}

static void put_wide(const struct canvas *c, int row, int column, const wchar_t *text, enum style s)
{
	cchar_t wide;

	setcchar(&wide, text, theme_attributes(s), theme_pair(s), NULL);
	mvwadd_wch(c->window, c->area.row + row, c->area.column + column, &wide);
}

/* An escape and a fallback take a column a character; anything else is one character with its combining ones. */
static void draw_cell(const struct canvas *c, int row, int column, struct cell *cell, enum style s)
{
	if (!cell->spelled) {
		cell->text[cell->length] = 0;
		put_wide(c, row, column, cell->text, s);
		return;
	}
	for (int i = 0; i < cell->length; i++)
		put_wide(c, row, column + i, (wchar_t[]){ cell->text[i], 0 }, s);
}

int canvas_text_from(const struct canvas *c, int row, int column, int width, int skip, enum style s, const char *text)
{
	int used = 0, room = c->area.width - column, limit;
	struct cell cell;
	const char *next;

	if (width > room)
		width = room;
	if (width < 1 || !inside(c, row, column))
		return 0;
	for (; skip > 0 && (next = next_cell(c, text, &cell)); skip -= cell.width)
		text = next;
	limit = canvas_width(c, text) > width ? width - 1 : width; /* the mark takes the last column */
	while ((next = next_cell(c, text, &cell)) && used + cell.width <= limit) {
		draw_cell(c, row, column + used, &cell, s);
		used += cell.width;
		text = next;
	}
	if (!*text)
		return used;
	canvas_fill(c, row, column + used, limit - used, s);
	put_wide(c, row, column + limit, c->ascii ? L"~" : L"…", s);
	return width;
}

int canvas_text(const struct canvas *c, int row, int column, int width, enum style s, const char *text)
{
	return canvas_text_from(c, row, column, width, 0, s, text);
}

size_t canvas_fit(const struct canvas *c, const char *text, int width)
{
	const char *at = text, *next, *space = NULL;
	struct cell cell;
	int used = 0;

	while ((next = next_cell(c, at, &cell)) && (used + cell.width <= width || at == text)) {
		used += cell.width;
		if (*at == ' ')
			space = next;
		at = next;
	}
	return (size_t)((*at && space ? space : at) - text);
}

int canvas_right(const struct canvas *c, int row, int end, int width, enum style s, const char *text)
{
	int needed = canvas_width(c, text);

	if (needed > width) {
		for (int i = 0; i < width; i++)
			canvas_text(c, row, end - width + i, 1, s, "#");
		return width > 0 ? width : 0;
	}
	return canvas_text(c, row, end - needed, needed, s, text);
}

int canvas_figure(const struct canvas *c, int row, int end, int width, enum style s, struct figure f)
{
	char text[40];

	return canvas_right(c, row, end, width, s, figure_format(f, c->ascii, text, sizeof text));
}

void canvas_fill(const struct canvas *c, int row, int column, int width, enum style s)
{
	for (int i = 0; i < width; i++)
		if (inside(c, row, column + i))
			put_wide(c, row, column + i, L" ", s);
}

void canvas_clear(const struct canvas *c)
{
	for (int row = 0; row < c->area.height; row++)
		canvas_fill(c, row, 0, c->area.width, STYLE_TEXT);
}

void canvas_line(const struct canvas *c, int row, int column, int width, enum style s)
{
	for (int i = 0; i < width; i++)
		if (inside(c, row, column + i))
			put_wide(c, row, column + i, c->ascii ? L"-" : L"─", s);
}

void canvas_column(const struct canvas *c, int row, int column, int height, enum style s)
{
	for (int i = 0; i < height; i++)
		if (inside(c, row + i, column))
			put_wide(c, row + i, column, c->ascii ? L"|" : L"│", s);
}

/* A title may stand where the line would be met. */
static bool is_line(const struct canvas *c, int row, int column)
{
	wchar_t text[CELL_CHARACTERS + 1] = { 0 };

	mvwinnwstr(c->window, c->area.row + row, c->area.column + column, text, 1);
	return text[0] == (c->ascii ? L'-' : L'─');
}

void canvas_joint(const struct canvas *c, int row, int column, enum joint j, enum style s)
{
	bool meets = j == JOINT_DOWN || is_line(c, row, column);

	if (inside(c, row, column) && meets)
		put_wide(c, row, column, c->ascii ? L"+" : j == JOINT_DOWN ? L"┬" : L"┴", s);
}

void canvas_bar(const struct canvas *c, int row, int column, int width, int64_t eighths, enum style s)
{
	static const wchar_t *const parts[] = { NULL, L"▏", L"▎", L"▍", L"▌", L"▋", L"▊", L"▉" };

	if (eighths > (int64_t)width * 8)
		eighths = (int64_t)width * 8;
	for (int i = 0; eighths > 0; i++, eighths -= 8)
		if (inside(c, row, column + i))
			put_wide(c, row, column + i, c->ascii ? L"#" : eighths >= 8 ? L"█" : parts[eighths], s);
}

void canvas_style(const struct canvas *c, int row, int column, int width, enum style s)
{
	if (width > c->area.width - column)
		width = c->area.width - column;
	if (width > 0 && inside(c, row, column))
		mvwchgat(c->window, c->area.row + row, c->area.column + column, width, theme_attributes(s), theme_pair(s), NULL);
}

static void append_character(struct bytes *text, wchar_t c)
{
	char encoded[MB_LEN_MAX];
	mbstate_t state = { 0 };
	size_t size = wcrtomb(encoded, c, &state);

	if (size != (size_t)-1)
		bytes_append(text, encoded, size);
}

void canvas_read(WINDOW *window, struct bytes *text)
{
	int width = getmaxx(window);
	wchar_t *line = memory_allocate_zeroed((size_t)width * CELL_CHARACTERS + 1, sizeof *line);

	for (int row = 0; row < getmaxy(window); row++) {
		int length;

		line[0] = 0;
		mvwinnwstr(window, row, 0, line, width * CELL_CHARACTERS);
		length = (int)wcslen(line);
		while (length > 0 && line[length - 1] == L' ')
			length--;
		for (int i = 0; i < length; i++)
			append_character(text, line[i]);
		bytes_append_text(text, "\n");
	}
	free(line);
}
