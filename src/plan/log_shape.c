#include "plan/log_shape.h"

#include <string.h>

enum { DEPTH_LIMIT = 250 };

static bool among(struct span name, const char *const *names)
{
	for (; *names; names++)
		if (span_is(name, *names))
			return true;
	return false;
}

/* Of a command: how it travels and who sends it. */
static bool says_nothing_of_the_shape(struct span name)
{
	static const char *const names[] = { "$db", "lsid", "$clusterTime", "txnNumber", "$readPreference", "readConcern",
		                             "writeConcern", "maxTimeMS", "cursor", "batchSize", "comment", "shardVersion",
		                             "databaseVersion", "clientOperationKey", "apiVersion", "apiStrict", "$client",
		                             "$configTime", "$topologyTime", "$audit", "ordered", "runtimeConstants",
		                             "startTransaction", "autocommit", "singleBatch", "mayBypassWriteBlocking",
		                             "planSummary", "originatingCommand", "cmdNs", "command", NULL };

	return among(name, names);
}

/* Below these fields numbers say which way, or whether: they are the shape. */
static bool keeps_numbers(struct span name)
{
	static const char *const names[] = { "sort", "$sort", "projection", "fields", "$project", "hint", "orderby", "key",
		                             "keyPattern", "$unset", NULL };

	return among(name, names);
}

/* Stages that say by texts where documents come from and where they go. */
static bool keeps_names(struct span name)
{
	static const char *const names[] = { "$lookup", "$graphLookup", "$unionWith", "$out", "$merge", "$unwind", "$count", NULL };

	return among(name, names);
}

/* NUMBERS holds for all that is below; NAME for the value itself, NAMES for the fields of a document. */
enum { NUMBERS = 1, NAME = 2, NAMES = 4 };

static unsigned kept_below(struct span name, unsigned keep, bool command)
{
	unsigned below = keep & NUMBERS;

	if (keeps_numbers(name))
		below |= NUMBERS;
	if (keeps_names(name))
		below |= NAME | NAMES;
	if ((keep & NAMES) || (command && span_is(name, "key"))) /* the field of a distinct */
		below |= NAME;
	return below;
}

static void append_value(struct bytes *out, struct span value, unsigned keep, int depth);

/* "?array<?number>": $queryStats names kinds of values in their place. */
static bool is_list_of_query_stats(struct span value)
{
	return value.size_bytes > 8 && !memcmp(value.text, "\"?array", 7);
}

static bool is_word(struct span value)
{
	return span_is(value, "true") || span_is(value, "false");
}

/* {"$oid": …}, {"$date": …}: values that JSON has no notation for. */
static bool is_wrapped_value(struct span value)
{
	static const char *const names[] = { "$oid", "$date", "$numberLong", "$numberInt", "$numberDouble", "$numberDecimal",
		                             "$binary", "$uuid", "$timestamp", "$regularExpression", "$undefined", "$minKey",
		                             "$maxKey", "$symbol", "$code", "$dbPointer", NULL };
	struct skim s;
	struct skim_field f;

	return skim_enter(&s, value) && !s.array && skim_next(&s, &f) && among(f.name, names);
}

/* A list of values of one kind is as long as it happens to be; one of documents is what it is. */
static void append_array(struct bytes *out, struct span value, unsigned keep, int depth)
{
	struct skim s;
	struct skim_field f;
	size_t count = 0;
	bool values = true;

	keep &= NUMBERS;
	skim_enter(&s, value);
	while (values && skim_next(&s, &f))
		values = *f.value.text != '{' && *f.value.text != '[' && !(*f.value.text == '"' && f.value.text[1] == '$');
	if (values) {
		bytes_append_text(out, "[?]");
		return;
	}
	bytes_append_byte(out, '[');
	skim_enter(&s, value);
	while (skim_next(&s, &f)) {
		if (count++)
			bytes_append_text(out, ", ");
		append_value(out, f.value, keep, depth + 1);
	}
	bytes_append_byte(out, ']');
}

/* {$eq: value} asks for what the value alone asks for; an expression's $eq has a list. */
static bool is_equality(struct span value, struct skim_field *f)
{
	struct skim s;
	struct skim_field more;

	return skim_enter(&s, value) && skim_next(&s, f) && span_is(f->name, "$eq") && *f->value.text != '[' &&
	       !skim_next(&s, &more);
}

static void append_fields(struct bytes *out, struct span value, unsigned keep, int depth, bool command)
{
	struct skim s;
	struct skim_field f;
	size_t count = 0;

	if (!command && is_equality(value, &f)) {
		append_value(out, f.value, keep, depth + 1);
		return;
	}
	skim_enter(&s, value);
	bytes_append_byte(out, '{');
	for (size_t at = 0; skim_next(&s, &f); at++) {
		/* the first names command and collection; that of a write's statement is its query */
		if (command && ((at == 0 && *f.value.text != '{') || says_nothing_of_the_shape(f.name)))
			continue;
		if (count++)
			bytes_append_text(out, ", ");
		bytes_append(out, f.name.text, f.name.size_bytes);
		bytes_append_text(out, ": ");
		append_value(out, f.value, kept_below(f.name, keep, command), depth + 1);
	}
	bytes_append_byte(out, '}');
}

static void append_value(struct bytes *out, struct span value, unsigned keep, int depth)
{
	char first = *value.text;
	int64_t n;

	if (depth > DEPTH_LIMIT)
		bytes_append_text(out, "?");
	else if (first == '[')
		append_array(out, value, keep, depth);
	else if (first == '{' && !is_wrapped_value(value))
		append_fields(out, value, keep, depth, false);
	else if ((keep & NUMBERS) && skim_integer(value, &n))
		bytes_format(out, "%lld", (long long)n);
	else if (is_list_of_query_stats(value))
		bytes_append_text(out, "[?]");
	else if (is_word(value) || (first == '"' && ((keep & NAME) || (value.size_bytes > 2 && value.text[1] == '$'))))
		bytes_append(out, value.text, value.size_bytes);
	else
		bytes_append_byte(out, '?');
}

void log_shape_append(struct bytes *out, struct span command, struct span *operation)
{
	struct skim s;
	struct skim_field f;

	*operation = (struct span){ NULL, 0 };
	if (!skim_enter(&s, command) || s.array)
		return;
	if (skim_next(&s, &f))
		*operation = f.name;
	append_fields(out, command, 0, 0, true);
}
