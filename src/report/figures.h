/* Figures as JSON: numbers or null, and where they come from, also as text. Private to the reports. */
#ifndef BSONSCOPE_REPORT_FIGURES_H
#define BSONSCOPE_REPORT_FIGURES_H

#include "base/figure.h"
#include "bson/writer.h"
#include "model/paths.h"

enum { FIGURES_NAMED = 24 };

struct named_figure {
	const char *name; /* as in the JSON */
	struct figure figure;
};

void figures_write(struct writer *w, const char *name, struct figure f);

/* {default: what most are, FIELD: …} with those that differ. Not more than FIGURES_NAMED. */
void figures_write_provenance(struct writer *w, const struct named_figure *figures, size_t count);

/* A line of how documents were chosen; nothing when it is all of them. */
void figures_print_method(const struct paths *p, struct bytes *out);

#endif
