#include "plan/wish.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/writer.h"
#include "plan/tree_private.h"

enum { FIELD_LIMIT = 8 }; /* more make no better index */

enum want { WANT_EQUALITY, WANT_SORT, WANT_RANGE };

/* Fields of the key to be, each once, in the order in which they came. */
struct wanted {
	struct wanted_field {
		char *path;
		enum want want;
		bool descending;
	} fields[FIELD_LIMIT];
	size_t count;
};

static const struct {
	const char *name;
	enum want want;
} operators[] = {
	{ "$eq", WANT_EQUALITY }, { "$in", WANT_EQUALITY }, { "$gt", WANT_RANGE },
	{ "$gte", WANT_RANGE },   { "$lt", WANT_RANGE },    { "$lte", WANT_RANGE },
};

/* Takes the path. Equality on a field is more than a range or an order on it. */
static void want(struct wanted *w, char *path, enum want kind, bool descending)
{
	for (size_t i = 0; i < w->count; i++)
		if (!strcmp(w->fields[i].path, path)) {
			if (kind < w->fields[i].want)
				w->fields[i].want = kind;
			free(path);
			return;
		}
	if (w->count == FIELD_LIMIT) {
		free(path);
		return;
	}
	w->fields[w->count++] = (struct wanted_field){ path, kind, descending };
}

/* Null: not a name that an index of ours could have. */
static char *joined_path(const char *prefix, struct key name)
{
	struct bytes path = BYTES_INIT;

	if (memchr(name.bytes, 0, name.size_bytes) || !name.size_bytes)
		return NULL;
	bytes_append_text(&path, prefix);
	if (*prefix)
		bytes_append_byte(&path, '.');
	bytes_append(&path, name.bytes, name.size_bytes);
	return bytes_take_text(&path);
}

static void read_predicate(struct wanted *w, const char *prefix, struct value predicate, int levels);

/* {$eq: 1, $gt: …} below a field. */
static void read_conditions(struct wanted *w, const char *path, struct value conditions, int levels)
{
	struct walk walk;
	struct field f;

	for (walk_begin(&walk, conditions); walk_next(&walk, &f);) {
		if (key_is(f.key, "$elemMatch") && value_is_document(f.value)) {
			read_predicate(w, path, f.value, levels - 1);
			continue;
		}
		for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
			if (key_is(f.key, operators[i].name))
				want(w, memory_duplicate_text(path), operators[i].want, false);
	}
}

/* What must hold of every document; what may hold instead ($or, $nor) one index does not serve: wish_branches. */
static void read_predicate(struct wanted *w, const char *prefix, struct value predicate, int levels)
{
	struct walk walk, parts;
	struct field f, part;

	if (!levels)
		return;
	for (walk_begin(&walk, predicate); walk_next(&walk, &f);) {
		char *path;

		if (key_is(f.key, "$and") && value_is_array(f.value)) {
			for (walk_begin(&parts, f.value); walk_next(&parts, &part);)
				if (value_is_document(part.value))
					read_predicate(w, prefix, part.value, levels - 1);
			continue;
		}
		if (!f.key.size_bytes || f.key.bytes[0] == '$' || !value_is_document(f.value))
			continue;
		path = joined_path(prefix, f.key);
		if (path)
			read_conditions(w, path, f.value, levels);
		free(path);
	}
}

/* The order that a stage makes; what merges inputs that are in order has one, too, but makes none. */
static struct value sort_pattern(const struct plan_node *n)
{
	if (!strcmp(n->stage, "SORT_MERGE") || !strcmp(n->stage, "SHARD_MERGE_SORT"))
		return value_missing();
	struct value pattern = plan_get(n->source, "sortPattern"), stage = plan_get(n->source, "$sort");

	return value_is_document(pattern) ? pattern : plan_get(stage, "sortKey");
}

/* The order that the plan has to make itself, above nothing but the access. */
static void read_sort(struct wanted *w, const struct plan_node *n)
{
	static const char *const passed[] = { "SORT", "$sort", "$cursor", "FETCH", "IXSCAN", "COLLSCAN", "LIMIT", "SKIP",
		                              "OR",   "SUBPLAN", "SORT_MERGE", "SHARDING_FILTER" };
	struct value found = value_missing(), pattern;
	struct walk walk;
	struct field f;

	for (; n; n = n->child_count ? n->children[0] : NULL) {
		bool known = false;

		for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
			known = known || !strcmp(n->stage, passed[i]);
		if (!known && strncmp(n->stage, "PROJECTION", 10))
			found = value_missing(); /* it sorts what this stage made */
		pattern = sort_pattern(n);
		if (value_is_document(pattern))
			found = pattern;
	}
	if (!value_is_document(found))
		return;
	for (walk_begin(&walk, found); walk_next(&walk, &f);) {
		char *path = value_is_number(f.value) ? joined_path("", f.key) : NULL;

		if (!path)
			return;
		want(w, path, WANT_SORT, value_as_double(f.value) < 0);
	}
}

static void write_key(const struct wanted *w, struct bytes *key)
{
	struct writer writer;
	bool range = false;

	writer_begin(&writer, key);
	for (int kind = WANT_EQUALITY; kind <= WANT_RANGE; kind++)
		for (size_t i = 0; i < w->count; i++) {
			if ((int)w->fields[i].want != kind || (kind == WANT_RANGE && range))
				continue;
			range = kind == WANT_RANGE; /* a second one would not narrow the scan */
			writer_int32(&writer, w->fields[i].path, w->fields[i].descending ? -1 : 1);
		}
	writer_finish(&writer);
}

#define BRANCH "a branch of $or: "

static const char *reason(const struct wanted *w, bool branch)
{
	static const char *const reasons[] = { "",      "equality",        "sort",        "equality, sort",
		                               "range", "equality, range", "sort, range", "equality, sort, range" };
	static const char *const branches[] = { "",
		                                BRANCH "equality",
		                                BRANCH "sort",
		                                BRANCH "equality, sort",
		                                BRANCH "range",
		                                BRANCH "equality, range",
		                                BRANCH "sort, range",
		                                BRANCH "equality, sort, range" };
	int kinds = 0;

	for (size_t i = 0; i < w->count; i++)
		kinds |= 1 << w->fields[i].want;
	return branch ? branches[kinds] : reasons[kinds];
}

static void forget(struct wanted *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->fields[i].path);
	w->count = 0;
}

/* Takes what is wanted. */
static void add(struct plan_wishes *all, const char *collection, struct wanted *w, const char *why, bool branch)
{
	struct plan_wish wish = { .why = why, .branch = branch };

	if (w->count && *collection) {
		bool known = false;

		write_key(w, &wish.key);
		for (size_t i = 0; i < all->count; i++)
			known = known || (!strcmp(all->wishes[i].collection, collection) && all->wishes[i].key.size == wish.key.size &&
			                  !memcmp(all->wishes[i].key.data, wish.key.data, wish.key.size));
		if (!known) {
			wish.collection = memory_duplicate_text(collection);
			all->wishes = memory_room(all->wishes, all->count, sizeof *all->wishes);
			all->wishes[all->count++] = wish;
		} else {
			bytes_clear(&wish.key);
		}
	}
	forget(w);
}

/* The one $or that all of a predicate is; missing: there is more, or none. */
static struct value only_or(struct value predicate)
{
	struct value branches = plan_get(predicate, "$or");

	return value_is_array(branches) && value_count(predicate) == 1 ? branches : value_missing();
}

/* An index for each branch of an $or. One that no index serves has the collection read anyway: then there is none. */
static void wish_branches(const struct plan_tree *t, struct plan_wishes *all)
{
	struct value branches = only_or(t->parsed_query);
	bool each = true;
	struct walk w;
	struct field f;

	for (int pass = 0; pass < 2 && each && value_is_array(branches); pass++)
		for (walk_begin(&w, branches); walk_next(&w, &f);) {
			struct wanted own = { .count = 0 };

			if (value_is_document(f.value))
				read_predicate(&own, "", f.value, VALUE_DEPTH_LIMIT);
			each = each && own.count;
			if (pass)
				read_sort(&own, t->root);
			add(all, pass ? plan_tree_collection(t) : "", &own, reason(&own, true), true);
		}
}

/* The planner's joins name the database as well: "shop.items". */
static const char *collection_in(const struct plan_tree *t, const struct plan_lookup *l)
{
	size_t database = t->namespace_text ? strcspn(t->namespace_text, ".") + 1 : 0;
	bool whole = !value_is_missing(plan_get(l->node->source, "foreignCollection"));

	return whole && database && !strncmp(l->from, t->namespace_text, database) ? l->from + database : l->from;
}

void plan_wishes_find(const struct plan_tree *t, struct plan_wishes *w)
{
	struct wanted own = { .count = 0 };

	*w = (struct plan_wishes){ NULL, 0 };
	if (value_is_document(t->parsed_query))
		read_predicate(&own, "", t->parsed_query, VALUE_DEPTH_LIMIT);
	read_sort(&own, t->root);
	if (value_is_array(only_or(t->parsed_query))) {
		forget(&own);
		wish_branches(t, w);
	} else {
		add(w, plan_tree_collection(t), &own, reason(&own, false), false);
	}
	for (size_t i = 0; i < t->lookup_count; i++) {
		struct wanted foreign = { .count = 0 };
		struct value field = plan_get(plan_lookup_specification(&t->lookups[i]), "foreignField");

		if (field.type == BSON_TYPE_UTF8) {
			char *path = joined_path("", value_text(field));

			if (path)
				want(&foreign, path, WANT_EQUALITY, false);
		}
		add(w, collection_in(t, &t->lookups[i]), &foreign, "the $lookup's foreign field", false);
	}
}

void plan_wishes_clear(struct plan_wishes *w)
{
	for (size_t i = 0; i < w->count; i++) {
		free(w->wishes[i].collection);
		bytes_clear(&w->wishes[i].key);
	}
	free(w->wishes);
}
