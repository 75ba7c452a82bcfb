#include "engine/plan_write.h"

#include <string.h>

#include "bson/print.h"

/* The beginnings of the path that were arrays: ["a", "a.b"]. */
static void write_array_paths(struct writer *w, const struct index_field *f)
{
	writer_begin_array(w, key_of(f->path.text));
	for (size_t c = 0; c < f->path.count && c < 32; c++) {
		const struct key *last = &f->path.keys[c];
		size_t size = (size_t)(last->bytes - f->path.text) + last->size_bytes;
		struct arena a;

		if (!(f->array_components >> c & 1))
			continue;
		arena_init(&a);
		writer_put(w, "", value_make_text(&a, f->path.text, size));
		arena_clear(&a);
	}
	writer_end(w);
}

void plan_write_index(struct writer *w, const struct index *i)
{
	writer_put(w, "keyPattern", index_key_pattern(i));
	writer_text(w, "indexName", i->name);
	writer_bool(w, "isMultiKey", i->multikey);
	writer_begin_document(w, key_of("multiKeyPaths"));
	for (size_t f = 0; f < i->field_count; f++)
		write_array_paths(w, &i->fields[f]);
	writer_end(w);
	writer_bool(w, "isUnique", i->unique);
	writer_bool(w, "isSparse", i->sparse);
	writer_bool(w, "isPartial", i->filter);
	writer_int32(w, "indexVersion", 2);
}

static void print_interval(struct bytes *text, const struct interval *i)
{
	bytes_append_byte(text, i->start.inclusive ? '[' : '(');
	print_line(text, i->start.value, PRINT_SERVER);
	bytes_append_text(text, ", ");
	print_line(text, i->end.value, PRINT_SERVER);
	bytes_append_byte(text, i->end.inclusive ? ']' : ')');
}

void plan_write_bounds(struct writer *w, const struct index *i, const struct bounds *bounds)
{
	struct bytes text = BYTES_INIT;

	writer_begin_document(w, key_of("indexBounds"));
	for (size_t f = 0; f < bounds->field_count; f++) {
		writer_begin_array(w, key_of(i->fields[f].path.text));
		for (size_t n = 0; n < bounds->fields[f].count; n++) {
			bytes_reset(&text);
			print_interval(&text, &bounds->fields[f].items[n]);
			writer_text(w, "", bytes_text(&text));
		}
		writer_end(w);
	}
	writer_end(w);
	bytes_clear(&text);
}

static const struct value MIN_KEY = { (const uint8_t *)"", 0, BSON_TYPE_MINKEY };
static const struct value MAX_KEY = { (const uint8_t *)"", 0, BSON_TYPE_MAXKEY };

/*
 * One end of a run as a key: the fields after an exclusive bound take the value that lies furthest from the run, after
 * an inclusive one the nearest.
 */
static bool write_end(struct writer *w, const struct index *i, const struct bounds *bounds, bool start)
{
	bool inclusive = true;

	for (size_t f = 0; f < bounds->field_count; f++) {
		const struct interval *n = &bounds->fields[f].items[0];
		bool low = start != i->fields[f].descending;

		if (intervals_are_all(&bounds->fields[f])) {
			writer_put(w, i->fields[f].path.text, low == inclusive ? MIN_KEY : MAX_KEY);
			continue;
		}
		writer_put(w, i->fields[f].path.text, start ? n->start.value : n->end.value);
		inclusive &= start ? n->start.inclusive : n->end.inclusive;
	}
	return inclusive;
}

void plan_write_range(struct writer *w, const struct index *i, const struct bounds *bounds)
{
	bool inclusive;

	writer_begin_document(w, key_of("indexBounds"));
	writer_begin_document(w, key_of("startKey"));
	inclusive = write_end(w, i, bounds, true);
	writer_end(w);
	writer_bool(w, "startKeyInclusive", inclusive);
	writer_begin_document(w, key_of("endKey"));
	inclusive = write_end(w, i, bounds, false);
	writer_end(w);
	writer_bool(w, "endKeyInclusive", inclusive);
	writer_end(w);
}
