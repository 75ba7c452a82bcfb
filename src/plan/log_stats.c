#include "plan/log_stats.h"

#include <stddef.h>

#include "plan/log_text.h"

/* Fields of `metrics`, each {sum, max, min, sumOfSquares}. Releases before 8.0 have fewer. */
static const struct {
	const char *name;
	size_t offset;
} sums[] = {
	{ "keysExamined", offsetof(struct log_record, keys_examined) },
	{ "docsExamined", offsetof(struct log_record, docs_examined) },
	{ "docsReturned", offsetof(struct log_record, returned) },
	{ "bytesRead", offsetof(struct log_record, bytes_read) },
	{ "totalExecMicros", offsetof(struct log_record, total_micros) },
};

static struct figure figure_at(struct span metric, const char *name)
{
	int64_t n;

	return skim_integer(skim_get(metric, name), &n) && n >= 0 ? figure_measured(n) : figure_unknown();
}

static void read_metrics(struct log_record *r, struct span metrics)
{
	struct skim s;
	struct skim_field f;

	if (!skim_enter(&s, metrics) || s.array)
		return;
	while (skim_next(&s, &f)) {
		if (span_is(f.name, "queryExec"))
			read_metrics(r, f.value);
		else if (span_is(f.name, "firstSeenTimestamp"))
			r->first_seen = skim_string(skim_get(f.value, "$date"));
		else if (span_is(f.name, "latestSeenTimestamp"))
			r->time = skim_string(skim_get(f.value, "$date"));
		for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
			if (span_is(f.name, sums[i].name))
				*(struct figure *)((char *)r + sums[i].offset) = figure_at(f.value, "sum");
		if (span_is(f.name, "totalExecMicros"))
			r->max_micros = figure_at(f.value, "max");
	}
}

static void read_namespace(struct log_record *r, struct span name, struct bytes *scratch)
{
	struct span db = skim_string(skim_get(name, "db")), collection = skim_string(skim_get(name, "coll"));

	if (!db.text || !collection.text)
		return;
	bytes_reset(scratch);
	bytes_append(scratch, db.text, db.size_bytes);
	bytes_append_byte(scratch, '.');
	bytes_append(scratch, collection.text, collection.size_bytes);
	r->namespace_text = (struct span){ (const char *)scratch->data, scratch->size };
}

bool log_stats_read(struct span document, struct bytes *scratch, struct log_record *r)
{
	struct span shape = skim_get(skim_get(document, "key"), "queryShape"), metrics = skim_get(document, "metrics");
	int64_t count;

	if (!shape.text || !skim_integer(skim_get(metrics, "execCount"), &count) || count < 1)
		return false;
	log_record_init(r, LOG_QUERY_STATS);
	r->count = count;
	r->command = shape;
	r->type = skim_string(skim_get(shape, "command"));
	read_namespace(r, skim_get(shape, "cmdNs"), scratch);
	read_metrics(r, metrics);
	return true;
}
