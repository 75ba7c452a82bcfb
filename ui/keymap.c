#include "ui/keymap.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

static const struct action_description descriptions[ACTION_COUNT] = {
	{ "", "", "", "" },
#define X(name, keys, help, hint, manual) { keys, help, hint, manual },
	ACTIONS(X)
#undef X
};

/* Keys with a name of more than one character. A code may have several: terminals differ. */
static const struct {
	const char *name;
	struct key_press key;
} named[] = {
	{ "Space", { L' ', false } },          { "Enter", { L'\r', false } },        { "Enter", { L'\n', false } },
	{ "Enter", { KEY_ENTER, true } },      { "Esc", { 27, false } },             { "Tab", { L'\t', false } },
	{ "Shift-Tab", { KEY_BTAB, true } },   { "Backspace", { KEY_BACKSPACE, true } }, { "Backspace", { 127, false } },
	{ "Backspace", { 8, false } },         { "Up", { KEY_UP, true } },           { "Down", { KEY_DOWN, true } },
	{ "Left", { KEY_LEFT, true } },        { "Right", { KEY_RIGHT, true } },     { "PageUp", { KEY_PPAGE, true } },
	{ "PageDown", { KEY_NPAGE, true } },   { "Home", { KEY_HOME, true } },       { "End", { KEY_END, true } },
	{ "End", { KEY_LL, true } },           { "Delete", { KEY_DC, true } },       { "F1", { KEY_F(1), true } },
};
enum { NAMED = sizeof named / sizeof *named };

const struct action_description *action_describe(enum action a)
{
	return &descriptions[a];
}

static bool is_name(const char *name, size_t size, const char *candidate)
{
	return strlen(candidate) == size && !memcmp(name, candidate, size);
}

static bool same(struct key_press a, struct key_press b)
{
	return a.code == b.code && a.is_function == b.is_function;
}

/* Whether a key name stands for the key. */
static bool names(const char *name, size_t size, struct key_press key)
{
	struct key_press parsed;

	for (size_t i = 0; i < NAMED; i++)
		if (is_name(name, size, named[i].name) && same(named[i].key, key))
			return true;
	return keymap_parse(name, size, &parsed) && same(parsed, key);
}

bool keymap_parse(const char *name, size_t size, struct key_press *key)
{
	mbstate_t state = { 0 };
	wchar_t c;

	for (size_t i = 0; i < NAMED; i++)
		if (is_name(name, size, named[i].name)) {
			*key = named[i].key;
			return true;
		}
	if (size == 6 && !memcmp(name, "Ctrl-", 5) && name[5] >= 'A' && name[5] <= 'Z') {
		*key = (struct key_press){ (wint_t)(name[5] & 31), false };
		return true;
	}
	if (size == 0 || mbrtowc(&c, name, size, &state) != size)
		return false;
	*key = (struct key_press){ (wint_t)c, false };
	return true;
}

struct search {
	struct key_press key;
	bool found;
};

static void compare_key(void *context, const char *name, size_t size)
{
	struct search *s = context;

	s->found = s->found || names(name, size, s->key);
}

enum action keymap_action(struct key_press key)
{
	for (int a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
		struct search s = { key, false };

		keymap_keys((enum action)a, compare_key, &s);
		if (s.found)
			return (enum action)a;
	}
	return ACTION_NONE;
}

void keymap_keys(enum action a, void (*each)(void *context, const char *name, size_t size), void *context)
{
	const char *at = descriptions[a].keys;

	while (*at) {
		size_t size = strcspn(at, " ");

		each(context, at, size);
		at += size + strspn(at + size, " ");
	}
}

void keymap_show(enum action a, char *buffer, size_t size)
{
	static const struct {
		const char *name, *shown;
	} marks[] = { { "Space", "␣" }, { "Tab", "⇥" }, { "Enter", "⏎" } };
	const char *keys = descriptions[a].keys;
	size_t length = strcspn(keys, " ");

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (is_name(keys, length, marks[i].name)) {
			snprintf(buffer, size, "%s", marks[i].shown);
			return;
		}
	snprintf(buffer, size, "%.*s", (int)length, keys);
}
