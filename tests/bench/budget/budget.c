/*
 * budget OPERATION: runs one command of the engine on 20,000 orders, inside `counted`, which is what budget.sh lets
 * callgrind count. Without an argument it lists the operations with the documents that each is divided by.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/orders.h"

enum { DOCUMENTS = 20000, INSERTED = 1000 };

struct operation {
	const char *name;
	int documents;
	const char *command; /* null: the insert, whose documents are generated */
};

static const struct operation operations[] = {
	{ "scan", DOCUMENTS,
	  "{\"aggregate\": \"orders\", \"cursor\": {}, \"pipeline\": [{\"$match\": {\"status\": \"returned\", \"total\": {\"$gt\": 950}}},"
	  " {\"$count\": \"n\"}]}" },
	{ "group", DOCUMENTS,
	  "{\"aggregate\": \"orders\", \"cursor\": {}, \"pipeline\": [{\"$group\": {\"_id\": \"$region\", \"n\": {\"$sum\": 1},"
	  " \"total\": {\"$sum\": \"$total\"}}}]}" },
	{ "group-size", DOCUMENTS,
	  "{\"aggregate\": \"orders\", \"cursor\": {}, \"pipeline\": [{\"$group\": {\"_id\": null, \"bytes\": {\"$sum\":"
	  " {\"$bsonSize\": \"$$ROOT\"}}}}]}" },
	{ "lookup", DOCUMENTS,
	  "{\"aggregate\": \"customers\", \"cursor\": {}, \"pipeline\": [{\"$lookup\": {\"from\": \"orders\", \"localField\": \"_id\","
	  " \"foreignField\": \"customer\", \"as\": \"orders\"}}, {\"$project\": {\"n\": {\"$size\": \"$orders\"}}}]}" },
	{ "lookup-one", DOCUMENTS,
	  "{\"aggregate\": \"orders\", \"cursor\": {}, \"pipeline\": [{\"$lookup\": {\"from\": \"customers\", \"localField\": \"customer\","
	  " \"foreignField\": \"_id\", \"as\": \"by\"}}, {\"$match\": {\"by.name\": \"nobody\"}}]}" },
	{ "insert", INSERTED, NULL },
	{ "update", DOCUMENTS,
	  "{\"update\": \"orders\", \"updates\": [{\"q\": {}, \"u\": {\"$set\": {\"status\": \"archived\"}}, \"multi\": true}]}" },
};

static bson_t *insert_command(void)
{
	bson_t *command = BCON_NEW("insert", "orders"), list;
	struct orders more;
	bson_t document;
	char key[16];

	orders_make(&more, DOCUMENTS + INSERTED);
	bson_append_array_begin(command, "documents", -1, &list);
	for (int i = 0; i < INSERTED; i++) {
		snprintf(key, sizeof key, "%d", i);
		if (value_to_bson(&document, more.list[DOCUMENTS + i]))
			bson_append_document(&list, key, -1, &document);
	}
	bson_append_array_end(command, &list);
	orders_clear(&more);
	return command;
}

__attribute__((noinline)) bool counted(struct engine *e, const bson_t *command, bson_t *reply, bson_error_t *error);

bool counted(struct engine *e, const bson_t *command, bson_t *reply, bson_error_t *error)
{
	return engine_command(e, "shop", command, reply, NULL, error);
}

static bool run(const struct operation *o)
{
	struct engine *e = engine_new();
	struct orders orders;
	bson_error_t error;
	bson_t *command = o->command ? bson_new_from_json((const uint8_t *)o->command, -1, &error) : insert_command(), reply;
	bool good;

	orders_make(&orders, DOCUMENTS);
	bson_init(&reply);
	good = command && orders_load(&orders, e, "shop", &error);
	if (good) {
		bson_destroy(&reply);
		good = counted(e, command, &reply, &error) && !bson_has_field(&reply, "writeErrors");
	}
	if (!good)
		fprintf(stderr, "budget: %s: %s\n", o->name, error.message);
	bson_destroy(&reply);
	bson_destroy(command);
	engine_destroy(e);
	orders_clear(&orders);
	return good;
}

int main(int count, char **arguments)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		if (count < 2)
			printf("%s\t%d\n", operations[i].name, operations[i].documents);
		else if (!strcmp(arguments[1], operations[i].name))
			return !run(&operations[i]);
	}
	return count > 1;
}
