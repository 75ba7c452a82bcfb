/*
 * What the listener adds to a round trip: a raw client on one processor with the listener, and with an echo that takes
 * and gives the same numbers of bytes by the same calls (poll, recv, send); in turns, the median of nine. Prints
 * microseconds; compares nothing.
 */
#include <arpa/inet.h>
#include <bson/bson.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/interrupt.h"
#include "listener/listener.h"
#include "samples/samples.h"
#include "source.h"

enum { RUNS = 9, TRIPS = 4000, LARGEST = 1 << 16 };

static int own_socket(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port) };
	int s = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (connect(s, (struct sockaddr *)&address, sizeof address) != 0) {
		perror("connect");
		exit(1);
	}
	return s;
}

/* The echo: a reply of `reply_bytes` for every `request_bytes`. */
struct echo {
	int socket;
	size_t request_bytes, reply_bytes;
};

static void *echo_main(void *argument)
{
	struct echo *e = argument;
	struct pollfd news = { e->socket, POLLIN, 0 };
	static uint8_t block[LARGEST];
	size_t have = 0;

	while (poll(&news, 1, -1) > 0) {
		ssize_t got = recv(e->socket, block, sizeof block, 0);

		if (got <= 0)
			break;
		for (have += (size_t)got; have >= e->request_bytes; have -= e->request_bytes)
			if (send(e->socket, block, e->reply_bytes, MSG_NOSIGNAL) < 0)
				return NULL;
	}
	return NULL;
}

/* Sends and takes a reply; returns its size. */
static size_t trip(int s, const uint8_t *request, size_t size, size_t expected)
{
	uint8_t block[LARGEST];
	size_t have = 0;
	int32_t stated;

	if (send(s, request, size, MSG_NOSIGNAL) != (ssize_t)size)
		exit(1);
	do {
		ssize_t got = recv(s, block + have, sizeof block - have, 0);

		if (got <= 0)
			exit(1);
		have += (size_t)got;
		memcpy(&stated, block, 4);
	} while (have < (expected ? expected : (size_t)stated));
	return have;
}

static double trips_us(int s, const uint8_t *request, size_t size, size_t expected)
{
	int64_t start = interrupt_now_us();

	for (int i = 0; i < TRIPS; i++)
		trip(s, request, size, expected);
	return (double)(interrupt_now_us() - start) / TRIPS;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, RUNS, sizeof *values, by_size);
	return values[RUNS / 2];
}

/* Both ends of a connection of this program with itself. */
static void connect_self(int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (bind(listening, (struct sockaddr *)&address, sizeof address) || listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&address, &size))
		exit(1);
	ends[0] = own_socket(ntohs(address.sin_port));
	ends[1] = accept(listening, NULL, NULL);
	setsockopt(ends[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	close(listening);
}

static void measure(const char *name, int s, const char *json)
{
	bson_t *command = bson_new_from_json((const uint8_t *)json, -1, NULL);
	struct bytes request = BYTES_INIT;
	double ours[RUNS], echoes[RUNS], differences[RUNS];
	struct echo echo;
	pthread_t thread;
	uint32_t head[5] = { 0, 1, 0, 2013, 0 };
	int ends[2];

	head[0] = 21 + command->len;
	bytes_append(&request, head, sizeof head);
	bytes_append_byte(&request, 0);
	bytes_append(&request, bson_get_data(command), command->len);
	connect_self(ends);
	echo = (struct echo){ ends[1], request.size, trip(s, request.data, request.size, 0) };
	pthread_create(&thread, NULL, echo_main, &echo);
	for (int i = 0; i < RUNS; i++) {
		ours[i] = trips_us(s, request.data, request.size, 0);
		echoes[i] = trips_us(ends[0], request.data, request.size, echo.reply_bytes);
		differences[i] = ours[i] - echoes[i];
	}
	printf("%-24s %4zu to, %5zu back: %6.2f us, the echo %6.2f, more %5.2f\n", name, request.size, echo.reply_bytes, median(ours),
	       median(echoes), median(differences));
	close(ends[0]);
	pthread_join(thread, NULL);
	close(ends[1]);
	bytes_clear(&request);
	bson_destroy(command);
}

int main(void)
{
	struct listener_options options = { .address = { 0, NULL } };
	struct source *source;
	struct listener *l;
	bson_error_t error;
	cpu_set_t one;
	int s;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one); /* threads started from here on inherit it */
	source = sample_open_all(&error);
	l = source ? listener_new(source_engine(source), &options, &error) : NULL;
	if (!l) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	s = own_socket(atoi(strrchr(listener_uri(l), ':') + 1));
	measure("ping", s, "{\"ping\": 1, \"$db\": \"admin\"}");
	measure("find by key", s, "{\"find\": \"kitap\", \"filter\": {\"_k\": \"K-04242\"}, \"limit\": 1, \"$db\": \"library\"}");
	measure("find 5 by index", s, "{\"find\": \"kopya\", \"filter\": {\"kitap\": \"K-04242\"}, \"$db\": \"library\"}");
	measure("update of one", s,
	        "{\"update\": \"kitap\", \"updates\": [{\"q\": {\"_k\": \"K-04242\"}, \"u\": {\"$inc\": {\"n\": 1}}}], \"$db\": \"library\"}");
	close(s);
	listener_destroy(l);
	source_destroy(source);
	return 0;
}
