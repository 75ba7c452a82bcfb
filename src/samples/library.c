/*
 * A documented generator with a visible seed: whoever repeats it in double arithmetic gets the same bytes. Names are
 * Turkish, as in the catalogue it comes from: kitap book, kopya copy, baslik title, yazar author, yayin_yili year, sube
 * branch, durum status.
 */
#include "samples/library.h"

#include <math.h>
#include <stdio.h>

#include "bson/writer.h"
#include "samples/load.h"

enum { BOOKS = 20000, MOST_COPIES = 5, AUTHORS = 4000 };

static const char *const branches[] = { "Merkez", "Bahcelievler", "Kadikoy", "Beyoglu", "Konak", "Nilufer" };
static const char *const statuses[] = { "rafta", "oduncte", "onarimda" };

struct generator {
	double state;
	int book, copy, copies; /* the present book, and its next copy */
	struct bytes document;
};

/*
 * From 0 up to 1. The product passes 2^53 and is rounded as doubles are: exact integers would give another catalogue.
 * No fused multiply-add (-ffp-contract=off), or the sum would be rounded once instead of twice.
 */
static double draw(struct generator *g)
{
	g->state = fmod(g->state * 1103515245.0 + 12345.0, 2147483648.0);
	return g->state / 2147483648.0;
}

static int draw_below(struct generator *g, int limit)
{
	return (int)floor(draw(g) * limit);
}

static const char *text(char *buffer, size_t size, const char *format, int number)
{
	snprintf(buffer, size, format, number);
	return buffer;
}

static bool next_book(void *context, struct value *document, bson_error_t *error)
{
	struct generator *g = context;
	struct writer w;
	char buffer[48];
	int n = ++g->book;

	(void)error;
	if (n > BOOKS)
		return false;
	bytes_reset(&g->document);
	writer_begin(&w, &g->document);
	writer_text(&w, "_k", text(buffer, sizeof buffer, "K-%05d", n));
	writer_text(&w, "baslik", text(buffer, sizeof buffer, "Kitap %d uzerine incelemeler", n));
	writer_text(&w, "yazar", text(buffer, sizeof buffer, "Yazar %d", n % AUTHORS));
	writer_int32(&w, "yayin_yili", 1950 + n % 75);
	*document = writer_finish(&w);
	return true;
}

/* A book's number of copies is drawn before its copies, a copy's branch before its status. */
static bool next_copy(void *context, struct value *document, bson_error_t *error)
{
	struct generator *g = context;
	struct writer w;
	char buffer[48];

	(void)error;
	if (g->copy == g->copies) {
		if (++g->book > BOOKS)
			return false;
		g->copy = 0;
		g->copies = 1 + draw_below(g, MOST_COPIES);
	}
	bytes_reset(&g->document);
	writer_begin(&w, &g->document);
	writer_text(&w, "_k", text(buffer, sizeof buffer, "B%07d", g->book * 10 + g->copy));
	writer_text(&w, "kitap", text(buffer, sizeof buffer, "K-%05d", g->book));
	writer_text(&w, "sube", branches[draw_below(g, sizeof branches / sizeof *branches)]);
	writer_text(&w, "durum", statuses[draw_below(g, sizeof statuses / sizeof *statuses)]);
	*document = writer_finish(&w);
	g->copy++;
	return true;
}

static bool load(struct engine *e, const struct model *model, const char *collection,
                 bool (*next)(void *, struct value *, bson_error_t *), bson_error_t *error)
{
	struct generator g = { .state = 424242 };
	struct engine_loader loader = { next, &g, false };
	bool good = sample_load(e, model, collection, &loader, error);

	bytes_clear(&g.document);
	return good;
}

bool library_load(struct engine *e, const struct model *model, bson_error_t *error)
{
	return load(e, model, "kitap", next_book, error) && load(e, model, "kopya", next_copy, error);
}
