/* A workload from what a server wrote down. */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "bson/print.h"
#include "plan/log_file.h"
#include "report/figures.h"
#include "report/table.h"

enum { SHAPE_COLUMNS = 100 };

/* To the nearest. */
static struct figure in_millis(struct figure micros)
{
	micros.value = micros.value / 1000 + (micros.value % 1000 >= 500);
	return micros;
}

static void write_rate(struct writer *w, const char *name, double rate)
{
	if (rate < 0)
		writer_null(w, name);
	else
		writer_double(w, name, rate);
}


static void write_json(struct bytes *out, const struct log_workload *w)
{
	struct bytes document = BYTES_INIT;
	const struct log_row *rows;
	struct writer writer;
	size_t count;

	rows = log_workload_rows(w, &count);
	writer_begin(&writer, &document);
	writer_number(&writer, "lines", log_workload_lines(w));
	writer_number(&writer, "records", log_workload_records(w));
	write_rate(&writer, "seconds", log_workload_seconds(w));
	writer_begin_array(&writer, key_of("operations"));
	for (size_t i = 0; i < count; i++) {
		const struct log_row *r = &rows[i];

		writer_begin_document(&writer, key_of(""));
		writer_text(&writer, "operation", r->operation);
		writer_text(&writer, "namespace", r->namespace_text);
		writer_text(&writer, "shape", r->shape);
		writer_text(&writer, "planSummary", r->plan);
		writer_bool(&writer, "otherPlans", r->more_plans);
		writer_number(&writer, "count", r->count);
		figures_write(&writer, "keysExamined", r->keys_examined);
		figures_write(&writer, "docsExamined", r->docs_examined);
		figures_write(&writer, "returned", r->returned);
		figures_write(&writer, "bytesRead", r->bytes_read);
		figures_write(&writer, "bytesSent", r->bytes_sent);
		figures_write(&writer, "totalMillis", in_millis(r->total_micros));
		figures_write(&writer, "meanMicros", r->mean_micros);
		figures_write(&writer, "p50Millis", r->p50_millis);
		figures_write(&writer, "p95Millis", r->p95_millis);
		figures_write(&writer, "maxMillis", in_millis(r->max_micros));
		write_rate(&writer, "perSecond", r->per_second);
		writer_end(&writer);
	}
	writer_end(&writer);
	print_value(out, writer_finish(&writer), &(struct print_options){ .form = PRINT_RELAXED, .indent = 2 });
	bytes_append_byte(out, '\n');
	bytes_clear(&document);
}

/* "0.3", "104", "1,250": a decimal where whole milliseconds would say too little. */
static void table_millis(struct table *t, struct figure micros)
{
	char text[48];

	if (figure_known(micros) && micros.value < 10000 && micros.value % 1000) {
		snprintf(text, sizeof text, "%s%.1f", micros.at_least ? ">=" : "", (double)micros.value / 1000);
		table_text(t, micros.value < 50 ? "<0.1" : text);
	} else {
		table_figure(t, in_millis(micros));
	}
}

static void print_rows(struct bytes *out, const struct log_workload *w, bool ascii)
{
	static const char *const headings[] = { "operation", "count", "docs", "keys", "returned", "bytes read", "bytes sent",
		                                "mean ms", "p50 ms", "p95 ms", "max ms", "all ms" };
	const struct log_row *rows;
	struct table table;
	struct bytes lines = BYTES_INIT;
	const char *at;
	size_t count;

	rows = log_workload_rows(w, &count);
	table_init(&table, "lrrrrrrrrrrr", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&table, headings[i]);
	for (size_t i = 0; i < count; i++) {
		const struct log_row *r = &rows[i];
		const struct figure figures[] = { figure_measured(r->count), r->docs_examined, r->keys_examined, r->returned,
			                          r->bytes_read, r->bytes_sent };
		struct bytes name = BYTES_INIT;

		bytes_format(&name, "%s %s", r->operation, r->namespace_text);
		table_text(&table, bytes_text(&name));
		for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
			table_figure(&table, figures[k]);
		table_millis(&table, r->mean_micros);
		table_figure(&table, r->p50_millis);
		table_figure(&table, r->p95_millis);
		table_millis(&table, r->max_micros);
		table_millis(&table, r->total_micros);
		bytes_clear(&name);
	}
	table_print(&table, 2, &lines);
	at = bytes_text(&lines);
	for (size_t i = 0; i <= count; i++) { /* the headings, then a row with its shape below it */
		size_t length = strcspn(at, "\n") + 1;

		bytes_append(out, at, length);
		at += length;
		if (i > 0)
			bytes_format(out, "      %.*s%s%s%s\n", 4 * SHAPE_COLUMNS, rows[i - 1].shape, *rows[i - 1].plan ? "  by " : "",
			             rows[i - 1].plan, rows[i - 1].more_plans ? " and others" : "");
	}
	table_clear(&table);
	bytes_clear(&lines);
}

bool report_log(const struct options *o, struct bytes *out, bson_error_t *error)
{
	struct log_workload *w = log_workload_new();
	bool good = log_file_read(w, o->from_log, NULL, NULL, error);
	char lines[32], records[32];

	if (good && o->json) {
		write_json(out, w);
	} else if (good) {
		bytes_format(out, "%s records of operations in %s lines; what a log does not hold was not slow enough for it\n\n",
		             figure_format_count(log_workload_records(w), records, sizeof records),
		             figure_format_count(log_workload_lines(w), lines, sizeof lines));
		print_rows(out, w, o->ascii);
	}
	log_workload_destroy(w);
	return good;
}
