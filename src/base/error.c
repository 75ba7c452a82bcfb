#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(bson_error_t *error, enum error_domain domain, uint32_t code, const char *format, ...)
{
	va_list arguments;

	if (!error)
		return false;
	error->domain = domain;
	error->code = code;
	va_start(arguments, format);
	vsnprintf(error->message, sizeof error->message, format, arguments);
	va_end(arguments);
	return false;
}

bool error_poll_interrupt(const struct interrupt *interrupt, bson_error_t *error)
{
	switch (interrupt_check(interrupt)) {
	case INTERRUPT_CANCELLED:
		return error_set(error, ERROR_SERVER, CODE_Interrupted, "operation was interrupted");
	case INTERRUPT_DEADLINE:
		return error_set(error, ERROR_SERVER, CODE_MaxTimeMSExpired, "operation exceeded time limit");
	default:
		return true;
	}
}

const char *error_code_name(uint32_t code, char buffer[24])
{
	switch (code) {
#define X(name, number) case number: return #name;
	SERVER_CODES(X)
#undef X
	default:
		snprintf(buffer, 24, "Location%u", code);
		return buffer;
	}
}
