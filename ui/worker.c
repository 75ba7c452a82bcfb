#include "ui/worker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/thread.h"

struct slot_state {
	struct slot slot;
	uint64_t wanted;      /* generation of the latest post; 0: nothing is wanted */
	struct job *running;  /* not cancelled; a cancelled one belongs to its thread alone */
	struct job *waiting;
};

struct result {
	struct result *next;
	struct snapshot *snapshot;
};

struct worker {
	pthread_mutex_t lock; /* over everything below but the threads and the pipe */
	pthread_cond_t posted;
	struct slot_state *slots;
	size_t slot_count, slot_capacity;
	uint64_t generation;
	struct result *first, *last;
	bool ending;
	pthread_t *threads;
	int thread_count;
	int pipe[2];
};

void snapshot_init(struct snapshot *s, void (*free_it)(struct snapshot *s))
{
	atomic_init(&s->references, 1);
	s->origin_writes = -1;
	s->free = free_it;
}

void *snapshot_hold(void *snapshot)
{
	struct snapshot *s = snapshot;

	atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
	return s;
}

void snapshot_release(void *snapshot)
{
	struct snapshot *s = snapshot;

	if (s && atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) == 1)
		s->free(s);
}

static void wake(struct worker *w)
{
	/* a full pipe wakes the reader just as well */
	while (write(w->pipe[1], "", 1) < 0 && errno == EINTR)
		;
}

static struct slot_state *find_slot(struct worker *w, struct slot slot)
{
	for (size_t i = 0; i < w->slot_count; i++)
		if (w->slots[i].slot.pane == slot.pane && w->slots[i].slot.subject == slot.subject)
			return &w->slots[i];
	return NULL;
}

static struct slot_state *need_slot(struct worker *w, struct slot slot)
{
	struct slot_state *s = find_slot(w, slot);

	if (s)
		return s;
	w->slots = memory_grow(w->slots, &w->slot_capacity, w->slot_count + 1, sizeof *w->slots);
	s = &w->slots[w->slot_count++];
	*s = (struct slot_state){ .slot = slot };
	return s;
}

/* The waiting job that was posted first. */
static struct slot_state *next_waiting(struct worker *w)
{
	struct slot_state *next = NULL;

	for (size_t i = 0; i < w->slot_count; i++) {
		struct slot_state *s = &w->slots[i];

		if (s->waiting && (!next || s->waiting->generation < next->waiting->generation))
			next = s;
	}
	return next;
}

static void *thread_main(void *argument)
{
	struct worker *w = argument;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct slot_state *s = next_waiting(w);
		struct job *j;

		if (w->ending)
			break;
		if (!s) {
			pthread_cond_wait(&w->posted, &w->lock);
			continue;
		}
		j = s->running = s->waiting;
		s->waiting = NULL;
		pthread_mutex_unlock(&w->lock);
		j->run(j);
		pthread_mutex_lock(&w->lock);
		s = find_slot(w, j->slot); /* the array may have moved */
		if (s->running == j)
			s->running = NULL;
		pthread_mutex_unlock(&w->lock);
		j->free(j);
		wake(w);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct worker *worker_new(int threads)
{
	struct worker *w = memory_allocate_zeroed(1, sizeof *w);

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->posted, NULL);
	if (pipe2(w->pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		abort();
	w->threads = memory_allocate_zeroed((size_t)threads, sizeof *w->threads);
	for (; w->thread_count < threads; w->thread_count++)
		if (!thread_start(&w->threads[w->thread_count], thread_main, w))
			abort();
	return w;
}

/* Under the lock. The running job frees itself; the waiting one is returned, to be freed outside of the lock. */
static struct job *abandon(struct slot_state *s)
{
	struct job *waiting = s->waiting;

	if (s->running)
		interrupt_cancel(&s->running->interrupt);
	s->running = s->waiting = NULL;
	s->wanted = 0;
	return waiting;
}

static void free_job(struct job *j)
{
	if (j)
		j->free(j);
}

void worker_destroy(struct worker *w)
{
	struct snapshot *s;

	worker_cancel_all(w);
	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_broadcast(&w->posted);
	pthread_mutex_unlock(&w->lock);
	for (int i = 0; i < w->thread_count; i++)
		pthread_join(w->threads[i], NULL);
	while ((s = worker_take(w)))
		snapshot_release(s);
	close(w->pipe[0]);
	close(w->pipe[1]);
	pthread_cond_destroy(&w->posted);
	pthread_mutex_destroy(&w->lock);
	free(w->threads);
	free(w->slots);
	free(w);
}

uint64_t worker_post(struct worker *w, struct slot slot, struct job *j)
{
	struct slot_state *s;
	struct job *replaced;
	uint64_t generation;

	interrupt_init(&j->interrupt);
	j->slot = slot;
	j->worker = w;
	pthread_mutex_lock(&w->lock);
	s = need_slot(w, slot);
	replaced = abandon(s);
	generation = j->generation = s->wanted = ++w->generation;
	s->waiting = j;
	pthread_cond_signal(&w->posted);
	pthread_mutex_unlock(&w->lock);
	free_job(replaced);
	return generation;
}

uint64_t worker_generation(struct worker *w)
{
	uint64_t generation;

	pthread_mutex_lock(&w->lock);
	generation = w->generation;
	pthread_mutex_unlock(&w->lock);
	return generation;
}

void worker_cancel(struct worker *w, struct slot slot)
{
	struct slot_state *s;
	struct job *waiting = NULL;

	pthread_mutex_lock(&w->lock);
	s = find_slot(w, slot);
	if (s)
		waiting = abandon(s);
	pthread_mutex_unlock(&w->lock);
	free_job(waiting);
}

void worker_cancel_all(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->slot_count; i++) {
		struct job *waiting = abandon(&w->slots[i]);

		if (waiting) {
			pthread_mutex_unlock(&w->lock);
			waiting->free(waiting);
			pthread_mutex_lock(&w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
}

void worker_deliver(struct job *j, struct snapshot *snapshot)
{
	struct worker *w = j->worker;
	struct result *r = memory_allocate_zeroed(1, sizeof *r);

	snapshot->slot = j->slot;
	snapshot->generation = j->generation;
	r->snapshot = snapshot;
	pthread_mutex_lock(&w->lock);
	if (w->last)
		w->last->next = r;
	else
		w->first = r;
	w->last = r;
	pthread_mutex_unlock(&w->lock);
	wake(w);
}

struct snapshot *worker_take(struct worker *w)
{
	char drained[64];
	struct snapshot *wanted = NULL;

	/* emptied before looking: what comes later makes it readable again */
	while (read(w->pipe[0], drained, sizeof drained) > 0)
		;
	while (!wanted) {
		struct snapshot *s;
		struct slot_state *slot;
		struct result *r;

		pthread_mutex_lock(&w->lock);
		r = w->first;
		if (!r) {
			pthread_mutex_unlock(&w->lock);
			return NULL;
		}
		w->first = r->next;
		if (!w->first)
			w->last = NULL;
		s = r->snapshot;
		slot = find_slot(w, s->slot);
		if (slot && slot->wanted == s->generation)
			wanted = s;
		pthread_mutex_unlock(&w->lock);
		free(r);
		if (!wanted)
			snapshot_release(s);
	}
	return wanted;
}

int worker_descriptor(const struct worker *w)
{
	return w->pipe[0];
}

static size_t count(const struct slot_state *s)
{
	return (s->running != NULL) + (s->waiting != NULL);
}

size_t worker_busy(struct worker *w)
{
	size_t busy = 0;

	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < w->slot_count; i++)
		busy += count(&w->slots[i]);
	pthread_mutex_unlock(&w->lock);
	return busy;
}

bool worker_slot_busy(struct worker *w, struct slot slot)
{
	struct slot_state *s;
	bool busy;

	pthread_mutex_lock(&w->lock);
	s = find_slot(w, slot);
	busy = s && count(s) > 0;
	pthread_mutex_unlock(&w->lock);
	return busy;
}
