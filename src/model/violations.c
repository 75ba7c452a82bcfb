#include "model/violations.h"

#include "bson/writer.h"
#include "model/listing.h"

static bool take_validator(void *context, struct value collection, bson_error_t *error)
{
	struct violations *v = context;
	struct value options = value_get(collection, "options"), validator;

	(void)error;
	validator = value_is_document(options) ? value_get(options, "validator") : value_missing();
	v->validated = value_is_document(validator) && value_count(validator);
	if (v->validated)
		bytes_append(&v->validator, validator.bytes, validator.size_bytes);
	return true;
}

static bool take_count(void *context, struct value document, bson_error_t *error)
{
	struct violations *v = context;

	return value_as_int64(value_get(document, "n"), &v->count.value) ||
	       error_set(error, ERROR_INPUT, 0, "a count of documents without a number");
}

static bool take_id(void *context, struct value document, bson_error_t *error)
{
	(void)error;
	bytes_append(&((struct violations *)context)->ids, document.bytes, document.size_bytes);
	return true;
}

static void begin_stage(struct writer *w, const char *name)
{
	writer_begin_document(w, key_of(""));
	writer_begin_document(w, key_of(name));
}

static void end_stage(struct writer *w)
{
	writer_end(w);
	writer_end(w);
}

/* {aggregate: …, pipeline: [$sample or $limit?, {$match: {$nor: [validator]}}, …], cursor: {}}: counted, or the first ones named. */
static bool run(struct source *s, const struct paths *of, const char *key, enum sampling method, struct violations *v,
                const struct interrupt *interrupt, bson_error_t *error)
{
	struct bytes command = BYTES_INIT;
	struct value validator;
	struct writer w;
	bson_t view;
	bool good;

	value_document(&validator, v->validator.data, v->validator.size);
	writer_begin(&w, &command);
	writer_text(&w, "aggregate", of->collection);
	writer_begin_array(&w, key_of("pipeline"));
	if (method == SAMPLING_FIRST) {
		writer_begin_document(&w, key_of(""));
		writer_int64(&w, "$limit", of->documents.n);
		writer_end(&w);
	} else if (method != SAMPLING_ALL) {
		begin_stage(&w, "$sample");
		writer_int64(&w, "size", of->documents.n);
		end_stage(&w);
	}
	begin_stage(&w, "$match");
	writer_begin_array(&w, key_of("$nor"));
	writer_value(&w, key_of(""), validator);
	writer_end(&w);
	end_stage(&w);
	if (key) {
		writer_begin_document(&w, key_of(""));
		writer_int32(&w, "$limit", VIOLATIONS_LISTED);
		writer_end(&w);
		begin_stage(&w, "$project");
		if (!key_is(key_of(key), "_id"))
			writer_int32(&w, "_id", 0);
		writer_int32(&w, key, 1);
		end_stage(&w);
	} else {
		begin_stage(&w, "$group");
		writer_null(&w, "_id");
		writer_begin_document(&w, key_of("n"));
		writer_int32(&w, "$sum", 1);
		writer_end(&w);
		end_stage(&w);
	}
	writer_end(&w);
	writer_begin_document(&w, key_of("cursor"));
	writer_end(&w);
	value_to_bson(&view, writer_finish(&w));
	good = cursor_run(s, of->db, &view, key ? take_id : take_count, v, interrupt, error);
	bytes_clear(&command);
	return good;
}

bool violations_find(struct source *s, const struct paths *of, const char *key, struct violations *v,
                     const struct interrupt *interrupt, bson_error_t *error)
{
	bool good;

	*v = (struct violations){ .method = of->method };
	v->count = figure_of(0, of->method == SAMPLING_ALL ? PROVENANCE_EXACT : PROVENANCE_SAMPLED);
	v->count.n = of->documents.n;
	v->count.of = of->documents.of;
	good = listing_collections(s, of->db, of->collection, take_validator, v, interrupt, error);
	good = good && (!v->validated || (run(s, of, NULL, of->method, v, interrupt, error) &&
	                                  (!v->count.value || run(s, of, key ? key : "_id", SAMPLING_ALL, v, interrupt, error))));
	if (!good)
		violations_clear(v);
	return good;
}

void violations_clear(struct violations *v)
{
	v->validated = false;
	bytes_clear(&v->validator);
	bytes_clear(&v->ids);
}
