#include "ui/listening.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

struct listening {
	struct listener *listener;
	struct engine *engine;
	struct command_log *log;
	char place[64];
	int word[2];         /* a pipe: a byte is in it when there is something to look at */
	atomic_bool left;    /* it is */
	atomic_bool changed; /* the word is about data */
	uint64_t version;    /* of the data, as of the last word; the listener's threads' alone */
	int64_t looked_us;   /* when the screen's thread took the last word */
	bool follows, moved; /* moved: there is something to measure */
};

/* However fast clients write, the screen is drawn ten times a second for it. */
enum { PAUSE_MS = 100 };

static void leave_word(struct listening *l)
{
	if (!atomic_exchange(&l->left, true) && write(l->word[1], "", 1) < 0)
		atomic_store(&l->left, false); /* the next command tries again */
}

static void ran(void *context)
{
	struct listening *l = context;
	uint64_t version = engine_data_version(l->engine);

	if (version == l->version)
		return;
	l->version = version;
	atomic_store(&l->changed, true);
	leave_word(l);
}

static void note(void *context, const char *line)
{
	struct listening *l = context;

	command_log_note(l->log, line);
	leave_word(l);
}

struct listening *listening_new(struct app *a, const struct address *address, bson_error_t *error)
{
	struct listener_options options = { .address = *address, .log = note, .ran = ran };
	struct listening *l;
	struct source *origin = lab_origin(a->lab);

	if (!source_engine(origin)) {
		error_set(error, ERROR_USAGE, 0,
		          "--listen serves the engine's own data; \"%.200s\" is a server already (another port is given as --listen=PORT)",
		          origin->name);
		return NULL;
	}
	l = memory_allocate_zeroed(1, sizeof *l);
	l->engine = source_engine(origin);
	l->log = a->log;
	l->version = engine_data_version(l->engine);
	options.context = l;
	if (pipe(l->word) || fcntl(l->word[0], F_SETFL, O_NONBLOCK)) {
		error_set(error, ERROR_SYSTEM, 0, "cannot open a pipe: %s", strerror(errno));
		free(l);
		return NULL;
	}
	l->listener = listener_new(l->engine, &options, error);
	if (l->listener) {
		const char *uri = listener_uri(l->listener) + strlen("mongodb://");

		snprintf(l->place, sizeof l->place, "%.*s", (int)strcspn(uri, "/"), uri);
		return l;
	}
	listening_destroy(l);
	return NULL;
}

void listening_destroy(struct listening *l)
{
	if (!l)
		return;
	listener_destroy(l->listener);
	close(l->word[0]);
	close(l->word[1]);
	free(l);
}

int listening_descriptor(const struct listening *l)
{
	return l->word[0];
}

const char *listening_place(const struct listening *l)
{
	return l->place;
}

int listening_pause_ms(const struct listening *l)
{
	int64_t since_us = interrupt_now_us() - l->looked_us;

	return since_us < PAUSE_MS * 1000 ? PAUSE_MS - (int)(since_us / 1000) : 0;
}

bool listening_follows(const struct app *a)
{
	return a->listening && a->listening->follows;
}

bool listening_follow(struct app *a, bool follow, bson_error_t *error)
{
	if (!a->listening)
		return error_set(error, ERROR_USAGE, 0, "nobody is served: start with --listen");
	a->listening->follows = follow;
	return true;
}

/* True when there was word. */
static bool take_word(struct listening *l)
{
	char byte;

	if (listening_pause_ms(l) || read(l->word[0], &byte, 1) != 1)
		return false;
	l->looked_us = interrupt_now_us();
	atomic_store(&l->left, false); /* before the look: what comes after it leaves word again */
	return true;
}

bool listening_receive(struct app *a)
{
	struct listening *l = a->listening;
	bool heard = l && take_word(l);

	if (heard && atomic_exchange(&l->changed, false)) {
		l->moved = true;
		app_look_at_writes(a);
	}
	if (!l || !l->follows || !l->moved || app_measuring(a))
		return heard;
	l->moved = false;
	app_measure(a);
	return true;
}
