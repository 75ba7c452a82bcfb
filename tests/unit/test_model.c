/* Model files: what they say, and that every kind of mistake is one line with file, line and field. */
#include "harness/harness.h"

#include <stdio.h>
#include <string.h>

#include "base/embedded.h"
#include "bson/print.h"
#include "model/model.h"

static struct model *read_embedded(const char *name)
{
	bson_error_t error;
	size_t size;
	const char *text = embedded_find(name, &size);
	struct model *m = text ? model_read(name, text, size, &error) : NULL;

	if (!m)
		fprintf(stderr, "%s: %s\n", name, text ? error.message : "not embedded");
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	return m;
}

static void reads_the_bookstore(void)
{
	static const struct {
		const char *name, *frequency;
		enum operation_type type;
	} expected[] = {
		{ "book page", "very high", OPERATION_READ },
		{ "catalog and search list", "very high", OPERATION_READ },
		{ "placing an order", "medium", OPERATION_WRITE },
		{ "my orders and order detail", "medium", OPERATION_READ },
		{ "writing a review", "medium", OPERATION_WRITE },
		{ "listing reviews page by page", "medium", OPERATION_READ },
		{ "author page", "low", OPERATION_READ },
		{ "reports", "low, heavy", OPERATION_READ },
	};
	struct model *m = read_embedded("queries/bookstore.json");
	const struct relationship *reviews = model_relationship(m, "reviews", NULL),
	                          *items = model_relationship(m, "items", NULL);

	CU_ASSERT_EQUAL_FATAL(m->operation_count, 8);
	for (size_t i = 0; i < 8; i++) {
		ASSERT_TEXT(m->operations[i].name, expected[i].name);
		ASSERT_TEXT(m->operations[i].frequency, expected[i].frequency);
		CU_ASSERT_EQUAL(m->operations[i].type, expected[i].type);
		/* the post gives no rates */
		CU_ASSERT(m->operations[i].per_second < 0);
	}
	ASSERT_TEXT(m->database, "bookstore");
	CU_ASSERT_EQUAL(m->document_limit_bytes, 16777216);
	CU_ASSERT_EQUAL(m->copy_count, 3);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reviews);
	CU_ASSERT_PTR_NOT_NULL_FATAL(items);
	CU_ASSERT_EQUAL(reviews->origin, SHAPE_REFERENCE);
	CU_ASSERT_EQUAL(items->origin, SHAPE_EMBED);
	CU_ASSERT(items->ordinal_key && items->keeps_other_fields);
	CU_ASSERT_EQUAL(items->before_count, 4);
	ASSERT_TEXT(items->before[3], "status");
	model_destroy(m);
}

static void reads_the_library(void)
{
	struct model *m = read_embedded("queries/library.json");
	const struct relationship *copies = model_relationship(m, "copies", NULL),
	                          *loans = model_relationship(m, "loans", NULL);
	struct bytes indexes = BYTES_INIT;
	struct value array;

	CU_ASSERT_EQUAL(m->document_limit_bytes, 16384);
	CU_ASSERT_PTR_EQUAL(copies, m->relationships);
	CU_ASSERT_PTR_NOT_NULL_FATAL(loans);
	ASSERT_TEXT(copies->fields[0].child, "_k");
	ASSERT_TEXT(copies->fields[0].element, "barkod");
	ASSERT_TEXT(copies->fields[1].child, "kitap");
	CU_ASSERT_PTR_NULL(copies->fields[1].element);
	CU_ASSERT(!copies->keeps_other_fields);
	CU_ASSERT(loans->population);
	CU_ASSERT_EQUAL(loans->population_parents, 20000);
	CU_ASSERT_EQUAL(loans->population_children, 1406280);
	/* 53 bytes in an array: type, "0", its terminator */
	CU_ASSERT_EQUAL(loans->element_example.size + 3, 53);
	ASSERT_TEXT(model_key(m, "kopya"), "_k");
	ASSERT_TEXT(model_key(m, "something"), "_id");
	model_indexes(m, "kopya", &indexes);
	CU_ASSERT_FATAL(value_document(&array, indexes.data, indexes.size));
	ASSERT_TEXT(harness_text(array), "{\"0\": {\"key\": {\"kitap\": 1}, \"name\": \"kitap_1\"}, "
	                                 "\"1\": {\"key\": {\"sube\": 1}, \"name\": \"sube_1\"}}");
	bytes_clear(&indexes);
	model_destroy(m);
}

static void chooses_the_commands(void)
{
	struct model *m = read_embedded("queries/library.json");
	const struct relationship *copies = m->relationships, *loans = model_relationship(m, "loans", NULL);
	const struct operation *page = &m->operations[0];

	CU_ASSERT_EQUAL(operation_commands(page, copies, SHAPE_EMBED)->command_count, 1);
	CU_ASSERT_EQUAL(operation_commands(page, copies, SHAPE_REFERENCE)->command_count, 2);
	CU_ASSERT_PTR_EQUAL(operation_commands(page, loans, SHAPE_EMBED),
	                    operation_commands(page, copies, SHAPE_REFERENCE));
	model_destroy(m);
}

static void names_what_there_is(void)
{
	struct model *m = read_embedded("queries/bookstore.json");
	bson_error_t error;

	CU_ASSERT_PTR_NULL(model_relationship(m, "nothing", &error));
	ASSERT_TEXT(error.message, "unknown relationship \"nothing\"; \"bookstore\" has: reviews, items");
	model_destroy(m);
}

/* A small good file, a line a part; each broken case replaces one text in it. */
static const char good[] =
        "{\"database\": \"shop\",\n"
        " \"documentLimit\": 1000,\n"
        " \"indexes\": [{\"collection\": \"pages\", \"key\": {\"book\": 1}, \"for\": \"reading\"}],\n"
        " \"relationships\": [{\n"
        "  \"name\": \"pages\",\n"
        "  \"origin\": \"reference\",\n"
        "  \"parent\": {\"collection\": \"books\", \"key\": \"_id\"},\n"
        "  \"child\": {\"collection\": \"pages\", \"key\": \"_id\", \"parentKey\": \"book\"},\n"
        "  \"array\": {\"path\": \"pages\", \"order\": {\"_id\": 1}},\n"
        "  \"fields\": [[\"_id\", \"n\"], [\"book\", null], [\"text\", \"text\"]]\n"
        " }],\n"
        " \"operations\": [{\n"
        "  \"name\": \"read\", \"type\": \"read\", \"frequency\": \"high\", \"together\": \"all\",\n"
        "  \"commands\": [\n"
        "   {\"run\": [{\"find\": \"books\"}]},\n"
        "   {\"relationship\": \"pages\", \"shape\": \"embed\", \"run\": [{\"find\": \"books\"}]}\n"
        "  ]\n"
        " }],\n"
        " \"copies\": [{\"copy\": \"a\", \"source\": \"b\", \"onChange\": \"c\"}]\n"
        "}\n";

static const struct broken {
	const char *from, *to, *message;
} broken[] = {
	{ "\"shop\",", "\"shop\"", "shop.json:2:2: " },
	{ "\"database\": \"shop\"", "\"database\": 5", "shop.json:1: database: expected a string, found int" },
	{ "\"database\": \"shop\"", "\"database\": \"\"",
	  "shop.json:1: database: expected a string that is not empty" },
	{ "\"database\": \"shop\"", "\"database\": \"a.b\"",
	  "shop.json:1: database: expected letters, digits, \"_\" and \"-\", found \"a.b\"" },
	{ "\"database\": \"shop\",\n", "\n", "shop.json:1: field \"database\" is missing" },
	{ "\"documentLimit\": 1000", "\"documentLimit\": 0",
	  "shop.json:2: documentLimit: expected a whole number from 1" },
	{ "\"documentLimit\": 1000", "\"documentLimit\": 1.5",
	  "shop.json:2: documentLimit: expected a whole number from 1" },
	{ "\"documentLimit\"", "\"limit\"",
	  "shop.json:1: unknown field \"limit\"; there are: database, documentLimit, indexes, relationships, operations, copies" },
	{ "\"documentLimit\": 1000", "\"database\": \"x\"",
	  "shop.json:1: repeated field \"database\"; there are: database, documentLimit, indexes, relationships, operations, copies" },
	{ "{\"book\": 1}", "{\"book\": 2}", "shop.json:3: indexes.0.key: expected 1 or -1 for each field of an index" },
	{ "{\"book\": 1}", "{}", "shop.json:3: indexes.0.key: an index without fields" },
	{ ", \"for\": \"reading\"", "", "shop.json:3: indexes.0: field \"for\" is missing" },
	{ "\"origin\": \"reference\"", "\"origin\": \"bucket\"",
	  "shop.json:6: relationships.0.origin: unknown shape \"bucket\"; there are: embed, reference" },
	{ "\"collection\": \"books\", \"key\"", "\"collection\": \"$books\", \"key\"",
	  "shop.json:7: relationships.0.parent.collection: \"$books\" is no name for a collection" },
	{ "\"collection\": \"books\", \"key\"", "\"collection\": \"pages\", \"key\"",
	  "shop.json:4: relationships.0: parent and child are the same collection \"pages\"" },
	{ "\"parentKey\": \"book\"", "\"parentKey\": \"a.b\"",
	  "shop.json:8: relationships.0.child.parentKey: expected a top-level field without \".\" and \"$\", found \"a.b\"" },
	{ "\"parentKey\": \"book\"", "\"parentKey\": \"book\", \"ordinal\": 1",
	  "shop.json:8: relationships.0.child.ordinal: expected true or false, found int" },
	{ "\"parentKey\": \"book\"", "\"parentKey\": \"book\", \"ordinal\": true",
	  "shop.json:10: relationships.0.fields: expected [\"_id\", null]: with \"ordinal\" the key is the position" },
	{ "\"order\": {\"_id\": 1}", "\"order\": 1",
	  "shop.json:9: relationships.0.array.order: expected an object, found int" },
	{ "[\"book\", null]", "[\"book\", \"book\"]",
	  "shop.json:10: relationships.0.fields: expected [\"book\", null]: an element needs no key of its parent" },
	{ "[\"book\", null]", "[\"book\"]",
	  "shop.json:10: relationships.0.fields.1: expected [child's field, element's field] or \"*\"" },
	{ "[\"book\", null]", "[null, null]",
	  "shop.json:10: relationships.0.fields.1: a line of the field map names no field" },
	{ "[\"book\", null]", "\"*\"", "shop.json:10: relationships.0.fields: nothing may stand after \"*\"" },
	{ "[\"_id\", \"n\"], ", "",
	  "shop.json:10: relationships.0.fields: the child's key \"_id\" is dropped; without it children cannot be told apart" },
	{ "[\"text\", \"text\"]", "[\"text\", \"n\"]",
	  "shop.json:10: relationships.0.fields: the element's field \"n\" is mapped twice" },
	{ "[\"text\", \"text\"]", "[\"book\", \"text\"]",
	  "shop.json:10: relationships.0.fields: the child's field \"book\" is mapped twice" },
	{ "[\"text\", \"text\"]", "[\"n\", \"text\"], \"*\"",
	  "shop.json:10: relationships.0.fields: with \"*\" the name \"n\" cannot stand for two fields" },
	{ "\"type\": \"read\"", "\"type\": \"both\"",
	  "shop.json:13: operations.0.type: expected \"read\" or \"write\"" },
	{ "\"together\": \"all\"", "\"together\": \"all\", \"perSecond\": -1",
	  "shop.json:13: operations.0.perSecond: expected a number from 0" },
	{ "\"together\": \"all\"", "\"together\": \"all\", \"draw\": {}",
	  "shop.json:13: operations.0.draw: expected a command, found an empty object" },
	{ "{\"run\": [{\"find\": \"books\"}]}", "{\"run\": []}",
	  "shop.json:15: operations.0.commands.0: \"run\" is empty" },
	{ "{\"run\": [{\"find\": \"books\"}]}", "{\"run\": {\"find\": \"books\"}}",
	  "shop.json:15: operations.0.commands.0.run: expected an array, found object" },
	{ "{\"run\": [{\"find\": \"books\"}]}", "{\"run\": [{\"find\": []}]}",
	  "shop.json:15: operations.0.commands.0.run.0: expected a command such as {\"find\": \"books\"}: its first field names the "
	  "collection" },
	{ "{\"relationship\": \"pages\", \"shape\": \"embed\",", "{\"relationship\": \"pages\",",
	  "shop.json:16: operations.0.commands.1: \"relationship\" and \"shape\" go together" },
	{ "{\"relationship\": \"pages\",", "{\"relationship\": \"leaves\",",
	  "shop.json:16: operations.0.commands.1: unknown relationship \"leaves\"" },
	{ "{\"relationship\": \"pages\", \"shape\": \"embed\",", "{",
	  "shop.json:16: operations.0.commands.1: a second set of commands for the same relationship and shape" },
	{ "\"onChange\"", "\"then\"",
	  "shop.json:19: copies.0: unknown field \"then\"; there are: copy, source, onChange" },
};

static char *replace(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	struct bytes out = BYTES_INIT;

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	bytes_append(&out, text, (size_t)(at - text));
	bytes_append_text(&out, to);
	bytes_append_text(&out, at + strlen(from));
	return bytes_take_text(&out);
}

static void names_every_mistake(void)
{
	bson_error_t error;
	struct model *m = model_read("shop.json", good, strlen(good), &error);

	if (!m)
		fprintf(stderr, "%s\n", error.message);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	model_destroy(m);
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		char *text = replace(good, broken[i].from, broken[i].to);

		memset(&error, 0, sizeof error);
		m = model_read("shop.json", text, strlen(text), &error);
		CU_ASSERT_PTR_NULL(m);
		CU_ASSERT_EQUAL(error.domain, ERROR_INPUT);
		CU_ASSERT_PTR_NULL(strchr(error.message, '\n'));
		/* the reader's own words are not repeated here */
		if (i == 0)
			error.message[strlen(broken[i].message)] = 0;
		ASSERT_TEXT(error.message, broken[i].message);
		model_destroy(m);
		free(text);
	}
}

/* Whatever is cut off or overwritten: an error, never a crash. */
static void survives_damage(void)
{
	size_t size;
	const char *text = embedded_find("queries/library.json", &size);
	unsigned state = 1;

	for (int i = 0; i < 400; i++) {
		char *damaged = malloc(size);
		bson_error_t error;

		memcpy(damaged, text, size);
		for (int k = 0; k < 3; k++) {
			state = state * 1103515245u + 12345u;
			damaged[(state >> 8) % size] = "{}[]\",:0x"[(state >> 4) % 9];
		}
		model_destroy(model_read("damaged.json", damaged, (size_t)(state % size), &error));
		model_destroy(model_read("damaged.json", damaged, size, &error));
		free(damaged);
	}
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "reads the bookstore's file", reads_the_bookstore },
		{ "reads the library's file", reads_the_library },
		{ "chooses the commands of a shape", chooses_the_commands },
		{ "an unknown relationship lists what there is", names_what_there_is },
		{ "every mistake is one line with file, line and field", names_every_mistake },
		{ "damaged files are refused", survives_damage },
		{ NULL, NULL },
	};

	return harness_run("model", cases);
}
