#include "model/sampling.h"

#include <string.h>

#include "base/figure.h"

static const struct {
	const char *name, *text;
} methods[] = {
	[SAMPLING_ALL] = { "all", "all" },
	[SAMPLING_RANDOM] = { "random", "$sample, random" },
	[SAMPLING_SORTED] = { "scan", "$sample by scan and sort: 5 % or more reads the whole collection" },
	[SAMPLING_FIRST] = { "first", "first documents, not random" },
};

const char *sampling_name(enum sampling s)
{
	return methods[s].name;
}

void sampling_text(enum sampling s, int64_t n, int64_t of, struct bytes *out)
{
	char number[32];

	bytes_append_text(out, figure_format_count(n, number, sizeof number));
	if (of)
		bytes_format(out, " of %s", figure_format_count(of, number, sizeof number));
	bytes_format(out, " documents sampled (%s)", methods[s].text);
}

int64_t sampling_size(const struct source *s)
{
	return s->sample_documents ? s->sample_documents : SAMPLING_DOCUMENTS;
}

bool sampling_scans(int64_t size, int64_t count)
{
	enum { LEAST = 100, SHARE = 20 /* a twentieth */ };

	return count < LEAST || size >= (count + SHARE - 1) / SHARE;
}

bool sampling_is_unsupported(const bson_error_t *error)
{
	static const uint32_t codes[] = {
		168,   /* InvalidPipelineOperator: MongoDB before 4.4, Cosmos DB */
		303,   /* "Feature not supported": DocumentDB */
		115,   /* CommandNotSupported */
		238,   /* NotImplemented: FerretDB */
		40324, /* "Unrecognized pipeline stage name" */
		8000   /* Atlas' own refusals */
	};

	if (error->domain != ERROR_SERVER)
		return false;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (error->code == codes[i])
			return true;
	return strstr(error->message, "$bsonSize") != NULL;
}

/* Not the caller's own deadline: the server's limit of time, or of memory. */
static bool is_too_much(const bson_error_t *error, const struct interrupt *interrupt)
{
	enum { SORT_MEMORY = 16819, GROUP_MEMORY = 16945 }; /* before 4.4 */

	return error->domain == ERROR_SERVER && interrupt_check(interrupt) == INTERRUPT_NONE &&
	       (error->code == CODE_MaxTimeMSExpired || error->code == CODE_QueryExceededMemoryLimitNoDiskUseAllowed ||
	        error->code == SORT_MEMORY || error->code == GROUP_MEMORY);
}

bool sampling_less(enum sampling tried, int64_t size, int64_t count, const bson_error_t *error, const struct interrupt *interrupt,
                   enum sampling *next, struct bytes *remark)
{
	if (tried == SAMPLING_FIRST)
		return false;
	if (sampling_is_unsupported(error)) {
		*next = SAMPLING_FIRST;
		return tried != SAMPLING_ALL;
	}
	if (!is_too_much(error, interrupt))
		return false;
	bytes_format(remark, "%s was too much for the server: %s", tried == SAMPLING_ALL ? "reading all" : "a random sample",
	             error->message);
	*next = tried == SAMPLING_ALL && count && !sampling_scans(size, count) ? SAMPLING_RANDOM : SAMPLING_FIRST;
	return true;
}
