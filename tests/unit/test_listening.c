/* The explorer's data served to a driver: what it writes makes figures stale, and is measured by itself when followed. */
#include <mongoc/mongoc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/dump_writer.h"
#include "harness/harness.h"
#include "samples/samples.h"
#include "ui/listening.h"

enum { PATIENCE_MS = 60000 };

static struct source *source;
static struct model *model;
static struct lab *lab;
static struct app *app;
static mongoc_client_t *client;

/* Until everything that was posted has come. */
static void settle(void)
{
	bool idle;

	do {
		idle = app_busy(app) == 0;
		if (!app_receive(app) && !idle)
			poll(&(struct pollfd){ worker_descriptor(app->worker), POLLIN, 0 }, 1, 100);
		app_arrange(app, 120, 36); /* may ask for more: what the Explain pane shows follows the rest */
	} while (!idle || app_busy(app) > 0);
}

static void open_app(void)
{
	const struct address any = { 0, NULL };
	struct explorer_options options = { .color = EXPLORER_COLOR_NEVER };
	struct bytes uri = BYTES_INIT;
	bson_error_t error;

	source = sample_open("bookstore", &model, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(source);
	options.lab = lab = lab_new(source, model);
	app = app_new(&options, &error);
	app->listening = listening_new(app, &any, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(app->listening);
	bytes_format(&uri, "mongodb://%s/", listening_place(app->listening));
	client = mongoc_client_new(bytes_text(&uri));
	bytes_clear(&uri);
	app_measure(app);
	settle();
}

static void close_app(void)
{
	mongoc_client_destroy(client);
	listening_destroy(app->listening);
	app_destroy(app);
	lab_destroy(lab);
	source_destroy(source);
	model_destroy(model);
}

static void insert_review(const char *id)
{
	bson_t *command = BCON_NEW("insert", BCON_UTF8("reviews"), "documents", "[", "{", "_id", BCON_UTF8(id), "}", "]");
	bson_error_t error;

	CU_ASSERT(mongoc_client_command_simple(client, "bookstore", command, NULL, NULL, &error));
	bson_destroy(command);
}

static bool look(void)
{
	struct pollfd word = { listening_descriptor(app->listening), POLLIN, 0 };

	poll(NULL, 0, listening_pause_ms(app->listening));
	return poll(&word, 1, PATIENCE_MS) == 1 && listening_receive(app);
}

static const struct snapshot *first_row(void)
{
	return &app->findings[app->shape].rows[0]->outcome.snapshot;
}

static void test_stale_until_refreshed(void)
{
	open_app();
	CU_ASSERT_FALSE(app_is_stale(app, first_row()));
	insert_review("by a client");
	CU_ASSERT(look());
	CU_ASSERT(app_is_stale(app, first_row()));
	settle();
	CU_ASSERT(app_is_stale(app, first_row())); /* until somebody asks */
	app_measure(app);
	settle();
	CU_ASSERT_FALSE(app_is_stale(app, first_row()));
	close_app();
}

static void test_followed(void)
{
	int64_t before;

	open_app();
	before = first_row()->origin_writes;
	CU_ASSERT(command_line_run(app, "follow"));
	CU_ASSERT(listening_follows(app));
	insert_review("by a client");
	CU_ASSERT(look());
	settle();
	listening_receive(app); /* what was under way comes first */
	settle();
	CU_ASSERT(first_row()->origin_writes > before);
	CU_ASSERT_FALSE(app_is_stale(app, first_row()));
	CU_ASSERT(command_line_run(app, "follow off"));
	CU_ASSERT_FALSE(listening_follows(app));
	CU_ASSERT_FALSE(command_line_run(app, "follow me"));
	close_app();
}

/* Reading changes nothing, and wakes nobody. */
static void test_reads_are_no_news(void)
{
	bson_t *command = BCON_NEW("find", BCON_UTF8("reviews"));
	struct pollfd word;
	bson_error_t error;

	open_app();
	word = (struct pollfd){ listening_descriptor(app->listening), POLLIN, 0 };
	CU_ASSERT(mongoc_client_command_simple(client, "bookstore", command, NULL, NULL, &error));
	CU_ASSERT_EQUAL(poll(&word, 1, 0), 0);
	bson_destroy(command);
	close_app();
}

static void test_notes_in_the_log(void)
{
	const struct log_entry *e;
	struct bytes text = BYTES_INIT;

	open_app();
	command_log_note(app->log, "connection 3: it lied");
	app_receive(app);
	e = command_log_entry(app->log, command_log_end(app->log) - 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(e);
	command_log_text(e, &text);
	ASSERT_TEXT(bytes_text(&text), "// connection 3: it lied");
	bytes_clear(&text);
	close_app();
}

static void test_save(void)
{
	struct bytes folder = BYTES_INIT, line = BYTES_INIT, file = BYTES_INIT;
	struct stat status;
	off_t before;

	open_app();
	bytes_format(&folder, "%s/saved", dump_folder());
	bytes_format(&line, "save %s", bytes_text(&folder));
	bytes_format(&file, "%s/bookstore/reviews.bson", bytes_text(&folder));
	CU_ASSERT(command_line_run(app, bytes_text(&line)));
	CU_ASSERT_EQUAL(stat(bytes_text(&file), &status), 0);
	insert_review("by a client");
	CU_ASSERT_FALSE(command_line_run(app, bytes_text(&line)));
	CU_ASSERT(strstr(app->message, "save! replaces it") != NULL);
	bytes_reset(&line);
	bytes_format(&line, "save! %s", bytes_text(&folder));
	before = status.st_size;
	CU_ASSERT(command_line_run(app, bytes_text(&line)));
	CU_ASSERT_EQUAL(stat(bytes_text(&file), &status), 0);
	CU_ASSERT(status.st_size > before);
	bytes_clear(&folder);
	bytes_clear(&line);
	bytes_clear(&file);
	close_app();
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "stale until refreshed", test_stale_until_refreshed },
		{ "followed", test_followed },
		{ "reads are no news", test_reads_are_no_news },
		{ "notes in the log", test_notes_in_the_log },
		{ "save", test_save },
		{ NULL, NULL }
	};
	int status;

	mongoc_init();
	status = harness_run("listening", cases);
	mongoc_cleanup();
	return status;
}
