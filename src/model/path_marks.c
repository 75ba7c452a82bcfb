#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/path_tree_private.h"

bool path_mark_is_beaten(const struct path_mark *m, int64_t value, int64_t position)
{
	return m->position < 0 || value > m->value || (value == m->value && position < m->position);
}

void path_mark_set(struct path_mark *m, int64_t value, int64_t position, struct value id)
{
	m->value = value;
	m->position = position;
	wrapped_set(&m->id, id);
}

static void copy(struct path_mark *m, const struct path_mark *other)
{
	m->value = other->value;
	m->position = other->position;
	bytes_reset(&m->id);
	bytes_append(&m->id, other->id.data, other->id.size);
}

void path_mark_merge(struct path_mark *m, const struct path_mark *other)
{
	if (other->position >= 0 && path_mark_is_beaten(m, other->value, other->position))
		copy(m, other);
}

/* Lengths of arrays */

static size_t bin_of(int64_t length)
{
	return length ? 64 - (size_t)__builtin_clzll((uint64_t)length) : 0;
}

/* A place for such an array among the longest; null: there are as many that are longer. */
static struct path_mark *longest_place(struct path_lengths *l, int64_t length, int64_t position)
{
	size_t i = l->longest_count;
	struct path_mark last;

	if (i == PATH_LONGEST && !path_mark_is_beaten(&l->longest[i - 1], length, position))
		return NULL;
	if (i < PATH_LONGEST)
		l->longest[l->longest_count++] = (struct path_mark){ .position = -1 };
	else
		i--;
	last = l->longest[i]; /* its memory is used again */
	for (; i > 0 && path_mark_is_beaten(&l->longest[i - 1], length, position); i--)
		l->longest[i] = l->longest[i - 1];
	l->longest[i] = last;
	return &l->longest[i];
}

struct path_mark *path_lengths_add(struct path_lengths *l, int64_t length, int64_t position)
{
	l->arrays++;
	l->elements += length;
	l->bins[bin_of(length)]++;
	return longest_place(l, length, position);
}

void path_lengths_merge(struct path_lengths *l, const struct path_lengths *more)
{
	l->arrays += more->arrays;
	l->elements += more->elements;
	for (size_t i = 0; i < PATH_LENGTH_BINS; i++)
		l->bins[i] += more->bins[i];
	for (size_t i = 0; i < more->longest_count; i++) {
		const struct path_mark *other = &more->longest[i];
		struct path_mark *m = longest_place(l, other->value, other->position);

		if (m)
			copy(m, other);
	}
}

void path_lengths_free(struct path_lengths *l)
{
	for (size_t i = 0; l && i < l->longest_count; i++)
		bytes_clear(&l->longest[i].id);
	free(l);
}

/* Values of a version field. One that gave way to smaller ones never comes back: only smaller ones come. */

static int compare(const struct path_counted *c, const struct bytes *wrapped)
{
	size_t least = c->value.size < wrapped->size ? c->value.size : wrapped->size;
	int order = memcmp(c->value.data, wrapped->data, least);

	return order ? order : (c->value.size > wrapped->size) - (c->value.size < wrapped->size);
}

void path_values_add(struct path_values *v, struct value value, int64_t count)
{
	struct bytes wrapped = BYTES_INIT;
	size_t i = 0;

	wrapped_set(&wrapped, value);
	while (i < v->count && compare(&v->list[i], &wrapped) < 0)
		i++;
	if (i < v->count && !compare(&v->list[i], &wrapped)) {
		v->list[i].count += count;
		bytes_clear(&wrapped);
		return;
	}
	if (i == PATH_VALUES) {
		v->others += count;
		bytes_clear(&wrapped);
		return;
	}
	if (v->count == PATH_VALUES) {
		v->others += v->list[--v->count].count;
		bytes_clear(&v->list[v->count].value);
	}
	memmove(&v->list[i + 1], &v->list[i], (v->count - i) * sizeof *v->list);
	v->list[i] = (struct path_counted){ wrapped, count };
	v->count++;
}

void path_values_merge(struct path_values *v, const struct path_values *more)
{
	v->others += more->others;
	for (size_t i = 0; i < more->count; i++)
		path_values_add(v, wrapped_value(&more->list[i].value), more->list[i].count);
}

void path_values_free(struct path_values *v)
{
	for (size_t i = 0; v && i < v->count; i++)
		bytes_clear(&v->list[i].value);
	free(v);
}
