/* Private to the log's reader: documents of $queryStats, each the sums over all runs of a shape. */
#ifndef BSONSCOPE_PLAN_LOG_STATS_H
#define BSONSCOPE_PLAN_LOG_STATS_H

#include "plan/log_record.h"

/*
 * {key: {queryShape: {cmdNs, command, …}}, metrics: {execCount, totalExecMicros: {sum, max}, …}}. Since 8.x figures of
 * the execution may stand under metrics.queryExec. The namespace is put into `scratch`.
 */
bool log_stats_read(struct span document, struct bytes *scratch, struct log_record *r);

#endif
