/* $unwind. */
#include <stdlib.h>
#include <string.h>

#include "engine/expression.h"
#include "engine/pipeline_document.h"
#include "engine/pipeline_stage.h"

struct unwind_stage {
	struct stage stage;
	struct unwind settings;
	bool in_array;         /* `document` has elements left */
	struct value document; /* the input's, or in `kept` */
	struct walk elements;
	int64_t index;         /* of the next element */
	struct bytes out, with_index, kept;
	struct arena arena;
};

static void give(struct unwind_stage *u, struct row *row, struct value document, struct value index)
{
	if (u->settings.index_path.count) {
		bytes_reset(&u->with_index);
		document = document_set(&u->with_index, document, &u->settings.index_path, index);
	}
	*row = (struct row){ document, RECORD_NONE };
}

static bool next_element(struct unwind_stage *u, struct row *row)
{
	struct field f;

	if (!walk_next(&u->elements, &f)) {
		u->in_array = false;
		return false;
	}
	arena_reset(&u->arena);
	bytes_reset(&u->out);
	give(u, row, document_set(&u->out, u->document, &u->settings.path, f.value),
	     value_make_int64(&u->arena, u->index++));
	return true;
}

static enum stage_status unwind_next(struct stage *s, struct row *row)
{
	struct unwind_stage *u = (struct unwind_stage *)s;
	enum stage_status status;
	struct value v;

	for (;;) {
		if (!execution_tick(s->execution))
			return STAGE_FAILED;
		if (u->in_array && next_element(u, row))
			return STAGE_ADVANCED;
		status = stage_next(s->input, row);
		if (status != STAGE_ADVANCED)
			return status;
		v = path_get(&u->settings.path, row->document);
		if (value_is_array(v) && value_count(v)) {
			u->in_array = true;
			u->document = row->document;
			u->index = 0;
			walk_begin(&u->elements, v);
		} else if (value_is_array(v)) {
			if (!u->settings.preserve)
				continue;
			bytes_reset(&u->out);
			give(u, row, document_set(&u->out, row->document, &u->settings.path, value_missing()),
			     value_null());
			return STAGE_ADVANCED;
		} else if (!value_is_nullish(v) || u->settings.preserve) {
			give(u, row, row->document, value_null());
			return STAGE_ADVANCED;
		}
	}
}

static void unwind_save(struct stage *s)
{
	struct unwind_stage *u = (struct unwind_stage *)s;
	const uint8_t *old = u->document.bytes;

	if (!u->in_array || (u->kept.data && old == u->kept.data))
		return;
	bytes_reset(&u->kept);
	bytes_append(&u->kept, old, u->document.size_bytes);
	u->document.bytes = u->kept.data;
	u->elements.start = u->kept.data + (u->elements.start - old);
	u->elements.at = u->kept.data + (u->elements.at - old);
	u->elements.end = u->kept.data + (u->elements.end - old);
}

static void unwind_reset(struct stage *s)
{
	((struct unwind_stage *)s)->in_array = false;
}

void unwind_clear(struct unwind *settings)
{
	path_clear(&settings->path);
	path_clear(&settings->index_path);
}

static void unwind_destroy(struct stage *s)
{
	struct unwind_stage *u = (struct unwind_stage *)s;

	unwind_clear(&u->settings);
	bytes_clear(&u->out);
	bytes_clear(&u->with_index);
	bytes_clear(&u->kept);
	arena_clear(&u->arena);
}

static void unwind_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	const struct unwind *settings = stage_unwind_settings(s);
	struct bytes path = BYTES_INIT;

	(void)verbosity;
	bytes_format(&path, "$%s", settings->path.text);
	writer_begin_document(w, key_of("$unwind"));
	writer_text(w, "path", bytes_text(&path));
	if (settings->preserve)
		writer_bool(w, "preserveNullAndEmptyArrays", true);
	if (settings->index_path.count)
		writer_text(w, "includeArrayIndex", settings->index_path.text);
	writer_end(w);
	bytes_clear(&path);
}

static enum stage_needs unwind_needs(const struct stage *s, struct pipeline_fields *fields)
{
	pipeline_fields_add(fields, stage_unwind_settings(s)->path.text);
	return NEEDS_MORE;
}

static bool unwind_keeps(const struct stage *s, const char *path)
{
	const struct unwind *settings = stage_unwind_settings(s);

	return path && !pipeline_paths_overlap(path, settings->path.text) &&
	       !(settings->index_path.count && pipeline_paths_overlap(path, settings->index_path.text));
}

const struct pipeline_stage_type stage_unwind_type = {
	.stage = { .name = "$unwind", .next = unwind_next, .destroy = unwind_destroy, .save = unwind_save,
	           .explain = unwind_explain },
	.reset = unwind_reset,
	.needs = unwind_needs,
	.keeps = unwind_keeps,
};

const struct unwind *stage_unwind_settings(const struct stage *s)
{
	return &((const struct unwind_stage *)s)->settings;
}

void stage_unwind_take(struct stage *s, struct unwind *settings)
{
	struct unwind_stage *u = (struct unwind_stage *)s;

	*settings = u->settings;
	u->settings = (struct unwind){ 0 };
}

struct unwind_options {
	struct value path, index, preserve;
};

static bool read_options(struct value specification, struct unwind_options *options, bson_error_t *error)
{
	struct walk w;
	struct field f;

	for (walk_begin(&w, specification); walk_next(&w, &f);) {
		const char *type = value_type_name(f.value.type);

		if (key_is(f.key, "path")) {
			if (f.value.type != BSON_TYPE_UTF8)
				return error_set(error, ERROR_SERVER, 28808,
				                 "expected a string as the path for $unwind stage, got %s", type);
			options->path = f.value;
		} else if (key_is(f.key, "preserveNullAndEmptyArrays")) {
			if (f.value.type != BSON_TYPE_BOOL)
				return error_set(error, ERROR_SERVER, 28809, "expected a boolean for the "
				                 "preserveNullAndEmptyArrays option to $unwind stage, got %s", type);
			options->preserve = f.value;
		} else if (key_is(f.key, "includeArrayIndex")) {
			if (f.value.type != BSON_TYPE_UTF8 || !value_text(f.value).size_bytes)
				return error_set(error, ERROR_SERVER, 28810, "expected a non-empty string for the "
				                 "includeArrayIndex  option to $unwind stage, got %s", type);
			if (value_text(f.value).bytes[0] == '$')
				return error_set(error, ERROR_SERVER, 28822,
				                 "includeArrayIndex option to $unwind stage "
				                 "should not be prefixed with a '$': %.*s",
				                 (int)value_text(f.value).size_bytes, value_text(f.value).bytes);
			options->index = f.value;
		} else {
			return error_set(error, ERROR_SERVER, 28811, "unrecognized option to $unwind stage: %.*s",
			                 (int)f.key.size_bytes, f.key.bytes);
		}
	}
	return true;
}

bool stage_unwind_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct unwind_options options = { value_missing(), value_missing(), value_missing() };
	struct unwind_stage *u;
	struct key path;

	(void)name;
	if (specification.type == BSON_TYPE_UTF8)
		options.path = specification;
	else if (!value_is_document(specification))
		return pipeline_refuse(p, 15981, "expected either a string or an object as specification for "
		                       "$unwind stage, got %s", value_type_name(specification.type));
	else if (!read_options(specification, &options, p->error))
		return false;
	if (value_is_missing(options.path) || !value_text(options.path).size_bytes)
		return pipeline_refuse(p, 28812, "no path specified to $unwind stage");
	path = value_text(options.path);
	if (path.bytes[0] != '$')
		return pipeline_refuse(p, 28818, "path option to $unwind stage should be prefixed with a '$': %.*s",
		                       (int)path.size_bytes, path.bytes);
	path = (struct key){ path.bytes + 1, path.size_bytes - 1 };
	if (!field_path_check(path, p->error) ||
	    (!value_is_missing(options.index) && !field_path_check(value_text(options.index), p->error)))
		return false;
	u = pipeline_add_stage(p, &stage_unwind_type, sizeof *u);
	arena_init(&u->arena);
	path_parse(&u->settings.path, path);
	if (!value_is_missing(options.index))
		path_parse(&u->settings.index_path, value_text(options.index));
	u->settings.preserve = !value_is_missing(options.preserve) && value_bool(options.preserve);
	return true;
}
