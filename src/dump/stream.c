#include "dump/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mapping.h"
#include "base/memory.h"
#include "bson/read.h"
#include "base/inflate.h"
#include "dump/spool.h"
#include "engine/store.h"

enum {
	BLOCK_BYTES = 1 << 20,
	WINDOW_BYTES = 1 << 18, /* stays in a processor's own cache */
	DEFLATE_RATIO = 1032, /* a packed byte gives no more than that many */
	JSON_RATIO = 16       /* BSON is at most that many times as long as its JSON: "[]," in an array of a hundred thousand */
};

struct stream {
	char *name;
	enum dump_format format;
	struct mapping file;
	struct inflater *inflater; /* null: the file is not packed */
	bool unpacked;             /* all of it */
	uint8_t *block;            /* what is unpacked, or read of a plain file */
	struct spool plain;        /* what was unpacked */
	struct spool made;         /* BSON made of JSON */
	struct reader reader;
	struct bytes document;
	bool reading, in_array, ended;
	bool failed;               /* unpacking */
	bson_error_t failure;
	bool broken;               /* the text; documents before it are given first */
	bson_error_t break_error;
	size_t at;                 /* of the plain bytes: where the next document begins */
	struct window {
		const uint8_t *bytes;
		size_t from, to;   /* of the plain bytes */
	} window;                  /* where lengths are read */
};

static bool fail(const struct stream *s, const char *reason, bson_error_t *error)
{
	if (!s->inflater && mapping_shrank(&s->file, NULL))
		reason = "the file became shorter while it was read";
	return error_set(error, ERROR_INPUT, 0, "%.200s: offset %zu: %s", s->name, s->at, reason);
}

struct stream *stream_open(const struct dump_file *file, bson_error_t *error)
{
	struct stream *s = memory_allocate_zeroed(1, sizeof *s);
	const char *slash = strrchr(file->path, '/');
	bool good;

	s->name = memory_duplicate_text(slash ? slash + 1 : file->path);
	s->format = file->format;
	s->plain = s->made = (struct spool)SPOOL_INIT;
	good = mapping_open(&s->file, file->path, error);
	if (good && file->gzipped) {
		s->inflater = inflater_new(s->file.bytes, s->file.size_bytes);
		good = spool_open(&s->plain, s->file.size_bytes * DEFLATE_RATIO + BLOCK_BYTES, error);
	}
	s->unpacked = !s->inflater;
	if (good)
		return s;
	stream_close(s);
	return NULL;
}

void stream_close(struct stream *s)
{
	if (!s)
		return;
	inflater_destroy(s->inflater);
	mapping_close(&s->file);
	spool_close(&s->plain);
	spool_close(&s->made);
	bytes_clear(&s->document);
	free(s->block);
	free(s->name);
	free(s);
}

static const uint8_t *plain_bytes(const struct stream *s)
{
	return s->inflater ? s->plain.mapping.bytes : s->file.bytes;
}

static size_t plain_size(const struct stream *s)
{
	return s->inflater ? s->plain.size_bytes : s->file.size_bytes;
}

/* One block more. What does not unpack ends the file. */
static void unpack(struct stream *s)
{
	size_t got;

	s->failed = !inflater_next(s->inflater, s->block, BLOCK_BYTES, &got, &s->failure) ||
	            !spool_append(&s->plain, s->block, got, &s->failure);
	s->unpacked = s->failed || got == 0;
}

/* BSON */

/*
 * Lengths and last bytes are looked at once, in order: those of a plain file in a window that is read, which costs a
 * fifth of touching its pages. The documents themselves are looked at later, where they are mapped.
 */
static void move_window(struct stream *s)
{
	size_t got = s->inflater ? 0 : mapping_read(&s->file, s->at, s->block, WINDOW_BYTES);

	if (got > s->file.size_bytes - s->at) /* it became longer */
		got = s->file.size_bytes - s->at;
	s->window = got ? (struct window){ s->block, s->at, s->at + got } : (struct window){ plain_bytes(s), 0, plain_size(s) };
}

static bool is_in_window(const struct stream *s, size_t size)
{
	return s->at >= s->window.from && s->at <= s->window.to && size <= s->window.to - s->at;
}

static uint8_t byte_at(const struct stream *s, size_t at)
{
	return at < s->window.to ? s->window.bytes[at - s->window.from] : plain_bytes(s)[at];
}

enum cut { CUT_DOCUMENT, CUT_SHORT, CUT_BROKEN };

/*
 * https://bsonspec.org: a document is its length, its fields, and a zero; no server stores more than the internal
 * limit.
 */
static enum cut cut(struct stream *s, struct value *document, int64_t *length)
{
	size_t left = plain_size(s) - s->at;
	uint32_t size;

	*length = -1;
	if (left < sizeof size)
		return CUT_SHORT;
	if (!is_in_window(s, sizeof size))
		move_window(s);
	if (!is_in_window(s, sizeof size)) /* the file lost them just now */
		return CUT_BROKEN;
	memcpy(&size, s->window.bytes + (s->at - s->window.from), sizeof size);
	size = BSON_UINT32_FROM_LE(size);
	*length = (int32_t)size;
	if (size < 5 || size > LIMIT_INTERNAL_BYTES)
		return CUT_BROKEN;
	if (size > left)
		return CUT_SHORT;
	if (!is_in_window(s, size) && size <= WINDOW_BYTES)
		move_window(s);
	if (byte_at(s, s->at + size - 1))
		return CUT_BROKEN;
	*document = (struct value){ plain_bytes(s) + s->at, size, BSON_TYPE_DOCUMENT };
	return CUT_DOCUMENT;
}

static bool fail_cut(struct stream *s, int64_t length, bson_error_t *error)
{
	size_t left = plain_size(s) - s->at;
	char reason[128];

	if (left < 4)
		snprintf(reason, sizeof reason, "%zu bytes behind the last document", left);
	else if (length < 5)
		snprintf(reason, sizeof reason, "document length %" PRId64 " is less than 5", length);
	else if ((uint64_t)length > left)
		snprintf(reason, sizeof reason, "document length %" PRId64 " is past the end of the file", length);
	else if (length > LIMIT_INTERNAL_BYTES)
		snprintf(reason, sizeof reason, "document length %" PRId64 " is over the internal limit of %d", length,
		         LIMIT_INTERNAL_BYTES);
	else
		snprintf(reason, sizeof reason, "document of %" PRId64 " bytes without a zero at its end", length);
	return fail(s, reason, error);
}

static bool next_bson(struct stream *s, struct value *documents, size_t capacity, size_t *count, bool *more, bson_error_t *error)
{
	size_t size = plain_size(s);
	int64_t length = -1;
	enum cut found = CUT_SHORT;

	for (*count = 0; *count < capacity && s->at < size; s->at += documents[(*count)++].size_bytes)
		if ((found = cut(s, &documents[*count], &length)) != CUT_DOCUMENT)
			break;
	if (*count || (found == CUT_SHORT && !s->unpacked)) {
		if (!*count)
			unpack(s);
		return true; /* what is broken behind them is found next time */
	}
	*more = false;
	if (s->failed && found == CUT_SHORT)
		return fail(s, s->failure.message, error);
	return s->at == size || fail_cut(s, length, error);
}

/* JSON */

static bool next_text(struct stream *s)
{
	bool at_end = reader_at_end(&s->reader);

	s->at = (size_t)(s->reader.at - s->reader.text);
	return !at_end;
}

static bool skip(struct stream *s, char c)
{
	if (!next_text(s) || *s->reader.at != c)
		return false;
	s->reader.at++;
	return true;
}

static size_t most_text(const struct stream *s)
{
	return s->inflater ? s->plain.mapping.size_bytes : s->file.size_bytes;
}

/* Its first word has to be there: whether it is an array, and one that has documents. */
static bool begin_text(struct stream *s, bson_error_t *error)
{
	const char *text = plain_size(s) ? (const char *)plain_bytes(s) : "";

	reader_init(&s->reader, s->name, text, plain_size(s));
	s->in_array = skip(s, '[');
	s->ended = !next_text(s) || (s->in_array && skip(s, ']'));
	s->reading = s->unpacked || next_text(s);
	if (!s->reading)
		return true;
	if (s->ended && s->in_array && next_text(s))
		return fail(s, "expected nothing behind the array", error);
	return spool_open(&s->made, most_text(s) * JSON_RATIO + BLOCK_BYTES, error);
}

static bool fail_text(struct stream *s, const char *reason, bson_error_t *error)
{
	char text[96];

	snprintf(text, sizeof text, "line %u: %s", s->reader.line, reason);
	return fail(s, text, error);
}

/* Reads one document and what separates it from the next. */
static bool read_text(struct stream *s, bson_error_t *error)
{
	bson_error_t why;
	size_t before = s->document.size;

	if (!next_text(s)) /* an array that was not closed */
		return fail_text(s, "expected a document, found the end of the file", error);
	if (!reader_document(&s->reader, &s->document, &why)) {
		const char *reason = strncmp(why.message, s->name, strlen(s->name)) ? why.message : why.message + strlen(s->name) + 1;

		return fail(s, reason, error);
	}
	if (s->document.size - before > LIMIT_INTERNAL_BYTES) {
		s->document.size = before;
		return fail_text(s, "a document over the internal limit of 16793600 bytes", error);
	}
	if (!s->in_array || !next_text(s)) {
		s->ended = !next_text(s) && !s->in_array;
		return true;
	}
	if (skip(s, ','))
		return true;
	s->ended = skip(s, ']') && !next_text(s);
	return s->ended || fail_text(s, "expected \",\" or \"]\" behind a document of the array", error);
}

/*
 * As many as make up a block. While text is still being unpacked, what cannot be read, or is the last there is, may be
 * cut off: it is read again when there is more. False: so it was.
 */
static bool read_block(struct stream *s, size_t capacity)
{
	bytes_reset(&s->document);
	s->reader.end = s->reader.text + plain_size(s);
	for (size_t count = 0; !s->broken && !s->ended && count < capacity && s->document.size < BLOCK_BYTES; count++) {
		struct reader before = s->reader;
		size_t size = s->document.size;

		s->broken = !read_text(s, &s->break_error);
		if (!s->unpacked && (s->broken || !next_text(s))) {
			s->reader = before;
			s->document.size = size;
			s->broken = s->ended = false;
			return false;
		}
	}
	if (s->broken && s->failed) /* no wonder */
		fail(s, s->failure.message, &s->break_error);
	return true;
}

static bool next_json(struct stream *s, struct value *documents, size_t capacity, size_t *count, bool *more, bson_error_t *error)
{
	size_t at = s->made.size_bytes;
	bson_error_t own;
	bool whole;

	if (!s->reading) {
		if (!s->unpacked)
			unpack(s);
		if (!begin_text(s, error))
			return false;
		at = 0;
		if (!s->reading)
			return true;
	}
	whole = read_block(s, capacity);
	if (!spool_append(&s->made, s->document.data, s->document.size, &own))
		return fail(s, own.message, error);
	while (value_document(&documents[*count], s->made.mapping.bytes + at, s->made.size_bytes - at))
		at += documents[(*count)++].size_bytes;
	if (!whole)
		unpack(s);
	*more = *count > 0 || !whole;
	if (!*more && s->failed && !s->broken) /* the text ends well where its packing is cut off */
		return fail(s, s->failure.message, error);
	if (!*count && s->broken && error)
		*error = s->break_error;
	return *count || !s->broken;
}

bool stream_next(struct stream *s, struct value *documents, size_t capacity, size_t *count, bool *more, bson_error_t *error)
{
	bool good;

	*count = 0;
	*more = true;
	if (!s->block)
		s->block = memory_allocate(BLOCK_BYTES);
	good = (s->format == DUMP_BSON ? next_bson : next_json)(s, documents, capacity, count, more, error);
	if (!good || !*more) { /* there may be thousands of files */
		free(s->block);
		s->block = NULL;
	}
	return good;
}

const char *stream_name(const struct stream *s)
{
	return s->name;
}

int64_t stream_position(const struct stream *s)
{
	return (int64_t)(s->inflater ? inflater_position(s->inflater) : s->at);
}

int64_t stream_size(const struct stream *s)
{
	return (int64_t)s->file.size_bytes;
}

bool stream_shrank(const struct stream *s, int64_t *left_bytes)
{
	return mapping_shrank(&s->file, left_bytes);
}
