/* Slow-query lines and profile documents: forms by hand, and the public ones where that corpus is at hand. */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/paste.h"
#include "bson/print.h"
#include "plan/log_durations.h"
#include "plan/log_record.h"
#include "plan/log_shape.h"
#include "plan/log_workload.h"

static const char *span_text(struct span s)
{
	return s.text ? harness_keep(strndup(s.text, s.size_bytes)) : "null";
}

static const char *figure_text(struct figure f)
{
	char text[32];

	if (!figure_known(f))
		return "null";
	snprintf(text, sizeof text, "%lld", (long long)f.value);
	return harness_keep(strdup(text));
}

/* One line a record: what it says. */
static const char *described(const char *line)
{
	struct bytes scratch = BYTES_INIT, out = BYTES_INIT;
	struct log_record r;

	if (!log_record_read((struct span){ line, strlen(line) }, &scratch, &r))
		return "no record";
	bytes_format(&out, "%s %s %s keys=%s docs=%s returned=%s millis=%s response=%s read=%s command=%s", span_text(r.type),
	             span_text(r.namespace_text), span_text(r.plan_summary), figure_text(r.keys_examined),
	             figure_text(r.docs_examined), figure_text(r.returned), figure_text(r.millis),
	             figure_text(r.response_bytes), figure_text(r.bytes_read), span_text(r.command));
	bytes_clear(&scratch);
	return harness_keep(bytes_take_text(&out));
}

static void test_json_lines(void)
{
	ASSERT_TEXT(described("{\"t\":{\"$date\":\"2026-01-01T00:00:00.000+00:00\"},\"s\":\"I\",\"c\":\"COMMAND\",\"id\":51803,"
	                      "\"ctx\":\"conn1\",\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":\"shop.orders\","
	                      "\"command\":{\"find\":\"orders\",\"filter\":{\"a\":\"}\\\"\"}},\"planSummary\":\"COLLSCAN\","
	                      "\"keysExamined\":0,\"docsExamined\":379,\"nreturned\":1,\"reslen\":500,"
	                      "\"storage\":{\"data\":{\"bytesRead\":4096}},\"durationMillis\":12}}"),
	            "command shop.orders COLLSCAN keys=0 docs=379 returned=1 millis=12 response=500 read=4096 "
	            "command={\"find\":\"orders\",\"filter\":{\"a\":\"}\\\"\"}}");
	ASSERT_TEXT(described("{\"t\":{\"$date\":\"x\"},\"msg\":\"Connection accepted\",\"attr\":{}}"), "no record");
	ASSERT_TEXT(described(""), "no record");
	ASSERT_TEXT(described("{\"msg\":\"Slow query\",\"attr\":{\"type\":\"comm"), "no record");
}

static void test_text_lines(void)
{
	ASSERT_TEXT(described("2018-03-28T15:34:44.104-0400 I COMMAND  [conn3] command shop.orders appName: \"a b\" command: find "
	                      "{ find: \"orders\", filter: { a: \"x }\" } } planSummary: IXSCAN { a: 1 }, IXSCAN { b: -1 } "
	                      "keysExamined:3 docsExamined:2 hasSortStage:1 nreturned:1 reslen:126 locks:{ Global: { "
	                      "acquireCount: { r: 2 } } } protocol:op_msg 17ms"),
	            "command shop.orders IXSCAN { a: 1 }, IXSCAN { b: -1 } keys=3 docs=2 returned=1 millis=17 response=126 "
	            "read=null command={\"find\": \"orders\", \"filter\": {\"a\": \"x }\"}}");
	ASSERT_TEXT(described("2015-03-28T15:34:44.104-0400 I QUERY    [conn3] query shop.orders query: { a: 1.0 } planSummary: "
	                      "IXSCAN { a: 1 } ntoreturn:0 nscanned:3 nscannedObjects:2 nreturned:1 reslen:126 locks:{} 101ms"),
	            "query shop.orders IXSCAN { a: 1 } keys=3 docs=2 returned=1 millis=101 response=126 read=null "
	            "command={\"a\": 1.0}");
	ASSERT_TEXT(described("2018-03-28T15:34:44.104-0400 I COMMAND  [conn3] command shop.orders command: find { find: \"orders\", "
	                      "filter: { a: BinData(0, 0102) } } planSummary: COLLSCAN 17ms"),
	            "command shop.orders COLLSCAN keys=null docs=null returned=null millis=17 response=null read=null "
	            "command={\"find\": \"orders\", \"filter\": {\"a\": {\"$binary\": {\"base64\": \"AQI=\", \"subType\": \"00\"}}}}");
	ASSERT_TEXT(described("2018-03-28T15:34:44.104-0400 I NETWORK  [listener] connection accepted from 127.0.0.1:5 #1 (1 now)"),
	            "no record");
	ASSERT_TEXT(described("2018-03-28T15:34:44.104-0400 I COMMAND  [conn3] command shop.orders command: find { find: \"o"),
	            "no record");
}

static void test_profile_documents(void)
{
	ASSERT_TEXT(described("{\"op\": \"query\", \"ns\": \"shop.orders\", \"command\": {\"find\": \"orders\"}, \"docsExamined\": "
	                      "{\"$numberInt\": \"7\"}, \"millis\": 3, \"responseLength\": 90}"),
	            "query shop.orders null keys=null docs=7 returned=null millis=3 response=90 read=null "
	            "command={\"find\": \"orders\"}");
}

static const char *shape(const char *command)
{
	struct bytes out = BYTES_INIT;
	struct span operation;

	log_shape_append(&out, (struct span){ command, strlen(command) }, &operation);
	bytes_format(&out, " %s", span_text(operation));
	return harness_keep(bytes_take_text(&out));
}

static void test_shapes_keep_structure_and_lose_values(void)
{
	ASSERT_TEXT(shape("{\"find\":\"c\",\"filter\":{\"a\":{\"$in\":[1,2,3]},\"b\":{\"$oid\":\"x\"}},\"sort\":{\"a\":-1},"
	                  "\"limit\":5,\"lsid\":{\"id\":1},\"$db\":\"d\"}"),
	            "{filter: {a: {$in: [?]}, b: ?}, sort: {a: -1}, limit: ?} find");
	ASSERT_TEXT(shape("{\"aggregate\":\"c\",\"pipeline\":[{\"$match\":{\"x\":1}},{\"$group\":{\"_id\":\"$k\",\"n\":"
	                  "{\"$sum\":1}}},{\"$project\":{\"_id\":0}}],\"cursor\":{}}"),
	            "{pipeline: [{$match: {x: ?}}, {$group: {_id: \"$k\", n: {$sum: ?}}}, {$project: {_id: 0}}]} aggregate");
	ASSERT_TEXT(shape("{\"update\":\"c\",\"updates\":[{\"q\":{\"_id\":1},\"u\":{\"$set\":{\"a\":\"v\"}},\"multi\":false}]}"),
	            "{updates: [{q: {_id: ?}, u: {$set: {a: ?}}, multi: false}]} update");
	ASSERT_TEXT(shape("{\"q\":{\"a\":1},\"u\":{\"$set\":{\"b\":2}},\"multi\":true}"),
	            "{q: {a: ?}, u: {$set: {b: ?}}, multi: true} q");
	ASSERT_TEXT(shape("{\"aggregate\":\"c\",\"pipeline\":[{\"$lookup\":{\"from\":\"e\",\"localField\":\"a\",\"foreignField\":\"b\",\"as\":\"x\","
	                  "\"pipeline\":[{\"$match\":{\"from\":\"Ankara\"}}]}},{\"$unwind\":\"$x\"},{\"$count\":\"n\"}]}"),
	            "{pipeline: [{$lookup: {from: \"e\", localField: \"a\", foreignField: \"b\", as: \"x\", pipeline: [{$match: "
	            "{from: ?}}]}}, {$unwind: \"$x\"}, {$count: \"n\"}]} aggregate");
	ASSERT_TEXT(shape("{\"distinct\":\"c\",\"key\":\"city\",\"query\":{\"key\":\"secret\"}}"),
	            "{key: \"city\", query: {key: ?}} distinct");
	ASSERT_TEXT(shape("{\"find\":\"c\",\"filter\":{\"a\":{\"$eq\":7},\"$expr\":{\"$eq\":[\"$a\",1]}}}"),
	            "{filter: {a: ?, $expr: {$eq: [\"$a\", ?]}}} find");
	ASSERT_TEXT(shape("[1]"), " null");
}

static const char *const slow_lines[] = {
	"{\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":\"d.c\",\"command\":{\"find\":\"c\",\"filter\":{\"a\":1}},"
	"\"planSummary\":\"COLLSCAN\",\"docsExamined\":10,\"nreturned\":1,\"durationMillis\":5}}",
	"{\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":\"d.c\",\"command\":{\"find\":\"c\",\"filter\":{\"a\":2}},"
	"\"planSummary\":\"IXSCAN { a: 1 }\",\"docsExamined\":1,\"keysExamined\":1,\"durationMillis\":1}}",
	"{\"msg\":\"other\",\"attr\":{}}",
	"{\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":\"d.e\",\"command\":{\"find\":\"e\",\"filter\":{}},"
	"\"durationMillis\":100}}",
};

/* The lines in pieces of so many bytes: the rows, a line each. */
static const char *workload(size_t piece)
{
	struct log_workload *w = log_workload_new();
	struct bytes text = BYTES_INIT, out = BYTES_INIT;
	const struct log_row *rows;
	size_t count;

	for (size_t i = 0; i < sizeof slow_lines / sizeof *slow_lines; i++)
		bytes_format(&text, "%s%s", i ? "\n" : "", slow_lines[i]);
	for (size_t at = 0; at < text.size; at += piece)
		log_workload_add(w, (const char *)text.data + at, text.size - at < piece ? text.size - at : piece);
	log_workload_finish(w);
	bytes_format(&out, "%lld of %lld\n", (long long)log_workload_records(w), (long long)log_workload_lines(w));
	rows = log_workload_rows(w, &count);
	for (size_t i = 0; i < count; i++) {
		char docs[48], keys[48];

		bytes_format(&out, "%s %s %s x%lld docs %s keys %s p50 %s max %s plan %s%s\n", rows[i].operation,
		             rows[i].namespace_text, rows[i].shape, (long long)rows[i].count,
		             figure_format(rows[i].docs_examined, true, docs, sizeof docs),
		             figure_format(rows[i].keys_examined, true, keys, sizeof keys), figure_text(rows[i].p50_millis),
		             figure_text(rows[i].max_micros), rows[i].plan, rows[i].more_plans ? " and others" : "");
	}
	log_workload_destroy(w);
	bytes_clear(&text);
	return harness_keep(bytes_take_text(&out));
}

static void test_workload(void)
{
	static const char expected[] = "3 of 4\n"
				       "find d.e {filter: {}} x1 docs - keys - p50 100 max 100000 plan \n"
				       "find d.c {filter: {a: ?}} x2 docs 11 keys >=1 p50 1 max 5000 plan IXSCAN { a: 1 } and others\n";

	ASSERT_TEXT(workload(1 << 20), expected);
	for (size_t piece = 1; piece < 200; piece += 13)
		ASSERT_TEXT(workload(piece), expected);
}

/* What came of a text: a row a line. */
static const char *rows_of(const char *text)
{
	struct log_workload *w = log_workload_new();
	struct bytes out = BYTES_INIT;
	const struct log_row *rows;
	size_t count;

	log_workload_add(w, text, strlen(text));
	log_workload_finish(w);
	rows = log_workload_rows(w, &count);
	for (size_t i = 0; i < count; i++) {
		bytes_format(&out, "%s %s %s x%lld docs %s returned %s read %s mean %s max %s p95 %s", rows[i].operation,
		             rows[i].namespace_text, rows[i].shape, (long long)rows[i].count, figure_text(rows[i].docs_examined),
		             figure_text(rows[i].returned), figure_text(rows[i].bytes_read), figure_text(rows[i].mean_micros),
		             figure_text(rows[i].max_micros), figure_text(rows[i].p95_millis));
		bytes_format(&out, " /s %.2f\n", rows[i].per_second);
	}
	log_workload_destroy(w);
	return harness_keep(bytes_take_text(&out));
}

#define STATS_KEY "\"key\":{\"queryShape\":{\"cmdNs\":{\"db\":\"shop\",\"coll\":\"items\"},\"command\":\"find\",\"filter\":" \
                  "{\"order\":{\"$eq\":\"?number\"},\"kind\":{\"$in\":\"?array<?string>\"}},\"sort\":{\"at\":-1}}," \
                  "\"client\":{\"application\":{\"name\":\"a\"}},\"collectionType\":\"collection\"},\"keyHash\":\"x\""
#define STATS_ROW "find shop.items {filter: {order: ?, kind: {$in: [?]}}, sort: {at: -1}} "

static void test_query_stats(void)
{
	/* 7.0: no keys, docs or bytes examined; seen for ten seconds */
	ASSERT_TEXT(rows_of("{" STATS_KEY ",\"metrics\":{\"lastExecutionMicros\":300,\"execCount\":20,\"totalExecMicros\":{\"sum\":9000,"
	                    "\"max\":2500,\"min\":100,\"sumOfSquares\":{\"$numberDecimal\":\"7\"}},\"docsReturned\":{\"sum\":40,\"max\":4,\"min\":0},"
	                    "\"firstSeenTimestamp\":{\"$date\":\"2026-01-01T00:00:00Z\"},\"latestSeenTimestamp\":{\"$date\":\"2026-01-01T00:00:10Z\"}}}"),
	            STATS_ROW "x20 docs null returned 40 read null mean 450 max 2500 p95 null /s 2.00\n");
	/* later releases: figures of the execution in a part of their own; numbers in any notation; two keys of one shape */
	ASSERT_TEXT(rows_of("{" STATS_KEY ",\"metrics\":{\"execCount\":{\"$numberLong\":\"3\"},\"totalExecMicros\":{\"sum\":{\"$numberLong\":\"30\"},"
	                    "\"max\":11},\"queryExec\":{\"docsReturned\":{\"sum\":1},\"docsExamined\":{\"sum\":7},\"bytesRead\":{\"sum\":4096}}}}\n"
	                    "{" STATS_KEY ",\"metrics\":{\"execCount\":1,\"totalExecMicros\":{\"sum\":10,\"max\":10},\"docsReturned\":{\"sum\":1},"
	                    "\"docsExamined\":{\"sum\":2},\"bytesRead\":{\"sum\":0}}}"),
	            STATS_ROW "x4 docs 9 returned 2 read 4096 mean 10 max 11 p95 null /s -1.00\n");
	ASSERT_TEXT(rows_of("{" STATS_KEY ",\"metrics\":{\"execCount\":0}}\n{\"key\":1,\"metrics\":2}\n{\"metrics\":{\"execCount\":1}}"), "");
}

static void test_documents_of_a_shell(void)
{
	static const char profile[] = "{ op: 'query', ns: 'd.c', command: { find: 'c',\n  filter: { a: Long('7') } },\n docsExamined: 5, millis: 3,\n"
				      " ts: ISODate('2026-01-01T00:00:0%d.000Z') }";
	static const char row[] = "find d.c {filter: {a: ?}} x2 docs 10 returned null read null mean 3000 max 3000 p95 3 /s 0.50\n";
	char one[400], two[400], all[1000];

	snprintf(one, sizeof one, profile, 1);
	snprintf(two, sizeof two, profile, 5);
	snprintf(all, sizeof all, "shop> db.system.profile.find()\n[\n%s,\n%s\n]\nshop> ", one, two);
	ASSERT_TEXT(rows_of(all), row);
	snprintf(all, sizeof all, "{ cursor: { firstBatch: [ %s, %s ], id: 0 }, ok: 1 }", one, two);
	ASSERT_TEXT(rows_of(all), row);
	snprintf(all, sizeof all, "%s\n%.60s", one, two); /* what was cut off has no whole shape */
	ASSERT_TEXT(rows_of(all), "find d.c {filter: {a: ?}} x1 docs 5 returned null read null mean 3000 max 3000 p95 3 /s -1.00\n");
	ASSERT_TEXT(rows_of("[{\"op\":\"query\",\"ns\":\"d.c\",\"command\":{\"count\":\"c\"},\"millis\":1},"
	                    "{\"op\":\"query\",\"ns\":\"d.c\",\"command\":{\"count\":\"c\"},\"millis\":3}]"),
	            "count d.c {} x2 docs null returned null read null mean 2000 max 3000 p95 3 /s -1.00\n");
	ASSERT_TEXT(rows_of("{\"inprog\":[{\"op\":\"none\",\"ns\":\"\"},{\"op\":\"query\",\"ns\":\"d.c\",\"command\":{\"count\":\"c\"},"
	                    "\"microsecs_running\":9}],\"ok\":1}"),
	            "count d.c {} x1 docs null returned null read null mean null max null p95 null /s -1.00\n");
}

static void add_slow(struct log_workload *w, const char *zone, int second, int shape, long long millis)
{
	struct bytes line = BYTES_INIT;

	bytes_format(&line, "{\"t\":{\"$date\":\"2026-01-01T00:00:%02d.000%s\"},\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":\"d.c\","
	             "\"command\":{\"find\":\"c\",\"filter\":{\"f%d\":1}},\"durationMillis\":%lld}}\n", second, zone, shape, millis);
	log_workload_add(w, (const char *)line.data, line.size);
	bytes_clear(&line);
}

/* What Docker and the journal write: the server's line as a text inside one of theirs. */
static void test_lines_inside_lines(void)
{
	static const char *const formats[] = { "{\"log\":\"%s\\n\",\"stream\":\"stdout\",\"time\":\"2026-01-01T00:00:00Z\"}\n",
		                               "{\"MESSAGE\":\"%s\",\"_PID\":\"7\"}\n", "{\"message\":\"%s\"}" };
	static const char inner[] = "{\\\"t\\\":{\\\"$date\\\":\\\"2026-01-01T00:00:00.000Z\\\"},\\\"msg\\\":\\\"Slow query\\\","
				    "\\\"attr\\\":{\\\"ns\\\":\\\"d.c\\\",\\\"command\\\":{\\\"find\\\":\\\"c\\\"},\\\"durationMillis\\\":3}}";
	char text[500];

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		snprintf(text, sizeof text, formats[i], inner);
		ASSERT_TEXT(rows_of(text), "find d.c {} x1 docs null returned null read null mean 3000 max 3000 p95 3 /s -1.00\n");
	}
}

/* Before 3.2 a query was its filter alone: its first field is no command's name. */
static void test_filters_without_a_command(void)
{
	static const char *const rest = "\"nscanned\":9,\"nscannedObjects\":7,\"millis\":3}";
	static const char *const cases[][2] = {
		{ "{\"op\":\"query\",\"ns\":\"d.c\",\"query\":{\"a\":1},", "query d.c {q: {a: ?}}" },
		{ "{\"op\":\"update\",\"ns\":\"d.c\",\"query\":{\"a\":\"x\"},", "update d.c {q: {a: ?}}" },
		{ "{\"op\":\"query\",\"ns\":\"d.c\",\"query\":{\"find\":\"c\",\"filter\":{\"a\":1}},", "find d.c {filter: {a: ?}}" },
	};
	char text[300], row[200];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, "%s%s", cases[i][0], rest);
		snprintf(row, sizeof row, "%s x1 docs 7 returned null read null mean 3000 max 3000 p95 3 /s -1.00\n", cases[i][1]);
		ASSERT_TEXT(rows_of(text), row);
	}
}

static void test_an_empty_plan_is_none(void)
{
	static const char line[] = "{\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":\"d.c\",\"command\":{\"find\":\"c\"},"
				   "\"planSummary\":\"%s\",\"durationMillis\":1}}\n";
	struct log_workload *w = log_workload_new();
	struct bytes text = BYTES_INIT;
	size_t count;

	bytes_format(&text, line, "");
	bytes_format(&text, line, "COLLSCAN");
	bytes_format(&text, line, "");
	log_workload_add(w, (const char *)text.data, text.size);
	log_workload_finish(w);
	ASSERT_TEXT(log_workload_rows(w, &count)->plan, "COLLSCAN");
	CU_ASSERT_FALSE(log_workload_rows(w, &count)->more_plans);
	log_workload_destroy(w);
	bytes_clear(&text);
}

static void test_rates_are_over_the_time_that_the_log_spans(void)
{
	struct log_workload *w = log_workload_new();
	size_t count;

	add_slow(w, "+00:00", 10, 1, 5); /* the lines need not be in order */
	add_slow(w, "+00:00", 0, 1, 5);
	add_slow(w, "+00:00", 5, 2, 1);
	log_workload_finish(w);
	CU_ASSERT_EQUAL(log_workload_seconds(w), 10);
	CU_ASSERT_EQUAL(log_workload_rows(w, &count)[0].per_second, 0.2);
	log_workload_destroy(w);

	w = log_workload_new();
	add_slow(w, "+00:00", 0, 1, 5);
	add_slow(w, "+01:00", 10, 1, 5);
	log_workload_finish(w);
	CU_ASSERT_TRUE(log_workload_rows(w, &count)[0].per_second < 0);
	log_workload_destroy(w);
}

static void test_shapes_beyond_the_limit_share_a_row(void)
{
	struct log_workload *w = log_workload_new();
	const struct log_row *rows;
	int64_t all = 0;
	size_t count;

	for (int i = 0; i < LOG_SHAPE_LIMIT + 500; i++)
		add_slow(w, "Z", 0, i, 1 + (i >= LOG_SHAPE_LIMIT));
	log_workload_finish(w);
	rows = log_workload_rows(w, &count);
	CU_ASSERT_EQUAL(count, LOG_SHAPE_LIMIT + 1);
	for (size_t i = 0; i < count; i++)
		all += rows[i].count;
	CU_ASSERT_EQUAL(all, LOG_SHAPE_LIMIT + 500);
	ASSERT_TEXT(rows[0].operation, "(other shapes)");
	CU_ASSERT_EQUAL(rows[0].count, 500);
	log_workload_destroy(w);
}

static void test_percentiles_of_many_times(void)
{
	struct log_durations d = { 0 };
	struct figure f;

	for (int i = 1; i <= LOG_DURATIONS_EXACT; i++)
		log_durations_add(&d, i);
	f = log_durations_percentile(&d, 95);
	CU_ASSERT_EQUAL(f.value, (LOG_DURATIONS_EXACT * 95 + 99) / 100);
	CU_ASSERT_EQUAL(f.provenance, PROVENANCE_MEASURED);
	for (int i = LOG_DURATIONS_EXACT + 1; i <= 100000; i++)
		log_durations_add(&d, i);
	CU_ASSERT_TRUE(d.count <= LOG_DURATIONS_EXACT);
	for (int percent = 1; percent < 100; percent += 7) {
		f = log_durations_percentile(&d, percent);
		CU_ASSERT_EQUAL(f.provenance, PROVENANCE_ESTIMATED);
		CU_ASSERT_TRUE(f.value >= 1000 * percent && f.value <= 1016 * percent);
	}
	log_durations_add(&d, INT64_MAX);
	log_durations_clear(&d);
}

enum column {
	FILE_NAME, SOURCE, SERVER_VERSION, KIND, TYPE, NAMESPACE, PLAN_SUMMARY, KEYS, DOCS, RETURNED, MILLIS, RESPONSE,
	BYTES_READ, FRAMEWORK, TOP_STAGE, NOTES, COLUMNS
};

static int values, wrong;

static void expect(const char *file, const char *what, const char *got, const char *expected)
{
	char plain[512];
	size_t length = strlen(expected);

	values++;
	snprintf(plain, sizeof plain, "%s", expected);
	if (length > 1 && expected[0] == '"') /* texts of some columns are quoted */
		snprintf(plain, sizeof plain, "%.*s", (int)length - 2, expected + 1);
	if (!strcmp(got, plain))
		return;
	wrong++;
	fprintf(stderr, "%s: %s: got %s, expected %s\n", file, what, got, plain);
}

static void check_record(const char *file, const struct log_record *r, char **columns)
{
	expect(file, "type", span_text(r->type), columns[TYPE]);
	expect(file, "ns", span_text(r->namespace_text), columns[NAMESPACE]);
	expect(file, "planSummary", span_text(r->plan_summary), columns[PLAN_SUMMARY]);
	expect(file, "keysExamined", figure_text(r->keys_examined), columns[KEYS]);
	expect(file, "docsExamined", figure_text(r->docs_examined), columns[DOCS]);
	expect(file, "nreturned", figure_text(r->returned), columns[RETURNED]);
	expect(file, "millis", figure_text(r->millis), columns[MILLIS]);
	expect(file, "reslen", figure_text(r->response_bytes), columns[RESPONSE]);
	expect(file, "bytesRead", figure_text(r->bytes_read), columns[BYTES_READ]);
	expect(file, "queryFramework", span_text(r->query_framework), columns[FRAMEWORK]);
	if (strcmp(columns[TOP_STAGE], "null"))
		expect(file, "stage", span_text(skim_string(skim_get(r->execution, "stage"))), columns[TOP_STAGE]);
}

/* A line of text holds at most one record; the index has no values for them. */
static void check_text_lines(const char *file, char *text)
{
	struct bytes scratch = BYTES_INIT;
	struct log_record r;
	int records = 0;
	char *line;

	while ((line = strsep(&text, "\n")))
		if (log_record_read((struct span){ line, strlen(line) }, &scratch, &r)) {
			records++;
			expect(file, "time", figure_known(r.millis) ? "known" : "unknown", "known");
			expect(file, "command", r.command.text ? "read" : "not read", "read");
		}
	expect(file, "records", records ? "some" : "none", "some");
	bytes_clear(&scratch);
}

static void check_file(const char *file, char **columns)
{
	struct bytes scratch = BYTES_INIT, json = BYTES_INIT;
	struct paste_document d;
	struct log_record r;
	struct paste p;
	struct value v;
	char path[4096];
	size_t size;
	char *text;

	snprintf(path, sizeof path, "%s/explains/slowlog/%s", harness_corpus(), file);
	text = harness_read_file(path, &size);
	if (!text)
		return;
	if (strstr(file, ".log")) {
		check_text_lines(file, text);
	} else if (!strstr(file, ".shell.txt")) {
		expect(file, "record", log_record_read((struct span){ text, size }, &scratch, &r) ? "read" : "not read", "read");
		check_record(file, &r, columns);
	} else {
		paste_init(&p, file, text, size);
		if (paste_next(&p, &d) && value_document(&v, d.bson.data, d.bson.size))
			print_value(&json, v, &(struct print_options){ .form = PRINT_RELAXED });
		expect(file, "record",
		       log_record_read((struct span){ bytes_text(&json), json.size }, &scratch, &r) ? "read" : "not read", "read");
		check_record(file, &r, columns);
		bytes_clear(&d.bson);
		paste_clear(&p);
	}
	free(text);
	bytes_clear(&scratch);
	bytes_clear(&json);
}

static void every_item_of_the_index(void)
{
	char path[4096], *index, *rest, *line, *columns[COLUMNS];
	int items = 0;
	size_t size;

	if (!harness_corpus()) {
		printf("skipped: BSONSCOPE_CORPUS is not set; ");
		return;
	}
	snprintf(path, sizeof path, "%s/explains/slowlog/INDEX.tsv", harness_corpus());
	index = harness_read_file(path, &size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(index);
	rest = index;
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n")) && *line) {
		char shell[256];

		for (int i = 0; i < COLUMNS; i++) {
			columns[i] = strsep(&line, "\t");
			if (!columns[i])
				columns[i] = "";
		}
		items++;
		check_file(columns[FILE_NAME], columns);
		snprintf(shell, sizeof shell, "%.*s.shell.txt", (int)strcspn(columns[FILE_NAME], ".") , columns[FILE_NAME]);
		if (strstr(columns[FILE_NAME], ".json")) {
			snprintf(shell, sizeof shell, "%.*s.shell.txt", (int)strlen(columns[FILE_NAME]) - 5, columns[FILE_NAME]);
			check_file(shell, columns);
		}
	}
	printf("summary: %d log items: %d values, %d wrong\n", items, values, wrong);
	CU_ASSERT(items > 0);
	CU_ASSERT_EQUAL(wrong, 0);
	free(index);
}

int main(void)
{
	static const struct test_case tests[] = {
		{ "JSON lines", test_json_lines },
		{ "text lines", test_text_lines },
		{ "profile documents", test_profile_documents },
		{ "shapes", test_shapes_keep_structure_and_lose_values },
		{ "workload", test_workload },
		{ "query stats", test_query_stats },
		{ "documents of a shell", test_documents_of_a_shell },
		{ "lines inside lines", test_lines_inside_lines },
		                                  { "filters without a command", test_filters_without_a_command },
		                                  { "an empty plan", test_an_empty_plan_is_none },
		{ "rates", test_rates_are_over_the_time_that_the_log_spans },
		{ "shapes beyond the limit", test_shapes_beyond_the_limit_share_a_row },
		{ "percentiles of many times", test_percentiles_of_many_times },
		{ "items of the index", every_item_of_the_index },
		{ NULL, NULL },
	};

	return harness_run("log", tests);
}
