/* Recorded answers of a real server to updates, in this process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/compare.h"
#include "bson/print.h"
#include "engine/update.h"
#include "harness/verdicts.h"
#include "harness/harness.h"

enum { DOCUMENT_LIMIT = 64 };

struct collection_copy {
	struct bytes documents[DOCUMENT_LIMIT];
	size_t count;
};

struct result {
	int32_t n, modified;
	bool failed;
	uint32_t code;
	char message[BSON_ERROR_BUFFER_SIZE];
};

static struct value document_at(const struct collection_copy *c, size_t i)
{
	return (struct value){ c->documents[i].data, (uint32_t)c->documents[i].size, BSON_TYPE_DOCUMENT };
}

static bool fail(struct result *r, const bson_error_t *error)
{
	r->failed = true;
	r->code = error->code;
	snprintf(r->message, sizeof r->message, "%s", error->message);
	return false;
}

static bool upsert(struct collection_copy *c, const struct update *u, const struct match *m, struct execution *x,
                   struct result *r)
{
	struct bytes base = BYTES_INIT, made = BYTES_INIT;
	bson_error_t error;
	bool changed, ok = update_upsert_base(m, &base, &error) || fail(r, &error);

	if (ok && !update_apply(u, x, (struct value){ base.data, (uint32_t)base.size, BSON_TYPE_DOCUMENT }, m, true, &made,
	                        &changed))
		ok = fail(r, &x->error);
	if (ok) {
		c->documents[c->count++] = made;
		r->n++;
	} else {
		bytes_clear(&made);
	}
	bytes_clear(&base);
	return ok;
}

static bool run_update(struct collection_copy *c, const struct update *u, const struct match *m, struct value statement,
                       struct execution *x, struct result *r)
{
	bool multi = value_is_true(value_get(statement, "multi"));
	size_t count = c->count;

	for (size_t i = 0; i < count; i++) {
		struct bytes out = BYTES_INIT;
		bool changed;

		if (!match_test(m, x, document_at(c, i)))
			continue;
		if (!update_apply(u, x, document_at(c, i), m, false, &out, &changed)) {
			bytes_clear(&out);
			return fail(r, &x->error);
		}
		r->n++;
		r->modified += changed;
		bytes_clear(&c->documents[i]);
		c->documents[i] = out;
		if (!multi)
			return true;
	}
	return r->n || !value_is_true(value_get(statement, "upsert")) || upsert(c, u, m, x, r);
}

static void run_statement(struct collection_copy *c, struct value statement, struct result *r)
{
	struct execution x;
	bson_error_t error;
	struct match *m = match_compile(value_get(statement, "q"), NULL, &error);
	struct update *u = m ? update_compile(value_get(statement, "u"), value_get(statement, "arrayFilters"), NULL,
	                                      &error) : NULL;

	execution_init(&x, NULL, "test", NULL);
	if (m)
		match_canonicalize(&m);
	if (u)
		run_update(c, u, m, statement, &x, r);
	else
		fail(r, &error);
	execution_clear(&x);
	update_destroy(u);
	match_destroy(m);
}

static int compare_ids(const void *a, const void *b)
{
	const struct bytes *x = a, *y = b;

	return value_compare(value_get((struct value){ x->data, (uint32_t)x->size, BSON_TYPE_DOCUMENT }, "_id"),
	                     value_get((struct value){ y->data, (uint32_t)y->size, BSON_TYPE_DOCUMENT }, "_id"));
}

/* Texts tell order of fields and types of numbers apart, and take every NaN for the same. */
static bool same_text(struct value a, struct value b)
{
	struct bytes x = BYTES_INIT, y = BYTES_INIT;
	bool same;

	print_line(&x, a, PRINT_CANONICAL);
	print_line(&y, b, PRINT_CANONICAL);
	same = !strcmp(bytes_text(&x), bytes_text(&y));
	bytes_clear(&x);
	bytes_clear(&y);
	return same;
}

static enum verdict compare(struct value one, struct collection_copy *c, const struct result *r, char *why, size_t size)
{
	struct value code = value_get(one, "errorCode"), after = value_get(one, "after");
	struct value statement = value_get(value_get(value_get(one, "command"), "updates"), "0");
	struct walk w;
	struct field f;
	size_t i = 0;

	if (!value_is_missing(code) || r->failed) {
		if (!value_is_missing(code) && r->failed && (uint32_t)value_int32(code) == r->code)
			return VERDICT_RIGHT;
		snprintf(why, size, "%s: expected code %d, got %u %s", harness_text(statement),
		         value_is_missing(code) ? 0 : value_int32(code), r->failed ? r->code : 0, r->failed ? r->message : "");
		return VERDICT_WRONG;
	}
	qsort(c->documents, c->count, sizeof c->documents[0], compare_ids);
	if (value_int32(value_get(one, "n")) != r->n || value_int32(value_get(one, "nModified")) != r->modified) {
		snprintf(why, size, "%s on %s: n %d nModified %d, should be %d %d", harness_text(statement),
		         harness_text(value_get(one, "docs")), r->n, r->modified, value_int32(value_get(one, "n")),
		         value_int32(value_get(one, "nModified")));
		return VERDICT_WRONG;
	}
	walk_begin(&w, after);
	for (; walk_next(&w, &f); i++)
		if (i >= c->count || !same_text(document_at(c, i), f.value)) {
			snprintf(why, size, "%s gives %s, should be %s", harness_text(statement),
			         i < c->count ? harness_text(document_at(c, i)) : "nothing", harness_text(f.value));
			return VERDICT_WRONG;
		}
	if (i == c->count)
		return VERDICT_RIGHT;
	snprintf(why, size, "%s leaves a document too many", harness_text(statement));
	return VERDICT_WRONG;
}

static enum verdict judge(struct value one, char *why, size_t size)
{
	struct collection_copy c = { .count = 0 };
	struct result r = { 0 };
	struct walk w;
	struct field f;
	enum verdict outcome;

	walk_begin(&w, value_get(one, "docs"));
	while (walk_next(&w, &f)) {
		if (c.count == DOCUMENT_LIMIT - 1)
			return VERDICT_SKIPPED;
		bytes_append(&c.documents[c.count++], f.value.bytes, f.value.size_bytes);
	}
	walk_begin(&w, value_get(value_get(one, "command"), "updates"));
	while (!r.failed && walk_next(&w, &f))
		run_statement(&c, f.value, &r);
	outcome = compare(one, &c, &r, why, size);
	for (size_t i = 0; i < c.count; i++)
		bytes_clear(&c.documents[i]);
	return outcome;
}

static void test_cases(void)
{
	CU_ASSERT_EQUAL(verdicts_run("update.jsonl", judge), 0);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "recorded updates", test_cases },
		{ NULL, NULL },
	};

	return harness_run("update cases", cases);
}
