#include "model/violations.h"

#include "bson/writer.h"
#include "engine/engine.h"
#include "model/listing.h"
#include "model/violation_reason.h"

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

/* An engine of its own that is asked to store documents under the validator, and says of each why not. */
struct asking {
	struct violations *violations;
	const char *key;
	struct engine *engine;
};

static bool ask(struct engine *e, struct bytes *command, struct bytes *reply)
{
	struct value v;

	return value_document(&v, command->data, command->size) && engine_answer(e, "db", v, reply, NULL, NULL);
}

static void begin_asking(struct asking *a)
{
	struct bytes command = BYTES_INIT, reply = BYTES_INIT;
	struct value validator;
	struct writer w;

	a->engine = engine_new();
	value_document(&validator, a->violations->validator.data, a->violations->validator.size);
	writer_begin(&w, &command);
	writer_text(&w, "create", "c");
	writer_put(&w, "validator", validator);
	writer_finish(&w);
	ask(a->engine, &command, &reply);
	bytes_clear(&command);
	bytes_clear(&reply);
}

static void write_reason(struct asking *a, struct value document, struct writer *out)
{
	struct bytes command = BYTES_INIT, reply = BYTES_INIT;
	struct value v, details;
	struct writer w;

	writer_begin(&w, &command);
	writer_text(&w, "insert", "c");
	writer_begin_array(&w, key_of("documents"));
	writer_value(&w, key_of(""), document);
	writer_end(&w);
	writer_finish(&w);
	if (ask(a->engine, &command, &reply) && value_document(&v, reply.data, reply.size)) {
		details = value_get(value_get(value_get(value_get(v, "writeErrors"), "0"), "errInfo"), "details");
		if (value_is_document(details))
			violation_reason_write(out, details);
	}
	bytes_clear(&command);
	bytes_clear(&reply);
}

static bool take_found(void *context, struct value document, bson_error_t *error)
{
	struct asking *a = context;
	struct value id = value_get(document, a->key);
	struct writer w;

	(void)error;
	writer_begin(&w, &a->violations->found);
	if (!value_is_missing(id))
		writer_put(&w, a->key, id);
	write_reason(a, document, &w);
	writer_finish(&w);
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
	struct asking asking = { v, key, NULL };
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
	if (key)
		begin_asking(&asking);
	good = key ? cursor_run(s, of->db, &view, take_found, &asking, interrupt, error)
	           : cursor_run(s, of->db, &view, take_count, v, interrupt, error);
	if (key)
		engine_destroy(asking.engine);
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
	bytes_clear(&v->found);
}
