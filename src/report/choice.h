/* What the options choose: where, and which of the collections there. Private to the reports. */
#ifndef BSONSCOPE_REPORT_CHOICE_H
#define BSONSCOPE_REPORT_CHOICE_H

#include "model/lab.h"
#include "report/options.h"

struct names {
	char **list;
	size_t count, capacity;
};

struct choice {
	struct source *source;
	const char *db;
	struct names names;
};

/* `c` begins as zeros and is the caller's to clear. False, with what there is, for a name that is not there. */
bool choice_make(struct lab *lab, const struct options *o, struct choice *c, bson_error_t *error);
void choice_clear(struct choice *c);

#endif
