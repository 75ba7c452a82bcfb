#include "listener/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bson/print.h"

enum { WAITING_CONNECTIONS = 128, MOST_PORT = 65535 };

static const char refusal[] =
	"cannot listen on \"%s\": there is no authentication, so only 127.0.0.1 and unix sockets (--socket) are served; "
	"give a port alone";

bool address_parse(const char *text, struct address *a, bson_error_t *error)
{
	static const char *const own[] = { "127.0.0.1:", "localhost:" };
	struct bytes shown = BYTES_INIT;
	const char *port = text;
	long n;
	char *end;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!strncmp(text, own[i], strlen(own[i])))
			port = text + strlen(own[i]);
	errno = 0;
	n = strtol(port, &end, 10);
	*a = (struct address){ (int)n, NULL };
	if (isdigit((unsigned char)*port) && !*end && !errno && n <= MOST_PORT)
		return true;
	print_text(&shown, text, strlen(text) < 200 ? strlen(text) : 200);
	error_set(error, ERROR_USAGE, 0,
	          strspn(port, "0123456789") == strlen(port) ? "no such port: \"%s\"; there are 0 to 65535" : refusal,
	          bytes_text(&shown));
	bytes_clear(&shown);
	return false;
}

static int fail(int descriptor, bson_error_t *error, const char *format, const char *what)
{
	char reason[128];

	snprintf(reason, sizeof reason, "%s", strerror(errno));
	error_set(error, ERROR_SYSTEM, 0, format, what, reason);
	if (descriptor >= 0)
		close(descriptor);
	return -1;
}

static int open_socket(int family)
{
	int descriptor = socket(family, SOCK_STREAM, 0);

	if (descriptor >= 0 && (fcntl(descriptor, F_SETFL, O_NONBLOCK) || fcntl(descriptor, F_SETFD, FD_CLOEXEC))) {
		close(descriptor);
		return -1;
	}
	return descriptor;
}

static int listen_port(int port, struct bytes *uri, bson_error_t *error)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
		                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int descriptor = open_socket(AF_INET), on = 1;
	char name[8];

	snprintf(name, sizeof name, "%d", port);
	if (descriptor < 0)
		return fail(descriptor, error, "cannot listen on port %s: %s", name);
	setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* connections of a run before do not hold it */
	if (bind(descriptor, (struct sockaddr *)&address, sizeof address) || listen(descriptor, WAITING_CONNECTIONS) ||
	    getsockname(descriptor, (struct sockaddr *)&address, &size))
		return fail(descriptor, error,
		            errno == EADDRINUSE ? "port %s is in use (a mongod?); give another, or 0 for any that is free: %s"
		                                : "cannot listen on port %s: %s",
		            name);
	bytes_format(uri, "mongodb://127.0.0.1:%d/", ntohs(address.sin_port));
	return descriptor;
}

/* True when somebody answers there. */
static bool is_served(const struct sockaddr_un *address)
{
	int descriptor = open_socket(AF_UNIX);
	bool served = descriptor >= 0 && (connect(descriptor, (const struct sockaddr *)address, sizeof *address) == 0 ||
	                                  errno == EAGAIN);

	if (descriptor >= 0)
		close(descriptor);
	return served;
}

static void append_escaped(struct bytes *out, const char *text)
{
	for (; *text; text++)
		bytes_format(out, isalnum((unsigned char)*text) || strchr("-._~", *text) ? "%c" : "%%%02X", (unsigned char)*text);
}

static int listen_path(const char *path, struct bytes *uri, bson_error_t *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat status;
	mode_t mask;
	int descriptor;
	bool bound;

	if (strlen(path) >= sizeof address.sun_path) {
		error_set(error, ERROR_USAGE, 0, "a unix socket's path has at most %zu bytes: \"%.200s\"", sizeof address.sun_path - 1, path);
		return -1;
	}
	strcpy(address.sun_path, path);
	if (lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) && !is_served(&address))
		unlink(path);
	descriptor = open_socket(AF_UNIX);
	if (descriptor < 0)
		return fail(descriptor, error, "cannot listen on \"%.200s\": %s", path);
	mask = umask(0177); /* its owner's alone */
	bound = bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0;
	umask(mask);
	if (!bound || listen(descriptor, WAITING_CONNECTIONS))
		return fail(descriptor, error,
		            errno == EADDRINUSE ? "\"%.200s\" is there already, and served or no socket: %s"
		                                : "cannot listen on \"%.200s\": %s",
		            path);
	bytes_append_text(uri, "mongodb://");
	append_escaped(uri, path);
	bytes_append_text(uri, "/");
	return descriptor;
}

int address_listen(const struct address *a, struct bytes *uri, bson_error_t *error)
{
	return a->path ? listen_path(a->path, uri, error) : listen_port(a->port, uri, error);
}
