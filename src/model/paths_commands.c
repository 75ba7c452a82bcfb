/* Paths over a server: documents come through a cursor, all of them when they are few enough, else a part that says so. */
#include <stdlib.h>

#include "base/memory.h"
#include "model/count.h"
#include "model/cursor.h"
#include "model/paths_private.h"

/* $sample may return a document more than once: it is counted once. By hashes of _id, of a part that is small. */
struct drawn {
	struct gathering *gathering;
	uint64_t *hashes; /* open addressing; 0: free. Null: nothing comes twice */
	size_t capacity, count;
};

static void add_hash(struct drawn *d, uint64_t hash, bool *is_new)
{
	size_t i = hash & (d->capacity - 1);

	while (d->hashes[i] && d->hashes[i] != hash)
		i = (i + 1) & (d->capacity - 1);
	*is_new = !d->hashes[i];
	d->hashes[i] = hash;
}

static void grow(struct drawn *d)
{
	struct drawn old = *d;
	bool is_new;

	d->capacity = 2 * old.capacity;
	d->hashes = memory_allocate_zeroed(d->capacity, sizeof *d->hashes);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.hashes[i])
			add_hash(d, old.hashes[i], &is_new);
	free(old.hashes);
}

static bool comes_again(struct drawn *d, struct value document)
{
	struct value id = value_get(document, "_id");
	bool is_new = true;
	uint64_t hash;

	if (!d->hashes || value_is_missing(id))
		return false;
	if (2 * (d->count + 1) > d->capacity)
		grow(d);
	hash = hash_join(hash_bytes(id.bytes, id.size_bytes), id.type);
	add_hash(d, hash + !hash, &is_new);
	d->count += is_new;
	return !is_new;
}

static bool take(void *context, struct value document, bson_error_t *error)
{
	struct drawn *d = context;
	struct path_tree *tree = &d->gathering->workers[0].tree;

	(void)error;
	if (!comes_again(d, document))
		path_tree_add(tree, document, (int64_t)tree->serial);
	paths_tell(d->gathering);
	return true;
}

/* Anew, whatever was counted before. */
static bool read_documents(struct gathering *g, int64_t sample, bson_error_t *error)
{
	enum { SOME = 1024 };
	const char *collection = g->wish->collection;
	bool random = g->method == SAMPLING_RANDOM || g->method == SAMPLING_SORTED, good;
	struct drawn d = { .gathering = g };
	bson_t *command;

	path_tree_clear(&g->workers[0].tree);
	path_tree_init(&g->workers[0].tree, g->wish->key);
	if (random) {
		d.capacity = SOME;
		d.hashes = memory_allocate_zeroed(d.capacity, sizeof *d.hashes);
		command = BCON_NEW("aggregate", BCON_UTF8(collection), "pipeline", "[", "{", "$sample", "{", "size", BCON_INT64(sample),
		                   "}", "}", "]", "cursor", "{", "}");
	} else {
		command = BCON_NEW("find", BCON_UTF8(collection), "filter", "{", "}");
		if (g->method == SAMPLING_FIRST)
			BSON_APPEND_INT64(command, "limit", sample);
	}
	good = cursor_run(g->source, g->wish->db, command, take, &d, g->interrupt, error);
	bson_destroy(command);
	free(d.hashes);
	return good;
}

/* Without a count it is not known how long all would take: then the first have to do. */
static enum sampling choose(struct gathering *g, int64_t sample, int64_t *count)
{
	int64_t exact = g->wish->sample ? g->wish->sample : g->source->exact_documents;

	if (!exact)
		return SAMPLING_ALL;
	if (!count_documents(g->source, g->wish->db, g->wish->collection, count, g->interrupt, NULL))
		return SAMPLING_FIRST;
	if (*count <= exact || *count <= sample)
		return SAMPLING_ALL;
	return sampling_scans(sample, *count) ? SAMPLING_SORTED : SAMPLING_RANDOM;
}

bool paths_gather_by_commands(struct gathering *g, bson_error_t *error)
{
	int64_t sample = g->wish->sample ? g->wish->sample : sampling_size(g->source), count = 0;
	bson_error_t reason;
	bool good;

	g->method = choose(g, sample, &count);
	do {
		bool all = g->method == SAMPLING_ALL;

		g->of = all ? 0 : count;
		g->progress.of_documents = all ? count : sample;
		good = read_documents(g, sample, &reason);
	} while (!good && sampling_less(g->method, sample, count, &reason, g->interrupt, &g->method, &g->remark));
	if (!good && error)
		*error = reason;
	if (g->method == SAMPLING_FIRST && g->workers[0].tree.root->count < sample) {
		g->method = SAMPLING_ALL; /* there are no more */
		g->of = 0;
	}
	return good;
}
