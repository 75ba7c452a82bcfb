/*
 * Where a collection's documents lie, by record id: private to the collections. Documents that lie one behind the
 * other, as those of a mapped file do, cost 4.5 bytes each, any others 13, and one that the table owns its bytes, too.
 */
#ifndef BSONSCOPE_ENGINE_RECORDS_H
#define BSONSCOPE_ENGINE_RECORDS_H

#include "base/size_tally.h"
#include "bson/value.h"

struct records {
	uint32_t *sizes;             /* one a record: bytes of its document and a flag; 0: deleted */
	struct record_block *blocks; /* where they are, one for some dozen records */
	size_t count, capacity;      /* deleted ones included */
	const uint8_t *end;          /* of the last document: whether the next one lies behind it */
	struct size_tally tally;     /* of the live ones */
};

void records_clear(struct records *r);

/* The document of a record; false when it was deleted or never was. */
bool records_document(const struct records *r, size_t id, struct value *document);

/* Whether the table owns the document's bytes, so that they go with a write. */
bool records_owns(const struct records *r, size_t id);

/* The first live record at or after `from`; false at the end. */
bool records_next(const struct records *r, size_t from, size_t *id);

/* Sizes of records `from` up to `to`, without looking at documents; 0 for deleted ones. */
void records_sizes(const struct records *r, size_t from, size_t to, uint32_t *sizes_bytes);

/* Take over `bytes`, which were allocated, or borrow them. */
void records_append(struct records *r, const uint8_t *bytes, uint32_t size_bytes, bool owned);
void records_borrow_all(struct records *r, const struct value *documents, size_t count);

/* A live record's document is exchanged for an owned one, or taken away. */
void records_replace(struct records *r, size_t id, const uint8_t *bytes, uint32_t size_bytes);
void records_remove(struct records *r, size_t id);

/* Gives back the memory that growing left over. */
void records_trim(struct records *r);

/* That of owned documents included. */
int64_t records_memory_bytes(const struct records *r);

#endif
