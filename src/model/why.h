/*
 * What an error says: a text that a server, a driver or a log wrote, read for the errors that concern sizes, memory
 * and what a user may do; with the sizes in it, what they are over, what it was that was too large, and what to do
 * next with this program.
 */
#ifndef BSONSCOPE_MODEL_WHY_H
#define BSONSCOPE_MODEL_WHY_H

#include "base/bytes.h"
#include "bson/value.h"

enum { WHY_CODES = 8, WHY_NEXT = 4, WHY_FINDINGS = 8, WHY_TEXT_BYTES = 1 << 20 };

/*
 * A row of the table of errors. Texts in `next` have names in braces, which are filled in: {source} {where} (the
 * options -d and -c) {id} {value} {size}.
 */
struct why_error {
	int32_t codes[WHY_CODES]; /* the first is the usual one; none for what clients find out by themselves */
	const char *name;
	const char *pattern;      /* of the message, for PCRE2, caseless; null: known by name only */
	int64_t limit_bytes;      /* where the text names none; 0: there is none */
	const char *meaning;
	const char *next[WHY_NEXT];
};
extern const struct why_error why_errors[];
extern const size_t why_error_count;

/* What the "First element" of 10334 says of the thing that was too large. */
struct why_thing {
	const char *elements; /* names, each between spaces; null: every other one */
	const char *value;    /* and what its value begins with; null: any */
	const char *kind;     /* for programs: document, command, reply, … */
	const char *what, *meaning;
	const char *next[WHY_NEXT];
};
extern const struct why_thing why_things[];
extern const size_t why_thing_count;

/* Which of them it is when the size is no size at all. */
extern const struct why_thing why_thing_broken;

enum why_hex {
	WHY_HEX_NONE,
	WHY_HEX_SAME,
	WHY_HEX_SWAPPED, /* the four bytes as they lie, lowest first: old servers print them so */
	WHY_HEX_DIFFERENT
};

struct why_finding {
	const struct why_error *error;
	const struct why_thing *thing;    /* null: the text does not say */
	size_t at;                        /* where it stands in the text */
	bool has_size;
	int64_t size_bytes, limit_bytes;  /* the limit is 0 where there is none */
	enum why_hex hex;
	char hex_digits[12];
	char *element, *value;            /* "_id", "ObjectId('…')"; null: not in the text */
	char *operator;                   /* "$push"; null: not in the text */
};

struct why_code {
	int32_t code;
	char name[64]; /* as in the text; empty when it has none */
};

struct why {
	struct why_finding findings[WHY_FINDINGS]; /* in the order of the text */
	size_t finding_count;
	struct why_code codes[WHY_CODES];          /* all numbers that stand there as codes */
	size_t code_count;
	char *db, *collection, *id;                /* named in the text; null: not */
	char *source;                              /* for the commands; null: not known */
};

/* Reads the text's first MiB. `source`: what the user would open; may be null. The caller clears. */
void why_read(struct why *w, const char *text, size_t size_bytes, const char *source);
void why_clear(struct why *w);

/* Lines for a person, of at most `columns` where words can be broken; nothing in them is raw,
  and all of ours is ASCII. */
void why_print(const struct why *w, int columns, struct bytes *out);

/* A command of `next` with the names of the text. */
void why_fill(const struct why *w, const struct why_finding *f, const char *template, struct bytes *out);

/* Whether the text gives a size that is over the limit, and by how much: exactly,
  and in hundredths of a percent of it. */
bool why_over(int64_t size_bytes, int64_t limit_bytes, int64_t *over_bytes, int64_t *hundredths);

#endif
