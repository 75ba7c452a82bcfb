/* What stops a command early: a flag that another thread may set, and a deadline. Polled every 128 documents. */
#ifndef BSONSCOPE_BASE_INTERRUPT_H
#define BSONSCOPE_BASE_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct interrupt {
	atomic_bool cancelled;
	_Atomic int64_t deadline_us; /* on the clock of interrupt_now_us; 0: none */
	const struct interrupt *parent; /* stops this one too: a command's own deadline under its caller's; may be null */
};

enum interrupt_reason { INTERRUPT_NONE, INTERRUPT_CANCELLED, INTERRUPT_DEADLINE };

void interrupt_init(struct interrupt *i);
void interrupt_cancel(struct interrupt *i);

/* Monotonic microseconds. */
int64_t interrupt_now_us(void);

/* `i` may be null: never interrupted. */
enum interrupt_reason interrupt_check(const struct interrupt *i);

#endif
