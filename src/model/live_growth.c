#include "model/live_growth.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "bson/print.h"
#include "bson/writer.h"
#include "engine/engine.h"
#include "model/cursor.h"
#include "model/element.h"
#include "model/growth.h"
#include "model/lab_access.h"

struct live_growth {
	struct lab *lab;
	const struct relationship *r;
	struct engine *engine; /* the lab's */
	char *db;              /* of the copy alone */
	struct bytes template; /* the payload of one element */
	uint8_t template_type;
	struct live_growth_state state;
};

/* Takes the command. Appends its first result to `out`; nothing when there is none. */
static bool ask_origin(struct live_growth *l, bson_t *command, struct bytes *out, const struct interrupt *interrupt,
                       bson_error_t *error)
{
	return cursor_first(lab_origin(l->lab), lab_model(l->lab)->database, command, out, interrupt, error);
}

/* {key: the parent's} */
static void write_filter(const struct live_growth *l, const char *field, struct bytes *out, bson_t *view)
{
	struct value key;
	struct writer w;

	value_document(&key, l->state.parent_key.data, l->state.parent_key.size);
	writer_begin(&w, out);
	writer_put(&w, field, value_get(key, ""));
	writer_finish(&w);
	bson_init_static(view, out->data, out->size);
}

static bool set_key(struct live_growth *l, struct value key)
{
	struct writer w;

	if (value_is_missing(key))
		return false;
	bytes_reset(&l->state.parent_key);
	writer_begin(&w, &l->state.parent_key);
	writer_put(&w, "", key);
	writer_finish(&w);
	return true;
}

#define LARGEST_N                                                                                                      \
	"{", "$sort", "{", "n", BCON_INT32(-1), "k", BCON_INT32(1), "}", "}", "{", "$limit", BCON_INT32(1), "}"

/* {k: the key of the parent with most children}; of equals the one with the smaller key. */
static bson_t *most_children_command(const struct relationship *r, const char *key, const char *array,
                                     const char *parent_key)
{
	if (r->population)
		return BCON_NEW("aggregate", BCON_UTF8(r->parent), "pipeline", "[", "{", "$project", "{", "_id",
		                BCON_INT32(0), "k", BCON_UTF8(key), "}", "}", LARGEST_N, "]", "cursor", "{", "}");
	if (r->origin == SHAPE_EMBED)
		return BCON_NEW("aggregate", BCON_UTF8(r->parent), "pipeline", "[", "{", "$project", "{", "_id",
		                BCON_INT32(0), "k", BCON_UTF8(key), "n", "{", "$cond", "[", "{", "$isArray", "[",
		                BCON_UTF8(array), "]", "}", "{", "$size", BCON_UTF8(array), "}", BCON_INT32(0), "]",
		                "}", "}", "}", LARGEST_N, "]", "cursor", "{", "}");
	return BCON_NEW("aggregate", BCON_UTF8(r->child), "pipeline", "[", "{", "$group", "{", "_id",
	                BCON_UTF8(parent_key), "n", "{", "$sum", BCON_INT32(1), "}", "}", "}", "{", "$project", "{",
	                "_id", BCON_INT32(0), "k", BCON_UTF8("$_id"), "n", BCON_INT32(1), "}", "}", LARGEST_N, "]",
	                "cursor", "{", "}");
}

static bool choose_parent(struct live_growth *l, const struct bytes *wish, const struct interrupt *interrupt,
                          bson_error_t *error)
{
	const struct relationship *r = l->r;
	struct bytes found = BYTES_INIT;
	char *key, *array, *parent_key;
	struct value v;
	bool good;

	if (!wish || !wish->size)
		wish = &r->growth_parent;
	if (value_document(&v, wish->data, wish->size))
		return set_key(l, value_get(v, ""));
	key = bson_strdup_printf("$%s", r->parent_key);
	array = bson_strdup_printf("$%s", r->path);
	parent_key = bson_strdup_printf("$%s", r->child_parent_key);
	good = ask_origin(l, most_children_command(r, key, array, parent_key), &found, interrupt, error);
	if (good && !(value_document(&v, found.data, found.size) && set_key(l, value_get(v, "k"))))
		good = error_set(error, ERROR_INPUT, 0, "no document of \"%s\" has children to copy", r->parent);
	bson_free(key);
	bson_free(array);
	bson_free(parent_key);
	bytes_clear(&found);
	return good;
}

static bool find_parent(struct live_growth *l, struct bytes *parent, const struct interrupt *interrupt,
                        bson_error_t *error)
{
	struct bytes filter = BYTES_INIT, key = BYTES_INIT;
	struct value v;
	bson_t view;
	bool good;

	write_filter(l, l->r->parent_key, &filter, &view);
	good = ask_origin(
		l, BCON_NEW("find", BCON_UTF8(l->r->parent), "filter", BCON_DOCUMENT(&view), "limit", BCON_INT32(1)),
		parent, interrupt, error);
	if (good && !parent->size) {
		value_document(&v, l->state.parent_key.data, l->state.parent_key.size);
		print_line(&key, value_get(v, ""), PRINT_SERVER);
		good = error_set(error, ERROR_INPUT, 0, "no document of \"%s\" with %s: %s", l->r->parent,
		                 l->r->parent_key, bytes_text(&key));
	}
	bytes_clear(&filter);
	bytes_clear(&key);
	return good;
}

/* The first child that the model chooses, or else the parent's own first, as {e: the element}. */
static bool find_child(struct live_growth *l, struct bytes *found, const struct interrupt *interrupt,
                       bson_error_t *error)
{
	struct bytes filter = BYTES_INIT, text = BYTES_INIT;
	struct value match;
	struct writer w;
	bson_t view;
	bool good;

	if (l->r->growth_child.size)
		bytes_append(&filter, l->r->growth_child.data, l->r->growth_child.size);
	else
		write_filter(l, l->r->child_parent_key, &filter, &view);
	value_document(&match, filter.data, filter.size);
	writer_begin(&w, &text);
	writer_text(&w, "aggregate", l->r->child);
	writer_begin_array(&w, key_of("pipeline"));
	writer_begin_document(&w, key_of(""));
	writer_put(&w, "$match", match);
	writer_end(&w);
	writer_begin_document(&w, key_of(""));
	writer_int32(&w, "$limit", 1);
	writer_end(&w);
	element_stages(&w, l->r);
	writer_end(&w);
	writer_begin_document(&w, key_of("cursor"));
	writer_end(&w);
	writer_finish(&w);
	bson_init_static(&view, text.data, text.size);
	good = ask_origin(l, bson_copy(&view), found, interrupt, error);
	bytes_clear(&filter);
	bytes_clear(&text);
	return good;
}

static bool is_left_out(const struct relationship *r, struct key field)
{
	for (size_t i = 0; i < r->growth_without_count; i++)
		if (key_is(field, r->growth_without[i]))
			return true;
	return false;
}

/* The payload of any value; of a document without the fields that the model leaves out. */
static void take_template(struct live_growth *l, struct value element)
{
	struct writer w;
	struct walk walk;
	struct field f;

	l->template_type = element.type;
	if (!value_is_document(element)) {
		bytes_append(&l->template, element.bytes, element.size_bytes);
		return;
	}
	writer_begin(&w, &l->template);
	walk_begin(&walk, element);
	while (walk_next(&walk, &f))
		if (!is_left_out(l->r, f.key))
			writer_value(&w, f.key, f.value);
	writer_finish(&w);
}

static bool find_template(struct live_growth *l, struct value parent, const struct interrupt *interrupt,
                          bson_error_t *error)
{
	const struct relationship *r = l->r;
	struct value array = value_get(parent, r->path), element = value_missing();
	struct bytes found = BYTES_INIT;
	bool good = true;

	if (r->population) {
		value_document(&element, r->element_example.data, r->element_example.size);
	} else if (r->origin == SHAPE_EMBED) {
		element = value_is_array(array) ? value_get(array, "0") : value_missing();
	} else {
		good = find_child(l, &found, interrupt, error);
		if (good && value_document(&element, found.data, found.size))
			element = value_get(element, "e");
	}
	if (good && value_is_missing(element))
		good = error_set(error, ERROR_INPUT, 0, "relationship \"%s\" has no child to copy", r->name);
	if (good)
		take_template(l, element);
	bytes_clear(&found);
	return good;
}

/* The copy */

static bool next_once(void *context, struct value *document, bson_error_t *error)
{
	struct value *left = context;

	(void)error;
	*document = *left;
	*left = value_missing();
	return !value_is_missing(*document);
}

/* A power of ten that takes at least ten pushes to the limit. */
static int64_t batch_for(int64_t fits)
{
	int64_t batch = 1;

	while (batch * 10 <= fits / 10)
		batch *= 10;
	return batch;
}

static bool copy_parent(struct live_growth *l, struct value parent, const struct interrupt *interrupt,
                        bson_error_t *error)
{
	struct live_growth_state *s = &l->state;
	struct value array = value_get(parent, l->r->path);
	struct engine_loader loader = { next_once, &parent, false };
	bool has_array = value_is_array(array);
	int64_t size = parent.size_bytes;

	s->children = has_array ? value_count(array) : 0;
	s->base_bytes = has_array ? size - array.size_bytes + 5 : size + growth_empty_array_bytes(l->r->path);
	s->element_bytes = (int64_t)l->template.size + GROWTH_ELEMENT_OVERHEAD;
	s->fits = growth_fits(s->base_bytes, s->element_bytes, s->limit_bytes);
	s->batch = batch_for(s->fits);
	s->rewritten = figure_measured(0);
	engine_drop_database(l->engine, l->db);
	engine_set_document_limit(l->engine, l->db, s->limit_bytes);
	return engine_load(l->engine, l->db, l->r->parent, l->r->parent_key, NULL, &loader, interrupt, error);
}

/* Takes the command. */
static bool ask_copy(struct live_growth *l, bson_t *command, bson_t *reply, const struct interrupt *interrupt,
                     bson_error_t *error)
{
	bool good = engine_command(l->engine, l->db, command, reply, interrupt, error);

	bson_destroy(command);
	return good;
}

static bool measure(struct live_growth *l, const struct interrupt *interrupt, bson_error_t *error)
{
	struct live_growth_state *s = &l->state;
	struct bytes filter = BYTES_INIT;
	struct value size;
	bson_t view, reply, *page;
	struct cost cost;
	int64_t bytes = 0;
	bool good;

	write_filter(l, l->r->parent_key, &filter, &view);
	page = BCON_NEW("find", BCON_UTF8(l->r->parent), "filter", BCON_DOCUMENT(&view));
	good = ask_copy(l,
	                BCON_NEW("aggregate", BCON_UTF8(l->r->parent), "pipeline", "[", "{", "$match",
	                         BCON_DOCUMENT(&view), "}", "{", "$project", "{", "_id", BCON_INT32(0), "n", "{",
	                         "$bsonSize", BCON_UTF8("$$ROOT"), "}", "}", "}", "]", "cursor", "{", "}"),
	                &reply, interrupt, error);
	size = good ? value_get(value_get(value_get(value_from_bson(&reply), "cursor"), "firstBatch"), "0")
	            : value_missing();
	if (good && !(value_is_document(size) && value_as_int64(value_get(size, "n"), &bytes)))
		good = error_set(error, ERROR_INPUT, 0, "the lab copy of \"%s\" is gone", l->r->parent);
	bson_destroy(&reply);
	good = good && engine_measure(l->engine, l->db, page, &cost, interrupt, error);
	bson_destroy(page);
	bytes_clear(&filter);
	if (!good)
		return false;
	s->size = figure_measured(bytes);
	s->headroom = figure_measured(s->limit_bytes - bytes);
	s->page_bytes = cost.bytes_read;
	return true;
}

struct live_growth *live_growth_new(struct lab *lab, const struct relationship *r, int64_t limit_bytes,
                                    const struct bytes *parent, const struct interrupt *interrupt, bson_error_t *error)
{
	struct live_growth *l = memory_allocate_zeroed(1, sizeof *l);
	struct bytes document = BYTES_INIT;
	struct value v;
	bool good;

	l->lab = lab;
	l->r = r;
	l->engine = lab_engine(lab);
	l->state.emulation = engine_emulation(l->engine);
	l->db = bson_strdup_printf("%s_%s_growth", lab_model(lab)->database, r->name);
	l->state.limit_bytes = limit_bytes;
	good = choose_parent(l, parent, interrupt, error) && find_parent(l, &document, interrupt, error);
	if (good && !value_document(&v, document.data, document.size))
		good = error_set(error, ERROR_INPUT, 0, "a document of \"%s\" that is none", r->parent);
	good = good && find_template(l, v, interrupt, error) && copy_parent(l, v, interrupt, error) &&
	       measure(l, interrupt, error);
	bytes_clear(&document);
	if (good)
		return l;
	live_growth_destroy(l);
	return NULL;
}

void live_growth_destroy(struct live_growth *l)
{
	if (!l)
		return;
	engine_drop_database(l->engine, l->db);
	bytes_clear(&l->state.parent_key);
	bytes_clear(&l->template);
	bson_free(l->db);
	free(l);
}

/* {update: parent, updates: [{q: {key: …}, u: {$push: {path: {$each: [template, …]}}}}]} */
static void write_push(struct live_growth *l, int64_t children, struct bytes *out)
{
	struct value filter_value, element = { l->template.data, (uint32_t)l->template.size, l->template_type };
	struct bytes filter = BYTES_INIT;
	struct writer w;
	bson_t view;

	write_filter(l, l->r->parent_key, &filter, &view);
	value_document(&filter_value, filter.data, filter.size);
	writer_begin(&w, out);
	writer_text(&w, "update", l->r->parent);
	writer_begin_array(&w, key_of("updates"));
	writer_begin_document(&w, key_of(""));
	writer_put(&w, "q", filter_value);
	writer_begin_document(&w, key_of("u"));
	writer_begin_document(&w, key_of("$push"));
	writer_begin_document(&w, key_of(l->r->path));
	writer_begin_array(&w, key_of("$each"));
	for (int64_t i = 0; i < children; i++)
		writer_value(&w, key_of(""), element);
	for (int open = 0; open < 6; open++)
		writer_end(&w);
	writer_finish(&w);
	bytes_clear(&filter);
}

/* Whether the reply holds what the write refused: then the state says so. */
static bool take_refusal(struct live_growth_state *s, struct value reply, int64_t children)
{
	struct value errors = value_get(reply, "writeErrors"), first, message;
	struct bytes text = BYTES_INIT;
	int64_t code = 0;

	if (!value_is_array(errors) || !value_count(errors))
		return false;
	first = value_get(errors, "0");
	message = value_get(first, "errmsg");
	value_as_int64(value_get(first, "code"), &code);
	if (message.type == BSON_TYPE_UTF8)
		print_text(&text, value_text(message).bytes, value_text(message).size_bytes);
	error_set(&s->refusal, ERROR_SERVER, (uint32_t)code, "%s", bytes_text(&text));
	bytes_clear(&text);
	s->refused = true;
	s->refused_children = children;
	s->reach_bytes = growth_bytes(s->base_bytes, s->element_bytes, s->children + children);
	/* elements that were there before may have other sizes than the template */
	s->reach_bytes += s->size.value - growth_bytes(s->base_bytes, s->element_bytes, s->children);
	return true;
}

bool live_growth_push(struct live_growth *l, int64_t children, const struct interrupt *interrupt, bson_error_t *error)
{
	struct live_growth_state *s = &l->state;
	struct bytes text = BYTES_INIT;
	int64_t matched = 0;
	bson_t command, reply;
	bool good;

	s->refused = false;
	write_push(l, children, &text);
	bson_init_static(&command, text.data, text.size);
	good = engine_command(l->engine, l->db, &command, &reply, interrupt, error);
	bytes_clear(&text);
	if (good && !take_refusal(s, value_from_bson(&reply), children)) {
		value_as_int64(value_get(value_from_bson(&reply), "n"), &matched);
		good = matched == 1 || error_set(error, ERROR_INPUT, 0, "the lab copy of \"%s\" is gone", l->r->parent);
	}
	bson_destroy(&reply);
	if (!good || s->refused)
		return good;
	s->pushes++;
	s->children += children;
	if (!measure(l, interrupt, error))
		return false;
	s->rewritten = figure_add(s->rewritten, s->size);
	return true;
}

const struct live_growth_state *live_growth_state(const struct live_growth *l)
{
	return &l->state;
}

const char *live_growth_other_wording(const struct live_growth_state *s, const char **version, char *buffer,
                                      size_t size)
{
	const struct emulation *m;
	bson_error_t error;

	for (size_t i = 0; s->refused && (m = emulation_at(i)); i++) {
		if (m == s->emulation || emulation_check_update(m, value_missing(), s->reach_bytes, s->limit_bytes, &error))
			continue;
		*version = m->name;
		snprintf(buffer, size, "code %u, %s%s", error.code,
		         m->names_executor ? EMULATION_UPDATE_CONTEXT " :: caused by :: " : "", error.message);
		return buffer;
	}
	return NULL;
}
