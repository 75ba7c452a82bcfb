/* The program itself on a server: the same reports as over the sample, and no password in what it shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/harness.h"
#include "harness/served.h"
#include "samples/samples.h"

static struct source *sample;
static struct model *sample_model;
static struct wire *wire;

static const char *program(void)
{
	const char *build = getenv("BUILD");
	struct bytes path = BYTES_INIT;

	bytes_format(&path, "%s/bsonscope", build ? build : "build/release");
	return harness_keep(bytes_take_text(&path));
}

/* What it writes to both outputs; kept. */
static const char *run(const char *arguments, int *status)
{
	struct bytes line = BYTES_INIT, output = BYTES_INIT;
	char block[4096];
	size_t got;
	FILE *pipe;

	bytes_format(&line, "%s %s 2>&1 </dev/null", program(), arguments);
	pipe = popen(bytes_text(&line), "r");
	while (pipe && (got = fread(block, 1, sizeof block, pipe)) > 0)
		bytes_append(&output, block, got);
	*status = pipe ? pclose(pipe) : -1;
	bytes_clear(&line);
	return harness_keep(bytes_take_text(&output));
}

static const char *run_on(const char *subcommand, const char *source, const char *rest, int *status)
{
	struct bytes arguments = BYTES_INIT;
	const char *output;

	bytes_format(&arguments, "%s '%s' %s", subcommand, source, rest);
	output = run(bytes_text(&arguments), status);
	bytes_clear(&arguments);
	return output;
}

static const char *server(const char *user, const char *db)
{
	struct bytes uri = BYTES_INIT;

	bytes_format(&uri, "mongodb://%s127.0.0.1:%d/%s", user, wire_port(wire), db);
	return harness_keep(bytes_take_text(&uri));
}

/* Behind the line that names the source. */
static const char *rest_of(const char *report)
{
	const char *line = strchr(report, '\n');

	return line ? line : report;
}

static const char *queries = "--queries queries/bookstore.json";

static void test_sizes(void)
{
	int status, own;
	const char *report = run_on("sizes --ascii", server("", "bookstore"), queries, &status);
	const char *expected = run_on("sizes --ascii", "sample:bookstore", "", &own);

	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(own, 0);
	ASSERT_TEXT(rest_of(report), rest_of(expected));
}

/* A server without a model: its first database, and only what needs none. */
static void test_without_model(void)
{
	int status;
	const char *report = run_on("sizes --ascii", server("", ""), "", &status);

	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(report, "database bookstore"));
	CU_ASSERT_PTR_NOT_NULL(strstr(report, "reviews"));
}

static void test_workload(void)
{
	int status;
	const char *report = run_on("workload --ascii", server("", "bookstore"), queries, &status);

	CU_ASSERT_EQUAL(status, 0);
	if (status)
		fprintf(stderr, "%s\n", report);
	CU_ASSERT_PTR_NOT_NULL(strstr(report, "measured in the lab on all "));
}

static void test_refusals(void)
{
	int status;
	const char *report = run_on("run", server("", "bookstore"), "'{\"drop\": \"books\"}'", &status);

	CU_ASSERT_NOT_EQUAL(status, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(report, "\"drop\" is not sent: a server is only read from"));
	report = run_on("explain", server("", "bookstore"),
	                "'{\"update\": \"books\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
	                "{\"$set\": {\"a\": 1}}}]}'",
	                &status);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(report, "queryPlanner"));
	CU_ASSERT_EQUAL(wire_count(wire, "drop") + wire_count(wire, "update"), 0);
}

static void test_password(void)
{
	int status;
	const char *report = run_on("sizes", server("ana:s3cr3tword@", "bookstore"), "", &status);

	/* there is nobody of that name: what matters is what is said of it */
	CU_ASSERT_NOT_EQUAL(status, 0);
	CU_ASSERT_PTR_NULL(strstr(report, "s3cr3tword"));
	CU_ASSERT_PTR_NOT_NULL(strstr(report, "mongodb://ana@127.0.0.1"));
	CU_ASSERT_PTR_EQUAL(strchr(report, '\n'), report + strlen(report) - 1);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "sizes", test_sizes },       { "without a model", test_without_model },
		{ "workload", test_workload }, { "refusals", test_refusals },
		{ "password", test_password }, { NULL, NULL },
	};
	bson_error_t error;
	FILE *there = fopen(program(), "rb");
	int status;

	if (!there)
		harness_skip("skipped: the program is not built");
	fclose(there);
	sample = sample_open("bookstore", &sample_model, &error);
	wire = wire_start(served_answer, source_engine(sample), &(struct wire_options){ .sessions = true });
	status = harness_run("remote program", cases);
	wire_stop(wire);
	source_destroy(sample);
	model_destroy(sample_model);
	return status;
}
