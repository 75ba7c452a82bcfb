/*
 * The terminal: opened through curses, given back as it was found however the program ends. The one place with
 * mutable globals.
 */
#ifndef BSONSCOPE_UI_TERMINAL_H
#define BSONSCOPE_UI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { TERMINAL_MIN_COLUMNS = 80, TERMINAL_MIN_LINES = 24 };

/*
 * On standard input and output. False with one line: not a terminal, unknown type, cannot address the cursor, too
 * small.
 */
bool terminal_open(bson_error_t *error);

/* A screen that nobody sees, for scripts and tests. */
bool terminal_open_off_screen(int width, int height, bson_error_t *error);

/* Leaves the alternate screen and restores the terminal's settings. Safe to call twice. */
void terminal_close(void);

bool terminal_is_off_screen(void);

/* Gives text to the terminal's clipboard (OSC 52). Nothing off-screen. */
void terminal_copy(const char *text, size_t size_bytes);

/* Whether the locale's characters are UTF-8; setlocale has been called by terminal_open*. */
bool terminal_is_utf8(void);

/* What curses gives for the mark that begins a bracketed paste: a function key that no terminal has. */
enum { TERMINAL_KEY_PASTE = 01000 };

#endif
