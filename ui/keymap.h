/* Keys by name, and the action that each stands for. */
#ifndef BSONSCOPE_UI_KEYMAP_H
#define BSONSCOPE_UI_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "base/bytes.h"
#include "ui/actions.h"

/* A key as curses gives it: a character, or a KEY_ code. */
struct key_press {
	wint_t code;
	bool is_function;
};

struct action_description {
	const char *keys, *help, *hint, *manual;
};
const struct action_description *action_describe(enum action a);

/* ACTION_NONE for a key without meaning. */
enum action keymap_action(struct key_press key);

/* "Space", "Ctrl-L", "PageUp", "x". False: no such key. */
bool keymap_parse(const char *name, size_t size, struct key_press *key);

/* The first key of an action, short enough for the footer; "␣" for Space. */
void keymap_show(enum action a, char *buffer, size_t size);

/* Calls `each` with every key name of an action. */
void keymap_keys(enum action a, void (*each)(void *context, const char *name, size_t size), void *context);

#endif
