#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/index_inside.h"

struct index_cursor {
	const struct index_tree *tree;
	struct tree_position at;
	uint64_t changes;  /* of the tree when `at` was good */
	struct bytes key;  /* where the cursor stands: survives writes */
	record_id id;
	bool stands;       /* on an entry; false before a seek and past an end */
};

struct index_cursor *index_cursor_new(const struct index *i)
{
	struct index_cursor *c = memory_allocate_zeroed(1, sizeof *c);

	c->tree = i->tree;
	return c;
}

void index_cursor_destroy(struct index_cursor *c)
{
	if (!c)
		return;
	bytes_clear(&c->key);
	free(c);
}

static bool stand(struct index_cursor *c, struct tree_position at)
{
	struct tree_key k;

	c->at = at;
	c->changes = c->tree->changes;
	c->stands = at.page != NULL;
	if (!c->stands)
		return false;
	k = page_key(at.page, at.slot);
	bytes_reset(&c->key);
	bytes_append(&c->key, k.bytes, k.size);
	c->id = k.id;
	return true;
}

bool index_cursor_seek(struct index_cursor *c, const uint8_t *key, size_t size, bool after, bool backward)
{
	struct tree_key k = { key, size, after == backward ? INT64_MIN : INT64_MAX };

	return stand(c, backward ? index_tree_seek_below(c->tree, &k) : index_tree_seek(c->tree, &k));
}

bool index_cursor_next(struct index_cursor *c, bool backward)
{
	struct tree_key k = { c->key.data, c->key.size, backward ? c->id : c->id + 1 };

	if (!c->stands)
		return false;
	if (c->changes == c->tree->changes)
		return stand(c, backward ? index_tree_previous(c->at) : index_tree_next(c->at));
	return stand(c, backward ? index_tree_seek_below(c->tree, &k) : index_tree_seek(c->tree, &k));
}

void index_cursor_get(const struct index_cursor *c, const uint8_t **key, size_t *size, record_id *id)
{
	*key = c->key.data;
	*size = c->key.size;
	*id = c->id;
}
