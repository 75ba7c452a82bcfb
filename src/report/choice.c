#include "report/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/engine.h"
#include "model/listing.h"
#include "report/report.h"

static void add_name(struct names *n, struct key name)
{
	n->list = memory_grow(n->list, &n->capacity, n->count + 1, sizeof *n->list);
	n->list[n->count++] = memory_duplicate(name.bytes, name.size_bytes + 1);
}

static bool take_name(void *context, struct value listed, bson_error_t *error)
{
	(void)error;
	add_name(context, value_text(value_get(listed, "name")));
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void clear_names(struct names *n)
{
	for (size_t i = 0; i < n->count; i++)
		free(n->list[i]);
	free(n->list);
}

static bool list_collections(struct source *s, const char *db, struct names *n, bson_error_t *error)
{
	bool good = listing_collections(s, db, NULL, take_name, n, NULL, error);

	if (n->count)
		qsort(n->list, n->count, sizeof *n->list, by_name);
	return good;
}

/* "no collection "x" in "db"; there are: …" */
static bool fail_unknown(const char *what, const char *name, const struct names *known, bson_error_t *error)
{
	struct bytes text = BYTES_INIT, list = BYTES_INIT;

	print_text(&text, name, strlen(name));
	for (size_t i = 0; i < known->count; i++)
		bytes_format(&list, "%s%s", i ? ", " : "", known->list[i]);
	error_set(error, ERROR_INPUT, 0, "no %s \"%s\"; there are: %s", what, bytes_text(&text),
	          known->count ? bytes_text(&list) : "none");
	bytes_clear(&text);
	bytes_clear(&list);
	return false;
}

static bool contains(const struct names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (!strcmp(n->list[i], name))
			return true;
	return false;
}

static bool choose_shape(struct lab *lab, const struct options *o, struct choice *c, bson_error_t *error)
{
	const struct relationship *r = report_relationship(lab, o, error);
	const char *collections[2];
	size_t count;

	if (!r || !lab_build(lab, r, report_shape(o), NULL, error) ||
	    !lab_shape_source(lab, r, report_shape(o), &c->source, &c->db))
		return false;
	count = relationship_collections(r, report_shape(o), collections);
	for (size_t i = 0; i < count; i++)
		add_name(&c->names, key_of(collections[i]));
	return true;
}

static bool choose_database(struct lab *lab, const struct options *o, struct choice *c, bson_error_t *error)
{
	struct names databases = { 0 };
	bson_error_t reason;
	bool good = true;

	c->source = lab_origin(lab);
	c->db = o->db ? o->db : lab_model(lab)->database;
	/* who may not list databases may read this one all the same: what is not there has no collections */
	if (!listing_databases(c->source, take_name, &databases, NULL, &reason)) {
		good = reason.domain == ERROR_SERVER && !source_engine(c->source);
		if (!good)
			*error = reason;
	} else if (!contains(&databases, c->db)) {
		good = fail_unknown("database", c->db, &databases, error);
	}
	clear_names(&databases);
	return good && list_collections(c->source, c->db, &c->names, error);
}

bool choice_make(struct lab *lab, const struct options *o, struct choice *c, bson_error_t *error)
{
	if (o->db && (o->relationship || o->shape) && strcmp(o->db, lab_model(lab)->database))
		return error_set(error, ERROR_INPUT, 0, "the relationships are those of database \"%s\", not \"%s\"",
		                 lab_model(lab)->database, o->db);
	if (!(o->relationship || o->shape ? choose_shape : choose_database)(lab, o, c, error))
		return false;
	if (!o->collection)
		return true;
	if (!contains(&c->names, o->collection))
		return fail_unknown("collection", o->collection, &c->names, error);
	for (size_t i = 0, count = c->names.count; i < count; i++) {
		if (strcmp(c->names.list[i], o->collection))
			free(c->names.list[i]);
		else
			c->names.list[0] = c->names.list[i];
	}
	c->names.count = 1;
	return true;
}

void choice_clear(struct choice *c)
{
	clear_names(&c->names);
}
