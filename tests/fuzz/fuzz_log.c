#include "fuzz/fuzz.h"

#include "plan/log_workload.h"

enum { PIECE_BYTES = 37 }; /* lines come in pieces, too */

static void add(const char *text, size_t size, size_t piece)
{
	struct log_workload *w = log_workload_new();
	size_t count;

	for (size_t at = 0; at < size; at += piece)
		log_workload_add(w, text + at, size - at < piece ? size - at : piece);
	log_workload_finish(w);
	log_workload_rows(w, &count);
	log_workload_destroy(w);
}

void fuzz_log(const uint8_t *bytes, size_t size)
{
	add((const char *)bytes, size, size ? size : 1);
	add((const char *)bytes, size, PIECE_BYTES);
}
