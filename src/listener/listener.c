#include "listener/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/thread.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "listener/client.h"
#include "listener/message.h"

enum { MOST_CLIENTS = 1000, TICK_MS = 10, KEPT_BYTES = 1 << 20, FIRST_CLIENT = 2 };

struct listener {
	struct engine *engine;
	struct listener_options options;
	struct bytes uri;
	char *path;        /* of a unix socket, owned */
	int socket;
	int wake[2];       /* a pipe: ends a poll */
	pthread_t runner, stand_in;
	struct interrupt stop; /* over every command's own */

	/*
	 * Held by whoever polls, reads and sends: the runner, but for the time of a command, in which the stand-in may
	 * take it. Everything down to the blank line is under it.
	 */
	pthread_mutex_t io;
	struct client **clients;
	size_t count, capacity;
	size_t turn;               /* whose message is looked for first: each gets its turn */
	size_t ready;              /* connections with a whole message */
	struct pollfd *poll_set;
	size_t poll_capacity;
	bool full;                 /* no descriptor is free: nobody is taken in until somebody goes */
	int32_t last_client, last_reply;
	atomic_int connected;

	/* Odd while a command runs: one more at each beginning and end. */
	_Atomic uint64_t command;

	pthread_mutex_t sleep; /* the stand-in's */
	pthread_cond_t awake;
	atomic_bool asleep, stopping;
};

static void note(struct listener *l, const struct client *c, const char *text)
{
	struct bytes line = BYTES_INIT;

	if (!l->options.log || !*text)
		return;
	bytes_format(&line, "connection %d: ", c->id);
	print_text(&line, text, strlen(text));
	l->options.log(l->options.context, bytes_text(&line));
	bytes_clear(&line);
}

/* Clients */

static void take_client(struct listener *l)
{
	int descriptor = accept(l->socket, NULL, NULL), on = 1;
	struct client *c;

	if (descriptor < 0) {
		l->full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
		return;
	}
	fcntl(descriptor, F_SETFL, O_NONBLOCK);
	fcntl(descriptor, F_SETFD, FD_CLOEXEC);
	setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* of no use to a unix socket, nor harm */
	c = client_new(descriptor, ++l->last_client);
	l->clients = memory_grow(l->clients, &l->capacity, l->count + 1, sizeof *l->clients);
	l->clients[l->count++] = c;
	l->full = l->count == MOST_CLIENTS;
	atomic_store(&l->connected, (int)l->count);
}

static void drop(struct listener *l, struct client *c, const char *reason)
{
	size_t i = 0;

	note(l, c, reason);
	while (l->clients[i] != c)
		i++;
	l->clients[i] = l->clients[--l->count];
	l->ready -= c->message_bytes > 0;
	l->full = false;
	atomic_store(&l->connected, (int)l->count);
	client_destroy(c);
}

/* Commands */

/* The reply of a handshake says which connection it came on. */
static void add_connection_id(struct bytes *out, size_t start, int32_t id)
{
	struct bytes reply = BYTES_INIT;
	struct value document;
	struct writer w;
	struct walk walk;
	struct field f;

	value_document(&document, out->data + start, out->size - start);
	if (value_is_missing(value_get(document, "maxWireVersion")))
		return;
	writer_begin(&w, &reply);
	walk_begin(&walk, document);
	while (walk_next(&walk, &f)) {
		if (key_is(f.key, "minWireVersion"))
			writer_int32(&w, "connectionId", id);
		writer_value(&w, f.key, f.value);
	}
	writer_finish(&w);
	out->size = start;
	bytes_append(out, reply.data, reply.size);
	bytes_clear(&reply);
}

static void append_refusal(struct bytes *out, const struct message *m, const bson_error_t *error)
{
	char name[24];
	struct writer w;

	writer_begin(&w, out);
	if (m->fails)
		writer_text(&w, "$err", error->message);
	writer_double(&w, "ok", 0);
	writer_text(&w, "errmsg", error->message);
	writer_int32(&w, "code", (int32_t)error->code);
	writer_text(&w, "codeName", error_code_name(error->code, name));
	writer_finish(&w);
}

static void wake_poll(struct listener *l)
{
	if (write(l->wake[1], "", 1) < 0 && errno != EAGAIN) /* a full pipe wakes as well */
		perror("bsonscope: listener");
}

/* Runs a command of the engine without the io mutex: the other thread serves the others if it takes long. */
static void run_command(struct listener *l, struct client *c, const struct message *m)
{
	int64_t limit_ms = l->options.command_limit_ms ? l->options.command_limit_ms : LISTENER_COMMAND_LIMIT_MS;
	struct interrupt interrupt;

	interrupt_init(&interrupt);
	interrupt.parent = &l->stop;
	if (value_is_missing(value_get(m->command, "maxTimeMS")))
		atomic_store(&interrupt.deadline_us, interrupt_now_us() + limit_ms * 1000);
	c->running = true;
	atomic_fetch_add(&l->command, 1);
	pthread_mutex_unlock(&l->io);
	if (atomic_load(&l->asleep)) {
		pthread_mutex_lock(&l->sleep);
		pthread_cond_signal(&l->awake);
		pthread_mutex_unlock(&l->sleep);
	}
	engine_answer(l->engine, m->db, m->command, &c->out, &interrupt, NULL);
	atomic_fetch_add(&l->command, 1);
	if (pthread_mutex_trylock(&l->io)) {
		wake_poll(l);
		pthread_mutex_lock(&l->io);
	}
	c->running = false;
	if (l->options.ran)
		l->options.ran(l->options.context);
}

/* Sends the reply and goes on to the next message, or ends. */
static void finish(struct listener *l, struct client *c)
{
	bson_error_t error;

	if (!client_send(c, &error)) {
		drop(l, c, error.message);
		return;
	}
	l->ready--;
	if (client_next(c, &error))
		l->ready += c->message_bytes > 0;
	else
		drop(l, c, error.message);
}

/*
 * Answers the message that a connection has. While another command runs (`busy`), one that needs the engine stays where
 * it is.
 */
static void answer(struct listener *l, struct client *c, struct bytes *assembled, bool busy)
{
	size_t start = 0, body = 0;
	struct message m;
	bson_error_t error;
	enum message_verdict verdict = message_read(c->in.data, c->message_bytes, assembled, &m, &error);
	bool unlocked = verdict == MESSAGE_GOOD && engine_answers_unlocked(m.command);

	if (verdict == MESSAGE_GOOD && busy && !unlocked) {
		c->held = true;
		return;
	}
	if (verdict == MESSAGE_FATAL) {
		drop(l, c, error.message);
		return;
	}
	start = message_begin_reply(&c->out, &m, ++l->last_reply);
	body = c->out.size;
	if (verdict == MESSAGE_REFUSED) {
		note(l, c, error.message);
		append_refusal(&c->out, &m, &error);
	} else if (unlocked) {
		engine_answer(l->engine, m.db, m.command, &c->out, NULL, NULL);
		add_connection_id(&c->out, body, c->id);
	} else {
		run_command(l, c, &m);
	}
	if (m.wants_reply)
		message_end_reply(&c->out, start);
	else
		c->out.size = start;
	if (assembled->capacity > KEPT_BYTES)
		bytes_clear(assembled);
	finish(l, c);
}

/* The next connection with a message that can be answered now; null: none. */
static struct client *next_ready(struct listener *l, bool busy)
{
	for (size_t i = 0; l->ready && i < l->count; i++) {
		struct client *c = l->clients[(l->turn + i) % l->count];

		if (c->message_bytes && !c->running && !client_has_output(c) && !(busy && c->held)) {
			l->turn = (l->turn + i + 1) % l->count;
			return c;
		}
	}
	return NULL;
}

/* One message of each connection that has one. */
static void answer_ready(struct listener *l, struct bytes *assembled, bool busy)
{
	struct client *c;

	for (size_t i = l->count; i-- > 0 && !atomic_load(&l->stopping) && (c = next_ready(l, busy));) {
		c->held = false;
		answer(l, c, assembled, busy);
	}
}

/* One turn of the poll */

static short events_of(const struct client *c)
{
	if (c->running)
		return 0; /* a client that goes away meanwhile is noticed when it gets its reply; what it wrote is written */
	return (short)(client_has_output(c) ? POLLOUT : client_wants_input(c) ? POLLIN : 0);
}

static size_t fill_poll_set(struct listener *l)
{
	size_t count = FIRST_CLIENT + l->count;

	l->poll_set = memory_grow(l->poll_set, &l->poll_capacity, count, sizeof *l->poll_set);
	l->poll_set[0] = (struct pollfd){ l->wake[0], POLLIN, 0 };
	l->poll_set[1] = (struct pollfd){ l->full ? -1 : l->socket, POLLIN, 0 };
	for (size_t i = 0; i < l->count; i++) {
		const struct client *c = l->clients[i];
		short events = events_of(c);

		l->poll_set[FIRST_CLIENT + i] = (struct pollfd){ events ? c->socket : -1, events, 0 };
	}
	return count;
}

static void serve(struct listener *l, struct client *c)
{
	bson_error_t error = { .message = "" };
	bool goes_on;

	l->ready -= c->message_bytes > 0;
	goes_on = client_has_output(c) ? client_send(c, &error) : client_receive(c, &error);
	l->ready += c->message_bytes > 0;
	if (!goes_on)
		drop(l, c, error.message);
}

/* Waits for something to do unless a message is ready, and reads and sends what can be. */
static void turn(struct listener *l, bool busy)
{
	size_t count = fill_poll_set(l);
	int waits_ms = next_ready(l, busy) ? 0 : -1;
	char drained[64];

	if (poll(l->poll_set, (nfds_t)count, waits_ms) < 0)
		return;
	if (l->poll_set[0].revents && read(l->wake[0], drained, sizeof drained) < 0)
		return;
	/* backwards: one that is dropped leaves its place to the last */
	for (size_t i = count; i-- > FIRST_CLIENT;)
		if (l->poll_set[i].revents)
			serve(l, l->clients[i - FIRST_CLIENT]);
	if (l->poll_set[1].revents)
		take_client(l);
}

/* Threads */

static void *runner_main(void *argument)
{
	struct listener *l = argument;
	struct bytes assembled = BYTES_INIT;

	pthread_mutex_lock(&l->io);
	while (!atomic_load(&l->stopping)) {
		turn(l, false);
		answer_ready(l, &assembled, false);
	}
	pthread_mutex_unlock(&l->io);
	bytes_clear(&assembled);
	return NULL;
}

/* Serves the others until the command of that number is done. */
static void stand_in(struct listener *l, uint64_t command, struct bytes *assembled)
{
	pthread_mutex_lock(&l->io);
	while (atomic_load(&l->command) == command) {
		turn(l, true);
		answer_ready(l, assembled, true);
	}
	pthread_mutex_unlock(&l->io);
}

static void wait_a_tick(struct listener *l)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TICK_MS * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&l->awake, &l->sleep, &until);
}

/* Looks once a tick whether a command still runs; sleeps when none has for a whole one. */
static void *stand_in_main(void *argument)
{
	struct listener *l = argument;
	struct bytes assembled = BYTES_INIT;
	uint64_t seen = 0;

	pthread_mutex_lock(&l->sleep);
	while (!atomic_load(&l->stopping)) {
		uint64_t command = atomic_load(&l->command);

		if (command != seen) {
			seen = command;
			wait_a_tick(l);
		} else if (command & 1) {
			pthread_mutex_unlock(&l->sleep);
			stand_in(l, command, &assembled);
			pthread_mutex_lock(&l->sleep);
		} else {
			atomic_store(&l->asleep, true);
			if (atomic_load(&l->command) == seen && !atomic_load(&l->stopping))
				pthread_cond_wait(&l->awake, &l->sleep);
			atomic_store(&l->asleep, false);
		}
	}
	pthread_mutex_unlock(&l->sleep);
	bytes_clear(&assembled);
	return NULL;
}

static bool start(struct listener *l, bson_error_t *error)
{
	if (pipe(l->wake) || fcntl(l->wake[0], F_SETFL, O_NONBLOCK) || fcntl(l->wake[1], F_SETFL, O_NONBLOCK))
		return error_set(error, ERROR_SYSTEM, 0, "cannot open a pipe: %s", strerror(errno));
	if (!thread_start(&l->runner, runner_main, l) || !thread_start(&l->stand_in, stand_in_main, l)) {
		perror("bsonscope: cannot start a thread");
		abort();
	}
	return true;
}

static void free_all(struct listener *l)
{
	if (l->socket >= 0)
		close(l->socket);
	for (int i = 0; i < 2; i++)
		if (l->wake[i] >= 0)
			close(l->wake[i]);
	if (l->path)
		unlink(l->path);
	while (l->count)
		client_destroy(l->clients[--l->count]);
	free(l->clients);
	free(l->poll_set);
	free(l->path);
	bytes_clear(&l->uri);
	pthread_mutex_destroy(&l->io);
	pthread_mutex_destroy(&l->sleep);
	pthread_cond_destroy(&l->awake);
	free(l);
}

struct listener *listener_new(struct engine *e, const struct listener_options *options, bson_error_t *error)
{
	struct listener *l = memory_allocate_zeroed(1, sizeof *l);

	l->engine = e;
	l->options = *options;
	l->wake[0] = l->wake[1] = -1;
	interrupt_init(&l->stop);
	pthread_mutex_init(&l->io, NULL);
	pthread_mutex_init(&l->sleep, NULL);
	pthread_cond_init(&l->awake, NULL);
	l->socket = address_listen(&options->address, &l->uri, error);
	if (l->socket >= 0 && options->address.path)
		l->path = memory_duplicate_text(options->address.path);
	bytes_text(&l->uri);
	if (l->socket < 0 || !start(l, error)) {
		free_all(l);
		return NULL;
	}
	return l;
}

void listener_destroy(struct listener *l)
{
	if (!l)
		return;
	atomic_store(&l->stopping, true);
	interrupt_cancel(&l->stop);
	wake_poll(l);
	pthread_join(l->runner, NULL);
	pthread_mutex_lock(&l->sleep);
	pthread_cond_signal(&l->awake);
	pthread_mutex_unlock(&l->sleep);
	pthread_join(l->stand_in, NULL);
	free_all(l);
}

const char *listener_uri(const struct listener *l)
{
	return (const char *)l->uri.data;
}

int listener_connections(struct listener *l)
{
	return atomic_load(&l->connected);
}
