/* $out: the results take the place of a collection's documents; its indexes and options stay. */
#include <string.h>

#include "engine/collection.h"
#include "engine/index.h"
#include "engine/stage_write.h"

struct out {
	struct stage stage;
	struct write_target target;
};

/* The documents under the target's own rules, beside it: all of them fit, or nothing has happened. */
static struct collection *build_beside(struct execution *x, const struct write_target *t, const struct bytes *documents)
{
	const struct collection *old = store_collection(x->store, t->db, t->collection);
	struct collection *c = collection_new(store_create_database(x->store, t->db), t->collection, 0);
	struct bytes prepared = BYTES_INIT;
	struct value v;
	bson_error_t error;
	bool ok = true;

	for (size_t i = 0; ok && old && i < old->index_count; i++) {
		value_document(&v, old->indexes[i]->specification.data, old->indexes[i]->specification.size);
		ok = collection_create_index(c, v, &error) || execution_fail_with(x, &error);
	}
	if (old && value_document(&v, old->options.data, old->options.size))
		collection_set_options(c, v);
	if (!old)
		ok = store_load_end(x->store, c, "_id", &error) || execution_fail_with(x, &error);
	for (size_t at = 0; ok && value_document(&v, documents->data + at, documents->size - at); at += v.size_bytes) {
		ok = execution_tick(x) && (write_prepare(v, &prepared, &error) || execution_fail_with(x, &error)) &&
		     value_document(&v, prepared.data, prepared.size) && write_insert(x, c, v);
		if (ok)
			value_document(&v, documents->data + at, documents->size - at);
	}
	bytes_clear(&prepared);
	if (ok)
		return c;
	collection_destroy(c);
	return NULL;
}

/* In its place, so that cursors and plans that look at the collection stay good. */
static bool take_place(struct execution *x, const struct write_target *t, const struct collection *made)
{
	struct collection *c = write_target_open(t, x);
	struct value document;
	bson_error_t error;

	if (!c)
		return false;
	for (record_id id = 0; (id = collection_next(c, id)) != RECORD_NONE; id++)
		collection_remove(c, id, NULL);
	for (record_id id = 0; (id = collection_next(made, id)) != RECORD_NONE; id++)
		if (collection_document(made, id, &document) && !collection_insert(c, document, NULL, NULL, NULL, &error))
			return execution_fail_with(x, &error);
	return true;
}

static bool replace(struct execution *x, const struct write_target *t, const struct bytes *documents)
{
	struct collection *made;
	bool ok, dry_run = x->dry_run;

	/* what is beside is nobody's: it is built for a dry run too, which counts what it writes */
	x->dry_run = false;
	made = build_beside(x, t, documents);
	x->dry_run = dry_run;
	if (!made) {
		bson_error_t cause = x->error;

		x->failed = false;
		return execution_fail(x, cause.code, "insert for $out failed :: caused by :: %s", cause.message);
	}
	ok = dry_run || take_place(x, t, made);
	collection_destroy(made);
	return ok;
}

static enum stage_status out_next(struct stage *s, struct row *row)
{
	struct out *o = (struct out *)s;
	struct bytes documents = BYTES_INIT;
	bool ok = write_take_input(s, s->execution->explaining ? NULL : &documents);

	(void)row;
	if (ok && !s->execution->explaining)
		ok = replace(s->execution, &o->target, &documents);
	bytes_clear(&documents);
	return ok ? STAGE_END : STAGE_FAILED;
}

static void out_destroy(struct stage *s)
{
	write_target_clear(&((struct out *)s)->target);
}

static void out_explain(const struct stage *s, struct writer *w, enum verbosity verbosity)
{
	(void)verbosity;
	write_target_explain(&((const struct out *)s)->target, w, "$out");
}

static const struct pipeline_stage_type stage_out_type = {
	.stage = { .name = "$out", .next = out_next, .destroy = out_destroy, .explain = out_explain },
};

bool stage_out_parse(struct pipeline_parser *p, const char *name, struct value specification)
{
	struct out *o;

	if (specification.type != BSON_TYPE_UTF8 && !value_is_document(specification))
		return pipeline_refuse(p, 16990, "$out only supports a string or object argument, but found %s",
		                       value_type_name(specification.type));
	o = pipeline_add_stage(p, &stage_out_type, sizeof *o);
	return write_target_parse(&o->target, p, name, name, specification);
}
