/* What the tree report's files share: a collection's tree as text. */
#ifndef BSONSCOPE_REPORT_TREE_TEXT_H
#define BSONSCOPE_REPORT_TREE_TEXT_H

#include "model/path_text.h"
#include "model/paths.h"
#include "report/paths_report.h"

struct tree_options {
	enum path_order order;
	uint32_t top;   /* children of a node that are shown */
	int64_t depth;
	bool ascii;
	size_t columns; /* of the screen that the text is for; 0: as many as it takes */
	int64_t limit_bytes;
};

void tree_print(const struct paths_entry *e, const struct tree_options *o, struct bytes *out);

/* Rounded half up; of none 0. */
int64_t tree_average(int64_t sum, int64_t count);

#endif
