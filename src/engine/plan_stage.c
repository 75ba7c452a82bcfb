#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/plan_stages.h"

void *plan_stage_new(size_t size_bytes, const struct stage_type *type, struct execution *x, struct stage *input)
{
	struct plan_stage *s = memory_allocate_zeroed(1, size_bytes);

	s->stage.type = type;
	s->stage.plan = s;
	s->stage.execution = x;
	s->stage.input = input;
	return s;
}

void plan_stage_destroy(struct stage *s)
{
	free(s);
}

bool plan_stage_examine_document(struct plan_stage *s, struct value document)
{
	s->docs_examined++;
	s->stage.bytes += document.size_bytes;
	s->stage.units += stage_units(document.size_bytes);
	s->stage.execution->counters.docs_examined++;
	s->stage.execution->counters.bytes_read += document.size_bytes;
	return execution_tick(s->stage.execution);
}

bool plan_stage_examine_key(struct plan_stage *s)
{
	s->keys_examined++;
	s->stage.execution->counters.keys_examined++;
	return execution_tick(s->stage.execution);
}

enum stage_status plan_stage_test(const struct match *filter, struct execution *x, struct value document)
{
	if (!filter)
		return STAGE_ADVANCED;
	arena_reset(&x->scratch);
	if (match_test(filter, x, document))
		return STAGE_ADVANCED;
	return x->failed ? STAGE_FAILED : STAGE_NEED_TIME;
}

void stage_home_init(struct stage_home *h, const struct collection *c, const struct index *i)
{
	*h = (struct stage_home){
		.collection_was = c,
		.index_was = i,
	};
}

void stage_home_clear(struct stage_home *h)
{
	free(h->db);
	free(h->collection);
	free(h->index);
	*h = (struct stage_home){ 0 };
}

/* The names are copied here and not when the stage is made: most stages are never parked. */
void stage_home_park(struct stage_home *h)
{
	if (!h->db) {
		h->db = memory_duplicate_text(h->collection_was->database->name);
		h->collection = memory_duplicate_text(h->collection_was->name);
		h->index = h->index_was ? memory_duplicate_text(h->index_was->name) : NULL;
	}
	h->parked = true;
}

bool stage_home_check(struct stage_home *h, struct execution *x)
{
	const struct collection *c;

	if (!h->parked)
		return true;
	h->parked = false;
	c = store_collection(x->store, h->db, h->collection);
	if (!c || c != h->collection_was)
		return execution_fail(x, CODE_QueryPlanKilled, "collection dropped: '%s.%s'", h->db, h->collection);
	if (h->index && collection_index(c, h->index) != h->index_was)
		return execution_fail(x, CODE_QueryPlanKilled, "query plan killed :: index '%s' dropped", h->index);
	return true;
}
