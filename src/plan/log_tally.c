#include "plan/log_tally.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "plan/log_time.h"

enum { EXAMPLE_BYTES = 2000 };

/* The sums of a row: in a record, and in the row. */
static const struct {
	size_t record, row;
} sums[LOG_TALLY_SUMS] = {
	{ offsetof(struct log_record, keys_examined), offsetof(struct log_row, keys_examined) },
	{ offsetof(struct log_record, docs_examined), offsetof(struct log_row, docs_examined) },
	{ offsetof(struct log_record, returned), offsetof(struct log_row, returned) },
	{ offsetof(struct log_record, bytes_read), offsetof(struct log_row, bytes_read) },
	{ offsetof(struct log_record, response_bytes), offsetof(struct log_row, bytes_sent) },
};

static struct figure *figure_at(void *base, size_t offset)
{
	return (struct figure *)((char *)base + offset);
}

static char *safe_text(struct span s)
{
	struct bytes text = BYTES_INIT;

	if (s.text)
		print_text(&text, s.text, s.size_bytes);
	return bytes_take_text(&text);
}

void log_tally_init(struct log_tally *t, struct span operation, struct span namespace_text, struct span shape)
{
	const struct figure zero = figure_measured(0);

	*t = (struct log_tally){ .plan = BYTES_INIT,
		                 .row = { .operation = safe_text(operation),
		                          .namespace_text = safe_text(namespace_text),
		                          .shape = safe_text(shape),
		                          .keys_examined = zero,
		                          .docs_examined = zero,
		                          .returned = zero,
		                          .bytes_read = zero,
		                          .bytes_sent = zero,
		                          .total_micros = zero,
		                          .max_micros = zero } };
}

void log_tally_clear(struct log_tally *t)
{
	bytes_clear(&t->plan);
	free(t->row.operation);
	free(t->row.namespace_text);
	free(t->row.shape);
	free(t->row.plan);
	free(t->row.example);
	log_durations_clear(&t->durations);
}

/* Not in the middle of a character of several bytes. */
static struct span shortened(struct span s, size_t limit)
{
	if (s.size_bytes <= limit)
		return s;
	while (limit > 0 && ((unsigned char)s.text[limit] & 0xc0) == 0x80)
		limit--;
	return (struct span){ s.text, limit };
}

static int64_t add_counts(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void add_sums(struct log_tally *t, const struct log_record *r)
{
	for (size_t i = 0; i < LOG_TALLY_SUMS; i++) {
		struct figure *sum = figure_at(&t->row, sums[i].row), f = *figure_at((void *)(uintptr_t)r, sums[i].record);

		if (!figure_known(f))
			continue;
		t->said[i]++;
		*sum = figure_add(*sum, f);
	}
}

static void add_time(struct log_tally *t, const struct log_record *r)
{
	struct figure total = r->total_micros, most = r->max_micros;

	if (figure_known(r->millis)) {
		log_durations_add(&t->durations, r->millis.value);
		total = most = figure_scale(r->millis, 1000);
	}
	t->only_sums = t->only_sums || r->form == LOG_QUERY_STATS;
	if (!figure_known(total))
		return;
	t->timed++;
	t->timed_count = add_counts(t->timed_count, r->count);
	t->row.total_micros = figure_add(t->row.total_micros, total);
	if (!figure_known(most))
		t->row.max_micros.at_least = true;
	else if (most.value > t->row.max_micros.value)
		t->row.max_micros.value = most.value;
}

static void add_rate(struct log_tally *t, const struct log_record *r)
{
	int64_t first, last;

	if (t->rate < 0)
		return;
	if (log_time_parse(r->first_seen, &first) && log_time_parse(r->time, &last) && last > first)
		t->rate += (double)r->count * 1000 / (double)(last - first);
	else
		t->rate = -1;
}

static void set_plan(struct log_tally *t, struct span plan)
{
	if (!plan.size_bytes || (plan.size_bytes == t->plan.size && !memcmp(plan.text, t->plan.data, t->plan.size)))
		return;
	t->row.more_plans = t->row.more_plans || t->plan.size;
	bytes_reset(&t->plan);
	bytes_append(&t->plan, plan.text, plan.size_bytes);
}

void log_tally_add(struct log_tally *t, const struct log_record *r)
{
	t->records++;
	t->row.count = add_counts(t->row.count, r->count);
	add_sums(t, r);
	add_time(t, r);
	if (r->form == LOG_QUERY_STATS)
		add_rate(t, r);
	if (!t->row.example)
		t->row.example = safe_text(shortened(r->command, EXAMPLE_BYTES));
	set_plan(t, r->plan_summary);
}

static void finish_sums(struct log_tally *t)
{
	for (size_t i = 0; i < LOG_TALLY_SUMS; i++) {
		struct figure *sum = figure_at(&t->row, sums[i].row);

		if (!t->said[i])
			*sum = figure_unknown();
		else
			sum->at_least = sum->at_least || t->said[i] < t->records;
	}
}

static void finish_times(struct log_tally *t)
{
	struct log_row *row = &t->row;

	row->p50_millis = t->only_sums ? figure_unknown() : log_durations_percentile(&t->durations, 50);
	row->p95_millis = t->only_sums ? figure_unknown() : log_durations_percentile(&t->durations, 95);
	if (!t->timed) {
		row->total_micros = row->mean_micros = row->max_micros = figure_unknown();
		return;
	}
	row->mean_micros = row->total_micros;
	row->mean_micros.value /= t->timed_count;
	row->total_micros.at_least = row->total_micros.at_least || t->timed < t->records;
	row->max_micros.at_least = row->max_micros.at_least || t->timed < t->records;
}

void log_tally_finish(struct log_tally *t, double seconds)
{
	t->row.plan = safe_text((struct span){ (const char *)t->plan.data, t->plan.size });
	finish_sums(t);
	finish_times(t);
	t->row.per_second = t->only_sums ? t->rate : seconds > 0 ? (double)t->row.count / seconds : -1;
}
