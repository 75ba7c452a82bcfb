#include "ui/paths_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/distinct.h"
#include "base/memory.h"

enum { ROW_OF_NONE = 0 };

void paths_view_leave_all(struct paths_view *v)
{
	for (size_t i = 0; i < v->depth; i++)
		free(v->steps[i].key);
	free(v->steps);
	v->steps = NULL;
	v->depth = 0;
	v->details = false;
}

void paths_view_clear(struct paths_view *v)
{
	paths_view_leave_all(v);
	*v = (struct paths_view){ 0 };
}

const struct path_node *paths_view_place(const struct paths_view *v, const struct path_tree *t)
{
	const struct path_node *n = t->root;

	for (size_t i = 0; i < v->depth; i++) {
		const struct path_step *s = &v->steps[i];
		const struct path_node *child = path_node_child(n, s->kind, (struct key){ s->key, s->key_size });

		if (!child || !child->child_count)
			break;
		n = child;
	}
	return n;
}

static bool is_passed_through(const struct path_node *n)
{
	return n->child_count == 1 && n->elements && n->elements->child_count > 0;
}

static void push(struct paths_view *v, const struct path_node *n)
{
	struct path_step *s;

	v->steps = memory_resize(v->steps, v->depth + 1, sizeof *v->steps);
	s = &v->steps[v->depth++];
	*s = (struct path_step){ .kind = n->kind, .key = memory_allocate(n->key_size + 1), .key_size = n->key_size };
	memcpy(s->key, n->key, n->key_size + 1);
}

bool paths_view_enters(const struct path_node *n)
{
	return n && n->child_count > 0;
}

/* The steps anew: the place that is shown may be above the one that was chosen. */
static void set_place(struct paths_view *v, const struct path_node *n)
{
	if (!n->parent) {
		paths_view_leave_all(v);
		return;
	}
	set_place(v, n->parent);
	push(v, n);
}

void paths_view_enter(struct paths_view *v, const struct path_node *n)
{
	while (is_passed_through(n))
		n = n->elements;
	if (paths_view_enters(n))
		set_place(v, n);
}

bool paths_view_leave(struct paths_view *v, const struct path_tree *t, int64_t *row)
{
	const struct path_node *n = paths_view_place(v, t);

	if (!n->parent)
		return false;
	while (n->parent->parent && is_passed_through(n->parent))
		n = n->parent;
	*row = paths_view_row_id(n);
	set_place(v, n->parent);
	return true;
}

int64_t paths_view_row_id(const struct path_node *n)
{
	uint64_t hash = hash_join(hash_bytes(n->key, n->key_size), (uint64_t)n->kind);

	return (int64_t)(hash >> 2) + 1; /* no row is negative, and that of none is 0 */
}

static int compare_names(const struct path_row *a, const struct path_row *b)
{
	uint32_t size = a->node->key_size < b->node->key_size ? a->node->key_size : b->node->key_size;
	int order = memcmp(a->node->key, b->node->key, size);

	if (order)
		return order;
	if (a->node->key_size != b->node->key_size)
		return a->node->key_size < b->node->key_size ? -1 : 1;
	return (int)a->node->kind - (int)b->node->kind;
}

static int largest_first(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

static int by_bytes(const void *a, const void *b)
{
	const struct path_row *x = a, *y = b;
	int order = largest_first(x->bytes, y->bytes);

	if (order)
		return order;
	return x->node && y->node ? compare_names(x, y) : !x->node - !y->node;
}

static int by_count(const void *a, const void *b)
{
	const struct path_row *x = a, *y = b;
	int order = largest_first(x->node ? x->node->count : -1, y->node ? y->node->count : -1);

	return order ? order : by_bytes(a, b);
}

static int by_max(const void *a, const void *b)
{
	const struct path_row *x = a, *y = b;
	int order = largest_first(x->node ? x->node->largest_bytes : -1, y->node ? y->node->largest_bytes : -1);

	return order ? order : by_bytes(a, b);
}

static int by_name(const void *a, const void *b)
{
	const struct path_row *x = a, *y = b;

	return x->node && y->node ? compare_names(x, y) : !x->node - !y->node;
}

const char *const paths_view_sorts[] = { "sorted by bytes, the most first", "sorted by count, the most first",
	                                 "sorted by max, the largest first", "sorted by name", NULL };
static int (*const orders[])(const void *, const void *) = { by_bytes, by_count, by_max, by_name };

struct path_row *paths_view_rows(const struct path_node *place, int sort, size_t *count)
{
	struct path_row *rows = memory_allocate_zeroed((size_t)place->child_count + 1, sizeof *rows);
	int64_t rest = place->bytes;

	*count = 0;
	for (uint32_t i = 0; i < place->child_count; i++) {
		const struct path_node *n = place->children[i];

		rows[(*count)++] = (struct path_row){ n, paths_view_row_id(n), n->bytes };
		rest -= n->bytes;
	}
	if (rest > 0)
		rows[(*count)++] = (struct path_row){ NULL, ROW_OF_NONE, rest };
	if (*count)
		qsort(rows, *count, sizeof *rows, orders[sort]);
	return rows;
}
