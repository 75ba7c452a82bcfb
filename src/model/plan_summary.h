/* What serves a command, in a few words, from its explain reply: "IXSCAN kitap_1", "IDHACK", "COLLSCAN". */
#ifndef BSONSCOPE_MODEL_PLAN_SUMMARY_H
#define BSONSCOPE_MODEL_PLAN_SUMMARY_H

#include "source.h"

/*
 * The leaves of the winning plan, with their indexes. "INSERT" for an insert, which MongoDB does not explain. Null when
 * it is not known. The caller's to free.
 */
char *plan_summary(struct source *s, const char *db, struct value command, const struct interrupt *interrupt);

/* The same of an explain reply. */
char *plan_summary_of(struct value explain);

#endif
