#include "base/interrupt.h"

#include <stddef.h>
#include <time.h>

void interrupt_init(struct interrupt *i)
{
	atomic_init(&i->cancelled, false);
	atomic_init(&i->deadline_us, 0);
	i->parent = NULL;
}

void interrupt_cancel(struct interrupt *i)
{
	atomic_store(&i->cancelled, true);
}

int64_t interrupt_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

enum interrupt_reason interrupt_check(const struct interrupt *i)
{
	int64_t deadline_us;

	if (!i)
		return INTERRUPT_NONE;
	if (atomic_load_explicit(&i->cancelled, memory_order_relaxed))
		return INTERRUPT_CANCELLED;
	deadline_us = atomic_load_explicit(&i->deadline_us, memory_order_relaxed);
	if (deadline_us && interrupt_now_us() >= deadline_us)
		return INTERRUPT_DEADLINE;
	return interrupt_check(i->parent);
}
