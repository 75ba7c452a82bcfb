/*
 * Work on a thread of its own that may be left behind: libmongoc's calls block, and nobody waits for one that was
 * cancelled. A task belongs to whoever waits until it is done; one that was left belongs to its thread, which frees it
 * at its end.
 *
 * All signals are blocked in the threads, and so in those that libmongoc starts from them.
 */
#ifndef BSONSCOPE_REMOTE_TASK_H
#define BSONSCOPE_REMOTE_TASK_H

#include <pthread.h>

#include "base/error.h"
#include "base/interrupt.h"

struct task {
	void (*run)(struct task *t);
	void (*free)(struct task *t);
	pthread_mutex_t lock; /* over `done`, `left`, and what the task's owner shares with its thread */
	pthread_cond_t changed;
	bool done, left;
};

/* The struct begins what the caller allocated; `free_it` frees all of that. */
void task_init(struct task *t, void (*run)(struct task *t), void (*free_it)(struct task *t));

/* False: there is no thread to be had; the task is freed. */
bool task_start(struct task *t, bson_error_t *error);

/* Until it is done, interrupted or the time (0: no limit) has come: INTERRUPT_NONE only when it is done. */
enum interrupt_reason task_wait(struct task *t, const struct interrupt *interrupt, int64_t until_us);

/* With the lock held, which it gives back. The task is not the caller's any more. */
void task_leave_locked(struct task *t);
void task_leave(struct task *t);

/* Frees a task that is done. */
void task_finish(struct task *t);

#endif
