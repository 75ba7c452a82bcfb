/* libFuzzer's entry: FUZZ_TARGET is one of the functions of fuzz.h. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
	FUZZ_TARGET(bytes, size_bytes);
	return 0;
}
