/* Parsing of specifications: to a tree of what happens at each path. */
#include "engine/projection_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bson/print.h"
#include "engine/expression_internal.h"

struct parse {
	struct projection *p;
	const struct expression_scope *scope;
	bson_error_t *error;
	int depth;
	bool id_specified, id_included, id_excluded;
	bool has_slice, has_elem_match;
};

static bool fail(struct parse *s, uint32_t code, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(struct parse *s, uint32_t code, const char *format, ...)
{
	struct bytes text = BYTES_INIT;
	va_list arguments;

	va_start(arguments, format);
	bytes_format_v(&text, format, arguments);
	va_end(arguments);
	error_set(s->error, ERROR_SERVER, code, "%s", bytes_text(&text));
	bytes_clear(&text);
	return false;
}

static void node_destroy(struct projection_node *n)
{
	projection_node_clear(n);
	free(n);
}

void projection_node_clear(struct projection_node *n)
{
	for (size_t i = 0; i < n->child_count; i++)
		node_destroy(n->children[i]);
	free(n->children);
	free(n->name);
	expression_destroy(n->expression);
	if (n->match)
		match_destroy(n->match);
}

void projection_destroy(struct projection *p)
{
	if (!p)
		return;
	projection_node_clear(&p->root);
	bytes_clear(&p->specification);
	free(p);
}

static struct projection_node *child_find(const struct projection_node *n, struct key name)
{
	for (size_t i = 0; i < n->child_count; i++)
		if (key_equal((struct key){ n->children[i]->name, n->children[i]->name_size_bytes }, name))
			return n->children[i];
	return NULL;
}

static struct projection_node *child_add(struct projection_node *n, struct key name, enum projection_kind kind)
{
	struct projection_node *child = memory_allocate_zeroed(1, sizeof *child);

	child->kind = kind;
	child->name = memory_allocate((size_t)name.size_bytes + 1);
	memcpy(child->name, name.bytes, name.size_bytes);
	child->name[name.size_bytes] = 0;
	child->name_size_bytes = name.size_bytes;
	n->children = memory_resize(n->children, n->child_count + 1, sizeof *n->children);
	n->children[n->child_count++] = child;
	return child;
}

/* The new leaf (or branch) at a dotted path below `parent`; null with a collision reported or a path that cannot be. */
static struct projection_node *add_at(struct parse *s, struct projection_node *parent, struct key dotted,
                                      enum projection_kind kind)
{
	struct projection_node *n = parent;
	struct path path;

	if (!field_path_check(dotted, s->error))
		return NULL;
	path_parse(&path, dotted);
	for (size_t i = 0; n && i < path.count; i++) {
		struct projection_node *child = child_find(n, path.keys[i]);
		bool last = i + 1 == path.count;

		if (last && child) {
			fail(s, 31250, "Path collision at %s", path.text);
			n = NULL;
		} else if (child && child->kind != PROJECTION_BRANCH) {
			const char *dot = strchr(path.text, '.');

			fail(s, 31249, "Path collision at %s remaining portion %s", path.text, dot ? dot + 1 : path.text);
			n = NULL;
		} else {
			n = child ? child : child_add(n, path.keys[i], last ? kind : PROJECTION_BRANCH);
		}
	}
	if (path.count > 1)
		s->p->has_dotted = true;
	path_clear(&path);
	return n;
}

static bool is_dropping_type(const struct parse *s)
{
	return s->p->type != PROJECTION_KEEPS_OTHERS;
}

static bool add_expression(struct parse *s, struct projection_node *parent, struct key name, struct value v)
{
	struct expression *e = expression_compile(v, s->scope, s->error);
	struct projection_node *n;

	if (!e)
		return false;
	n = add_at(s, parent, name, PROJECTION_EXPRESSION);
	if (!n) {
		expression_destroy(e);
		return false;
	}
	n->expression = e;
	s->p->has_expressions = true;
	return true;
}

static int32_t clamp_to_int(struct value number)
{
	double d = value_as_double(number);

	return d != d ? 0 : d >= INT32_MAX ? INT32_MAX : d <= INT32_MIN ? INT32_MIN : (int32_t)d;
}

/* Find's own syntax of $slice: n or [skip, limit]. */
static bool slice_check(struct value v, struct value *skip, struct value *limit, bson_error_t *error)
{
	struct walk w;
	struct field f = { .value = value_missing() };

	*skip = value_missing();
	*limit = v;
	if (value_is_number(v))
		return true;
	if (!value_is_array(v))
		return error_set(error, ERROR_SERVER, 31273, "$slice only supports numbers and [skip, limit] arrays");
	if (value_count(v) != 2)
		return error_set(error, ERROR_SERVER, 31272, "$slice array argument should be of form [skip, limit]");
	walk_begin(&w, v);
	walk_next(&w, &f);
	*skip = f.value;
	walk_next(&w, &f);
	*limit = f.value;
	if (!value_is_number(*skip))
		return error_set(error, ERROR_SERVER, 31257, "$slice expects the skip argument to be a number, got %s",
		                 value_type_name(skip->type));
	if (!value_is_number(*limit))
		return error_set(error, ERROR_SERVER, 31258, "$slice expects the limit argument to be a number, got %s",
		                 value_type_name(limit->type));
	return clamp_to_int(*limit) > 0 || error_set(error, ERROR_SERVER, 31259, "$slice limit must be positive, got %d",
	                                             (int)clamp_to_int(*limit));
}

static bool add_generic(struct parse *s, struct projection_node *parent, struct key name, struct value v)
{
	if (!is_dropping_type(s))
		return fail(s, 31252, "Cannot use expression other than $meta in exclusion projection");
	s->p->type = PROJECTION_DROPS_OTHERS;
	return add_expression(s, parent, name, v);
}

/* What is not find's $slice may still be the expression; if it is not, both reasons are told. */
static bool add_slice(struct parse *s, struct projection_node *parent, struct key name, struct value v,
                      struct value argument)
{
	struct value skip, limit;
	bson_error_t reason, error;
	struct projection_node *n;
	bson_error_t *outer = s->error;
	struct bytes text = BYTES_INIT;

	if (slice_check(argument, &skip, &limit, &reason)) {
		n = add_at(s, parent, name, PROJECTION_SLICE);
		if (!n)
			return false;
		n->has_skip = !value_is_missing(skip);
		n->skip = n->has_skip ? clamp_to_int(skip) : 0;
		n->limit = clamp_to_int(limit);
		s->has_slice = true;
		s->p->has_expressions = true;
		return true;
	}
	s->error = &error;
	if (add_generic(s, parent, name, v)) {
		s->error = outer;
		return true;
	}
	s->error = outer;
	print_line(&text, v, PRINT_SERVER);
	fail(s, error.code,
	     "Invalid $slice syntax. The given syntax %s did not match the find() syntax because :: Location%u: %s :: "
	     "The given syntax did not match the expression $slice syntax. :: caused by :: %s",
	     bytes_text(&text), reason.code, reason.message, error.message);
	bytes_clear(&text);
	return false;
}

/* Whether the name is a key anywhere in it. */
static bool mentions(struct value v, const char *name, int depth)
{
	struct walk w;
	struct field f;

	if ((!value_is_document(v) && !value_is_array(v)) || depth > VALUE_DEPTH_LIMIT)
		return false;
	walk_begin(&w, v);
	while (walk_next(&w, &f))
		if (key_is(f.key, name) || mentions(f.value, name, depth + 1))
			return true;
	return false;
}

static bool add_elem_match(struct parse *s, struct projection_node *parent, struct key name, struct value v,
                           struct value argument)
{
	struct bytes filter = BYTES_INIT;
	struct projection_node *n;
	struct writer w;

	if (!value_is_document(argument))
		return fail(s, 31274, "elemMatch: Invalid argument, object required, but got %s", value_type_name(argument.type));
	if (s->p->has_positional)
		return fail(s, 31255, "Cannot specify positional operator and $elemMatch.");
	if (parent != &s->p->root || memchr(name.bytes, '.', name.size_bytes)) {
		if (!field_path_check(name, s->error))
			return false;
		return fail(s, 31275, "Cannot use $elemMatch projection on a nested field.");
	}
	if (mentions(argument, "$jsonSchema", 0))
		return fail(s, 224, "$jsonSchema is not allowed in this context");
	n = add_at(s, parent, name, PROJECTION_ELEM_MATCH);
	if (!n)
		return false;
	writer_begin(&w, &filter);
	writer_value(&w, name, v);
	n->match = match_compile(writer_finish(&w), NULL, s->error);
	bytes_clear(&filter);
	s->has_elem_match = true;
	s->p->has_expressions = true;
	return n->match != NULL;
}

static bool parse_element(struct parse *s, struct projection_node *parent, struct field f);

static bool parse_children(struct parse *s, struct projection_node *parent, struct field f)
{
	struct projection_node *n;
	struct walk w;
	struct field child;

	if (value_count(f.value) == 0)
		return fail(s, 51270, "An empty sub-projection is not a valid value. Found empty object at path %.*s",
		            (int)f.key.size_bytes, f.key.bytes);
	if (s->depth >= VALUE_DEPTH_LIMIT)
		return fail(s, CODE_Overflow, "projection is nested deeper than %d levels", (int)VALUE_DEPTH_LIMIT);
	n = add_at(s, parent, f.key, PROJECTION_BRANCH);
	if (!n)
		return false;
	s->p->has_dotted = true;
	s->depth++;
	walk_begin(&w, f.value);
	while (walk_next(&w, &child))
		if (!parse_element(s, n, child))
			return false;
	s->depth--;
	return true;
}

/* {$op: …} is an expression, another document a projection of what is below. */
static bool parse_document(struct parse *s, struct projection_node *parent, struct field f)
{
	struct walk w;
	struct field first;
	bool finds = s->p->use == PROJECTION_FIND;

	if (!field_path_check(f.key, s->error))
		return false;
	walk_begin(&w, f.value);
	if (value_count(f.value) != 1 || !walk_next(&w, &first) || !first.key.size_bytes || first.key.bytes[0] != '$')
		return parse_children(s, parent, f);
	if (finds && key_is(first.key, "$slice"))
		return add_slice(s, parent, f.key, f.value, first.value);
	if (finds && key_is(first.key, "$elemMatch"))
		return add_elem_match(s, parent, f.key, f.value, first.value);
	if (key_is(first.key, "$elemMatch"))
		return fail(s, 168, "Cannot use $elemMatch in this context");
	if (expression_operator_find(first.key))
		return add_generic(s, parent, f.key, f.value);
	if (!field_path_check(first.key, NULL))
		return fail(s, 31325, "Unknown expression %.*s", (int)first.key.size_bytes, first.key.bytes);
	return parse_children(s, parent, f);
}

/* Offset of the first "$" that stands for a position in a path; the path's size when there is none. */
static uint32_t positional_at(struct key path)
{
	for (uint32_t i = 0; i < path.size_bytes; i++)
		if (path.bytes[i] == '$' && (i == 0 ? path.size_bytes == 1 : path.bytes[i - 1] == '.') &&
		    (i + 1 == path.size_bytes || path.bytes[i + 1] == '.'))
			return i;
	return path.size_bytes;
}

static bool add_positional(struct parse *s, struct projection_node *parent, struct key path, uint32_t at)
{
	struct projection_node *n = parent;
	struct path keys;

	if (s->p->has_positional)
		return fail(s, 31276, "Cannot specify more than one positional projection per query.");
	if (s->has_elem_match)
		return fail(s, 31256, "Cannot specify positional operator and $elemMatch.");
	if (at + 1 != path.size_bytes)
		return fail(s, 31394, "As of 4.4, it's illegal to specify positional operator in the middle of a path.Positional "
		            "projection may only be used at the end, for example: a.b.$. If the query previously used a form like "
		            "a.b.$.d, remove the parts following the '$' and the results will be equivalent.");
	path.size_bytes = at ? at - 1 : 0;
	if (!add_at(s, parent, path, PROJECTION_POSITIONAL))
		return false;
	path_parse(&keys, path);
	for (size_t i = 0; i < keys.count; i++) {
		n = child_find(n, keys.keys[i]);
		n->leads_to_positional = true;
	}
	path_clear(&keys);
	parent->leads_to_positional = true;
	s->p->has_positional = s->p->has_expressions = true;
	return true;
}

static bool parse_switch(struct parse *s, struct projection_node *parent, struct field f)
{
	bool includes = value_is_true(f.value);
	bool is_id = parent == &s->p->root && key_is(f.key, "_id");
	uint32_t positional = positional_at(f.key);
	enum projection_type type = includes ? PROJECTION_DROPS_OTHERS : PROJECTION_KEEPS_OTHERS;

	if (positional < f.key.size_bytes && includes) {
		if (!add_positional(s, parent, f.key, positional))
			return false;
	} else if (!add_at(s, parent, f.key, includes ? PROJECTION_INCLUDE : PROJECTION_EXCLUDE)) {
		return false;
	}
	if (is_id) {
		*(includes ? &s->id_included : &s->id_excluded) = true;
		return true;
	}
	if (s->p->type != PROJECTION_TYPE_UNKNOWN && s->p->type != type)
		return fail(s, includes ? 31253 : 31254, "Cannot do %s on field %.*s in %s projection",
		            includes ? "inclusion" : "exclusion", (int)f.key.size_bytes, f.key.bytes,
		            includes ? "exclusion" : "inclusion");
	s->p->type = type;
	return true;
}

static bool parse_literal(struct parse *s, struct projection_node *parent, struct field f)
{
	struct bytes text = BYTES_INIT;

	if (!add_expression(s, parent, f.key, f.value))
		return false;
	if (!is_dropping_type(s)) {
		print_line(&text, f.value, PRINT_SERVER);
		fail(s, 31310, "Cannot use an expression %.*s: %s in an exclusion projection", (int)f.key.size_bytes, f.key.bytes,
		     bytes_text(&text));
		bytes_clear(&text);
		return false;
	}
	s->p->type = PROJECTION_DROPS_OTHERS;
	return true;
}

static bool parse_element(struct parse *s, struct projection_node *parent, struct field f)
{
	bool is_positional = positional_at(f.key) < f.key.size_bytes;

	if (is_positional && s->p->use != PROJECTION_FIND)
		return fail(s, 31324, "Cannot use positional projection in aggregation projection");
	if (value_is_document(f.value))
		return is_positional ? fail(s, 31271, "positional projection cannot be used with an expression or sub object")
		                     : parse_document(s, parent, f);
	if (value_is_number(f.value) || f.value.type == BSON_TYPE_BOOL)
		return parse_switch(s, parent, f);
	return is_positional ? fail(s, 31308, "positional projection cannot be used with a literal")
	                     : parse_literal(s, parent, f);
}

/* $addFields: every leaf is an expression. */
static bool parse_added(struct parse *s, struct projection_node *parent, struct field f, const char *prefix);

static bool parse_added_document(struct parse *s, struct projection_node *parent, struct field f, const char *path)
{
	struct projection_node *n;
	struct bytes text = BYTES_INIT;
	struct walk w;
	struct field child;

	if (value_count(f.value) == 0)
		return fail(s, 40180, "an empty object is not a valid value. Found empty object at path %s", path);
	walk_begin(&w, f.value);
	while (walk_next(&w, &child)) {
		if (!child.key.size_bytes || child.key.bytes[0] != '$')
			continue;
		if (value_count(f.value) == 1)
			return add_expression(s, parent, f.key, f.value);
		print_line(&text, f.value, PRINT_SERVER);
		fail(s, 40181,
		     "an expression specification must contain exactly one field, the name of the expression. Found %u "
		     "fields "
		     "in %s, while parsing object at path %s",
		     value_count(f.value), bytes_text(&text), path);
		bytes_clear(&text);
		return false;
	}
	if (s->depth >= VALUE_DEPTH_LIMIT)
		return fail(s, CODE_Overflow, "projection is nested deeper than %d levels", (int)VALUE_DEPTH_LIMIT);
	n = child_find(parent, f.key);
	if (!n || n->kind != PROJECTION_BRANCH)
		n = add_at(s, parent, f.key, PROJECTION_BRANCH);
	if (!n)
		return false;
	s->depth++;
	walk_begin(&w, f.value);
	while (walk_next(&w, &child)) {
		if (memchr(child.key.bytes, '.', child.key.size_bytes))
			return fail(s, 40183, "cannot use dotted field name '%.*s' in a sub object", (int)child.key.size_bytes,
			            child.key.bytes);
		if (!parse_added(s, n, child, path))
			return false;
	}
	s->depth--;
	return true;
}

static bool parse_added(struct parse *s, struct projection_node *parent, struct field f, const char *prefix)
{
	struct bytes path = BYTES_INIT;
	bool ok;

	bytes_format(&path, "%s%s%.*s", prefix, *prefix ? "." : "", (int)f.key.size_bytes, f.key.bytes);
	ok = value_is_document(f.value) ? parse_added_document(s, parent, f, bytes_text(&path))
	                                : add_expression(s, parent, f.key, f.value);
	bytes_clear(&path);
	return ok;
}

/* The rule for specifications that name nothing but _id, $slice and $elemMatch. */
static enum projection_type default_type(const struct parse *s)
{
	if (s->has_slice)
		return s->id_included ? PROJECTION_DROPS_OTHERS : PROJECTION_KEEPS_OTHERS;
	return s->has_elem_match || s->id_included ? PROJECTION_DROPS_OTHERS : PROJECTION_KEEPS_OTHERS;
}

static void remove_child(struct projection_node *n, struct projection_node *child)
{
	size_t i = 0;

	while (n->children[i] != child)
		i++;
	memmove(&n->children[i], &n->children[i + 1], (n->child_count - i - 1) * sizeof *n->children);
	n->child_count--;
	node_destroy(child);
}

static void settle_id(struct parse *s)
{
	struct projection *p = s->p;
	struct projection_node *id = child_find(&p->root, key_of("_id"));

	if (p->type == PROJECTION_DROPS_OTHERS && !s->id_specified)
		child_add(&p->root, key_of("_id"), PROJECTION_INCLUDE);
	else if (id && ((p->type == PROJECTION_KEEPS_OTHERS && s->id_included) ||
	                (p->type == PROJECTION_DROPS_OTHERS && s->id_excluded)))
		remove_child(&p->root, id);
}

/* What applying asks of every node. */
static bool mark_nodes(struct projection_node *n)
{
	n->computes = n->kind == PROJECTION_EXPRESSION;
	n->wanted = 0;
	for (size_t i = 0; i < n->child_count; i++) {
		enum projection_kind kind = n->children[i]->kind;

		n->computes |= mark_nodes(n->children[i]);
		n->wanted += kind != PROJECTION_EXPRESSION && kind != PROJECTION_ELEM_MATCH;
	}
	return n->computes;
}

static bool parse_all(struct parse *s, struct value specification)
{
	struct walk w;
	struct field f;
	enum projection_use use = s->p->use;

	if (value_count(specification) == 0 && use == PROJECTION_PROJECT)
		return fail(s, 51272, "projection specification must have at least one field");
	if (value_count(specification) == 0 && use == PROJECTION_ADD_FIELDS)
		return fail(s, 40177, "specification must have at least one field");
	walk_begin(&w, specification);
	while (walk_next(&w, &f)) {
		s->id_specified |= key_is(f.key, "_id") || (f.key.size_bytes > 4 && !memcmp(f.key.bytes, "_id.", 4));
		if (use == PROJECTION_ADD_FIELDS ? !parse_added(s, &s->p->root, f, "") : !parse_element(s, &s->p->root, f))
			return false;
	}
	return true;
}

struct projection *projection_compile(struct value specification, enum projection_use use,
                                      const struct expression_scope *scope, bson_error_t *error)
{
	struct projection *p = memory_allocate_zeroed(1, sizeof *p);
	struct parse s = { .p = p, .scope = scope, .error = error };

	p->use = use;
	p->root.kind = PROJECTION_BRANCH;
	bytes_append(&p->specification, specification.bytes, specification.size_bytes);
	if (!parse_all(&s, specification)) {
		projection_destroy(p);
		return NULL;
	}
	if (use == PROJECTION_ADD_FIELDS) {
		p->type = PROJECTION_KEEPS_OTHERS;
	} else {
		if (p->type == PROJECTION_TYPE_UNKNOWN)
			p->type = default_type(&s);
		settle_id(&s);
	}
	mark_nodes(&p->root);
	return p;
}

static bool node_check_constants(const struct projection_node *n, bson_error_t *error)
{
	if (n->expression && !expression_check_constants(n->expression, error))
		return false;
	for (size_t i = 0; i < n->child_count; i++)
		if (!node_check_constants(n->children[i], error))
			return false;
	return true;
}

bool projection_check_constants(const struct projection *p, bson_error_t *error)
{
	return node_check_constants(&p->root, error);
}

const char *projection_stage_name(const struct projection *p)
{
	return p->has_expressions || p->has_dotted || p->use == PROJECTION_ADD_FIELDS ? "PROJECTION_DEFAULT"
	                                                                              : "PROJECTION_SIMPLE";
}

static void write_node(const struct projection_node *n, struct writer *w)
{
	for (size_t i = 0; i < n->child_count; i++) {
		const struct projection_node *child = n->children[i];

		if (child->kind == PROJECTION_INCLUDE || child->kind == PROJECTION_EXCLUDE)
			writer_bool(w, child->name, child->kind == PROJECTION_INCLUDE);
	}
	for (size_t i = 0; i < n->child_count; i++) {
		const struct projection_node *child = n->children[i];

		if (child->kind == PROJECTION_EXPRESSION) {
			expression_write(child->expression, w, key_of(child->name));
		} else if (child->kind == PROJECTION_BRANCH) {
			writer_begin_document(w, key_of(child->name));
			write_node(child, w);
			writer_end(w);
		}
	}
}

void projection_write(const struct projection *p, struct writer *w, struct key key)
{
	bool drops = p->type == PROJECTION_DROPS_OTHERS;
	struct projection_node *id = child_find(&p->root, key_of("_id"));

	if (p->use == PROJECTION_FIND) {
		writer_value(w, key, (struct value){ p->specification.data, (uint32_t)p->specification.size, BSON_TYPE_DOCUMENT });
		return;
	}
	writer_begin_document(w, key);
	if (drops && id && id->kind == PROJECTION_INCLUDE && p->root.children[0] != id) {
		/* the implied _id was added last and is shown first */
		struct projection_node rest = p->root;
		struct projection_node **others = memory_allocate(p->root.child_count * sizeof *others);

		rest.children = others;
		rest.child_count = 0;
		for (size_t i = 0; i < p->root.child_count; i++)
			if (p->root.children[i] != id)
				others[rest.child_count++] = p->root.children[i];
		writer_bool(w, "_id", true);
		write_node(&rest, w);
		free(others);
	} else {
		write_node(&p->root, w);
	}
	if (p->use == PROJECTION_PROJECT && !id)
		writer_bool(w, "_id", !drops);
	writer_end(w);
}

struct dependency_walk {
	void (*visit)(void *context, const char *path);
	void *context;
};

static bool node_dependencies(const struct projection_node *n, const char *prefix, struct dependency_walk *d)
{
	bool ok = true;

	/* computed below a path: the result's shape follows what is there, an array or not */
	if (n->computes && *prefix)
		d->visit(d->context, prefix);
	for (size_t i = 0; ok && i < n->child_count; i++) {
		const struct projection_node *child = n->children[i];
		struct bytes path = BYTES_INIT;

		bytes_format(&path, "%s%s%s", prefix, *prefix ? "." : "", child->name);
		if (child->kind == PROJECTION_EXPRESSION)
			ok = expression_dependencies(child->expression, d->visit, d->context);
		else if (child->kind == PROJECTION_BRANCH)
			ok = node_dependencies(child, bytes_text(&path), d);
		else if (child->kind != PROJECTION_EXCLUDE)
			d->visit(d->context, bytes_text(&path));
		bytes_clear(&path);
	}
	return ok;
}

bool projection_reads(const struct projection *p, void (*visit)(void *context, const char *path), void *context)
{
	struct dependency_walk d = { visit, context };

	/* the positional operator tests the query on the whole document */
	return !p->has_positional && node_dependencies(&p->root, "", &d);
}

bool projection_only_includes(const struct projection *p)
{
	return p->type == PROJECTION_DROPS_OTHERS && !p->has_expressions;
}

bool projection_drops_others(const struct projection *p)
{
	return p->type == PROJECTION_DROPS_OTHERS;
}

bool projection_dependencies(const struct projection *p, void (*visit)(void *context, const char *path), void *context)
{
	return p->type == PROJECTION_DROPS_OTHERS && projection_reads(p, visit, context);
}
