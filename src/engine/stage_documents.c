/* $documents: documents written in the pipeline itself. */
#include <stdlib.h>

#include "engine/expression.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"

struct documents {
	struct stage stage;
	struct expression *list;
	struct arena arena;
	struct walk elements;
	bool begun;
};

static bool begin(struct documents *d)
{
	static const uint8_t nothing[5] = { 5, 0, 0, 0, 0 };
	struct value list;

	arena_reset(&d->arena);
	if (!expression_evaluate(d->list, d->stage.execution, &d->arena,
	                         (struct value){ nothing, sizeof nothing, BSON_TYPE_DOCUMENT }, &list))
		return false;
	if (!value_is_array(list))
		return execution_fail(d->stage.execution, 5858203, "an array is expected");
	/* what the walk goes over must not move: the constant's bytes and the arena do not */
	walk_begin(&d->elements, list);
	d->begun = true;
	return true;
}

static enum stage_status documents_next(struct stage *s, struct row *row)
{
	struct documents *d = (struct documents *)s;
	struct field f;
	char *text;

	if (!d->begun && !begin(d))
		return STAGE_FAILED;
	if (!walk_next(&d->elements, &f))
		return STAGE_END;
	if (!value_is_document(f.value)) {
		text = value_text_of(f.value);
		execution_fail(s->execution, 40228,
		               "'newRoot' expression must evaluate to an object, but resulting value was: "
		               "%s. Type of resulting value: '%s'.",
		               text, value_type_name(f.value.type));
		free(text);
		return STAGE_FAILED;
	}
	*row = (struct row){ f.value, RECORD_NONE };
	return STAGE_ADVANCED;
}

static void documents_reset(struct stage *s)
{
	((struct documents *)s)->begun = false;
}

static void documents_destroy(struct stage *s)
{
	struct documents *d = (struct documents *)s;

	expression_destroy(d->list);
	arena_clear(&d->arena);
}

static void documents_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	expression_write(((const struct documents *)s)->list, w, key_of("$documents"));
}

static const struct pipeline_stage_type stage_documents_type = {
	.stage = { .name = "$documents",
	           .next = documents_next,
	           .destroy = documents_destroy,
	           .explain = documents_explain },
	.reset = documents_reset,
};

bool stage_documents_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct documents *d = pipeline_add_stage(p, &stage_documents_type, sizeof *d);

	(void)name;
	arena_init(&d->arena);
	d->list = pipeline_expression(p, specification);
	return d->list != NULL;
}
