#include "model/path_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/figure.h"
#include "base/memory.h"
#include "bson/print.h"

static bool is_plain(const struct path_node *n)
{
	if (!n->key_size || !strcmp(n->key, "*") || !strcmp(n->key, "[]"))
		return false;
	for (uint32_t i = 0; i < n->key_size; i++)
		if ((uint8_t)n->key[i] <= ' ' || strchr(".\"\\'`\x7f", n->key[i]))
			return false;
	return true;
}

void path_print_key(struct bytes *out, const struct path_node *n)
{
	if (n->kind != PATH_FIELD || is_plain(n)) {
		print_text(out, n->key, n->key_size);
		return;
	}
	bytes_append_byte(out, '"');
	for (uint32_t i = 0; i < n->key_size; i++) {
		uint32_t run = (uint32_t)strcspn(n->key + i, "\"");

		print_text(out, n->key + i, run);
		i += run;
		if (i < n->key_size)
			bytes_append_text(out, "\\\"");
	}
	bytes_append_byte(out, '"');
}

void path_print(struct bytes *out, const struct path_node *n)
{
	if (!n->parent)
		return;
	path_print(out, n->parent);
	if (n->parent->parent)
		bytes_append_byte(out, '.');
	path_print_key(out, n);
}

void path_print_types(struct bytes *out, const struct path_node *n)
{
	char count[32];

	for (uint32_t i = 0; i < n->type_count; i++)
		bytes_format(out, "%s%s %s", i ? ", " : "", value_type_name(n->types[i].type),
		             figure_format_count(n->types[i].count, count, sizeof count));
}

bool path_order_from_name(const char *name, enum path_order *order)
{
	static const char *const names[] = { "bytes", "count", "max", "name" };

	for (int i = 0; i <= PATH_BY_NAME; i++) {
		if (strcmp(names[i], name))
			continue;
		*order = (enum path_order)i;
		return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct path_node *x = *(const struct path_node *const *)a, *y = *(const struct path_node *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static int greatest_first(int64_t x, int64_t y, const void *a, const void *b)
{
	return x != y ? (x > y ? -1 : 1) : by_name(a, b);
}

static int by_bytes(const void *a, const void *b)
{
	return greatest_first((*(const struct path_node *const *)a)->bytes, (*(const struct path_node *const *)b)->bytes, a, b);
}

static int by_count(const void *a, const void *b)
{
	return greatest_first((*(const struct path_node *const *)a)->count, (*(const struct path_node *const *)b)->count, a, b);
}

static int by_max(const void *a, const void *b)
{
	return greatest_first((*(const struct path_node *const *)a)->largest_bytes, (*(const struct path_node *const *)b)->largest_bytes, a, b);
}

const struct path_node **path_sorted(const struct path_node *n, enum path_order order)
{
	static int (*const comparisons[])(const void *, const void *) = { by_bytes, by_count, by_max, by_name };
	const struct path_node **list = memory_duplicate(n->children, n->child_count * sizeof *list);

	if (n->child_count)
		qsort(list, n->child_count, sizeof *list, comparisons[order]);
	return list;
}
