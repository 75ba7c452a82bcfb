#include "remote/task.h"

#include <signal.h>
#include <string.h>
#include <time.h>

enum { LOOK_MILLIS = 10 }; /* how often a waiting caller looks whether it was cancelled */

void task_init(struct task *t, void (*run)(struct task *t), void (*free_it)(struct task *t))
{
	pthread_condattr_t monotonic;

	t->run = run;
	t->free = free_it;
	t->done = t->left = false;
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&t->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void task_finish(struct task *t)
{
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	t->free(t);
}

static void *thread_main(void *argument)
{
	struct task *t = argument;
	bool left;

	t->run(t);
	pthread_mutex_lock(&t->lock);
	t->done = true;
	left = t->left;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	if (left)
		task_finish(t);
	return NULL;
}

bool task_start(struct task *t, bson_error_t *error)
{
	sigset_t all, before;
	pthread_attr_t detached;
	pthread_t thread;
	int failure;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	failure = pthread_create(&thread, &detached, thread_main, t);
	pthread_attr_destroy(&detached);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failure)
		return true;
	task_finish(t);
	return error_set(error, ERROR_SYSTEM, (uint32_t)failure, "no thread for a server's command: %s",
	                 strerror(failure));
}

static void look_at(struct timespec *time, int64_t us)
{
	time->tv_sec = us / 1000000;
	time->tv_nsec = us % 1000000 * 1000;
}

enum interrupt_reason task_wait(struct task *t, const struct interrupt *interrupt, int64_t until_us)
{
	enum interrupt_reason reason = INTERRUPT_NONE;

	pthread_mutex_lock(&t->lock);
	while (!t->done && reason == INTERRUPT_NONE) {
		int64_t now_us = interrupt_now_us(), next_us = now_us + LOOK_MILLIS * 1000;
		struct timespec next;

		if (!interrupt)
			next_us = until_us ? until_us : now_us + 1000000;
		else if (until_us && until_us < next_us)
			next_us = until_us;
		look_at(&next, next_us);
		reason = interrupt_check(interrupt);
		if (reason == INTERRUPT_NONE && until_us && now_us >= until_us)
			reason = INTERRUPT_DEADLINE;
		if (reason == INTERRUPT_NONE)
			pthread_cond_timedwait(&t->changed, &t->lock, &next);
	}
	if (t->done)
		reason = INTERRUPT_NONE;
	pthread_mutex_unlock(&t->lock);
	return reason;
}

void task_leave_locked(struct task *t)
{
	bool done = t->done;

	t->left = true;
	pthread_mutex_unlock(&t->lock);
	if (done)
		task_finish(t);
}

void task_leave(struct task *t)
{
	pthread_mutex_lock(&t->lock);
	task_leave_locked(t);
}
