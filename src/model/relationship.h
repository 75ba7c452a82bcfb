/*
 * A relationship: which documents are the parents, which the children, where the array stands when children are
 * embedded, and the field map child <-> element. Read from a model file (queries/README.md); a model owns its
 * relationships.
 */
#ifndef BSONSCOPE_MODEL_RELATIONSHIP_H
#define BSONSCOPE_MODEL_RELATIONSHIP_H

#include "base/bytes.h"
#include "base/error.h"
#include "bson/value.h"

enum shape_kind { SHAPE_EMBED, SHAPE_REFERENCE, SHAPE_KINDS };

/* "embed", "reference". */
const char *shape_name(enum shape_kind shape);
bool shape_from_name(const char *name, enum shape_kind *shape);

/* One line of the field map: a child's field and the element's; either may be null: dropped, or only in the element. */
struct field_map_entry {
	char *child;
	char *element;
};

struct relationship {
	char *name;                /* "copies" */
	char *parent, *parent_key; /* kitap, _k: also the field of the parents' unique index */
	char *child, *child_key;   /* kopya, _k: the children's own key and unique index */
	char *child_parent_key;    /* kitap: the field of a child that holds its parent's key */
	char *path;                /* kopya: the array in the parent when embedded */
	char **before;             /* the parent's fields that stand before the array; none: the array is last */
	size_t before_count;
	struct bytes order;             /* sort pattern of the children, BSON document; empty: as found */
	struct field_map_entry *fields; /* in the child's field order */
	size_t field_count;
	bool keeps_other_fields;                    /* fields the map does not name are kept ("*") */
	bool ordinal_key;                           /* elements have no key: a child's becomes {parent key, position} */
	enum shape_kind origin;                     /* the shape that the source's own data has */
	struct bytes parent_indexes, child_indexes; /* arrays of createIndexes specifications */

	/* A population without documents: only counts and a distribution are known; the shapes are not built. */
	bool population;
	int64_t population_parents, population_children;
	double zipf_exponent;
	struct bytes element_example; /* of a population: one element */
	char *note;                   /* "bounded", "grows": said by the model's author */

	/* Of a document that grows for show; each may be empty. */
	struct bytes growth_parent; /* document {"": key}: which parent */
	struct bytes growth_child;  /* filter on the children: the first of them is the template */
	char **growth_without;      /* the element's fields that the template has not */
	size_t growth_without_count;
};

/* The collections of the relationship in a shape: parent, and child when referenced. Returns how many (1 or 2). */
size_t relationship_collections(const struct relationship *r, enum shape_kind shape, const char *names[2]);

#endif
