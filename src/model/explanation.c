#include "model/explanation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/writer.h"
#include "model/lab_access.h"
#include "plan/only_planned.h"

struct explaining {
	struct explanation *found;
	struct lab *lab;
	struct source *source;
	const char *db;
	struct explaining_wish wish;
	const struct interrupt *interrupt;
};

static struct field first_field(struct value command)
{
	struct field f = { { "", 0 }, value_missing() };
	struct walk w;

	walk_begin(&w, command);
	walk_next(&w, &f);
	return f;
}

static struct value explained_command(struct value command)
{
	struct value inner = value_get(command, "explain");

	return key_is(first_field(command).key, "explain") && value_is_document(inner) ? inner : command;
}

const char *explanation_only_planned(struct source *s, struct value command)
{
	static const char *const writes[] = { "update", "delete", "findAndModify", "findandmodify" };
	struct value inner = explained_command(command);

	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
		if (!source_engine(s) && key_is(first_field(inner).key, writes[i]))
			return "a server is only read from";
	return plan_only_planned(inner);
}

void explanation_command(struct source *s, struct value command, struct explaining_wish wish, struct bytes *out)
{
	bool only_planned = explanation_only_planned(s, command) != NULL;
	struct value inner = explained_command(command);
	struct writer w;

	if (inner.bytes != command.bytes && !only_planned) {
		bytes_append(out, command.bytes, command.size_bytes);
		return;
	}
	writer_begin(&w, out);
	writer_put(&w, "explain", inner);
	writer_text(&w, "verbosity", plan_verbosity_text(only_planned ? PLAN_QUERY_PLANNER : wish.verbosity));
	if (wish.max_time_millis > 0)
		writer_int32(&w, "maxTimeMS", (int32_t)wish.max_time_millis);
	writer_finish(&w);
}

static bool fill_command(struct explaining *x, const struct relationship *r, enum shape_kind shape,
                         const struct operation *o, const struct command_set *set, size_t index)
{
	struct draws *draws = lab_draws(x->lab, r, shape, o, x->interrupt, &x->found->error);
	bool good = draws != NULL;

	if (good && draws_count(draws) > 0)
		good = draw_fill(lab_model(x->lab), set, index, draws_at(draws, 0), &x->found->command, &x->found->error);
	draws_release(draws);
	return good;
}

static bool explain(struct explaining *x, struct value command)
{
	struct bytes text = BYTES_INIT;
	bson_t explain, reply;
	bool good;

	if (x->wish.verbosity != PLAN_QUERY_PLANNER)
		x->found->only_planned = explanation_only_planned(x->source, command);
	explanation_command(x->source, command, x->wish, &text);
	bson_init_static(&explain, text.data, text.size);
	good = source_command(x->source, x->db, &explain, &reply, x->interrupt, &x->found->error);
	if (good)
		x->found->tree = plan_tree_read(value_from_bson(&reply), &x->found->error);
	bson_destroy(&reply);
	bytes_clear(&text);
	return x->found->tree != NULL;
}

static bool find(struct explaining *x, const struct relationship *r, enum shape_kind shape, const struct operation *o,
                 size_t index)
{
	const struct command_set *set = operation_commands(o, r, shape);
	struct explanation *e = x->found;
	struct value command;
	struct field first;
	bool good = true;

	if (!set || index >= set->command_count)
		return true;
	if (!lab_shape_source(x->lab, r, shape, &x->source, &x->db))
		return error_set(&e->error, ERROR_INPUT, 0, "shape \"%s\" of \"%s\" is not built", shape_name(shape),
		                 r->name);
	if (!fill_command(x, r, shape, o, set, index))
		return false;
	if (!value_document(&command, e->command.data, e->command.size))
		return true;
	first = first_field(command);
	if (!key_is(first.key, "insert"))
		good = explain(x, command);
	e->offers = index_offers_find(x->source, x->db, lab_model(x->lab), e->tree, lab_tried(x->lab, r, shape),
	                              first.value.type == BSON_TYPE_UTF8 ? value_text(first.value).bytes : NULL,
	                              x->interrupt);
	return good;
}

struct explanation *explanation_find(struct lab *lab, const struct relationship *r, enum shape_kind shape,
                                     const struct operation *o, size_t index, struct explaining_wish wish,
                                     const struct interrupt *interrupt)
{
	struct explanation *e = memory_allocate_zeroed(1, sizeof *e);
	struct explaining x = { .found = e, .lab = lab, .wish = wish, .interrupt = interrupt };

	lab_measuring_begin(lab);
	e->failed = !find(&x, r, shape, o, index);
	lab_measuring_end(lab);
	if (!e->offers)
		e->offers = memory_allocate_zeroed(1, sizeof *e->offers);
	return e;
}

void explanation_destroy(struct explanation *e)
{
	if (!e)
		return;
	bytes_clear(&e->command);
	plan_tree_destroy(e->tree);
	index_offers_destroy(e->offers);
	free(e);
}
