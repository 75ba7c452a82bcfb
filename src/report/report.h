/*
 * Batch mode: every view as text and as JSON, appended to a buffer that is written out at once. Each returns false with
 * one line that says what failed; what it appended then is not shown.
 */
#ifndef BSONSCOPE_REPORT_REPORT_H
#define BSONSCOPE_REPORT_REPORT_H

#include "base/bytes.h"
#include "model/lab.h"
#include "report/options.h"

bool report_workload(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error);
/* *alarm: a document is larger than --fail-over. */
bool report_sizes(struct lab *lab, const struct options *o, struct bytes *out, bool *alarm, bson_error_t *error);

/* The paths of each collection, or of one document; the types of each path. */
bool report_tree(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error);
bool report_types(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error);

/* Runs the commands; a failed one ends it, and its reply is in `out` too: show that in any case. */
bool report_run(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error);

/* The plan of a command, on the origin or, when a relationship or a shape is named, on that shape. */
bool report_explain(struct lab *lab, const struct options *o, struct bytes *out, bool *alarm, bson_error_t *error);

/*
 * The plan in a file, or the difference of those in two. *alarm, here and above: the plan, the second one of two, has
 * what --fail-on names.
 */
bool report_explain_files(const struct options *o, struct bytes *out, bool *alarm, bson_error_t *error);

/* The operations in a server's log or profile. */
bool report_log(const struct options *o, struct bytes *out, bson_error_t *error);

/*
 * How far a relationship's arrays can grow, from its data; report_growth_alone from the options' numbers, without a
 * source.
 */
bool report_growth(struct lab *lab, const struct options *o, struct bytes *out, bson_error_t *error);
void report_growth_alone(const struct options *o, struct bytes *out);

/* What the error text in the arguments, or on standard input, says. */
bool report_why(const struct options *o, struct bytes *out, bson_error_t *error);

/* Shared: what --relationship and --shape name. Null with the error set when there is no such relationship. */
const struct relationship *report_relationship(struct lab *lab, const struct options *o, bson_error_t *error);
enum shape_kind report_shape(const struct options *o);

/* On standard error: which collections of the database are not whole, and why. */
void report_warn(struct source *s, const char *db);

/* Writes all of it to standard output and flushes; false with the system's reason. */
bool report_write(struct bytes *out, bson_error_t *error);

#endif
