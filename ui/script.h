/*
 * Keys and commands from a file: one a line. A line is the name of a key ("Space", "j", "Ctrl-L"), `:command` or
 * `/filter`; empty lines and those that begin with "# " are skipped. Commands of scripts only: `:resize
 * COLUMNSxLINES`, `:wait on|off` (whether running jobs are waited for before the next line; on at first).
 */
#ifndef BSONSCOPE_UI_SCRIPT_H
#define BSONSCOPE_UI_SCRIPT_H

#include "base/error.h"
#include "ui/keymap.h"

enum step_kind { STEP_KEY, STEP_COMMAND, STEP_FILTER, STEP_RESIZE, STEP_WAIT };

struct step {
	enum step_kind kind;
	size_t line;
	struct key_press key;
	char *text;           /* of a command or a filter */
	int columns, lines;   /* of a resize */
	bool wait;
};

struct script {
	char *file;
	struct step *steps;
	size_t count, next;
	bool waits;
};

/* Null with one line naming file, line and what is wrong. */
struct script *script_read(const char *file, bson_error_t *error);
void script_destroy(struct script *s); /* null is allowed */

#endif
