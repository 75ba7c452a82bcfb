/* Figures as JSON: numbers or null, and where they come from. Private to the reports. */
#ifndef BSONSCOPE_REPORT_FIGURES_H
#define BSONSCOPE_REPORT_FIGURES_H

#include "base/figure.h"
#include "bson/writer.h"

enum { FIGURES_NAMED = 24 };

struct named_figure {
	const char *name; /* as in the JSON */
	struct figure figure;
};

void figures_write(struct writer *w, const char *name, struct figure f);

/* {default: what most are, FIELD: …} with those that differ. Not more than FIGURES_NAMED. */
void figures_write_provenance(struct writer *w, const struct named_figure *figures, size_t count);

#endif
