#include "base/inflate.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

enum { GZIP_WINDOW = 15 + 16, INPUT_BLOCK = 1 << 30 };

struct inflater {
	z_stream stream;
	inflate_source *next;
	void *context;
	const uint8_t *block; /* what it handed out last */
	size_t left;          /* of that, not handed to zlib yet, which counts in 32 bits */
	size_t given;         /* handed to zlib, of all blocks */
	bool ended;           /* there is no further block */
	bool between;         /* a member has ended */
};

static bool no_more(void *context, const uint8_t **block, size_t *size_bytes, bson_error_t *error)
{
	(void)context;
	(void)error;
	*block = NULL;
	*size_bytes = 0;
	return true;
}

struct inflater *inflater_new_from(inflate_source *next, void *context)
{
	struct inflater *i = memory_allocate_zeroed(1, sizeof *i);

	i->next = next;
	i->context = context;
	if (inflateInit2(&i->stream, GZIP_WINDOW) != Z_OK)
		abort();
	return i;
}

struct inflater *inflater_new(const uint8_t *packed, size_t size_bytes)
{
	struct inflater *i = inflater_new_from(no_more, NULL);

	i->block = packed;
	i->left = size_bytes;
	return i;
}

void inflater_destroy(struct inflater *i)
{
	if (!i)
		return;
	inflateEnd(&i->stream);
	free(i);
}

size_t inflater_position(const struct inflater *i)
{
	return i->given - i->stream.avail_in;
}

/* Nothing is given any more at the end. */
static bool feed(struct inflater *i, bson_error_t *error)
{
	size_t size;

	if (i->stream.avail_in)
		return true;
	if (!i->left && !i->ended) {
		if (!i->next(i->context, &i->block, &i->left, error))
			return false;
		i->ended = !i->left;
	}
	size = i->left < INPUT_BLOCK ? i->left : INPUT_BLOCK;
	if (!size)
		return true;
	i->stream.next_in = (Bytef *)(uintptr_t)i->block;
	i->stream.avail_in = (uInt)size;
	i->block += size;
	i->left -= size;
	i->given += size;
	return true;
}

static bool fail(const struct inflater *i, const char *reason, bson_error_t *error)
{
	return error_set(error, ERROR_INPUT, 0, "cannot be unpacked from packed byte %zu on: %s", inflater_position(i), reason);
}

bool inflater_next(struct inflater *i, uint8_t *buffer, size_t capacity, size_t *got, bson_error_t *error)
{
	*got = 0;
	i->stream.next_out = buffer;
	i->stream.avail_out = (uInt)capacity;
	while (i->stream.avail_out) {
		int status;

		if (!feed(i, error))
			return false;
		if (!i->stream.avail_in) {
			*got = capacity - i->stream.avail_out;
			/* what came out is handed over first: the next call fails */
			return i->between || !i->given || *got > 0 || fail(i, "the file ends in the middle", error);
		}
		if (i->between) {
			if (inflateReset(&i->stream) != Z_OK)
				abort();
			i->between = false;
		}
		status = inflate(&i->stream, Z_NO_FLUSH);
		*got = capacity - i->stream.avail_out;
		if (status == Z_STREAM_END)
			i->between = true;
		else if (status != Z_OK && status != Z_BUF_ERROR)
			return *got > 0 || fail(i, i->stream.msg ? i->stream.msg : "not gzip", error);
	}
	return true;
}

bool inflate_all(const uint8_t *packed, size_t size_bytes, size_t limit_bytes, struct bytes *out, bson_error_t *error)
{
	enum { BLOCK = 65536 };
	struct inflater *i = inflater_new(packed, size_bytes);
	size_t got = 1;
	bool good = true;

	while (good && got) {
		bytes_reserve(out, BLOCK);
		good = inflater_next(i, out->data + out->size, BLOCK, &got, error);
		out->size += got;
		if (good && out->size > limit_bytes)
			good = error_set(error, ERROR_INPUT, 0, "unpacks to more than %zu bytes", limit_bytes);
	}
	inflater_destroy(i);
	return good;
}
