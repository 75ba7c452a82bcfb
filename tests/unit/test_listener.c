/* The engine on the wire: raw sockets for what no driver would send, libmongoc for what one does. */
#include <arpa/inet.h>
#include <errno.h>
#include <mongoc/mongoc.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/limits.h"
#include "bson/writer.h"
#include "harness/dump_writer.h"
#include "harness/harness.h"
#include "harness/random.h"
#include "listener/listener.h"
#include "listener/message.h"

enum { OP_REPLY = 1, OP_QUERY = 2004, OP_COMPRESSED = 2012, OP_MSG = 2013 };
enum { CHECKSUM = 1, MORE_TO_COME = 2, EXHAUST_ALLOWED = 1 << 16 };
enum { DEPTH_BEYOND = 251 };

static struct engine *engine;
static struct listener *listener;

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static struct bytes log_text;
static int log_lines;

static void keep_line(void *context, const char *line)
{
	(void)context;
	pthread_mutex_lock(&log_lock);
	log_lines++;
	bytes_reset(&log_text);
	bytes_append_text(&log_text, line);
	pthread_mutex_unlock(&log_lock);
}

static int lines(void)
{
	int n;

	pthread_mutex_lock(&log_lock);
	n = log_lines;
	pthread_mutex_unlock(&log_lock);
	return n;
}

static struct listener *start(int64_t command_limit_ms)
{
	struct listener_options options = { .command_limit_ms = command_limit_ms, .log = keep_line };
	bson_error_t error;
	struct listener *l = listener_new(engine, &options, &error);

	if (!l) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	return l;
}

/* Raw clients */

static int connect_to(const struct listener *l)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval patience = { .tv_sec = 60 };
	int s = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_port = htons((uint16_t)atoi(strrchr(listener_uri(l), ':') + 1));
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (connect(s, (struct sockaddr *)&address, sizeof address) != 0)
		abort();
	return s;
}

static void append32(struct bytes *out, uint32_t n)
{
	n = BSON_UINT32_TO_LE(n);
	bytes_append(out, &n, sizeof n);
}

static void set32(struct bytes *out, size_t at, uint32_t n)
{
	n = BSON_UINT32_TO_LE(n);
	memcpy(out->data + at, &n, sizeof n);
}

static void begin_message(struct bytes *out, int opcode, uint32_t flags)
{
	append32(out, 0);
	append32(out, 77);
	append32(out, 0);
	append32(out, (uint32_t)opcode);
	append32(out, flags);
}

static void append_body(struct bytes *out, struct value command)
{
	bytes_append_byte(out, 0);
	bytes_append(out, command.bytes, command.size_bytes);
}

static void append_sequence(struct bytes *out, const char *name, const struct value *documents, size_t count)
{
	size_t at;

	bytes_append_byte(out, 1);
	at = out->size;
	append32(out, 0);
	bytes_append(out, name, strlen(name) + 1);
	for (size_t i = 0; i < count; i++)
		bytes_append(out, documents[i].bytes, documents[i].size_bytes);
	set32(out, at, (uint32_t)(out->size - at));
}

static void end_message(struct bytes *out, bool checksum)
{
	set32(out, 0, (uint32_t)(out->size + (checksum ? 4 : 0)));
	if (checksum)
		append32(out, message_checksum(out->data, out->size));
}

static struct bytes message_of(uint32_t flags, const char *command)
{
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_MSG, flags);
	append_body(&m, harness_json(command));
	end_message(&m, flags & CHECKSUM);
	return m;
}

static bool send_bytes(int s, const struct bytes *b)
{
	for (size_t at = 0; at < b->size;) {
		ssize_t sent = send(s, b->data + at, b->size - at, MSG_NOSIGNAL);

		if (sent <= 0)
			return false;
		at += (size_t)sent;
	}
	return true;
}

static bool receive_bytes(int s, uint8_t *to, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t got = recv(s, to + at, size - at, 0);

		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

/* The document of the next message, kept; missing: the connection is over. */
static struct value receive_of(int s, int opcode)
{
	size_t before = opcode == OP_MSG ? 21 : 36;
	uint8_t header[MESSAGE_HEADER_BYTES];
	struct value v = value_missing();
	bson_error_t error;
	uint8_t *rest;
	size_t size;
	uint32_t kind;

	if (!receive_bytes(s, header, sizeof header) || !message_size(header, sizeof header, &size, &error))
		return v;
	memcpy(&kind, header + 12, 4);
	CU_ASSERT_EQUAL((int)BSON_UINT32_FROM_LE(kind), opcode);
	memcpy(&kind, header + 8, 4);
	CU_ASSERT_EQUAL(BSON_UINT32_FROM_LE(kind), 77);
	rest = harness_keep(malloc(size));
	if (!receive_bytes(s, rest + sizeof header, size - sizeof header) || !value_document(&v, rest + before, size - before))
		return value_missing();
	CU_ASSERT_EQUAL(v.size_bytes, size - before);
	return v;
}

static struct value receive(int s)
{
	return receive_of(s, OP_MSG);
}

static void send_and_free(int s, struct bytes m)
{
	CU_ASSERT(send_bytes(s, &m));
	bytes_clear(&m);
}

static struct value ask(int s, const char *command)
{
	send_and_free(s, message_of(0, command));
	return receive(s);
}

static int64_t number(struct value document, const char *name)
{
	int64_t n = -1;

	value_as_int64(value_get(document, name), &n);
	return n;
}

static bool is_ok(struct value reply)
{
	return value_is_document(reply) && number(reply, "ok") == 1;
}

static bool answers(int s)
{
	return is_ok(ask(s, "{'ping': 1, '$db': 'admin'}"));
}

/* The client has nothing more to get, ever. */
static bool is_closed(int s)
{
	uint8_t byte;

	return recv(s, &byte, 1, 0) <= 0;
}

/* Waits for what another thread does; gives up after a minute. */
static void wait_for_lines(int n)
{
	for (int i = 0; i < 6000 && lines() < n; i++)
		usleep(10000);
}

/* What clients may send */

static struct bytes query_of(const char *collection, uint32_t flags, const char *command)
{
	struct value v = harness_json(command);
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_QUERY, flags);
	bytes_append(&m, collection, strlen(collection) + 1);
	append32(&m, 0);
	append32(&m, (uint32_t)-1);
	bytes_append(&m, v.bytes, v.size_bytes);
	end_message(&m, false);
	return m;
}

static void test_handshake(void)
{
	static const char *const never[] = { "compression", "topologyVersion", "setName", "msg" };
	int s = connect_to(listener), before = lines();
	struct value reply;

	send_and_free(s, query_of("admin.$cmd", 4, "{'isMaster': 1, 'helloOk': true, 'client': {}, 'compression': ['zlib']}"));
	reply = receive_of(s, OP_REPLY);
	CU_ASSERT(is_ok(reply));
	CU_ASSERT(value_is_true(value_get(reply, "ismaster")));
	CU_ASSERT_EQUAL(number(reply, "minWireVersion"), 0);
	CU_ASSERT_EQUAL(number(reply, "maxWireVersion"), 21);
	CU_ASSERT_EQUAL(number(reply, "maxMessageSizeBytes"), LIMIT_MESSAGE_BYTES);
	CU_ASSERT(number(reply, "connectionId") > 0);
	CU_ASSERT_EQUAL(number(ask(s, "{'hello': 1, '$db': 'admin'}"), "connectionId"), number(reply, "connectionId"));
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		CU_ASSERT(value_is_missing(value_get(reply, never[i])));
	send_and_free(s, query_of("admin.$cmd", 4, "{'$query': {'ismaster': 1}, '$readPreference': {'mode': 'nearest'}}"));
	CU_ASSERT(is_ok(receive_of(s, OP_REPLY)));
	CU_ASSERT_EQUAL(lines(), before);
	send_and_free(s, query_of("admin.$cmd", 0, "{'find': 'x'}"));
	CU_ASSERT_EQUAL(number(receive_of(s, OP_REPLY), "code"), 352);
	send_and_free(s, query_of("shop.books", 0, "{}"));
	CU_ASSERT_EQUAL(number(receive_of(s, OP_REPLY), "code"), 5739101);
	CU_ASSERT_EQUAL(lines(), before + 2);
	CU_ASSERT(answers(s));
	close(s);
}

static struct bytes insert_of(uint32_t flags, const char *collection, const char *first, const char *second)
{
	const struct value documents[] = { harness_json(first), harness_json(second) };
	struct bytes command = BYTES_INIT, m = BYTES_INIT;

	bytes_format(&command, "{'insert': '%s', 'lsid': {'id': {'$uuid': '00112233-4455-6677-8899-aabbccddeeff'}}, '$db': 'wire'}", collection);
	begin_message(&m, OP_MSG, flags);
	append_sequence(&m, "documents", documents, 2); /* a sequence may come before the body */
	append_body(&m, harness_json(bytes_text(&command)));
	end_message(&m, flags & CHECKSUM);
	bytes_clear(&command);
	return m;
}

static void test_messages(void)
{
	int s = connect_to(listener);
	struct bytes m;

	send_and_free(s, insert_of(0, "sequences", "{'_id': 1}", "{'_id': 2}"));
	CU_ASSERT_EQUAL(number(receive(s), "n"), 2);
	send_and_free(s, insert_of(CHECKSUM | EXHAUST_ALLOWED, "sequences", "{'_id': 3}", "{'_id': 4}"));
	CU_ASSERT_EQUAL(number(receive(s), "n"), 2);
	/* never a reply, and done all the same: the next is the count's */
	send_and_free(s, insert_of(MORE_TO_COME, "sequences", "{'_id': 5}", "{'_id': 6}"));
	CU_ASSERT_EQUAL(number(ask(s, "{'count': 'sequences', '$db': 'wire'}"), "n"), 6);
	/* three at once, answered in order */
	m = message_of(0, "{'count': 'sequences', 'limit': 1, '$db': 'wire'}");
	for (int i = 2; i < 4; i++) {
		struct bytes next = BYTES_INIT, text = BYTES_INIT;

		bytes_format(&text, "{'count': 'sequences', 'limit': %d, '$db': 'wire'}", i);
		next = message_of(0, bytes_text(&text));
		bytes_append(&m, next.data, next.size);
		bytes_clear(&next);
		bytes_clear(&text);
	}
	send_and_free(s, m);
	for (int i = 1; i < 4; i++)
		CU_ASSERT_EQUAL(number(receive(s), "n"), i);
	/* byte by byte */
	m = message_of(0, "{'count': 'sequences', '$db': 'wire'}");
	for (size_t i = 0; i < m.size; i++)
		CU_ASSERT_EQUAL(send(s, m.data + i, 1, MSG_NOSIGNAL), 1);
	bytes_clear(&m);
	CU_ASSERT_EQUAL(number(receive(s), "n"), 6);
	/* a client that sends no more gets what it is owed */
	m = message_of(0, "{'count': 'sequences', '$db': 'wire'}");
	send_and_free(s, m);
	shutdown(s, SHUT_WR);
	CU_ASSERT_EQUAL(number(receive(s), "n"), 6);
	CU_ASSERT(is_closed(s));
	close(s);
}

/* Nothing is lost of what a client sent before it went away. */
static void test_fire_and_forget(void)
{
	int s = connect_to(listener), other = connect_to(listener);
	struct value reply;

	for (int i = 0; i < 50; i++) {
		struct bytes first = BYTES_INIT, second = BYTES_INIT;

		bytes_format(&first, "{'_id': %d}", 2 * i);
		bytes_format(&second, "{'_id': %d}", 2 * i + 1);
		send_and_free(s, insert_of(MORE_TO_COME, "forgotten", bytes_text(&first), bytes_text(&second)));
		bytes_clear(&first);
		bytes_clear(&second);
	}
	close(s);
	for (int i = 0; i < 6000; i++) {
		reply = ask(other, "{'count': 'forgotten', '$db': 'wire'}");
		if (number(reply, "n") == 100)
			break;
		usleep(10000);
	}
	CU_ASSERT_EQUAL(number(reply, "n"), 100);
	close(other);
}

/* What clients may not send. Each makes one message; a reply has the code, 0: the connection is closed. */

static struct bytes nested(int levels)
{
	struct bytes documents = BYTES_INIT, m = BYTES_INIT;
	struct writer w;
	struct value v;

	writer_begin(&w, &documents);
	writer_text(&w, "ping", "x");
	writer_text(&w, "$db", "admin");
	for (int i = 1; i < levels; i++)
		writer_begin_document(&w, key_of("a"));
	for (int i = 1; i < levels; i++)
		writer_end(&w);
	v = writer_finish(&w);
	begin_message(&m, OP_MSG, 0);
	append_body(&m, v);
	end_message(&m, false);
	bytes_clear(&documents);
	return m;
}

static const char ping[] = "{'ping': 1, '$db': 'admin'}";

static struct bytes bad_size(uint32_t size)
{
	struct bytes m = message_of(0, ping);

	set32(&m, 0, size);
	return m;
}

static struct bytes size_15(void) { return bad_size(15); }
static struct bytes size_negative(void) { return bad_size((uint32_t)-1); }
static struct bytes size_too_large(void) { return bad_size(LIMIT_MESSAGE_BYTES + 1); }

static struct bytes opcode_of(uint32_t opcode)
{
	struct bytes m = message_of(0, ping);

	set32(&m, 12, opcode);
	return m;
}

static struct bytes compressed(void) { return opcode_of(OP_COMPRESSED); }
static struct bytes opcode_unknown(void) { return opcode_of(4711); }
static struct bytes opcode_insert(void) { return opcode_of(2002); }
static struct bytes flags_unknown(void) { return message_of(4, ping); }

static struct bytes checksum_wrong(void)
{
	struct bytes m = message_of(CHECKSUM, ping);

	m.data[m.size - 1] ^= 1;
	return m;
}

static struct bytes three_sequences(void)
{
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_MSG, 0);
	append_body(&m, harness_json(ping));
	append_sequence(&m, "a", NULL, 0);
	append_sequence(&m, "b", NULL, 0);
	append_sequence(&m, "c", NULL, 0);
	end_message(&m, false);
	return m;
}

static struct bytes header_alone(void)
{
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_MSG, 0);
	m.size = MESSAGE_HEADER_BYTES;
	end_message(&m, false);
	return m;
}

/* The body's own length, which begins behind header, flags and kind. */
static struct bytes body_of(uint32_t size)
{
	struct bytes m = message_of(0, ping);

	set32(&m, MESSAGE_HEADER_BYTES + 5, size);
	return m;
}

static struct bytes body_longer(void) { return body_of(4096); }
static struct bytes body_negative(void) { return body_of((uint32_t)-5); }
static struct bytes body_shorter(void) { return body_of(7); }

static struct bytes inner_longer(void)
{
	struct bytes m = message_of(0, "{'ping': {'a': 1}, '$db': 'admin'}");

	set32(&m, MESSAGE_HEADER_BYTES + 5 + 4 + 6, 4096);
	return m;
}

static struct bytes bytes_behind(void)
{
	struct bytes m = message_of(0, ping);

	bytes_append(&m, "\7garbage", 8);
	end_message(&m, false);
	return m;
}

static struct bytes two_bodies(void)
{
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_MSG, 0);
	append_body(&m, harness_json(ping));
	append_body(&m, harness_json(ping));
	end_message(&m, false);
	return m;
}

static struct bytes no_body(void)
{
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_MSG, 0);
	append_sequence(&m, "documents", NULL, 0);
	end_message(&m, false);
	return m;
}

static struct bytes sequence_twice(void)
{
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_MSG, 0);
	append_body(&m, harness_json(ping));
	append_sequence(&m, "a", NULL, 0);
	append_sequence(&m, "a", NULL, 0);
	end_message(&m, false);
	return m;
}

static struct bytes sequence_and_field(void)
{
	struct bytes m = BYTES_INIT;

	begin_message(&m, OP_MSG, 0);
	append_body(&m, harness_json("{'ping': 1, 'a': [], '$db': 'admin'}"));
	append_sequence(&m, "a", NULL, 0);
	end_message(&m, false);
	return m;
}

static struct bytes sequence_longer(void)
{
	struct bytes m = BYTES_INIT;
	size_t at;

	begin_message(&m, OP_MSG, 0);
	append_body(&m, harness_json(ping));
	at = m.size + 1;
	append_sequence(&m, "a", NULL, 0);
	end_message(&m, false);
	set32(&m, at, 1000);
	return m;
}

static struct bytes deep(void) { return nested(DEPTH_BEYOND); }
static struct bytes no_database(void) { return message_of(0, "{'ping': 1}"); }
static struct bytes database_is_number(void) { return message_of(0, "{'ping': 1, '$db': 3}"); }

static const struct bad_message {
	const char *what;
	struct bytes (*make)(void);
	int code; /* 0: closed */
	const char *line;
} bad_messages[] = {
	{ "size below a header", size_15, 0, "a message says that it has 15 bytes" },
	{ "size below zero", size_negative, 0, "a message says that it has -1 bytes" },
	{ "size over the limit", size_too_large, 0, "a message says that it has 48000001 bytes" },
	{ "compressed", compressed, 0, "a compressed message" },
	{ "unknown opcode", opcode_unknown, 0, "a message of opcode 4711" },
	{ "legacy insert", opcode_insert, 0, "a message of opcode 2002" },
	{ "unknown flags", flags_unknown, 0, "flags that are not known" },
	{ "wrong checksum", checksum_wrong, 0, "checksum" },
	{ "three sequences", three_sequences, 0, "too many document sequences" },
	{ "a header alone", header_alone, 0, "without flags" },
	{ "body past the message", body_longer, 22, "the body has an impossible length" },
	{ "body below zero", body_negative, 22, "the body has an impossible length" },
	{ "body cut short", body_shorter, 22, "the body has an impossible length" },
	{ "bytes behind the body", bytes_behind, 40432, "Unknown section kind 7" },
	{ "two bodies", two_bodies, 40430, "Multiple body sections" },
	{ "no body", no_body, 40587, "must have a body" },
	{ "a sequence twice", sequence_twice, 40431, "Duplicate document sequence: a" },
	{ "sequence and field", sequence_and_field, 40433, "Duplicate field between body and document sequence a" },
	{ "sequence past the message", sequence_longer, 22, "a document sequence has an impossible length" },
	{ "no database", no_database, 40571, "$db" },
	{ "database is a number", database_is_number, 13111, "$db" },
	{ "document past its parent", inner_longer, 22, "invalid BSON" },
	{ "251 levels", deep, 15, "nested object depth" },
};

static void test_bad_messages(void)
{
	int others[2] = { connect_to(listener), connect_to(listener) };

	for (size_t i = 0; i < sizeof bad_messages / sizeof *bad_messages; i++) {
		const struct bad_message *bad = &bad_messages[i];
		int s = connect_to(listener), before = lines();
		struct bytes m = bad->make();
		struct value reply;
		bool good;

		CU_ASSERT(answers(s));
		send_bytes(s, &m);
		bytes_clear(&m);
		reply = receive(s);
		good = bad->code ? number(reply, "code") == bad->code && answers(s) : value_is_missing(reply);
		wait_for_lines(before + 1);
		good = good && lines() == before + 1 && strstr(bytes_text(&log_text), bad->line);
		if (!good)
			fprintf(stderr, "%s: %s; %d lines, the last: %s\n", bad->what,
			        value_is_missing(reply) ? "closed" : harness_text(reply), lines() - before, bytes_text(&log_text));
		CU_ASSERT(good);
		CU_ASSERT(answers(others[0]) && answers(others[1]));
		close(s);
	}
	CU_ASSERT_EQUAL(listener_connections(listener) >= 2, true);
	close(others[0]);
	close(others[1]);
}

static void test_250_levels(void)
{
	int s = connect_to(listener);

	send_and_free(s, nested(DEPTH_BEYOND - 1));
	CU_ASSERT_EQUAL(number(receive(s), "code"), 40415); /* the field "a" is not known, but read */
	close(s);
}

static void test_gone_in_the_middle(void)
{
	int others[2] = { connect_to(listener), connect_to(listener) }, s = connect_to(listener), before = lines();
	struct bytes m = message_of(0, ping);

	CU_ASSERT(answers(s));
	CU_ASSERT_EQUAL(send(s, m.data, m.size - 3, MSG_NOSIGNAL), (ssize_t)m.size - 3);
	CU_ASSERT(answers(others[0])); /* half a message holds up nobody */
	close(s);
	wait_for_lines(before + 1);
	CU_ASSERT_EQUAL(lines(), before + 1);
	CU_ASSERT(strstr(bytes_text(&log_text), "in the middle of a message") != NULL);
	CU_ASSERT(answers(others[0]) && answers(others[1]));
	bytes_clear(&m);
	/* and one that goes between messages is no remark */
	close(others[0]);
	CU_ASSERT(answers(others[1]));
	CU_ASSERT_EQUAL(lines(), before + 1);
	close(others[1]);
}

/* MongoDB stores what is no UTF-8, and so does this: it comes back as it was. */
static void test_invalid_utf8(void)
{
	static const uint8_t text[] = { 'a', 0xff, 0xc3, 'b' };
	struct bytes documents = BYTES_INIT, m = BYTES_INIT;
	uint8_t payload[4 + sizeof text + 1] = { sizeof text + 1 };
	int s = connect_to(listener);
	struct value document, found;
	struct writer w;

	memcpy(payload + 4, text, sizeof text);
	writer_begin(&w, &documents);
	writer_int32(&w, "_id", 1);
	writer_raw(&w, key_of("t"), BSON_TYPE_UTF8, payload, sizeof payload);
	document = writer_finish(&w);
	begin_message(&m, OP_MSG, 0);
	append_body(&m, harness_json("{'insert': 'utf8', '$db': 'wire'}"));
	append_sequence(&m, "documents", &document, 1);
	end_message(&m, false);
	send_and_free(s, m);
	CU_ASSERT_EQUAL(number(receive(s), "n"), 1);
	found = value_get(value_get(ask(s, "{'find': 'utf8', '$db': 'wire'}"), "cursor"), "firstBatch");
	found = value_get(value_get(found, "0"), "t");
	CU_ASSERT_EQUAL(found.size_bytes, sizeof payload);
	CU_ASSERT(found.size_bytes == sizeof payload && !memcmp(found.bytes, payload, sizeof payload));
	bytes_clear(&documents);
	close(s);
}

/* Large messages, slow readers, many clients */

static void fill(const char *collection, int count, size_t size)
{
	struct bytes m = BYTES_INIT, documents = BYTES_INIT, command = BYTES_INIT;
	char *text = harness_keep(calloc(1, size + 1));
	int s = connect_to(listener);

	memset(text, 'x', size);
	for (int i = 0; i < count; i++) {
		struct value document;
		struct writer w;

		bytes_reset(&documents);
		writer_begin(&w, &documents);
		writer_int32(&w, "_id", i);
		writer_text(&w, "t", text);
		document = writer_finish(&w);
		bytes_reset(&m);
		bytes_reset(&command);
		bytes_format(&command, "{'insert': '%s', '$db': 'wire'}", collection);
		begin_message(&m, OP_MSG, 0);
		append_body(&m, harness_json(bytes_text(&command)));
		append_sequence(&m, "documents", &document, 1);
		end_message(&m, false);
		CU_ASSERT(send_bytes(s, &m));
		CU_ASSERT_EQUAL(number(receive(s), "n"), 1);
	}
	bytes_clear(&m);
	bytes_clear(&documents);
	bytes_clear(&command);
	close(s);
}

static void test_largest_message(void)
{
	struct value command = harness_json("{'insert': 'largest', '$db': 'wire'}");
	size_t text_bytes, before;
	struct bytes m = BYTES_INIT, document = BYTES_INIT;
	int s = connect_to(listener);
	char *text;

	/* three documents of the same size, and what is missing to 48,000,000 in the last */
	begin_message(&m, OP_MSG, 0);
	append_body(&m, command);
	before = m.size + 1 + 4 + sizeof "documents";
	text_bytes = (LIMIT_MESSAGE_BYTES - before) / 3;
	bytes_append_byte(&m, 1);
	append32(&m, (uint32_t)(LIMIT_MESSAGE_BYTES - before + 4 + sizeof "documents"));
	bytes_append(&m, "documents", sizeof "documents");
	text = calloc(1, text_bytes + 4);
	memset(text, 'x', text_bytes);
	for (int i = 0; i < 3; i++) {
		size_t size = i < 2 ? text_bytes : LIMIT_MESSAGE_BYTES - m.size, end;
		struct writer w;

		bytes_reset(&document);
		writer_begin(&w, &document);
		writer_int32(&w, "_id", i);
		end = size - (document.size + 1 + 2 + 4 + 1 + 1);
		writer_raw(&w, key_of("t"), BSON_TYPE_UTF8, "\0\0\0\0", 4);
		set32(&document, document.size - 4, (uint32_t)end + 1);
		bytes_append(&document, memset(text, 'x', end), end);
		bytes_append_byte(&document, 0);
		writer_finish(&w);
		bytes_append(&m, document.data, document.size);
	}
	CU_ASSERT_EQUAL(m.size, LIMIT_MESSAGE_BYTES);
	end_message(&m, false);
	CU_ASSERT(send_bytes(s, &m));
	CU_ASSERT_EQUAL(number(receive(s), "n"), 3);
	free(text);
	bytes_clear(&m);
	bytes_clear(&document);
	close(s);
}

static void test_slow_reader(void)
{
	enum { QUESTIONS = 8 };
	int s = connect_to(listener), other = connect_to(listener);
	struct bytes m = message_of(0, "{'find': 'wide', '$db': 'wire'}"), all = BYTES_INIT;

	fill("wide", 10, 1000000);
	for (int i = 0; i < QUESTIONS; i++)
		bytes_append(&all, m.data, m.size);
	bytes_clear(&m);
	send_and_free(s, all); /* and reads nothing */
	for (int i = 0; i < 20; i++)
		CU_ASSERT(answers(other));
	for (int i = 0; i < QUESTIONS; i++)
		CU_ASSERT_EQUAL(value_count(value_get(value_get(receive(s), "cursor"), "firstBatch")), 10);
	CU_ASSERT(answers(s));
	/* one that never reads what it asked for, and goes */
	send_and_free(s, message_of(0, "{'find': 'wide', '$db': 'wire'}"));
	close(s);
	CU_ASSERT(answers(other));
	close(other);
}

static void test_many_clients(void)
{
	enum { CLIENTS = 300 };
	int sockets[CLIENTS];

	for (int i = 0; i < CLIENTS; i++)
		sockets[i] = connect_to(listener);
	for (int i = 0; i < CLIENTS; i++)
		send_and_free(sockets[i], message_of(0, "{'count': 'wide', '$db': 'wire'}"));
	for (int i = CLIENTS; i-- > 0;)
		CU_ASSERT_EQUAL(number(receive(sockets[i]), "n"), 10);
	CU_ASSERT(listener_connections(listener) >= CLIENTS);
	for (int i = 0; i < CLIENTS; i++)
		close(sockets[i]);
}

/* Minutes of work unless it is stopped. */
static const char endless[] =
	"{'aggregate': 1, 'pipeline': [{'$documents': {'$map': {'input': {'$range': [0, 30000]}, 'in': {'a': '$$this'}}}},"
	"{'$lookup': {'from': 'many', 'let': {'a': '$a'}, 'pipeline': [{'$match': {'$expr': {'$gt': [{'$add': ['$$a', '$n']}, 1e9]}}}],"
	"'as': 'j'}}, {'$match': {'j.a': 1}}], 'cursor': {}, '$db': 'wire'%s}";

static const char *endless_with(const char *more)
{
	struct bytes text = BYTES_INIT;

	bytes_format(&text, endless, more);
	return harness_keep(bytes_take_text(&text));
}

static void fill_many(void)
{
	int s = connect_to(listener);
	struct bytes text = BYTES_INIT;

	bytes_append_text(&text, "{'insert': 'many', '$db': 'wire', 'documents': [");
	for (int i = 0; i < 20000; i++)
		bytes_format(&text, "%s{'n': %d}", i ? "," : "", i);
	bytes_append_text(&text, "]}");
	CU_ASSERT_EQUAL(number(ask(s, bytes_text(&text)), "n"), 20000);
	bytes_clear(&text);
	close(s);
}

static void test_slow_command(void)
{
	struct listener *own = start(0);
	int slow = connect_to(own), other = connect_to(own), waiting = connect_to(own), late;
	struct pollfd look = { slow, POLLIN, 0 };
	struct bytes m;

	fill_many();
	send_and_free(slow, message_of(0, endless_with(", 'maxTimeMS': 3600000")));
	usleep(100000);
	send_and_free(waiting, message_of(0, "{'count': 'many', '$db': 'wire'}"));
	for (int i = 0; i < 20; i++)
		CU_ASSERT(answers(other)); /* not one that needs the engine */
	late = connect_to(own);
	CU_ASSERT(is_ok(ask(late, "{'hello': 1, '$db': 'admin'}")));
	m = nested(DEPTH_BEYOND); /* refused without the engine */
	send_and_free(late, m);
	CU_ASSERT_EQUAL(number(receive(late), "code"), 15);
	CU_ASSERT_EQUAL(poll(&look, 1, 0), 0); /* all that while it ran */
	listener_destroy(own);
	CU_ASSERT(value_is_missing(receive(waiting)));
	close(slow);
	close(other);
	close(waiting);
	close(late);
}

static void test_time_limit(void)
{
	struct listener *own = start(50);
	int slow = connect_to(own), waiting = connect_to(own);

	send_and_free(slow, message_of(0, endless_with("")));
	send_and_free(waiting, message_of(0, "{'count': 'many', '$db': 'wire'}"));
	CU_ASSERT_EQUAL(number(receive(slow), "code"), 50);
	CU_ASSERT_EQUAL(number(receive(waiting), "n"), 20000);
	CU_ASSERT_EQUAL(number(ask(slow, endless_with(", 'maxTimeMS': 20")), "code"), 50);
	CU_ASSERT(answers(slow));
	listener_destroy(own);
	close(slow);
	close(waiting);
}

/* Cursors and sessions */

#define SESSION(digit) "'lsid': {'id': {'$uuid': '0" #digit "000000-0000-4000-8000-000000000000'}}"

static const char *get_more(int64_t id, const char *rest)
{
	struct bytes text = BYTES_INIT;

	bytes_format(&text, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'many', '$db': 'wire'%s}", (long long)id, rest);
	return harness_keep(bytes_take_text(&text));
}

static int64_t open_cursor(int s, const char *rest)
{
	struct bytes text = BYTES_INIT;
	int64_t id;

	bytes_format(&text, "{'find': 'many', 'batchSize': 2, '$db': 'wire'%s}", rest);
	id = number(value_get(ask(s, bytes_text(&text)), "cursor"), "id");
	bytes_clear(&text);
	CU_ASSERT(id != 0);
	return id;
}

static void test_cursors(void)
{
	int s = connect_to(listener), other = connect_to(listener);
	int64_t id = open_cursor(s, ", " SESSION(1)), bare = open_cursor(s, "");
	struct value reply;

	reply = ask(other, get_more(id, ", " SESSION(2)));
	CU_ASSERT_EQUAL(number(reply, "code"), 50738);
	CU_ASSERT(strstr(harness_text(reply), "which was created in session 01000000-0000-4000-8000-000000000000 - "
	                                      "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= -  - , in session 02000000-") != NULL);
	CU_ASSERT_EQUAL(number(ask(other, get_more(id, "")), "code"), 50737);
	CU_ASSERT_EQUAL(number(ask(other, get_more(bare, ", " SESSION(2))), "code"), 50736);
	/* a session may go over any connection, and a cursor without one too */
	CU_ASSERT(is_ok(ask(other, get_more(id, ", 'batchSize': 2, " SESSION(1)))));
	CU_ASSERT(is_ok(ask(other, get_more(bare, ", 'batchSize': 2"))));
	/* it ends with its session, the other stays */
	CU_ASSERT(is_ok(ask(other, "{'endSessions': [{'id': {'$uuid': '01000000-0000-4000-8000-000000000000'}}], '$db': 'admin'}")));
	CU_ASSERT_EQUAL(number(ask(s, get_more(id, ", " SESSION(1))), "code"), 43);
	CU_ASSERT(is_ok(ask(s, get_more(bare, ", 'batchSize': 2"))));
	close(s);
	close(other);
}

static _Atomic int64_t minutes;

static int64_t test_clock(void)
{
	return atomic_load(&minutes) * 60000000;
}

/* A client that went away leaves its cursors for ten minutes, those of a session until it runs out. */
static void test_cursor_timeout(void)
{
	int gone = connect_to(listener), s = connect_to(listener);
	int64_t bare, other, patient, held, left_alone;

	engine_set_clock(engine, test_clock);
	bare = open_cursor(gone, "");
	other = open_cursor(gone, "");
	patient = open_cursor(gone, ", 'noCursorTimeout': true");
	held = open_cursor(gone, ", " SESSION(3));
	left_alone = open_cursor(gone, ", " SESSION(4));
	close(gone);
	atomic_store(&minutes, 10);
	CU_ASSERT(is_ok(ask(s, get_more(other, ", 'batchSize': 2")))); /* used: ten minutes more */
	CU_ASSERT(is_ok(ask(s, "{'count': 'many', '$db': 'wire', " SESSION(3) "}")));
	atomic_store(&minutes, 11);
	CU_ASSERT_EQUAL(number(ask(s, get_more(bare, "")), "code"), 43);
	CU_ASSERT(is_ok(ask(s, get_more(other, ", 'batchSize': 2"))));
	atomic_store(&minutes, 31);
	CU_ASSERT_EQUAL(number(ask(s, get_more(other, "")), "code"), 43);
	CU_ASSERT_EQUAL(number(ask(s, get_more(left_alone, ", " SESSION(4))), "code"), 43);
	CU_ASSERT(is_ok(ask(s, get_more(held, ", 'batchSize': 2, " SESSION(3)))));
	CU_ASSERT(is_ok(ask(s, get_more(patient, ", 'batchSize': 2"))));
	engine_set_clock(engine, interrupt_now_us);
	close(s);
}

/* A driver */

static void test_driver(void)
{
	mongoc_client_t *client = mongoc_client_new(listener_uri(listener));
	mongoc_collection_t *collection = mongoc_client_get_collection(client, "wire", "driver");
	bson_t *filter = BCON_NEW("n", "{", "$lt", BCON_INT32(400), "}");
	mongoc_bulk_operation_t *bulk = mongoc_collection_create_bulk_operation_with_opts(collection, NULL);
	mongoc_cursor_t *cursor;
	const bson_t *document;
	bson_error_t error;
	bson_t reply;
	int count = 0;

	for (int i = 0; i < 500; i++) {
		bson_t *d = BCON_NEW("_id", BCON_INT32(i), "n", BCON_INT32(i));

		mongoc_bulk_operation_insert(bulk, d);
		bson_destroy(d);
	}
	CU_ASSERT(mongoc_bulk_operation_execute(bulk, &reply, &error) != 0);
	bson_destroy(&reply);
	cursor = mongoc_collection_find_with_opts(collection, filter, NULL, NULL);
	while (mongoc_cursor_next(cursor, &document))
		count++;
	CU_ASSERT(!mongoc_cursor_error(cursor, &error));
	CU_ASSERT_EQUAL(count, 400);
	mongoc_cursor_destroy(cursor);
	mongoc_bulk_operation_destroy(bulk);
	mongoc_collection_destroy(collection);
	mongoc_client_destroy(client);
	bson_destroy(filter);
}

/* Addresses */

static void test_addresses(void)
{
	static const char *const refused[] = { "0.0.0.0:27017", "192.168.1.5:27017", "myhost:27017", "::", "[::]:27017", "0.0.0.0", "*:1" };
	static const char *const no_port[] = { "65536", "127.0.0.1:99999", "" };
	bson_error_t error;
	struct address a;

	CU_ASSERT(address_parse("0", &a, &error) && a.port == 0);
	CU_ASSERT(address_parse("27018", &a, &error) && a.port == 27018);
	CU_ASSERT(address_parse("127.0.0.1:65535", &a, &error) && a.port == 65535);
	CU_ASSERT(address_parse("localhost:1", &a, &error) && a.port == 1);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		CU_ASSERT_FALSE(address_parse(refused[i], &a, &error));
		CU_ASSERT(strstr(error.message, "no authentication") != NULL);
	}
	for (size_t i = 0; i < sizeof no_port / sizeof *no_port; i++) {
		CU_ASSERT_FALSE(address_parse(no_port[i], &a, &error));
		CU_ASSERT(strstr(error.message, "port") != NULL);
	}
}

static void test_port_in_use(void)
{
	struct listener_options options = { .address.port = atoi(strrchr(listener_uri(listener), ':') + 1) };
	bson_error_t error;

	CU_ASSERT(listener_new(engine, &options, &error) == NULL);
	CU_ASSERT(strstr(error.message, "in use") != NULL);
}

static void test_unix_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct listener_options options = { .log = keep_line };
	struct bytes path = BYTES_INIT;
	struct listener *own;
	bson_error_t error;
	int s, stale;

	bytes_format(&path, "%s/s.sock", dump_folder());
	options.address.path = bytes_text(&path);
	strcpy(address.sun_path, options.address.path);
	/* one that a program left behind */
	stale = socket(AF_UNIX, SOCK_STREAM, 0);
	CU_ASSERT_EQUAL(bind(stale, (struct sockaddr *)&address, sizeof address), 0);
	close(stale);
	own = listener_new(engine, &options, &error);
	CU_ASSERT_FATAL(own != NULL);
	CU_ASSERT(strstr(listener_uri(own), "%2Fs.sock/") != NULL);
	CU_ASSERT(listener_new(engine, &options, &error) == NULL);
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	CU_ASSERT_EQUAL(connect(s, (struct sockaddr *)&address, sizeof address), 0);
	CU_ASSERT(answers(s));
	/* what was sent before it went away counts on this kind, too */
	send_and_free(s, insert_of(MORE_TO_COME, "local", "{'_id': 1}", "{'_id': 2}"));
	close(s);
	s = socket(AF_UNIX, SOCK_STREAM, 0);
	CU_ASSERT_EQUAL(connect(s, (struct sockaddr *)&address, sizeof address), 0);
	CU_ASSERT_EQUAL(number(ask(s, "{'count': 'local', '$db': 'wire'}"), "n"), 2);
	close(s);
	listener_destroy(own);
	CU_ASSERT(access(options.address.path, F_OK) != 0);
	bytes_clear(&path);
}

/* What clients do at once is done once each. */

static void *insert_many(void *argument)
{
	int s = connect_to(listener);

	for (int i = 0; i < 200; i++) {
		struct bytes text = BYTES_INIT;

		bytes_format(&text, "{'update': 'counter', 'updates': [{'q': {'_id': 1}, 'u': {'$inc': {'n': 1}}, 'upsert': true}], '$db': 'wire'}");
		CU_ASSERT(is_ok(ask(s, bytes_text(&text))));
		bytes_clear(&text);
	}
	close(s);
	return argument;
}

static void test_clients_at_once(void)
{
	pthread_t threads[8];
	struct value found;
	int s;

	for (size_t i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, insert_many, NULL);
	for (size_t i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	s = connect_to(listener);
	found = value_get(value_get(value_get(ask(s, "{'find': 'counter', '$db': 'wire'}"), "cursor"), "firstBatch"), "0");
	CU_ASSERT_EQUAL(number(found, "n"), 1600);
	close(s);
}

/*
 * Messages with some bytes changed, cut, or repeated, each from a client of its own that then says no more: it gets replies or
 * is closed, and another is served. $BSONSCOPE_FUZZ sets how many; the default takes a moment.
 */
static const char *const seeds[] = {
	"{'ping': 1, '$db': 'admin'}",
	"{'hello': 1, 'client': {'driver': {'name': 'x'}}, '$db': 'admin'}",
	"{'find': 'fuzz', 'filter': {'a.b': {'$in': [1, 'x', null]}, 't': {'$regex': '^x'}}, 'sort': {'a': 1}, 'limit': 3, '$db': 'fuzz'}",
	("{'aggregate': 'fuzz', 'pipeline': [{'$match': {'a': {'$gte': 1}}}, {'$group': {'_id': '$b', 'n': {'$sum': '$a'}}}, {'$sort': {'n': -1}}],"
	 "'cursor': {'batchSize': 2}, '$db': 'fuzz'}"),
	"{'update': 'fuzz', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'a.0.b': [1, {'c': 2}]}, '$inc': {'n': 1}}, 'upsert': true}], '$db': 'fuzz'}",
	"{'insert': 'fuzz', 'documents': [{'_id': 1, 'a': [1, 2, {'b': 'x'}]}, {'a': {'$numberDecimal': '1.5'}}], '$db': 'fuzz'}",
	"{'delete': 'fuzz', 'deletes': [{'q': {'a': {'$gt': 1}}, 'limit': 1}], '$db': 'fuzz'}",
	"{'createIndexes': 'fuzz', 'indexes': [{'key': {'a.b': 1, 'c': -1}, 'name': 'x', 'unique': false}], '$db': 'fuzz'}",
	"{'explain': {'find': 'fuzz', 'filter': {'a': 1}}, 'verbosity': 'executionStats', '$db': 'fuzz'}",
	"{'getMore': {'$numberLong': '77'}, 'collection': 'fuzz', 'lsid': {'id': {'$uuid': '01000000-0000-4000-8000-000000000000'}}, '$db': 'fuzz'}",
	"{'endSessions': [{'id': {'$uuid': '01000000-0000-4000-8000-000000000000'}}], '$db': 'admin'}",
	"{'distinct': 'fuzz', 'key': 'a', 'query': {'$or': [{'a': 1}, {'b': 2}]}, '$db': 'fuzz'}",
};

static struct bytes seed_message(struct random *r)
{
	switch (random_below(r, 8)) {
	case 0: return insert_of(random_below(r, 2) ? CHECKSUM : 0, "fuzz", "{'_id': 8, 'a': [1]}", "{'_id': 9}");
	case 1: return query_of("admin.$cmd", 4, "{'isMaster': 1, 'client': {'application': {'name': 'x'}}}");
	default: return message_of(random_below(r, 16) ? 0 : MORE_TO_COME, seeds[random_below(r, sizeof seeds / sizeof *seeds)]);
	}
}

static void mutate(struct random *r, struct bytes *m)
{
	static const uint8_t edges[] = { 0, 1, 2, 3, 4, 5, 7, 0x7f, 0x80, 0xff };

	for (uint32_t changes = 1 + random_below(r, 4); changes; changes--) {
		size_t at = random_below(r, (uint32_t)m->size);

		switch (random_below(r, 6)) {
		case 0: m->data[at] = (uint8_t)random_below(r, 256); break;
		case 1: m->data[at] = edges[random_below(r, sizeof edges)]; break;
		case 2: m->data[at] ^= (uint8_t)(1u << random_below(r, 8)); break;
		case 3: m->size = at + 1; break;
		case 4:
			bytes_reserve(m, m->size);
			bytes_append(m, m->data + at, m->size - at);
			break;
		default: /* the length fits what is there, so that the inside is looked at */
			if (m->size >= MESSAGE_HEADER_BYTES)
				set32(m, 0, (uint32_t)m->size);
			break;
		}
	}
}

static void test_mutations(void)
{
	const char *wanted = getenv("BSONSCOPE_FUZZ");
	int count = wanted ? atoi(wanted) : 1000, other = connect_to(listener);
	struct random r = { 20240917 };
	uint8_t block[4096];

	for (int i = 0; i < count; i++) {
		int s = connect_to(listener);
		struct bytes m = seed_message(&r);
		ssize_t got;

		mutate(&r, &m);
		send_bytes(s, &m);
		shutdown(s, SHUT_WR);
		while ((got = recv(s, block, sizeof block, 0)) > 0)
			;
		CU_ASSERT(got == 0 || errno == ECONNRESET); /* not: nothing came for a minute */
		if (i % 16 == 0)
			CU_ASSERT(answers(other));
		bytes_clear(&m);
		close(s);
	}
	CU_ASSERT(answers(other));
	close(other);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "handshake", test_handshake },
		{ "sections, checksum, no reply, pieces", test_messages },
		{ "fire and forget", test_fire_and_forget },
		{ "bad messages", test_bad_messages },
		{ "250 levels", test_250_levels },
		{ "gone in the middle", test_gone_in_the_middle },
		{ "invalid UTF-8", test_invalid_utf8 },
		{ "largest message", test_largest_message },
		{ "slow reader", test_slow_reader },
		{ "many clients", test_many_clients },
		{ "slow command", test_slow_command },
		{ "time limit", test_time_limit },
		{ "cursors and sessions", test_cursors },
		{ "cursors that nobody uses", test_cursor_timeout },
		{ "a driver", test_driver },
		{ "addresses", test_addresses },
		{ "port in use", test_port_in_use },
		{ "unix socket", test_unix_socket },
		{ "clients at once", test_clients_at_once },
		{ "mutated messages", test_mutations },
		{ NULL, NULL }
	};
	int status;

	mongoc_init();
	engine = engine_new();
	listener = start(0);
	status = harness_run("listener", cases);
	listener_destroy(listener);
	engine_destroy(engine);
	bytes_clear(&log_text);
	mongoc_cleanup();
	return status;
}
