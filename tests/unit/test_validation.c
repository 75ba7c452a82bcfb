/* Document validation: who is refused and when, and what errInfo says about it, in MongoDB's structure. */
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bson/print.h"
#include "bson/writer.h"
#include "engine/engine.h"

static struct engine *e;
static bson_t kept_replies[512];
static size_t kept_count;

static struct value ask_value(struct value command)
{
	bson_t view, *reply = &kept_replies[kept_count++];
	bson_error_t error;

	value_to_bson(&view, command);
	engine_command(e, "shop", &view, reply, NULL, &error);
	return value_from_bson(reply);
}

static struct value ask(const char *json)
{
	return ask_value(harness_json(json));
}

static void begin(void)
{
	e = engine_new();
}

static void end(void)
{
	engine_destroy(e);
	while (kept_count)
		bson_destroy(&kept_replies[--kept_count]);
}

static void check_ok(const char *json)
{
	struct value reply = ask(json);

	if (value_double(value_get(reply, "ok")) != 1 || !value_is_missing(value_get(reply, "writeErrors")))
		fprintf(stderr, "%s: %s\n", json, harness_text(reply));
	CU_ASSERT_EQUAL(value_double(value_get(reply, "ok")), 1);
	CU_ASSERT(value_is_missing(value_get(reply, "writeErrors")));
}

/* Code and message of a refusal: of the command, or of its first write error. */
static void check_refused(const char *json, int32_t code, const char *message)
{
	struct value reply = ask(json), errors = value_get(reply, "writeErrors");

	if (!value_is_missing(errors))
		reply = value_get(errors, "0");
	if (value_is_missing(value_get(reply, "errmsg"))) {
		fprintf(stderr, "not refused: %s\n", json);
		CU_FAIL("not refused");
		return;
	}
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "code")), code);
	ASSERT_TEXT(value_text(value_get(reply, "errmsg")).bytes, message);
}

static const char *options_of(const char *collection)
{
	char command[200];

	snprintf(command, sizeof command, "{'listCollections': 1, 'filter': {'name': '%s'}}", collection);
	return harness_text(value_get(value_get(value_get(value_get(ask(command), "cursor"), "firstBatch"), "0"), "options"));
}

/* The errInfo of inserting `document` where `validator` holds. */
static struct value refuse(const char *validator, const char *document)
{
	struct bytes command = BYTES_INIT;
	struct value reply, info;

	bytes_format(&command, "{'create': 'c', 'validator': %s}", validator);
	check_ok(bytes_text(&command));
	bytes_reset(&command);
	bytes_format(&command, "{'insert': 'c', 'documents': [%s]}", document);
	reply = ask(bytes_text(&command));
	bytes_clear(&command);
	ask("{'drop': 'c'}");
	info = value_get(value_get(value_get(reply, "writeErrors"), "0"), "errInfo");
	if (value_is_missing(info))
		fprintf(stderr, "%s takes %s: %s\n", validator, document, harness_text(reply));
	return info;
}

struct example {
	const char *validator, *document, *details;
};

/* What is expected, printed as what came: the order of fields counts. */
static void check_example(const struct example *x)
{
	struct value details = value_get(refuse(x->validator, x->document), "details");

	CU_ASSERT_FATAL(!value_is_missing(details));
	ASSERT_TEXT(harness_text(details), harness_text(harness_json(x->details)));
}

static void check_examples(const struct example *list, size_t count)
{
	begin();
	for (size_t i = 0; i < count; i++) {
		check_example(&list[i]);
		while (kept_count)
			bson_destroy(&kept_replies[--kept_count]);
	}
	end();
}

#define CHECK_EXAMPLES(list) check_examples(list, sizeof list / sizeof *list)

static void test_operators(void)
{
	static const struct example list[] = {
		{ "{'n': {'$gt': 3}}", "{'n': 1}",
		  "{'operatorName': '$gt', 'specifiedAs': {'n': {'$gt': 3}}, 'reason': 'comparison failed', 'consideredValue': 1}" },
		{ "{'n': 3}", "{'n': 1}",
		  "{'operatorName': '$eq', 'specifiedAs': {'n': 3}, 'reason': 'comparison failed', 'consideredValue': 1}" },
		{ "{'n': {'$lte': 3}}", "{'m': 1}",
		  "{'operatorName': '$lte', 'specifiedAs': {'n': {'$lte': 3}}, 'reason': 'field was missing'}" },
		{ "{'n': {'$ne': 3}}", "{'n': 3}",
		  "{'operatorName': '$ne', 'specifiedAs': {'n': {'$ne': 3}}, 'reason': 'comparison succeeded', 'consideredValue': 3}" },
		{ "{'n': {'$in': [1, 2]}}", "{'n': [3, 4]}",
		  "{'operatorName': '$in', 'specifiedAs': {'n': {'$in': [1, 2]}}, 'reason': 'no matching value found in array', "
		  "'consideredValues': [3, 4]}" },
		{ "{'n': {'$nin': [1, 2]}}", "{'n': 2}",
		  "{'operatorName': '$nin', 'specifiedAs': {'n': {'$nin': [1, 2]}}, 'reason': 'matching value found in array', "
		  "'consideredValue': 2}" },
		{ "{'a.b': 0}", "{'a': [{'b': [1, 2]}, {'b': 3}]}",
		  "{'operatorName': '$eq', 'specifiedAs': {'a.b': 0}, 'reason': 'comparison failed', 'consideredValues': [1, 2, 3]}" },
		{ "{'a.b': 0}", "{'a': [{'b': 1}, {'c': 2}, {'b': 3}]}",
		  "{'operatorName': '$eq', 'specifiedAs': {'a.b': 0}, 'reason': 'comparison failed', 'consideredValue': 1}" },
		{ "{'a.1.b': 0}", "{'a': [{'b': 1}, {'b': 2}]}",
		  "{'operatorName': '$eq', 'specifiedAs': {'a.1.b': 0}, 'reason': 'field was missing'}" },
		{ "{'n': {'$gte': 3}}", "{'n': []}",
		  "{'operatorName': '$gte', 'specifiedAs': {'n': {'$gte': 3}}, 'reason': 'comparison failed', 'consideredValues': []}" },
		{ "{'n': 0}", "{'n': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}",
		  "{'operatorName': '$eq', 'specifiedAs': {'n': 0}, 'reason': 'comparison failed', 'consideredValues': "
		  "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'consideredValuesTruncated': true}" },
		{ "{'n': {'$exists': true}}", "{'m': 1}",
		  "{'operatorName': '$exists', 'specifiedAs': {'n': {'$exists': true}}, 'reason': 'path does not exist'}" },
		{ "{'n': {'$exists': false}}", "{'n': 1}",
		  "{'operatorName': '$exists', 'specifiedAs': {'n': {'$exists': false}}, 'reason': 'path does exist'}" },
		{ "{'n': {'$type': 'int'}}", "{'n': ['x', 1.5, 'y']}",
		  "{'operatorName': '$type', 'specifiedAs': {'n': {'$type': 'int'}}, 'reason': 'type did not match', "
		  "'consideredValues': ['x', 1.5, 'y'], 'consideredTypes': ['double', 'string']}" },
		{ "{'n': {'$type': 'int'}}", "{'n': []}",
		  "{'operatorName': '$type', 'specifiedAs': {'n': {'$type': 'int'}}, 'reason': 'type did not match', "
		  "'consideredValues': []}" },
		{ "{'n': {'$mod': [2, 1]}}", "{'n': 'two'}",
		  "{'operatorName': '$mod', 'specifiedAs': {'n': {'$mod': [2, 1]}}, 'reason': 'type did not match', "
		  "'consideredType': 'string', 'expectedTypes': ['decimal', 'double', 'int', 'long'], 'consideredValue': 'two'}" },
		{ "{'n': {'$mod': [2, 1]}}", "{'n': 4}",
		  "{'operatorName': '$mod', 'specifiedAs': {'n': {'$mod': [2, 1]}}, 'reason': '$mod did not evaluate to expected "
		  "remainder', 'consideredValue': 4}" },
		{ "{'s': {'$regex': '^a', '$options': 'i'}}", "{'s': 'bc'}",
		  "{'operatorName': '$regex', 'specifiedAs': {'s': {'$regex': '^a', '$options': 'i'}}, 'reason': 'regular expression "
		  "did not match', 'consideredValue': 'bc'}" },
		{ "{'s': {'$regex': '^a'}}", "{'s': 5}",
		  "{'operatorName': '$regex', 'specifiedAs': {'s': {'$regex': '^a'}}, 'reason': 'type did not match', "
		  "'consideredType': 'int', 'expectedTypes': ['regex', 'string', 'symbol'], 'consideredValue': 5}" },
		{ "{'a': {'$size': 2}}", "{'a': [1]}",
		  "{'operatorName': '$size', 'specifiedAs': {'a': {'$size': 2}}, 'reason': 'array length was not equal to given size', "
		  "'consideredValue': [1]}" },
		{ "{'a': {'$size': 2}}", "{'a': 1}",
		  "{'operatorName': '$size', 'specifiedAs': {'a': {'$size': 2}}, 'reason': 'type did not match', 'consideredType': "
		  "'int', 'expectedType': 'array', 'consideredValue': 1}" },
		{ "{'a': {'$elemMatch': {'$gt': 5}}}", "{'a': [1, 2]}",
		  "{'operatorName': '$elemMatch', 'specifiedAs': {'a': {'$elemMatch': {'$gt': 5}}}, 'reason': 'array did not satisfy "
		  "the child predicate', 'consideredValue': [1, 2]}" },
		{ "{'a': {'$all': [1, 2]}}", "{'a': [1, 3]}",
		  "{'operatorName': '$all', 'specifiedAs': {'a': {'$all': [1, 2]}}, 'reason': 'array did not contain all specified "
		  "values', 'consideredValue': [1, 3]}" },
		{ "{'a': {'$all': []}}", "{'a': [1, 3]}",
		  "{'operatorName': '$all', 'specifiedAs': {'a': {'$all': []}}, 'reason': 'expression always evaluates to false'}" },
		{ "{'n': {'$bitsAnyClear': 3}}", "{'n': 7}",
		  "{'operatorName': '$bitsAnyClear', 'specifiedAs': {'n': {'$bitsAnyClear': 3}}, 'reason': 'bitwise operator failed "
		  "to match', 'consideredValue': 7}" },
		{ "{'n': {'$bitsAllSet': [1]}}", "{'n': 'x'}",
		  "{'operatorName': '$bitsAllSet', 'specifiedAs': {'n': {'$bitsAllSet': [1]}}, 'reason': 'type did not match', "
		  "'consideredType': 'string', 'expectedTypes': ['binData', 'decimal', 'double', 'int', 'long'], 'consideredValue': "
		  "'x'}" },
		{ "{'$expr': {'$gt': ['$a', '$b']}}", "{'a': 1, 'b': 2}",
		  "{'operatorName': '$expr', 'specifiedAs': {'$expr': {'$gt': ['$a', '$b']}}, 'reason': 'expression did not match', "
		  "'expressionResult': false}" },
		{ "{'$expr': {'$divide': ['$a', 0]}}", "{'a': 1}",
		  "{'operatorName': '$expr', 'specifiedAs': {'$expr': {'$divide': ['$a', 0]}}, 'reason': 'failed to evaluate "
		  "aggregation expression', 'details': {'code': 2, 'codeName': 'BadValue', 'errmsg': 'can\\u0027t $divide by zero'}}" },
	};

	CHECK_EXAMPLES(list);
}

static void test_logic(void)
{
#define N_UNDER_10 "{'operatorName': '$lt', 'specifiedAs': {'n': {'$lt': 10}}, 'reason': 'comparison failed', 'consideredValue': 11}"
#define N_OVER_0 "{'operatorName': '$gt', 'specifiedAs': {'n': {'$gt': 0}}, 'reason': 'comparison succeeded', 'consideredValue': 11}"
	static const struct example list[] = {
		{ "{'n': {'$gt': 0, '$lt': 10}}", "{'n': 11}",
		  "{'operatorName': '$and', 'clausesNotSatisfied': [{'index': 1, 'details': " N_UNDER_10 "}]}" },
		{ "{'$and': [{'n': {'$lt': 10}}, {'m': 1}]}", "{'n': 11, 'm': 1}",
		  "{'operatorName': '$and', 'clausesNotSatisfied': [{'index': 0, 'details': " N_UNDER_10 "}]}" },
		{ "{'$comment': 'no clause', 'n': {'$lt': 10}}", "{'n': 11}", N_UNDER_10 },
		{ "{'$or': [{'n': {'$lt': 10}}, {'m': 1}]}", "{'n': 11}",
		  "{'operatorName': '$or', 'clausesNotSatisfied': [{'index': 0, 'details': " N_UNDER_10 "}, {'index': 1, 'details': "
		  "{'operatorName': '$eq', 'specifiedAs': {'m': 1}, 'reason': 'field was missing'}}]}" },
		{ "{'$nor': [{'m': 1}, {'n': {'$gt': 0}}]}", "{'n': 11}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 1, 'details': " N_OVER_0 "}]}" },
		{ "{'n': {'$not': {'$gt': 0}}}", "{'n': 11}", "{'operatorName': '$not', 'details': " N_OVER_0 "}" },
		{ "{'n': {'$not': {'$gt': 0, '$lt': 20}}}", "{'n': 11}",
		  "{'operatorName': '$not', 'details': {'operatorName': '$and', 'clausesSatisfied': [{'index': 0, 'details': " N_OVER_0
		  "}, {'index': 1, 'details': {'operatorName': '$lt', 'specifiedAs': {'n': {'$lt': 20}}, 'reason': 'comparison "
		  "succeeded', 'consideredValue': 11}}]}}" },
		{ "{'n': {'$not': {'$not': {'$lt': 10}}}}", "{'n': 11}",
		  "{'operatorName': '$not', 'details': {'operatorName': '$not', 'details': " N_UNDER_10 "}}" },
		/* below a $nor an $or tells what held, an $and all of it, another $nor what did not */
		{ "{'$nor': [{'$or': [{'m': 1}, {'n': {'$gt': 0}}]}]}", "{'n': 11}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 0, 'details': {'operatorName': '$or', 'clausesSatisfied': "
		  "[{'index': 1, 'details': " N_OVER_0 "}]}}]}" },
		{ "{'$nor': [{'$nor': [{'n': {'$lt': 10}}]}]}", "{'n': 11}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 0, 'details': {'operatorName': '$nor', "
		  "'clausesNotSatisfied': [{'index': 0, 'details': " N_UNDER_10 "}]}}]}" },
		{ "{'$nor': [{'$and': [{'n': {'$gt': 0}}]}]}", "{'n': 11}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 0, 'details': {'operatorName': '$and', 'clausesSatisfied': "
		  "[{'index': 0, 'details': " N_OVER_0 "}]}}]}" },
		{ "{'$nor': [{'n': {'$ne': 3}}]}", "{'n': 11}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 0, 'details': {'operatorName': '$ne', 'specifiedAs': "
		  "{'n': {'$ne': 3}}, 'reason': 'comparison failed', 'consideredValue': 11}}]}" },
		{ "{'$nor': [{'$expr': {'$literal': {'b': 1}}}]}", "{'n': 11}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 0, 'details': {'operatorName': '$expr', 'specifiedAs': "
		  "{'$expr': {'$literal': {'b': 1}}}, 'reason': 'expression did match', 'expressionResult': {'b': 1}}}]}" },
		{ "{'$nor': [{'$expr': {'$divide': [10, '$z']}}]}", "{'z': 0}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 0, 'details': {'operatorName': '$expr', 'specifiedAs': "
		  "{'$expr': {'$divide': [10, '$z']}}, 'reason': 'failed to evaluate aggregation expression', 'details': {'code': 2, "
		  "'codeName': 'BadValue', 'errmsg': 'can\\u0027t $divide by zero'}}}]}" },
		{ "{'$nor': [{'$jsonSchema': {'minimum': 1}}]}", "{'n': 11}",
		  "{'operatorName': '$nor', 'clausesSatisfied': [{'index': 0, 'details': {'operatorName': '$jsonSchema', 'reason': "
		  "'schema matched'}}]}" },
	};

	CHECK_EXAMPLES(list);
}

#define SCHEMA(rules) "{'operatorName': '$jsonSchema', 'schemaRulesNotSatisfied': [" rules "]}"
#define OF_A(errors) \
	SCHEMA("{'operatorName': 'properties', 'propertiesNotSatisfied': [{'propertyName': 'a', 'details': [" errors "]}]}")
#define A_SHOULD(rules) "{'$jsonSchema': {'properties': {'a': {" rules "}}}}"

static void test_schema_of_values(void)
{
	static const struct example list[] = {
		{ A_SHOULD("'minimum': 1"), "{'a': 0}",
		  OF_A("{'operatorName': 'minimum', 'specifiedAs': {'minimum': 1}, 'reason': 'comparison failed', 'consideredValue': 0}") },
		{ A_SHOULD("'maximum': 1, 'exclusiveMaximum': true"), "{'a': 1}",
		  OF_A("{'operatorName': 'maximum', 'specifiedAs': {'maximum': 1, 'exclusiveMaximum': true}, 'reason': 'comparison "
		       "failed', 'consideredValue': 1}") },
		{ A_SHOULD("'minimum': 1, 'exclusiveMinimum': true"), "{'a': 1}",
		  OF_A("{'operatorName': 'minimum', 'specifiedAs': {'minimum': 1, 'exclusiveMinimum': true}, 'reason': 'comparison "
		       "failed', 'consideredValue': 1}") },
		/* a wrong type is said once, by the type */
		{ A_SHOULD("'bsonType': 'int', 'minimum': 3"), "{'a': 'x'}",
		  OF_A("{'operatorName': 'bsonType', 'specifiedAs': {'bsonType': 'int'}, 'reason': 'type did not match', "
		       "'consideredValue': 'x', 'consideredType': 'string'}") },
		{ A_SHOULD("'type': ['number', 'string']"), "{'a': []}",
		  OF_A("{'operatorName': 'type', 'specifiedAs': {'type': ['number', 'string']}, 'reason': 'type did not match', "
		       "'consideredValue': [], 'consideredType': 'array'}") },
		/* several errors stand in the server's order, not in the schema's */
		{ A_SHOULD("'enum': [3], 'multipleOf': 2, 'minimum': 8"), "{'a': 5}",
		  OF_A("{'operatorName': 'multipleOf', 'specifiedAs': {'multipleOf': 2}, 'reason': 'considered value is not a multiple "
		       "of the specified value', 'consideredValue': 5}, {'operatorName': 'minimum', 'specifiedAs': {'minimum': 8}, "
		       "'reason': 'comparison failed', 'consideredValue': 5}, {'operatorName': 'enum', 'specifiedAs': {'enum': [3]}, "
		       "'reason': 'value was not found in enum', 'consideredValue': 5}") },
		{ A_SHOULD("'minLength': 3, 'pattern': '^x'"), "{'a': 'b'}",
		  OF_A("{'operatorName': 'pattern', 'specifiedAs': {'pattern': '^x'}, 'reason': 'regular expression did not match', "
		       "'consideredValue': 'b'}, {'operatorName': 'minLength', 'specifiedAs': {'minLength': 3}, 'reason': 'specified "
		       "string length was not satisfied', 'consideredValue': 'b'}") },
		{ A_SHOULD("'maxLength': 1"), "{'a': 'bc'}",
		  OF_A("{'operatorName': 'maxLength', 'specifiedAs': {'maxLength': 1}, 'reason': 'specified string length was not "
		       "satisfied', 'consideredValue': 'bc'}") },
		{ "{'$jsonSchema': {'title': 't', 'description': 'd', 'properties': {'a': {'description': 'at least 1', 'title': 'A', "
		  "'minimum': 1}}}}", "{'a': 0}",
		  "{'operatorName': '$jsonSchema', 'title': 't', 'description': 'd', 'schemaRulesNotSatisfied': [{'operatorName': "
		  "'properties', 'propertiesNotSatisfied': [{'propertyName': 'a', 'title': 'A', 'description': 'at least 1', 'details': "
		  "[{'operatorName': 'minimum', 'specifiedAs': {'minimum': 1}, 'reason': 'comparison failed', 'consideredValue': 0}]}]}]}" },
		/* of the whole document: only what is about documents */
		{ "{'$jsonSchema': {'enum': [{'a': 1}], 'minimum': 5}}", "{'_id': 1, 'a': 2}",
		  SCHEMA("{'operatorName': 'enum', 'specifiedAs': {'enum': [{'a': 1}]}, 'reason': 'value was not found in enum', "
		         "'consideredValue': {'_id': 1, 'a': 2}}") },
		{ "{'$jsonSchema': {'enum': [1, 2]}}", "{'_id': 1}",
		  SCHEMA("{'operatorName': 'enum', 'specifiedAs': {'enum': [1, 2]}, 'reason': 'expression always evaluates to false'}") },
		{ "{'$jsonSchema': {'bsonType': 'string'}}", "{'_id': 1}",
		  "{'operatorName': '$jsonSchema', 'specifiedAs': {'$jsonSchema': {'bsonType': 'string'}}, 'reason': 'expression always "
		  "evaluates to false'}" },
	};

	CHECK_EXAMPLES(list);
}

static void test_schema_of_arrays(void)
{
#define NOT_INT(v) \
	"{'operatorName': 'bsonType', 'specifiedAs': {'bsonType': 'int'}, 'reason': 'type did not match', 'consideredValue': " v \
	", 'consideredType': 'string'}"
	static const struct example list[] = {
		{ A_SHOULD("'minItems': 2"), "{'a': [1]}",
		  OF_A("{'operatorName': 'minItems', 'specifiedAs': {'minItems': 2}, 'reason': 'array did not match specified length', "
		       "'consideredValue': [1], 'numberOfItems': 1}") },
		{ A_SHOULD("'maxItems': 0"), "{'a': [1]}",
		  OF_A("{'operatorName': 'maxItems', 'specifiedAs': {'maxItems': 0}, 'reason': 'array did not match specified length', "
		       "'consideredValue': [1], 'numberOfItems': 1}") },
		{ A_SHOULD("'uniqueItems': true"), "{'a': [1, {'x': 1, 'y': 2}, {'y': 2, 'x': 1}, 1]}",
		  OF_A("{'operatorName': 'uniqueItems', 'specifiedAs': {'uniqueItems': true}, 'reason': 'found a duplicate item', "
		       "'consideredValue': [1, {'x': 1, 'y': 2}, {'y': 2, 'x': 1}, 1], 'duplicatedValue': {'y': 2, 'x': 1}}") },
		{ A_SHOULD("'items': {'bsonType': 'int', 'title': 'whole'}"), "{'a': [1, 'x', 'y']}",
		  OF_A("{'operatorName': 'items', 'title': 'whole', 'reason': 'At least one item did not match the sub-schema', "
		       "'itemIndex': 1, 'details': [" NOT_INT("'x'") "]}") },
		{ A_SHOULD("'items': [{'bsonType': 'int'}, {'bsonType': 'int'}, {'bsonType': 'int'}]"), "{'a': ['x', 1]}",
		  OF_A("{'operatorName': 'items', 'details': [{'itemIndex': 0, 'details': [" NOT_INT("'x'") "]}]}") },
		{ A_SHOULD("'items': [{}], 'additionalItems': {'bsonType': 'int', 'description': 'd'}"), "{'a': ['x', 1, 'y']}",
		  OF_A("{'operatorName': 'additionalItems', 'description': 'd', 'reason': 'At least one additional item did not match "
		       "the sub-schema', 'itemIndex': 2, 'details': [" NOT_INT("'y'") "]}") },
		{ A_SHOULD("'items': [{}], 'additionalItems': false"), "{'a': ['x', 1, 'y']}",
		  OF_A("{'operatorName': 'additionalItems', 'specifiedAs': {'additionalItems': false}, 'reason': 'found additional "
		       "items', 'additionalItems': [1, 'y']}") },
		{ A_SHOULD("'items': {'items': {'bsonType': 'int'}}"), "{'a': [[1], [], [2, 'x']]}",
		  OF_A("{'operatorName': 'items', 'reason': 'At least one item did not match the sub-schema', 'itemIndex': 2, "
		       "'details': [{'operatorName': 'items', 'reason': 'At least one item did not match the sub-schema', 'itemIndex': "
		       "1, 'details': [" NOT_INT("'x'") "]}]}") },
	};

	CHECK_EXAMPLES(list);
}

static void test_schema_of_documents(void)
{
#define B_MISSING "{'operatorName': 'required', 'specifiedAs': {'required': ['b']}, 'missingProperties': ['b']}"
	static const struct example list[] = {
		{ "{'$jsonSchema': {'required': ['z', 'b', 'a']}}", "{'b': 1}",
		  SCHEMA("{'operatorName': 'required', 'specifiedAs': {'required': ['z', 'b', 'a']}, 'missingProperties': ['a', 'z']}") },
		/* what is missing is said once, by `required` */
		{ "{'$jsonSchema': {'required': ['b'], 'properties': {'b': {'bsonType': 'int', 'minimum': 2}}}}", "{}",
		  SCHEMA(B_MISSING) },
		/* but a logical keyword has an opinion on nothing too */
		{ "{'$jsonSchema': {'required': ['b'], 'properties': {'b': {'anyOf': [{'bsonType': 'int'}]}}}}", "{}",
		  SCHEMA("{'operatorName': 'properties', 'propertiesNotSatisfied': [{'propertyName': 'b', 'details': [{'operatorName': "
		         "'anyOf', 'schemasNotSatisfied': [{'index': 0, 'details': []}]}]}]}, " B_MISSING) },
		{ A_SHOULD("'required': ['b']"), "{'a': {}}", OF_A(B_MISSING) },
		{ A_SHOULD("'bsonType': 'object', 'required': ['b']"), "{'a': 'x'}",
		  OF_A("{'operatorName': 'bsonType', 'specifiedAs': {'bsonType': 'object'}, 'reason': 'type did not match', "
		       "'consideredValue': 'x', 'consideredType': 'string'}") },
		{ A_SHOULD("'minProperties': 2"), "{'a': {'x': 1}}",
		  OF_A("{'operatorName': 'minProperties', 'specifiedAs': {'minProperties': 2}, 'reason': 'specified number of "
		       "properties was not satisfied', 'numberOfProperties': 1}") },
		{ "{'$jsonSchema': {'maxProperties': 2}}", "{'_id': 1, 'x': 1, 'y': 2}",
		  SCHEMA("{'operatorName': 'maxProperties', 'specifiedAs': {'maxProperties': 2}, 'reason': 'specified number of "
		         "properties was not satisfied', 'numberOfProperties': 3}") },
		{ "{'$jsonSchema': {'properties': {'_id': {}}, 'patternProperties': {'^p': {}}, 'additionalProperties': false}}",
		  "{'_id': 1, 'p1': 1, 'x': 1, 'y': 2}",
		  SCHEMA("{'operatorName': 'additionalProperties', 'specifiedAs': {'additionalProperties': false}, "
		         "'additionalProperties': ['x', 'y']}") },
		/* additional properties come first, then those of patterns: the first one of each pattern */
		{ "{'$jsonSchema': {'patternProperties': {'^p': {'bsonType': 'int', 'title': 'P'}, '_id': {}}, 'additionalProperties': "
		  "{'bsonType': 'int', 'title': 'rest'}}}", "{'_id': 1, 'p1': 1, 'p2': 'x', 'p3': 'y', 'q': 'z'}",
		  SCHEMA("{'operatorName': 'additionalProperties', 'title': 'rest', 'reason': 'at least one additional property did not "
		         "match the subschema', 'failingProperty': 'q', 'details': [" NOT_INT("'z'") "]}, {'operatorName': "
		         "'patternProperties', 'details': [{'propertyName': 'p2', 'title': 'P', 'regexMatched': '^p', 'details': ["
		         NOT_INT("'x'") "]}]}") },
		{ "{'$jsonSchema': {'dependencies': {'title': 'T', 'a': ['z', 'b'], 'c': {'required': ['b']}, 'd': ['e']}}}",
		  "{'a': 1, 'c': 2}",
		  SCHEMA("{'operatorName': 'dependencies', 'title': 'T', 'failingDependencies': [{'conditionalProperty': 'a', "
		         "'missingProperties': ['z', 'b']}, {'conditionalProperty': 'c', 'details': [" B_MISSING "]}]}") },
	};

	CHECK_EXAMPLES(list);
}

static void test_schema_logic(void)
{
#define UNDER(n, v) \
	"{'operatorName': 'minimum', 'specifiedAs': {'minimum': " n "}, 'reason': 'comparison failed', 'consideredValue': " v "}"
	static const struct example list[] = {
		{ A_SHOULD("'allOf': [{'minimum': 1}, {'minimum': 9, 'title': 'nine'}]"), "{'a': 4}",
		  OF_A("{'operatorName': 'allOf', 'schemasNotSatisfied': [{'index': 1, 'title': 'nine', 'details': [" UNDER("9", "4")
		       "]}]}") },
		{ A_SHOULD("'anyOf': [{'minimum': 8}, {'minimum': 9}]"), "{'a': 4}",
		  OF_A("{'operatorName': 'anyOf', 'schemasNotSatisfied': [{'index': 0, 'details': [" UNDER("8", "4") "]}, {'index': 1, "
		       "'details': [" UNDER("9", "4") "]}]}") },
		{ A_SHOULD("'oneOf': [{'minimum': 8}, {'minimum': 9}]"), "{'a': 4}",
		  OF_A("{'operatorName': 'oneOf', 'schemasNotSatisfied': [{'index': 0, 'details': [" UNDER("8", "4") "]}, {'index': 1, "
		       "'details': [" UNDER("9", "4") "]}]}") },
		{ A_SHOULD("'oneOf': [{'minimum': 1}, {'minimum': 9}, {'bsonType': 'int'}]"), "{'a': 4}",
		  OF_A("{'operatorName': 'oneOf', 'reason': 'more than one subschema matched', 'matchingSchemaIndexes': [0, 2]}") },
		{ A_SHOULD("'not': {'minimum': 1}"), "{'a': 4}", OF_A("{'operatorName': 'not', 'reason': 'child expression matched'}") },
		{ "{'$jsonSchema': {'anyOf': [{'bsonType': 'string'}, {'required': ['b']}]}}", "{'a': 4}",
		  SCHEMA("{'operatorName': 'anyOf', 'schemasNotSatisfied': [{'index': 0, 'details': {'operatorName': '$jsonSchema', "
		         "'specifiedAs': {'$jsonSchema': {'bsonType': 'string'}}, 'reason': 'expression always evaluates to false'}}, "
		         "{'index': 1, 'details': [" B_MISSING "]}]}") },
	};

	CHECK_EXAMPLES(list);
}

static void test_limits(void)
{
	struct bytes validator = BYTES_INIT, document = BYTES_INIT;
	struct value info;

	begin();
	info = refuse("{'$alwaysFalse': 1}", "{'_id': 7}");
	ASSERT_TEXT(harness_text(info),
	            harness_text(harness_json("{'failingDocumentId': 7, 'note': 'failed to generate document validation error', "
	                                      "'details': {'code': 4994600, 'codeName': 'Location4994600', 'errmsg': 'Cannot "
	                                      "generate validation error details: no annotation found for expression { "
	                                      "$alwaysFalse: 1 }'}}")));
	/* deeper than a reply may be */
	for (int i = 0; i < 60; i++)
		bytes_append_text(&validator, "{'properties': {'a': ");
	bytes_append_text(&validator, "{'bsonType': 'int'}");
	for (int i = 0; i < 60; i++) {
		bytes_append_text(&validator, "}}");
		bytes_append_text(&document, "{'a': ");
	}
	bytes_append_text(&document, "'x'");
	for (int i = 0; i < 60; i++)
		bytes_append_text(&document, "}");
	{
		struct bytes schema = BYTES_INIT;

		bytes_format(&schema, "{'$jsonSchema': %s}", bytes_text(&validator));
		info = refuse(bytes_text(&schema), bytes_text(&document));
		bytes_clear(&schema);
	}
	ASSERT_TEXT(harness_text(info),
	            harness_text(harness_json("{'reason': 'generated error was too deeply nested', 'truncated': true}")));
	bytes_clear(&validator);
	bytes_clear(&document);
	end();
}

/* Values that would make an error too long are left out of it. */
static void test_long_error(void)
{
	enum { LONG = 13 * 1024 * 1024 };
	char *long_text = malloc(LONG);
	struct bytes command = BYTES_INIT;
	struct writer w;
	struct value info;

	begin();
	memset(long_text, 'x', LONG);
	check_ok("{'create': 'c', 'validator': {'s': 'short'}}");
	writer_begin(&w, &command);
	writer_text(&w, "insert", "c");
	writer_begin_array(&w, key_of("documents"));
	writer_begin_document(&w, key_of(""));
	writer_int32(&w, "_id", 1);
	writer_key_text(&w, "s", (struct key){ long_text, LONG });
	writer_end(&w);
	writer_end(&w);
	info = value_get(value_get(value_get(ask_value(writer_finish(&w)), "writeErrors"), "0"), "errInfo");
	ASSERT_TEXT(harness_text(info),
	            harness_text(harness_json("{'failingDocumentId': 1, 'truncated': true, 'details': {'operatorName': '$eq', "
	                                      "'reason': 'comparison failed'}}")));
	bytes_clear(&command);
	free(long_text);
	end();
}

#define INSERT_BAD "{'insert': 'c', 'documents': [{'_id': 9, 'n': 'x'}]}"
#define BAD "Document failed validation"
#define BAD_UPDATE "Plan executor error during update :: caused by :: Document failed validation"
#define NUMBERS "'validator': {'n': {'$type': 'int'}}"

static void test_levels(void)
{
	begin();
	check_ok("{'insert': 'c', 'documents': [{'_id': 1, 'n': 'old'}, {'_id': 2, 'n': 2}]}");
	check_ok("{'collMod': 'c', " NUMBERS "}");
	check_refused(INSERT_BAD, 121, BAD);
	check_refused("{'update': 'c', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'m': 1}}}]}", 121, BAD_UPDATE);
	/* what changes nothing is not looked at */
	check_ok("{'update': 'c', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'n': 'old'}}}]}");
	check_ok("{'collMod': 'c', 'validationLevel': 'moderate'}");
	check_ok("{'update': 'c', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'m': 1}}}]}");
	check_refused(INSERT_BAD, 121, BAD);
	check_refused("{'update': 'c', 'updates': [{'q': {'_id': 2}, 'u': {'$set': {'n': 'x'}}}]}", 121, BAD_UPDATE);
	check_refused("{'update': 'c', 'updates': [{'q': {'_id': 3}, 'u': {'$set': {'n': 'x'}}, 'upsert': true}]}", 121, BAD_UPDATE);
	check_refused("{'findAndModify': 'c', 'query': {'_id': 2}, 'update': {'$set': {'n': 'x'}}}", 121,
	              "Plan executor error during findAndModify :: caused by :: Document failed validation");
	check_ok("{'collMod': 'c', 'validationLevel': 'off'}");
	check_ok(INSERT_BAD);
	ASSERT_TEXT(harness_text(ask("{'count': 'c', 'query': {'$nor': [{'n': {'$type': 'int'}}]}}")), "{\"n\": 2, \"ok\": 1.0}");
	end();
}

static void test_bulk(void)
{
	struct value reply, errors;

	begin();
	check_ok("{'create': 'c', " NUMBERS "}");
	reply = ask("{'insert': 'c', 'ordered': false, 'documents': [{'_id': 1, 'n': 1}, {'_id': 2}, {'_id': 1, 'n': 1}, {'_id': 3, "
	            "'n': 3}]}");
	errors = value_get(reply, "writeErrors");
	CU_ASSERT_EQUAL(value_int32(value_get(reply, "n")), 2);
	CU_ASSERT_EQUAL(value_count(errors), 2);
	ASSERT_TEXT(harness_text(value_get(errors, "0")),
	            harness_text(harness_json("{'index': 1, 'code': 121, 'errInfo': {'failingDocumentId': 2, 'details': {'operatorName': "
	                                      "'$type', 'specifiedAs': {'n': {'$type': 'int'}}, 'reason': 'field was missing'}}, "
	                                      "'errmsg': 'Document failed validation'}")));
	CU_ASSERT_EQUAL(value_int32(value_get(value_get(errors, "1"), "code")), 11000);
	CU_ASSERT(value_is_missing(value_get(value_get(errors, "1"), "errInfo")));
	/* findAndModify is refused as a whole */
	reply = ask("{'findAndModify': 'c', 'query': {'_id': 1}, 'update': {'$unset': {'n': ''}}}");
	ASSERT_TEXT(harness_text(value_get(reply, "errInfo")),
	            harness_text(harness_json("{'failingDocumentId': 1, 'details': {'operatorName': '$type', 'specifiedAs': {'n': "
	                                      "{'$type': 'int'}}, 'reason': 'field was missing'}}")));
	end();
}

static int logged;
static char logged_text[2000];

static void take_line(void *context, struct value line)
{
	(void)context;
	logged++;
	snprintf(logged_text, sizeof logged_text, "%s", harness_text(line));
}

static void test_actions(void)
{
	begin();
	logged = 0;
	engine_set_log(e, take_line, NULL);
	check_ok("{'create': 'c', " NUMBERS ", 'validationAction': 'warn'}");
	check_ok(INSERT_BAD);
	CU_ASSERT_EQUAL(logged, 1);
	ASSERT_TEXT(logged_text,
	            harness_text(harness_json("{'s': 'W', 'c': 'STORAGE', 'id': 20294, 'msg': 'Document would fail validation', 'attr': "
	                                      "{'namespace': 'shop.c', 'document': {'_id': 9, 'n': 'x'}, 'errInfo': "
	                                      "{'failingDocumentId': 9, 'details': {'operatorName': '$type', 'specifiedAs': {'n': "
	                                      "{'$type': 'int'}}, 'reason': 'type did not match', 'consideredValue': 'x', "
	                                      "'consideredType': 'string'}}}}")));
	check_ok("{'delete': 'c', 'deletes': [{'q': {}, 'limit': 0}]}");
	check_ok("{'collMod': 'c', 'validationAction': 'errorAndLog'}");
	check_refused(INSERT_BAD, 121, BAD);
	CU_ASSERT_EQUAL(logged, 2);
	CU_ASSERT_PTR_NOT_NULL(strstr(logged_text, "7488700"));
	check_ok("{'collMod': 'c', 'validationAction': 'error'}");
	check_refused(INSERT_BAD, 121, BAD);
	CU_ASSERT_EQUAL(logged, 2);
	end();
}

static void test_bypass(void)
{
	begin();
	check_ok("{'create': 'c', " NUMBERS "}");
	check_ok("{'insert': 'c', 'documents': [{'_id': 1}], 'bypassDocumentValidation': true}");
	check_refused("{'insert': 'c', 'documents': [{'_id': 2}], 'bypassDocumentValidation': false}", 121, BAD);
	check_ok("{'update': 'c', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'m': 1}}}], 'bypassDocumentValidation': true}");
	check_ok("{'findAndModify': 'c', 'query': {'_id': 1}, 'update': {'m': 2}, 'bypassDocumentValidation': true}");
	/* explain changes nothing and refuses nothing; measuring says what would be refused */
	ASSERT_TEXT(harness_text(value_get(value_get(value_get(ask("{'explain': {'update': 'c', 'updates': [{'q': {'_id': 1}, 'u': {'m': "
	                                                           "3}}]}, 'verbosity': 'executionStats'}"), "executionStats"),
	                                   "executionStages"), "nWouldModify")), "1");
	end();
}

/* Results of pipelines are documents like others. */
static void test_pipelines(void)
{
	static const char into[] = "{'aggregate': 'from', 'pipeline': [%s], 'cursor': {}%s}";
	char command[300];

	begin();
	check_ok("{'insert': 'from', 'documents': [{'_id': 1, 'n': 1}, {'_id': 2, 'n': 'x'}]}");
	check_ok("{'create': 'c', " NUMBERS "}");
	snprintf(command, sizeof command, into, "{'$out': 'c'}", "");
	check_refused(command, 121, "PlanExecutor error during aggregation :: caused by :: insert for $out failed :: caused by :: "
	                            "Document failed validation");
	ASSERT_TEXT(harness_text(ask("{'count': 'c'}")), "{\"n\": 0, \"ok\": 1.0}");
	snprintf(command, sizeof command, into, "{'$out': 'c'}", ", 'bypassDocumentValidation': true");
	check_ok(command);
	ASSERT_TEXT(harness_text(ask("{'count': 'c'}")), "{\"n\": 2, \"ok\": 1.0}");
	ASSERT_TEXT(options_of("c"), "{\"validator\": {\"n\": {\"$type\": \"int\"}}}");
	check_ok("{'delete': 'c', 'deletes': [{'q': {}, 'limit': 0}]}");
	snprintf(command, sizeof command, into, "{'$match': {'_id': 2}}, {'$merge': 'c'}", "");
	CU_ASSERT_EQUAL(value_int32(value_get(ask(command), "code")), 121);
	snprintf(command, sizeof command, into, "{'$match': {'_id': 2}}, {'$merge': 'c'}", ", 'bypassDocumentValidation': true");
	check_ok(command);
	ASSERT_TEXT(harness_text(ask("{'count': 'c'}")), "{\"n\": 1, \"ok\": 1.0}");
	end();
}

static void test_options(void)
{
	begin();
	/* `create` keeps what it was told, the first change writes the rest out */
	check_ok("{'create': 'c', " NUMBERS "}");
	ASSERT_TEXT(options_of("c"), "{\"validator\": {\"n\": {\"$type\": \"int\"}}}");
	check_ok("{'collMod': 'c', 'validationAction': 'warn'}");
	ASSERT_TEXT(options_of("c"), "{\"validator\": {\"n\": {\"$type\": \"int\"}}, \"validationLevel\": \"strict\", "
	                             "\"validationAction\": \"warn\"}");
	check_ok("{'collMod': 'c', 'validator': {}}");
	ASSERT_TEXT(options_of("c"), "{\"validationLevel\": \"strict\", \"validationAction\": \"warn\"}");
	check_ok(INSERT_BAD);
	check_ok("{'collMod': 'c'}");
	check_refused("{'collMod': 'none', " NUMBERS "}", 26, "ns does not exist");
	check_refused("{'collMod': 'c', 'validator': {'n': {'$nope': 1}}}", 2,
	              "Parsing of collection validator failed :: caused by :: unknown operator: $nope");
	check_refused("{'create': 'd', 'validator': {'n': {'$nope': 1}}}", 2, "unknown operator: $nope");
	check_refused("{'create': 'd', 'validator': 1}", 14, "BSON field 'create.validator' is the wrong type 'int', expected type "
	                                                     "'object'");
	check_refused("{'create': 'd', 'validationLevel': 'hard'}", 2,
	              "Enumeration value 'hard' for field 'create.validationLevel' is not a valid value.");
	check_refused("{'collMod': 'c', 'validationAction': 'shout'}", 2,
	              "Enumeration value 'shout' for field 'collMod.validationAction' is not a valid value.");
	check_refused("{'collMod': 'c', 'nope': 1}", 40415, "BSON field 'collMod.nope' is an unknown field.");
	check_refused("{'collMod': 'c', 'viewOn': 'd'}", 72, "option only supported on a view: viewOn");
	check_refused("{'collMod': 'c', 'cappedSize': 1000}", 72, "Collection must be capped.");
	CU_ASSERT(value_is_missing(value_get(value_get(value_get(ask("{'listCollections': 1, 'filter': {'name': 'd'}}"), "cursor"),
	                                               "firstBatch"), "0")));
	end();
}

static void test_indexes(void)
{
	begin();
	check_ok("{'createIndexes': 'c', 'indexes': [{'key': {'n': 1}, 'name': 'n'}, {'key': {'a': 1, 'b': 1}, 'name': 'ab', 'unique': "
	         "true}]}");
	check_refused("{'collMod': 'c', 'index': {'hidden': true}}", 72, "Must specify either index name or key pattern.");
	check_refused("{'collMod': 'c', 'index': {'name': 'n', 'keyPattern': {'n': 1}, 'hidden': true}}", 72,
	              "Cannot specify both key pattern and name.");
	check_refused("{'collMod': 'c', 'index': {'name': 'n'}}", 72, "no expireAfterSeconds, hidden, unique, or prepareUnique field");
	check_refused("{'collMod': 'c', 'index': {'name': 'm', 'hidden': true}}", 27, "cannot find index m for ns shop.c");
	check_refused("{'collMod': 'c', 'index': {'keyPattern': {'m': 1}, 'hidden': true}}", 27,
	              "cannot find index { m: 1 } for ns shop.c");
	check_refused("{'collMod': 'c', 'index': {'name': '_id_', 'hidden': true}}", 2, "can't hide _id index");
	ASSERT_TEXT(harness_text(ask("{'collMod': 'c', 'index': {'name': 'n', 'hidden': true}}")),
	            "{\"hidden_old\": false, \"hidden_new\": true, \"ok\": 1.0}");
	ASSERT_TEXT(harness_text(ask("{'collMod': 'c', 'index': {'keyPattern': {'n': 1}, 'hidden': true}}")), "{\"ok\": 1.0}");
	CU_ASSERT_PTR_NOT_NULL(strstr(harness_text(ask("{'listIndexes': 'c'}")), "\"name\": \"n\", \"hidden\": true"));
	CU_ASSERT_PTR_NOT_NULL(strstr(harness_text(ask("{'explain': {'find': 'c', 'filter': {'n': 1}}}")), "COLLSCAN"));
	ASSERT_TEXT(harness_text(ask("{'collMod': 'c', 'index': {'name': 'n', 'hidden': false}}")),
	            "{\"hidden_old\": true, \"hidden_new\": false, \"ok\": 1.0}");
	CU_ASSERT_PTR_NULL(strstr(harness_text(ask("{'listIndexes': 'c'}")), "hidden"));
	check_refused("{'collMod': 'c', 'index': {'name': '_id_', 'expireAfterSeconds': 5}}", 72,
	              "the _id field does not support TTL indexes");
	check_refused("{'collMod': 'c', 'index': {'name': 'ab', 'expireAfterSeconds': 5}}", 72,
	              "TTL indexes are single-field indexes, compound indexes do not support TTL");
	check_refused("{'collMod': 'c', 'index': {'name': 'n', 'expireAfterSeconds': 5}}", 238,
	              "'collMod.index.expireAfterSeconds' is not supported by this engine");
	check_refused("{'collMod': 'c', 'index': {'name': 'n', 'unique': true}}", 72,
	              "Cannot make index unique with 'prepareUnique=false'. Run collMod to set it first.");
	check_ok("{'collMod': 'c', 'index': {'name': 'ab', 'unique': true}}");
	check_refused("{'collMod': 'c', 'index': {'name': 'n', 'nope': 1}}", 40415, "BSON field 'collMod.index.nope' is an unknown field.");
	end();
}

static void test_constraint(void)
{
	begin();
	check_ok("{'insert': 'c', 'documents': [{'_id': 1, 'n': 1}, {'_id': 2, 'n': 'x'}, {'_id': 3}]}");
	check_ok("{'collMod': 'c', " NUMBERS "}");
	check_ok("{'collMod': 'c', 'validationLevel': 'moderate'}");
	check_ok("{'delete': 'c', 'deletes': [{'q': {'_id': 3}, 'limit': 1}]}");
	/* the scan comes before everything else */
	check_refused("{'collMod': 'c', 'validationLevel': 'constraint'}", 12370902,
	              "Cannot upgrade validationLevel to 'constraint': the collection contains documents that do not satisfy the "
	              "validator. First offending document _id: 2 Run db.c.find({\"$nor\": [{ n: { $type: \"int\" } }]}) to find "
	              "non-compliant documents.");
	check_ok("{'update': 'c', 'updates': [{'q': {'_id': 2}, 'u': {'$set': {'n': 2}}}]}");
#define SET_OPTIONS "Failed to set validation options :: caused by :: "
	check_refused("{'collMod': 'c', 'validationLevel': 'constraint'}", 2,
	              SET_OPTIONS "validationLevel can only be changed to 'constraint' from 'strict'");
	check_ok("{'collMod': 'c', 'validationLevel': 'strict'}");
	check_refused("{'collMod': 'c', 'validationLevel': 'constraint'}", 2,
	              SET_OPTIONS "Cannot upgrade validationLevel to 'constraint' without first setting "
	                          "prepareConstraintValidationLevel to true");
	check_ok("{'collMod': 'c', 'prepareConstraintValidationLevel': true}");
	CU_ASSERT_PTR_NOT_NULL(strstr(options_of("c"), "\"prepareConstraintValidationLevel\": true"));
	check_refused("{'collMod': 'c', " NUMBERS "}", 2,
	              SET_OPTIONS "Validator cannot be changed while prepareConstraintValidationLevel is set. To make validator "
	                          "changes, first run: db.runCommand({collMod: \"<collection>\", prepareConstraintValidationLevel: "
	                          "false})");
	check_refused("{'insert': 'c', 'documents': [{'n': 1}], 'bypassDocumentValidation': true}", 2,
	              "bypassDocumentValidation is not permitted while prepareConstraintValidationLevel is set. To allow "
	              "bypassDocumentValidation, first run: db.runCommand({collMod: \"c\", prepareConstraintValidationLevel: "
	              "false})");
	check_refused("{'collMod': 'c', 'validationLevel': 'constraint', 'validationAction': 'warn'}", 2,
	              SET_OPTIONS "Validation action of 'warn' is not allowed when Validation level is 'constraint'");
	check_ok("{'collMod': 'c', 'validationLevel': 'constraint', 'prepareConstraintValidationLevel': true}");
	ASSERT_TEXT(options_of("c"), "{\"validator\": {\"n\": {\"$type\": \"int\"}}, \"validationLevel\": \"constraint\", "
	                             "\"validationAction\": \"error\"}");
	check_ok("{'collMod': 'c', 'validationLevel': 'constraint'}");
	check_refused("{'insert': 'c', 'documents': [{'n': 1}], 'bypassDocumentValidation': true}", 2,
	              "bypassDocumentValidation is not permitted with 'constraint' validationLevel");
	check_refused("{'collMod': 'c', 'validator': {'n': 1}}", 2,
	              SET_OPTIONS "Validator cannot be changed when Validation level is 'constraint'");
	check_refused(INSERT_BAD, 121, BAD);
	check_ok("{'collMod': 'c', 'validationLevel': 'strict', 'validator': {'n': {'$exists': true}}}");
	check_ok(INSERT_BAD);
	check_ok("{'create': 'd', 'validationLevel': 'constraint', " NUMBERS "}");
	check_refused("{'create': 'f', 'validationLevel': 'constraint', 'validationAction': 'warn'}", 2,
	              "Validation action of 'warn' is not allowed when Validation level is 'constraint'");
	end();
}

/* The whole validator is named, however long it is. */
static void test_long_validator(void)
{
	struct bytes command = BYTES_INIT;
	struct value reply, message;

	begin();
	check_ok("{'insert': 'c', 'documents': [{'_id': 1}]}");
	bytes_append_text(&command, "{'collMod': 'c', 'validationLevel': 'strict', 'validator': {");
	for (int i = 0; i < 200; i++)
		bytes_format(&command, "%s'field%d': %d", i ? ", " : "", i, i);
	bytes_append_text(&command, "}}");
	check_ok(bytes_text(&command));
	check_ok("{'collMod': 'c', 'prepareConstraintValidationLevel': true}");
	reply = ask("{'collMod': 'c', 'validationLevel': 'constraint'}");
	message = value_get(reply, "errmsg");
	CU_ASSERT_PTR_NOT_NULL(strstr(value_text(message).bytes, "field199: 199 }]}) to find non-compliant documents."));
	bytes_clear(&command);
	end();
}

static void test_older_version(void)
{
	begin();
	engine_emulate(e, emulation_find("8.0"));
	check_ok("{'insert': 'c', 'documents': [{'_id': 1, 'n': 'x'}]}");
	check_ok("{'collMod': 'c', " NUMBERS "}");
	check_refused("{'update': 'c', 'updates': [{'q': {'_id': 1}, 'u': {'$set': {'m': 1}}}]}", 121, BAD);
	check_refused("{'collMod': 'c', 'validationLevel': 'constraint'}", 2,
	              "Enumeration value 'constraint' for field 'collMod.validationLevel' is not a valid value.");
	check_refused("{'collMod': 'c', 'validationAction': 'errorAndLog'}", 2,
	              "Enumeration value 'errorAndLog' for field 'collMod.validationAction' is not a valid value.");
	check_refused("{'collMod': 'c', 'prepareConstraintValidationLevel': true}", 40415,
	              "BSON field 'collMod.prepareConstraintValidationLevel' is an unknown field.");
	end();
}

/* What a dump says of a collection is kept, shown, and asked of later writes; a validator that is no filter as well. */
static void test_dumps(void)
{
	bson_t options;
	bson_error_t error;
	struct value good = harness_json("{" NUMBERS ", 'validationLevel': 'strict', 'validationAction': 'error'}");
	struct value bad = harness_json("{'validator': {'n': {'$nope': 1}}}"), document = harness_json("{'_id': 1}");

	begin();
	value_to_bson(&options, good);
	CU_ASSERT(engine_open_collection(e, "shop", "good", &options, &error));
	CU_ASSERT(engine_append(e, "shop", "good", &document, 1, &error));
	ASSERT_TEXT(options_of("good"), harness_text(good));
	check_refused("{'insert': 'good', 'documents': [{'_id': 2}]}", 121, BAD);
	value_to_bson(&options, bad);
	CU_ASSERT(engine_open_collection(e, "shop", "bad", &options, &error));
	ASSERT_TEXT(options_of("bad"), harness_text(bad));
	check_refused("{'insert': 'bad', 'documents': [{'_id': 2}]}", 2, "unknown operator: $nope");
	end();
}

int main(void)
{
	static const struct test_case cases[] = {
		{ "query operators", test_operators },
		{ "logical operators", test_logic },
		{ "schema: values", test_schema_of_values },
		{ "schema: arrays", test_schema_of_arrays },
		{ "schema: documents", test_schema_of_documents },
		{ "schema: logic", test_schema_logic },
		{ "limits of errors", test_limits },
		{ "long error", test_long_error },
		{ "levels", test_levels },
		{ "bulk writes", test_bulk },
		{ "actions", test_actions },
		{ "bypass", test_bypass },
		{ "pipelines", test_pipelines },
		{ "options", test_options },
		{ "indexes", test_indexes },
		{ "constraint level", test_constraint },
		{ "long validator", test_long_validator },
		{ "older version", test_older_version },
		{ "dumps", test_dumps },
		{ NULL, NULL }
	};

	return harness_run("validation", cases);
}
