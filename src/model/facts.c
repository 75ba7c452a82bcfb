#include "model/facts.h"

#include "model/count.h"
#include "model/cursor.h"
#include "model/zipf.h"

enum { FACTS_SAMPLE = 1000 }; /* parents */

static void population_facts(const struct relationship *r, struct relationship_facts *facts)
{
	struct zipf shares = zipf_new(r->population_parents, r->population_children, r->zipf_exponent);

	facts->parents = figure_of(r->population_parents, PROVENANCE_ASSUMED);
	facts->children = figure_of(r->population_children, PROVENANCE_ASSUMED);
	facts->found = figure_unknown();
	facts->least = figure_of(zipf_share(&shares, r->population_parents), PROVENANCE_PREDICTED);
	facts->most = figure_of(zipf_share(&shares, 1), PROVENANCE_PREDICTED);
}

static bool ask(struct lab *lab, bson_t *command, struct bytes *out, const struct interrupt *interrupt,
                bson_error_t *error)
{
	return cursor_first(lab_origin(lab), lab_model(lab)->database, command, out, interrupt, error);
}

static struct figure number(struct value document, const char *name)
{
	int64_t n;

	return value_as_int64(value_get(document, name), &n) ? figure_of(n, PROVENANCE_EXACT) : figure_unknown();
}

/* Destroys the stage. */
static void append(bson_t *pipeline, bson_t *stage)
{
	const char *key;
	char text[16];

	bson_uint32_to_string((uint32_t)bson_count_keys(pipeline), &key, text, sizeof text);
	BSON_APPEND_DOCUMENT(pipeline, key, stage);
	bson_destroy(stage);
}

/* Stages that leave n, a parent's number of children, of every parent. */
static void append_count(bson_t *pipeline, const struct relationship *r)
{
	char *array = bson_strdup_printf("$%s", r->path);

	if (r->origin == SHAPE_EMBED) {
		append(pipeline,
		       BCON_NEW("$project", "{", "n", "{", "$cond", "[", "{", "$isArray", "[", BCON_UTF8(array), "]", "}",
		                "{", "$size", BCON_UTF8(array), "}", BCON_INT32(0), "]", "}", "}"));
	} else {
		append(pipeline, BCON_NEW("$lookup", "{", "from", BCON_UTF8(r->child), "localField",
		                          BCON_UTF8(r->parent_key), "foreignField", BCON_UTF8(r->child_parent_key), "as",
		                          BCON_UTF8("children"), "}"));
		append(pipeline, BCON_NEW("$project", "{", "n", "{", "$size", BCON_UTF8("$children"), "}", "}"));
	}
	bson_free(array);
}

static bool ask_parents(struct lab *lab, const struct relationship *r, bool sampled, struct bytes *out,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	bson_t pipeline = BSON_INITIALIZER, *command;

	if (sampled)
		append(&pipeline, BCON_NEW("$sample", "{", "size", BCON_INT32(FACTS_SAMPLE), "}"));
	append_count(&pipeline, r);
	append(&pipeline, BCON_NEW("$group", "{", "_id", BCON_NULL, "parents", "{", "$sum", BCON_INT32(1), "}", "found",
	                           "{", "$sum", BCON_UTF8("$n"), "}", "least", "{", "$min", BCON_UTF8("$n"), "}", "most",
	                           "{", "$max", BCON_UTF8("$n"), "}", "}"));
	command = BCON_NEW("aggregate", BCON_UTF8(r->parent), "pipeline", BCON_ARRAY(&pipeline), "cursor", "{", "}");
	bson_destroy(&pipeline);
	return ask(lab, command, out, interrupt, error);
}

static bool ask_children(struct lab *lab, const struct relationship *r, struct bytes *out,
                         const struct interrupt *interrupt, bson_error_t *error)
{
	return ask(lab,
	           BCON_NEW("aggregate", BCON_UTF8(r->child), "pipeline", "[", "{", "$group", "{", "_id", BCON_NULL,
	                    "children", "{", "$sum", BCON_INT32(1), "}", "}", "}", "]", "cursor", "{", "}"),
	           out, interrupt, error);
}

static bool find_all(struct lab *lab, const struct relationship *r, struct relationship_facts *facts,
                     const struct interrupt *interrupt, bson_error_t *error)
{
	struct bytes parents = BYTES_INIT, children = BYTES_INIT;
	struct figure zero = figure_of(0, PROVENANCE_EXACT);
	struct value v;
	bool good = ask_parents(lab, r, false, &parents, interrupt, error) &&
	            (r->origin == SHAPE_EMBED || ask_children(lab, r, &children, interrupt, error));

	if (good) {
		facts->parents = facts->found = zero;
		if (value_document(&v, parents.data, parents.size)) {
			facts->parents = number(v, "parents");
			facts->found = number(v, "found");
			facts->least = number(v, "least");
			facts->most = number(v, "most");
		}
		facts->children = r->origin == SHAPE_EMBED ? facts->found : zero;
		if (value_document(&v, children.data, children.size))
			facts->children = number(v, "children");
	}
	bytes_clear(&parents);
	bytes_clear(&children);
	return good;
}

/* A sample says how many children parents have, and nothing of children without a parent. */
static bool find_sampled(struct lab *lab, const struct relationship *r, struct relationship_facts *facts,
                         const struct interrupt *interrupt, bson_error_t *error)
{
	struct figure *const figures[] = { &facts->least, &facts->most };
	struct bytes parents = BYTES_INIT;
	struct value v;
	bool good = ask_parents(lab, r, true, &parents, interrupt, error);

	if (good && value_document(&v, parents.data, parents.size)) {
		facts->least = number(v, "least");
		facts->most = number(v, "most");
		for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
			figures[i]->provenance = PROVENANCE_SAMPLED;
			figures[i]->n = number(v, "parents").value;
			figures[i]->of = facts->parents.value;
		}
	}
	bytes_clear(&parents);
	return good;
}

static bool count(struct lab *lab, const char *collection, struct figure *f, const struct interrupt *interrupt,
                  bson_error_t *error)
{
	int64_t n = 0;
	bool good = count_documents(lab_origin(lab), lab_model(lab)->database, collection, &n, interrupt, error);

	*f = figure_of(n, PROVENANCE_ESTIMATED);
	return good;
}

bool relationship_facts(struct lab *lab, const struct relationship *r, struct relationship_facts *facts,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	struct figure unknown = figure_unknown();
	struct source *origin = lab_origin(lab);
	const char *db = lab_model(lab)->database;
	int64_t parents, children = 0;

	*facts = (struct relationship_facts){ unknown, unknown, unknown, unknown, unknown };
	if (r->population) {
		population_facts(r, facts);
		return true;
	}
	if (!count_to_sample(origin, db, r->parent, &parents, interrupt, error) ||
	    (r->origin == SHAPE_REFERENCE && !count_to_sample(origin, db, r->child, &children, interrupt, error)))
		return false;
	if (!parents && !children)
		return find_all(lab, r, facts, interrupt, error);
	return count(lab, r->parent, &facts->parents, interrupt, error) &&
	       (r->origin == SHAPE_EMBED || count(lab, r->child, &facts->children, interrupt, error)) &&
	       find_sampled(lab, r, facts, interrupt, error);
}
