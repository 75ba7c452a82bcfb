#include "model/index_offers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "engine/engine.h"
#include "model/cursor.h"
#include "plan/wish.h"

struct finding {
	struct source *s;
	const char *db;
	const struct model *model;
	const struct plan_tree *tree;
	const struct index_edits *tried;
	const struct interrupt *interrupt;
	struct index_offers *offers;
	struct plan_wishes wishes;
	const char *collection; /* the present one */
	bson_t stats;           /* its collStats */
};

static struct value specification_of(const struct index_offer *o)
{
	struct value v = value_missing();

	value_document(&v, o->specification.data, o->specification.size);
	return v;
}

static struct index_offer *add(struct finding *f)
{
	struct index_offers *all = f->offers;

	all->offers = memory_resize(all->offers, all->count + 1, sizeof *all->offers);
	all->offers[all->count] = (struct index_offer){ .collection = memory_duplicate_text(f->collection),
		                                        .entries = figure_unknown(),
		                                        .bytes = figure_unknown(),
		                                        .documents = figure_unknown() };
	return &all->offers[all->count++];
}

static struct figure number(struct value v)
{
	int64_t n;

	return value_as_int64(v, &n) ? figure_measured(n) : figure_unknown();
}

static struct figure entries(const struct finding *f, const char *index)
{
	struct engine *e = source_engine(f->s);
	int64_t count = e ? engine_index_entries(e, f->db, f->collection, index) : -1;

	return count < 0 ? figure_unknown() : figure_measured(count);
}

/* The index of the documents' key. */
static bool is_fixed(const struct finding *f, struct value key)
{
	struct walk w;
	struct field first;

	walk_begin(&w, key);
	return value_count(key) == 1 && walk_next(&w, &first) &&
	       (key_is(first.key, "_id") || key_is(first.key, model_key(f->model, f->collection)));
}

struct usage {
	const char *name;
	bool used;
};

/* A $lookup's indexes stand in one text, separated by commas. */
static void look_for_use(void *context, const struct plan_node *n, int depth)
{
	struct usage *u = context;
	size_t length = strlen(u->name);

	(void)depth;
	for (const char *at = n->index; at && (at = strstr(at, u->name)); at += length)
		u->used = u->used || ((at == n->index || at[-1] == ' ') && (!at[length] || at[length] == ','));
}

static bool add_existing(void *context, struct value specification, bson_error_t *error)
{
	struct finding *f = context;
	struct value name = value_get(specification, "name"), key = value_get(specification, "key");
	struct index_offer *o;
	struct usage usage;

	(void)error;
	if (name.type != BSON_TYPE_UTF8 || !value_is_document(key))
		return true;
	o = add(f);
	o->name = memory_duplicate_text(value_text(name).bytes);
	bytes_append(&o->specification, specification.bytes, specification.size_bytes);
	o->exists = true;
	o->fixed = is_fixed(f, key);
	o->entries = entries(f, o->name);
	o->documents = number(value_get(value_from_bson(&f->stats), "count"));
	o->bytes = number(value_get(value_get(value_from_bson(&f->stats), "indexSizes"), o->name));
	usage = (struct usage){ o->name, false };
	if (f->tree)
		plan_tree_walk(f->tree, look_for_use, &usage);
	o->used = usage.used;
	return true;
}

static bool same_direction(struct value a, struct value b)
{
	return (value_as_double(a) < 0) == (value_as_double(b) < 0);
}

/* Whether the index begins with the fields that are wanted, all in their directions or all the other way round. */
static bool serves(const struct index_offer *o, struct value wanted)
{
	struct walk a, b;
	struct field have, want;
	int same = 0, fields = 0;

	walk_begin(&a, value_get(specification_of(o), "key"));
	walk_begin(&b, wanted);
	for (; walk_next(&b, &want); fields++) {
		if (!walk_next(&a, &have) || !key_equal(have.key, want.key))
			return false;
		same += same_direction(have.value, want.value);
	}
	return same == fields || same == 0;
}

/* "orderId_1", as the server names an index that has no name. */
static void write_specification(struct bytes *out, struct value key, char **name)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field f;
	int64_t direction = 1;

	for (walk_begin(&walk, key); walk_next(&walk, &f);) {
		value_as_int64(f.value, &direction);
		bytes_format(&text, "%s%.*s_%lld", text.size ? "_" : "", (int)f.key.size_bytes, f.key.bytes,
		             (long long)direction);
	}
	*name = bytes_take_text(&text);
	writer_begin(&w, out);
	writer_put(&w, "key", key);
	writer_text(&w, "name", *name);
	writer_finish(&w);
}

/* What the index would hold. */
static void preview(const struct finding *f, struct index_offer *o)
{
	struct engine *e = source_engine(f->s);
	int64_t entries, bytes;

	if (e && engine_preview_index(e, f->db, f->collection, specification_of(o), &entries, &bytes)) {
		o->entries = figure_of(entries, PROVENANCE_EXACT);
		o->bytes = figure_of(bytes, PROVENANCE_EXACT);
	} else if (figure_known(o->documents)) {
		o->entries = figure_of(o->documents.value, PROVENANCE_PREDICTED);
		o->entries.at_least = true; /* an array has an entry an element */
	}
}

/* After what is there: a wish that an index serves already is said there. */
static void add_wish(struct finding *f, const struct plan_wish *wish, size_t first)
{
	struct index_offer *o;
	struct value key;

	if (!value_document(&key, wish->key.data, wish->key.size))
		return;
	for (size_t i = first; i < f->offers->count; i++)
		if (f->offers->offers[i].exists && serves(&f->offers->offers[i], key)) {
			f->offers->offers[i].why = wish->why;
			return;
		}
	o = add(f);
	write_specification(&o->specification, key, &o->name);
	o->why = wish->why;
	o->documents = number(value_get(value_from_bson(&f->stats), "count"));
	preview(f, o);
}

/* Unless it is wanted and so among the offers. */
static void add_dropped(struct finding *f, const struct index_edit *edit, size_t first)
{
	struct index_offer *o;

	for (size_t i = first; i < f->offers->count; i++)
		if (!strcmp(f->offers->offers[i].name, edit->name))
			return;
	o = add(f);
	o->name = memory_duplicate_text(edit->name);
	bytes_append(&o->specification, edit->specification.data, edit->specification.size);
	o->documents = number(value_get(value_from_bson(&f->stats), "count"));
	preview(f, o);
}

static void add_missing(struct finding *f, size_t first)
{
	for (size_t i = 0; i < f->wishes.count; i++)
		if (!strcmp(f->wishes.wishes[i].collection, f->collection))
			add_wish(f, &f->wishes.wishes[i], first);
	for (size_t i = 0; f->tried && i < f->tried->count; i++)
		if (f->tried->edits[i].drops && !strcmp(f->tried->edits[i].collection, f->collection))
			add_dropped(f, &f->tried->edits[i], first);
}

static void ask_collection(struct finding *f, const char *collection)
{
	bson_t *list = BCON_NEW("listIndexes", BCON_UTF8(collection)),
	       *stats = BCON_NEW("collStats", BCON_UTF8(collection));
	size_t first = f->offers->count;

	f->collection = collection;
	for (size_t i = 0; i < first; i++)
		if (!strcmp(f->offers->offers[i].collection, collection))
			goto done;
	if (source_command(f->s, f->db, stats, &f->stats, f->interrupt, NULL) &&
	    cursor_run(f->s, f->db, list, add_existing, f, f->interrupt, NULL))
		add_missing(f, first);
	bson_destroy(&f->stats);
done:
	bson_destroy(list);
	bson_destroy(stats);
}

static int rank(const struct index_offer *o)
{
	return o->fixed ? 4 : o->why ? o->exists : !o->exists || o->used ? 2 : 3;
}

/* Few: what is wanted first; else as they came. */
static void put_in_order(struct index_offers *all)
{
	for (size_t i = 1; i < all->count; i++)
		for (size_t k = i; k > 0 && rank(&all->offers[k]) < rank(&all->offers[k - 1]); k--) {
			struct index_offer moved = all->offers[k];

			all->offers[k] = all->offers[k - 1];
			all->offers[k - 1] = moved;
		}
}

struct index_offers *index_offers_find(struct source *s, const char *db, const struct model *m,
                                       const struct plan_tree *tree, const struct index_edits *tried,
                                       const char *collection, const struct interrupt *interrupt)
{
	struct finding f = { .s = s, .db = db, .model = m, .tree = tree, .tried = tried, .interrupt = interrupt };

	f.offers = memory_allocate_zeroed(1, sizeof *f.offers);
	if (tree)
		plan_wishes_find(tree, &f.wishes);
	if (collection && *collection)
		ask_collection(&f, collection);
	for (size_t i = 0; i < f.wishes.count; i++)
		ask_collection(&f, f.wishes.wishes[i].collection);
	for (size_t i = 0; tree && i < tree->lookup_count; i++)
		if (*tree->lookups[i].from)
			ask_collection(&f, tree->lookups[i].from);
	put_in_order(f.offers);
	plan_wishes_clear(&f.wishes);
	return f.offers;
}

void index_offers_destroy(struct index_offers *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->count; i++) {
		free(o->offers[i].collection);
		free(o->offers[i].name);
		bytes_clear(&o->offers[i].specification);
	}
	free(o->offers);
	free(o);
}
