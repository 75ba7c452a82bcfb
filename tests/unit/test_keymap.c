/* The table of actions: no key means two things, and everything is documented. */
#include <curses.h>
#include <locale.h>
#include <string.h>

#include "harness/harness.h"
#include "ui/explorer.h"
#include "ui/keymap.h"

enum { MOST_KEYS = 200 };

static struct {
	struct key_press key;
	enum action action;
} bound[MOST_KEYS];
static size_t bound_count;

static void add_key(void *context, const char *name, size_t size)
{
	struct key_press key;

	CU_ASSERT_TRUE_FATAL(keymap_parse(name, size, &key));
	CU_ASSERT_TRUE_FATAL(bound_count < MOST_KEYS);
	bound[bound_count].key = key;
	bound[bound_count++].action = *(enum action *)context;
}

static void no_key_twice(void)
{
	bound_count = 0;
	for (int a = 1; a < ACTION_COUNT; a++) {
		enum action action = (enum action)a;

		keymap_keys(action, add_key, &action);
	}
	CU_ASSERT_TRUE(bound_count >= (size_t)ACTION_COUNT - 1);
	for (size_t i = 0; i < bound_count; i++) {
		for (size_t j = 0; j < i; j++)
			CU_ASSERT_FALSE(bound[i].key.code == bound[j].key.code && bound[i].key.is_function == bound[j].key.is_function);
		CU_ASSERT_EQUAL(keymap_action(bound[i].key), bound[i].action);
	}
}

static void every_action_is_documented(void)
{
	for (int a = 1; a < ACTION_COUNT; a++) {
		const struct action_description *d = action_describe((enum action)a);

		CU_ASSERT_TRUE(strlen(d->keys) > 0);
		CU_ASSERT_TRUE(strlen(d->help) > 3 && strlen(d->help) <= 52);
		CU_ASSERT_TRUE(strlen(d->hint) <= 8);
		CU_ASSERT_TRUE(strlen(d->manual) > 10 && d->manual[strlen(d->manual) - 1] == '.');
	}
}

static enum action of(const char *name)
{
	struct key_press key;

	CU_ASSERT_TRUE_FATAL(keymap_parse(name, strlen(name), &key));
	return keymap_action(key);
}

static void keys_mean_what_the_screen_says(void)
{
	CU_ASSERT_EQUAL(of("Space"), ACTION_SHAPE_FLIP);
	CU_ASSERT_EQUAL(of("q"), ACTION_QUIT);
	CU_ASSERT_EQUAL(of("?"), ACTION_HELP);
	CU_ASSERT_EQUAL(of("k"), ACTION_UP);
	CU_ASSERT_EQUAL(of("Up"), ACTION_UP);
	CU_ASSERT_EQUAL(of("Ctrl-L"), ACTION_REDRAW);
	CU_ASSERT_EQUAL(of("Esc"), ACTION_BACK);
	CU_ASSERT_EQUAL(of("@"), ACTION_LOG);
	CU_ASSERT_EQUAL(of("Q"), ACTION_NONE);
	CU_ASSERT_EQUAL(of("\xc3\xbc"), ACTION_NONE);
}

static void all_codes_of_a_key(void)
{
	CU_ASSERT_EQUAL(keymap_action((struct key_press){ L'\n', false }), ACTION_ENTER);
	CU_ASSERT_EQUAL(keymap_action((struct key_press){ L'\r', false }), ACTION_ENTER);
	CU_ASSERT_EQUAL(keymap_action((struct key_press){ KEY_ENTER, true }), ACTION_ENTER);
	/* a character that has the number of a function key is not that key */
	CU_ASSERT_EQUAL(keymap_action((struct key_press){ KEY_UP, false }), ACTION_NONE);
	CU_ASSERT_EQUAL(keymap_action((struct key_press){ L'q', true }), ACTION_NONE);
}

static void names_that_are_no_keys(void)
{
	struct key_press key;

	CU_ASSERT_FALSE(keymap_parse("", 0, &key));
	CU_ASSERT_FALSE(keymap_parse("Spacebar", 8, &key));
	CU_ASSERT_FALSE(keymap_parse("Ctrl-", 5, &key));
	CU_ASSERT_FALSE(keymap_parse("Ctrl-1", 6, &key));
	CU_ASSERT_FALSE(keymap_parse("ab", 2, &key));
	CU_ASSERT_FALSE(keymap_parse("\xff", 1, &key));
}

static void footer_shows_marks(void)
{
	char key[16];

	keymap_show(ACTION_SHAPE_FLIP, key, sizeof key);
	ASSERT_TEXT(key, "␣");
	keymap_show(ACTION_QUIT, key, sizeof key);
	ASSERT_TEXT(key, "q");
}

static void manual_names_every_key_and_command(void)
{
	struct bytes roff = BYTES_INIT;
	const char *text;

	explorer_manual(&roff);
	text = bytes_text(&roff);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, ".SH KEYS\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, ".B \"Space\"\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, ".B \"PageUp, Ctrl\\-B\"\n"));
#define X(name, argument, function, help) CU_ASSERT_PTR_NOT_NULL(strstr(text, help));
	COMMANDS(X)
#undef X
	for (int a = 1; a < ACTION_COUNT; a++)
		CU_ASSERT_PTR_NOT_NULL(strstr(text, ".TP\n.B \""));
	/* no line begins with a control character by accident */
	for (const char *line = text; (line = strchr(line, '\n')) && line[1]; line++)
		CU_ASSERT_TRUE(line[1] != '\'' && (line[1] != '.' || line[2] == 'T' || line[2] == 'B' || line[2] == 'S'));
	bytes_clear(&roff);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "no key twice", no_key_twice },
		{ "every action is documented", every_action_is_documented },
		{ "keys mean what the screen says", keys_mean_what_the_screen_says },
		{ "all codes of a key", all_codes_of_a_key },
		{ "names that are no keys", names_that_are_no_keys },
		{ "footer shows marks", footer_shows_marks },
		{ "manual names every key and command", manual_names_every_key_and_command },
		{ NULL, NULL },
	};

	setlocale(LC_ALL, "C.UTF-8");
	return harness_run("keymap", cases);
}
