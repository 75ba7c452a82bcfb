#include "plan/log_workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "bson/print.h"
#include "plan/log_record.h"
#include "plan/log_shape.h"

enum { LINE_LIMIT_BYTES = 48 << 20, SLOTS_AT_FIRST = 1024 };

/* How often a time was taken: percentiles are exact whatever the number of records. */
struct duration {
	int64_t millis, count;
};

struct shape_entry {
	uint64_t hash;
	struct bytes key;  /* operation, namespace and shape as in the log */
	struct bytes plan; /* the last one, as in the log */
	struct log_row row;
	int64_t said[5]; /* records that said each of the sums */
	struct duration *durations;
	size_t duration_count, duration_capacity;
};

struct log_workload {
	struct bytes partial; /* a line whose end has not come */
	bool skipping;        /* the line was too long: to its end */
	struct bytes scratch, key, shape; /* of the record at hand */
	struct shape_entry **entries;
	size_t count, capacity;
	uint32_t *slots; /* open addressing: 0, or an entry's index + 1 */
	size_t slot_count;
	int64_t lines, records;
	struct log_row *rows;
};

struct log_workload *log_workload_new(void)
{
	struct log_workload *w = memory_allocate_zeroed(1, sizeof *w);

	w->slot_count = SLOTS_AT_FIRST;
	w->slots = memory_allocate_zeroed(w->slot_count, sizeof *w->slots);
	return w;
}

void log_workload_destroy(struct log_workload *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->count; i++) {
		struct shape_entry *e = w->entries[i];

		bytes_clear(&e->key);
		bytes_clear(&e->plan);
		free(e->row.operation);
		free(e->row.namespace_text);
		free(e->row.shape);
		free(e->row.plan);
		free(e->durations);
		free(e);
	}
	free(w->entries);
	free(w->slots);
	free(w->rows);
	bytes_clear(&w->partial);
	bytes_clear(&w->scratch);
	bytes_clear(&w->key);
	bytes_clear(&w->shape);
	free(w);
}

static uint64_t hash_of(const struct bytes *key)
{
	uint64_t h = 1469598103934665603u;

	for (size_t i = 0; i < key->size; i++)
		h = (h ^ key->data[i]) * 1099511628211u;
	return h;
}

static char *safe_text(struct span s)
{
	struct bytes text = BYTES_INIT;

	if (s.text)
		print_text(&text, s.text, s.size_bytes);
	return bytes_take_text(&text);
}

static struct shape_entry *new_entry(struct log_workload *w, uint64_t hash, struct span operation, struct span namespace_text,
                                     struct span shape)
{
	const struct figure zero = figure_measured(0);
	struct shape_entry *e = memory_allocate_zeroed(1, sizeof *e);

	e->hash = hash;
	bytes_append(&e->key, w->key.data, w->key.size);
	e->row = (struct log_row){ .operation = safe_text(operation),
		                   .namespace_text = safe_text(namespace_text),
		                   .shape = safe_text(shape),
		                   .keys_examined = zero,
		                   .docs_examined = zero,
		                   .returned = zero,
		                   .bytes_read = zero,
		                   .bytes_sent = zero,
		                   .total_millis = zero };
	w->entries = memory_grow(w->entries, &w->capacity, w->count + 1, sizeof *w->entries);
	w->entries[w->count++] = e;
	return e;
}

static void place(struct log_workload *w, size_t index)
{
	size_t slot = w->entries[index]->hash & (w->slot_count - 1);

	while (w->slots[slot])
		slot = (slot + 1) & (w->slot_count - 1);
	w->slots[slot] = (uint32_t)index + 1;
}

static void widen(struct log_workload *w)
{
	free(w->slots);
	w->slot_count *= 2;
	w->slots = memory_allocate_zeroed(w->slot_count, sizeof *w->slots);
	for (size_t i = 0; i < w->count; i++)
		place(w, i);
}

static struct shape_entry *lookup(struct log_workload *w, uint64_t hash)
{
	for (size_t slot = hash & (w->slot_count - 1); w->slots[slot]; slot = (slot + 1) & (w->slot_count - 1)) {
		struct shape_entry *e = w->entries[w->slots[slot] - 1];

		if (e->hash == hash && e->key.size == w->key.size && !memcmp(e->key.data, w->key.data, w->key.size))
			return e;
	}
	return NULL;
}

static void append_part(struct bytes *key, struct span part)
{
	if (part.text)
		bytes_append(key, part.text, part.size_bytes);
	bytes_append_byte(key, 0);
}

/* The entry of w->key; beyond the limit all new shapes share the last one. */
static struct shape_entry *entry_of(struct log_workload *w, struct span operation, struct span namespace_text, struct span shape)
{
	static const struct span others = { "(other shapes)", 14 }, none = { NULL, 0 };
	uint64_t hash = hash_of(&w->key);
	struct shape_entry *e = lookup(w, hash);

	if (e)
		return e;
	if (w->count == LOG_SHAPE_LIMIT) {
		bytes_reset(&w->key);
		append_part(&w->key, others);
		hash = hash_of(&w->key);
		e = lookup(w, hash);
		if (e)
			return e;
		operation = others;
		namespace_text = shape = none;
	}
	if (2 * (w->count + 1) > w->slot_count)
		widen(w);
	e = new_entry(w, hash, operation, namespace_text, shape);
	place(w, w->count - 1);
	return e;
}

/* Kept sorted: few times are new once a shape has been seen some thousand times. */
static void add_duration(struct shape_entry *e, int64_t millis)
{
	size_t low = 0, high = e->duration_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (e->durations[middle].millis < millis)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < e->duration_count && e->durations[low].millis == millis) {
		e->durations[low].count++;
		return;
	}
	e->durations = memory_grow(e->durations, &e->duration_capacity, e->duration_count + 1, sizeof *e->durations);
	memmove(e->durations + low + 1, e->durations + low, (e->duration_count - low) * sizeof *e->durations);
	e->durations[low] = (struct duration){ millis, 1 };
	e->duration_count++;
}

static void add_sum(struct shape_entry *e, int which, struct figure *sum, struct figure f)
{
	if (!figure_known(f))
		return;
	e->said[which]++;
	*sum = figure_add(*sum, f);
}

static void set_plan(struct shape_entry *e, struct span plan)
{
	if (!plan.text || (plan.size_bytes == e->plan.size && !memcmp(plan.text, e->plan.data, e->plan.size)))
		return;
	e->row.more_plans = e->row.more_plans || e->plan.size;
	bytes_reset(&e->plan);
	bytes_append(&e->plan, plan.text, plan.size_bytes);
}

static void add_record(struct log_workload *w, const struct log_record *r)
{
	struct span operation;
	struct shape_entry *e;

	bytes_reset(&w->shape);
	log_shape_append(&w->shape, r->command, &operation);
	if (!operation.text || span_is(operation, "q") || span_is(operation, "query")) /* a write's own statement */
		operation = r->type;
	bytes_reset(&w->key);
	append_part(&w->key, operation);
	append_part(&w->key, r->namespace_text);
	bytes_append(&w->key, w->shape.data, w->shape.size);
	e = entry_of(w, operation, r->namespace_text, (struct span){ (const char *)w->shape.data, w->shape.size });
	e->row.count++;
	add_sum(e, 0, &e->row.keys_examined, r->keys_examined);
	add_sum(e, 1, &e->row.docs_examined, r->docs_examined);
	add_sum(e, 2, &e->row.returned, r->returned);
	add_sum(e, 3, &e->row.bytes_read, r->bytes_read);
	add_sum(e, 4, &e->row.bytes_sent, r->response_bytes);
	if (figure_known(r->millis)) {
		add_duration(e, r->millis.value);
		e->row.total_millis = figure_add(e->row.total_millis, r->millis);
	}
	set_plan(e, r->plan_summary);
}

static void add_line(struct log_workload *w, const char *text, size_t size)
{
	struct log_record r;

	w->lines++;
	if (!log_record_read((struct span){ text, size }, &w->scratch, &r))
		return;
	w->records++;
	add_record(w, &r);
}

void log_workload_add(struct log_workload *w, const char *text, size_t size)
{
	const char *end = text + size, *newline;

	while (text < end && (newline = memchr(text, '\n', (size_t)(end - text)))) {
		if (w->skipping) {
			w->skipping = false;
			w->lines++;
		} else if (w->partial.size) {
			bytes_append(&w->partial, text, (size_t)(newline - text));
			add_line(w, (const char *)w->partial.data, w->partial.size);
		} else {
			add_line(w, text, (size_t)(newline - text));
		}
		bytes_reset(&w->partial);
		text = newline + 1;
	}
	if (w->skipping)
		return;
	bytes_append(&w->partial, text, (size_t)(end - text));
	if (w->partial.size > LINE_LIMIT_BYTES) {
		bytes_reset(&w->partial);
		w->skipping = true;
	}
}

static struct figure percentile(const struct shape_entry *e, int64_t total, int percent)
{
	int64_t rank = (total * percent + 99) / 100, seen = 0;

	for (size_t i = 0; i < e->duration_count; i++) {
		seen += e->durations[i].count;
		if (seen >= rank)
			return figure_measured(e->durations[i].millis);
	}
	return figure_unknown();
}

static void finish_sum(const struct shape_entry *e, int which, struct figure *sum)
{
	if (!e->said[which])
		*sum = figure_unknown();
	else
		sum->at_least = e->said[which] < e->row.count;
}

static void finish_entry(struct shape_entry *e)
{
	int64_t total = 0;

	for (size_t i = 0; i < e->duration_count; i++)
		total += e->durations[i].count;
	e->row.plan = safe_text((struct span){ (const char *)e->plan.data, e->plan.size });
	finish_sum(e, 0, &e->row.keys_examined);
	finish_sum(e, 1, &e->row.docs_examined);
	finish_sum(e, 2, &e->row.returned);
	finish_sum(e, 3, &e->row.bytes_read);
	finish_sum(e, 4, &e->row.bytes_sent);
	if (!total)
		e->row.total_millis = figure_unknown();
	else
		e->row.total_millis.at_least = total < e->row.count;
	e->row.p50_millis = percentile(e, total, 50);
	e->row.p95_millis = percentile(e, total, 95);
	e->row.max_millis = percentile(e, total, 100);
}

static int by_time(const void *a, const void *b)
{
	const struct log_row *x = a, *y = b;
	int64_t mine = figure_known(x->total_millis) ? x->total_millis.value : -1;
	int64_t other = figure_known(y->total_millis) ? y->total_millis.value : -1;

	if (mine != other)
		return mine > other ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->shape, y->shape);
}

void log_workload_finish(struct log_workload *w)
{
	if (w->partial.size)
		add_line(w, (const char *)w->partial.data, w->partial.size);
	bytes_clear(&w->partial);
	w->rows = memory_allocate_zeroed(w->count + 1, sizeof *w->rows);
	for (size_t i = 0; i < w->count; i++) {
		finish_entry(w->entries[i]);
		w->rows[i] = w->entries[i]->row;
	}
	qsort(w->rows, w->count, sizeof *w->rows, by_time);
}

int64_t log_workload_lines(const struct log_workload *w)
{
	return w->lines;
}

int64_t log_workload_records(const struct log_workload *w)
{
	return w->records;
}

const struct log_row *log_workload_rows(const struct log_workload *w, size_t *count)
{
	*count = w->count;
	return w->rows;
}
