#include "engine/collection_stats.h"

#include "engine/index.h"

int64_t collection_index_bytes(const struct collection *c)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < c->index_count; i++)
		bytes += index_memory_bytes(c->indexes[i]);
	return bytes;
}

void collection_write_stats(struct writer *w, const struct collection *c, int64_t scale)
{
	writer_number(w, "size", c->bytes / scale);
	writer_number(w, "count", c->count);
	if (c->count)
		writer_number(w, "avgObjSize", c->bytes / c->count);
	writer_bool(w, "capped", false);
	writer_number(w, "nindexes", (int64_t)c->index_count);
	writer_begin_array(w, key_of("indexBuilds"));
	writer_end(w);
	writer_number(w, "totalIndexSize", collection_index_bytes(c) / scale);
	writer_begin_document(w, key_of("indexSizes"));
	for (size_t i = 0; i < c->index_count; i++)
		writer_number(w, c->indexes[i]->name, index_memory_bytes(c->indexes[i]) / scale);
	writer_end(w);
}
