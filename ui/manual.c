/* The manual page's part that the tables of keys and commands know. */
#include "ui/explorer.h"
#include "ui/keymap.h"

static const struct {
	const char *usage, *help;
} commands[] = {
#define X(name, argument, function, help) { ":" name " " argument, help },
	COMMANDS(X)
#undef X
};

static const struct {
	const char *mark, *meaning;
} marks[] = {
#define X(mark, meaning) { mark, meaning },
	MARKS(X)
#undef X
};

/* roff: a leading "-" or "." would mean something, a backslash too. */
static void add_roff(struct bytes *roff, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			bytes_append_text(roff, "\\e");
		else if (*text == '-')
			bytes_append_text(roff, "\\-");
		else
			bytes_append_byte(roff, (uint8_t)*text);
	}
	bytes_append_text(roff, "\n");
}

void explorer_manual(struct bytes *roff)
{
	bytes_append_text(roff, ".SH KEYS\n");
	for (int action = 1; action < ACTION_COUNT; action++) {
		const struct action_description *d = action_describe((enum action)action);

		bytes_append_text(roff, ".TP\n.B \"");
		for (const char *c = d->keys; *c; c++)
			bytes_append_text(roff, *c == ' ' ? ", " : *c == '\\' ? "\\e" : *c == '-' ? "\\-" : (char[]){ *c, 0 });
		bytes_append_text(roff, "\"\n");
		add_roff(roff, d->manual);
	}
	bytes_append_text(roff, ".SH COMMANDS\n");
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		bytes_append_text(roff, ".TP\n.B ");
		add_roff(roff, commands[i].usage);
		add_roff(roff, commands[i].help);
	}
	bytes_append_text(roff, ".SH MARKS\n");
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		bytes_append_text(roff, ".TP\n.B ");
		add_roff(roff, marks[i].mark);
		add_roff(roff, marks[i].meaning);
	}
}
