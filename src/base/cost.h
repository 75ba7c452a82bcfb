/*
 * What an operation costs: one struct of figures, one list, this order everywhere (screen, JSON, documentation).
 *
 * bytes read     sum of the BSON sizes of the documents examined (MongoDB's operationMetrics.docBytesRead)
 * docs written   every document the write would address, whole, as it would stand after it: explain's nWouldModify,
 *                no-ops included; `no-ops` of them would change nothing
 * keys written   index entries removed and added
 */
#ifndef BSONSCOPE_BASE_COST_H
#define BSONSCOPE_BASE_COST_H

#include "base/figure.h"

/* field, JSON name, heading */
#define COST_FIELDS(X)                                      \
	X(round_trips, "roundTrips", "trips")               \
	X(get_mores, "getMores", "getMores")                \
	X(docs_examined, "docsExamined", "docs")            \
	X(keys_examined, "keysExamined", "keys")            \
	X(bytes_read, "bytesRead", "bytes read")            \
	X(docs_returned, "docsReturned", "returned")        \
	X(bytes_returned, "bytesReturned", "bytes returned") \
	X(docs_written, "docsWritten", "docs written")      \
	X(bytes_written, "bytesWritten", "bytes written")   \
	X(keys_written, "keysWritten", "keys written")      \
	X(no_ops, "noOps", "no-ops")                        \
	X(micros, "millis", "time")

/* `micros` is kept in microseconds; its JSON name says milliseconds and is printed with a fraction. */
struct cost {
#define X(field, json, heading) struct figure field;
	COST_FIELDS(X)
#undef X
};

/* A cost of zeros, measured: the neutral element of cost_add. */
struct cost cost_zero(void);

/* All unknown. */
struct cost cost_unknown(void);
void cost_add(struct cost *sum, const struct cost *more);

/* Equal in everything that repeats: `micros` is left out. */
bool cost_equal(const struct cost *a, const struct cost *b);

#endif
