/* Commands whose explain never runs them, whoever answers it. */
#ifndef BSONSCOPE_PLAN_ONLY_PLANNED_H
#define BSONSCOPE_PLAN_ONLY_PLANNED_H

#include "bson/value.h"

/*
 * Why an aggregation is planned and never run: "$out writes", "$merge writes", "$mergeCursors is a stage between servers,
 * and running it has ended one". Null: it may be run. A constant. Keys at any level count, and what is nested deeper
 * than can be looked at.
 */
const char *plan_only_planned(struct value command);

#endif
