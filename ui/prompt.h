/* One line that is typed: a command or a filter, with editing and history. */
#ifndef BSONSCOPE_UI_PROMPT_H
#define BSONSCOPE_UI_PROMPT_H

#include "ui/keymap.h"

enum prompt_kind { PROMPT_NONE, PROMPT_COMMAND, PROMPT_FILTER, PROMPT_KINDS };
enum prompt_result { PROMPT_GOES_ON, PROMPT_DONE, PROMPT_CANCELLED };

enum { PROMPT_SIZE = 2048, PROMPT_HISTORY = 50 };

struct prompt {
	enum prompt_kind kind;
	wchar_t text[PROMPT_SIZE]; /* terminated */
	size_t length, cursor;
	wchar_t *history[PROMPT_KINDS][PROMPT_HISTORY]; /* newest first */
	size_t recalled;           /* 0: the line being typed, n: history[n - 1] */
};

void prompt_clear(struct prompt *p);

/* Starts a line, with `text` (UTF-8) in it. */
void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text);
void prompt_close(struct prompt *p);

/* Backspace on an empty line cancels as Esc does. PROMPT_DONE keeps the line in the history; the caller closes. */
enum prompt_result prompt_key(struct prompt *p, struct key_press key);

/* The line as UTF-8; free(). */
char *prompt_text(const struct prompt *p);
void prompt_set_text(struct prompt *p, const char *text);

#endif
