#include "report/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "bson/print.h"
#include "model/growth.h"
#include "model/model.h"
#include "model/path_text.h"
#include "model/sizes.h"
#include "origin.h"
#include "plan/tree.h"
#include "report/plan_report.h"

enum kind {
	KIND_FLAG, KIND_TEXT, KIND_SHAPE, KIND_BYTES, KIND_COUNT, KIND_EXPONENT, KIND_VERBOSITY, KIND_EMULATION, KIND_OPTIONAL,
	KIND_ALARMS, KIND_ORDER, KIND_TOP, KIND_SIZE, KIND_THRESHOLDS
};

enum {
	REPORTS = SUBCOMMAND_WORKLOAD | SUBCOMMAND_SIZES | SUBCOMMAND_GROWTH,
	COMMANDED = SUBCOMMAND_RUN | SUBCOMMAND_EXPLAIN, /* what takes commands as arguments */
	SHAPED = SUBCOMMAND_WORKLOAD | SUBCOMMAND_SIZES,
	EVERYWHERE = REPORTS | SUBCOMMAND_EXPLORE | SUBCOMMAND_SERVE | COMMANDED | SUBCOMMAND_WHY | SUBCOMMAND_TREE | SUBCOMMAND_SCHEMA,
	PATHS = SUBCOMMAND_TREE | SUBCOMMAND_SCHEMA,
	SOURCED = EVERYWHERE & ~SUBCOMMAND_WHY,
	MOST_BYTES = LIMIT_USER_BYTES,
	LEAST_DOCUMENT_BYTES = 5,
	MOST_EXPONENT = 100
};

static const struct option_row {
	const char *name;
	char letter; /* 0: none */
	const char *argument;
	int subcommands;
	enum kind kind;
	size_t offset;
	const char *help;
} table[] = {
	{ "db", 'd', "NAME", REPORTS | PATHS | COMMANDED, KIND_TEXT, offsetof(struct options, db),
	  "the database; default: the model's, else the first" },
	{ "queries", 0, "FILE", SOURCED, KIND_TEXT, offsetof(struct options, queries),
	  "the model of the database: relationships and operations (queries/README.md); default: the sample's own, else "
	  "~/.config/bsonscope/queries/DB.json" },
	{ "collection", 'c', "NAME", SUBCOMMAND_SIZES | PATHS, KIND_TEXT, offsetof(struct options, collection),
	  "only this collection" },
	{ "relationship", 0, "NAME", REPORTS | SUBCOMMAND_EXPLORE | SUBCOMMAND_EXPLAIN, KIND_TEXT,
	  offsetof(struct options, relationship), "which relationship changes its shape; default: the model's first" },
	{ "shape", 0, "SHAPE", SHAPED | SUBCOMMAND_EXPLORE | SUBCOMMAND_EXPLAIN, KIND_SHAPE,
	  offsetof(struct options, shape),
	  "embed or reference; default: embed. With sizes: the collections of that shape; with explain: the data that the "
	  "command is explained on" },
	{ "limit", 0, "BYTES", REPORTS | SUBCOMMAND_EXPLORE, KIND_BYTES, offsetof(struct options, limit_bytes),
	  "the document limit, up to 16777216; default: the model's" },
	{ "exact", 0, "N", REPORTS | PATHS | SUBCOMMAND_EXPLORE, KIND_COUNT,
	  offsetof(struct options, exact_documents),
	  "over a server: all documents of a collection are looked at up to so many, of a larger one a sample; default: "
	  "100000" },
	{ "top", 0, "N", SUBCOMMAND_SIZES | SUBCOMMAND_TREE, KIND_TOP, offsetof(struct options, top),
	  "so many of the largest documents, up to 1000; default: 10 as JSON, 3 as text. With tree: so many paths below each; "
	  "default: all as JSON, 20 as text" },
	{ "document", 0, "ID", SUBCOMMAND_TREE, KIND_TEXT, offsetof(struct options, document),
	  "of one document: 5, '\"text\"', 'ObjectId(\"...\")', or the word largest" },
	{ "sort", 0, "BY", SUBCOMMAND_TREE, KIND_ORDER, offsetof(struct options, sort),
	  "bytes, count, max or name; default: bytes" },
	{ "depth", 0, "N", SUBCOMMAND_TREE, KIND_COUNT, offsetof(struct options, depth), "so many levels of paths; default: all" },
	{ "sample", 0, "N", SUBCOMMAND_SIZES | PATHS, KIND_COUNT, offsetof(struct options, sample_documents),
	  "over a server: so many documents are drawn of a collection that has more (or more than --exact); files are always "
	  "counted whole" },
	{ "threshold", 0, "BYTES[,BYTES]", SUBCOMMAND_SIZES, KIND_THRESHOLDS, offsetof(struct options, threshold),
	  "how many documents reach so many bytes, besides MongoDB's own limits; default: 300000" },
	{ "fail-over", 0, "BYTES", SUBCOMMAND_SIZES, KIND_SIZE, offsetof(struct options, fail_over_bytes),
	  "end with status 3 when a document is larger, and name it" },
	{ "base", 0, "BYTES", SUBCOMMAND_GROWTH, KIND_BYTES, offsetof(struct options, base_bytes),
	  "a parent with an empty array; with --element: growth by arithmetic alone, without a source" },
	{ "element", 0, "BYTES", SUBCOMMAND_GROWTH, KIND_BYTES, offsetof(struct options, element_bytes),
	  "a child with its overhead at index 0: its document and 3 bytes" },
	{ "parents", 0, "N", SUBCOMMAND_GROWTH, KIND_COUNT, offsetof(struct options, parents),
	  "with --children: a population of so many instead of the one that is there" },
	{ "children", 0, "N", SUBCOMMAND_GROWTH, KIND_COUNT, offsetof(struct options, children),
	  "how many children the parents have together" },
	{ "zipf", 0, "EXPONENT", SUBCOMMAND_GROWTH, KIND_EXPONENT, offsetof(struct options, zipf),
	  "how they are shared out: the parent of rank r gets a share of 1 / r^EXPONENT; default: 1; 0: all the same" },
	{ "subset", 0, "N", SUBCOMMAND_GROWTH, KIND_COUNT, offsetof(struct options, subset),
	  "how many of the newest children stay in the parent when the others move out; default: 20" },
	{ "pushes", 0, "N", SUBCOMMAND_GROWTH, KIND_COUNT, offsetof(struct options, pushes),
	  "what it costs to push so many children one at a time: bytes rewritten, and in the oplog by form of update" },
	{ "per-day", 0, "N", SUBCOMMAND_GROWTH, KIND_COUNT, offsetof(struct options, per_day),
	  "so many children a day: in how many days the limit is reached" },
	{ "verbosity", 0, "HOW", SUBCOMMAND_EXPLAIN, KIND_VERBOSITY, offsetof(struct options, verbosity),
	  "queryPlanner, executionStats or allPlansExecution; default: executionStats" },
	{ "diff", 0, NULL, SUBCOMMAND_EXPLAIN, KIND_FLAG, offsetof(struct options, diff),
	  "of two files with explain outputs: what differs" },
	{ "fail-on", 0, "WHAT", SUBCOMMAND_EXPLAIN, KIND_ALARMS, offsetof(struct options, fail_on),
	  "end with status 3 when the plan has one of these, separated by commas: " PLAN_ALARMS },
	{ "from-log", 0, "FILE", SUBCOMMAND_WORKLOAD, KIND_TEXT, offsetof(struct options, from_log),
	  "the operations in a mongod's log (slow queries) or in documents of system.profile, a row a shape of command; - is "
	  "standard input" },
	{ "emulate", 0, "VERSION", SOURCED, KIND_EMULATION, offsetof(struct options, emulation),
	  "8.0 or 9.0: the version that the engine announces, its words for errors, its document limit's codes and what "
	  "validation it knows; default: 9.0" },
	{ "port", 0, "PORT", SUBCOMMAND_SERVE, KIND_TEXT, offsetof(struct options, port),
	  "where to listen, on 127.0.0.1; 0: any port that is free; default: 27017" },
	{ "socket", 0, "PATH", SUBCOMMAND_SERVE, KIND_TEXT, offsetof(struct options, socket),
	  "listen on a unix socket instead, which only its owner may open" },
	{ "save", 0, "DIR", SUBCOMMAND_SERVE, KIND_TEXT, offsetof(struct options, save),
	  "write the databases there at the end, as mongodump does; what was saved there before is replaced" },
	{ "listen", 0, "[PORT]", SUBCOMMAND_EXPLORE, KIND_OPTIONAL, offsetof(struct options, listen),
	  "serve what the explorer shows, on 127.0.0.1, to mongosh and drivers; default: 27017" },
	{ "json", 0, NULL, REPORTS | PATHS | COMMANDED | SUBCOMMAND_WHY, KIND_FLAG, offsetof(struct options, json),
	  "print JSON; run always does" },
	{ "canonical", 0, NULL, SUBCOMMAND_RUN, KIND_FLAG, offsetof(struct options, canonical),
	  "print replies as canonical instead of relaxed Extended JSON" },
	{ "script", 0, "FILE", SUBCOMMAND_EXPLORE, KIND_TEXT, offsetof(struct options, script),
	  "replay keys and commands from a file" },
	{ "color", 0, "WHEN", SUBCOMMAND_EXPLORE, KIND_TEXT, offsetof(struct options, color),
	  "auto, always or never; default: auto, which heeds NO_COLOR" },
	{ "ascii", 0, NULL, REPORTS | PATHS | SUBCOMMAND_EXPLORE | SUBCOMMAND_EXPLAIN, KIND_FLAG,
	  offsetof(struct options, ascii), "only ASCII characters for lines and marks" },
	{ "help", 'h', NULL, EVERYWHERE, KIND_FLAG, offsetof(struct options, help), "print this and exit" },
	{ "version", 'V', NULL, EVERYWHERE, KIND_FLAG, offsetof(struct options, version),
	  "print the version and exit" },
	{ "man", 0, NULL, EVERYWHERE, KIND_FLAG, offsetof(struct options, man),
	  "print the manual page as roff and exit" },
};

enum { OPTIONS = sizeof table / sizeof *table, FIRST_VALUE = 256 };

static const struct subcommand_row {
	enum subcommand subcommand;
	const char *name, *arguments, *help;
} subcommands[] = {
	{ SUBCOMMAND_EXPLORE, "", "[OPTIONS] [SOURCE]", "the explorer, on a terminal" },
	{ SUBCOMMAND_WORKLOAD, "workload", "[OPTIONS] [SOURCE]",
	  "what each operation costs in a shape of a relationship" },
	{ SUBCOMMAND_SIZES, "sizes", "[OPTIONS] [SOURCE]", "how large the documents of each collection are" },
	{ SUBCOMMAND_TREE, "tree", "[OPTIONS] [SOURCE]",
	  "which paths hold the bytes of each collection, or of one document: values, key names and overhead apart" },
	{ SUBCOMMAND_SCHEMA, "schema", "[OPTIONS] [SOURCE]",
	  "which types each path has, how often, and a document for each that is not the usual one; what breaks the validator" },
	{ SUBCOMMAND_GROWTH, "growth", "[OPTIONS] [SOURCE]",
	  "how many children fit into a parent, which parents hit the document limit and what is lost" },
	{ SUBCOMMAND_RUN, "run", "[OPTIONS] [SOURCE] COMMAND...",
	  "run MongoDB commands, in Extended JSON, one after the other on the same data; a reply a line" },
	{ SUBCOMMAND_SERVE, "serve", "[OPTIONS] [SOURCE]",
	  "the data to mongosh and drivers, on MongoDB's wire protocol; default: all samples" },
	{ SUBCOMMAND_EXPLAIN, "explain", "[OPTIONS] [SOURCE] COMMAND | FILE | -",
	  "the plan of a MongoDB command, or of an explain output of any release in a file: what each of its stages examined, "
	  "and what is worth a remark" },
	{ SUBCOMMAND_WHY, "why", "[OPTIONS] TEXT | -",
	  "what an error about sizes, memory or permissions says: a message, a reply or a log line, in any notation; - is standard "
	  "input" },
};

enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static const char *subcommand_name(enum subcommand s)
{
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (subcommands[i].subcommand == s && *subcommands[i].name)
			return subcommands[i].name;
	return "the explorer";
}

/* Arguments may hold anything: they are quoted as printable text. */
static bool fail(bson_error_t *error, const char *format, const char *argument)
{
	struct bytes text = BYTES_INIT;

	print_text(&text, argument, strlen(argument));
	error_set(error, ERROR_USAGE, 0, format, bytes_text(&text));
	bytes_clear(&text);
	return false;
}

/* A whole number from 1 on. */
static bool parse_number(const struct option_row *row, const char *what, const char *text, int64_t most,
                         int64_t *number, bson_error_t *error)
{
	struct bytes found = BYTES_INIT;
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && !errno && *number >= 1 && *number <= most)
		return true;
	print_text(&found, text, strlen(text));
	error_set(error, ERROR_USAGE, 0, "expected %s from 1 to %lld for --%s, found \"%s\"", what, (long long)most, row->name,
	          bytes_text(&found));
	bytes_clear(&found);
	return false;
}

static bool parse_exponent(const char *text, double *exponent)
{
	char *end;

	*exponent = strtod(text, &end);
	return isdigit((unsigned char)*text) && !*end && *exponent >= 0 && *exponent <= MOST_EXPONENT;
}

static bool apply(struct options *o, const struct option_row *row, char *argument, bson_error_t *error)
{
	char *target = (char *)o + row->offset;
	enum shape_kind shape;
	enum plan_verbosity verbosity;
	struct thresholds thresholds;
	enum path_order order;

	switch (row->kind) {
	case KIND_FLAG:
		*(bool *)target = true;
		return true;
	case KIND_SHAPE:
		if (!shape_from_name(argument, &shape))
			return fail(error, "unknown shape \"%s\"; there are: embed, reference", argument);
		break;
	case KIND_BYTES:
		return parse_number(row, "bytes", argument, MOST_BYTES, (int64_t *)target, error);
	case KIND_COUNT:
		return parse_number(row, "a number", argument, GROWTH_MOST, (int64_t *)target, error);
	case KIND_TOP:
		return parse_number(row, "a number", argument, SIZES_LARGEST_MOST, (int64_t *)target, error);
	case KIND_SIZE:
		return parse_number(row, "bytes", argument, INT32_MAX, (int64_t *)target, error);
	case KIND_THRESHOLDS:
		if (!thresholds_parse(argument, &thresholds))
			return fail(error, "expected up to four numbers of bytes with commas between them for --threshold, found \"%s\"",
			            argument);
		break;
	case KIND_EXPONENT:
		return parse_exponent(argument, (double *)target) ||
		       fail(error, "expected a number from 0 to 100 for --zipf, found \"%s\"", argument);
	case KIND_VERBOSITY:
		if (!plan_verbosity_from_text(argument, &verbosity))
			return fail(error, "unknown verbosity \"%s\"; there are: queryPlanner, executionStats, allPlansExecution",
			            argument);
		break;
	case KIND_ALARMS:
		if (!plan_report_alarms_known(argument))
			return fail(error, "unknown --fail-on \"%s\"; there are: " PLAN_ALARMS, argument);
		break;
	case KIND_ORDER:
		if (!path_order_from_name(argument, &order))
			return fail(error, "unknown order \"%s\" for --sort; there are: bytes, count, max, name", argument);
		break;
	case KIND_EMULATION:
		if (!emulation_find(argument))
			return fail(error, "unknown version \"%s\" for --emulate; there are: 8.0, 9.0", argument);
		*(const struct emulation **)target = emulation_find(argument);
		return true;
	case KIND_OPTIONAL:
		*(const char **)target = argument ? argument : "";
		return true;
	case KIND_TEXT:
		if (!*argument)
			return fail(error, "expected something that is not empty for --%s", row->name);
		break;
	}
	*(const char **)target = argument;
	return true;
}

static bool fail_option(int code, char **arguments, bson_error_t *error)
{
	char letter[3] = { '-', (char)optopt, 0 };
	/* a long option is the word before the next one; a letter may stand inside a word */
	const char *word = optopt > 0 && optopt < FIRST_VALUE ? letter : arguments[optind - 1];

	return fail(error,
	            code == ':' ? "option \"%s\" needs an argument; see bsonscope --help"
	                        : "unknown option \"%s\"; see bsonscope --help",
	            word);
}

static int argument_kind(const struct option_row *row)
{
	if (!row->argument)
		return no_argument;
	return row->kind == KIND_OPTIONAL ? optional_argument : required_argument;
}

/* The argument of an option that may go without one: behind "=", or the next word when it looks like a port. */
static char *optional(int count, char **arguments)
{
	if (optarg || optind >= count || !isdigit((unsigned char)*arguments[optind]) ||
	    arguments[optind][strspn(arguments[optind], "0123456789.:")])
		return optarg;
	return arguments[optind++];
}

/* Options alone; what is left stands from arguments[*first] on. */
static bool parse_options(int count, char **arguments, struct options *o, bool given[OPTIONS], int *first,
                          bson_error_t *error)
{
	struct option longs[OPTIONS + 1] = { 0 };
	char letters[2 * OPTIONS + 2] = ":";
	int code;

	for (int i = 0; i < OPTIONS; i++) {
		size_t length = strlen(letters);

		longs[i] = (struct option){ table[i].name, argument_kind(&table[i]), NULL,
			                    FIRST_VALUE + i };
		if (table[i].letter) {
			letters[length] = table[i].letter;
			letters[length + 1] = table[i].argument ? ':' : 0;
		}
	}
	opterr = 0;
	optind = 1;
	while ((code = getopt_long(count, arguments, letters, longs, NULL)) != -1) {
		int i = code - FIRST_VALUE;

		if (code == '?' || code == ':')
			return fail_option(code, arguments, error);
		for (int k = 0; code < FIRST_VALUE && k < OPTIONS; k++)
			if (table[k].letter == code)
				i = k;
		given[i] = true;
		if (!apply(o, &table[i], table[i].kind == KIND_OPTIONAL ? optional(count, arguments) : optarg, error))
			return false;
	}
	*first = optind;
	return true;
}

static bool check_given(const struct options *o, const bool given[OPTIONS], bson_error_t *error)
{
	for (int i = 0; i < OPTIONS; i++)
		if (given[i] && !(table[i].subcommands & (int)o->subcommand))
			return error_set(error, ERROR_USAGE, 0, "option --%s does not go with %s; see bsonscope --help",
			                 table[i].name, subcommand_name(o->subcommand));
	return true;
}

/* What growth is computed from: data, or numbers that are complete in themselves. */
static bool check_growth(const struct options *o, bool source_given, bson_error_t *error)
{
	if (!o->base_bytes != !o->element_bytes)
		return error_set(error, ERROR_USAGE, 0, "--base and --element go together");
	if (!o->parents != !o->children)
		return error_set(error, ERROR_USAGE, 0, "--parents and --children go together");
	if (!o->parents && o->zipf != 1)
		return error_set(error, ERROR_USAGE, 0, "--zipf goes with --parents and --children");
	if (o->base_bytes && (source_given || o->relationship || o->db || o->queries))
		return error_set(
		        error, ERROR_USAGE, 0,
		        "with --base and --element there is no source: leave out SOURCE, --relationship, --db and --queries");
	if (o->base_bytes && (o->base_bytes < LEAST_DOCUMENT_BYTES || o->element_bytes < GROWTH_ELEMENT_OVERHEAD))
		return error_set(error, ERROR_USAGE, 0, "a document has %d bytes at least, an element %d", LEAST_DOCUMENT_BYTES,
		                 GROWTH_ELEMENT_OVERHEAD);
	return true;
}

/* explain COMMAND, explain SOURCE COMMAND, explain FILE, explain --diff FILE FILE. */
static bool check_explain(struct options *o, bson_error_t *error)
{
	int wanted = o->diff ? 2 : 1;

	if (!o->command_count)
		return error_set(error, ERROR_USAGE, 0,
		                 "explain needs a command such as '{\"find\": \"orders\"}', or a file with an explain output");
	if (o->command_count > wanted)
		return fail(error, o->files ? "explain takes one file, or two with --diff; unexpected argument \"%s\""
		                            : "explain takes one command; unexpected argument \"%s\"",
		            o->commands[wanted]);
	if (o->diff && (o->command_count < 2 || !o->files))
		return error_set(error, ERROR_USAGE, 0, "--diff goes with two files that hold explain outputs");
	if (o->files && (o->db || o->queries || o->relationship || o->shape || o->verbosity))
		return error_set(error, ERROR_USAGE, 0,
		                 "with a file there is no source: leave out --db, --queries, --relationship, --shape and --verbosity");
	return true;
}

bool options_parse(int count, char **arguments, struct options *o, bson_error_t *error)
{
	bool given[OPTIONS] = { false };
	bool source_given;
	int at;

	*o = (struct options){ .subcommand = SUBCOMMAND_EXPLORE, .source = "sample:bookstore", .zipf = 1,
		                .emulation = emulation_default() };
	if (!parse_options(count, arguments, o, given, &at, error))
		return false;
	if (o->help || o->version || o->man)
		return true;
	for (size_t i = 0; i < SUBCOMMANDS && at < count; i++) {
		if (*subcommands[i].name && !strcmp(arguments[at], subcommands[i].name)) {
			o->subcommand = subcommands[i].subcommand;
			at++;
			break;
		}
	}
	if (!check_given(o, given, error))
		return false;
	if (o->subcommand == SUBCOMMAND_SERVE)
		o->source = NULL;
	/* a lone argument that is no command is a file with an explain output */
	o->files = o->subcommand == SUBCOMMAND_EXPLAIN && at < count && *arguments[count - 1] != '{' &&
	           (o->diff || count - at == 1);
	source_given = at < count && !o->files && o->subcommand != SUBCOMMAND_WHY && !(o->subcommand & COMMANDED && *arguments[at] == '{');
	if (source_given)
		o->source = arguments[at++];
	if (o->subcommand == SUBCOMMAND_SERVE && o->queries && !source_given)
		return error_set(error, ERROR_USAGE, 0, "--queries goes with a SOURCE: the samples have models of their own");
	if (o->subcommand == SUBCOMMAND_WHY) {
		o->commands = arguments + at;
		o->command_count = count - at;
		return o->command_count || error_set(error, ERROR_USAGE, 0, "why needs an error's text, or - for standard input");
	}
	if (!check_growth(o, source_given, error))
		return false;
	if (o->subcommand & COMMANDED) {
		o->commands = arguments + at;
		o->command_count = count - at;
		if (o->subcommand == SUBCOMMAND_EXPLAIN)
			return check_explain(o, error);
		return o->command_count ||
		       error_set(error, ERROR_USAGE, 0, "run needs a command such as '{\"ping\": 1}'");
	}
	return at == count || fail(error, "unexpected argument \"%s\"; see bsonscope --help", arguments[at]);
}

static void append_option(struct bytes *out, const struct option_row *row)
{
	if (row->letter)
		bytes_format(out, "-%c, ", row->letter);
	bytes_format(out, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
}

void options_help(struct bytes *out)
{
	bytes_append_text(out,
	                  "Should this relationship be embedded or referenced? Measured, not guessed.\n\nUsage:\n");
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		bytes_format(out, "  bsonscope %s%s%s\n      %s\n", subcommands[i].name,
		             *subcommands[i].name ? " " : "", subcommands[i].arguments, subcommands[i].help);
	bytes_append_text(out, "\nSources:\n");
	for (const struct origin_form *f = origin_forms(); f->form; f++)
		bytes_format(out, "  %-24s %s\n", f->form, f->help);
	bytes_append_text(out, "\nOptions:\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		struct bytes name = BYTES_INIT;

		append_option(&name, &table[i]);
		bytes_format(out, "  %-24s %s\n", bytes_text(&name), table[i].help);
		bytes_clear(&name);
	}
	bytes_append_text(out, "\nExit status: 0, 1 when something failed, 2 when the command line is wrong, 3 when "
	                       "--fail-on or --fail-over found\nwhat they name.\n");
}

/* Hyphens are minus signs on a command line; a line must not begin with a dot or an apostrophe. */
static void append_roff(struct bytes *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		bytes_append_text(out, "\\&");
	for (; *text; text++) {
		if (*text == '-')
			bytes_append_text(out, "\\-");
		else if (*text == '\\')
			bytes_append_text(out, "\\e");
		else
			bytes_append_byte(out, (uint8_t)*text);
	}
}

static void append_entry(struct bytes *out, const char *term, const char *text)
{
	bytes_append_text(out, ".TP\n.B ");
	append_roff(out, term);
	bytes_append_text(out, "\n");
	append_roff(out, text);
	bytes_append_text(out, "\n");
}

void options_manual(struct bytes *out, struct bytes *keys)
{
	bytes_format(out,
	             ".TH BSONSCOPE 1 \"\" \"bsonscope %s\"\n.SH NAME\nbsonscope \\- explore MongoDB document models\n",
	             BSONSCOPE_VERSION);
	bytes_append_text(out, ".SH SYNOPSIS\n.nf\n");
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		bytes_format(out, "bsonscope %s%s%s\n", subcommands[i].name, *subcommands[i].name ? " " : "",
		             subcommands[i].arguments);
	bytes_append_text(
	        out,
	        ".fi\n.SH DESCRIPTION\n"
	        "Shows the collections of a database, the sizes of its documents and what its workload costs, and flips a\n"
	        "relationship between embedded and referenced: every figure is measured again.\n");
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		append_entry(out, subcommand_name(subcommands[i].subcommand), subcommands[i].help);
	bytes_append_text(out, ".SH SOURCES\n");
	for (const struct origin_form *f = origin_forms(); f->form; f++)
		append_entry(out, f->form, f->help);
	bytes_append_text(out, ".SH OPTIONS\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		struct bytes name = BYTES_INIT;

		append_option(&name, &table[i]);
		append_entry(out, bytes_text(&name), table[i].help);
		bytes_clear(&name);
	}
	bytes_append(out, keys->data, keys->size);
	bytes_append_text(out, ".SH EXIT STATUS\n0; 1 when something failed; 2 when the command line is wrong; 3 when\n"
	                       "\\-\\-fail\\-on or \\-\\-fail\\-over found what they name.\n"
	                       ".SH EXAMPLES\n.nf\nbsonscope sample:library\n"
	                       "bsonscope workload \\-\\-shape reference \\-\\-json sample:library\n"
	                       "bsonscope run sample:bookstore \\(aq{\"count\": \"orders\"}\\(aq\n.fi\n");
}
