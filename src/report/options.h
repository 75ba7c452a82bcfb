/* The command line: one table of options gives the parser, the help text and the manual page. */
#ifndef BSONSCOPE_REPORT_OPTIONS_H
#define BSONSCOPE_REPORT_OPTIONS_H

#include "base/bytes.h"
#include "base/error.h"
#include "engine/emulation.h"

enum subcommand {
	SUBCOMMAND_EXPLORE = 1,
	SUBCOMMAND_WORKLOAD = 2,
	SUBCOMMAND_SIZES = 4,
	SUBCOMMAND_RUN = 8,
	SUBCOMMAND_EXPLAIN = 16,
	SUBCOMMAND_GROWTH = 32,
	SUBCOMMAND_SERVE = 64,
	SUBCOMMAND_TREE = 128,
	SUBCOMMAND_SCHEMA = 256,
	SUBCOMMAND_WHY = 512
};

struct options {
	enum subcommand subcommand;
	const char *source; /* unless given "sample:bookstore"; of `serve` null, for all samples */
	const char *queries; /* a model file; null: not given */
	const char *db, *collection, *relationship, *shape, *script, *color; /* null: not given */
	const struct emulation *emulation;                                   /* the default unless given */
	const char *verbosity;                                               /* null: not given */
	const char *document, *sort; /* of `tree`; null: not given */
	int64_t depth;               /* of `tree`: levels; 0: all */
	const char *port, *socket, *save; /* of `serve`; null: not given */
	const char *listen;               /* of the explorer: an address, empty for the usual one; null: not given */
	int64_t exact_documents;                                             /* 0: not given */
	int64_t limit_bytes;                                                 /* 0: not given */
	/* Of sizes; 0, null: not given. */
	int64_t top, sample_documents, fail_over_bytes;
	const char *threshold;
	/* Of growth; 0: not given. With a base there is no source: the numbers are all there is. */
	int64_t base_bytes, element_bytes, parents, children, subset, pushes, per_day;
	double zipf; /* 1 unless given */
	const char *from_log; /* a file, or "-"; null: not given */
	const char *fail_on;  /* names of plan_report_alarms; null: not given */
	bool diff;            /* of explain: two files */
	bool files;           /* of explain: `commands` are files with explain outputs */
	bool json, canonical, ascii;
	bool help, version, man; /* then nothing else was checked */
	char **commands;         /* of `run`, `explain` and `why`; borrowed from the arguments */
	int command_count;
};

/*
 * False with one line (ERROR_USAGE): what is wrong and what there is. Reorders `arguments`, which outlive the options.
 */
bool options_parse(int count, char **arguments, struct options *o, bson_error_t *error);

void options_help(struct bytes *out);

/* The manual page as roff; `keys` (may be empty) are the sections that the explorer adds. */
void options_manual(struct bytes *out, struct bytes *keys);

#endif
