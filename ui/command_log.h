/*
 * Every command that was sent, as one can paste it into mongosh. Sources report from any thread; the screen's thread
 * takes what has come and alone reads the entries.
 */
#ifndef BSONSCOPE_UI_COMMAND_LOG_H
#define BSONSCOPE_UI_COMMAND_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "source.h"

enum { COMMAND_LOG_LIMIT = 20000 }; /* entries kept; the oldest go first */

struct command_log;

struct log_entry {
	int64_t number;       /* 1 for the first command of all */
	char *db;             /* null: no command but a line, which stands in `failure` */
	uint8_t *command;     /* BSON */
	bool measured;        /* its cost was measured and nothing changed */
	int64_t micros;
	char *failure;        /* one line; null: none */
	/*
	 * Of the first of a run of commands on one collection that differ in values only: how many, and whether they are all
	 * shown.
	 */
	size_t run_length;    /* 0: not the first */
	bool unfolded;
};

struct command_log *command_log_new(void);
void command_log_destroy(struct command_log *log);

/* Has a source report to the log. Any thread, before it sends the source commands of its own. */
void command_log_attach(struct command_log *log, struct source *s);
void command_log_detach(struct command_log *log, struct source *s);

/* A line that is no command: what a client did wrong. Any thread. */
void command_log_note(struct command_log *log, const char *line);

/* On the screen's thread: moves what was reported into the entries. Returns whether there was any. */
bool command_log_take(struct command_log *log);

/* Numbers of the first entry kept and of the one after the last. */
int64_t command_log_first(const struct command_log *log);
int64_t command_log_end(const struct command_log *log);
struct log_entry *command_log_entry(const struct command_log *log, int64_t number);

/*
 * The command as text for mongosh. One that was measured becomes the explain that finds out the same: pasting it
 * changes nothing either.
 */
void command_log_text(const struct log_entry *e, struct bytes *text);

/* What the entry's command does, without how it is written. */
void command_log_brief(const struct log_entry *e, struct bytes *text);

/* "find kitap { _k: 'K-04242' }", "explain find …" */
void command_brief(struct value command, struct bytes *text);

#endif
