#include "model/origin_pull.h"

#include <string.h>

#include "base/figure.h"
#include "bson/writer.h"
#include "engine/engine.h"
#include "model/count.h"
#include "model/cursor.h"
#include "model/index_edits.h"

enum { PARENTS_A_QUERY = 20 };

/* Documents one after the other, up to a bound. */
struct heap {
	struct bytes documents;
	int64_t count, most;
	bool full; /* there was more */
};

struct pull {
	struct source *origin, *to;
	const struct model *model;
	const struct relationship *r;
	const char *db;
	const struct interrupt *interrupt;
	bson_error_t *error;
	struct heap parents, children;
	struct pulled *pulled;
};

static bool take(void *context, struct value document, bson_error_t *error)
{
	struct heap *h = context;

	if (h->count == h->most || h->documents.size + document.size_bytes > PULL_BYTES) {
		h->full = true;
		return error_set(error, ERROR_INPUT, 0, "more documents than are pulled");
	}
	bytes_append(&h->documents, document.bytes, document.size_bytes);
	h->count++;
	return true;
}

/* Destroys the command. Full is no failure. */
static bool fetch(struct pull *p, bson_t *command, struct heap *h)
{
	bool good = cursor_run(p->origin, p->model->database, command, take, h, p->interrupt, p->error);

	bson_destroy(command);
	return good || h->full;
}

static void clear(struct heap *h)
{
	bytes_clear(&h->documents);
}

static void empty(struct heap *h)
{
	bytes_reset(&h->documents);
	h->count = 0;
	h->full = false;
}

/* Into the engine */

struct giving {
	const struct bytes *documents;
	size_t at;
};

static bool give(void *context, struct value *document, bson_error_t *error)
{
	struct giving *g = context;

	(void)error;
	if (g->at >= g->documents->size ||
	    !value_document(document, g->documents->data + g->at, g->documents->size - g->at))
		return false;
	g->at += document->size_bytes;
	return true;
}

/* An index that the engine does not know (text, partial, …) is left out, as one that cannot be listed is. */
static bool copy_index(void *context, struct value specification, bson_error_t *error)
{
	const struct pull *p = ((void **)context)[0];
	const char *collection = ((void **)context)[1];

	(void)error;
	index_edit_send(p->to, p->db, collection, specification, false, p->interrupt, NULL);
	return true;
}

static bool load(struct pull *p, const char *collection, const struct heap *h)
{
	struct giving giving = { &h->documents, 0 };
	struct engine_loader loader = { .next = give, .context = &giving };
	const void *context[] = { p, collection };
	bson_t *command;

	if (!engine_load(source_engine(p->to), p->db, collection, model_key(p->model, collection), NULL, &loader,
	                 p->interrupt, p->error))
		return false;
	command = BCON_NEW("listIndexes", BCON_UTF8(collection));
	cursor_run(p->origin, p->model->database, command, copy_index, context, p->interrupt, NULL);
	bson_destroy(command);
	return true;
}

/* What to pull */

static bool fetch_all(struct pull *p, const char *collection, struct heap *h)
{
	return fetch(p, BCON_NEW("find", BCON_UTF8(collection)), h);
}

static struct value document_at(const struct heap *h, size_t at)
{
	struct value v = value_missing();

	value_document(&v, h->documents.data + at, h->documents.size - at);
	return v;
}

static bool same_key(struct value a, struct value b)
{
	return a.type == b.type && a.size_bytes == b.size_bytes && !memcmp(a.bytes, b.bytes, a.size_bytes);
}

/* $sample may give a document twice. */
static void drop_repeated(struct heap *h, const char *key)
{
	struct heap once = { .most = h->most, .full = h->full };

	for (size_t at = 0; at < h->documents.size;) {
		struct value v = document_at(h, at);
		bool repeated = false;

		for (size_t other = 0; other < once.documents.size && !repeated;) {
			struct value o = document_at(&once, other);

			repeated = same_key(value_get(o, key), value_get(v, key));
			other += o.size_bytes;
		}
		if (!repeated) {
			bytes_append(&once.documents, v.bytes, v.size_bytes);
			once.count++;
		}
		at += v.size_bytes;
	}
	clear(h);
	*h = once;
}

static bool sample_parents(struct pull *p)
{
	if (!fetch(p,
	           BCON_NEW("aggregate", BCON_UTF8(p->r->parent), "pipeline", "[", "{", "$sample", "{", "size",
	                    BCON_INT32(PULL_PARENTS), "}", "}", "]", "cursor", "{", "}"),
	           &p->parents))
		return false;
	drop_repeated(&p->parents, p->r->parent_key);
	return true;
}

/* The children of the parents from `at` on, PARENTS_A_QUERY of them at most; *at moves behind these. */
static bool fetch_children(struct pull *p, size_t *at, int64_t *parents)
{
	struct bytes text = BYTES_INIT;
	struct writer w;
	bson_t command;
	bool good;

	writer_begin(&w, &text);
	writer_text(&w, "find", p->r->child);
	writer_begin_document(&w, key_of("filter"));
	writer_begin_document(&w, key_of(p->r->child_parent_key));
	writer_begin_array(&w, key_of("$in"));
	for (*parents = 0; *at < p->parents.documents.size && *parents < PARENTS_A_QUERY; ++*parents) {
		struct value v = document_at(&p->parents, *at), key = value_get(v, p->r->parent_key);

		writer_value(&w, key_of(""), value_is_missing(key) ? value_null() : key);
		*at += v.size_bytes;
	}
	writer_end(&w);
	writer_end(&w);
	writer_end(&w);
	writer_finish(&w);
	bson_init_static(&command, text.data, text.size);
	good = fetch(p, bson_copy(&command), &p->children);
	bytes_clear(&text);
	return good;
}

/* Parents whose children did not all come are not kept. */
static bool sample_children(struct pull *p)
{
	size_t at = 0;
	int64_t kept = 0;

	while (at < p->parents.documents.size) {
		size_t before = at, children_bytes = p->children.documents.size;
		int64_t children = p->children.count, parents;

		if (!fetch_children(p, &at, &parents))
			return false;
		if (p->children.full) {
			p->parents.documents.size = before;
			p->children.documents.size = children_bytes;
			p->children.count = children;
			break;
		}
		kept += parents;
	}
	p->parents.count = kept;
	return kept > 0 || at == 0 ||
	       error_set(p->error, ERROR_INPUT, 0,
	                 "%d documents of \"%s\" have more children in \"%s\" than are pulled", PARENTS_A_QUERY,
	                 p->r->parent, p->r->child);
}

static bool is_embedded(const struct pull *p)
{
	return p->r->origin == SHAPE_EMBED;
}

static bool pull_whole(struct pull *p)
{
	return fetch_all(p, p->r->parent, &p->parents) &&
	       (is_embedded(p) || p->parents.full || fetch_all(p, p->r->child, &p->children));
}

static bool pull_relationship(struct pull *p)
{
	if (!count_documents(p->origin, p->model->database, p->r->parent, &p->pulled->all_parents, p->interrupt, p->error))
		return false;
	if (p->pulled->all_parents <= p->parents.most) {
		if (!pull_whole(p))
			return false;
		p->pulled->whole = !p->parents.full && !p->children.full;
	}
	if (!p->pulled->whole) {
		empty(&p->parents);
		empty(&p->children);
		if (!sample_parents(p) || (!is_embedded(p) && !sample_children(p)))
			return false;
	}
	p->pulled->parents = p->parents.count;
	p->pulled->children = p->children.count;
	return load(p, p->r->parent, &p->parents) && (is_embedded(p) || load(p, p->r->child, &p->children));
}

/* Beside the relationship: as much as the bounds allow. What cannot be read is not there. */
static bool pull_other(struct pull *p, const char *collection)
{
	struct heap h = { .most = p->parents.most };
	bool good = true;

	if (fetch_all(p, collection, &h))
		good = h.count == 0 || load(p, collection, &h);
	if (h.full)
		p->pulled->whole = false;
	clear(&h);
	return good && interrupt_check(p->interrupt) == INTERRUPT_NONE;
}

bool origin_pull(struct source *origin, const struct model *model, const struct relationship *r,
                 const struct mentions *mentions, int64_t most, struct source *to, const char *db,
                 struct pulled *pulled, const struct interrupt *interrupt, bson_error_t *error)
{
	bson_error_t own;
	struct pull p = { .origin = origin,
		          .to = to,
		          .model = model,
		          .r = r,
		          .db = db,
		          .interrupt = interrupt,
		          .error = error ? error : &own,
		          .pulled = pulled,
		          .parents.most = most,
		          .children.most = most };
	struct engine *engine = source_engine(to);
	bool good;

	*pulled = (struct pulled){ 0 };
	engine_drop_database(engine, db);
	good = pull_relationship(&p);
	for (size_t i = 0; i < mentions->count && good; i++)
		if (strcmp(mentions->names[i], r->parent) && strcmp(mentions->names[i], r->child))
			good = pull_other(&p, mentions->names[i]);
	clear(&p.parents);
	clear(&p.children);
	if (!good)
		engine_drop_database(engine, db);
	return good;
}

void pulled_text(const struct pulled *p, const struct relationship *r, struct bytes *out)
{
	char parents[32], all[32], children[32];

	figure_format_count(p->parents, parents, sizeof parents);
	figure_format_count(p->all_parents, all, sizeof all);
	figure_format_count(p->children, children, sizeof children);
	if (p->whole)
		bytes_format(out, "measured in the lab on all %s documents of \"%s\"", parents, r->parent);
	else
		bytes_format(out, "measured in the lab on %s of %s documents of \"%s\", drawn at random", parents, all,
		             r->parent);
	if (r->origin == SHAPE_REFERENCE)
		bytes_format(out, ", with %s of \"%s\"", children, r->child);
}
