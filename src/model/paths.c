#include <stdlib.h>

#include "base/memory.h"
#include "model/paths_private.h"

enum { FIRST_REPORT_US = 30000, REPORT_US = 100000, MOST_THREADS = 16, BYTES_A_THREAD = 4 << 20 };

static struct figure total(const struct gathering *g, int64_t value, bool whole)
{
	struct figure f = figure_of(value, g->method == SAMPLING_ALL ? PROVENANCE_EXACT : PROVENANCE_SAMPLED);

	f.at_least = g->at_least || !whole || g->method == SAMPLING_FIRST;
	return f;
}

/* Takes what the workers have so far; they may go on. */
static struct paths *collect(struct gathering *g, bool whole)
{
	struct paths *p = memory_allocate_zeroed(1, sizeof *p);

	p->db = memory_duplicate_text(g->wish->db);
	p->collection = memory_duplicate_text(g->wish->collection);
	path_tree_init(&p->tree, g->wish->key);
	pthread_mutex_lock(&g->mutex); /* nobody begins another loan meanwhile */
	for (int i = 0; i < g->worker_count; i++) {
		pthread_mutex_lock(&g->workers[i].mutex);
		path_tree_merge(&p->tree, &g->workers[i].tree);
		pthread_mutex_unlock(&g->workers[i].mutex);
	}
	pthread_mutex_unlock(&g->mutex);
	path_tree_finish(&p->tree);
	p->documents = total(g, p->tree.root->count, whole);
	p->bytes = total(g, p->tree.root->bytes, whole);
	if (g->method != SAMPLING_ALL) {
		p->documents.n = p->bytes.n = p->tree.root->count;
		p->documents.of = p->bytes.of = g->of;
	}
	p->progress = g->progress;
	p->progress.documents = p->tree.root->count;
	p->progress.bytes = p->tree.root->bytes;
	p->progress.elapsed_us = interrupt_now_us() - g->started_us;
	p->whole = whole;
	p->method = g->method;
	p->remark = g->remark.size ? memory_duplicate_text(bytes_text(&g->remark)) : NULL;
	return p;
}

/* A tree that takes long to put together is told less often. */
void paths_tell(struct gathering *g)
{
	int64_t now_us = interrupt_now_us(), took_us;

	if (!g->wish->report || now_us < g->report_us)
		return;
	g->wish->report(g->wish->context, collect(g, false));
	took_us = interrupt_now_us() - now_us;
	g->report_us = now_us + (10 * took_us > REPORT_US ? 10 * took_us : REPORT_US);
}

/* Over an engine */

static bool borrow(struct worker *w)
{
	struct gathering *g = w->gathering;
	bool lent;

	pthread_mutex_lock(&g->mutex);
	if (!g->over && (!error_poll_interrupt(g->interrupt, &g->error) ||
	                 !engine_lend(source_engine(g->source), g->wish->db, g->wish->collection, &g->lending, &w->loan, &g->error)))
		g->over = g->failed = true;
	if (!g->over && !w->loan.count)
		g->over = true;
	lent = !g->over; /* here: what is lent is counted, even when another finds the end meanwhile */
	pthread_mutex_unlock(&g->mutex);
	return lent;
}

static void work(struct worker *w, bool tells)
{
	while (borrow(w)) {
		pthread_mutex_lock(&w->mutex);
		for (size_t i = 0; i < w->loan.count; i++)
			path_tree_add(&w->tree, w->loan.documents[i], w->loan.first + (int64_t)i);
		pthread_mutex_unlock(&w->mutex);
		if (tells)
			paths_tell(w->gathering);
	}
}

static void *work_beside(void *context)
{
	work(context, false);
	return NULL;
}

static int threads_for(const struct gathering *g)
{
	int64_t useful = 1 + g->progress.of_bytes / BYTES_A_THREAD, threads = g->wish->threads;

	if (!threads)
		threads = useful < thread_processors() ? useful : thread_processors();
	return threads < MOST_THREADS ? (int)threads : MOST_THREADS;
}

static bool know_total(struct gathering *g, struct engine *e, bson_error_t *error)
{
	struct size_tally tally = SIZE_TALLY_INIT;

	if (!engine_tally_sizes(e, g->wish->db, g->wish->collection, &tally, error))
		return false;
	size_tally_total(&tally, &g->progress.of_documents, &g->progress.of_bytes);
	size_tally_clear(&tally);
	g->lending.most = (size_t)g->wish->first;
	return true;
}

/* This thread is the first of the workers. */
static bool gather_from_engine(struct gathering *g, bson_error_t *error)
{
	int started = 1;

	for (int i = 1; i < g->worker_count && thread_start(&g->workers[i].thread, work_beside, &g->workers[i]); i++)
		started++;
	work(&g->workers[0], true);
	for (int i = 1; i < started; i++)
		pthread_join(g->workers[i].thread, NULL);
	if (g->failed && error)
		*error = g->error;
	return !g->failed;
}

/* The whole */

static void make_workers(struct gathering *g, int count)
{
	g->workers = memory_allocate_zeroed((size_t)count, sizeof *g->workers);
	g->worker_count = count;
	for (int i = 0; i < count; i++) {
		g->workers[i].gathering = g;
		pthread_mutex_init(&g->workers[i].mutex, NULL);
		path_tree_init(&g->workers[i].tree, g->wish->key);
	}
}

static void clear(struct gathering *g)
{
	for (int i = 0; i < g->worker_count; i++) {
		path_tree_clear(&g->workers[i].tree);
		bytes_clear(&g->workers[i].loan.copies);
		pthread_mutex_destroy(&g->workers[i].mutex);
	}
	free(g->workers);
	bytes_clear(&g->remark);
	pthread_mutex_destroy(&g->mutex);
}

static void begin(struct gathering *g)
{
	pthread_mutex_init(&g->mutex, NULL);
	g->started_us = interrupt_now_us();
	g->report_us = g->started_us + FIRST_REPORT_US;
}

struct paths *paths_measure(struct source *s, const struct paths_wish *wish, const struct interrupt *interrupt, bson_error_t *error)
{
	struct gathering g = { .source = s, .wish = wish, .interrupt = interrupt };
	struct engine *e = source_engine(s);
	struct bytes remark = BYTES_INIT;
	struct paths *p = NULL;
	bool good = !e || know_total(&g, e, error);

	begin(&g);
	source_remark(s, wish->db, wish->collection, &remark, &g.at_least);
	bytes_clear(&remark);
	g.at_least = g.at_least || (e && wish->first);
	make_workers(&g, e ? threads_for(&g) : 1);
	good = good && (e ? gather_from_engine(&g, error) : paths_gather_by_commands(&g, error));
	if (good)
		p = collect(&g, true);
	clear(&g);
	return p;
}

struct paths *paths_of_document(const struct paths_wish *wish, struct value document)
{
	struct gathering g = { .wish = wish };
	struct paths *p;

	begin(&g);
	make_workers(&g, 1);
	path_tree_add(&g.workers[0].tree, document, 0);
	p = collect(&g, true);
	clear(&g);
	return p;
}

void paths_destroy(struct paths *p)
{
	if (!p)
		return;
	path_tree_clear(&p->tree);
	free(p->db);
	free(p->collection);
	free(p->remark);
	free(p);
}

struct figure paths_figure(const struct paths *p, int64_t seen)
{
	struct figure f = figure_of(seen, PROVENANCE_EXACT);

	f.at_least = p->bytes.at_least;
	if (p->method == SAMPLING_ALL || p->method == SAMPLING_FIRST || p->documents.n <= 0)
		return f;
	f.value = (int64_t)((double)seen / (double)p->documents.n * (double)p->documents.of + 0.5);
	f.provenance = PROVENANCE_ESTIMATED;
	return f;
}

struct figure paths_largest(const struct paths *p, int64_t seen)
{
	struct figure f = figure_of(seen, PROVENANCE_EXACT);

	f.at_least = p->bytes.at_least || p->documents.provenance == PROVENANCE_SAMPLED;
	return f;
}

void paths_method_text(const struct paths *p, struct bytes *out)
{
	if (p->method != SAMPLING_ALL)
		sampling_text(p->method, p->documents.n, p->documents.of, out);
	if (p->remark)
		bytes_format(out, "; %s", p->remark);
}

int64_t paths_left_us(const struct paths_progress *p)
{
	int64_t done = p->of_bytes ? p->bytes : p->documents, of = p->of_bytes ? p->of_bytes : p->of_documents;

	return done > 0 && of >= done ? (int64_t)((double)p->elapsed_us / (double)done * (double)(of - done)) : -1;
}
