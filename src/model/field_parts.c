#include "model/field_parts.h"

int64_t field_parts_sum(const struct field_parts *p)
{
	int64_t sum = 0;

#define X(part) sum += p->part;
	FIELD_PARTS(X)
#undef X
	return sum;
}

void field_parts_add(struct field_parts *sum, const struct field_parts *more)
{
#define X(part) sum->part += more->part;
	FIELD_PARTS(X)
#undef X
}
