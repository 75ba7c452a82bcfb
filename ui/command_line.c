/* The commands that are typed after ":". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "bson/read.h"
#include "dump/save.h"
#include "model/why.h"
#include "ui/app.h"
#include "ui/growing.h"
#include "ui/listening.h"
#include "ui/pane.h"
#include "ui/file_names.h"

/* Each takes the argument, trimmed; empty when there is none. False with one line. */
typedef bool command_function(struct app *a, const char *argument, bson_error_t *error);

#define X(name, argument, function, help) static command_function function;
COMMANDS(X)
#undef X

static const struct {
	const char *name, *argument;
	command_function *run;
	const char *help;
} commands[] = {
#define X(name, argument, function, help) { name, argument, function, help },
	COMMANDS(X)
#undef X
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static bool command_quit(struct app *a, const char *argument, bson_error_t *error)
{
	(void)argument, (void)error;
	a->quit = true;
	return true;
}

static bool command_shape(struct app *a, const char *argument, bson_error_t *error)
{
	enum shape_kind shape;

	if (!shape_from_name(argument, &shape))
		return error_set(error, ERROR_USAGE, 0, "unknown shape: \"%.60s\"; there are embed and reference", argument);
	app_choose_shape(a, shape);
	return true;
}

static bool command_relationship(struct app *a, const char *argument, bson_error_t *error)
{
	const struct relationship *r = model_relationship(a->model, argument, error);

	if (r)
		app_choose_relationship(a, r);
	return r != NULL;
}

/* Digits, with commas between them or not; false: no whole number from 1 to `most`. */
static bool parse_count(const char *text, int64_t most, int64_t *count)
{
	char digits[32], *end;
	size_t length = 0;

	for (const char *c = text; *c && length + 1 < sizeof digits; c++)
		if (*c != ',')
			digits[length++] = *c;
	digits[length] = 0;
	errno = 0;
	*count = strtoll(digits, &end, 10);
	return *digits && !errno && !*end && *count >= 1 && *count <= most;
}

static bool command_limit(struct app *a, const char *argument, bson_error_t *error)
{
	enum { SMALLEST = 5, LARGEST = LIMIT_USER_BYTES };
	int64_t limit;

	if (!parse_count(argument, LARGEST, &limit) || limit < SMALLEST)
		return error_set(error, ERROR_USAGE, 0, "no document limit: \"%.40s\"; bytes from %d to %d", argument, SMALLEST, LARGEST);
	app_set_limit(a, limit);
	return true;
}

static bool command_rate(struct app *a, const char *argument, bson_error_t *error)
{
	size_t operation;
	double rate;
	char *end;

	if (!app_operation(a, &operation))
		return error_set(error, ERROR_USAGE, 0, workload_view_in_table(a) ? "the log says how often it came" : "no row is selected");
	rate = strtod(argument, &end);
	if (strcmp(argument, "-") && (*end || !(rate >= 0 && rate <= 1e9)))
		return error_set(error, ERROR_USAGE, 0, "no rate a second: \"%.40s\"", argument);
	a->per_second[operation] = rate > 0 ? rate : -1;
	return true;
}

static bool command_subset(struct app *a, const char *argument, bson_error_t *error)
{
	int64_t count;

	if (!parse_count(argument, GROWTH_MOST, &count))
		return error_set(error, ERROR_USAGE, 0, "no number of children: \"%.40s\"", argument);
	a->subset = count;
	growing_post(a, true);
	return true;
}

static bool command_grow(struct app *a, const char *argument, bson_error_t *error)
{
	int64_t pushes = 0;

	if (*argument && !parse_count(argument, GROWTH_MOST, &pushes))
		return error_set(error, ERROR_USAGE, 0, "no number of pushes: \"%.40s\"", argument);
	growing_start(a, pushes);
	return true;
}

static bool command_parent(struct app *a, const char *argument, bson_error_t *error)
{
	struct bytes text = BYTES_INIT, key = BYTES_INIT;
	bool good;

	bytes_format(&text, "{\"\": %s}", argument);
	good = read_document("key", bytes_text(&text), text.size, &key, error);
	if (good && strcmp(argument, "null")) {
		bytes_reset(&a->growth_parent);
		bytes_append(&a->growth_parent, key.data, key.size);
	} else if (good) {
		bytes_reset(&a->growth_parent);
	}
	bytes_clear(&text);
	bytes_clear(&key);
	return good;
}

/* The caller's to clear, also when it fails. */
static bool files_named(const char *argument, size_t most, const char *allowed, struct file_names *p, bson_error_t *error)
{
	file_names_split(argument, p);
	if (p->count > most)
		return error_set(error, ERROR_USAGE, 0, "%s: %zu are named; a space in a name is typed \"\\ \"", allowed, p->count);
	return file_names_can_be_read(p, error);
}

static bool command_open(struct app *a, const char *argument, bson_error_t *error)
{
	struct file_names p;
	bool good = files_named(argument, OPENED_MOST, "one file, or two to compare", &p, error);

	if (good)
		explain_open_files(a, (const char *const *)p.names, p.count);
	file_names_clear(&p);
	return good;
}

static bool command_max_time(struct app *a, const char *argument, bson_error_t *error)
{
	enum { LONGEST = 24 * 60 * 60 * 1000 };
	int64_t millis = 0;

	if (strcmp(argument, "0") && !parse_count(argument, LONGEST, &millis))
		return error_set(error, ERROR_USAGE, 0, "no time in milliseconds: \"%.40s\"; 0 to %d", argument, LONGEST);
	explain_set_max_time(a, millis);
	return true;
}

static bool command_refresh(struct app *a, const char *argument, bson_error_t *error)
{
	(void)argument, (void)error;
	app_refresh(a);
	return true;
}

static bool command_log(struct app *a, const char *argument, bson_error_t *error)
{
	(void)argument, (void)error;
	app_focus(a, PANE_LOG);
	return true;
}

/* The one shown last, else that of the newest command that failed. */
static const char *last_error(const struct app *a)
{
	if (*a->last_error)
		return a->last_error;
	for (int64_t i = command_log_end(a->log); i-- > command_log_first(a->log);)
		if (command_log_entry(a->log, i)->failure)
			return command_log_entry(a->log, i)->failure;
	return NULL;
}

static bool command_why(struct app *a, const char *argument, bson_error_t *error)
{
	const char *text = *argument ? argument : last_error(a);

	if (!text)
		return error_set(error, ERROR_USAGE, 0, "no error was shown yet: why TEXT reads one");
	app_forget_why(a);
	a->why = memory_allocate_zeroed(1, sizeof *a->why);
	why_read(a->why, text, strlen(text), lab_origin(a->lab)->name);
	rows_clear(&a->lists[PANE_WHY]);
	app_focus(a, PANE_WHY);
	return true;
}

static bool command_workload(struct app *a, const char *argument, bson_error_t *error)
{
	struct file_names p;
	bool good;

	if (!*argument && !a->workload.path)
		return error_set(error, ERROR_USAGE, 0, "no log is open: workload FILE opens one");
	good = files_named(argument, 1, "one file", &p, error);
	if (good && p.count)
		workload_view_open(a, p.names[0]);
	else if (good)
		app_focus(a, PANE_WORKLOAD);
	file_names_clear(&p);
	return good;
}

static bool command_close(struct app *a, const char *argument, bson_error_t *error)
{
	(void)argument;
	/* with a log and a plan open: the one that is looked at */
	return (a->focus != PANE_WORKLOAD && explain_close(a)) || workload_view_close(a) || explain_close(a) ||
	       error_set(error, ERROR_USAGE, 0, "no file is open");
}

static bool command_follow(struct app *a, const char *argument, bson_error_t *error)
{
	bool off = !strcmp(argument, "off");

	if (*argument && !off)
		return error_set(error, ERROR_USAGE, 0, "follow, or follow off; found \"%.40s\"", argument);
	if (!listening_follow(a, !off, error))
		return false;
	app_say(a, off ? "r measures what clients have written" : "what clients write is measured by itself; :follow off ends it");
	return true;
}

static bool save(struct app *a, const char *folder, enum save_mode mode, bson_error_t *error)
{
	struct engine *e = source_engine(lab_origin(a->lab));

	if (!e)
		return error_set(error, ERROR_USAGE, 0, "the data is a server's: mongodump saves it");
	if (app_is_reading(a))
		return error_set(error, ERROR_USAGE, 0, "the data is still being read");
	if (!save_engine(e, folder, mode, error))
		return false;
	app_say(a, "databases saved: \"%s\"", folder);
	return true;
}

static bool command_save(struct app *a, const char *argument, bson_error_t *error)
{
	return save(a, argument, SAVE_NEW, error);
}

static bool command_save_over(struct app *a, const char *argument, bson_error_t *error)
{
	return save(a, argument, SAVE_REPLACE, error);
}

static bool command_save_screen(struct app *a, const char *argument, bson_error_t *error)
{
	if (!frame_save(argument, error))
		return false;
	app_say(a, "screen saved: \"%s\"", argument);
	return true;
}

static bool command_help(struct app *a, const char *argument, bson_error_t *error)
{
	(void)error;
	app_focus(a, PANE_HELP);
	rows_set_filter(&a->lists[PANE_HELP], argument);
	return true;
}

static bool run(struct app *a, const char *name, size_t length, const char *argument, bson_error_t *error)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strlen(commands[i].name) != length || memcmp(commands[i].name, name, length))
			continue;
		if (!*commands[i].argument && *argument)
			return error_set(error, ERROR_USAGE, 0, "%s takes no argument: \"%.60s\"", commands[i].name, argument);
		if (commands[i].argument[0] && commands[i].argument[0] != '[' && !*argument)
			return error_set(error, ERROR_USAGE, 0, "%s needs an argument: %s", commands[i].name, commands[i].argument);
		return commands[i].run(a, argument, error);
	}
	return error_set(error, ERROR_USAGE, 0, "unknown command: \"%.*s\"; ? shows them", length > 60 ? 60 : (int)length, name);
}

bool command_line_run(struct app *a, const char *line)
{
	size_t start = strspn(line, " "), length = strcspn(line + start, " ");
	char *argument = strdup(line + start + length + strspn(line + start + length, " "));
	size_t end = strlen(argument);
	bson_error_t error;
	bool ok;

	a->message[0] = 0;
	while (end > 0 && argument[end - 1] == ' ')
		argument[--end] = 0;
	ok = !length || run(a, line + start, length, argument, &error);
	if (!ok)
		app_complain(a, error.message);
	free(argument);
	return ok;
}

void command_line_hint(const char *line, struct bytes *text)
{
	size_t length = strcspn(line, " ");

	if (!length)
		bytes_append_text(text, "Tab completes, Up recalls");
	for (size_t i = 0; i < COMMAND_COUNT && !text->size; i++)
		if (!strncmp(commands[i].name, line, length) && (!line[length] || !commands[i].name[length]))
			bytes_format(text, "%s%s%s: %s", commands[i].name, *commands[i].argument ? " " : "", commands[i].argument,
			             commands[i].help);
}

struct completion {
	const char *start;
	size_t length;
	char common[PROMPT_SIZE]; /* what all candidates have in common */
	size_t candidates;
};

static void consider(void *context, const char *candidate)
{
	struct completion *c = context;
	size_t same = 0;

	if (strncmp(candidate, c->start, c->length))
		return;
	if (c->candidates++ == 0)
		snprintf(c->common, sizeof c->common, "%s", candidate);
	while (c->common[same] && c->common[same] == candidate[same])
		same++;
	c->common[same] = 0;
}

/* Where names of files begin in a line; 0: it takes none. */
static size_t files_start(const char *line)
{
	static const char *const takers[] = { "open ", "workload " };

	for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
		if (!strncmp(line, takers[i], strlen(takers[i])))
			return strlen(takers[i]) + strspn(line + strlen(takers[i]), " ");
	return 0;
}

void command_line_complete(const struct app *a, struct prompt *p)
{
	char *line = prompt_text(p), completed[2 * PROMPT_SIZE];
	const char *space = strrchr(line, ' ');
	struct completion c = { .start = space ? space + 1 : line };
	const char *files = line + files_start(line);
	bool names_file = files > line;

	if (names_file)
		c.start = file_names_last_word(files);
	c.length = strlen(c.start);
	if (names_file)
		file_names_complete(c.start, consider, &c);
	for (size_t i = 0; i < COMMAND_COUNT && !space; i++)
		consider(&c, commands[i].name);
	for (int i = 0; i < SHAPE_KINDS && !strncmp(line, "shape ", 6); i++)
		consider(&c, shape_name((enum shape_kind)i));
	for (size_t i = 0; i < a->model->relationship_count && !strncmp(line, "relationship ", 13); i++)
		consider(&c, a->model->relationships[i].name);
	if (c.candidates) {
		snprintf(completed, sizeof completed, "%.*s%s%s", (int)(c.start - line), line, c.common,
		         c.candidates == 1 && !space ? " " : "");
		prompt_set_text(p, completed);
	}
	free(line);
}
