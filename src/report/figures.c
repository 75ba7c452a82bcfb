#include "report/figures.h"

#include "bson/print.h"

void figures_write(struct writer *w, const char *name, struct figure f)
{
	if (figure_known(f))
		writer_number(w, name, f.value);
	else
		writer_null(w, name);
}

void figures_write_provenance(struct writer *w, const struct named_figure *figures, size_t count)
{
	size_t counts[PROVENANCE_UNKNOWN + 1] = { 0 };
	enum provenance most = PROVENANCE_MEASURED;

	for (size_t i = 0; i < count; i++)
		counts[figures[i].figure.provenance]++;
	for (int p = 0; p <= PROVENANCE_UNKNOWN; p++)
		if (counts[p] > counts[most])
			most = (enum provenance)p;
	writer_begin_document(w, key_of("provenance"));
	writer_text(w, "default", provenance_text(most));
	for (size_t i = 0; i < count; i++)
		if (figures[i].figure.provenance != most)
			writer_text(w, figures[i].name, provenance_text(figures[i].figure.provenance));
	writer_end(w);
}
