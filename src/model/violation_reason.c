#include "model/violation_reason.h"

#include <stdio.h>

#include "bson/path.h"

/* What is inside: the rules that were broken, in order; a document or an array of them. */
static struct value inner(struct value details)
{
	static const char *const names[] = { "schemaRulesNotSatisfied", "propertiesNotSatisfied", "clausesNotSatisfied",
		                             "schemasNotSatisfied", "details" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct value v = value_get(details, names[i]);

		if (v.type == BSON_TYPE_ARRAY)
			v = value_get(v, "0");
		if (value_is_document(v))
			return v;
	}
	return value_missing();
}

static void write_step(struct writer *w, struct value details)
{
	struct value name = value_get(details, "propertyName"), index = value_get(details, "itemIndex");
	char digits[24];
	int64_t i;

	if (value_is_missing(name))
		name = value_get(details, "additionalProperty");
	if (!value_is_missing(name)) {
		writer_put(w, "", name);
	} else if (value_as_int64(index, &i)) {
		snprintf(digits, sizeof digits, "%lld", (long long)i);
		writer_text(w, "", digits);
	}
}

/* {"a.b": {$gt: 3}}: where a query's operator looked; a schema's keyword repeats itself there. */
static void write_query_path(struct writer *w, struct value leaf)
{
	struct value specified = value_get(leaf, "specifiedAs"), keyword = value_get(leaf, "operatorName");
	struct field f;
	struct walk walk;
	struct path path;

	if (!value_is_document(specified) || keyword.type != BSON_TYPE_UTF8)
		return;
	walk_begin(&walk, specified);
	if (!walk_next(&walk, &f) || !f.key.size_bytes || *f.key.bytes == '$' || key_equal(f.key, value_text(keyword)))
		return;
	path_parse(&path, f.key);
	for (size_t i = 0; i < path.count; i++)
		writer_key_text(w, "", path.keys[i]);
	path_clear(&path);
}

void violation_reason_write(struct writer *w, struct value details)
{
	static const struct {
		const char *from, *to;
	} fields[] = {
		{ "operatorName", "keyword" },           { "reason", "reason" },
		{ "errmsg", "reason" },                  { "missingProperties", "properties" },
		{ "additionalProperties", "properties" }, { "consideredValue", "value" },
		{ "consideredType", "type" },
	};
	struct value leaf = details, next = details;

	writer_begin_array(w, key_of("path"));
	for (int depth = 0; !value_is_missing(next) && depth < VALUE_DEPTH_LIMIT; depth++) {
		write_step(w, next);
		if (!value_is_missing(value_get(next, "operatorName")))
			leaf = next;
		next = inner(next);
	}
	write_query_path(w, leaf);
	writer_end(w);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!value_is_missing(value_get(leaf, fields[i].from)))
			writer_put(w, fields[i].to, value_get(leaf, fields[i].from));
}
