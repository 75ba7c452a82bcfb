#include "model/explanation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/writer.h"
#include "model/lab_access.h"

struct explaining {
	struct explanation *found;
	struct lab *lab;
	struct source *source;
	const char *db;
	enum plan_verbosity verbosity;
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

void explanation_command(struct value command, enum plan_verbosity verbosity, struct bytes *out)
{
	struct writer w;

	if (key_is(first_field(command).key, "explain")) {
		bytes_append(out, command.bytes, command.size_bytes);
		return;
	}
	writer_begin(&w, out);
	writer_put(&w, "explain", command);
	writer_text(&w, "verbosity", plan_verbosity_text(verbosity));
	writer_finish(&w);
}

enum plan_verbosity explanation_verbosity(struct source *s, struct value command, enum plan_verbosity wanted)
{
	static const char *const writes[] = { "update", "delete", "findAndModify", "findandmodify" };

	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
		if (!source_engine(s) && key_is(first_field(command).key, writes[i]))
			return PLAN_QUERY_PLANNER;
	return wanted;
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

	explanation_command(command, explanation_verbosity(x->source, command, x->verbosity), &text);
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
                                     const struct operation *o, size_t index, enum plan_verbosity verbosity,
                                     const struct interrupt *interrupt)
{
	struct explanation *e = memory_allocate_zeroed(1, sizeof *e);
	struct explaining x = { .found = e, .lab = lab, .verbosity = verbosity, .interrupt = interrupt };

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
