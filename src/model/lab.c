#include "model/lab.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/engine.h"
#include "model/count.h"
#include "model/cursor.h"
#include "model/index_edits.h"
#include "model/lab_access.h"
#include "model/mentions.h"
#include "model/origin_copy.h"
#include "model/origin_pull.h"

/*
 * What the origin's write counters were, over the collections that the model speaks of; over a server it is not known.
 */
struct version {
	bool known;
	uint64_t counters;
};

struct slot {
	char *db;
	bool built;
	bool figures_known; /* `status` holds them as of `version` */
	struct version version;
	struct shape_status status;
	struct index_edits tried; /* changed with both locks held, read with either */
	uint64_t tried_revision;  /* moves with every change of `tried`; under the mutex */
	bool copied;              /* of the origin's own shape: it lies in the lab because indexes are tried in it */
	struct version copied_version;
};

/* Of an origin that is not in this process: what was pulled of a relationship's data. */
struct pull_slot {
	char *db;
	bool done;            /* under the mutex */
	bool sampled;         /* so is this: the last pull was not whole, and all shapes are measured on what it took */
	struct pulled pulled; /* changed with both locks held, read with either */
};

/* Where the data lies that shapes are built from: the origin, or what was pulled of it. */
struct data {
	struct source *source; /* of an engine */
	const char *db;
};

struct drawn {
	struct draws *draws; /* null: not drawn yet */
	struct version version;
};

struct lab {
	struct source *origin;
	const struct model *model;
	struct engine *engine; /* owned by `shapes` */
	struct source *shapes;
	struct mentions mentions;

	pthread_rwlock_t contents; /* of the lab's databases: read while measuring, written while building */
	pthread_mutex_t mutex;     /* over what follows; held for moments only */
	int64_t limit_bytes;
	struct slot *slots;  /* relationship by relationship, shape by shape */
	struct drawn *drawn; /* by operation */
	struct pull_slot *pulls; /* by relationship */
};

static struct slot *slot_of(struct lab *lab, const struct relationship *r, enum shape_kind shape)
{
	size_t index = (size_t)(r - lab->model->relationships);

	assert(index < lab->model->relationship_count);
	return &lab->slots[index * SHAPE_KINDS + (size_t)shape];
}

struct lab *lab_new(struct source *origin, const struct model *model)
{
	struct lab *lab = memory_allocate_zeroed(1, sizeof *lab);

	lab->origin = origin;
	lab->model = model;
	lab->limit_bytes = model->document_limit_bytes;
	lab->engine = engine_new();
	lab->shapes = source_from_engine("lab", lab->engine);
	mentions_collect(&lab->mentions, model);
	pthread_rwlock_init(&lab->contents, NULL);
	pthread_mutex_init(&lab->mutex, NULL);
	lab->slots = memory_allocate_zeroed(model->relationship_count * SHAPE_KINDS, sizeof *lab->slots);
	lab->drawn = memory_allocate_zeroed(model->operation_count, sizeof *lab->drawn);
	lab->pulls = memory_allocate_zeroed(model->relationship_count, sizeof *lab->pulls);
	for (size_t i = 0; i < model->relationship_count; i++) {
		struct bytes pull_name = BYTES_INIT;

		bytes_format(&pull_name, "%s_%s_pulled", model->database, model->relationships[i].name);
		lab->pulls[i].db = bytes_take_text(&pull_name);
		for (int shape = 0; shape < SHAPE_KINDS; shape++) {
			struct bytes name = BYTES_INIT;

			bytes_format(&name, "%s_%s_%s", model->database, model->relationships[i].name,
			             shape_name((enum shape_kind)shape));
			slot_of(lab, &model->relationships[i], (enum shape_kind)shape)->db = bytes_take_text(&name);
		}
	}
	return lab;
}

static void slot_clear(struct slot *slot)
{
	free(slot->db);
	index_edits_clear(&slot->tried);
}

void lab_destroy(struct lab *lab)
{
	if (!lab)
		return;
	for (size_t i = 0; i < lab->model->relationship_count * SHAPE_KINDS; i++)
		slot_clear(&lab->slots[i]);
	for (size_t i = 0; i < lab->model->operation_count; i++)
		draws_release(lab->drawn[i].draws);
	for (size_t i = 0; i < lab->model->relationship_count; i++)
		free(lab->pulls[i].db);
	free(lab->slots);
	free(lab->drawn);
	free(lab->pulls);
	mentions_clear(&lab->mentions);
	source_destroy(lab->shapes);
	pthread_mutex_destroy(&lab->mutex);
	pthread_rwlock_destroy(&lab->contents);
	free(lab);
}

struct source *lab_origin(struct lab *lab)
{
	return lab->origin;
}

const struct model *lab_model(struct lab *lab)
{
	return lab->model;
}

int64_t lab_limit_bytes(const struct lab *lab)
{
	int64_t limit;

	pthread_mutex_lock((pthread_mutex_t *)&lab->mutex);
	limit = lab->limit_bytes;
	pthread_mutex_unlock((pthread_mutex_t *)&lab->mutex);
	return limit;
}

struct engine *lab_engine(struct lab *lab)
{
	return lab->engine;
}

/* What was built was built under another limit. */
void lab_set_limit_bytes(struct lab *lab, int64_t limit_bytes)
{
	pthread_mutex_lock(&lab->mutex);
	lab->limit_bytes = limit_bytes;
	for (size_t i = 0; i < lab->model->relationship_count * SHAPE_KINDS; i++)
		lab->slots[i].built = lab->slots[i].figures_known = lab->slots[i].copied = false;
	pthread_mutex_unlock(&lab->mutex);
}

void lab_emulate(struct lab *lab, const struct emulation *m)
{
	engine_emulate(lab->engine, m);
	if (source_engine(lab->origin))
		engine_emulate(source_engine(lab->origin), m);
}

/* Shapes of an engine's data are seen to be stale; those of a server's cannot be. */
void lab_forget(struct lab *lab)
{
	if (source_engine(lab->origin))
		return;
	source_forget(lab->origin);
	pthread_mutex_lock(&lab->mutex);
	for (size_t i = 0; i < lab->model->relationship_count; i++)
		lab->pulls[i].done = false;
	for (size_t i = 0; i < lab->model->relationship_count * SHAPE_KINDS; i++)
		lab->slots[i].built = lab->slots[i].figures_known = lab->slots[i].copied = false;
	pthread_mutex_unlock(&lab->mutex);
}

static struct version origin_version(struct lab *lab)
{
	/* a collection that an engine has not is known to be missing; a server says nothing of any */
	bool missing_is_known = source_engine(lab->origin) != NULL;
	struct version v = { true, 14695981039346656037u };

	for (size_t i = 0; i < lab->mentions.count; i++) {
		struct figure counter = source_write_counter(lab->origin, lab->model->database, lab->mentions.names[i]);

		v.known = v.known && (missing_is_known || figure_known(counter));
		v.counters = (v.counters ^ (figure_known(counter) ? (uint64_t)counter.value : UINT64_MAX)) *
		             1099511628211u;
	}
	return v;
}

/* Unknown versions are never seen to differ. */
static bool has_moved(struct version then, struct version now)
{
	return then.known && now.known && then.counters != now.counters;
}

static struct shape_status status_unknown(enum shape_state state)
{
	struct figure unknown = figure_unknown();

	return (struct shape_status){ state, unknown, unknown, unknown, unknown, unknown };
}

/* Bytes of a collection as a server keeps count of them; unknown when it does not say. */
static struct figure ask_bytes(struct source *s, const char *db, const char *collection,
                               const struct interrupt *interrupt)
{
	bson_t *command = BCON_NEW("collStats", BCON_UTF8(collection)), reply;
	struct figure bytes = figure_unknown();
	int64_t n;

	if (source_command(s, db, command, &reply, interrupt, NULL) &&
	    value_as_int64(value_get(value_from_bson(&reply), "size"), &n))
		bytes = figure_of(n, PROVENANCE_ESTIMATED);
	bson_destroy(&reply);
	bson_destroy(command);
	return bytes;
}

/* Adds a collection's documents and bytes, and takes the largest. */
static bool add_collection(struct source *s, const char *db, const char *collection, struct shape_status *status,
                           int64_t *largest, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t *command = BCON_NEW("aggregate", BCON_UTF8(collection), "pipeline", "[", "{", "$project", "{", "_id",
	                           BCON_INT32(0), "n", "{", "$bsonSize", BCON_UTF8("$$ROOT"), "}", "}", "}", "{",
	                           "$group", "{", "_id", BCON_NULL, "documents", "{", "$sum", BCON_INT32(1), "}",
	                           "bytes", "{", "$sum", BCON_UTF8("$n"), "}", "largest", "{", "$max", BCON_UTF8("$n"),
	                           "}", "}", "}", "]", "cursor", "{", "}");
	int64_t documents = 0, bytes = 0, max = 0;
	struct bytes result = BYTES_INIT;
	struct value v;

	if (!cursor_first(s, db, command, &result, interrupt, error))
		return false;
	if (value_document(&v, result.data, result.size)) {
		value_as_int64(value_get(v, "documents"), &documents);
		value_as_int64(value_get(v, "bytes"), &bytes);
		value_as_int64(value_get(v, "largest"), &max);
	}
	bytes_clear(&result);
	status->documents = figure_add(status->documents, figure_of(documents, PROVENANCE_EXACT));
	status->bytes = figure_add(status->bytes, figure_of(bytes, PROVENANCE_EXACT));
	if (max > *largest)
		*largest = max;
	return true;
}

/* What is too large to be read for its sizes counts with what the server says of it. */
static bool count_shape(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct source *s,
                        const char *db, struct shape_status *status, const struct interrupt *interrupt,
                        bson_error_t *error)
{
	const char *names[2];
	size_t count = relationship_collections(r, shape, names);
	int64_t largest = 0, of;
	bool large = false;

	status->documents = status->bytes = figure_of(0, PROVENANCE_EXACT);
	for (size_t i = 0; i < count; i++) {
		if (!count_to_sample(s, db, names[i], &of, interrupt, error))
			return false;
		if (of) {
			large = true;
			status->documents = figure_add(status->documents, figure_of(of, PROVENANCE_ESTIMATED));
			status->bytes = figure_add(status->bytes, ask_bytes(s, db, names[i], interrupt));
		} else if (!add_collection(s, db, names[i], status, &largest, interrupt, error)) {
			return false;
		}
	}
	status->largest = status->headroom = figure_unknown();
	if (status->documents.value > 0 && !large) {
		status->largest = figure_of(largest, PROVENANCE_EXACT);
		status->headroom = figure_of(lab_limit_bytes(lab) - largest, PROVENANCE_EXACT);
	}
	return true;
}

/* Figures over a part of the origin's data say so. */
static void mark_sampled(struct shape_status *status, const struct pulled *p)
{
	struct figure *const figures[] = { &status->documents, &status->bytes, &status->largest, &status->headroom };

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		if (!figure_known(*figures[i]))
			continue;
		figures[i]->provenance = PROVENANCE_SAMPLED;
		figures[i]->n = p->parents;
		figures[i]->of = p->all_parents;
	}
	status->orphans = figure_unknown();
}

/* Of the origin's own shape when it is measured on a sample, as the other one is. */
static bool sampled_status(struct lab *lab, const struct relationship *r, struct shape_status *status,
                           const struct interrupt *interrupt)
{
	struct slot *slot = slot_of(lab, r, r->origin);
	struct pulled pulled;
	bool good;

	pthread_rwlock_rdlock(&lab->contents);
	good = lab_shape_pulled(lab, r, r->origin, &pulled) && !pulled.whole &&
	       count_shape(lab, r, r->origin, lab->shapes, slot->db, status, interrupt, NULL);
	pthread_rwlock_unlock(&lab->contents);
	if (good)
		mark_sampled(status, &pulled);
	return good;
}

struct shape_status lab_shape_status(struct lab *lab, const struct relationship *r, enum shape_kind shape,
                                     const struct interrupt *interrupt)
{
	struct slot *slot = slot_of(lab, r, shape);
	bool origin = shape == r->origin, remembered;
	struct version now;
	struct shape_status status;

	if (r->population)
		return status_unknown(SHAPE_NOT_BUILT);
	now = origin_version(lab);
	pthread_mutex_lock(&lab->mutex);
	status = slot->status;
	remembered = slot->figures_known && (!origin || (now.known && !has_moved(slot->version, now)));
	if (!origin)
		status = slot->built ? slot->status : status_unknown(SHAPE_NOT_BUILT);
	if (!origin && slot->built && has_moved(slot->version, now))
		status.state = SHAPE_STALE;
	pthread_mutex_unlock(&lab->mutex);
	if (!origin || remembered)
		return status;

	status = status_unknown(SHAPE_IS_ORIGIN);
	if (sampled_status(lab, r, &status, interrupt))
		return status;
	if (!count_shape(lab, r, shape, lab->origin, lab->model->database, &status, interrupt, NULL))
		return status_unknown(SHAPE_IS_ORIGIN);
	status.orphans = figure_of(0, PROVENANCE_EXACT);
	pthread_mutex_lock(&lab->mutex);
	slot->status = status;
	slot->version = now;
	slot->figures_known = true;
	pthread_mutex_unlock(&lab->mutex);
	return status;
}

/* What the operations read beside the relationship: as it is, with its indexes. */
static bool copy_others(struct lab *lab, const struct relationship *r, const struct data *data, const char *db,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	struct engine *from = source_engine(data->source);
	const char *origin = data->db;
	bson_t whole = BSON_INITIALIZER;
	bool good = true;

	for (size_t i = 0; i < lab->mentions.count && good; i++) {
		const char *name = lab->mentions.names[i];
		struct bytes specifications = BYTES_INIT;
		bson_t indexes;

		if (!strcmp(name, r->parent) || !strcmp(name, r->child) || engine_write_counter(from, origin, name) < 0)
			continue;
		model_indexes(lab->model, name, &specifications);
		bson_init_static(&indexes, specifications.data, specifications.size);
		good = engine_load_pipeline(from, origin, name, &whole, lab->engine, db, name,
		                            model_key(lab->model, name), &indexes, interrupt, error);
		bytes_clear(&specifications);
	}
	return good;
}

/* The largest document of a shape by its key: it is over the limit. */
static bool fail_too_large(struct lab *lab, const struct relationship *r, enum shape_kind shape, const char *db,
                           int64_t limit, bson_error_t *error)
{
	const char *names[2];
	size_t count = relationship_collections(r, shape, names);

	for (size_t i = 0; i < count; i++) {
		const char *field = i == 0 ? r->parent_key : r->child_key;
		struct bytes result = BYTES_INIT, key = BYTES_INIT;
		char *path = bson_strdup_printf("$%s", field);
		int64_t size = 0;
		struct value v;

		if (!cursor_first(lab->shapes, db,
		                  BCON_NEW("aggregate", BCON_UTF8(names[i]), "pipeline", "[", "{", "$project", "{",
		                           "_id", BCON_INT32(0), "key", BCON_UTF8(path), "size", "{", "$bsonSize",
		                           BCON_UTF8("$$ROOT"), "}", "}", "}", "{", "$sort", "{", "size",
		                           BCON_INT32(-1), "key", BCON_INT32(1), "}", "}", "{", "$limit", BCON_INT32(1),
		                           "}", "]", "cursor", "{", "}"),
		                  &result, NULL, error)) {
			bson_free(path);
			return false;
		}
		if (value_document(&v, result.data, result.size) && value_as_int64(value_get(v, "size"), &size) &&
		    size > limit) {
			print_line(&key, value_get(v, "key"), PRINT_SERVER);
			error_set(
			        error, ERROR_SERVER, CODE_BSONObjectTooLarge,
			        "shape \"%s\" of \"%s\" does not fit: the document of \"%s\" with %s: %s has %lld bytes, the limit is %lld",
			        shape_name(shape), r->name, names[i], field, bytes_text(&key), (long long)size,
			        (long long)limit);
		}
		bytes_clear(&result);
		bytes_clear(&key);
		bson_free(path);
	}
	return false;
}

static bool check_limit(struct lab *lab, const struct relationship *r, enum shape_kind shape, const char *db,
                        const struct shape_status *status, bson_error_t *error)
{
	int64_t limit = lab_limit_bytes(lab);

	return !figure_known(status->largest) || status->largest.value <= limit ||
	       fail_too_large(lab, r, shape, db, limit, error);
}

static struct pull_slot *pull_of(struct lab *lab, const struct relationship *r)
{
	return &lab->pulls[r - lab->model->relationships];
}

/* What is sampled for its sizes is not pulled whole either. */
static int64_t most_pulled(const struct lab *lab)
{
	int64_t exact = lab->origin->exact_documents;

	return exact && exact < PULL_DOCUMENTS ? exact : PULL_DOCUMENTS;
}

/* Under the write lock. An origin that is not in this process is pulled once; what it became meanwhile is not known. */
static bool find_data(struct lab *lab, const struct relationship *r, struct data *data,
                      const struct interrupt *interrupt, bson_error_t *error)
{
	struct pull_slot *pull = pull_of(lab, r);
	struct pulled pulled;
	bool done;

	*data = (struct data){ lab->origin, lab->model->database };
	if (source_engine(lab->origin))
		return true;
	*data = (struct data){ lab->shapes, pull->db };
	pthread_mutex_lock(&lab->mutex);
	done = pull->done;
	pthread_mutex_unlock(&lab->mutex);
	if (done)
		return true;
	done = origin_pull(lab->origin, lab->model, r, &lab->mentions, most_pulled(lab), lab->shapes, pull->db, &pulled,
	                   interrupt, error);
	pthread_mutex_lock(&lab->mutex);
	pull->done = done;
	pull->sampled = done && !pulled.whole;
	pull->pulled = pulled;
	pthread_mutex_unlock(&lab->mutex);
	return done;
}

bool lab_shape_pulled(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct pulled *pulled)
{
	struct slot *slot = slot_of(lab, r, shape);
	bool done;

	pthread_mutex_lock(&lab->mutex);
	done = pull_of(lab, r)->done && (slot->built || slot->copied);
	*pulled = pull_of(lab, r)->pulled;
	pthread_mutex_unlock(&lab->mutex);
	return done;
}

bool lab_shape_sampled(struct lab *lab, const struct relationship *r, enum shape_kind shape, int64_t *n, int64_t *of)
{
	struct pulled pulled;

	if (!lab_shape_pulled(lab, r, shape, &pulled) || pulled.whole)
		return false;
	*n = pulled.parents;
	*of = pulled.all_parents;
	return true;
}

bool lab_shape_remark(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct bytes *text)
{
	struct pulled pulled;

	if (!lab_shape_pulled(lab, r, shape, &pulled))
		return false;
	pulled_text(&pulled, r, text);
	return true;
}

static bool build(struct lab *lab, const struct relationship *r, enum shape_kind shape, const char *db,
                  struct shape_status *status, const struct interrupt *interrupt, bson_error_t *error)
{
	struct data data;
	int64_t orphans = 0;

	if (!find_data(lab, r, &data, interrupt, error))
		return false;
	engine_drop_database(lab->engine, db);
	engine_set_document_limit(lab->engine, db, lab_limit_bytes(lab));
	if (!shape_build(r, source_engine(data.source), data.db, shape, lab->engine, db, &orphans, interrupt, error) ||
	    !copy_others(lab, r, &data, db, interrupt, error) ||
	    !index_edits_send(&slot_of(lab, r, shape)->tried, lab->shapes, db, interrupt, error) ||
	    !count_shape(lab, r, shape, lab->shapes, db, status, interrupt, error) ||
	    !check_limit(lab, r, shape, db, status, error)) {
		engine_drop_database(lab->engine, db);
		return false;
	}
	status->orphans = figure_of(orphans, PROVENANCE_EXACT);
	if (data.source == lab->shapes && !pull_of(lab, r)->pulled.whole)
		mark_sampled(status, &pull_of(lab, r)->pulled);
	return true;
}

static bool is_fresh(struct lab *lab, const struct slot *slot, struct version now)
{
	bool fresh;

	pthread_mutex_lock(&lab->mutex);
	fresh = slot->built && !has_moved(slot->version, now);
	pthread_mutex_unlock(&lab->mutex);
	return fresh;
}

/* The origin's own shape lies in the lab, too: indexes are tried there, or the other shape has but a sample's documents. */
static bool wants_copy(struct lab *lab, const struct relationship *r)
{
	bool wants;

	pthread_mutex_lock(&lab->mutex);
	wants = slot_of(lab, r, r->origin)->tried.count > 0 || pull_of(lab, r)->sampled;
	pthread_mutex_unlock(&lab->mutex);
	return wants;
}

/* Under the write lock: the origin's own shape in the lab, with what is tried there; nothing when it is not wanted. */
static bool build_copy(struct lab *lab, const struct relationship *r, const struct interrupt *interrupt,
                       bson_error_t *error)
{
	struct slot *slot = slot_of(lab, r, r->origin);
	struct version now = origin_version(lab);
	struct data data;
	bool good = true, wanted = wants_copy(lab, r);

	if (wanted == slot->copied && (!wanted || !has_moved(slot->copied_version, now)))
		return true;
	good = !wanted || find_data(lab, r, &data, interrupt, error);
	wanted = wants_copy(lab, r); /* what is pulled now may be whole */
	if (wanted && good)
		good = origin_copy(data.source, data.db, lab->model, &lab->mentions, lab->shapes, slot->db, interrupt, error) &&
		       index_edits_send(&slot->tried, lab->shapes, slot->db, interrupt, error);
	if (!wanted || !good)
		engine_drop_database(lab->engine, slot->db);
	pthread_mutex_lock(&lab->mutex);
	slot->copied = wanted && good;
	slot->copied_version = now;
	pthread_mutex_unlock(&lab->mutex);
	return good;
}

static void note_tried(struct lab *lab, struct slot *slot, const char *collection, struct value specification,
                       bool drops)
{
	pthread_mutex_lock(&lab->mutex);
	index_edits_note(&slot->tried, collection, specification, drops);
	slot->tried_revision++;
	pthread_mutex_unlock(&lab->mutex);
}

bool lab_try_index(struct lab *lab, const struct relationship *r, enum shape_kind shape, const char *collection,
                   struct value specification, bool drops, const struct interrupt *interrupt, bson_error_t *error)
{
	struct slot *slot = slot_of(lab, r, shape);
	bool good;

	if (r->population || !lab_build(lab, r, shape, interrupt, error))
		return false;
	pthread_rwlock_wrlock(&lab->contents);
	if (shape == r->origin && !slot->copied) { /* the copy is made with it */
		note_tried(lab, slot, collection, specification, drops);
		good = build_copy(lab, r, interrupt, error);
		if (!good)
			note_tried(lab, slot, collection, specification, !drops);
	} else {
		good = index_edit_send(lab->shapes, slot->db, collection, specification, drops, interrupt, error);
		if (good)
			note_tried(lab, slot, collection, specification, drops);
		if (good && shape == r->origin && !wants_copy(lab, r))
			build_copy(lab, r, interrupt, NULL);
	}
	pthread_rwlock_unlock(&lab->contents);
	return good;
}

size_t lab_indexes_tried(struct lab *lab, const struct relationship *r, enum shape_kind shape)
{
	size_t count;

	pthread_mutex_lock(&lab->mutex);
	count = slot_of(lab, r, shape)->tried.count;
	pthread_mutex_unlock(&lab->mutex);
	return count;
}

uint64_t lab_indexes_revision(struct lab *lab, const struct relationship *r, enum shape_kind shape)
{
	uint64_t revision;

	pthread_mutex_lock(&lab->mutex);
	revision = slot_of(lab, r, shape)->tried_revision;
	pthread_mutex_unlock(&lab->mutex);
	return revision;
}

const struct index_edits *lab_tried(struct lab *lab, const struct relationship *r, enum shape_kind shape)
{
	return &slot_of(lab, r, shape)->tried;
}

bool lab_build(struct lab *lab, const struct relationship *r, enum shape_kind shape, const struct interrupt *interrupt,
               bson_error_t *error)
{
	struct slot *slot = slot_of(lab, r, shape);
	struct shape_status status = status_unknown(SHAPE_BUILT);
	struct version now;
	bool good = true;

	if (r->population)
		return error_set(error, ERROR_INPUT, 0,
		                 "relationship \"%s\" is a population without documents: it has no shapes to build",
		                 r->name);
	pthread_rwlock_wrlock(&lab->contents);
	if (shape == r->origin) {
		good = build_copy(lab, r, interrupt, error);
		pthread_rwlock_unlock(&lab->contents);
		return good;
	}
	/* taken before the build: what is written meanwhile makes the shape stale */
	now = origin_version(lab);
	if (!is_fresh(lab, slot, now)) {
		good = build(lab, r, shape, slot->db, &status, interrupt, error);
		pthread_mutex_lock(&lab->mutex);
		slot->built = slot->figures_known = good;
		slot->status = status;
		slot->version = now;
		pthread_mutex_unlock(&lab->mutex);
	}
	pthread_rwlock_unlock(&lab->contents);
	return good;
}

bool lab_shape_source(struct lab *lab, const struct relationship *r, enum shape_kind shape, struct source **source,
                      const char **db)
{
	struct slot *slot = slot_of(lab, r, shape);
	bool built;

	pthread_mutex_lock(&lab->mutex);
	built = slot->built || slot->copied;
	pthread_mutex_unlock(&lab->mutex);
	if (shape == r->origin && !r->population && !built) {
		*source = lab->origin;
		*db = lab->model->database;
		return true;
	}
	*source = lab->shapes;
	*db = slot->db;
	return built;
}

void lab_measuring_begin(struct lab *lab)
{
	pthread_rwlock_rdlock(&lab->contents);
}

void lab_measuring_end(struct lab *lab)
{
	pthread_rwlock_unlock(&lab->contents);
}

struct draws *lab_draws(struct lab *lab, const struct relationship *r, enum shape_kind shape, const struct operation *o,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	struct drawn *drawn = &lab->drawn[o - lab->model->operations];
	struct version now;
	struct draws *draws = NULL;
	struct pulled pulled;

	if (!o->draw.size)
		return draws_none();
	if (lab_shape_pulled(lab, r, shape, &pulled))
		return draws_run(lab->shapes, pull_of(lab, r)->db, &o->draw, interrupt, error);
	now = origin_version(lab);
	pthread_mutex_lock(&lab->mutex);
	if (drawn->draws && now.known && !has_moved(drawn->version, now))
		draws = draws_share(drawn->draws);
	pthread_mutex_unlock(&lab->mutex);
	if (draws)
		return draws;
	draws = draws_run(lab->origin, lab->model->database, &o->draw, interrupt, error);
	if (!draws)
		return NULL;
	pthread_mutex_lock(&lab->mutex);
	draws_release(drawn->draws);
	drawn->draws = draws_share(draws);
	drawn->version = now;
	pthread_mutex_unlock(&lab->mutex);
	return draws;
}
