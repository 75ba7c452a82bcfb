#include "plan/log_workload.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "bson/paste.h"
#include "bson/print.h"
#include "bson/read_wrapper.h"
#include "plan/log_durations.h"
#include "plan/log_record.h"
#include "plan/log_shape.h"

enum { LINE_LIMIT_BYTES = 48 << 20, SLOTS_AT_FIRST = 1024, EXAMPLE_BYTES = 2000, SUMS = 5, TIME_SIZE = 40 };

/* The sums of a row: in a record, and in the row. */
static const struct {
	size_t record, row;
} sums[SUMS] = {
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

struct shape_entry {
	uint64_t hash;
	struct bytes key;  /* operation, namespace and shape as in the log */
	struct bytes plan; /* the last one, as in the log */
	struct log_row row;
	int64_t records, said[SUMS]; /* records, and those that said each of the sums */
	int64_t timed, timed_count;  /* records that said their time, and operations in them */
	bool only_sums;              /* one at least: of its times there are no percentiles */
	struct log_durations durations;
	double rate; /* of $queryStats, a second; < 0: one at least was not known */
};

struct log_workload {
	struct bytes partial; /* a line whose end has not come */
	bool skipping;        /* the line was too long: to its end */
	struct bytes inner, scratch, statement, key, shape; /* of the record at hand */
	struct bytes paste; /* all of it, until the first record is found in a line */
	bool pasted;        /* it may be what a shell showed */
	char earliest[TIME_SIZE], latest[TIME_SIZE]; /* as written; empty: none yet */
	bool zones_differ;
	size_t shape_bytes;
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
	w->pasted = true;
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
		free(e->row.example);
		log_durations_clear(&e->durations);
		free(e);
	}
	free(w->entries);
	free(w->slots);
	free(w->rows);
	bytes_clear(&w->partial);
	bytes_clear(&w->inner);
	bytes_clear(&w->scratch);
	bytes_clear(&w->statement);
	bytes_clear(&w->key);
	bytes_clear(&w->shape);
	bytes_clear(&w->paste);
	free(w);
}

static uint64_t hash_of(const struct bytes *key)
{
	uint64_t h = 1469598103934665603u;

	for (size_t i = 0; i < key->size; i++)
		h = (h ^ key->data[i]) * 1099511628211u;
	return h;
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
		                   .total_micros = zero,
		                   .max_micros = zero };
	w->shape_bytes += e->key.size;
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
	if (w->count >= LOG_SHAPE_LIMIT || w->shape_bytes > LOG_SHAPE_LIMIT_BYTES) {
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

static int64_t add_counts(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void add_sums(struct shape_entry *e, const struct log_record *r)
{
	for (size_t i = 0; i < SUMS; i++) {
		struct figure *sum = figure_at(&e->row, sums[i].row), f = *figure_at((void *)(uintptr_t)r, sums[i].record);

		if (!figure_known(f))
			continue;
		e->said[i]++;
		*sum = figure_add(*sum, f);
	}
}

static void add_time(struct shape_entry *e, const struct log_record *r)
{
	struct figure total = r->total_micros, most = r->max_micros;

	if (figure_known(r->millis)) {
		log_durations_add(&e->durations, r->millis.value);
		total = most = figure_scale(r->millis, 1000);
	}
	e->only_sums = e->only_sums || r->form == LOG_QUERY_STATS;
	if (!figure_known(total))
		return;
	e->timed++;
	e->timed_count = add_counts(e->timed_count, r->count);
	e->row.total_micros = figure_add(e->row.total_micros, total);
	if (!figure_known(most))
		e->row.max_micros.at_least = true;
	else if (most.value > e->row.max_micros.value)
		e->row.max_micros.value = most.value;
}

static bool time_of(struct span text, int64_t *millis)
{
	char copy[TIME_SIZE];

	if (!text.text || text.size_bytes >= sizeof copy)
		return false;
	memcpy(copy, text.text, text.size_bytes);
	copy[text.size_bytes] = 0;
	return read_parse_date(copy, millis);
}

/* Dates of one zone sort as text; whole seconds may stand without their fraction. */
static void see_time(struct log_workload *w, struct span time)
{
	enum { TO_FRACTION = 19, TO_ZONE = 23 };
	char text[TIME_SIZE];

	if (time.size_bytes <= TO_FRACTION || time.size_bytes >= TIME_SIZE - 4)
		return;
	snprintf(text, sizeof text, "%.*s%s%.*s", TO_FRACTION, time.text, time.text[TO_FRACTION] == '.' ? "" : ".000",
	         (int)time.size_bytes - TO_FRACTION, time.text + TO_FRACTION);
	w->zones_differ = w->zones_differ || (*w->earliest && strcmp(w->earliest + TO_ZONE, text + TO_ZONE) != 0);
	if (!*w->earliest || memcmp(text, w->earliest, TO_ZONE) < 0)
		memcpy(w->earliest, text, sizeof text);
	if (!*w->latest || memcmp(text, w->latest, TO_ZONE) > 0)
		memcpy(w->latest, text, sizeof text);
}

static void add_rate(struct shape_entry *e, const struct log_record *r)
{
	int64_t first, last;

	if (e->rate < 0)
		return;
	if (time_of(r->first_seen, &first) && time_of(r->time, &last) && last > first)
		e->rate += (double)r->count * 1000 / (double)(last - first);
	else
		e->rate = -1;
}

static void set_plan(struct shape_entry *e, struct span plan)
{
	if (!plan.size_bytes || (plan.size_bytes == e->plan.size && !memcmp(plan.text, e->plan.data, e->plan.size)))
		return;
	e->row.more_plans = e->row.more_plans || e->plan.size;
	bytes_reset(&e->plan);
	bytes_append(&e->plan, plan.text, plan.size_bytes);
}

/* {q: …}, as a write's statement has it. */
static struct span as_statement(struct log_workload *w, struct span filter)
{
	bytes_reset(&w->statement);
	bytes_append_text(&w->statement, "{\"q\":");
	bytes_append(&w->statement, filter.text, filter.size_bytes);
	bytes_append_byte(&w->statement, '}');
	return (struct span){ (const char *)w->statement.data, w->statement.size };
}

static void add_record(struct log_workload *w, const struct log_record *r)
{
	struct span operation;
	struct shape_entry *e;

	bytes_reset(&w->shape);
	log_shape_append(&w->shape, r->is_filter && r->command.text ? as_statement(w, r->command) : r->command, &operation);
	if (r->form == LOG_QUERY_STATS && r->type.text)
		operation = r->type;
	if (!operation.text || span_is(operation, "q") || span_is(operation, "query")) /* a write's own statement */
		operation = r->type;
	bytes_reset(&w->key);
	append_part(&w->key, operation);
	append_part(&w->key, r->namespace_text);
	bytes_append(&w->key, w->shape.data, w->shape.size);
	e = entry_of(w, operation, r->namespace_text, (struct span){ (const char *)w->shape.data, w->shape.size });
	e->records++;
	e->row.count = add_counts(e->row.count, r->count);
	add_sums(e, r);
	add_time(e, r);
	if (r->form == LOG_QUERY_STATS)
		add_rate(e, r);
	else
		see_time(w, r->time);
	if (!e->row.example)
		e->row.example = safe_text(shortened(r->command, EXAMPLE_BYTES));
	set_plan(e, r->plan_summary);
}

static bool add_document(struct log_workload *w, struct span text)
{
	struct log_record r;

	if (!log_record_read(text, &w->scratch, &r))
		return false;
	w->records++;
	w->pasted = false;
	add_record(w, &r);
	return true;
}

static bool add_list(struct log_workload *w, struct span list)
{
	bool any = false;
	struct skim s;
	struct skim_field f;

	if (!skim_enter(&s, list) || !s.array)
		return false;
	while (skim_next(&s, &f))
		any = add_document(w, f.value) || any;
	return any;
}

/* A document, a list of them, or a reply that holds a list. */
static void add_documents(struct log_workload *w, struct span text)
{
	struct span cursor;

	if (add_list(w, text) || add_document(w, text) || log_line_time(text).text)
		return;
	cursor = skim_get(text, "cursor");
	if (!add_list(w, skim_get(cursor, "firstBatch")) && !add_list(w, skim_get(cursor, "nextBatch")))
		add_list(w, skim_get(text, "inprog"));
}

/* {"log":"{\"t\":…}\n", …}: a line inside a container's or the journal's; itself when it is none. */
static struct span unwrapped(struct log_workload *w, struct span line)
{
	static const char *const names[] = { "log", "MESSAGE", "message", "msg" };
	struct span text = { NULL, 0 };
	struct reader r;

	if (line.size_bytes < 10 || line.text[0] != '{' || !memcmp(line.text, "{\"t\":", 5) ||
	    !memmem(line.text, line.size_bytes, "{\\\"t\\\":", 7))
		return line;
	for (size_t i = 0; i < sizeof names / sizeof *names && !text.text; i++)
		text = skim_get(line, names[i]);
	if (!text.text)
		return line;
	bytes_reset(&w->inner);
	reader_init(&r, "log", text.text, text.size_bytes);
	if (!reader_string(&r, &w->inner, NULL))
		return line;
	while (w->inner.size && strchr("\r\n", w->inner.data[w->inner.size - 1]))
		w->inner.size--;
	return (struct span){ (const char *)w->inner.data, w->inner.size };
}

static void add_line(struct log_workload *w, const char *text, size_t size)
{
	struct span line = unwrapped(w, (struct span){ text, size });

	w->lines++;
	see_time(w, log_line_time(line));
	add_documents(w, line);
}

/* What a shell showed: documents over several lines, in its notation. What was cut off has no whole shape. */
static void add_pasted(struct log_workload *w)
{
	struct bytes json = BYTES_INIT;
	struct paste_document d;
	struct paste paste;
	struct value v;

	paste_init(&paste, "log", bytes_text(&w->paste), w->paste.size);
	while (paste_next(&paste, &d)) {
		bytes_reset(&json);
		if (!d.incomplete && value_document(&v, d.bson.data, d.bson.size)) {
			print_value(&json, v, &(struct print_options){ .form = PRINT_RELAXED });
			add_documents(w, (struct span){ (const char *)json.data, json.size });
		}
		bytes_clear(&d.bson);
	}
	paste_clear(&paste);
	bytes_clear(&json);
}

static void keep_for_paste(struct log_workload *w, const char *text, size_t size)
{
	w->pasted = w->pasted && w->paste.size + size <= LOG_PASTE_LIMIT_BYTES;
	if (w->pasted)
		bytes_append(&w->paste, text, size);
	else if (w->paste.size)
		bytes_clear(&w->paste);
}

void log_workload_add(struct log_workload *w, const char *text, size_t size)
{
	const char *end = text + size, *newline;

	keep_for_paste(w, text, size);
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

static void finish_sums(struct shape_entry *e)
{
	for (size_t i = 0; i < SUMS; i++) {
		struct figure *sum = figure_at(&e->row, sums[i].row);

		if (!e->said[i])
			*sum = figure_unknown();
		else
			sum->at_least = sum->at_least || e->said[i] < e->records;
	}
}

static void finish_times(struct shape_entry *e)
{
	struct log_row *row = &e->row;

	row->p50_millis = e->only_sums ? figure_unknown() : log_durations_percentile(&e->durations, 50);
	row->p95_millis = e->only_sums ? figure_unknown() : log_durations_percentile(&e->durations, 95);
	if (!e->timed) {
		row->total_micros = row->mean_micros = row->max_micros = figure_unknown();
		return;
	}
	row->mean_micros = row->total_micros;
	row->mean_micros.value /= e->timed_count;
	row->total_micros.at_least = row->total_micros.at_least || e->timed < e->records;
	row->max_micros.at_least = row->max_micros.at_least || e->timed < e->records;
}

static void finish_entry(struct shape_entry *e, double seconds)
{
	e->row.plan = safe_text((struct span){ (const char *)e->plan.data, e->plan.size });
	finish_sums(e);
	finish_times(e);
	e->row.per_second = e->only_sums ? e->rate : seconds > 0 ? (double)e->row.count / seconds : -1;
}

double log_workload_seconds(const struct log_workload *w)
{
	int64_t first, last;

	if (w->zones_differ || !read_parse_date(w->earliest, &first) || !read_parse_date(w->latest, &last) || last <= first)
		return -1;
	return (double)(last - first) / 1000;
}

static int by_time(const void *a, const void *b)
{
	const struct log_row *x = a, *y = b;
	int64_t mine = figure_known(x->total_micros) ? x->total_micros.value : -1;
	int64_t other = figure_known(y->total_micros) ? y->total_micros.value : -1;

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
	if (!w->records && w->paste.size)
		add_pasted(w);
	bytes_clear(&w->paste);
	w->rows = memory_allocate_zeroed(w->count + 1, sizeof *w->rows);
	for (size_t i = 0; i < w->count; i++) {
		finish_entry(w->entries[i], log_workload_seconds(w));
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
