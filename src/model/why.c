#include "model/why.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "model/why_match.h"

enum { VALUE_BYTES = 4000, GROUP_BYTES = 200 };

static void squeeze(const char *text, size_t size, struct bytes *out)
{
	bool blank = true;

	for (size_t i = 0; i < size && i < WHY_TEXT_BYTES; i++) {
		bool space = isspace((unsigned char)text[i]) || !text[i];

		if (!space || !blank)
			bytes_append_byte(out, space ? ' ' : (uint8_t)text[i]);
		blank = space;
	}
}

/*
 * How far a value reaches that stands as a server or shell writes it: a text with the quotes that it began with (which
 * a reply within a reply has escaped), something in brackets, a name with something in parentheses, or a word.
 */
static size_t value_size(const char *at, const char *end)
{
	const char *start = at, *quote;
	int depth = 0;

	while (at < end && *at == '\\')
		at++;
	if (at < end && (*at == '"' || *at == '\'')) {
		size_t mark = (size_t)(at - start) + 1;

		for (quote = at + 1; quote + mark <= end; quote++)
			if (!memcmp(quote, start, mark) && (mark > 1 || quote[-1] != '\\'))
				return (size_t)(quote - start) + mark;
		return (size_t)(end - start);
	}
	for (at = start; at < end; at++) {
		if (strchr("{[(", *at))
			depth++;
		else if (strchr("}])", *at) && depth-- <= 1)
			return (size_t)(at - start) + (depth == 0);
		else if (!depth && strchr(" ,;\"'", *at))
			break;
	}
	return (size_t)(at - start);
}

static char *value_at(const struct search *s, size_t at)
{
	size_t size = value_size(s->text + at, s->text + s->size), skipped = 0;

	while (size > 2 * skipped + 2 && s->text[at + skipped] == '\\') /* \"x\" inside a text */
		skipped++;
	if (skipped && s->text[at + size - 1] == s->text[at + skipped]) {
		char *inner = strndup(s->text + at + skipped, size - 2 * skipped);

		inner[strlen(inner) - 1] = s->text[at + skipped];
		return inner;
	}
	while (!skipped && size && strchr(".:", s->text[at + size - 1])) /* the end of a sentence */
		size--;
	return size && size <= VALUE_BYTES ? strndup(s->text + at, size) : NULL;
}

static void take(char **place, char *text)
{
	if (*place || (text && !*text)) {
		free(text);
		return;
	}
	*place = text;
}

/* 0x122402F is 19021871; old servers print 0x2F402201 for it. */
static void read_hex(struct why_finding *f, char *digits)
{
	uint32_t number;

	if (!digits)
		return;
	number = (uint32_t)strtoul(digits, NULL, 16);
	snprintf(f->hex_digits, sizeof f->hex_digits, "0x%s", digits);
	f->hex = number == (uint32_t)f->size_bytes                     ? WHY_HEX_SAME
	         : __builtin_bswap32(number) == (uint32_t)f->size_bytes ? WHY_HEX_SWAPPED
	                                                                : WHY_HEX_DIFFERENT;
	free(digits);
}

static const struct why_thing *thing_of(const struct why_finding *f)
{
	char spaced[GROUP_BYTES + 3];

	snprintf(spaced, sizeof spaced, " %.*s ", (int)GROUP_BYTES, f->element ? f->element : "");
	for (size_t i = 0; f->element && i < why_thing_count; i++) {
		const struct why_thing *t = &why_things[i];

		if (t->elements && !strstr(t->elements, spaced))
			continue;
		if (!t->value || (f->value && !strncmp(f->value, t->value, strlen(t->value))))
			return t;
	}
	return NULL;
}

/* "First element: insert: "pages"" close behind the message. */
static void read_element(struct why *w, struct why_finding *f, const struct search *s, size_t from)
{
	static const char pattern[] = "\\G[^{]{0,60}?First element: ?(?<element>[^ :]+)(?:: |$| )";
	struct match m;

	match_init(&m, pattern);
	if (match_next(&m, s, from)) {
		f->element = match_group(&m, "element");
		while (f->element && *f->element && strchr("\"'\\", f->element[strlen(f->element) - 1]))
			f->element[strlen(f->element) - 1] = 0;
		f->value = s->text[m.to - 1] == ' ' && m.to > 1 && s->text[m.to - 2] == ':' ? value_at(s, m.to) : NULL;
	}
	match_clear(&m);
	f->thing = thing_of(f);
	/* shorter than any document, or longer than anything the server puts together: bytes that are no length */
	if (f->size_bytes < 5 || f->size_bytes > LIMIT_BUFFER_BYTES)
		f->thing = &why_thing_broken;
	if (!f->thing || !f->value)
		return;
	if (!strcmp(f->thing->kind, "document"))
		take(&w->id, memory_duplicate_text(f->value));
	if (!strcmp(f->thing->kind, "command") && strchr("\"'", *f->value) && strlen(f->value) > 2)
		take(&w->collection, strndup(f->value + 1, strlen(f->value) - 2));
}

static void add_finding(struct why *w, struct why_finding *f)
{
	size_t i = w->finding_count;

	for (size_t k = 0; k < w->finding_count; k++) {
		const struct why_finding *other = &w->findings[k];

		/* the same again, as in a message and the reply around it; or another row's words for the same place */
		if ((other->error == f->error && other->size_bytes == f->size_bytes) || (f->at && other->at == f->at) ||
		    i == WHY_FINDINGS) {
			free(f->element);
			free(f->value);
			free(f->operator);
			return;
		}
	}
	for (; i > 0 && w->findings[i - 1].at > f->at; i--)
		w->findings[i] = w->findings[i - 1];
	w->findings[i] = *f;
	w->finding_count++;
}

/* "db.collection", with what an index is called behind it cut off. */
static void take_namespace(struct why *w, char *name)
{
	char *dot = name ? strchr(name, '.') : NULL;

	if (dot && dot > name && dot[1]) {
		take(&w->collection, memory_duplicate_text(dot + 1));
		take(&w->db, strndup(name, (size_t)(dot - name)));
	}
	free(name);
}

static void read_error(struct why *w, const struct why_error *e, const struct search *s)
{
	struct match m;

	match_init(&m, e->pattern);
	for (size_t at = 0; w->finding_count < WHY_FINDINGS && match_next(&m, s, at); at = m.to > m.from ? m.to : m.to + 1) {
		struct why_finding f = { .error = e, .at = m.from };

		f.has_size = match_number(&m, "size", &f.size_bytes);
		if (!match_number(&m, "limit", &f.limit_bytes))
			f.limit_bytes = e->limit_bytes;
		read_hex(&f, match_group(&m, "hex"));
		f.operator = match_group(&m, "operator");
		take(&w->collection, match_group(&m, "collection"));
		take(&w->db, match_group(&m, "database"));
		take_namespace(w, match_group(&m, "namespace"));
		if (f.hex != WHY_HEX_NONE)
			read_element(w, &f, s, m.to);
		add_finding(w, &f);
	}
	match_clear(&m);
}

/* What is written as a code: {code: 10334, codeName: "…"}, "failed with error 17419", "Location16389". */
static void read_codes(struct why *w, const struct search *s)
{
	static const char pattern[] =
	        "(?:\\bcode\\\\*[\"']?\\]? ?(?:=>|[:=])? ?\\(?"
	        "(?:\\{ ?\\\\*\"\\$number[a-z]+\\\\*\" ?: ?|Number[a-z]+\\(|Long\\()?\\\\*[\"']?"
	        "|\\berror:? (?:code:? )?\\(?|\\bLocation|\\bassertion:? |\\bE)(?<code>[0-9]{1,7})\\b(?![.,][0-9])"
	        "(?:\\\\*[\"')}]*,? ?\\\\*[\"']?codeName\\\\*[\"']? ?[:=] ?\\\\*[\"'](?<name>[A-Za-z0-9]+)"
	        "|\\((?<name>[A-Za-z]\\w+)\\))?";
	struct match m;

	match_init(&m, pattern);
	for (size_t at = 0; w->code_count < WHY_CODES && match_next(&m, s, at); at = m.to) {
		int64_t code;
		size_t i = 0;
		char *name = match_group(&m, "name");

		match_number(&m, "code", &code);
		while (i < w->code_count && w->codes[i].code != code)
			i++;
		w->codes[i].code = (int32_t)code;
		if (name && !*w->codes[i].name)
			snprintf(w->codes[i].name, sizeof w->codes[i].name, "%s", name);
		w->code_count += i == w->code_count;
		free(name);
	}
	match_clear(&m);
}

static bool is_found(const struct why *w, const struct why_error *e)
{
	for (size_t i = 0; i < w->finding_count; i++)
		if (w->findings[i].error == e)
			return true;
	return false;
}

static bool names_error(const struct why *w, const struct why_error *e, const struct search *s)
{
	const char *at = s->text;
	size_t length = e->name ? strlen(e->name) : 0;

	for (size_t i = 0; i < w->code_count; i++)
		if (w->codes[i].code == e->codes[0] && e->codes[0] > 2) /* 2, BadValue, is said of everything */
			return true;
	/* a word of many meanings, or one that only says again what was found */
	if (!length || e->codes[0] == 2 || e->codes[0] == 15 || (!e->codes[0] && (e->pattern || w->finding_count)))
		return false;
	while ((at = memmem(at, s->size - (size_t)(at - s->text), e->name, length))) {
		if ((at == s->text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
			return true;
		at += length;
	}
	return false;
}

/* Errors that are only named: nobody has kept the message. */
static void read_names(struct why *w, const struct search *s)
{
	for (size_t i = 0; i < why_error_count && w->finding_count < WHY_FINDINGS; i++) {
		const struct why_error *e = &why_errors[i];
		struct why_finding f = { .error = e, .limit_bytes = e->limit_bytes, .at = s->size };
		bool same = false;

		for (size_t k = 0; k < w->finding_count; k++)
			same = same || (e->codes[0] && w->findings[k].error->codes[0] == e->codes[0]);
		if (!same && !is_found(w, e) && names_error(w, e, s))
			add_finding(w, &f);
	}
}

/* Database, collection and _id, as logs, replies and write errors name them. */
static void read_places(struct why *w, const struct search *s)
{
	static const struct {
		const char *pattern;
		bool id;
	} places[] = {
		{ "\\bns\\\\*[\"']? ?: ?\\\\*[\"'](?<namespace>[^\"'\\\\ ]+)", false },
		{ "\\$db\\\\*[\"']? ?: ?\\\\*[\"'](?<database>[^\"'\\\\ ]+)", false },
		{ "[{,] ?\\\\*[\"']?(?:aggregate|find|insert|update|delete|findAndModify|count|distinct)\\\\*[\"']? ?: ?"
		  "\\\\*[\"'](?<collection>[^\"'\\\\$ ]+)", false },
		{ "\\bCOMMAND (?:\\[[^]]*\\] )?command (?<namespace>[^ ]+) ", false },
		{ "\\b(?:q|filter|query)\\\\*[\"']?[:,] ?\\{ ?\\\\*[\"']?_id\\\\*[\"']? ?: ?", true },
	};

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct match m;

		match_init(&m, places[i].pattern);
		if (match_next(&m, s, 0)) {
			take_namespace(w, match_group(&m, "namespace"));
			take(&w->db, match_group(&m, "database"));
			take(&w->collection, match_group(&m, "collection"));
			if (places[i].id)
				take(&w->id, value_at(s, m.to));
		}
		match_clear(&m);
	}
}

/* The key of the parent whose matches were too many: "{ from: { $eq: "B02" } }". */
static void read_parent(struct why_finding *f, const struct search *s)
{
	struct match m;

	if (f->error->codes[0] != 4568)
		return;
	match_init(&m, "\\{ ?\\\\*\"?\\$eq\\\\*\"? ?: ");
	if (match_next(&m, s, f->at))
		f->value = value_at(s, m.to);
	match_clear(&m);
}

void why_read(struct why *w, const char *text, size_t size_bytes, const char *source)
{
	struct bytes squeezed = BYTES_INIT;
	struct search s;

	*w = (struct why){ .source = source ? memory_duplicate_text(source) : NULL };
	squeeze(text, size_bytes, &squeezed);
	s = (struct search){ bytes_text(&squeezed), squeezed.size };
	for (size_t i = 0; i < why_error_count; i++)
		if (why_errors[i].pattern)
			read_error(w, &why_errors[i], &s);
	read_codes(w, &s);
	read_names(w, &s);
	read_places(w, &s);
	for (size_t i = 0; i < w->finding_count; i++)
		read_parent(&w->findings[i], &s);
	bytes_clear(&squeezed);
}

void why_clear(struct why *w)
{
	for (size_t i = 0; i < w->finding_count; i++) {
		free(w->findings[i].element);
		free(w->findings[i].value);
		free(w->findings[i].operator);
	}
	free(w->db);
	free(w->collection);
	free(w->id);
	free(w->source);
}

bool why_over(int64_t size_bytes, int64_t limit_bytes, int64_t *over_bytes, int64_t *hundredths)
{
	if (limit_bytes < 1 || size_bytes <= limit_bytes)
		return false;
	*over_bytes = size_bytes - limit_bytes;
	*hundredths = (int64_t)(((__int128)*over_bytes * 10000 + limit_bytes / 2) / limit_bytes);
	return true;
}
