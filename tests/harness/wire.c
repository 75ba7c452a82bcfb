#include "harness/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "bson/writer.h"
#include "harness/harness.h"

enum {
	CONNECTIONS = 64,
	IDLE_MILLIS = 60000,
	HEADER = 16,
	OP_REPLY = 1,
	OP_QUERY = 2004,
	OP_MSG = 2013,
	LARGEST_MESSAGE = 48000000
};

struct arrival {
	char *name;
	int connection;
	struct bytes command;
};

struct connection_in {
	int socket; /* -1: free */
	struct bytes in;
};

struct wire {
	wire_handler handler;
	void *context;
	struct wire_options options;
	int listener, port, stop_pipe[2];
	char uri[64];
	pthread_t thread;
	struct connection_in connections[CONNECTIONS];
	int32_t next_request;
	int current; /* the connection whose message is answered */

	pthread_mutex_t lock; /* over what came */
	struct arrival *arrivals;
	size_t count, capacity;
};

static int32_t get32(const uint8_t *p)
{
	int32_t n;

	memcpy(&n, p, 4);
	return (int32_t)BSON_UINT32_FROM_LE((uint32_t)n);
}

static void put32(struct bytes *out, int32_t n)
{
	uint32_t le = BSON_UINT32_TO_LE((uint32_t)n);

	bytes_append(out, &le, 4);
}

static bool send_all(int socket, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		data += sent;
		size -= (size_t)sent;
	}
	return true;
}

static void close_connection(struct connection_in *c)
{
	close(c->socket);
	c->socket = -1;
	bytes_clear(&c->in);
}

/* What the driver itself asks. */

static void append_hello(const struct wire *w, struct bytes *reply)
{
	struct writer out;

	writer_begin(&out, reply);
	writer_bool(&out, "helloOk", true);
	writer_bool(&out, "ismaster", true);
	writer_bool(&out, "isWritablePrimary", true);
	writer_int32(&out, "maxBsonObjectSize", 16777216);
	writer_int32(&out, "maxMessageSizeBytes", LARGEST_MESSAGE);
	writer_int32(&out, "maxWriteBatchSize", 100000);
	if (w->options.sessions)
		writer_int32(&out, "logicalSessionTimeoutMinutes", 30);
	writer_int32(&out, "minWireVersion", 0);
	writer_int32(&out, "maxWireVersion", w->options.max_wire_version ? w->options.max_wire_version : 21);
	writer_double(&out, "ok", 1);
	writer_finish(&out);
}

static void append_own(const struct wire *w, const char *name, struct bytes *reply)
{
	bool known = !strcmp(name, "ping") || !strcmp(name, "endSessions") || !strcmp(name, "killSessions");
	struct writer out;

	if (!strcmp(name, "hello") || !strcmp(name, "isMaster") || !strcmp(name, "ismaster")) {
		append_hello(w, reply);
		return;
	}
	writer_begin(&out, reply);
	writer_double(&out, "ok", known ? 1 : 0);
	if (!known) {
		struct bytes text = BYTES_INIT;

		bytes_format(&text, "no such command: '%s'", name);
		writer_text(&out, "errmsg", bytes_text(&text));
		writer_int32(&out, "code", 59);
		writer_text(&out, "codeName", "CommandNotFound");
		bytes_clear(&text);
	}
	writer_finish(&out);
}

static void note(struct wire *w, const char *name, struct value command)
{
	struct arrival *a;

	pthread_mutex_lock(&w->lock);
	w->arrivals = memory_grow(w->arrivals, &w->capacity, w->count + 1, sizeof *w->arrivals);
	a = &w->arrivals[w->count++];
	*a = (struct arrival){ memory_duplicate_text(name), w->current, BYTES_INIT };
	bytes_append(&a->command, command.bytes, command.size_bytes);
	pthread_mutex_unlock(&w->lock);
}

static enum wire_answer answer(struct wire *w, const char *db, struct value command, struct bytes *reply)
{
	struct walk walk;
	struct field first;
	enum wire_answer how;
	char *name;

	walk_begin(&walk, command);
	if (!walk_next(&walk, &first))
		return WIRE_CUT;
	name = memory_allocate(first.key.size_bytes + 1);
	memcpy(name, first.key.bytes, first.key.size_bytes);
	name[first.key.size_bytes] = 0;
	note(w, name, command);
	how = w->options.mute ? WIRE_SILENCE : w->handler ? w->handler(w->context, db, command, reply) : WIRE_UNKNOWN;
	if (how == WIRE_UNKNOWN) {
		append_own(w, name, reply);
		how = WIRE_REPLY;
	}
	free(name);
	return how;
}

/* Messages */

/* The command's document and database; false: not one of the two kinds of message. */
static bool read_message(const uint8_t *message, size_t size, struct value *command, const char **db)
{
	const uint8_t *body = message + HEADER;
	int32_t opcode = get32(message + 12);
	size_t name;

	if (opcode == OP_MSG && size > HEADER + 5 && body[4] == 0) {
		struct value name_value;

		if (!value_document(command, body + 5, size - HEADER - 5))
			return false;
		name_value = value_get(*command, "$db");
		*db = name_value.type == BSON_TYPE_UTF8 ? value_text(name_value).bytes : "";
		return true;
	}
	if (opcode != OP_QUERY || size < HEADER + 14)
		return false;
	name = strnlen((const char *)body + 4, size - HEADER - 4);
	*db = "admin";
	return HEADER + 4 + name + 1 + 8 < size &&
	       value_document(command, body + 4 + name + 1 + 8, size - HEADER - 4 - name - 9);
}

static void frame(struct wire *w, struct bytes *out, int32_t opcode, int32_t to, const struct bytes *document)
{
	static const uint8_t nothing[16] = { 0 };
	size_t before = opcode == OP_MSG ? 5 : 20;

	put32(out, (int32_t)(HEADER + before + document->size));
	put32(out, ++w->next_request);
	put32(out, to);
	put32(out, opcode);
	if (opcode == OP_MSG) {
		bytes_append(out, nothing, 5); /* flags, and a section of kind 0 */
	} else {
		put32(out, 8); /* AwaitCapable */
		bytes_append(out, nothing, 12);
		put32(out, 1);
	}
	bytes_append(out, document->data, document->size);
}

/* False: the connection is over. */
static bool serve(struct wire *w, int socket, const uint8_t *message, size_t size)
{
	struct bytes document = BYTES_INIT, out = BYTES_INIT;
	enum wire_answer how = WIRE_CUT;
	struct value command;
	const char *db;
	bool goes_on = true;

	if (read_message(message, size, &command, &db))
		how = answer(w, db, command, &document);
	if (how != WIRE_SILENCE) {
		frame(w, &out, get32(message + 12) == OP_MSG ? OP_MSG : OP_REPLY, get32(message + 4), &document);
		if (how == WIRE_SHORT || how == WIRE_LONG)
			memcpy(out.data, how == WIRE_SHORT ? "\x08\0\0\0" : "\xff\xff\xff\x7f", 4);
		goes_on = send_all(socket, out.data, how == WIRE_CUT ? out.size / 2 : out.size) && how != WIRE_CUT;
	}
	bytes_clear(&document);
	bytes_clear(&out);
	return goes_on;
}

static void take(struct wire *w, struct connection_in *c)
{
	uint8_t block[65536];
	ssize_t got = recv(c->socket, block, sizeof block, 0);
	size_t at = 0;

	if (got <= 0) {
		close_connection(c);
		return;
	}
	bytes_append(&c->in, block, (size_t)got);
	while (c->in.size - at >= HEADER) {
		int32_t size = get32(c->in.data + at);

		w->current = (int)(c - w->connections);
		if (size < HEADER || size > LARGEST_MESSAGE) {
			close_connection(c);
			return;
		}
		if ((size_t)size > c->in.size - at)
			break;
		if (!serve(w, c->socket, c->in.data + at, (size_t)size)) {
			close_connection(c);
			return;
		}
		at += (size_t)size;
	}
	memmove(c->in.data, c->in.data + at, c->in.size - at);
	c->in.size -= at;
}

static void take_connection(struct wire *w)
{
	int socket = accept(w->listener, NULL, NULL);

	for (int i = 0; socket >= 0 && i < CONNECTIONS; i++) {
		if (w->connections[i].socket < 0) {
			w->connections[i].socket = socket;
			return;
		}
	}
	if (socket >= 0)
		close(socket);
}

static void *thread_main(void *argument)
{
	struct wire *w = argument;

	for (;;) {
		struct pollfd set[CONNECTIONS + 2] = { { w->stop_pipe[0], POLLIN, 0 }, { w->listener, POLLIN, 0 } };

		for (int i = 0; i < CONNECTIONS; i++)
			set[i + 2] = (struct pollfd){ w->connections[i].socket, POLLIN, 0 };
		if (poll(set, CONNECTIONS + 2, IDLE_MILLIS) <= 0 || set[0].revents)
			break;
		if (set[1].revents)
			take_connection(w);
		for (int i = 0; i < CONNECTIONS; i++)
			if (set[i + 2].fd >= 0 && set[i + 2].revents && w->connections[i].socket >= 0)
				take(w, &w->connections[i]);
	}
	for (int i = 0; i < CONNECTIONS; i++)
		if (w->connections[i].socket >= 0)
			close_connection(&w->connections[i]);
	close(w->listener);
	return NULL;
}

struct wire *wire_start(wire_handler handler, void *context, const struct wire_options *options)
{
	struct wire *w = memory_allocate_zeroed(1, sizeof *w);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;

	w->handler = handler;
	w->context = context;
	if (options)
		w->options = *options;
	pthread_mutex_init(&w->lock, NULL);
	for (int i = 0; i < CONNECTIONS; i++)
		w->connections[i].socket = -1;
	w->listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_port = htons((uint16_t)w->options.port);
	if (w->listener < 0 ||
	    setsockopt(w->listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)) ||
	    bind(w->listener, (struct sockaddr *)&address, sizeof address) ||
	    listen(w->listener, 16) || getsockname(w->listener, (struct sockaddr *)&address, &size) ||
	    pipe(w->stop_pipe)) {
		perror("wire");
		abort();
	}
	w->port = ntohs(address.sin_port);
	snprintf(w->uri, sizeof w->uri, "mongodb://127.0.0.1:%d/", w->port);
	if (pthread_create(&w->thread, NULL, thread_main, w)) {
		perror("wire");
		abort();
	}
	return w;
}

void wire_stop(struct wire *w)
{
	if (write(w->stop_pipe[1], "", 1) < 0)
		perror("wire");
	pthread_join(w->thread, NULL);
	close(w->stop_pipe[0]);
	close(w->stop_pipe[1]);
	for (size_t i = 0; i < w->count; i++) {
		free(w->arrivals[i].name);
		bytes_clear(&w->arrivals[i].command);
	}
	free(w->arrivals);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

int wire_port(const struct wire *w)
{
	return w->port;
}

const char *wire_uri(const struct wire *w)
{
	return w->uri;
}

int wire_count(struct wire *w, const char *name)
{
	int count = 0;

	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->count; i++)
		count += !strcmp(w->arrivals[i].name, name);
	pthread_mutex_unlock(&w->lock);
	return count;
}

int wire_connections(struct wire *w, const char *name)
{
	bool seen[CONNECTIONS] = { false };
	int count = 0;

	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->count; i++) {
		if (strcmp(w->arrivals[i].name, name))
			continue;
		count += !seen[w->arrivals[i].connection];
		seen[w->arrivals[i].connection] = true;
	}
	pthread_mutex_unlock(&w->lock);
	return count;
}

struct value wire_last(struct wire *w, const char *name)
{
	struct value last = value_missing();

	pthread_mutex_lock(&w->lock);
	for (size_t i = w->count; i-- > 0 && value_is_missing(last);)
		if (!strcmp(w->arrivals[i].name, name))
			value_document(&last,
			               harness_keep(memory_duplicate(w->arrivals[i].command.data,
			                                             w->arrivals[i].command.size)),
			               w->arrivals[i].command.size);
	pthread_mutex_unlock(&w->lock);
	return last;
}

size_t wire_names(struct wire *w, const char ***names)
{
	size_t count = 0;

	pthread_mutex_lock(&w->lock);
	*names = harness_keep(memory_allocate_zeroed(w->count + 1, sizeof **names));
	for (size_t i = 0; i < w->count; i++) {
		size_t k = 0;

		while (k < count && strcmp((*names)[k], w->arrivals[i].name))
			k++;
		if (k == count)
			(*names)[count++] = harness_keep(memory_duplicate_text(w->arrivals[i].name));
	}
	pthread_mutex_unlock(&w->lock);
	return count;
}
