/*
 * Jobs that run beside the screen. A job belongs to a slot; posting one cancels the slot's running job and replaces
 * its waiting one, so that only the latest wish is served. What a job finds out it delivers as snapshots: immutable,
 * reference-counted, and dropped on arrival when the slot has meanwhile been posted to or cancelled.
 *
 * One thread (the screen's) posts, cancels and takes; jobs run on the worker's threads. Nothing here waits for a job
 * but worker_destroy, which cancels first.
 */
#ifndef BSONSCOPE_UI_WORKER_H
#define BSONSCOPE_UI_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/interrupt.h"

/* What a job is about: which pane asked, and about which of its subjects. */
struct slot {
	int pane;
	int subject;
};

/* First member of every kind of result. */
struct snapshot {
	atomic_int references;
	struct slot slot;
	uint64_t generation;        /* of the post that led to it */
	int64_t origin_writes;      /* the origin's write counter when it was measured; -1: unknown */
	void (*free)(struct snapshot *s);
};

/* One reference, the caller's. */
void snapshot_init(struct snapshot *s, void (*free_it)(struct snapshot *s));
void *snapshot_hold(void *snapshot);
void snapshot_release(void *snapshot); /* null is allowed */

struct worker;

/*
 * First member of every kind of job. `run` is called once on a worker's thread, or never; `free` always, on either
 * thread.
 */
struct job {
	void (*run)(struct job *j);
	void (*free)(struct job *j);
	struct interrupt interrupt; /* cancelled when the result is no longer wanted */
	struct slot slot;           /* from here on: set by worker_post */
	uint64_t generation;
	struct worker *worker;
};

/* `threads`: one for the engine, whose mutex would line up more of them anyway. */
struct worker *worker_new(int threads);
void worker_destroy(struct worker *w);

/* Takes the job. Jobs start in the order of their posts. Returns the generation that its results will carry. */
uint64_t worker_post(struct worker *w, struct slot slot, struct job *j);

/* Of the latest post. */
uint64_t worker_generation(struct worker *w);

/* Ends what runs or waits in a slot, or in all; results that are on their way are dropped. */
void worker_cancel(struct worker *w, struct slot slot);
void worker_cancel_all(struct worker *w);

/* On a job's thread: hands over the caller's reference. */
void worker_deliver(struct job *j, struct snapshot *s);

/* The next result that is still wanted, the caller's to release; null: none now. */
struct snapshot *worker_take(struct worker *w);

/* Becomes readable when there is something to take or a job has ended; worker_take empties it. */
int worker_descriptor(const struct worker *w);

/* Jobs running or waiting whose results are wanted. Zero and nothing to take: idle. */
size_t worker_busy(struct worker *w);
bool worker_slot_busy(struct worker *w, struct slot slot);

#endif
