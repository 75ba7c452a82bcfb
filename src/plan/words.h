/* What the stages of a plan do, in plain words. */
#ifndef BSONSCOPE_PLAN_WORDS_H
#define BSONSCOPE_PLAN_WORDS_H

/*
 * "reads every document of the collection" for "COLLSCAN". `stage` as the server calls it: a stage of a query's plan, of
 * a pipeline ("$group"), of the slot-based engine ("ixseek") or a cursor of before 3.0. Null: not known, so that the
 * stage is shown as it is. A constant.
 */
const char *plan_stage_words(const char *stage);

#endif
