#include "listener/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "listener/message.h"

/* Memory follows what has come, not what a header promises. */
enum { LEAST_READ = 4096, MOST_READ = 1 << 20, KEPT_BYTES = 1 << 16 };

struct client *client_new(int socket, int32_t id)
{
	struct client *c = memory_allocate_zeroed(1, sizeof *c);

	c->socket = socket;
	c->id = id;
	return c;
}

void client_destroy(struct client *c)
{
	close(c->socket);
	bytes_clear(&c->in);
	bytes_clear(&c->out);
	free(c);
}

bool client_has_output(const struct client *c)
{
	return c->out.size > 0;
}

bool client_wants_input(const struct client *c)
{
	return !c->ended && !c->message_bytes && !client_has_output(c);
}

static bool over(bson_error_t *error, const char *line)
{
	return error_set(error, ERROR_INPUT, 0, "%s", line);
}

/* What was large once does not stay with an idle client. */
static void empty(struct bytes *b)
{
	if (b->capacity > KEPT_BYTES)
		bytes_clear(b);
	bytes_reset(b);
}

/* False: over. */
static bool look(struct client *c, bson_error_t *error)
{
	size_t size;

	if (!message_size(c->in.data, c->in.size, &size, error))
		return false;
	c->message_bytes = size && size <= c->in.size ? size : 0;
	if (!c->ended || c->message_bytes || client_has_output(c))
		return true;
	return over(error, c->in.size ? "the client went away in the middle of a message" : "");
}

static size_t room(const struct client *c)
{
	bson_error_t ignored;
	size_t size, missing;

	if (!message_size(c->in.data, c->in.size, &size, &ignored) || size <= c->in.size)
		return LEAST_READ;
	missing = size - c->in.size;
	return missing < LEAST_READ ? LEAST_READ : missing > MOST_READ ? MOST_READ : missing;
}

bool client_receive(struct client *c, bson_error_t *error)
{
	size_t most = room(c);
	ssize_t got;

	bytes_reserve(&c->in, most);
	got = recv(c->socket, c->in.data + c->in.size, most, 0);
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return true;
	if (got < 0)
		return over(error, c->in.size ? "the client went away in the middle of a message" : "");
	c->ended = got == 0;
	c->in.size += (size_t)got;
	return look(c, error);
}

bool client_next(struct client *c, bson_error_t *error)
{
	size_t rest = c->in.size - c->message_bytes;

	if (rest)
		memmove(c->in.data, c->in.data + c->message_bytes, rest);
	c->in.size = rest;
	c->message_bytes = 0;
	if (!rest)
		empty(&c->in);
	return look(c, error);
}

bool client_send(struct client *c, bson_error_t *error)
{
	while (c->sent < c->out.size) {
		ssize_t sent = send(c->socket, c->out.data + c->sent, c->out.size - c->sent, MSG_NOSIGNAL);

		if (sent >= 0)
			c->sent += (size_t)sent;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return true;
		else if (errno != EINTR)
			return over(error, "the client went away before it had its reply");
	}
	empty(&c->out);
	c->sent = 0;
	return look(c, error);
}
