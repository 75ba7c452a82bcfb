#include "ui/prompt.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/memory.h"

enum { CTRL_A = 1, CTRL_E = 5, CTRL_K = 11, CTRL_U = 21, CTRL_W = 23 };

static wchar_t *duplicate(const wchar_t *text)
{
	return memory_duplicate(text, (wcslen(text) + 1) * sizeof *text);
}

void prompt_clear(struct prompt *p)
{
	for (int kind = 0; kind < PROMPT_KINDS; kind++)
		for (int i = 0; i < PROMPT_HISTORY; i++)
			free(p->history[kind][i]);
	*p = (struct prompt){ 0 };
}

static void set(struct prompt *p, const wchar_t *text)
{
	p->length = 0;
	while (p->length + 1 < PROMPT_SIZE && text[p->length])
		p->length++;
	wmemcpy(p->text, text, p->length);
	p->text[p->length] = 0;
	p->cursor = p->length;
}

void prompt_set_text(struct prompt *p, const char *text)
{
	wchar_t wide[PROMPT_SIZE];

	if (mbstowcs(wide, text, PROMPT_SIZE) == (size_t)-1)
		wide[0] = 0;
	wide[PROMPT_SIZE - 1] = 0;
	set(p, wide);
}

void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text)
{
	p->kind = kind;
	p->recalled = 0;
	prompt_set_text(p, text);
}

void prompt_close(struct prompt *p)
{
	p->kind = PROMPT_NONE;
}

static void cut(struct prompt *p, size_t from, size_t to)
{
	wmemmove(p->text + from, p->text + to, p->length - to + 1);
	p->length -= to - from;
	p->cursor = from;
}

static void insert(struct prompt *p, wchar_t c)
{
	if (p->length + 1 >= PROMPT_SIZE || !iswprint((wint_t)c))
		return;
	wmemmove(p->text + p->cursor + 1, p->text + p->cursor, p->length - p->cursor + 1);
	p->text[p->cursor++] = c;
	p->length++;
}

static size_t word_start(const struct prompt *p)
{
	size_t at = p->cursor;

	while (at > 0 && p->text[at - 1] == L' ')
		at--;
	while (at > 0 && p->text[at - 1] != L' ')
		at--;
	return at;
}

static void remember(struct prompt *p)
{
	wchar_t **history = p->history[p->kind];

	if (!p->length || (history[0] && !wcscmp(history[0], p->text)))
		return;
	free(history[PROMPT_HISTORY - 1]);
	memmove(history + 1, history, (PROMPT_HISTORY - 1) * sizeof *history);
	history[0] = duplicate(p->text);
}

static void recall(struct prompt *p, size_t which)
{
	if (which > PROMPT_HISTORY || (which > 0 && !p->history[p->kind][which - 1]))
		return;
	p->recalled = which;
	set(p, which ? p->history[p->kind][which - 1] : L"");
}

static enum prompt_result backspace(struct prompt *p)
{
	if (!p->length)
		return PROMPT_CANCELLED;
	if (p->cursor > 0)
		cut(p, p->cursor - 1, p->cursor);
	return PROMPT_GOES_ON;
}

static enum prompt_result function_key(struct prompt *p, wint_t code)
{
	switch (code) {
	case KEY_ENTER: remember(p); return PROMPT_DONE;
	case KEY_BACKSPACE: return backspace(p);
	case KEY_DC: if (p->cursor < p->length) cut(p, p->cursor, p->cursor + 1); break;
	case KEY_LEFT: if (p->cursor > 0) p->cursor--; break;
	case KEY_RIGHT: if (p->cursor < p->length) p->cursor++; break;
	case KEY_HOME: p->cursor = 0; break;
	case KEY_END: p->cursor = p->length; break;
	case KEY_UP: recall(p, p->recalled + 1); break;
	case KEY_DOWN: if (p->recalled > 0) recall(p, p->recalled - 1); break;
	default: break;
	}
	return PROMPT_GOES_ON;
}

enum prompt_result prompt_key(struct prompt *p, struct key_press key)
{
	if (key.is_function)
		return function_key(p, key.code);
	switch (key.code) {
	case L'\r': case L'\n': remember(p); return PROMPT_DONE;
	case 27: return PROMPT_CANCELLED;
	case 8: case 127: return backspace(p);
	case CTRL_A: p->cursor = 0; break;
	case CTRL_E: p->cursor = p->length; break;
	case CTRL_K: cut(p, p->cursor, p->length); break;
	case CTRL_U: cut(p, 0, p->cursor); break;
	case CTRL_W: cut(p, word_start(p), p->cursor); break;
	default: insert(p, (wchar_t)key.code); break;
	}
	return PROMPT_GOES_ON;
}

char *prompt_text(const struct prompt *p)
{
	size_t size = p->length * MB_CUR_MAX + 1;
	char *text = memory_allocate(size);

	if (wcstombs(text, p->text, size) == (size_t)-1)
		text[0] = 0;
	return text;
}
