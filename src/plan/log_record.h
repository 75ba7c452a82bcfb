/*
 * What a server wrote down: one operation, in a slow-query line of its log (JSON since 4.4, text before), a document of
 * system.profile or one of $currentOp; or all of a shape, in a document of $queryStats. Figures that the record does
 * not hold are unknown.
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

enum log_form { LOG_JSON, LOG_TEXT, LOG_PROFILE, LOG_QUERY_STATS };

struct log_record {
	enum log_form form;
	int64_t count; /* operations: figures are sums over them */
	/* Pieces of the line; a null text: not said. */
	struct span type, namespace_text, command, plan_summary, query_framework, app_name, execution;
	bool is_filter; /* the command is no command but its filter, as before 3.2 */
	struct span time; /* "2026-01-01T00:00:00.000+00:00": when it was written, or last seen */
	struct span first_seen; /* of LOG_QUERY_STATS */
	struct figure bytes_read; /* by the storage engine for it: what was not in its cache */
	struct figure total_micros, max_micros; /* of LOG_QUERY_STATS, in place of `millis` */
#define X(name, log, profile) struct figure name;
	LOG_FIGURES(X)
#undef X
};

/*
 * Reads a line. False: it is no record of an operation. Spans point into the line, or, for the text form, into
 * `scratch`, which is used anew.
 */
bool log_record_read(struct span line, struct bytes *scratch, struct log_record *r);

/* Sets the command from a field "query": a command of 3.2 and later, or a filter alone. */
void log_record_set_query(struct log_record *r, struct span query);

/* When a line of a log, a record or not, was written; a null text when it does not begin with that. */
struct span log_line_time(struct span line);

#endif
