#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct relationship *report_relationship(struct lab *lab, const struct options *o, bson_error_t *error)
{
	const struct model *m = lab_model(lab);

	if (o->relationship)
		return model_relationship(m, o->relationship, error);
	if (!m->relationship_count)
		error_set(error, ERROR_INPUT, 0, "no relationships of \"%s\" are known: write them to \"%s\" or give --queries FILE", m->database,
		          m->name);
	return m->relationship_count ? m->relationships : NULL;
}

enum shape_kind report_shape(const struct options *o)
{
	enum shape_kind shape = SHAPE_EMBED;

	if (o->shape)
		shape_from_name(o->shape, &shape);
	return shape;
}

bool report_write(struct bytes *out, bson_error_t *error)
{
	for (size_t written = 0; written < out->size;) {
		ssize_t n = write(STDOUT_FILENO, out->data + written, out->size - written);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set(error, ERROR_SYSTEM, (uint32_t)errno, "cannot write to standard output: %s",
			                 strerror(errno));
		written += (size_t)n;
	}
	return true;
}
