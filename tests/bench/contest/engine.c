/*
 * The engine's side of contest.py: holds the library sample and a million generated orders, exports both as lines of
 * JSON for the others, and answers a request a line with the microseconds of processor time that it took and what came
 * out.
 *
 *   export DB COLLECTION FILE     one document a line
 *   run DB COMMAND                as JSON
 *   walk - | walk-ahead -         over the million by length prefix, without and with prefetch
 *   memory -                      documents, bytes of BSON, bytes held beyond that: by records, by the _id index
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "bench/orders.h"
#include "bson/print.h"
#include "samples/samples.h"

struct contest {
	struct engine *million;
	struct source *library;
	struct model *model;
	struct orders orders;
};

static struct engine *engine_of(struct contest *c, const char *db)
{
	return strcmp(db, "million") ? source_engine(c->library) : c->million;
}

/* Processor time: a busy machine changes little of it. */
static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void fail(const char *what, const bson_error_t *error)
{
	fprintf(stderr, "engine: %s: %s\n", what, error->message);
	exit(1);
}

static void answer(int64_t micros, struct value result)
{
	struct bytes text = BYTES_INIT;

	print_line(&text, result, PRINT_RELAXED);
	printf("%" PRId64 "\t%s\n", micros, bytes_text(&text));
	bytes_clear(&text);
}

static void run(struct contest *c, const char *db, const char *json)
{
	bson_error_t error;
	bson_t *command = bson_new_from_json((const uint8_t *)json, -1, &error), reply;
	int64_t start;

	if (!command)
		fail(json, &error);
	start = now_us();
	if (!engine_command(engine_of(c, db), db, command, &reply, NULL, &error))
		fail(json, &error);
	answer(now_us() - start, value_get(value_get(value_from_bson(&reply), "cursor"), "firstBatch"));
	bson_destroy(&reply);
	bson_destroy(command);
}

/* What every scan has to do at least: from one document's length to the next. */
static void walk(const struct orders *orders, bool ahead)
{
	int64_t start = now_us(), count = 0, sum = 0;

	for (size_t at = 0; at < orders->all.size; count++) {
		uint32_t size;

		if (ahead)
			__builtin_prefetch(orders->all.data + at + 4096);
		memcpy(&size, orders->all.data + at, sizeof size);
		at += size;
		sum += size;
	}
	printf("%" PRId64 "\t[{\"n\":%" PRId64 ",\"bytes\":%" PRId64 "}]\n", now_us() - start, count, sum);
}

struct export_file {
	FILE *file;
	struct bytes line;
};

static void export_document(void *context, struct value document)
{
	struct export_file *e = context;

	bytes_reset(&e->line);
	print_line(&e->line, document, PRINT_RELAXED);
	bytes_append_byte(&e->line, '\n');
	fwrite(e->line.data, 1, e->line.size, e->file);
}

static void export(struct contest *c, const char *db, const char *collection, const char *path)
{
	struct export_file out = { .file = fopen(path, "w") };
	struct engine_document_walk all = { .take = export_document, .context = &out };
	bson_error_t error = { .message = "cannot be written" };

	if (!out.file || !engine_walk_documents(engine_of(c, db), db, collection, &all, NULL, &error) || fclose(out.file))
		fail(path, &error);
	bytes_clear(&out.line);
	printf("0\t[]\n");
}

/* Without indexes first, then with the one on _id: the differences are what each part holds. */
static void memory(const struct orders *orders)
{
	bson_error_t error;
	struct engine *e = engine_new();
	bson_t *index = BCON_NEW("key", "{", "_id", BCON_INT32(1), "}", "name", "_id_");
	int64_t records, indexed;

	if (!engine_open_collection(e, "million", "orders", NULL, &error) ||
	    !engine_append(e, "million", "orders", orders->list, orders->count, &error))
		fail("memory", &error);
	records = engine_memory_bytes(e);
	if (!engine_build_index(e, "million", "orders", index, NULL, &error))
		fail("memory", &error);
	indexed = engine_memory_bytes(e);
	printf("0\t[{\"documents\":%zu,\"bytes\":%zu,\"records\":%" PRId64 ",\"index\":%" PRId64 "}]\n", orders->count,
	       orders->all.size, records, indexed - records);
	bson_destroy(index);
	engine_destroy(e);
}

static void serve(struct contest *c, char *line)
{
	const char *word = strtok(line, " "), *db = strtok(NULL, " ");

	if (!strcmp(word, "run")) {
		run(c, db, strtok(NULL, "\n"));
	} else if (!strcmp(word, "export")) {
		const char *collection = strtok(NULL, " ");

		export(c, db, collection, strtok(NULL, "\n"));
	} else if (!strcmp(word, "memory")) {
		memory(&c->orders);
	} else {
		walk(&c->orders, !strcmp(word, "walk-ahead"));
	}
	fflush(stdout);
}

int main(int count, char **arguments)
{
	struct contest c = { .million = engine_new() };
	bson_error_t error;
	char *line = NULL;
	size_t capacity = 0;

	orders_make(&c.orders, count > 1 ? (size_t)atol(arguments[1]) : 1000000);
	c.library = sample_open("library", &c.model, &error);
	if (!c.library || !orders_load(&c.orders, c.million, "million", &error))
		fail("load", &error);
	while (getline(&line, &capacity, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		serve(&c, line);
	}
	free(line);
	engine_destroy(c.million);
	source_destroy(c.library);
	model_destroy(c.model);
	orders_clear(&c.orders);
	return 0;
}
