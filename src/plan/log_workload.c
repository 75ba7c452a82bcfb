#include "plan/log_workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "bson/paste.h"
#include "bson/print.h"
#include "plan/log_record.h"
#include "plan/log_shape.h"
#include "plan/log_shapes.h"
#include "plan/log_time.h"
#include "plan/log_unwrap.h"

enum { LINE_LIMIT_BYTES = 48 << 20 };

struct log_workload {
	struct bytes partial; /* a line whose end has not come */
	bool skipping;        /* the line was too long: to its end */
	struct bytes inner, scratch, statement, shape; /* of the record at hand */
	struct bytes paste; /* all of it, until the first record is found in a line */
	bool pasted;        /* it may be what a shell showed */
	struct log_time time;
	struct log_shapes shapes;
	int64_t lines, records;
	struct log_row *rows;
};

struct log_workload *log_workload_new(void)
{
	struct log_workload *w = memory_allocate_zeroed(1, sizeof *w);

	w->pasted = true;
	return w;
}

void log_workload_destroy(struct log_workload *w)
{
	if (!w)
		return;
	log_shapes_clear(&w->shapes);
	free(w->rows);
	bytes_clear(&w->partial);
	bytes_clear(&w->inner);
	bytes_clear(&w->scratch);
	bytes_clear(&w->statement);
	bytes_clear(&w->shape);
	bytes_clear(&w->paste);
	free(w);
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

	bytes_reset(&w->shape);
	log_shape_append(&w->shape, r->is_filter && r->command.text ? as_statement(w, r->command) : r->command, &operation);
	if (r->form == LOG_QUERY_STATS && r->type.text)
		operation = r->type;
	if (!operation.text || span_is(operation, "q") || span_is(operation, "query")) /* a write's own statement */
		operation = r->type;
	log_tally_add(log_shapes_tally(&w->shapes, operation, r->namespace_text,
	                               (struct span){ (const char *)w->shape.data, w->shape.size }),
	              r);
	if (r->form != LOG_QUERY_STATS)
		log_time_see(&w->time, r->time);
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

static void add_line(struct log_workload *w, const char *text, size_t size)
{
	struct span line = log_unwrap((struct span){ text, size }, &w->inner);

	w->lines++;
	log_time_see(&w->time, log_line_time(line));
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

double log_workload_seconds(const struct log_workload *w)
{
	return log_time_seconds(&w->time);
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
	w->rows = memory_allocate_zeroed(w->shapes.count + 1, sizeof *w->rows);
	for (size_t i = 0; i < w->shapes.count; i++) {
		log_tally_finish(log_shapes_at(&w->shapes, i), log_workload_seconds(w));
		w->rows[i] = log_shapes_at(&w->shapes, i)->row;
	}
	qsort(w->rows, w->shapes.count, sizeof *w->rows, by_time);
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
	*count = w->shapes.count;
	return w->rows;
}
