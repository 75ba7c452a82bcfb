#include "ui/explorer.h"

#include <curses.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bson/print.h"
#include "ui/app.h"
#include "ui/listening.h"
#include "ui/pane.h"
#include "ui/pasting.h"
#include "ui/script.h"
#include "ui/terminal.h"
#include "ui/theme.h"

enum { TICK_MS = 200, PASTE_SILENCE_MS = 2000, EXIT_FAILED = 1, EXIT_WRONG_USE = 2 };

struct explorer {
	struct app *app;
	struct script *script; /* null: none, or at its end */
	bool interactive;
	struct pasting paste;
	int64_t pasted_us; /* when the last of it came */
	bool failed; /* a script's screen could not be saved: `error` */
	bson_error_t error;
};

static void draw(struct explorer *e)
{
	struct app *a = e->app;

	app_arrange(a, COLS, LINES);
	frame_draw(a, stdscr);
	if (a->redraw)
		clearok(stdscr, TRUE);
	a->redraw = false;
	wnoutrefresh(stdscr);
	doupdate();
}

/* What came behind a paste is read as keys, as far as curses takes it back. */
static void give_back(const char *bytes, size_t size)
{
	enum { MOST = 64 };

	for (size_t i = size < MOST ? size : MOST; i-- > 0;)
		ungetch((unsigned char)bytes[i]);
}

static void finish_paste(struct explorer *e)
{
	app_paste(e->app, bytes_text(&e->paste.text), e->paste.text.size);
	pasting_clear(&e->paste);
}

/* The mark at its end may never come: keys would be taken for text for ever. */
static bool give_up_paste(struct explorer *e)
{
	if (!e->paste.under_way || interrupt_now_us() - e->pasted_us < PASTE_SILENCE_MS * 1000)
		return false;
	pasting_end(&e->paste);
	finish_paste(e);
	return true;
}

/* What is there of a paste; curses has nothing of it, as it reads no further than a key's end. */
static bool read_paste(struct explorer *e)
{
	enum { BLOCK_BYTES = 1 << 16, BLOCKS = 64 }; /* then a frame is drawn */
	static char block[BLOCK_BYTES];
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	bool any = false;

	for (int i = 0; i < BLOCKS && e->paste.under_way && poll(&in, 1, 0) > 0; i++) {
		ssize_t got = read(STDIN_FILENO, block, sizeof block);
		size_t rest;

		if (got <= 0)
			break;
		any = true;
		e->pasted_us = interrupt_now_us();
		if (pasting_add(&e->paste, block, (size_t)got, &rest)) {
			finish_paste(e);
			give_back(block + got - rest, rest);
		}
	}
	return any;
}

static bool read_keys(struct explorer *e)
{
	bool any = false;
	wint_t code;
	int kind;

	if (e->paste.under_way && (any = read_paste(e) || give_up_paste(e), e->paste.under_way))
		return any;
	while (!e->app->quit && (kind = get_wch(&code)) != ERR) {
		any = true;
		if (kind == KEY_CODE_YES && code == TERMINAL_KEY_PASTE) {
			pasting_begin(&e->paste);
			e->pasted_us = interrupt_now_us();
			read_paste(e);
			if (e->paste.under_way)
				break; /* the rest is on its way */
			continue;
		}
		if (kind == KEY_CODE_YES && code == KEY_RESIZE)
			continue; /* curses has resized the window; the next frame is laid out anew */
		app_key(e->app, (struct key_press){ code, kind == KEY_CODE_YES });
		app_arrange(e->app, COLS, LINES); /* keys that follow act on rows as they are now */
	}
	return any;
}

static void type(struct app *a, const char *text)
{
	struct prompt typed = { 0 };

	prompt_set_text(&typed, text);
	for (size_t i = 0; i < typed.length; i++)
		app_key(a, (struct key_press){ (wint_t)typed.text[i], false });
	app_key(a, (struct key_press){ L'\r', false });
}

/* A command that is refused says so on the screen; a screen that is missing would be seen by nobody. */
static void run_command(struct explorer *e, const struct step *step)
{
	static const char save[] = "save-screen";

	if (command_line_run(e->app, step->text) || e->interactive || strncmp(step->text, save, strlen(save)))
		return;
	error_set(&e->error, ERROR_SYSTEM, 0, "%s:%zu: %s", e->script->file, step->line, e->app->message);
	e->failed = true;
	e->app->quit = true;
}

static void run_step(struct explorer *e, const struct step *step)
{
	switch (step->kind) {
	case STEP_KEY: app_key(e->app, step->key); break;
	case STEP_COMMAND: run_command(e, step); break;
	case STEP_FILTER: app_key(e->app, (struct key_press){ L'/', false }); type(e->app, step->text); break;
	case STEP_RESIZE: if (!e->interactive) resizeterm(step->lines, step->columns); break;
	case STEP_WAIT: e->script->waits = step->wait; break;
	}
}

/* Runs the next line when it is time for it. Returns whether it did. */
static bool run_script(struct explorer *e, bool idle)
{
	struct script *s = e->script;

	if (!s || (s->waits && !idle))
		return false;
	if (s->next < s->count) {
		run_step(e, &s->steps[s->next++]);
		return true;
	}
	script_destroy(s);
	e->script = NULL;
	e->app->quit = e->app->quit || !e->interactive;
	return true;
}

/* Sleeps until a key, a result or, while something is measured, the next tick. */
static void wait_for_news(struct explorer *e)
{
	enum { INPUT = APP_WORKERS, LISTENER, DESCRIPTORS };
	const struct listening *l = e->app->listening;
	int pause_ms = l ? listening_pause_ms(l) : 0, most_ms = -1;
	struct worker *workers[APP_WORKERS];
	struct pollfd fds[DESCRIPTORS] = { [INPUT] = { e->interactive ? STDIN_FILENO : -1, POLLIN, 0 },
		                           [LISTENER] = { l && !pause_ms ? listening_descriptor(l) : -1, POLLIN, 0 } };

	app_workers(e->app, workers);
	for (int i = 0; i < APP_WORKERS; i++)
		fds[i] = (struct pollfd){ workers[i] ? worker_descriptor(workers[i]) : -1, POLLIN, 0 };
	if (e->paste.under_way || app_busy(e->app) > 0 || app_is_reading(e->app))
		most_ms = TICK_MS;
	poll(fds, DESCRIPTORS, pause_ms ? pause_ms : most_ms);
	if (e->interactive && fds[INPUT].revents & (POLLHUP | POLLERR | POLLNVAL))
		e->app->quit = true; /* the terminal is gone */
}

static void run(struct explorer *e)
{
	app_follow_reading(e->app);
	app_measure(e->app);
	while (!e->app->quit) {
		uint64_t posted = app_generation(e->app);
		/* asked before receiving: the results of an idle worker are all received then, and stand on the screen */
		bool idle = app_busy(e->app) == 0 && !app_is_reading(e->app), moved = app_receive(e->app);

		moved = app_follow_reading(e->app) || moved;
		moved = listening_receive(e->app) || moved;
		draw(e);
		idle = idle && app_generation(e->app) == posted; /* what came and what is shown may ask for more */
		if (e->interactive)
			moved = read_keys(e) || moved;
		if (!e->app->quit)
			moved = run_script(e, idle) || moved;
		if (!moved)
			wait_for_news(e);
	}
}

static int from_environment(const char *name, int otherwise)
{
	const char *text = getenv(name);
	int n = text ? atoi(text) : 0;

	return n > 0 && n <= 1000 ? n : otherwise;
}

static int complain(const bson_error_t *error, int status)
{
	struct bytes text = BYTES_INIT;

	print_text(&text, error->message, strlen(error->message));
	fprintf(stderr, "bsonscope: %s\n", bytes_text(&text));
	bytes_clear(&text);
	return status;
}

int explorer_run(const struct explorer_options *options)
{
	struct explorer e = { .interactive = true };
	bson_error_t error;
	int status = 0;

	if (options->script_file) {
		e.script = script_read(options->script_file, &error);
		if (!e.script)
			return complain(&error, EXIT_WRONG_USE);
		e.interactive = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	}
	e.app = app_new(options, &error);
	if (!e.app) {
		script_destroy(e.script);
		return complain(&error, EXIT_WRONG_USE);
	}
	if (options->listen && !(e.app->listening = listening_new(e.app, options->listen, &error))) {
		script_destroy(e.script);
		app_destroy(e.app);
		return complain(&error, error.domain == ERROR_USAGE ? EXIT_WRONG_USE : EXIT_FAILED);
	}
	if (e.interactive ? terminal_open(&error)
	                  : terminal_open_off_screen(from_environment("COLUMNS", TERMINAL_MIN_COLUMNS),
	                                             from_environment("LINES", TERMINAL_MIN_LINES), &error)) {
		e.app->ascii = e.app->ascii || !terminal_is_utf8();
		if (options->script_file)
			e.app->clock = NULL;
		theme_init(options->color);
		run(&e);
		terminal_close();
		if (e.failed)
			status = complain(&e.error, EXIT_FAILED);
	} else {
		status = complain(&error, EXIT_FAILED);
	}
	pasting_clear(&e.paste);
	listening_destroy(e.app->listening);
	script_destroy(e.script);
	app_destroy(e.app);
	return status;
}
