#include "engine/execution.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

enum { TICKS_PER_POLL = 128 };

static int64_t wall_clock_millis(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void execution_init(struct execution *x, struct store *store, const char *db, const struct interrupt *interrupt)
{
	memset(x, 0, sizeof *x);
	x->store = store;
	x->db = db;
	x->interrupt = interrupt;
	x->now_millis = wall_clock_millis();
	arena_init(&x->scratch);
}

void execution_clear(struct execution *x)
{
	free(x->variables);
	x->variables = NULL;
	x->variable_capacity = 0;
	arena_clear(&x->scratch);
}

bool execution_tick(struct execution *x)
{
	bson_error_t error;

	if (x->failed)
		return false;
	if (++x->ticks % TICKS_PER_POLL)
		return true;
	return error_poll_interrupt(x->interrupt, &error) || execution_fail_with(x, &error);
}

bool execution_fail(struct execution *x, uint32_t code, const char *format, ...)
{
	va_list arguments;

	if (x->failed)
		return false;
	x->failed = true;
	x->error.domain = ERROR_SERVER;
	x->error.code = code;
	va_start(arguments, format);
	vsnprintf(x->error.message, sizeof x->error.message, format, arguments);
	va_end(arguments);
	return false;
}

bool execution_fail_with(struct execution *x, const bson_error_t *error)
{
	if (!x->failed) {
		x->failed = true;
		x->error = *error;
	}
	return false;
}

void execution_set_variable(struct execution *x, size_t slot, struct value v)
{
	size_t old = x->variable_capacity;

	x->variables = memory_grow(x->variables, &x->variable_capacity, slot + 1, sizeof *x->variables);
	for (size_t i = old; i < x->variable_capacity; i++)
		x->variables[i] = value_missing();
	x->variables[slot] = v;
}
