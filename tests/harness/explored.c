#include "harness/explored.h"

#include <curses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/harness.h"
#include "samples/samples.h"
#include "ui/pane.h"
#include "ui/terminal.h"

enum { COLUMNS = 120, ROWS = 36 };

static void start(struct explored *e)
{
	struct explorer_options options = { .color = EXPLORER_COLOR_NEVER };
	bson_error_t error;

	CU_ASSERT_PTR_NOT_NULL_FATAL(e->source);
	options.lab = e->lab = lab_new(e->source, e->model);
	e->app = app_new(&options, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(e->app);
	app_measure(e->app);
	app_arrange(e->app, COLUMNS, ROWS);
}

struct explored explored_open(const char *sample)
{
	struct explored e = { NULL, NULL, NULL, NULL };
	bson_error_t error;

	e.source = sample_open(sample, &e.model, &error);
	start(&e);
	return e;
}

struct explored explored_open_with(const char *sample, const char *queries)
{
	struct explored e = { NULL, NULL, NULL, NULL };
	bson_error_t error;

	e.model = model_read("queries", queries, strlen(queries), &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(e.model);
	e.source = sample_open_with(sample, e.model, &error);
	start(&e);
	return e;
}

void explored_close(struct explored *e)
{
	app_destroy(e->app);
	lab_destroy(e->lab);
	model_destroy(e->model);
	source_destroy(e->source);
}

static void wait_for_workers(const struct app *a)
{
	struct worker *workers[APP_WORKERS];
	struct pollfd fds[APP_WORKERS];
	nfds_t count = 0;

	app_workers(a, workers);
	for (; count < APP_WORKERS && workers[count]; count++)
		fds[count] = (struct pollfd){ worker_descriptor(workers[count]), POLLIN, 0 };
	poll(fds, count, 100);
}

void explored_settle(struct app *a)
{
	uint64_t generation;
	bool idle;

	do {
		generation = app_generation(a);
		idle = app_busy(a) == 0;
		if (!app_receive(a) && !idle)
			wait_for_workers(a);
		app_arrange(a, COLUMNS, ROWS); /* may ask for more: what the Explain pane shows follows the rest */
	} while (!idle || app_generation(a) != generation); /* a job may have come and gone meanwhile */
}

void explored_wait_for(struct app *a, struct worker *w)
{
	while (worker_busy(w))
		poll(&(struct pollfd){ worker_descriptor(w), POLLIN, 0 }, 1, 100);
	app_receive(a);
}

static void run_until_cancelled(struct job *j)
{
	while (interrupt_check(&j->interrupt) == INTERRUPT_NONE)
		usleep(1000);
}

static void free_plainly(struct job *j)
{
	free(j);
}

void explored_post_endless(struct worker *w)
{
	struct job *j = calloc(1, sizeof *j);

	j->run = run_until_cancelled;
	j->free = free_plainly;
	worker_post(w, (struct slot){ PANE_GROWTH, 99 }, j);
}

void explored_type(struct app *a, const char *keys)
{
	struct key_press key;

	while (*keys) {
		size_t size = strcspn(keys, " ");
		bool line = size > 1 && (*keys == ':' || *keys == '/');

		if (line) {
			for (; *keys; keys++)
				app_key(a, (struct key_press){ (wint_t)*keys, false });
			app_key(a, (struct key_press){ L'\r', false });
			break;
		}
		CU_ASSERT_TRUE_FATAL(keymap_parse(keys, size, &key));
		app_key(a, key);
		app_arrange(a, COLUMNS, ROWS);
		keys += size + strspn(keys + size, " ");
	}
	app_arrange(a, COLUMNS, ROWS);
}

size_t explored_operation(const struct app *a, const char *name)
{
	for (size_t i = 0; i < a->model->operation_count; i++)
		if (!strcmp(a->model->operations[i].name, name))
			return i;
	CU_FAIL("no such operation");
	return 0;
}

char *explored_screen(struct app *a)
{
	struct bytes text = BYTES_INIT;
	bson_error_t error;

	if (!stdscr)
		CU_ASSERT_TRUE_FATAL(terminal_open_off_screen(COLUMNS, ROWS, &error));
	app_arrange(a, COLUMNS, ROWS);
	frame_draw(a, stdscr);
	canvas_read(stdscr, &text);
	return bytes_take_text(&text);
}
