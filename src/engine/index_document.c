/* The document that a covered plan makes of an index key: missing fields are null there, as in MongoDB. */
#include <string.h>

#include "bson/writer.h"
#include "engine/index.h"

/* The paths of the index below one prefix, and the values of the key in the same order. */
struct rebuilt {
	const struct index *index;
	struct value values[INDEX_FIELD_LIMIT];
	bool done[INDEX_FIELD_LIMIT];
	struct writer w;
};

static bool same_beginning(const struct path *a, const struct path *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i >= a->count || i >= b->count || !key_equal(a->keys[i], b->keys[i]))
			return false;
	return true;
}

bool index_paths_are_apart(const struct index *i)
{
	for (size_t a = 0; a < i->field_count; a++)
		for (size_t b = 0; b < i->field_count; b++)
			if (a != b && same_beginning(&i->fields[a].path, &i->fields[b].path, i->fields[a].path.count))
				return false;
	return true;
}

/* Field `first` and the later ones that share its first components up to that at `depth`. */
static void put_field(struct rebuilt *r, size_t first, size_t depth)
{
	const struct path *path = &r->index->fields[first].path;

	if (depth + 1 == path->count) {
		writer_value(&r->w, path->keys[depth], r->values[first]);
		r->done[first] = true;
		return;
	}
	writer_begin_document(&r->w, path->keys[depth]);
	for (size_t f = first; f < r->index->field_count; f++)
		if (!r->done[f] && same_beginning(&r->index->fields[f].path, path, depth + 1))
			put_field(r, f, depth + 1);
	writer_end(&r->w);
}

bool index_key_document(const struct index *i, struct value document, const uint8_t *key, size_t size, struct bytes *out)
{
	struct rebuilt r = { .index = i };
	struct bytes flat = BYTES_INIT, wanted = BYTES_INIT;
	struct value values = value_missing();
	struct walk w;
	struct field f;
	size_t count = 0;
	bool good;

	bytes_append(&wanted, key, size);
	good = index_key_value(i, document, &wanted, &flat) && value_document(&values, flat.data, flat.size);
	bytes_clear(&wanted);
	for (walk_begin(&w, values); good && walk_next(&w, &f);)
		r.values[count++] = f.value;
	bytes_reset(out);
	writer_begin(&r.w, out);
	for (size_t n = 0; good && n < i->field_count; n++)
		if (!r.done[n])
			put_field(&r, n, 0);
	writer_finish(&r.w);
	bytes_clear(&flat);
	return good;
}
