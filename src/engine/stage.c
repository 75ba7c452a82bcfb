#include "engine/stage.h"

#include <assert.h>

int64_t stage_units(int64_t size_bytes)
{
	return (size_bytes + 127) / 128;
}

/* A stage with only `next`: its works are those of its input, and one more when it ends while its input could go on. */
static enum stage_status pull(struct stage *s, struct row *row)
{
	int64_t before = s->input ? s->input->works : 0;
	enum stage_status status = s->type->next(s, row);
	int64_t spent = s->input ? s->input->works - before : 0;

	assert(status != STAGE_NEED_TIME);
	if (!spent || (status == STAGE_END && !s->input->at_end))
		spent++;
	s->works += spent;
	return status;
}

static enum stage_status work_once(struct stage *s, struct row *row)
{
	enum stage_status status;

	if (s->type->work) {
		s->works++;
		status = s->type->work(s, row);
	} else {
		status = pull(s, row);
	}
	s->at_end |= status == STAGE_END;
	if (status == STAGE_ADVANCED) {
		s->advanced++;
		s->units_returned += stage_units(row->document.size_bytes);
	}
	return status;
}

enum stage_status stage_work(struct stage *s, struct row *row)
{
	int64_t start;
	enum stage_status status;

	if (s->execution->failed)
		return STAGE_FAILED;
	if (s->at_end)
		return STAGE_END;
	if (!s->execution->timed)
		return work_once(s, row);
	start = interrupt_now_us();
	status = work_once(s, row);
	s->micros += interrupt_now_us() - start;
	return status;
}

enum stage_status stage_next(struct stage *s, struct row *row)
{
	enum stage_status status;

	do
		status = stage_work(s, row);
	while (status == STAGE_NEED_TIME);
	return status;
}

void stage_destroy(struct stage *s)
{
	struct stage *input = s ? s->input : NULL;

	if (s)
		s->type->destroy(s);
	while (input) {
		struct stage *next = input->next_input;

		stage_destroy(input);
		input = next;
	}
}

void stage_save(struct stage *s)
{
	if (s->type->save)
		s->type->save(s);
	for (s = s->input; s; s = s->next_input)
		stage_save(s);
}
