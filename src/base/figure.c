#include "base/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *provenance_text(enum provenance p)
{
	static const char *const texts[] = {
#define X(name, text) text,
		PROVENANCES(X)
#undef X
	};

	return texts[p];
}

struct figure figure_of(int64_t value, enum provenance p)
{
	return (struct figure){ .value = value, .provenance = p };
}

struct figure figure_measured(int64_t value)
{
	return figure_of(value, PROVENANCE_MEASURED);
}

struct figure figure_unknown(void)
{
	return figure_of(0, PROVENANCE_UNKNOWN);
}

bool figure_known(struct figure f)
{
	return f.provenance != PROVENANCE_UNKNOWN;
}

struct figure figure_add(struct figure a, struct figure b)
{
	struct figure sum = a.provenance >= b.provenance ? a : b;

	if (!figure_known(sum))
		return figure_unknown();
	sum.at_least = a.at_least || b.at_least;
	if (__builtin_add_overflow(a.value, b.value, &sum.value)) {
		sum.value = INT64_MAX;
		sum.at_least = true;
	}
	return sum;
}

struct figure figure_scale(struct figure f, int64_t factor)
{
	if (figure_known(f) && __builtin_mul_overflow(f.value, factor, &f.value)) {
		f.value = INT64_MAX;
		f.at_least = true;
	}
	return f;
}

const char *figure_format_count(int64_t value, char *buffer, size_t size)
{
	char digits[24], grouped[32];
	size_t length, out = 0;

	snprintf(digits, sizeof digits, "%" PRId64, value);
	length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		size_t left = length - i;

		if (i > 0 && digits[i - 1] != '-' && left % 3 == 0)
			grouped[out++] = ',';
		grouped[out++] = digits[i];
	}
	grouped[out] = 0;
	snprintf(buffer, size, "%s", grouped);
	return buffer;
}

const char *figure_format(struct figure f, bool ascii, char *buffer, size_t size)
{
	char count[32];
	const char *mark = "";

	if (!figure_known(f)) {
		snprintf(buffer, size, "%s", ascii ? "-" : "\u2014");
		return buffer;
	}
	if (f.at_least)
		mark = ascii ? ">=" : "\u2265";
	else if (f.provenance == PROVENANCE_SAMPLED || f.provenance == PROVENANCE_ESTIMATED)
		mark = "~";
	snprintf(buffer, size, "%s%s", mark, figure_format_count(f.value, count, sizeof count));
	return buffer;
}
