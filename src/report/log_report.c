/* A workload from what a server wrote down. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/inflate.h"
#include "base/memory.h"
#include "bson/print.h"
#include "plan/input.h"
#include "plan/log_workload.h"
#include "report/figures.h"
#include "report/table.h"

enum { BLOCK_BYTES = 1 << 20, SHAPE_COLUMNS = 100 };

/* gzip comes whole before it can be unpacked; plain text goes through as it comes. */
static bool add_packed(struct log_workload *w, const char *path, const struct bytes *packed, bson_error_t *error)
{
	struct inflater *i = inflater_new(packed->data, packed->size);
	uint8_t *block = memory_allocate(BLOCK_BYTES);
	bson_error_t why;
	size_t got;
	bool good;

	while ((good = inflater_next(i, block, BLOCK_BYTES, &got, &why)) && got)
		log_workload_add(w, (const char *)block, got);
	inflater_destroy(i);
	free(block);
	return good || input_fail(path, why.message, error);
}

static bool add_descriptor(struct log_workload *w, int descriptor, const char *path, bson_error_t *error)
{
	char *block = memory_allocate(BLOCK_BYTES);
	struct bytes packed = BYTES_INIT;
	bool gzip = false, first = true, good = true;
	ssize_t got;

	while ((got = read(descriptor, block, BLOCK_BYTES)) > 0 || (got < 0 && errno == EINTR)) {
		if (got < 0)
			continue;
		gzip = gzip || (first && input_is_gzip(block, (size_t)got));
		first = false;
		if (gzip)
			bytes_append(&packed, block, (size_t)got);
		else
			log_workload_add(w, block, (size_t)got);
	}
	if (got < 0)
		good = input_fail(path, strerror(errno), error);
	else if (gzip)
		good = add_packed(w, path, &packed, error);
	bytes_clear(&packed);
	free(block);
	return good;
}

static bool read_log(struct log_workload *w, const char *path, bson_error_t *error)
{
	int descriptor = input_open(path, error);
	bool good;

	if (descriptor < 0)
		return false;
	good = add_descriptor(w, descriptor, path, error);
	input_close(descriptor);
	log_workload_finish(w);
	return good && (log_workload_records(w) ||
	                input_fail(path, "no slow query and no profile document in it; expected lines of a mongod's log", error));
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
		figures_write(&writer, "totalMillis", r->total_millis);
		figures_write(&writer, "p50Millis", r->p50_millis);
		figures_write(&writer, "p95Millis", r->p95_millis);
		figures_write(&writer, "maxMillis", r->max_millis);
		writer_end(&writer);
	}
	writer_end(&writer);
	print_value(out, writer_finish(&writer), &(struct print_options){ .form = PRINT_RELAXED, .indent = 2 });
	bytes_append_byte(out, '\n');
	bytes_clear(&document);
}

static void print_rows(struct bytes *out, const struct log_workload *w, bool ascii)
{
	static const char *const headings[] = { "operation", "count", "docs", "keys", "returned", "bytes read", "bytes sent",
		                                "p50 ms", "p95 ms", "max ms", "all ms" };
	const struct log_row *rows;
	struct table table;
	struct bytes lines = BYTES_INIT;
	const char *at;
	size_t count;

	rows = log_workload_rows(w, &count);
	table_init(&table, "lrrrrrrrrrr", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&table, headings[i]);
	for (size_t i = 0; i < count; i++) {
		const struct log_row *r = &rows[i];
		const struct figure figures[] = { figure_measured(r->count), r->docs_examined, r->keys_examined, r->returned,
			                          r->bytes_read, r->bytes_sent, r->p50_millis, r->p95_millis, r->max_millis,
			                          r->total_millis };
		struct bytes name = BYTES_INIT;

		bytes_format(&name, "%s %s", r->operation, r->namespace_text);
		table_text(&table, bytes_text(&name));
		for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
			table_figure(&table, figures[k]);
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
	bool good = read_log(w, o->from_log, error);
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
