#include "engine/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/compare.h"
#include "bson/writer.h"
#include "engine/index_inside.h"
#include "engine/index_key.h"
#include "engine/index_specification.h"
#include "engine/match.h"

_Static_assert((int)INDEX_FIELD_LIMIT == (int)KEY_PATHS_LIMIT, "an index has as many fields as can be walked");

static struct value specification_of(const struct index *i)
{
	return (struct value){ i->specification.data, (uint32_t)i->specification.size, BSON_TYPE_DOCUMENT };
}

struct value index_key_pattern(const struct index *i)
{
	return value_get(specification_of(i), "key");
}

static void read_fields(struct index *i)
{
	struct value pattern = index_key_pattern(i);
	struct walk w;
	struct field f;

	i->fields = memory_allocate_zeroed(value_count(pattern), sizeof *i->fields);
	walk_begin(&w, pattern);
	while (walk_next(&w, &f)) {
		struct index_field *field = &i->fields[i->field_count++];

		path_parse(&field->path, f.key);
		field->descending = value_as_double(f.value) < 0;
	}
}

struct index *index_new(struct value specification, bson_error_t *error)
{
	struct bytes normalized = BYTES_INIT;
	struct index *i;
	struct key name;

	if (!index_specification_normalize(specification, &normalized, error))
		return NULL;
	i = memory_allocate_zeroed(1, sizeof *i);
	i->specification = normalized;
	name = value_text(value_get(specification_of(i), "name"));
	i->name = memory_duplicate_text(name.bytes);
	i->unique = value_is_true(value_get(specification_of(i), "unique")) || !strcmp(i->name, "_id_");
	i->sparse = value_is_true(value_get(specification_of(i), "sparse"));
	i->hidden = value_is_true(value_get(specification_of(i), "hidden"));
	i->filter = index_specification_filter(specification_of(i), NULL);
	i->tree = index_tree_new();
	read_fields(i);
	return i;
}

void index_set_hidden(struct index *i, bool hidden)
{
	struct bytes changed = BYTES_INIT;
	struct writer w;
	struct walk walk;
	struct field f;

	writer_begin(&w, &changed);
	walk_begin(&walk, specification_of(i));
	while (walk_next(&walk, &f))
		if (!key_is(f.key, "hidden"))
			writer_value(&w, f.key, f.value);
	if (hidden)
		writer_bool(&w, "hidden", true);
	writer_finish(&w);
	bytes_clear(&i->specification);
	i->specification = changed;
	i->hidden = hidden;
}

void index_destroy(struct index *i)
{
	if (!i)
		return;
	for (size_t f = 0; f < i->field_count; f++)
		path_clear(&i->fields[f].path);
	free(i->fields);
	free(i->name);
	match_destroy(i->filter);
	bytes_clear(&i->specification);
	index_tree_destroy(i->tree);
	free(i);
}

bool index_is_equivalent(const struct index *a, const struct index *b)
{
	struct value x = value_get(specification_of(a), "partialFilterExpression");
	struct value y = value_get(specification_of(b), "partialFilterExpression");

	return a->unique == b->unique && a->sparse == b->sparse &&
	       value_equal(index_key_pattern(a), index_key_pattern(b)) &&
	       value_is_missing(x) == value_is_missing(y) && (value_is_missing(x) || !value_compare(x, y));
}

bool index_holds(const struct index *i, struct value document)
{
	return !i->filter || match_test(i->filter, NULL, document);
}

void index_keys_init(struct index_keys *k)
{
	k->keys = NULL;
	k->count = k->capacity = 0;
}

void index_keys_clear(struct index_keys *k)
{
	for (size_t i = 0; i < k->count; i++)
		bytes_clear(&k->keys[i]);
	free(k->keys);
	index_keys_init(k);
}

void index_encode(const struct index *i, const struct value *values, struct bytes *key)
{
	for (size_t f = 0; f < i->field_count; f++)
		index_key_append(key, values[f], i->fields[f].descending);
}

struct key_collector {
	const struct index *index;
	struct index_keys *keys;
};

static void collect_key(void *context, const struct value *values)
{
	enum { USUAL_KEY_BYTES = 32 };
	struct key_collector *c = context;
	struct index_keys *k = c->keys;
	struct bytes *key;

	k->keys = memory_grow(k->keys, &k->capacity, k->count + 1, sizeof *k->keys);
	key = &k->keys[k->count++];
	bytes_init(key);
	bytes_reserve(key, USUAL_KEY_BYTES);
	index_encode(c->index, values, key);
}

void index_key_paths(const struct index *i, struct key_paths *paths)
{
	paths->count = i->field_count;
	paths->skip_missing = i->sparse;
	paths->array_components = NULL;
	for (size_t f = 0; f < i->field_count; f++)
		paths->paths[f] = &i->fields[f].path;
}

static int compare_keys(const void *a, const void *b)
{
	const struct bytes *x = a, *y = b;
	struct tree_key kx = { x->data, x->size, 0 }, ky = { y->data, y->size, 0 };

	return tree_key_compare(&kx, &ky);
}

static void sort_and_unite(struct index_keys *k)
{
	size_t kept = 1;

	if (k->count < 2)
		return;
	qsort(k->keys, k->count, sizeof *k->keys, compare_keys);
	for (size_t i = 1; i < k->count; i++) {
		if (compare_keys(&k->keys[i], &k->keys[kept - 1]))
			k->keys[kept++] = k->keys[i];
		else
			bytes_clear(&k->keys[i]);
	}
	k->count = kept;
}

bool index_make_keys(const struct index *i, struct value document, struct index_keys *keys, bson_error_t *error)
{
	struct key_collector collector = { i, keys };
	struct key_paths paths;

	index_key_paths(i, &paths);
	memset(keys->array_components, 0, i->field_count * sizeof *keys->array_components);
	paths.array_components = keys->array_components;
	paths.emit = collect_key;
	paths.context = &collector;
	if (!index_holds(i, document))
		return true;
	if (!key_paths_walk(&paths, document, error)) {
		index_keys_clear(keys);
		return false;
	}
	sort_and_unite(keys);
	return true;
}

bool index_sees_no_difference(const struct index *i, struct value a, struct value b)
{
	if (i->filter) /* it may look at any field */
		return false;
	for (size_t f = 0; f < i->field_count; f++) {
		struct key name = i->fields[f].path.keys[0];
		struct value x = value_get_key(a, name), y = value_get_key(b, name);

		if (x.type != y.type || x.size_bytes != y.size_bytes ||
		    (x.size_bytes && memcmp(x.bytes, y.bytes, x.size_bytes)))
			return false;
	}
	return true;
}

struct key_search {
	const struct index *index;
	const struct bytes *wanted;
	struct bytes key;
	struct bytes *out;
	bool found;
};

static void compare_and_write(void *context, const struct value *values)
{
	struct key_search *s = context;
	struct writer w;

	bytes_reset(&s->key);
	index_encode(s->index, values, &s->key);
	if (s->found || compare_keys(&s->key, s->wanted))
		return;
	s->found = true;
	writer_begin(&w, s->out);
	for (size_t f = 0; f < s->index->field_count; f++)
		writer_put(&w, s->index->fields[f].path.text, values[f]);
	writer_finish(&w);
}

bool index_key_value(const struct index *i, struct value document, const struct bytes *key, struct bytes *out)
{
	struct key_search search = { i, key, BYTES_INIT, out, false };
	struct key_paths paths;

	index_key_paths(i, &paths);
	paths.emit = compare_and_write;
	paths.context = &search;
	key_paths_walk(&paths, document, NULL);
	bytes_clear(&search.key);
	return search.found;
}

void index_insert(struct index *i, const struct bytes *key, record_id id)
{
	struct tree_key k = { key->data, key->size, id };

	i->entry_count += index_tree_insert(i->tree, &k);
}

bool index_remove(struct index *i, const struct bytes *key, record_id id)
{
	struct tree_key k = { key->data, key->size, id };

	if (!index_tree_remove(i->tree, &k))
		return false;
	i->entry_count--;
	return true;
}

void index_note_components(struct index *i, const uint32_t *array_components)
{
	for (size_t f = 0; f < i->field_count; f++) {
		i->fields[f].array_components |= array_components[f];
		i->multikey = i->multikey || array_components[f];
	}
}

void index_note_arrays(struct index *i, const struct index_keys *keys)
{
	index_note_components(i, keys->array_components);
}

bool index_has_key(const struct index *i, const struct bytes *key, record_id except)
{
	struct tree_key k = { key->data, key->size, INT64_MIN };
	struct tree_position at = index_tree_seek(i->tree, &k);

	while (at.page) {
		struct tree_key found = page_key(at.page, at.slot);

		k.id = found.id;
		if (tree_key_compare(&found, &k))
			return false;
		if (found.id != except)
			return true;
		at = index_tree_next(at);
	}
	return false;
}

bool index_first_duplicate(const struct index *i, struct bytes *key, record_id *id)
{
	struct tree_key first = { NULL, 0, INT64_MIN }, before = first;
	struct tree_position at = index_tree_seek(i->tree, &first);

	for (; at.page; at = index_tree_next(at)) {
		struct tree_key found = page_key(at.page, at.slot);

		if (found.size == before.size && found.size && !memcmp(found.bytes, before.bytes, found.size)) {
			bytes_append(key, found.bytes, found.size);
			*id = found.id;
			return true;
		}
		before = found;
	}
	return false;
}

int64_t index_memory_bytes(const struct index *i)
{
	return (int64_t)(sizeof *i + i->specification.capacity + i->field_count * sizeof *i->fields) +
	       index_tree_memory_bytes(i->tree);
}
