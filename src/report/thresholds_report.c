#include "report/thresholds_report.h"

#include <string.h>

#include "bson/print.h"
#include "report/figures.h"
#include "report/table.h"

/* Documents were seen, or may be there that were not. */
static bool has_figures(const struct sizes *s)
{
	return figure_known(s->count);
}

void thresholds_write(struct writer *w, const struct sizes *s)
{
	writer_begin_array(w, key_of("thresholds"));
	for (size_t i = 0; i < s->thresholds.count; i++) {
		writer_begin_document(w, key_of(""));
		writer_number(w, "bytes", s->thresholds.list[i].bytes);
		figures_write(w, "documents", s->reached[i]);
		if (s->reached[i].at_least)
			writer_bool(w, "atLeast", true);
		if (s->thresholds.list[i].meaning)
			writer_text(w, "meaning", s->thresholds.list[i].meaning);
		writer_end(w);
	}
	writer_end(w);
	if (!s->alarm_bytes)
		return;
	writer_begin_document(w, key_of("failOver"));
	writer_number(w, "bytes", s->alarm_bytes);
	figures_write(w, "documents", s->alarming);
	if (s->alarming.at_least)
		writer_bool(w, "atLeast", true);
	writer_end(w);
}

void thresholds_print(struct sizes *const *sizes, size_t count, bool ascii, struct bytes *out)
{
	const struct thresholds *all = count ? &sizes[0]->thresholds : thresholds_default();
	bool whole = true;
	char least[32];
	struct table t;

	table_init(&t, "lrrl", ascii);
	for (size_t i = 0; i < count; i++) {
		const struct sizes *s = sizes[i];

		whole = whole && !s->count.at_least && figure_known(s->count) && !s->alarming.at_least;
		for (size_t k = 0; k < s->thresholds.count; k++) {
			if (!figure_known(s->reached[k]) || !s->reached[k].value)
				continue;
			table_text(&t, s->collection);
			table_figure(&t, s->reached[k]);
			table_figure(&t, figure_of(s->thresholds.list[k].bytes, PROVENANCE_EXACT));
			table_text(&t, s->thresholds.list[k].meaning ? s->thresholds.list[k].meaning : "");
		}
	}
	if (t.count) {
		bytes_append_text(out, "\ndocuments that reach so many bytes\n");
		table_print(&t, 2, out);
	} else if (all->count && count) {
		bytes_format(out, "\nno document%s reaches %s bytes\n", whole ? "" : " that was seen",
		             figure_format_count(all->list[0].bytes, least, sizeof least));
	}
	table_clear(&t);
}

static void print_alarming(const struct sizes *s, bool ascii, struct bytes *out)
{
	const struct print_options shell = { .form = PRINT_SHELL, .limit_bytes = 200 };
	char size[32], limit[32];
	int64_t named = 0;

	for (size_t i = 0; i < s->largest_count && s->largest[i].size_bytes > s->alarm_bytes; i++, named++) {
		struct value document, id = value_missing();

		if (value_document(&document, s->largest[i].id.data, s->largest[i].id.size))
			id = value_get(document, "");
		bytes_format(out, "over %s bytes: ", figure_format_count(s->alarm_bytes, limit, sizeof limit));
		print_text(out, s->collection, strlen(s->collection));
		bytes_append_text(out, " _id ");
		if (value_is_missing(id))
			bytes_append_text(out, ascii ? "-" : "\u2014");
		else
			print_value(out, id, &shell);
		bytes_format(out, " %s bytes\n", figure_format_count(s->largest[i].size_bytes, size, sizeof size));
	}
	if (s->alarming.value > named)
		bytes_format(out, "over %s bytes: %s more in %s; --top names more of them\n",
		             figure_format_count(s->alarm_bytes, limit, sizeof limit),
		             figure_format_count(s->alarming.value - named, size, sizeof size), s->collection);
}

bool alarm_print(struct sizes *const *sizes, size_t count, bool ascii, struct bytes *out)
{
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any = any || (sizes[i]->alarm_bytes && figure_known(sizes[i]->alarming) && sizes[i]->alarming.value > 0);
	for (size_t i = 0; out && i < count; i++) {
		const struct sizes *s = sizes[i];

		if (!s->alarm_bytes)
			continue;
		if (has_figures(s))
			print_alarming(s, ascii, out);
		if (!has_figures(s) || s->alarming.at_least) {
			print_text(out, s->collection, strlen(s->collection));
			bytes_append_text(out, ": not every document was looked at");
			bytes_append_text(out, any ? "; there may be more that are larger\n"
			                           : "; status 0 does not say that none is larger\n");
		}
	}
	return any;
}
