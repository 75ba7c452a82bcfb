/*
 * A figure is a number together with how it came to be known. Every number on the screen and in a report is one; what
 * is not known has no value at all.
 */
#ifndef BSONSCOPE_BASE_FIGURE_H
#define BSONSCOPE_BASE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strongest first: adding figures gives the weakest. */
#define PROVENANCES(X)                                                   \
	X(MEASURED, "measured")   /* counted while it happened */        \
	X(EXACT, "exact")         /* computed over all documents */      \
	X(SAMPLED, "sampled")     /* `n` of `of` documents were seen */  \
	X(ESTIMATED, "estimated") /* docs examined x average size */     \
	X(PREDICTED, "predicted") /* arithmetic on a shape not built */  \
	X(ASSUMED, "assumed")     /* said by the user or the model file */ \
	X(UNKNOWN, "unknown")

enum provenance {
#define X(name, text) PROVENANCE_##name,
	PROVENANCES(X)
#undef X
};

const char *provenance_text(enum provenance p);

struct figure {
	int64_t value;
	enum provenance provenance;
	int64_t n, of; /* of a sample; else 0 */
	bool at_least; /* the true value is this or more */
};

struct figure figure_measured(int64_t value);
struct figure figure_of(int64_t value, enum provenance p);
struct figure figure_unknown(void);
bool figure_known(struct figure f);

/* Sum; unknown plus anything is unknown. */
struct figure figure_add(struct figure a, struct figure b);
struct figure figure_scale(struct figure f, int64_t factor);

/*
 * Text as the screen shows it: "1,541,395"; "~" before an estimate or a sample, ">=" before an "at least"; an em dash
 * for unknown ("-" when `ascii`). Writes at most `size` bytes, always terminated. Returns `buffer`.
 */
const char *figure_format(struct figure f, bool ascii, char *buffer, size_t size);

/* "1,541,395" for any count. */
const char *figure_format_count(int64_t value, char *buffer, size_t size);

#endif
