#include "model/facts.h"

#include "model/cursor.h"
#include "model/zipf.h"

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

static struct figure exact(struct value document, const char *name)
{
	int64_t n;

	return value_as_int64(value_get(document, name), &n) ? figure_of(n, PROVENANCE_EXACT) : figure_unknown();
}

#define STATISTICS(count)                                                                                              \
	"{", "$group", "{", "_id", BCON_NULL, "parents", "{", "$sum", BCON_INT32(1), "}", "found", "{", "$sum", count, \
	        "}", "least", "{", "$min", count, "}", "most", "{", "$max", count, "}", "}", "}"

static bool ask_parents(struct lab *lab, const struct relationship *r, struct bytes *out,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	char *array = bson_strdup_printf("$%s", r->path);
	bson_t *command;
	bool good;

	if (r->origin == SHAPE_EMBED)
		command = BCON_NEW("aggregate", BCON_UTF8(r->parent), "pipeline", "[", "{", "$project", "{", "n", "{",
		                   "$cond", "[", "{", "$isArray", "[", BCON_UTF8(array), "]", "}", "{", "$size",
		                   BCON_UTF8(array), "}", BCON_INT32(0), "]", "}", "}", "}",
		                   STATISTICS(BCON_UTF8("$n")), "]", "cursor", "{", "}");
	else
		command = BCON_NEW("aggregate", BCON_UTF8(r->parent), "pipeline", "[", "{", "$lookup", "{", "from",
		                   BCON_UTF8(r->child), "localField", BCON_UTF8(r->parent_key), "foreignField",
		                   BCON_UTF8(r->child_parent_key), "as", BCON_UTF8("children"), "}", "}", "{",
		                   "$project", "{", "n", "{", "$size", BCON_UTF8("$children"), "}", "}", "}",
		                   STATISTICS(BCON_UTF8("$n")), "]", "cursor", "{", "}");
	good = ask(lab, command, out, interrupt, error);
	bson_free(array);
	return good;
}

static bool ask_children(struct lab *lab, const struct relationship *r, struct bytes *out,
                         const struct interrupt *interrupt, bson_error_t *error)
{
	return ask(lab,
	           BCON_NEW("aggregate", BCON_UTF8(r->child), "pipeline", "[", "{", "$group", "{", "_id", BCON_NULL,
	                    "children", "{", "$sum", BCON_INT32(1), "}", "}", "}", "]", "cursor", "{", "}"),
	           out, interrupt, error);
}

bool relationship_facts(struct lab *lab, const struct relationship *r, struct relationship_facts *facts,
                        const struct interrupt *interrupt, bson_error_t *error)
{
	struct bytes parents = BYTES_INIT, children = BYTES_INIT;
	struct figure zero = figure_of(0, PROVENANCE_EXACT), unknown = figure_unknown();
	struct value v;
	bool good;

	*facts = (struct relationship_facts){ unknown, unknown, unknown, unknown, unknown };
	if (r->population) {
		population_facts(r, facts);
		return true;
	}
	good = ask_parents(lab, r, &parents, interrupt, error) &&
	       (r->origin == SHAPE_EMBED || ask_children(lab, r, &children, interrupt, error));
	if (good) {
		facts->parents = facts->found = zero;
		if (value_document(&v, parents.data, parents.size)) {
			facts->parents = exact(v, "parents");
			facts->found = exact(v, "found");
			facts->least = exact(v, "least");
			facts->most = exact(v, "most");
		}
		facts->children = r->origin == SHAPE_EMBED ? facts->found : zero;
		if (value_document(&v, children.data, children.size))
			facts->children = exact(v, "children");
	}
	bytes_clear(&parents);
	bytes_clear(&children);
	return good;
}
