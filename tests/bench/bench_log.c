/* How fast a server's log becomes rows, of each kind. */
#include <stdio.h>
#include <time.h>

#include "base/bytes.h"
#include "plan/log_workload.h"

enum { LOG_BYTES = 96 << 20, PIECE_BYTES = 1 << 20 };

static double seconds_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of every ten lines three are slow queries, as long as servers write them; the others are other components'. */
static void append_json_line(struct bytes *log, int i)
{
	int second = i / 50 % 60, minute = i / 3000 % 60;

	bytes_format(log, "{\"t\":{\"$date\":\"2026-01-01T10:%02d:%02d.%03d+00:00\"},\"s\":\"I\",  ", minute, second, i % 1000);
	if (i % 10 < 7) {
		static const char *const others[] = {
			"\"c\":\"NETWORK\",  \"id\":22943,   \"ctx\":\"listener\",\"msg\":\"Connection accepted\",\"attr\":{\"remote\":\"10.1.2.3:%d\",\"uuid\":{\"uuid\":{\"$uuid\":\"5f0c2d6a-31a4-4b3e-9f43-0d1f1f6d2a11\"}},\"connectionId\":7,\"connectionCount\":12}}\n",
			"\"c\":\"ACCESS\",   \"id\":5286306, \"ctx\":\"conn7\",\"msg\":\"Successfully authenticated\",\"attr\":{\"client\":\"10.1.2.3:%d\",\"isSpeculative\":true,\"isClusterMember\":false,\"mechanism\":\"SCRAM-SHA-256\",\"user\":\"app\",\"db\":\"admin\",\"result\":0,\"metrics\":{\"conversation_duration\":{\"micros\":5172,\"summary\":{\"0\":{\"step\":1,\"step_total\":2,\"duration_micros\":130},\"1\":{\"step\":2,\"step_total\":2,\"duration_micros\":27}}}},\"extraInfo\":{}}}\n",
			"\"c\":\"WTCHKPT\",  \"id\":22430,   \"ctx\":\"Checkpointer\",\"msg\":\"WiredTiger message\",\"attr\":{\"message\":{\"ts_sec\":1767261600,\"ts_usec\":%d,\"thread\":\"1:0x7f\",\"session_name\":\"WT_SESSION.checkpoint\",\"category\":\"WT_VERB_CHECKPOINT_PROGRESS\",\"category_id\":6,\"verbose_level\":\"DEBUG_1\",\"verbose_level_id\":1,\"msg\":\"saving checkpoint snapshot min: 51, snapshot max: 51 snapshot count: 0\"}}}\n",
		};

		bytes_format(log, others[i % 3], 40000 + i % 20000);
		return;
	}
	bytes_format(log,
	             "\"c\":\"COMMAND\",  \"id\":51803,   \"ctx\":\"conn%d\",\"msg\":\"Slow query\",\"attr\":{\"type\":\"command\",\"ns\":\"shop.orders\",\"appName\":\"shop-api\",\"command\":{\"aggregate\":\"orders\",\"pipeline\":[{\"$match\":{\"customer\":{\"$oid\":\"65a0000000000000%08x\"},\"status\":{\"$in\":[\"paid\",\"sent\",\"returned\"]},\"placedAt\":{\"$gte\":{\"$date\":\"2025-12-01T00:00:00.000Z\"}}}},{\"$sort\":{\"placedAt\":-1}},{\"$limit\":%d},{\"$lookup\":{\"from\":\"items\",\"localField\":\"_id\",\"foreignField\":\"order\",\"as\":\"items\"}},{\"$project\":{\"note%d\":0}}],\"cursor\":{},\"lsid\":{\"id\":{\"$uuid\":\"b7e1a2c4-6f0e-4a58-8a4c-3f4f8f0d9a77\"}},\"$clusterTime\":{\"clusterTime\":{\"$timestamp\":{\"t\":1767261600,\"i\":3}},\"signature\":{\"hash\":{\"$binary\":{\"base64\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAA=\",\"subType\":\"0\"}},\"keyId\":0}},\"$db\":\"shop\",\"$readPreference\":{\"mode\":\"primaryPreferred\"}},\"planSummary\":\"IXSCAN { customer: 1, placedAt: -1 }\",\"planningTimeMicros\":310,\"keysExamined\":%d,\"docsExamined\":%d,\"hasSortStage\":true,\"cursorExhausted\":true,\"numYields\":4,\"nreturned\":20,\"queryHash\":\"AB12CD34\",\"planCacheKey\":\"0F0F0F0F\",\"queryFramework\":\"classic\",\"reslen\":%d,\"locks\":{\"FeatureCompatibilityVersion\":{\"acquireCount\":{\"r\":6}},\"Global\":{\"acquireCount\":{\"r\":6}},\"Mutex\":{\"acquireCount\":{\"r\":2}}},\"readConcern\":{\"level\":\"local\",\"provenance\":\"implicitDefault\"},\"storage\":{\"data\":{\"bytesRead\":%d,\"timeReadingMicros\":90}},\"remote\":\"10.1.2.3:41000\",\"protocol\":\"op_msg\",\"durationMillis\":%d}}\n",
	             i % 400, (unsigned)i * 2654435761u, 10 + i % 50, i % 200, i % 5000, i % 3000, 1000 + i % 90000, i % 70000,
	             100 + i % 1900);
}

static void append_text_line(struct bytes *log, int i)
{
	int second = i / 50 % 60, minute = i / 3000 % 60;

	bytes_format(log, "2019-03-28T15:%02d:%02d.%03d+0000 I ", minute, second, i % 1000);
	if (i % 10 < 7) {
		bytes_format(log, "NETWORK  [listener] connection accepted from 10.1.2.3:%d #%d (12 connections now open)\n", 40000 + i % 20000, i);
		return;
	}
	bytes_format(log,
	             "COMMAND  [conn%d] command shop.orders appName: \"shop-api\" command: find { find: \"orders\", filter: { customer: ObjectId('65a0000000000000%08x'), status: { $in: [ \"paid\", \"sent\" ] }, placedAt: { $gte: new Date(1764547200000) } }, sort: { placedAt: -1 }, projection: { note%d: 0 }, limit: %d, lsid: { id: UUID(\"b7e1a2c4-6f0e-4a58-8a4c-3f4f8f0d9a77\") }, $db: \"shop\" } planSummary: IXSCAN { customer: 1, placedAt: -1 } keysExamined:%d docsExamined:%d hasSortStage:1 cursorExhausted:1 numYields:4 nreturned:20 reslen:%d locks:{ Global: { acquireCount: { r: 10 } }, Database: { acquireCount: { r: 5 } }, Collection: { acquireCount: { r: 5 } } } storage:{ data: { bytesRead: 90 } } protocol:op_msg %dms\n",
	             i % 400, (unsigned)i * 2654435761u, i % 200, 10 + i % 50, i % 5000, i % 3000, 1000 + i % 90000, 100 + i % 1900);
}

static void bench_log(const char *name, void (*append)(struct bytes *log, int i))
{
	struct bytes log = BYTES_INIT;
	double best = 0;
	int64_t records = 0;
	size_t shapes = 0;

	for (int i = 0; log.size < LOG_BYTES; i++)
		append(&log, i);
	for (int run = 0; run < 3; run++) {
		struct log_workload *w = log_workload_new();
		double start = seconds_now(CLOCK_PROCESS_CPUTIME_ID), taken;

		for (size_t at = 0; at < log.size; at += PIECE_BYTES)
			log_workload_add(w, (const char *)log.data + at, log.size - at < PIECE_BYTES ? log.size - at : PIECE_BYTES);
		log_workload_finish(w);
		taken = seconds_now(CLOCK_PROCESS_CPUTIME_ID) - start;
		if (run == 0 || taken < best)
			best = taken;
		records = log_workload_records(w);
		log_workload_rows(w, &shapes);
		log_workload_destroy(w);
	}
	printf("%-40s %6.0f MB/s (wanted: 200)   %lld records, %zu shapes\n", name, (double)log.size / best / 1e6, (long long)records, shapes);
	bytes_clear(&log);
}

int main(void)
{
	bench_log("log, JSON, 30 % slow queries", append_json_line);
	bench_log("log, text, 30 % slow queries", append_text_line);
	return 0;
}
