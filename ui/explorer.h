/*
 * The explorer: the screen, its keys and the worker behind it. Everything that knows curses is behind this header.
 */
#ifndef BSONSCOPE_UI_EXPLORER_H
#define BSONSCOPE_UI_EXPLORER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "listener/address.h"
#include "model/lab.h"

enum explorer_color { EXPLORER_COLOR_AUTO, EXPLORER_COLOR_ALWAYS, EXPLORER_COLOR_NEVER };

/* "auto", "always", "never". */
bool explorer_color_from_name(const char *name, enum explorer_color *color);

struct explorer_options {
	struct lab *lab;           /* borrowed; its origin and model too */
	const char *relationship;  /* null: the model's first */
	const char *shape;         /* null: embed */
	const char *script_file;   /* keys and commands to replay; null: none */
	enum explorer_color color; /* auto: colour unless NO_COLOR is set or the terminal has none */
	const struct address *listen; /* serve the data there; null: nowhere */
	bool ascii;                /* lines and marks without Unicode; also when the locale is not UTF-8 */
};

/*
 * Runs until the user quits. Returns the exit status: 0, or 1 (terminal) or 2 (options, script) after one line on
 * standard error.
 *
 * With a script and without a terminal it runs off-screen, $COLUMNS by $LINES (80 by 24), and ends with the script;
 * on a terminal the keyboard takes over after it.
 */
int explorer_run(const struct explorer_options *options);

/* The manual page's sections on keys and on commands, as roff, from the tables that the explorer itself uses. */
void explorer_manual(struct bytes *roff);

#endif
