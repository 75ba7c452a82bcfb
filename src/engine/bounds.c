#include "engine/bounds.h"

#include <stdlib.h>
#include <string.h>

#include "engine/index_key.h"

static const struct value MIN_KEY = { (const uint8_t *)"", 0, BSON_TYPE_MINKEY };
static const struct value MAX_KEY = { (const uint8_t *)"", 0, BSON_TYPE_MAXKEY };

static int compare_keys(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	int difference = memcmp(a, b, a_size < b_size ? a_size : b_size);

	return difference ? difference : (a_size > b_size) - (a_size < b_size);
}

static int compare_bounds(const struct bound *a, const struct bound *b)
{
	return compare_keys(a->key, a->key_size, b->key, b->key_size);
}

static void encode(struct bound *b, bool descending, struct arena *a)
{
	struct bytes key = BYTES_INIT;

	index_key_append(&key, b->value, descending);
	b->key = arena_duplicate(a, key.data, key.size);
	b->key_size = key.size;
	bytes_clear(&key);
}

static void append(struct intervals *list, struct arena *a, struct interval i)
{
	if (list->count == list->capacity) {
		struct interval *old = list->items;

		list->capacity = list->capacity ? 2 * list->capacity : 4;
		list->items = arena_allocate(a, list->capacity * sizeof *list->items);
		if (list->count)
			memcpy(list->items, old, list->count * sizeof *old);
	}
	list->items[list->count++] = i;
}

void intervals_add(struct intervals *list, struct arena *a, struct value start, bool start_inclusive, struct value end,
                   bool end_inclusive)
{
	struct interval i = { { start, NULL, 0, start_inclusive }, { end, NULL, 0, end_inclusive } };
	int order;

	encode(&i.start, false, a);
	encode(&i.end, false, a);
	order = compare_bounds(&i.start, &i.end);
	if (order < 0 || (!order && start_inclusive && end_inclusive))
		append(list, a, i);
}

void intervals_add_point(struct intervals *list, struct arena *a, struct value v)
{
	intervals_add(list, a, v, true, v, true);
}

void intervals_add_all(struct intervals *list, struct arena *a)
{
	intervals_add(list, a, MIN_KEY, true, MAX_KEY, true);
}

bool interval_is_point(const struct interval *i)
{
	return i->start.inclusive && i->end.inclusive && !compare_bounds(&i->start, &i->end);
}

bool intervals_are_points(const struct intervals *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!interval_is_point(&list->items[i]))
			return false;
	return list->count > 0;
}

bool intervals_are_all(const struct intervals *list)
{
	uint8_t first, last;

	if (list->count != 1 || !list->items[0].start.inclusive || !list->items[0].end.inclusive)
		return false;
	first = list->items[0].start.value.type;
	last = list->items[0].end.value.type;
	return (first == BSON_TYPE_MINKEY && last == BSON_TYPE_MAXKEY) ||
	       (first == BSON_TYPE_MAXKEY && last == BSON_TYPE_MINKEY);
}

/* An inclusive start lies before an exclusive one at the same value. */
static int compare_starts(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;
	int order = compare_bounds(&a->start, &b->start);

	return order ? order : (int)b->start.inclusive - (int)a->start.inclusive;
}

/* An exclusive end lies before an inclusive one at the same value. */
static int compare_ends(const struct bound *a, const struct bound *b)
{
	int order = compare_bounds(a, b);

	return order ? order : (int)a->inclusive - (int)b->inclusive;
}

void intervals_unite(struct intervals *list)
{
	size_t kept = 0;

	if (list->count < 2)
		return;
	qsort(list->items, list->count, sizeof *list->items, compare_starts);
	for (size_t i = 1; i < list->count; i++) {
		struct interval *last = &list->items[kept], *next = &list->items[i];
		int order = compare_bounds(&next->start, &last->end);

		if (order > 0 || (!order && !next->start.inclusive && !last->end.inclusive))
			list->items[++kept] = *next;
		else if (compare_ends(&next->end, &last->end) > 0)
			last->end = next->end;
	}
	list->count = kept + 1;
}

struct intervals intervals_intersect(const struct intervals *a, const struct intervals *b, struct arena *arena)
{
	struct intervals both = { NULL, 0, 0 };
	size_t i = 0, j = 0;

	while (i < a->count && j < b->count) {
		const struct interval *x = &a->items[i], *y = &b->items[j];
		struct interval common;
		int order;

		common.start = compare_starts(x, y) > 0 ? x->start : y->start;
		common.end = compare_ends(&x->end, &y->end) < 0 ? x->end : y->end;
		order = compare_bounds(&common.start, &common.end);
		if (order < 0 || (!order && common.start.inclusive && common.end.inclusive))
			append(&both, arena, common);
		if (compare_ends(&x->end, &y->end) < 0)
			i++;
		else
			j++;
	}
	return both;
}

struct intervals intervals_complement(const struct intervals *list, struct arena *a)
{
	struct intervals rest = { NULL, 0, 0 };
	struct value from = MIN_KEY;
	bool from_inclusive = true;

	for (size_t i = 0; i < list->count; i++) {
		const struct interval *gap = &list->items[i];

		intervals_add(&rest, a, from, from_inclusive, gap->start.value, !gap->start.inclusive);
		from = gap->end.value;
		from_inclusive = !gap->end.inclusive;
	}
	intervals_add(&rest, a, from, from_inclusive, MAX_KEY, true);
	return rest;
}

static void reverse(struct intervals *list)
{
	for (size_t i = 0, j = list->count; i < j; i++) {
		struct interval *a = &list->items[i], *b = &list->items[--j], first = *a, last = *b;

		*a = (struct interval){ last.end, last.start };
		*b = (struct interval){ first.end, first.start };
	}
}

void bounds_align(struct bounds *b, const struct index *i, bool backward, struct arena *a)
{
	b->backward = backward;
	for (size_t f = 0; f < b->field_count; f++) {
		bool descending = i->fields[f].descending;

		if (descending != backward)
			reverse(&b->fields[f]);
		for (size_t n = 0; descending && n < b->fields[f].count; n++) {
			encode(&b->fields[f].items[n].start, true, a);
			encode(&b->fields[f].items[n].end, true, a);
		}
	}
}

bool bounds_are_single(const struct bounds *b)
{
	size_t f = 0;

	while (f < b->field_count && b->fields[f].count == 1 && interval_is_point(&b->fields[f].items[0]))
		f++;
	if (f == b->field_count)
		return true;
	if (b->fields[f].count != 1)
		return false;
	while (++f < b->field_count)
		if (!intervals_are_all(&b->fields[f]))
			return false;
	return true;
}

/*
 * No encoded value begins with 0x00 or 0xff, ascending or descending: a key that ends with them lies below or above
 * every entry with the same beginning.
 */
static void append_edge(struct bytes *key, bool high)
{
	if (high)
		bytes_append_byte(key, 0xff);
}

/* To the start of interval `first` of a field and the first ones of the fields after it, behind what `seek` holds. */
static void append_starts(const struct bounds *b, size_t field, size_t first, struct bounds_seek *seek)
{
	seek->after = false;
	for (; field < b->field_count; field++, first = 0) {
		const struct bound *start = &b->fields[field].items[first].start;

		bytes_append(&seek->key, start->key, start->key_size);
		if (!start->inclusive) {
			append_edge(&seek->key, !b->backward);
			seek->after = true;
			return;
		}
	}
	append_edge(&seek->key, b->backward);
}

/* Past every entry that begins with the first `size` bytes of `key`. */
static void seek_past(const struct bounds *b, const uint8_t *key, size_t size, struct bounds_seek *seek)
{
	bytes_reset(&seek->key);
	bytes_append(&seek->key, key, size);
	append_edge(&seek->key, !b->backward);
	seek->after = true;
}

/* A value before (negative), within (0) or after (positive) an interval, in the direction of the scan. */
static int place(const struct bounds *b, const struct interval *i, const uint8_t *value, size_t size)
{
	int sign = b->backward ? -1 : 1;
	int to_start = sign * compare_keys(value, size, i->start.key, i->start.key_size);
	int to_end = sign * compare_keys(value, size, i->end.key, i->end.key_size);

	if (to_start < 0 || (!to_start && !i->start.inclusive))
		return -1;
	return to_end > 0 || (!to_end && !i->end.inclusive);
}

/*
 * The interval that holds the value, or the next one: `*position` is 0 or negative; positive when it is past them all.
 */
static size_t find_interval(const struct bounds *b, const struct intervals *list, const uint8_t *value, size_t size,
                            int *position)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (place(b, &list->items[middle], value, size) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	*position = low == list->count ? 1 : place(b, &list->items[low], value, size);
	return low;
}

/* Whether a field before `field` can still take a later value within its intervals. */
static bool can_advance(const struct bounds *b, const struct index *i, size_t field, const uint8_t *key, size_t size)
{
	for (size_t f = 0, at = 0; f < field; f++) {
		const struct intervals *list = &b->fields[f];
		const struct bound *end = &list->items[list->count - 1].end;
		size_t length = index_key_length(key + at, size - at, i->fields[f].descending);

		if (compare_keys(key + at, length, end->key, end->key_size))
			return true;
		at += length;
	}
	return false;
}

enum bounds_position bounds_check(const struct bounds *b, const struct index *i, const uint8_t *key, size_t size,
                                  struct bounds_seek *seek)
{
	for (size_t f = 0, at = 0; f < b->field_count; f++) {
		size_t length = index_key_length(key + at, size - at, i->fields[f].descending), interval;
		int position;

		interval = find_interval(b, &b->fields[f], key + at, length, &position);
		if (position > 0) {
			if (!can_advance(b, i, f, key, size))
				return BOUNDS_PAST;
			seek_past(b, key, at, seek);
			return BOUNDS_SEEK;
		}
		if (position < 0) {
			bytes_reset(&seek->key);
			bytes_append(&seek->key, key, at);
			append_starts(b, f, interval, seek);
			return BOUNDS_SEEK;
		}
		at += length;
	}
	return BOUNDS_WITHIN;
}

void bounds_skip(const struct bounds *b, const struct index *i, const uint8_t *key, size_t size, size_t fields,
                 struct bounds_seek *seek)
{
	size_t at = 0;

	for (size_t f = 0; f < fields; f++)
		at += index_key_length(key + at, size - at, i->fields[f].descending);
	seek_past(b, key, at, seek);
}

bool bounds_start(const struct bounds *b, struct bounds_seek *seek)
{
	for (size_t f = 0; f < b->field_count; f++)
		if (!b->fields[f].count)
			return false;
	bytes_reset(&seek->key);
	append_starts(b, 0, 0, seek);
	return true;
}

void bounds_end(const struct bounds *b, struct bounds_seek *end)
{
	bytes_reset(&end->key);
	end->after = true;
	for (size_t f = 0; f < b->field_count; f++) {
		const struct bound *bound = &b->fields[f].items[0].end;

		bytes_append(&end->key, bound->key, bound->key_size);
		if (!interval_is_point(&b->fields[f].items[0])) {
			end->after = bound->inclusive;
			return;
		}
	}
}
