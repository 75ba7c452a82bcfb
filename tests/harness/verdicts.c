#include "harness/verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bson/read.h"
#include "harness/harness.h"

enum { OPERATOR_LIMIT = 256 };

struct tally {
	char operator[64];
	int counts[4];
};

static struct tally *tally_of(struct tally *tallies, size_t *count, struct key operator)
{
	for (size_t i = 0; i < *count; i++)
		if (key_is(operator, tallies[i].operator))
			return &tallies[i];
	if (*count == OPERATOR_LIMIT || operator.size_bytes >= sizeof tallies[0].operator) {
		fprintf(stderr, "too many operators\n");
		abort();
	}
	memcpy(tallies[*count].operator, operator.bytes, operator.size_bytes);
	return &tallies[(*count)++];
}

static void print_tally(const struct tally *t)
{
	printf("summary: %-16s right %4d  refused %4d  wrong %4d  skipped %4d\n", t->operator, t->counts[VERDICT_RIGHT],
	       t->counts[VERDICT_REFUSED], t->counts[VERDICT_WRONG], t->counts[VERDICT_SKIPPED]);
}

int verdicts_run(const char *file, verdict_judge judge)
{
	static struct tally tallies[OPERATOR_LIMIT], total = { "all", { 0 } };
	const char *folder = harness_corpus();
	char path[4096], why[2000];
	size_t size, tally_count = 0;
	char *text;
	struct reader reader;
	struct bytes document = BYTES_INIT;

	if (!folder)
		harness_skip("skipped: BSONSCOPE_CORPUS is not set");
	snprintf(path, sizeof path, "%s/engine-cases/%s", folder, file);
	text = harness_read_file(path, &size);
	if (!text)
		harness_skip("skipped: the corpus has no such file");
	reader_init(&reader, file, text, size);
	while (!reader_at_end(&reader)) {
		bson_error_t error;
		struct value one;
		struct tally *t;
		enum verdict outcome;

		bytes_reset(&document);
		if (!reader_document(&reader, &document, &error)) {
			fprintf(stderr, "%s\n", error.message);
			abort();
		}
		value_document(&one, document.data, document.size);
		t = tally_of(tallies, &tally_count, value_text(value_get(one, "operator")));
		outcome = judge(one, why, sizeof why);
		t->counts[outcome]++;
		total.counts[outcome]++;
		if (outcome == VERDICT_WRONG)
			printf("wrong: %s %s: %s\n", value_text(value_get(one, "id")).bytes, t->operator, why);
	}
	for (size_t i = 0; i < tally_count; i++)
		print_tally(&tallies[i]);
	print_tally(&total);
	bytes_clear(&document);
	free(text);
	return total.counts[VERDICT_WRONG];
}
