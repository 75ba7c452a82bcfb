/*
 * One operation that a server wrote down: a slow-query line of its log (JSON since 4.4, text before), or a document of
 * system.profile. Figures that the record does not hold are unknown.
 */
#ifndef BSONSCOPE_PLAN_LOG_RECORD_H
#define BSONSCOPE_PLAN_LOG_RECORD_H

#include "base/bytes.h"
#include "base/figure.h"
#include "bson/skim.h"

/* Name in struct, names in a log line and in a profile document (null: none). */
#define LOG_FIGURES(X)                                        \
	X(keys_examined, "keysExamined", NULL)                \
	X(docs_examined, "docsExamined", NULL)                \
	X(returned, "nreturned", NULL)                        \
	X(millis, "durationMillis", "millis")                 \
	X(response_bytes, "reslen", "responseLength")         \
	X(matched, "nMatched", NULL)                          \
	X(modified, "nModified", NULL)                        \
	X(deleted, "ndeleted", NULL)                          \
	X(inserted, "ninserted", NULL)

enum log_form { LOG_JSON, LOG_TEXT, LOG_PROFILE };

struct log_record {
	enum log_form form;
	/* Pieces of the line; a null text: not said. */
	struct span type, namespace_text, command, plan_summary, query_framework, app_name, execution;
	struct figure bytes_read; /* by the storage engine for it: what was not in its cache */
#define X(name, log, profile) struct figure name;
	LOG_FIGURES(X)
#undef X
};

/*
 * Reads a line. False: it is no record of an operation. Spans point into the line, or, for the text form, into
 * `scratch`, which is used anew.
 */
bool log_record_read(struct span line, struct bytes *scratch, struct log_record *r);

#endif
