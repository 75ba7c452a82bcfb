/* $sample: a random choice of its input, each document as likely as any other, in random order. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"

struct sample {
	struct stage stage;
	int64_t size;
	struct bytes *chosen; /* at most `size` */
	size_t count, capacity, given;
	int64_t seen;
	bool filled;
	uint64_t state; /* of the generator */
};

/* xorshift64*: enough for a choice, and its own for each stage. */
static uint64_t next_random(struct sample *s)
{
	s->state ^= s->state >> 12;
	s->state ^= s->state << 25;
	s->state ^= s->state >> 27;
	return s->state * 2685821657736338717u;
}

static struct bytes *place_for(struct sample *s)
{
	uint64_t at;

	s->seen++;
	if ((int64_t)s->count < s->size) {
		s->chosen = memory_grow(s->chosen, &s->capacity, s->count + 1, sizeof *s->chosen);
		bytes_init(&s->chosen[s->count]);
		return &s->chosen[s->count++];
	}
	at = next_random(s) % (uint64_t)s->seen;
	return at < s->count ? &s->chosen[at] : NULL;
}

static enum stage_status fill(struct sample *s)
{
	enum stage_status status;
	struct bytes *place;
	struct row row;

	while ((status = stage_next(s->stage.input, &row)) == STAGE_ADVANCED) {
		if (!execution_tick(s->stage.execution))
			return STAGE_FAILED;
		place = place_for(s);
		if (!place)
			continue;
		bytes_reset(place);
		bytes_append(place, row.document.bytes, row.document.size_bytes);
	}
	for (size_t i = s->count; i > 1; i--) {
		size_t other = (size_t)(next_random(s) % i);
		struct bytes swapped = s->chosen[other];

		s->chosen[other] = s->chosen[i - 1];
		s->chosen[i - 1] = swapped;
	}
	s->filled = status == STAGE_END;
	return status;
}

static enum stage_status sample_next(struct stage *stage, struct row *row)
{
	struct sample *s = (struct sample *)stage;
	const struct bytes *next;

	if (!s->filled && fill(s) == STAGE_FAILED)
		return STAGE_FAILED;
	if (s->given == s->count)
		return STAGE_END;
	next = &s->chosen[s->given++];
	*row = (struct row){ { next->data, (uint32_t)next->size, BSON_TYPE_DOCUMENT }, RECORD_NONE };
	return STAGE_ADVANCED;
}

static void sample_reset(struct stage *stage)
{
	struct sample *s = (struct sample *)stage;

	for (size_t i = 0; i < s->count; i++)
		bytes_clear(&s->chosen[i]);
	s->count = s->given = 0;
	s->seen = 0;
	s->filled = false;
}

static void sample_destroy(struct stage *stage)
{
	sample_reset(stage);
	free(((struct sample *)stage)->chosen);
}

static void sample_explain(const struct stage *stage, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	writer_begin_document(w, key_of("$sample"));
	writer_int64(w, "size", ((const struct sample *)stage)->size);
	writer_end(w);
}

static enum stage_needs sample_needs(const struct stage *stage, struct pipeline_fields *fields)
{
	(void)stage;
	(void)fields;
	return NEEDS_MORE;
}

static const struct pipeline_stage_type stage_sample_type = {
	.stage = { .name = "$sample", .next = sample_next, .destroy = sample_destroy, .explain = sample_explain },
	.reset = sample_reset,
	.needs = sample_needs,
};

static bool parse_size(struct value v, int64_t *size, bson_error_t *error)
{
	double d = value_as_double(v);

	if (!value_is_number(v))
		return error_set(error, ERROR_SERVER, 28746, "size argument to $sample must be a number");
	if (!value_as_int64(v, size))
		*size = d >= 9223372036854775807.0 ? INT64_MAX : d > 0 ? (int64_t)d : 0;
	return *size > 0 ||
	       error_set(error, ERROR_SERVER, 28747, "size argument to $sample must be a positive integer");
}

bool stage_sample_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct sample *s;
	struct walk w;
	struct field f;
	int64_t size = 0;

	(void)name;
	if (!value_is_document(specification))
		return pipeline_refuse(p, 28745, "the $sample stage specification must be an object");
	for (walk_begin(&w, specification); walk_next(&w, &f);) {
		if (!key_is(f.key, "size"))
			return pipeline_refuse(p, 28748, "unrecognized option to $sample: %s", f.key.bytes);
		if (!parse_size(f.value, &size, p->error))
			return false;
	}
	if (!size)
		return pipeline_refuse(p, 28749, "$sample stage must specify a size");
	s = pipeline_add_stage(p, &stage_sample_type, sizeof *s);
	s->size = size;
	s->state = (uint64_t)interrupt_now_us() * 2654435761u + (uint64_t)(uintptr_t)s + 1;
	return true;
}
