/*
 * Laws of plans, on random documents, indexes, filters and sorts: an index scan gives what a collection scan gives, and
 * the counters of the stages add up to those of the execution. The seeds are fixed; a failure prints the case.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bson/compare.h"
#include "engine/index.h"
#include "engine/sort_key.h"
#include "harness/harness.h"
#include "harness/plan_fixture.h"

enum { ROUNDS = 120, DOCUMENTS = 60, QUERIES = 60 };

/* xorshift64*: the same everywhere. */
struct dice {
	uint64_t state;
	bool arrays; /* whether documents have any: without them bounds are exact that are not with them */
};

static uint32_t roll(struct dice *d, uint32_t sides)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (uint32_t)((d->state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % sides;
}

static const char *pick(struct dice *d, const char *const *from, uint32_t count)
{
	return from[roll(d, count)];
}

#define PICK(d, table) pick(d, table, sizeof(table) / sizeof *(table))

static const char *const scalars[] = {
	"0", "1", "2", "3", "4", "-1", "2.5", "3.0", "1e300", "{'$numberLong': '9007199254740993'}",
	"{'$numberDecimal': '2.5'}", "{'$numberDecimal': '2.1'}",
	"{'$numberDecimal': '-2.1'}", "{'$numberLong': '-9007199254740993'}", "{'$numberDouble': 'NaN'}",
	"{'$numberDouble': '-Infinity'}", "''", "'a'", "'ab'", "'abc'", "'b'", "null", "true", "false", "{'$date': '1970-01-01T00:00:00Z'}",
	"{'$date': '2026-01-01T00:00:00Z'}",
	"{'$oid': '000000000000000000000001'}", "{'$undefined': true}", "{'$minKey': 1}", "{'$maxKey': 1}",
	"{'$regularExpression': {'pattern': '^a', 'options': ''}}", "{'$binary': {'base64': 'AQI=', 'subType': '00'}}",
	"{'$timestamp': {'t': 1, 'i': 2}}",
};

/* Fewer, so that they meet. */
static const char *const common[] = { "1", "2", "3", "'a'", "'ab'", "null" };
static const char *const names[] = { "a", "b", "c" };
static const char *const paths[] = { "a", "b", "c", "a.b", "a.c", "b.a", "a.b.c" };

static void put_value(struct bytes *out, struct dice *d, int depth);

static void put_scalar(struct bytes *out, struct dice *d)
{
	bytes_append_text(out, roll(d, 3) ? PICK(d, common) : PICK(d, scalars));
}

static void put_object(struct bytes *out, struct dice *d, int depth)
{
	const char *separator = "";

	bytes_append_text(out, "{");
	for (size_t i = 0; i < 3; i++) {
		if (roll(d, 3) == 0)
			continue;
		bytes_format(out, "%s'%s': ", separator, names[i]);
		put_value(out, d, depth + 1);
		separator = ", ";
	}
	bytes_append_text(out, "}");
}

static void put_array(struct bytes *out, struct dice *d, int depth)
{
	uint32_t count = roll(d, 4);

	bytes_append_text(out, "[");
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			bytes_append_text(out, ", ");
		put_value(out, d, depth + 1);
	}
	bytes_append_text(out, "]");
}

static void put_value(struct bytes *out, struct dice *d, int depth)
{
	uint32_t kind = depth > 3 ? 9 : roll(d, 10);

	if (kind < 2 && d->arrays)
		put_array(out, d, depth);
	else if (kind < 4)
		put_object(out, d, depth);
	else
		put_scalar(out, d);
}

static void put_operand(struct bytes *out, struct dice *d)
{
	uint32_t kind = roll(d, 12);

	if (kind == 0)
		put_array(out, d, 3);
	else if (kind == 1)
		put_object(out, d, 3);
	else
		put_scalar(out, d);
}

static void put_condition(struct bytes *out, struct dice *d, int depth);

/* One {$operator: operand}, without braces. */
static void put_operator(struct bytes *out, struct dice *d, int depth)
{
	static const char *const comparisons[] = { "$eq", "$gt", "$gte", "$lt", "$lte", "$ne", "$gt", "$lt" };
	static const char *const regexes[] = { "^a", "^ab", "b", "^a?b", "^a.*", "a$", "^ab$" };

	switch (roll(d, depth > 2 ? 8 : 14)) {
	case 0: case 1: case 2:
		bytes_format(out, "'%s': ", PICK(d, comparisons));
		put_operand(out, d);
		return;
	case 3:
		bytes_format(out, "'%s': [", roll(d, 3) ? "$in" : "$nin");
		put_operand(out, d);
		bytes_append_text(out, ", ");
		put_operand(out, d);
		bytes_append_text(out, "]");
		return;
	case 4: bytes_format(out, "'$exists': %s", roll(d, 2) ? "true" : "false"); return;
	case 5: bytes_format(out, "'$regex': '%s'", PICK(d, regexes)); return;
	case 6: bytes_format(out, "'$mod': [2, %d]", (int)roll(d, 2)); return;
	case 7: bytes_format(out, "'$size': %d", (int)roll(d, 3)); return;
	case 8: case 9:
		bytes_append_text(out, "'$elemMatch': {");
		put_operator(out, d, depth + 1);
		if (roll(d, 2)) {
			bytes_append_text(out, ", '$lt': ");
			put_scalar(out, d);
		}
		bytes_append_text(out, "}");
		return;
	case 10: case 11:
		bytes_append_text(out, "'$elemMatch': {");
		put_condition(out, d, depth + 1);
		bytes_append_text(out, "}");
		return;
	case 12:
		bytes_append_text(out, "'$not': {");
		put_operator(out, d, depth + 1);
		bytes_append_text(out, "}");
		return;
	default:
		bytes_append_text(out, "'$gt': ");
		put_scalar(out, d);
		bytes_append_text(out, ", '$lte': ");
		put_scalar(out, d);
		return;
	}
}

/* A few 'path': {…} joined by commas: keys may repeat, as they may in a filter. */
static void put_condition(struct bytes *out, struct dice *d, int depth)
{
	uint32_t count = 1 + roll(d, 3);

	for (uint32_t i = 0; i < count; i++) {
		if (i)
			bytes_append_text(out, ", ");
		if (depth < 2 && roll(d, 8) == 0) {
			bytes_format(out, "'%s': [{", roll(d, 2) ? "$or" : "$and");
			put_condition(out, d, depth + 1);
			bytes_append_text(out, "}, {");
			put_condition(out, d, depth + 1);
			bytes_append_text(out, "}]");
			continue;
		}
		bytes_format(out, "'%s': ", PICK(d, paths));
		if (roll(d, 4) == 0) {
			put_operand(out, d);
			continue;
		}
		bytes_append_text(out, "{");
		put_operator(out, d, depth);
		bytes_append_text(out, "}");
	}
}

static const char *const index_patterns[] = {
	"{'a': 1}", "{'a': -1}", "{'b': 1}", "{'a.b': 1}", "{'a': 1, 'b': 1}", "{'a': 1, 'b': -1}",
	"{'b': -1, 'a': 1, 'c': 1}",
	"{'a.b': 1, 'a.c': 1}", "{'a.b': 1, 'b': -1}", "{'a.b.c': 1}", "{'c': 1, 'a.b': 1, 'a.c': -1}",
};
static const char *const sparse_patterns[] = { "{'a': 1}", "{'a.b': 1}", "{'b': 1, 'a': 1}" };
static const char *const partial_filters[] = {
	"{'b': {'$gt': 1}}", "{'c': {'$exists': true}}", "{'a': {'$lte': 'ab'}}", "{'b': {'$type': 'number'}}", "{'a': null}",
	"{'$or': [{'b': 1}, {'c': {'$in': ['a', 'ab']}}]}", "{'a': {'$gte': 1}, 'b': {'$exists': true}}", "{'a.b': {'$exists': true}}",
};
static const char *const projections[] = {
	"{'a': 1, 'b': 1, 'c': 1, '_id': 0}", "{'a': 1, '_id': 0}", "{'b': 1, 'a': 1, '_id': 0}", "{'a.b': 1, '_id': 0}",
	"{'a.b': 1, 'a.c': 1, '_id': 0}", "{'_id': 1}", "{'b': 1}",
};
static const char *const sorts[] = {
	"{'a': 1}", "{'a': -1}", "{'b': 1}", "{'a': 1, 'b': 1}", "{'a': -1, 'b': 1}", "{'a.b': 1}", "{'_id': -1}",
	"{'c': 1}", "{'a.b': 1, 'a.c': 1}", "{'a.b': -1, 'a.c': 1}", "{'b': -1}", "{'a': -1, 'b': -1}",
	"{'b': 1, 'a': -1}", "{'a.b': -1, 'b': 1}",
};

static void insert_some(struct collection *c, struct dice *d)
{
	for (int i = 0; i < DOCUMENTS; i++) {
		struct bytes text = BYTES_INIT;
		bson_error_t error;
		record_id id;
		int64_t keys;

		bytes_format(&text, "{'_id': %d", i);
		for (size_t n = 0; n < 3; n++) {
			if (roll(d, 4) == 0)
				continue;
			bytes_format(&text, ", '%s': ", names[n]);
			put_value(&text, d, 0);
		}
		bytes_append_text(&text, "}");
		/* parallel arrays are refused: then the document is not there */
		collection_insert(c, harness_json(bytes_text(&text)), &id, &keys, NULL, &error);
		bytes_clear(&text);
	}
}

static void remove_some(struct collection *c, struct dice *d)
{
	struct value document;
	int64_t keys;

	for (record_id id = 0; id < DOCUMENTS; id++)
		if (roll(d, 6) == 0 && collection_document(c, id, &document))
			collection_remove(c, id, &keys);
}

static struct collection *random_collection(struct store *s, struct dice *d, bool arrays_later)
{
	struct collection *c = fixture_collection(s, "test", "c");
	uint32_t count = 1 + roll(d, 4);

	if (arrays_later)
		insert_some(c, d);
	for (uint32_t i = 0; i < count; i++) {
		struct bytes specification = BYTES_INIT;
		bool sparse = roll(d, 5) == 0, partial = !sparse && roll(d, 3) == 0;
		const char *pattern = sparse ? PICK(d, sparse_patterns) : PICK(d, index_patterns);
		bson_error_t error;

		bytes_format(&specification, "{'key': %s, 'name': 'i%u', 'sparse': %s, 'unique': %s", pattern, i,
		             sparse ? "true" : "false", roll(d, 6) ? "false" : "true");
		if (partial)
			bytes_format(&specification, ", 'partialFilterExpression': %s", PICK(d, partial_filters));
		bytes_append_text(&specification, "}");
		/* the same twice, parallel arrays, two with one value: one index less */
		collection_create_index(c, harness_json(bytes_text(&specification)), &error);
		bytes_clear(&specification);
	}
	if (!arrays_later)
		insert_some(c, d);
	remove_some(c, d);
	return c;
}

static int compare_ids(const void *a, const void *b)
{
	record_id x = *(const record_id *)a, y = *(const record_id *)b;

	return (x > y) - (x < y);
}

/* The document of a row by its record; missing when the run has no such row. */
static struct value row_of(const struct fixture_run *run, record_id id)
{
	struct value document = value_missing();
	const uint8_t *at = run->rows.data;

	for (size_t i = 0; i < run->id_count; i++, at += document.size_bytes) {
		value_document(&document, at, SIZE_MAX);
		if (run->ids[i] == id)
			return document;
	}
	return value_missing();
}

/* Missing, null, or a document of nothing else: what a key without the field makes of it. */
static bool is_nothing(struct value v)
{
	struct walk w;
	struct field f;

	if (value_is_missing(v) || v.type == BSON_TYPE_NULL)
		return true;
	if (!value_is_document(v))
		return false;
	for (walk_begin(&w, v); walk_next(&w, &f);)
		if (!is_nothing(f.value))
			return false;
	return true;
}

/* Equal; what is missing may be null on the other side, and fields come in any order, as in a covered plan. */
static bool same_value(struct value a, struct value b)
{
	struct walk w;
	struct field f;

	if (value_is_missing(a) || value_is_missing(b))
		return is_nothing(a) && is_nothing(b);
	if (!value_is_document(a) || !value_is_document(b))
		return a.type == b.type && a.size_bytes == b.size_bytes && !memcmp(a.bytes, b.bytes, a.size_bytes);
	for (walk_begin(&w, a); walk_next(&w, &f);)
		if (!same_value(f.value, value_get_key(b, f.key)))
			return false;
	for (walk_begin(&w, b); walk_next(&w, &f);)
		if (!same_value(value_get_key(a, f.key), f.value))
			return false;
	return true;
}

/* Row by row the same values, when the query has a projection (a plain document is the record's own). */
static bool same_values(const struct fixture_run *run, const struct fixture_run *reference, const char *query)
{
	for (size_t i = 0; strstr(query, "projection") && i < run->id_count; i++)
		if (!same_value(row_of(run, run->ids[i]), row_of(reference, run->ids[i])))
			return false;
	return true;
}

static bool same_records(struct fixture_run *a, struct fixture_run *b)
{
	if (a->id_count != b->id_count)
		return false;
	if (!a->id_count)
		return true;
	qsort(a->ids, a->id_count, sizeof *a->ids, compare_ids);
	qsort(b->ids, b->id_count, sizeof *b->ids, compare_ids);
	return !memcmp(a->ids, b->ids, a->id_count * sizeof *a->ids);
}

/* Rows with equal sort keys may come in any order: the keys must be the same one by one. */
static bool same_order(const struct fixture_run *a, const struct fixture_run *b, struct value sort)
{
	bson_error_t error;
	struct sort_pattern *pattern = sort_pattern_compile(sort, &error);
	const uint8_t *at[2] = { a->rows.data, b->rows.data };
	struct bytes keys[2] = { BYTES_INIT, BYTES_INIT };
	bool same = true;

	for (size_t i = 0; i < a->id_count && same; i++) {
		for (int side = 0; side < 2; side++) {
			struct value document;

			value_document(&document, at[side], SIZE_MAX);
			at[side] += document.size_bytes;
			bytes_reset(&keys[side]);
			sort_pattern_key(pattern, document, &keys[side], &error);
		}
		same = keys[0].size == keys[1].size && !memcmp(keys[0].data, keys[1].data, keys[0].size);
	}
	bytes_clear(&keys[0]);
	bytes_clear(&keys[1]);
	sort_pattern_destroy(pattern);
	return same;
}

static void check_counters(const struct fixture_run *run)
{
	CU_ASSERT_EQUAL(run->counters.docs_examined, run->total_docs);
	CU_ASSERT_EQUAL(run->counters.keys_examined, run->total_keys);
	CU_ASSERT_EQUAL(run->counters.bytes_read, run->sum_bytes);
}

static struct value with_hint(const char *query, const char *hint)
{
	struct bytes text = BYTES_INIT;
	struct value v;

	bytes_format(&text, "{%s%s%s}", query, *hint ? ", 'hint': " : "", hint);
	v = harness_json(bytes_text(&text));
	bytes_clear(&text);
	return v;
}

/* One query by the collection, by the planner's choice and by every index that holds all documents. */
static unsigned check_query(struct store *s, struct collection *c, const char *query, struct value sort, bool limited)
{
	struct fixture_run reference;
	unsigned failures = 0;

	fixture_run(&reference, s, "test", "c", with_hint(query, "{'$natural': 1}"), VERBOSITY_QUERY_PLANNER);
	for (size_t i = 0; i <= c->index_count; i++) {
		struct fixture_run run;
		char hint[40] = "";
		bool same;

		if (i && (c->indexes[i - 1]->sparse || c->indexes[i - 1]->filter)) /* it does not hold all documents */
			continue;
		if (i)
			snprintf(hint, sizeof hint, "'%s'", c->indexes[i - 1]->name);
		fixture_run(&run, s, "test", "c", with_hint(query, hint), VERBOSITY_ALL_PLANS);
		if (run.failed && reference.failed) { /* sorts refuse parallel arrays by any way */
			fixture_run_clear(&run);
			continue;
		}
		check_counters(&run);
		same = run.failed == reference.failed && run.id_count == reference.id_count &&
		       run.counted == reference.counted;
		if (same && !value_is_missing(sort))
			same = same_order(&run, &reference, sort);
		if (same && !limited)
			same = same_values(&run, &reference, query) && same_records(&run, &reference);
		CU_ASSERT_TRUE(same);
		if (!same) {
			struct value explain;

			failures++;
			value_document(&explain, run.explain.data, run.explain.size);
			fprintf(stderr, "{%s} hint %s: %zu rows, collection scan %zu; %s\n", query, hint, run.id_count,
			        reference.id_count, run.failed ? run.error.message : harness_text(explain));
		}
		fixture_run_clear(&run);
	}
	fixture_run_clear(&reference);
	return failures;
}

static unsigned check_round(struct dice *d)
{
	struct store *s = fixture_store();
	struct collection *c = random_collection(s, d, roll(d, 2));
	unsigned failures = 0;

	for (int q = 0; q < QUERIES && failures < 3; q++) {
		struct bytes query = BYTES_INIT;
		const char *sort = roll(d, 2) ? PICK(d, sorts) : NULL;
		bool limited = roll(d, 4) == 0;

		bytes_append_text(&query, "'filter': {");
		if (roll(d, 4) == 0) {
			bytes_append_text(&query, "'$or': [{");
			put_condition(&query, d, 1);
			bytes_append_text(&query, "}, {");
			put_condition(&query, d, 1);
			bytes_append_text(&query, "}]");
		} else {
			put_condition(&query, d, 0);
		}
		bytes_append_text(&query, "}");
		if (roll(d, 6) == 0) {
			bytes_append_text(&query, ", 'count': 1");
			sort = NULL;
		}
		if (sort)
			bytes_format(&query, ", 'sort': %s", sort);
		else if (roll(d, 2))
			bytes_format(&query, ", 'projection': %s", PICK(d, projections));
		if (limited)
			bytes_format(&query, ", 'skip': %d, 'limit': %d", (int)roll(d, 3), 1 + (int)roll(d, 5));
		failures += check_query(s, c, bytes_text(&query), sort ? harness_json(sort) : value_missing(), limited);
		bytes_clear(&query);
	}
	store_destroy(s);
	return failures;
}

static void test_scans_agree(void)
{
	unsigned failures = 0;

	for (uint64_t seed = 1; seed <= ROUNDS && failures < 10; seed++) {
		struct dice d = { seed * UINT64_C(0x9e3779b97f4a7c15), seed % 2 };

		failures += check_round(&d);
	}
	CU_ASSERT_EQUAL(failures, 0);
}

/* Every kind of edge, scanned both ways, by ascending, descending and compound indexes; then the same with arrays. */
static void test_edges(void)
{
	static const char *const filters[] = {
		"{'a': {'$lt': 5}}", "{'a': {'$lte': 5}}", "{'a': {'$gt': 5}}", "{'a': {'$gte': 5}}", "{'a': {'$ne': 5}}",
		"{'a': {'$gt': 2, '$lt': 7}}", "{'a': {'$in': [2, 5, 9]}}", "{'a': {'$nin': [2, 5]}}", "{'a': [5, 6]}",
		"{'a': {'$lt': 5}, 'b': {'$gt': 0}}", "{'a': {'$in': [3, 6]}, 'b': {'$lte': 1}}", "{'a': {'$ne': [5, 6]}}",
		"{'a': {'$ne': 5}, 'b': {'$ne': 1}}", "{'b': {'$in': [0, 2]}, 'a': {'$gt': 3, '$lte': 8}}",
		"{'a': {'$elemMatch': {'$gt': 4, '$lt': 6}}}", "{'a': {'$elemMatch': {'$elemMatch': {'$gt': 4}}}}",
	};
	static const char *const orders[] = { "{'a': 1}", "{'a': -1}", "{'b': 1, 'a': 1}", "{'b': -1, 'a': 1}", "{'b': 1}" };
	static const char *const patterns[] = {
		"{'a': 1}", "{'a': -1}", "{'a': 1, 'b': 1}", "{'b': 1, 'a': -1}", "{'a': -1, 'b': 1}",
	};

	for (size_t p = 0; p < 2 * sizeof patterns / sizeof *patterns; p++) {
		struct store *s = fixture_store();
		struct collection *c = fixture_collection(s, "test", "c");

		fixture_index(c, patterns[p / 2]);
		for (int i = 0; i < 30; i++) {
			char text[80];

			snprintf(text, sizeof text, p % 2 && i % 3 == 0 ? "{'_id': %d, 'a': [%d, [%d, 5]], 'b': %d}"
			                                                : "{'_id': %d, 'a': %d, 'z': %d, 'b': %d}",
			         i, i % 10, i % 10 + 1, i / 10);
			fixture_insert(c, harness_json(text));
		}
		for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
			for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
				char query[160];

				snprintf(query, sizeof query, "'filter': %s, 'sort': %s", filters[f], orders[o]);
				check_query(s, c, query, harness_json(orders[o]), false);
			}
		}
		store_destroy(s);
	}
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "index scans give what collection scans give", test_scans_agree },
		{ "edges of ranges, both ways", test_edges },
		{ NULL, NULL },
	};

	return harness_run("plan laws", cases);
}
