#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/wrapped.h"
#include "bson/writer.h"
#include "model/fields.h"
#include "model/sizes.h"
#include "report/choice.h"
#include "report/fields_report.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/table.h"
#include "report/thresholds_report.h"

/* JSON */

/* Rounded half up: bytes and count say it exactly. */
static struct figure average(const struct sizes *s)
{
	struct figure avg = s->avg_millibytes;

	avg.value = (avg.value + 500) / 1000;
	return avg;
}

static void write_bound(struct writer *w, const char *name, int64_t bound, int64_t divisor)
{
	if (bound == INTERVAL_OPEN)
		writer_null(w, name);
	else
		writer_number(w, name, (bound + divisor / 2) / divisor);
}

static void write_interval(struct writer *w, const char *name, struct interval i, int64_t divisor)
{
	if (interval_is_open(i))
		return;
	writer_begin_document(w, key_of(name));
	write_bound(w, "low", i.low, divisor);
	write_bound(w, "high", i.high, divisor);
	writer_end(w);
}

/* How the sample was drawn, and where the figures of all lie. */
static void write_sample(struct writer *w, const struct sizes *s)
{
	const struct sizes_intervals *i = &s->intervals;
	int64_t n = s->p50.n, of = s->p50.of;

	writer_begin_document(w, key_of("sample"));
	writer_text(w, "method", sampling_name(s->method));
	writer_number(w, "documents", n);
	if (of)
		writer_number(w, "of", of);
	writer_number(w, "percent", INTERVAL_PERCENT);
	writer_begin_document(w, key_of("intervals"));
	write_interval(w, "bytes", i->bytes, 1);
	write_interval(w, "avg", i->avg_millibytes, 1000);
	write_interval(w, "p50", i->p50, 1);
	write_interval(w, "p90", i->p90, 1);
	write_interval(w, "p99", i->p99, 1);
	writer_end(w);
	if (s->method != SAMPLING_FIRST && of > n)
		writer_double(w, "largestMissed", interval_missed(n, of, 1));
	writer_end(w);
}

/* Only where there is something to say. */
static void write_completeness(struct writer *w, const struct sizes *s)
{
	if (s->over_limit)
		writer_number(w, "overLimit", s->over_limit);
	if (s->count.at_least || s->max.at_least) {
		writer_begin_array(w, key_of("atLeast"));
		if (s->count.at_least)
			writer_text(w, "", "count");
		if (s->bytes.at_least)
			writer_text(w, "", "bytes");
		if (s->max.at_least)
			writer_text(w, "", "max");
		writer_end(w);
	}
	if (s->method != SAMPLING_ALL)
		write_sample(w, s);
	if (s->remark)
		writer_text(w, "remark", s->remark);
}

static void write_sizes(struct writer *w, const struct sizes *s, const struct fields *fields)
{
	const struct named_figure figures[] = {
		{ "count", s->count }, { "bytes", s->bytes }, { "avg", average(s) }, { "max", s->max },
		{ "p50", s->p50 },     { "p90", s->p90 },     { "p99", s->p99 },     { "headroom", s->headroom },
	};

	writer_begin_document(w, key_of(""));
	writer_text(w, "db", s->db);
	writer_text(w, "name", s->collection);
	writer_text(w, "kind", s->kind);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		figures_write(w, figures[i].name, figures[i].figure);
	writer_begin_array(w, key_of("largest"));
	for (size_t i = 0; i < s->largest_count; i++) {
		writer_begin_document(w, key_of(""));
		writer_put(w, "_id", wrapped_value(&s->largest[i].id));
		writer_number(w, "bytes", s->largest[i].size_bytes);
		writer_end(w);
	}
	writer_end(w);
	writer_begin_array(w, key_of("histogram"));
	for (size_t i = 0; i < s->bin_count; i++) {
		writer_begin_document(w, key_of(""));
		writer_number(w, "from", s->bins[i].from_bytes);
		writer_number(w, "to", s->bins[i].to_bytes);
		writer_number(w, "count", s->bins[i].count);
		writer_end(w);
	}
	writer_end(w);
	figures_write_provenance(w, figures, sizeof figures / sizeof *figures);
	thresholds_write(w, s);
	write_completeness(w, s);
	if (fields)
		fields_write(w, fields);
	writer_end(w);
}

static void print_json(struct source *source, const char *db, struct sizes *const *sizes, struct fields *const *fields,
                       size_t count, struct bytes *out)
{
	struct bytes document = BYTES_INIT, remark = BYTES_INIT;
	bool at_least;
	struct writer w;

	writer_begin(&w, &document);
	writer_text(&w, "source", source->name);
	writer_begin_array(&w, key_of("collections"));
	for (size_t i = 0; i < count; i++)
		write_sizes(&w, sizes[i], fields[i]);
	writer_end(&w);
	if (source_remark(source, db, NULL, &remark, &at_least))
		writer_text(&w, "remark", bytes_text(&remark));
	bytes_clear(&remark);
	json_print(&w, out);
}

/* Text */

static void print_overview(struct sizes *const *sizes, size_t count, bool ascii, struct bytes *out)
{
	static const char *const headings[] = { "collection", "kind", "docs", "bytes", "avg",
		                                "p50",        "p90",  "p99",  "max",   "headroom" };
	struct table t;

	table_init(&t, "llrrrrrrrr", ascii);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		table_text(&t, headings[i]);
	for (size_t i = 0; i < count; i++) {
		const struct sizes *s = sizes[i];

		table_text(&t, s->collection);
		table_text(&t, s->kind);
		table_figure(&t, s->count);
		table_figure(&t, s->bytes);
		table_figure(&t, average(s));
		table_figure(&t, s->p50);
		table_figure(&t, s->p90);
		table_figure(&t, s->p99);
		table_figure(&t, s->max);
		table_figure(&t, s->headroom);
	}
	table_print(&t, 0, out);
	table_clear(&t);
}

static void print_histogram(const struct sizes *s, bool ascii, struct bytes *out)
{
	enum { BAR = 40 };
	int64_t most = 1;
	struct table t;

	for (size_t i = 0; i < s->bin_count; i++)
		if (s->bins[i].count > most)
			most = s->bins[i].count;
	table_init(&t, "rrl", ascii);
	for (size_t i = 0; i < s->bin_count; i++) {
		struct bytes bar = BYTES_INIT;
		/* something that is there is seen */
		int64_t length = s->bins[i].count ? 1 + (s->bins[i].count - 1) * BAR / most : 0;

		while (length-- > 0)
			bytes_append_text(&bar, ascii ? "#" : "█");
		table_figure(&t, figure_of(s->bins[i].from_bytes, PROVENANCE_EXACT));
		table_figure(&t, figure_of(s->bins[i].count, PROVENANCE_EXACT));
		table_text(&t, bytes_text(&bar));
		bytes_clear(&bar);
	}
	table_print(&t, 2, out);
	table_clear(&t);
}

static void print_largest(const struct sizes *s, size_t shown, bool ascii, struct bytes *out)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 60 };
	struct table t;

	table_init(&t, "rl", ascii);
	for (size_t i = 0; i < s->largest_count && i < shown; i++) {
		struct bytes id = BYTES_INIT;

		table_figure(&t, figure_of(s->largest[i].size_bytes, PROVENANCE_EXACT));
		if (!value_is_missing(wrapped_value(&s->largest[i].id)))
			print_value(&id, wrapped_value(&s->largest[i].id), &shell);
		table_text(&t, bytes_text(&id));
		bytes_clear(&id);
	}
	bytes_append_text(out, "  largest\n");
	table_print(&t, 4, out);
	table_clear(&t);
}

static void print_remark(const char *name, const char *text, struct bytes *out)
{
	bytes_append_byte(out, '\n');
	print_text(out, name, strlen(name));
	bytes_append_text(out, ": ");
	print_text(out, text, strlen(text));
}

/* What keeps collections from being whole, and what of the database is no collection at all. */
static void print_remarks(struct source *source, const char *db, struct sizes *const *sizes, size_t count, int64_t limit,
                          struct bytes *out)
{
	struct bytes text = BYTES_INIT;
	size_t before = out->size;
	char over[32], most[32];
	bool at_least;

	for (size_t i = 0; i < count; i++) {
		if (sizes[i]->remark)
			print_remark(sizes[i]->collection, sizes[i]->remark, out);
		if (!sizes[i]->over_limit)
			continue;
		bytes_reset(&text);
		bytes_format(&text, "%s%s over the limit of %s bytes", sizes[i]->method == SAMPLING_ALL ? "" : "at least ",
		             figure_format_count(sizes[i]->over_limit, over, sizeof over),
		             figure_format_count(limit, most, sizeof most));
		print_remark(sizes[i]->collection, bytes_text(&text), out);
	}
	bytes_reset(&text);
	if (source_remark(source, db, NULL, &text, &at_least))
		print_remark(db, bytes_text(&text), out);
	bytes_clear(&text);
	if (out->size > before)
		bytes_append_byte(out, '\n');
}

/* "kopya: 1,000 of 58,595 documents sampled ($sample, random); …" and where the figures of all lie. */
static void print_sample(const struct sizes *s, bool ascii, struct bytes *out)
{
	const struct interval avg = s->intervals.avg_millibytes;
	const struct {
		const char *name;
		struct interval interval;
	} rows[] = {
		{ "avg", interval_is_open(avg) ? avg : (struct interval){ avg.low / 1000, (avg.high + 999) / 1000 } },
		{ "p50", s->intervals.p50 },
		{ "p90", s->intervals.p90 },
		{ "p99", s->intervals.p99 },
		{ "bytes", s->intervals.bytes },
	};
	struct bytes text = BYTES_INIT;

	sampling_text(s->method, s->p50.n, s->p50.of, &text);
	if (s->p50.of)
		bytes_append_text(&text, s->method == SAMPLING_FIRST ? "; docs is estimated" : "; docs and bytes are estimated");
	print_remark(s->collection, bytes_text(&text), out);
	bytes_append_byte(out, '\n');
	bytes_reset(&text);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (interval_is_open(rows[i].interval))
			continue;
		bytes_format(&text, "%s %s ", text.size ? "," : "", rows[i].name);
		sizes_interval_text(rows[i].interval, ascii, &text);
	}
	if (text.size)
		bytes_format(out, "  %d %% sure of all:%s\n", INTERVAL_PERCENT, bytes_text(&text));
	bytes_reset(&text);
	sizes_tail_text(s, &text);
	if (text.size)
		bytes_format(out, "  %s\n", bytes_text(&text));
	bytes_clear(&text);
}

static void print_text_report(struct source *source, const char *db, int64_t limit, struct sizes *const *sizes,
                              struct fields *const *fields, size_t count, const struct options *o, struct bytes *out)
{
	enum { SHOWN = 3 };
	const size_t shown = o->top ? (size_t)o->top : SHOWN;
	const bool ascii = o->ascii;
	char buffer[32];
	bool whole = true, sampled = false;

	for (size_t i = 0; i < count; i++) {
		whole = whole && !sizes[i]->count.at_least;
		sampled = sampled || sizes[i]->p50.provenance == PROVENANCE_SAMPLED ||
		          (fields[i] && fields[i]->documents.provenance == PROVENANCE_SAMPLED);
	}
	bytes_format(out, "%s  database %s  limit %s bytes\n\n", source->name, db,
	             figure_format_count(limit, buffer, sizeof buffer));
	print_overview(sizes, count, ascii, out);
	for (size_t i = 0; i < count; i++) {
		if (!sizes[i]->bin_count)
			continue;
		bytes_format(out, "\n%s: documents from so many bytes, to twice as many\n", sizes[i]->collection);
		print_histogram(sizes[i], ascii, out);
		print_largest(sizes[i], shown, ascii, out);
		if (fields[i])
			fields_print(fields[i], ascii, out);
	}
	thresholds_print(sizes, count, ascii, out);
	print_remarks(source, db, sizes, count, limit, out);
	for (size_t i = 0; i < count; i++)
		if (sizes[i]->method != SAMPLING_ALL)
			print_sample(sizes[i], ascii, out);
	bytes_append_text(out, sampled ? "\nall other figures: exact\n" : whole ? "\nall figures: exact\n"
	                             : "\nfigures: exact; where documents are missing, of those that are there\n");
}

/*
 * Fields of what has documents. What a server refuses there is said beside the sizes, and spoils no other collection.
 */
static bool measure_fields(struct source *source, struct sizes *s, struct fields **fields, bson_error_t *error)
{
	if (!s->bin_count || sizes_kind_is_computed(s->kind))
		return true;
	*fields = fields_measure(source, s->db, s->collection, FIELDS_SAMPLE, NULL, NULL, NULL, error);
	if (!*fields && error->domain == ERROR_SERVER && !source_engine(source)) {
		sizes_remark(s, "its fields: %s", error->message);
		return true;
	}
	return *fields != NULL;
}

/* What was found does not spoil JSON: there every collection has its own. */
static bool find_alarm(const struct options *o, struct sizes *const *sizes, size_t count, struct bytes *out)
{
	struct bytes text = BYTES_INIT;
	bool any = alarm_print(sizes, count, o->ascii, &text);

	if (!o->json && text.size) {
		bytes_append_byte(out, '\n');
		bytes_append(out, text.data, text.size);
	}
	bytes_clear(&text);
	return any;
}

bool report_sizes(struct lab *lab, const struct options *o, struct bytes *out, bool *alarm, bson_error_t *error)
{
	struct size_wish wish = { .largest = (size_t)o->top, .alarm_bytes = o->fail_over_bytes };
	struct thresholds thresholds;
	struct choice c = { 0 };
	struct sizes **sizes = NULL;
	struct fields **fields = NULL;
	size_t count = 0;
	bool good = choice_make(lab, o, &c, error);

	if (o->threshold && thresholds_parse(o->threshold, &thresholds))
		wish.thresholds = &thresholds;
	if (good) {
		c.source->size_wish = wish;
		sizes = memory_allocate_zeroed(c.names.count, sizeof *sizes);
		fields = memory_allocate_zeroed(c.names.count, sizeof *fields);
	}
	while (good && count < c.names.count) {
		const char *name = c.names.list[count];

		sizes[count] = sizes_measure(c.source, c.db, name, model_key(lab_model(lab), name),
		                             lab_limit_bytes(lab), NULL, error);
		good = sizes[count] != NULL;
		good = good && measure_fields(c.source, sizes[count], &fields[count], error);
		count += good;
	}
	if (good && o->json)
		print_json(lab_origin(lab), c.db, sizes, fields, count, out);
	else if (good)
		print_text_report(lab_origin(lab), c.db, lab_limit_bytes(lab), sizes, fields, count, o, out);
	*alarm = good && find_alarm(o, sizes, count, out);
	if (c.source)
		c.source->size_wish = (struct size_wish){ 0 };
	for (size_t i = 0; sizes && i < c.names.count; i++) {
		sizes_destroy(sizes[i]);
		fields_destroy(fields[i]);
	}
	free(sizes);
	free(fields);
	choice_clear(&c);
	return good;
}
