/*
 * The worker under a scripted source: each command says how long it takes, whether it fails and what it answers, and
 * several threads make the replies come out of order. Run it under the thread sanitizer too.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "harness/harness.h"
#include "source.h"
#include "ui/worker.h"

/* {wait: MILLISECONDS, reply: NUMBER} or {…, fail: TEXT}: waits, polling its interrupt, and answers. */
static bool scripted_command(struct source *s, const char *db, const bson_t *command, bson_t *reply, const struct interrupt *i,
                             bson_error_t *error)
{
	struct value script = value_from_bson(command), fail = value_get(script, "fail");
	int64_t until = interrupt_now_us() + (int64_t)value_int32(value_get(script, "wait")) * 1000;

	(void)db;
	atomic_fetch_add((atomic_int *)s->context, 1);
	bson_init(reply);
	while (interrupt_now_us() < until) {
		if (interrupt_check(i) != INTERRUPT_NONE)
			return error_set(error, ERROR_SERVER, CODE_Interrupted, "operation was interrupted");
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	}
	if (fail.type == BSON_TYPE_UTF8)
		return error_set(error, ERROR_SERVER, CODE_BadValue, "%s", value_text(fail).bytes);
	BSON_APPEND_INT32(reply, "n", value_int32(value_get(script, "reply")));
	return true;
}

static const struct source_type scripted = { .name = "scripted", .command = scripted_command };

struct answer {
	struct snapshot snapshot;
	int n;          /* -1: failed */
	char error[64];
};

struct question {
	struct job job;
	struct source *source;
	bson_t *command;
	atomic_int *frees;
};

static atomic_int answers_alive, jobs_alive;

static void free_answer(struct snapshot *s)
{
	atomic_fetch_sub(&answers_alive, 1);
	free(s);
}

static void run_question(struct job *j)
{
	struct question *q = (struct question *)j;
	struct answer *a = memory_allocate_zeroed(1, sizeof *a);
	bson_error_t error = { 0 };
	bson_t reply;

	snapshot_init(&a->snapshot, free_answer);
	atomic_fetch_add(&answers_alive, 1);
	if (q->source->type->command(q->source, "db", q->command, &reply, &j->interrupt, &error)) {
		a->n = value_int32(value_get(value_from_bson(&reply), "n"));
	} else {
		a->n = -1;
		snprintf(a->error, sizeof a->error, "%.60s", error.message);
	}
	bson_destroy(&reply);
	worker_deliver(j, &a->snapshot);
}

static void free_question(struct job *j)
{
	struct question *q = (struct question *)j;

	bson_destroy(q->command);
	atomic_fetch_sub(&jobs_alive, 1);
	free(q);
}

static atomic_int commands_sent;
static struct source source = { .type = &scripted, .context = &commands_sent };

static struct job *ask(int wait_ms, int reply, const char *fail)
{
	struct question *q = memory_allocate_zeroed(1, sizeof *q);

	q->job.run = run_question;
	q->job.free = free_question;
	q->source = &source;
	q->command = BCON_NEW("wait", BCON_INT32(wait_ms), "reply", BCON_INT32(reply));
	if (fail)
		BSON_APPEND_UTF8(q->command, "fail", fail);
	atomic_fetch_add(&jobs_alive, 1);
	return &q->job;
}

static const struct slot left = { 1, 0 }, right = { 1, 1 };

static struct answer *take(struct worker *w, int timeout_ms)
{
	int64_t until = interrupt_now_us() + (int64_t)timeout_ms * 1000;
	struct snapshot *s;

	while (!(s = worker_take(w)) && interrupt_now_us() < until)
		poll(&(struct pollfd){ worker_descriptor(w), POLLIN, 0 }, 1, 5);
	return (struct answer *)s;
}

static void expect(struct worker *w, int n)
{
	struct answer *a = take(w, 5000);

	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL(a->n, n);
	snapshot_release(a);
}

static void expect_nothing(struct worker *w, int for_ms)
{
	struct answer *a = take(w, for_ms);

	CU_ASSERT_PTR_NULL(a);
	snapshot_release(a);
}

static void end(struct worker *w)
{
	worker_destroy(w);
	CU_ASSERT_EQUAL(atomic_load(&jobs_alive), 0);
	CU_ASSERT_EQUAL(atomic_load(&answers_alive), 0);
}

static void results_arrive(void)
{
	struct worker *w = worker_new(1);
	uint64_t generation = worker_post(w, left, ask(1, 7, NULL));
	struct answer *a = take(w, 5000);

	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL(a->n, 7);
	CU_ASSERT_EQUAL(a->snapshot.generation, generation);
	CU_ASSERT_EQUAL(a->snapshot.slot.subject, left.subject);
	snapshot_release(a);
	end(w);
}

static void errors_arrive(void)
{
	struct worker *w = worker_new(1);
	struct answer *a;

	worker_post(w, left, ask(1, 0, "unknown operator: $foo"));
	a = take(w, 5000);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL(a->n, -1);
	ASSERT_TEXT(a->error, "unknown operator: $foo");
	snapshot_release(a);
	end(w);
}

static void jobs_start_in_order_of_posts(void)
{
	struct worker *w = worker_new(1);

	worker_post(w, right, ask(5, 1, NULL));
	worker_post(w, left, ask(0, 2, NULL));
	expect(w, 1);
	expect(w, 2);
	end(w);
}

/* With several threads the shorter one overtakes; both are wanted, for they are of different slots. */
static void replies_out_of_order(void)
{
	struct worker *w = worker_new(4);

	worker_post(w, left, ask(150, 1, NULL));
	worker_post(w, right, ask(1, 2, NULL));
	expect(w, 2);
	expect(w, 1);
	end(w);
}

/* The first post's reply comes after the second's: only the second is seen. */
static void latest_wins(void)
{
	struct worker *w = worker_new(4);

	worker_post(w, left, ask(100, 1, NULL));
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	worker_post(w, left, ask(1, 2, NULL));
	expect(w, 2);
	expect_nothing(w, 200);
	end(w);
}

/* A result that is on its way when its slot is posted to again is dropped. */
static void stale_results_are_dropped(void)
{
	struct worker *w = worker_new(1);

	worker_post(w, left, ask(0, 1, NULL));
	while (worker_busy(w))
		nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	worker_post(w, left, ask(0, 2, NULL));
	expect(w, 2);
	expect_nothing(w, 50);
	end(w);
}

/* Of many posts while one runs, one is sent: what waited was replaced without running. */
static void waiting_jobs_are_replaced(void)
{
	struct worker *w = worker_new(1);
	int before;

	worker_post(w, right, ask(100, 0, NULL));
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	before = atomic_load(&commands_sent);
	for (int i = 1; i <= 50; i++)
		worker_post(w, left, ask(0, i, NULL));
	CU_ASSERT_EQUAL(worker_busy(w), 2);
	expect(w, 0);
	expect(w, 50);
	CU_ASSERT_EQUAL(atomic_load(&commands_sent), before + 1);
	end(w);
}

/* Posting stops the slot's running job at once, not at its end. */
static void posting_cancels_the_running_job(void)
{
	struct worker *w = worker_new(1);
	int64_t start = interrupt_now_us();

	worker_post(w, left, ask(10000, 1, NULL));
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	worker_post(w, left, ask(0, 2, NULL));
	expect(w, 2);
	CU_ASSERT_TRUE(interrupt_now_us() - start < 5000000);
	end(w);
}

static void escape_cancels_all(void)
{
	struct worker *w = worker_new(2);
	int64_t start = interrupt_now_us();

	worker_post(w, left, ask(10000, 1, NULL));
	worker_post(w, right, ask(10000, 2, NULL));
	worker_post(w, (struct slot){ 2, 0 }, ask(0, 3, NULL));
	nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	worker_cancel_all(w);
	CU_ASSERT_EQUAL(worker_busy(w), 0);
	expect_nothing(w, 50);
	end(w);
	CU_ASSERT_TRUE(interrupt_now_us() - start < 5000000);
}

static void cancelling_one_slot_leaves_the_other(void)
{
	struct worker *w = worker_new(2);

	worker_post(w, left, ask(30, 1, NULL));
	worker_post(w, right, ask(30, 2, NULL));
	worker_cancel(w, left);
	CU_ASSERT_FALSE(worker_slot_busy(w, left));
	CU_ASSERT_TRUE(worker_slot_busy(w, right));
	expect(w, 2);
	expect_nothing(w, 50);
	end(w);
}

static void posting_after_escape_works(void)
{
	struct worker *w = worker_new(1);

	worker_post(w, left, ask(10000, 1, NULL));
	worker_cancel_all(w);
	worker_post(w, left, ask(0, 2, NULL));
	expect(w, 2);
	end(w);
}

static void posting_never_waits(void)
{
	struct worker *w = worker_new(1);
	int64_t start, longest = 0;

	worker_post(w, right, ask(300, 0, NULL));
	for (int i = 0; i < 100; i++) {
		start = interrupt_now_us();
		worker_post(w, left, ask(300, i, NULL));
		start = interrupt_now_us() - start;
		longest = start > longest ? start : longest;
	}
	CU_ASSERT_TRUE(longest < 100000);
	end(w);
}

static void snapshots_live_while_held(void)
{
	struct worker *w = worker_new(1);
	struct answer *a;

	worker_post(w, left, ask(0, 5, NULL));
	a = take(w, 5000);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	snapshot_hold(a);
	snapshot_release(a);
	CU_ASSERT_EQUAL(a->n, 5);
	CU_ASSERT_EQUAL(atomic_load(&answers_alive), 1);
	snapshot_release(a);
	end(w);
}

/* Toggling as fast as a thumb can, on several threads: whatever is seen last is the last wish. */
static void a_storm_of_toggles(void)
{
	struct worker *w = worker_new(4);
	struct answer *a;
	int last = -1;

	for (int i = 0; i < 300; i++) {
		worker_post(w, left, ask(i % 3, i, i % 7 == 0 ? "no" : NULL));
		if (i % 50 == 49)
			worker_cancel_all(w);
		if (i % 5 == 0 && (a = (struct answer *)worker_take(w))) {
			CU_ASSERT_TRUE(a->n <= i);
			snapshot_release(a);
		}
	}
	worker_post(w, left, ask(1, 1000, NULL));
	while (last != 1000 && (a = take(w, 5000))) {
		last = a->n;
		snapshot_release(a);
	}
	CU_ASSERT_EQUAL(last, 1000);
	expect_nothing(w, 30);
	end(w);
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "results arrive", results_arrive },
		{ "errors arrive", errors_arrive },
		{ "jobs start in the order of their posts", jobs_start_in_order_of_posts },
		{ "replies out of order", replies_out_of_order },
		{ "latest wins", latest_wins },
		{ "stale results are dropped", stale_results_are_dropped },
		{ "waiting jobs are replaced", waiting_jobs_are_replaced },
		{ "posting cancels the running job", posting_cancels_the_running_job },
		{ "Esc cancels all", escape_cancels_all },
		{ "cancelling one slot leaves the other", cancelling_one_slot_leaves_the_other },
		{ "posting after Esc works", posting_after_escape_works },
		{ "posting never waits", posting_never_waits },
		{ "snapshots live while held", snapshots_live_while_held },
		{ "a storm of toggles", a_storm_of_toggles },
		{ NULL, NULL },
	};

	return harness_run("worker", cases);
}
