#include "listener/message.h"

#include <string.h>

#include "base/limits.h"
#include "bson/check.h"
#include "bson/writer.h"

enum { OP_REPLY = 1, OP_QUERY = 2004, OP_COMPRESSED = 2012, OP_MSG = 2013 };
enum { CHECKSUM_PRESENT = 1, MORE_TO_COME = 2, REQUIRED_FLAGS = 0xffff };
enum { QUERY_FAILURE = 2, AWAIT_CAPABLE = 8 };
enum { SECTION_BODY = 0, SECTION_SEQUENCE = 1, MOST_SEQUENCES = 2 };

/* The bytes that are left of a message. */
struct rest {
	const uint8_t *at, *end;
};

struct sequence {
	struct key name;
	struct rest documents;
};

struct sections {
	struct value body;
	struct sequence sequences[MOST_SEQUENCES];
	int count;
};

static uint32_t read_number(const uint8_t *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof n);
	return BSON_UINT32_FROM_LE(n);
}

static void append_number(struct bytes *out, int32_t n)
{
	uint32_t le = BSON_UINT32_TO_LE((uint32_t)n);

	bytes_append(out, &le, sizeof le);
}

static size_t left(const struct rest *r)
{
	return (size_t)(r->end - r->at);
}

static enum message_verdict refuse(bson_error_t *error, uint32_t code, const char *text)
{
	error_set(error, ERROR_SERVER, code, "%s", text);
	return MESSAGE_REFUSED;
}

static enum message_verdict give_up(bson_error_t *error, const char *text)
{
	error_set(error, ERROR_INPUT, 0, "%s", text);
	return MESSAGE_FATAL;
}

uint32_t message_checksum(const uint8_t *bytes, size_t size_bytes)
{
	/* of the 16 values of half a byte; the polynomial, reflected, is 0x82F63B78 */
	static const uint32_t table[16] = { 0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
		                            0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
		                            0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75 };
	uint32_t crc = ~0u;

	for (size_t i = 0; i < size_bytes; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

bool message_size(const uint8_t *bytes, size_t available, size_t *size_bytes, bson_error_t *error)
{
	*size_bytes = 0;
	if (available < 4)
		return true;
	*size_bytes = read_number(bytes);
	if (*size_bytes < MESSAGE_HEADER_BYTES || *size_bytes > LIMIT_MESSAGE_BYTES)
		return error_set(error, ERROR_INPUT, 0, "a message says that it has %d bytes; %d to %d are possible",
		                 (int)(int32_t)read_number(bytes), MESSAGE_HEADER_BYTES, LIMIT_MESSAGE_BYTES);
	if (available < MESSAGE_HEADER_BYTES)
		*size_bytes = 0;
	return true;
}

/* A text with its end. False: there is none. */
static bool take_text(struct rest *r, struct key *text)
{
	const uint8_t *nul = memchr(r->at, 0, left(r));

	if (!nul)
		return false;
	*text = (struct key){ (const char *)r->at, (uint32_t)(nul - r->at) };
	r->at = nul + 1;
	return true;
}

static bool take_document(struct rest *r, struct value *document)
{
	if (!value_document(document, r->at, left(r)))
		return false;
	r->at += document->size_bytes;
	return true;
}

static enum message_verdict refuse_document(bson_error_t *error, const char *where)
{
	error_set(error, ERROR_SERVER, CODE_InvalidBSON, "invalid BSON in the message: %s has an impossible length", where);
	return MESSAGE_REFUSED;
}

static enum message_verdict take_sequence(struct rest *r, struct sections *s, bson_error_t *error)
{
	struct sequence *sequence = &s->sequences[s->count];
	size_t size = left(r) < 4 ? 0 : read_number(r->at);
	struct value document;
	struct rest inside;

	if (s->count == MOST_SEQUENCES)
		return give_up(error, "too many document sequences in OP_MSG");
	if (size < 4 || size > left(r))
		return refuse_document(error, "a document sequence");
	inside = (struct rest){ r->at + 4, r->at + size };
	r->at += size;
	if (!take_text(&inside, &sequence->name))
		return refuse_document(error, "the name of a document sequence");
	for (int i = 0; i < s->count; i++)
		if (key_equal(s->sequences[i].name, sequence->name)) {
			error_set(error, ERROR_SERVER, 40431, "Duplicate document sequence: %.100s", sequence->name.bytes);
			return MESSAGE_REFUSED;
		}
	sequence->documents = inside;
	while (left(&inside))
		if (!take_document(&inside, &document))
			return refuse_document(error, "a document of a sequence");
		else if (!check_document(document, error))
			return MESSAGE_REFUSED;
	s->count++;
	return MESSAGE_GOOD;
}

static enum message_verdict take_sections(struct rest *r, struct sections *s, bson_error_t *error)
{
	s->body = value_missing();
	s->count = 0;
	while (left(r)) {
		uint8_t kind = *r->at++;
		enum message_verdict verdict = MESSAGE_GOOD;

		if (kind == SECTION_SEQUENCE) {
			verdict = take_sequence(r, s, error);
		} else if (kind != SECTION_BODY) {
			error_set(error, ERROR_SERVER, 40432, "Unknown section kind %u", kind);
			verdict = MESSAGE_REFUSED;
		} else if (!value_is_missing(s->body)) {
			verdict = refuse(error, 40430, "Multiple body sections in message");
		} else if (!take_document(r, &s->body)) {
			verdict = refuse_document(error, "the body");
		} else if (!check_document(s->body, error)) {
			verdict = MESSAGE_REFUSED;
		}
		if (verdict != MESSAGE_GOOD)
			return verdict;
	}
	return value_is_missing(s->body) ? refuse(error, 40587, "OP_MSG messages must have a body") : MESSAGE_GOOD;
}

/* The body with its sequences as arrays behind it. */
static enum message_verdict assemble(const struct sections *s, struct bytes *out, struct value *command, bson_error_t *error)
{
	struct writer w;

	writer_begin(&w, out);
	writer_fields(&w, s->body);
	for (int i = 0; i < s->count; i++) {
		struct rest documents = s->sequences[i].documents;
		struct value document;

		if (!value_is_missing(value_get_key(s->body, s->sequences[i].name))) {
			error_set(error, ERROR_SERVER, 40433, "Duplicate field between body and document sequence %.100s",
			          s->sequences[i].name.bytes);
			return MESSAGE_REFUSED;
		}
		writer_begin_array(&w, s->sequences[i].name);
		while (take_document(&documents, &document))
			writer_value(&w, key_of(""), document);
		writer_end(&w);
	}
	*command = writer_finish(&w);
	return MESSAGE_GOOD;
}

static enum message_verdict find_database(struct message *m, bson_error_t *error)
{
	struct value db = value_get(m->command, "$db");

	if (value_is_missing(db))
		return refuse(error, 40571, "OP_MSG requests require a $db argument");
	if (db.type != BSON_TYPE_UTF8) {
		error_set(error, ERROR_SERVER, 13111, "wrong type for field ($db) %s != string", value_type_name(db.type));
		return MESSAGE_REFUSED;
	}
	m->db = value_text(db).bytes;
	if (strlen(m->db) != value_text(db).size_bytes)
		return refuse(error, CODE_InvalidNamespace, "namespaces cannot have embedded null characters");
	return MESSAGE_GOOD;
}

static enum message_verdict read_msg(const uint8_t *bytes, size_t size_bytes, struct bytes *assembled, struct message *m,
                                     bson_error_t *error)
{
	struct rest r = { bytes + MESSAGE_HEADER_BYTES, bytes + size_bytes };
	enum message_verdict verdict;
	struct sections sections;
	uint32_t flags;

	if (left(&r) < 4)
		return give_up(error, "an OP_MSG without flags");
	flags = read_number(r.at);
	r.at += 4;
	m->wants_reply = !(flags & MORE_TO_COME);
	if (flags & REQUIRED_FLAGS & ~(uint32_t)(CHECKSUM_PRESENT | MORE_TO_COME))
		return give_up(error, "an OP_MSG with flags that are not known");
	if (flags & CHECKSUM_PRESENT) {
		if (left(&r) < 4 || read_number(r.end - 4) != message_checksum(bytes, size_bytes - 4))
			return give_up(error, "OP_MSG checksum does not match contents");
		r.end -= 4;
	}
	verdict = take_sections(&r, &sections, error);
	m->command = sections.body;
	if (verdict == MESSAGE_GOOD && sections.count)
		verdict = assemble(&sections, assembled, &m->command, error);
	return verdict == MESSAGE_GOOD ? find_database(m, error) : verdict;
}

/* Drivers begin so; what else this opcode could do once is gone, and the words are MongoDB's. */
static enum message_verdict check_query(struct message *m, struct key collection, bson_error_t *error)
{
	static const char *const allowed[] = { "hello", "isMaster", "ismaster", "buildInfo", "buildinfo" };
	static const char suffix[] = ".$cmd";
	size_t tail = sizeof suffix - 1;
	struct walk w;
	struct field first = { .key = key_of("") };

	if (collection.size_bytes < tail || strcmp(collection.bytes + collection.size_bytes - tail, suffix) != 0) {
		m->fails = true;
		return refuse(error, 5739101, "OP_QUERY is no longer supported. The client driver may require an upgrade. For more "
		                              "details see https://dochub.mongodb.org/core/legacy-opcode-removal");
	}
	walk_begin(&w, m->command);
	walk_next(&w, &first);
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		if (key_is(first.key, allowed[i]))
			return MESSAGE_GOOD;
	error_set(error, ERROR_SERVER, CODE_UnsupportedOpQueryCommand,
	          "Unsupported OP_QUERY command: %.*s. The client driver may require an upgrade. For more details see "
	          "https://dochub.mongodb.org/core/legacy-opcode-removal",
	          (int)(first.key.size_bytes < 100 ? first.key.size_bytes : 100), first.key.bytes);
	return MESSAGE_REFUSED;
}

static enum message_verdict read_query(const uint8_t *bytes, size_t size_bytes, struct message *m, bson_error_t *error)
{
	struct rest r = { bytes + MESSAGE_HEADER_BYTES, bytes + size_bytes };
	struct key collection;
	struct value inner;

	/* flags, the collection, how many to skip and to return; the command; perhaps which fields to return */
	if (left(&r) < 4)
		return give_up(error, "an OP_QUERY without flags");
	r.at += 4;
	if (!take_text(&r, &collection) || left(&r) < 8)
		return give_up(error, "an OP_QUERY that is cut off");
	r.at += 8;
	if (!take_document(&r, &m->command))
		return refuse_document(error, "the query");
	if (!check_document(m->command, error))
		return MESSAGE_REFUSED;
	inner = value_get(m->command, "$query");
	if (value_is_document(inner)) /* a read preference stands beside it */
		m->command = inner;
	m->db = "admin"; /* none of the commands allowed looks at a database */
	return check_query(m, collection, error);
}

enum message_verdict message_read(const uint8_t *bytes, size_t size_bytes, struct bytes *assembled, struct message *m,
                                  bson_error_t *error)
{
	bytes_reset(assembled);
	*m = (struct message){ .request = (int32_t)read_number(bytes + 4),
		               .opcode = (int32_t)read_number(bytes + 12),
		               .wants_reply = true,
		               .db = "" };
	switch (m->opcode) {
	case OP_MSG: return read_msg(bytes, size_bytes, assembled, m, error);
	case OP_QUERY: return read_query(bytes, size_bytes, m, error);
	case OP_COMPRESSED: return give_up(error, "a compressed message, which was not offered");
	default:
		error_set(error, ERROR_INPUT, 0, "a message of opcode %d; OP_MSG (%d) is what is spoken here", m->opcode, OP_MSG);
		return MESSAGE_FATAL;
	}
}

size_t message_begin_reply(struct bytes *out, const struct message *m, int32_t request)
{
	static const uint8_t nothing[12] = { 0 };
	size_t start = out->size;

	append_number(out, 0);
	append_number(out, request);
	append_number(out, m->request);
	append_number(out, m->opcode == OP_QUERY ? OP_REPLY : OP_MSG);
	if (m->opcode == OP_QUERY) { /* flags, no cursor, from the first, one document */
		append_number(out, m->fails ? AWAIT_CAPABLE | QUERY_FAILURE : AWAIT_CAPABLE);
		bytes_append(out, nothing, 12);
		append_number(out, 1);
	} else { /* flags, a body */
		bytes_append(out, nothing, 5);
	}
	return start;
}

void message_end_reply(struct bytes *out, size_t start)
{
	uint32_t size = BSON_UINT32_TO_LE((uint32_t)(out->size - start));

	memcpy(out->data + start, &size, sizeof size);
}
