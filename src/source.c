#include "source.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "engine/engine.h"

struct source *source_new(const struct source_type *type, const char *name, void *context)
{
	struct source *s = memory_allocate_zeroed(1, sizeof *s);

	s->type = type;
	s->name = memory_duplicate_text(name);
	s->context = context;
	return s;
}

void source_destroy(struct source *s)
{
	if (!s)
		return;
	if (s->type->destroy)
		s->type->destroy(s);
	free(s->name);
	free(s);
}

static void tell(struct source *s, const char *db, const bson_t *command, bool measured, int64_t start_us, bool ok,
                 const bson_error_t *error)
{
	if (s->log)
		s->log(s->log_context, db, command, measured, interrupt_now_us() - start_us, ok ? NULL : error);
}

bool source_command(struct source *s, const char *db, const bson_t *command, bson_t *reply,
                    const struct interrupt *interrupt,
                    bson_error_t *error)
{
	int64_t start_us = interrupt_now_us();
	bson_error_t own;
	bool ok;

	error = error ? error : &own;
	ok = s->type->command(s, db, command, reply, interrupt, error);
	tell(s, db, command, false, start_us, ok, error);
	return ok;
}

bool source_measure(struct source *s, const char *db, const bson_t *command, struct cost *cost,
                    const struct interrupt *interrupt,
                    bson_error_t *error)
{
	int64_t start_us = interrupt_now_us();
	bson_error_t own;
	bool ok;

	error = error ? error : &own;
	ok = s->type->measure(s, db, command, cost, interrupt, error);
	tell(s, db, command, true, start_us, ok, error);
	return ok;
}

struct figure source_write_counter(struct source *s, const char *db, const char *collection)
{
	return s->type->write_counter ? s->type->write_counter(s, db, collection) : figure_unknown();
}

void source_forget(struct source *s)
{
	if (s->type->forget)
		s->type->forget(s);
}

static bool engine_source_command(struct source *s, const char *db, const bson_t *command, bson_t *reply,
                                  const struct interrupt *interrupt, bson_error_t *error)
{
	return engine_command(s->context, db, command, reply, interrupt, error);
}

static bool engine_source_measure(struct source *s, const char *db, const bson_t *command, struct cost *cost,
                                  const struct interrupt *interrupt, bson_error_t *error)
{
	return engine_measure(s->context, db, command, cost, interrupt, error);
}

static struct figure engine_source_write_counter(struct source *s, const char *db, const char *collection)
{
	int64_t counter = engine_write_counter(s->context, db, collection);

	return counter < 0 ? figure_unknown() : figure_measured(counter);
}

static void engine_source_destroy(struct source *s)
{
	engine_destroy(s->context);
}

static struct engine *engine_source_engine(struct source *s)
{
	return s->context;
}

static const struct source_type engine_source = {
	.name = "engine",
	.engine = engine_source_engine,
	.command = engine_source_command,
	.measure = engine_source_measure,
	.write_counter = engine_source_write_counter,
	.destroy = engine_source_destroy,
};

struct source *source_from_engine(const char *name, struct engine *e)
{
	return source_new(&engine_source, name, e);
}

struct engine *source_engine(struct source *s)
{
	return s->type->engine ? s->type->engine(s) : NULL;
}

bool source_progress(struct source *s, struct source_progress *progress)
{
	*progress = (struct source_progress){ 0, 0, 0, false, false };
	return s->type->progress && s->type->progress(s, progress);
}

void source_stop(struct source *s)
{
	if (s->type->stop)
		s->type->stop(s);
}

bool source_wait(struct source *s, bool for_indexes, const struct interrupt *interrupt)
{
	const struct timespec moment = { .tv_nsec = 2000000 };
	struct source_progress progress;

	while (source_progress(s, &progress) && (progress.reading || (for_indexes && progress.indexing))) {
		if (interrupt_check(interrupt) != INTERRUPT_NONE)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

bool source_remark(struct source *s, const char *db, const char *collection, struct bytes *text, bool *at_least)
{
	*at_least = false;
	return s->type->remark && s->type->remark(s, db, collection, text, at_least);
}
