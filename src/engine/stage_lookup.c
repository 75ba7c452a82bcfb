#include "engine/stage_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/index.h"
#include "engine/pipeline_document.h"

enum { INTERMEDIATE_LIMIT_BYTES = 104857600, CACHE_LIMIT_BYTES = 104857600 };

/* The values at localField, through arrays of documents; those of an array in its end one by one. */
struct local_values {
	struct writer w;
	bool regex;
	uint32_t count;
};

static void add_local(struct local_values *l, struct value v)
{
	l->regex = l->regex || v.type == BSON_TYPE_REGEX;
	l->count += !value_is_missing(v);
	writer_value(&l->w, key_of(""), v);
}

static void visit_local(struct local_values *l, const struct path *path, size_t level, struct value v)
{
	struct walk w;
	struct field f;
	uint32_t index;

	if (!value_is_document(v))
		return;
	v = value_get_key(v, path->keys[level++]);
	/* numbers in a path are positions where an array stands */
	for (; level < path->count && value_is_array(v) && path_key_is_index(path->keys[level], &index); level++)
		v = value_get_key(v, path->keys[level]);
	if (!value_is_array(v)) {
		if (level == path->count)
			add_local(l, v);
		else
			visit_local(l, path, level, v);
		return;
	}
	for (walk_begin(&w, v); walk_next(&w, &f);) {
		if (level == path->count)
			add_local(l, f.value);
		else
			visit_local(l, path, level, f.value);
	}
}

static void write_equality(struct writer *w, const char *field, struct value v)
{
	writer_begin_document(w, key_of(field));
	writer_put(w, "$eq", v);
	writer_end(w);
}

/* {field: {$eq: v}}; {field: {$in: [v, …]}}; with a regex among many {$or: [{field: {$eq: v}}, …]}, as none of them is
 * a pattern. */
static struct value predicate_of(struct lookup *l, const struct local_values *local, struct value list)
{
	struct writer w;
	struct walk walk;
	struct field f;

	bytes_reset(&l->predicate);
	writer_begin(&w, &l->predicate);
	walk_begin(&walk, list);
	if (local->count < 2) {
		write_equality(&w, l->foreign, walk_next(&walk, &f) ? f.value : value_null());
	} else if (!local->regex) {
		writer_begin_document(&w, key_of(l->foreign));
		writer_put(&w, "$in", list);
		writer_end(&w);
	} else {
		writer_begin_array(&w, key_of("$or"));
		while (walk_next(&walk, &f)) {
			writer_begin_document(&w, key_of(""));
			write_equality(&w, l->foreign, f.value);
			writer_end(&w);
		}
		writer_end(&w);
	}
	return writer_finish(&w);
}

static struct value join_predicate(struct lookup *l)
{
	struct local_values local = { .regex = false };
	struct value list;

	if (!l->local.count)
		return value_missing();
	bytes_reset(&l->results);
	writer_begin(&local.w, &l->results);
	writer_begin_array(&local.w, key_of("in"));
	visit_local(&local, &l->local, 0, l->document);
	writer_end(&local.w);
	list = value_get(writer_finish(&local.w), "in");
	return predicate_of(l, &local, list);
}

static bool bind_variables(struct lookup *l)
{
	arena_reset(&l->arena);
	return pipeline_let_bind(&l->let, l->stage.execution, &l->arena, l->document);
}

static void use_index(struct lookup *l, const char *name)
{
	for (size_t i = 0; i < l->index_count; i++)
		if (!strcmp(l->indexes_used[i], name))
			return;
	l->indexes_used = memory_grow(l->indexes_used, &l->index_capacity, l->index_count + 1, sizeof *l->indexes_used);
	l->indexes_used[l->index_count++] = memory_duplicate_text(name);
}

static void note_index(void *context, const struct index *i)
{
	struct lookup *l = context;

	use_index(l, i->name);
	/* the index of the joined field won over others: it need not do so again for every document */
	if (l->foreign && l->inner->plan->rejected_count && !strcmp(i->fields[0].path.text, l->foreign))
		pipeline_prefer_index(l->inner, i->name);
}

/* After a round: which indexes it went through, or whether it went over the collection. */
static void note_round(struct lookup *l)
{
	const struct stage *leaf = l->inner->plan ? l->inner->plan->root : NULL;

	if (leaf)
		plan_indexes(l->inner->plan, note_index, l);
	while (leaf && leaf->input)
		leaf = leaf->input;
	l->collection_scans += leaf && !strcmp(leaf->type->name, "COLLSCAN");
}

static bool begin_round(struct lookup *l, struct value document)
{
	l->document = document;
	l->index = 0;
	l->cache.at = 0;
	if (l->cache.complete)
		return true;
	bytes_reset(&l->cache.documents);
	return bind_variables(l) && pipeline_restart(l->inner, join_predicate(l));
}

static void keep_in_cache(struct lookup_cache *cache, struct value document)
{
	if (!cache->allowed)
		return;
	bytes_append(&cache->documents, document.bytes, document.size_bytes);
	if (cache->documents.size > CACHE_LIMIT_BYTES) {
		cache->allowed = false;
		bytes_clear(&cache->documents);
	}
}

/* The next result of this round. What the pipeline below reads is this stage's work, and counted as it. */
static enum stage_status next_result(struct lookup *l, struct value *document)
{
	struct counters before = l->stage.execution->counters, *now = &l->stage.execution->counters;
	enum stage_status status;
	struct row row;

	if (l->cache.complete) {
		if (!value_document(document, l->cache.documents.data + l->cache.at,
		                    l->cache.documents.size - l->cache.at))
			return STAGE_END;
		l->cache.at += document->size_bytes;
		return STAGE_ADVANCED;
	}
	status = stage_next(pipeline_root(l->inner), &row);
	l->docs_examined += now->docs_examined - before.docs_examined;
	l->keys_examined += now->keys_examined - before.keys_examined;
	if (status == STAGE_ADVANCED) {
		*document = row.document;
		keep_in_cache(&l->cache, row.document);
	} else if (status == STAGE_END) {
		note_round(l);
		l->cache.complete = l->cache.allowed;
	}
	return status;
}

static bool check_size(struct lookup *l, int64_t total_bytes)
{
	return total_bytes <= INTERMEDIATE_LIMIT_BYTES ||
	       execution_fail(l->stage.execution, 4568,
	                      "Total size of documents in %s matching pipeline's $lookup stage "
	                      "exceeds maximum document size",
	                      l->from ? l->from : "$cmd.aggregate");
}

static enum stage_status next_with_array(struct lookup *l, struct row *row)
{
	enum stage_status status = stage_next(l->stage.input, row);
	struct value result, array;
	struct writer w;
	int64_t total_bytes = 0;

	if (status != STAGE_ADVANCED)
		return status;
	if (!begin_round(l, row->document))
		return STAGE_FAILED;
	bytes_reset(&l->results);
	writer_begin(&w, &l->results);
	writer_begin_array(&w, key_of(""));
	while ((status = next_result(l, &result)) == STAGE_ADVANCED) {
		if (!execution_tick(l->stage.execution) || !check_size(l, total_bytes += result.size_bytes))
			return STAGE_FAILED;
		writer_value(&w, key_of(""), result);
	}
	if (status == STAGE_FAILED)
		return status;
	writer_end(&w);
	array = value_get(writer_finish(&w), "");
	bytes_reset(&l->out);
	*row = (struct row){ document_set(&l->out, l->document, &l->as, array), RECORD_NONE };
	return STAGE_ADVANCED;
}

static void give(struct lookup *l, struct row *row, struct value result, struct value index)
{
	struct value document;

	bytes_reset(&l->out);
	document = document_set(&l->out, l->document, &l->as, result);
	if (l->unwind.index_path.count) {
		bytes_reset(&l->with_index);
		document = document_set(&l->with_index, document, &l->unwind.index_path, index);
	}
	*row = (struct row){ document, RECORD_NONE };
}

/* The input lives through the round, which goes over many calls. */
static bool begin_unwinding(struct lookup *l, struct value document)
{
	bytes_reset(&l->kept);
	bytes_append(&l->kept, document.bytes, document.size_bytes);
	document.bytes = l->kept.data;
	l->in_round = true;
	return begin_round(l, document);
}

static enum stage_status next_unwound(struct lookup *l, struct row *row)
{
	enum stage_status status;
	struct value result;
	int64_t index;

	for (;;) {
		if (!execution_tick(l->stage.execution))
			return STAGE_FAILED;
		if (!l->in_round) {
			status = stage_next(l->stage.input, row);
			if (status != STAGE_ADVANCED)
				return status;
			if (!begin_unwinding(l, row->document))
				return STAGE_FAILED;
		} else if (l->let.count && !bind_variables(l)) {
			return STAGE_FAILED; /* stages after this one may have set the same slots */
		}
		status = next_result(l, &result);
		if (status == STAGE_FAILED)
			return status;
		if (status == STAGE_ADVANCED) {
			uint8_t payload[8];
			uint64_t little = BSON_UINT64_TO_LE((uint64_t)l->index++);

			memcpy(payload, &little, sizeof payload);
			give(l, row, result, (struct value){ payload, sizeof payload, BSON_TYPE_INT64 });
			return STAGE_ADVANCED;
		}
		index = l->index;
		l->in_round = false;
		if (!index && l->unwind.preserve) {
			give(l, row, value_missing(), value_null());
			return STAGE_ADVANCED;
		}
	}
}

static enum stage_status lookup_next(struct stage *s, struct row *row)
{
	struct lookup *l = (struct lookup *)s;

	return l->unwinds ? next_unwound(l, row) : next_with_array(l, row);
}

static void lookup_save(struct stage *s)
{
	struct lookup *l = (struct lookup *)s;

	if (l->in_round && !l->cache.complete && pipeline_root(l->inner))
		stage_save(pipeline_root(l->inner));
}

static void lookup_reset(struct stage *s)
{
	((struct lookup *)s)->in_round = false;
}

static void lookup_destroy(struct stage *s)
{
	struct lookup *l = (struct lookup *)s;
	struct bytes *buffers[] = { &l->predicate, &l->results, &l->kept, &l->out, &l->with_index, &l->pipeline_text,
	                            &l->cache.documents };

	pipeline_destroy(l->inner);
	pipeline_let_clear(&l->let);
	for (size_t i = 0; i < l->index_count; i++)
		free(l->indexes_used[i]);
	free(l->indexes_used);
	free(l->from);
	free(l->foreign);
	path_clear(&l->as);
	path_clear(&l->local);
	unwind_clear(&l->unwind);
	arena_clear(&l->arena);
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
		bytes_clear(buffers[i]);
}

static void explain_settings(const struct lookup *l, struct writer *w)
{
	if (l->from)
		writer_text(w, "from", l->from);
	writer_text(w, "as", l->as.text);
	if (l->local.count) {
		writer_text(w, "localField", l->local.text);
		writer_text(w, "foreignField", l->foreign);
	}
	if (l->pipeline_text.size) {
		pipeline_let_explain(&l->let, w);
		writer_put(w, "pipeline",
		           (struct value){ l->pipeline_text.data, (uint32_t)l->pipeline_text.size, BSON_TYPE_ARRAY });
	}
	if (!l->unwinds)
		return;
	writer_begin_document(w, key_of("unwinding"));
	writer_bool(w, "preserveNullAndEmptyArrays", l->unwind.preserve);
	if (l->unwind.index_path.count)
		writer_text(w, "includeArrayIndex", l->unwind.index_path.text);
	writer_end(w);
}

static void lookup_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	const struct lookup *l = (const struct lookup *)s;

	writer_begin_document(w, key_of("$lookup"));
	explain_settings(l, w);
	writer_end(w);
	if (verbosity == VERBOSITY_QUERY_PLANNER)
		return;
	writer_int64(w, "totalDocsExamined", l->docs_examined);
	writer_int64(w, "totalKeysExamined", l->keys_examined);
	writer_int64(w, "collectionScans", l->collection_scans);
	writer_begin_array(w, key_of("indexesUsed"));
	for (size_t i = 0; i < l->index_count; i++)
		writer_text(w, "", l->indexes_used[i]);
	writer_end(w);
}

static enum stage_needs lookup_needs(const struct stage *s, struct pipeline_fields *fields)
{
	const struct lookup *l = (const struct lookup *)s;

	if (l->local.count)
		pipeline_fields_add(fields, l->local.text);
	for (size_t i = 0; i < l->let.count; i++)
		if (!expression_dependencies(l->let.variables[i].value, pipeline_fields_add, fields))
			fields->whole = true;
	return NEEDS_MORE;
}

static bool lookup_keeps(const struct stage *s, const char *path)
{
	const struct lookup *l = (const struct lookup *)s;

	return path && !pipeline_paths_overlap(path, l->as.text) &&
	       !(l->unwind.index_path.count && pipeline_paths_overlap(path, l->unwind.index_path.text));
}

static bool lookup_is_one_to_one(const struct stage *s)
{
	return !((const struct lookup *)s)->unwinds;
}

const struct pipeline_stage_type stage_lookup_type = {
	.stage = { .name = "$lookup", .next = lookup_next, .destroy = lookup_destroy, .save = lookup_save,
	           .explain = lookup_explain },
	.reset = lookup_reset,
	.needs = lookup_needs,
	.keeps = lookup_keeps,
	.one_to_one = lookup_is_one_to_one,
};

bool stage_lookup_absorbs(const struct stage *s, const struct unwind *u)
{
	const struct lookup *l = (const struct lookup *)s;

	return !l->unwinds && !strcmp(u->path.text, l->as.text);
}

void stage_lookup_absorb(struct stage *s, struct stage *unwind)
{
	struct lookup *l = (struct lookup *)s;

	stage_unwind_take(unwind, &l->unwind);
	l->unwinds = true;
}
