/* How long an explain output of 1 MB takes to open, of several forms. `bench_explain DIR` keeps the texts there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "plan/open.h"

enum { EXPLAIN_BYTES = 1 << 20, RUNS = 15, CHAIN = 60 };

static double processor_millis(const struct timespec *t)
{
	return (double)t->tv_sec * 1e3 + (double)t->tv_nsec / 1e6;
}

static double processor_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return processor_millis(&t);
}

static void append_scan(struct bytes *text, int i)
{
	bytes_format(text,
	             "{\"stage\": \"FETCH\", \"filter\": {\"$and\": [{\"kind\": {\"$eq\": %d}}, {\"name\": {\"$gt\": \"n%d\"}}]}, \"nReturned\": 1, \"executionTimeMillisEstimate\": 0, \"works\": 2, \"advanced\": 1, \"needTime\": 0, \"needYield\": 0, \"saveState\": 0, \"restoreState\": 0, \"isEOF\": 1, \"docsExamined\": 1, \"alreadyHasObj\": 0, \"inputStage\": {\"stage\": \"IXSCAN\", \"nReturned\": 1, \"executionTimeMillisEstimate\": 0, \"works\": 2, \"advanced\": 1, \"needTime\": 0, \"needYield\": 0, \"saveState\": 0, \"restoreState\": 0, \"isEOF\": 1, \"keyPattern\": {\"customer\": 1, \"placedAt\": -1}, \"indexName\": \"customer_1_placedAt_-1\", \"isMultiKey\": false, \"multiKeyPaths\": {\"customer\": [], \"placedAt\": []}, \"isUnique\": false, \"isSparse\": false, \"isPartial\": false, \"indexVersion\": 2, \"direction\": \"forward\", \"indexBounds\": {\"customer\": [\"[%d, %d]\"], \"placedAt\": [\"[MaxKey, MinKey]\"]}, \"keysExamined\": 1, \"seeks\": 1, \"dupsTested\": 0, \"dupsDropped\": 0}}\n",
	             i, i, i, i);
}

static const char head[] = "{\"explainVersion\": \"1\", \"queryPlanner\": {\"namespace\": \"shop.orders\", \"parsedQuery\": {\"kind\": {\"$eq\": 1}}, \"winningPlan\": ";
static const char stats[] = ", \"executionStats\": {\"executionSuccess\": true, \"nReturned\": 9, \"executionTimeMillis\": 5, \"totalKeysExamined\": 9, \"totalDocsExamined\": 9, \"executionStages\": ";
static const char tail[] = ", \"serverInfo\": {\"host\": \"db1\", \"port\": 27017, \"version\": \"8.0.4\"}, \"ok\": 1}\n";

/* An $or of many branches. */
static void make_branches(struct bytes *text)
{
	bytes_format(text, "%s{\"stage\": \"OR\"}, \"rejectedPlans\": []}%s{\"stage\": \"OR\", \"nReturned\": 9, \"inputStages\": [\n", head, stats);
	for (int i = 0; text->size < EXPLAIN_BYTES; i++) {
		bytes_append_text(text, i ? "," : "");
		append_scan(text, i);
	}
	bytes_format(text, "]}}%s", tail);
}

/* Branches of many stages, one below the other. */
static void make_deep(struct bytes *text)
{
	bytes_format(text, "%s{\"stage\": \"OR\"}, \"rejectedPlans\": []}%s{\"stage\": \"OR\", \"nReturned\": 9, \"inputStages\": [\n", head, stats);
	for (int i = 0; text->size < EXPLAIN_BYTES; i++) {
		bytes_append_text(text, i ? "," : "");
		for (int level = 0; level < CHAIN; level++)
			bytes_format(text, "{\"stage\": \"LIMIT\", \"nReturned\": %d, \"executionTimeMillisEstimate\": 3, \"works\": 10, \"advanced\": 9, \"needTime\": 0, \"limitAmount\": %d, \"inputStage\": ", level, level);
		append_scan(text, i);
		for (int level = 0; level < CHAIN; level++)
			bytes_append_byte(text, '}');
	}
	bytes_format(text, "]}}%s", tail);
}

/* The same query on every one of many shards. */
static void make_shards(struct bytes *text)
{
	struct bytes run = BYTES_INIT;

	bytes_format(text, "%s{\"stage\": \"SHARD_MERGE\", \"shards\": [\n", head);
	for (int i = 0; text->size + run.size < EXPLAIN_BYTES; i++) {
		bytes_format(text, "%s{\"shardName\": \"shard%04d\", \"connectionString\": \"shard%04d/db1:27018\", \"namespace\": \"shop.orders\", \"indexFilterSet\": false, \"winningPlan\": ", i ? "," : "", i, i);
		append_scan(text, i);
		bytes_append_text(text, ", \"rejectedPlans\": []}");
		bytes_format(&run, "%s{\"shardName\": \"shard%04d\", \"executionSuccess\": true, \"nReturned\": 1, \"executionTimeMillis\": 0, \"totalKeysExamined\": 1, \"totalDocsExamined\": 1, \"executionStages\": ", i ? "," : "", i);
		append_scan(&run, i);
		bytes_append_byte(&run, '}');
	}
	bytes_format(text, "]}}%s{\"stage\": \"SHARD_MERGE\", \"nReturned\": 9, \"totalKeysExamined\": 9, \"totalDocsExamined\": 9, \"shards\": [\n%s]}}%s",
	             stats, bytes_text(&run), tail);
	bytes_clear(&run);
}

/* Many plans that lost, with the trial of each. */
static void make_rejected(struct bytes *text)
{
	struct bytes trials = BYTES_INIT;

	bytes_append_text(text, head);
	append_scan(text, 0);
	bytes_append_text(text, ", \"rejectedPlans\": [");
	for (int i = 1; text->size + trials.size < EXPLAIN_BYTES; i++) {
		bytes_append_text(text, i > 1 ? "," : "");
		append_scan(text, i);
		bytes_format(&trials, "%s{\"nReturned\": 0, \"executionTimeMillisEstimate\": 0, \"totalKeysExamined\": 9, \"totalDocsExamined\": 9, \"score\": 1.0002, \"executionStages\": ", i > 1 ? "," : "");
		append_scan(&trials, i);
		bytes_append_byte(&trials, '}');
	}
	bytes_format(text, "]}%s", stats);
	append_scan(text, 0);
	bytes_format(text, ", \"allPlansExecution\": [%s]}%s", bytes_text(&trials), tail);
	bytes_clear(&trials);
}

/* As a shell shows it: names without quotes, single quotes, constructors, a line a field. */
static void make_shell(struct bytes *text)
{
	static const char indent[] = "\n        ";
	struct bytes json = BYTES_INIT;

	make_branches(&json);
	bytes_append_text(text, "shop> db.orders.explain('executionStats').find({})\n");
	for (size_t i = 0; i < json.size && text->size < EXPLAIN_BYTES; i++) {
		const char *rest = (const char *)json.data + i;
		const char *end = *rest == '"' ? strchr(rest + 1, '"') : NULL;

		if (end && end[1] == ':' && end[2] == ' ' && rest[1] != '$') {
			bytes_append(text, rest + 1, (size_t)(end - rest) - 1);
			i += (size_t)(end - rest);
		} else if (end) {
			bytes_format(text, "'%.*s'", (int)(end - rest - 1), rest + 1);
			i += (size_t)(end - rest);
		} else {
			bytes_append_byte(text, (uint8_t)*rest);
			if (*rest == ',')
				bytes_append_text(text, indent);
		}
	}
	bytes_clear(&json);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Processor time of the whole program, its start included. */
static double run_program(const char *file)
{
	pid_t child;
	struct rusage used;
	int status;

	fflush(stdout); /* not a second time by the child */
	child = fork();
	if (child == 0) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		execl("./bsonscope", "./bsonscope", "explain", file, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "./bsonscope explain %s failed\n", file);
		exit(1);
	}
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static void bench(const char *name, void (*make)(struct bytes *text), const char *folder)
{
	struct bytes text = BYTES_INIT;
	double whole[RUNS], tree[RUNS];
	char file[256];
	FILE *out;

	make(&text);
	snprintf(file, sizeof file, "%s/bsonscope-explain-%s.txt", folder ? folder : "/tmp", name);
	out = fopen(file, "w");
	if (!out || fwrite(text.data, 1, text.size, out) != text.size || fclose(out)) {
		perror(file);
		exit(1);
	}
	for (int i = 0; i < RUNS; i++) {
		double start = processor_now();
		bson_error_t error;
		struct plan_tree *t = plan_from_text(name, bytes_text(&text), text.size, &error);

		if (!t) {
			fprintf(stderr, "%s: %s\n", name, error.message);
			exit(1);
		}
		tree[i] = processor_now() - start;
		plan_tree_destroy(t);
		whole[i] = run_program(file);
	}
	if (!folder)
		unlink(file);
	qsort(tree, RUNS, sizeof *tree, by_value);
	qsort(whole, RUNS, sizeof *whole, by_value);
	printf("explain of 1 MB, %-10s opens in %6.1f ms of a processor (wanted: 50), of that its tree %6.1f ms\n", name,
	       whole[RUNS / 2], tree[RUNS / 2]);
	bytes_clear(&text);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*make)(struct bytes *text);
	} forms[] = { { "branches", make_branches }, { "deep", make_deep },   { "shards", make_shards },
		      { "rejected", make_rejected }, { "shell", make_shell } };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		bench(forms[i].name, forms[i].make, argc > 1 ? argv[1] : NULL);
	return 0;
}
