/* Private to the log's reader: lines of releases before 4.4, which are text. */
#ifndef BSONSCOPE_PLAN_LOG_TEXT_H
#define BSONSCOPE_PLAN_LOG_TEXT_H

#include "plan/log_record.h"

/*
 * "2018-03-28T15:34:44.104-0400 I COMMAND [conn1] command db.c command: find { … } planSummary: COLLSCAN … 12ms". The
 * command, as JSON, is put into `scratch`.
 */
bool log_text_read(struct span line, struct bytes *scratch, struct log_record *r);

/* What log_record.c knows of names. */
void log_record_init(struct log_record *r, enum log_form form);
bool log_record_set_figure(struct log_record *r, struct span name, struct span value);

#endif
