#include "model/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/draw.h"
#include "model/lab_access.h"
#include "model/plan_summary.h"

/* One row being measured. */
struct measuring {
	struct workload_row *row;
	const struct command_set *set;
	struct draws *draws;
	const struct model *model;
	struct source *source;
	const char *db;
	const struct interrupt *interrupt;
	struct bytes filled; /* the present command */
};

static bool measure_call(struct measuring *m, size_t call)
{
	struct workload_row *row = m->row;

	for (size_t i = 0; i < m->set->command_count; i++) {
		struct command_cost *command = &row->commands[i];
		struct cost cost;
		bson_t request;

		bytes_reset(&m->filled);
		if (!draw_fill(m->model, m->set, i, draws_at(m->draws, call), &m->filled, &row->error))
			return false;
		if (call == 0)
			bytes_append(&command->command, m->filled.data, m->filled.size);
		bson_init_static(&request, m->filled.data, m->filled.size);
		if (!source_measure(m->source, m->db, &request, &cost, m->interrupt, &row->error))
			return false;
		cost_add(&command->cost, &cost);
		cost_add(&row->total, &cost);
	}
	return true;
}

static bool measure_calls(struct measuring *m)
{
	struct workload_row *row = m->row;

	row->calls = (int64_t)draws_count(m->draws);
	row->command_count = m->set->command_count;
	row->commands = memory_allocate_zeroed(row->command_count, sizeof *row->commands);
	row->total = cost_zero();
	for (size_t i = 0; i < row->command_count; i++) {
		row->commands[i].db = memory_duplicate_text(m->db);
		row->commands[i].cost = cost_zero();
	}
	for (size_t call = 0; call < draws_count(m->draws); call++) {
		if (interrupt_check(m->interrupt) != INTERRUPT_NONE)
			return error_set(&row->error, ERROR_SERVER, CODE_Interrupted, "operation was interrupted");
		if (!measure_call(m, call))
			return false;
	}
	for (size_t i = 0; i < row->command_count; i++) {
		struct value first;

		if (value_document(&first, row->commands[i].command.data, row->commands[i].command.size))
			row->commands[i].plan = plan_summary(m->source, m->db, first, m->interrupt);
	}
	return true;
}

static bool measure(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct measuring *m)
{
	struct workload_row *row = m->row;
	const struct operation *o = row->operation;

	m->set = operation_commands(o, r, shape);
	if (!m->set)
		return error_set(&row->error, ERROR_INPUT, 0,
		                 "operation \"%s\" has no commands for shape \"%s\" of \"%s\"", o->name,
		                 shape_name(shape), r->name);
	if (!lab_shape_source(lab, r, shape, &m->source, &m->db))
		return error_set(&row->error, ERROR_INPUT, 0, "shape \"%s\" of \"%s\" is not built", shape_name(shape),
		                 r->name);
	m->draws = lab_draws(lab, r, shape, o, m->interrupt, &row->error);
	return m->draws && measure_calls(m);
}

/* What was counted in a part of the origin's data; how many commands are sent does not depend on them. */
static void mark_sampled(struct cost *c, const struct pulled *p, bool drawn)
{
#define X(field, json, heading)                                                                     \
	if (c->field.provenance == PROVENANCE_MEASURED && (drawn || &c->field != &c->round_trips)) { \
		c->field.provenance = PROVENANCE_SAMPLED;                                           \
		c->field.n = p->parents;                                                            \
		c->field.of = p->all_parents;                                                       \
	}
	COST_FIELDS(X)
#undef X
}

static bool touches_nothing(const struct cost *c)
{
	return c->docs_examined.value == 0 && c->docs_written.value == 0 && c->docs_returned.value == 0;
}

static void mark_pulled(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct workload_row *row)
{
	struct pulled pulled;
	char parents[32];

	if (row->failed || !lab_shape_pulled(lab, r, shape, &pulled) || pulled.whole)
		return;
	/* a counted zero would say that the operation is free */
	if (touches_nothing(&row->total))
		row->failed = !error_set(&row->error, ERROR_INPUT, 0,
		                         "none of its documents is among the %s of \"%s\" that were pulled",
		                         figure_format_count(pulled.parents, parents, sizeof parents), r->parent);
	mark_sampled(&row->total, &pulled, row->operation->draw.size > 0);
	for (size_t i = 0; i < row->command_count; i++)
		mark_sampled(&row->commands[i].cost, &pulled, row->operation->draw.size > 0);
}

struct workload_row *workload_measure(struct lab *lab, const struct relationship *r, enum shape_kind shape,
                                      const struct operation *o, const struct interrupt *interrupt)
{
	struct workload_row *row = memory_allocate_zeroed(1, sizeof *row);
	struct measuring m = { .row = row, .model = lab_model(lab), .interrupt = interrupt };

	row->operation = o;
	lab_measuring_begin(lab);
	row->failed = !measure(lab, r, shape, &m);
	mark_pulled(lab, r, shape, row);
	lab_measuring_end(lab);
	if (row->failed) {
		row->total = cost_unknown();
		for (size_t i = 0; i < row->command_count; i++)
			row->commands[i].cost = cost_unknown();
	}
	draws_release(m.draws);
	bytes_clear(&m.filled);
	return row;
}

void workload_row_destroy(struct workload_row *row)
{
	if (!row)
		return;
	for (size_t i = 0; i < row->command_count; i++) {
		free(row->commands[i].db);
		free(row->commands[i].plan);
		bytes_clear(&row->commands[i].command);
	}
	free(row->commands);
	free(row);
}

struct figure workload_mean(struct figure total, int64_t calls)
{
	if (!figure_known(total) || calls <= 0)
		return figure_unknown();
	/* half up; totals are not negative */
	total.value = total.value / calls + (total.value % calls >= calls - calls / 2);
	return total;
}

static bool is_of_a_part(struct figure f)
{
	return f.provenance == PROVENANCE_SAMPLED && f.n != f.of;
}

bool workload_comparable(struct figure mine, struct figure other)
{
	if (!figure_known(mine) || !figure_known(other))
		return false;
	return is_of_a_part(mine) ? is_of_a_part(other) && mine.n == other.n && mine.of == other.of : !is_of_a_part(other);
}

bool workload_ratio(struct figure mine, struct figure other, double *ratio)
{
	if (!workload_comparable(mine, other) || other.value == 0)
		return false;
	*ratio = (double)mine.value / (double)other.value;
	return true;
}
