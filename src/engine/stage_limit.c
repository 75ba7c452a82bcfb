/* $limit and $skip. */
#include "engine/pipeline_document.h"

#include <math.h>
#include <stdlib.h>

#include "engine/pipeline_stage.h"

struct limit {
	struct stage stage;
	int64_t amount;
	int64_t seen;
};

static enum stage_status limit_next(struct stage *s, struct row *row)
{
	struct limit *l = (struct limit *)s;

	if (l->seen >= l->amount)
		return STAGE_END;
	l->seen++;
	return stage_next(s->input, row);
}

static enum stage_status skip_next(struct stage *s, struct row *row)
{
	struct limit *l = (struct limit *)s;
	enum stage_status status;

	for (; l->seen < l->amount; l->seen++) {
		status = stage_next(s->input, row);
		if (status != STAGE_ADVANCED)
			return status;
	}
	return stage_next(s->input, row);
}

static void limit_reset(struct stage *s)
{
	((struct limit *)s)->seen = 0;
}

static void limit_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	writer_int64(w, s->type->name, ((const struct limit *)s)->amount);
}

static enum stage_needs limit_needs(const struct stage *s, struct pipeline_fields *fields)
{
	(void)s;
	(void)fields;
	return NEEDS_MORE;
}

const struct pipeline_stage_type stage_limit_type = {
	.stage = { .name = "$limit", .next = limit_next, .explain = limit_explain },
	.reset = limit_reset,
	.needs = limit_needs,
};

const struct pipeline_stage_type stage_skip_type = {
	.stage = { .name = "$skip", .next = skip_next, .explain = limit_explain },
	.reset = limit_reset,
	.needs = limit_needs,
};

int64_t *stage_limit_amount(struct stage *s)
{
	return &((struct limit *)s)->amount;
}

static void add(struct pipeline_parser *p, const struct pipeline_stage_type *type, int64_t amount)
{
	((struct limit *)pipeline_add_stage(p, type, sizeof(struct limit)))->amount = amount;
}

void stage_skip_add(struct pipeline_parser *p, int64_t amount)
{
	add(p, &stage_skip_type, amount);
}

/* Why a number will not do as a count of documents; null when it does. */
static const char *refuse_amount(struct value v, int64_t *amount)
{
	double d = value_as_double(v);

	if (!value_is_number(v))
		return "Expected a number in";
	if (isnan(d))
		return "Expected an integer, but found NaN in";
	if (d >= 9223372036854775808.0 || d < -9223372036854775808.0)
		return "Cannot represent as a 64-bit integer";
	if (!value_as_int64(v, amount))
		return "Expected an integer";
	return *amount < 0 ? "Expected a non-negative number in" : NULL;
}

static bool parse_amount(struct pipeline_parser *p, const char *name, struct value v, uint32_t code, int64_t *amount)
{
	const char *reason = refuse_amount(v, amount);
	char *element;

	if (!reason)
		return true;
	element = element_text(name, v);
	pipeline_refuse(p, code, "invalid argument to %s stage: %s: %s", name, reason, element);
	free(element);
	return false;
}

bool stage_limit_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	int64_t amount;

	if (!parse_amount(p, name, specification, 5107201, &amount))
		return false;
	if (!amount)
		return pipeline_refuse(p, 15958, "the limit must be positive");
	add(p, &stage_limit_type, amount);
	return true;
}

bool stage_skip_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	int64_t amount;

	if (!parse_amount(p, name, specification, 5107200, &amount))
		return false;
	add(p, &stage_skip_type, amount);
	return true;
}
