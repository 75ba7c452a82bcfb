/*
 * The explorer's state. Keys and arriving snapshots change it, drawing only reads it, and nothing here waits for a
 * measurement.
 */
#ifndef BSONSCOPE_UI_APP_H
#define BSONSCOPE_UI_APP_H

#include "ui/explain_view.h"
#include "ui/explorer.h"
#include "ui/document_view.h"
#include "ui/jobs.h"
#include "ui/keymap.h"
#include "ui/layout.h"
#include "ui/paths_view.h"
#include "ui/rows.h"
#include "ui/prompt.h"
#include "ui/workload_view.h"

enum { MESSAGE_SIZE = 512 };

/* What was found for one shape of the relationship; null: not yet. */
struct shape_findings {
	struct shape_snapshot *status;
	struct collections_snapshot *collections;
	struct row_snapshot **rows; /* one an operation */
	bool *row_pending;          /* a measurement is on its way */
	bool status_pending;
	uint64_t indexes_revision;  /* newest seen: rows measured under another are not shown */
};

/*
 * What the last job on paths was posted for: it is posted anew when the selection, the shape or the documents change,
 * and when more is looked at closely.
 */
struct paths_request {
	char *collection; /* null: nothing was posted */
	enum shape_kind shape;
	bool first;
	uint64_t posted; /* the worker's generation then: collections that were asked for before are of the same documents */
	int64_t sample;
};

/* Where to go in a document once it is there. */
struct document_goal {
	bool fattest;                 /* else the largest of a path, */
	struct paths_snapshot *paths; /* of these; null: nowhere */
	const struct path_node *node;
};

struct listening;       /* see ui/listening.h */
struct growth_snapshot; /* see ui/growing.h */
struct live_snapshot;

struct app {
	struct lab *lab;               /* borrowed */
	const struct model *model;     /* borrowed */
	struct worker *worker;         /* all that is measured */
	struct worker *looker;         /* paths and documents, looked at beside what is measured; `worker` itself over a server */
	struct worker *files;          /* what is opened: it waits for no measurement, and none for it */
	struct command_log *log;
	int64_t (*clock)(void);        /* microseconds; null: times are not repeatable and not shown */
	int64_t frame_us;              /* the clock when this frame was arranged */

	const struct relationship *relationship; /* null: the model has none */
	enum shape_kind shape, compared;
	int64_t limit_bytes;
	double *per_second;            /* one an operation; < 0: unknown */

	struct shape_findings findings[SHAPE_KINDS];
	struct facts_snapshot **facts; /* one a relationship */
	char **collection_names;        /* all that were ever listed: a collection's id is its place here */
	size_t collection_name_count;
	struct paths_snapshot *paths;  /* of the collection that was asked for last; null: not yet */
	struct paths_snapshot *document_paths; /* of `document`; null: not yet */
	struct paths_request paths_request;
	struct paths_view paths_view;
	enum pane paths_came_from;     /* where Esc leads from the collection's paths while the document's are shown */
	struct document_snapshot *document;
	struct document_view *document_view; /* of `document` */
	char *document_name;           /* "kopya · _k 'B0000080'" */
	char *document_collection;
	struct document_goal document_goal;
	int64_t origin_writes;         /* newest counter seen; -1: unknown */
	struct listening *listening;   /* the data is served; borrowed; null: it is not */

	struct growth_snapshot *growth; /* of the relationship; null: not yet */
	bool growth_pending;
	int64_t subset;                /* how many children stay in a parent when the others move out */
	struct live_snapshot *live;    /* a document that grows or grew; null: the figures are shown */
	bool growing;
	struct bytes growth_parent;    /* which one: document {"": key}; empty: the model's choice */
	struct explain_view explain;
	struct workload_view workload; /* what a server wrote down */

	bool lit;                      /* cells that differ between `compared` and `shape` */
	bool toggling;                 /* the rows of the last toggle are not all there */
	bool stopped;                  /* by the user, before all was measured */
	int64_t toggled_us, building_us;
	struct figure toggle_micros;

	struct rows lists[PANE_COUNT];
	enum pane focus;
	enum pane came_from[PANE_COUNT]; /* where Esc leads from the log and from the help */
	bool zoomed;
	struct prompt prompt;
	char *filter_before;           /* what Esc in the filter's prompt brings back */
	char message[MESSAGE_SIZE];    /* until the next key */
	bool message_is_error;
	char last_error[MESSAGE_SIZE]; /* empty: none was shown */
	struct why *why;               /* what the Why pane shows; null: nothing yet */

	struct layout layout;
	struct source_progress reading; /* of the origin, as of the last look */
	int columns, lines;
	bool ascii, quit, redraw;
};

/* `relationship`, `shape`: null for the first and for embed. Null with one line. */
struct app *app_new(const struct explorer_options *options, bson_error_t *error);
void app_destroy(struct app *a);

/* Chooses and posts what has to be measured. A population has nothing to measure. */
void app_choose_shape(struct app *a, enum shape_kind shape);
void app_choose_relationship(struct app *a, const struct relationship *r);
void app_set_limit(struct app *a, int64_t limit_bytes);

/* A shape's rows anew: something changed in it alone. */
void app_measure_shape(struct app *a, enum shape_kind shape);

/* Posts a job of the Explain pane. */
void app_post_explain(struct app *a, int subject_index, struct job *j);

/* Jobs of what is measured or looked at, running or waiting. */
size_t app_measuring(const struct app *a);

/* The workers, each once; the rest null. */
enum { APP_WORKERS = 3 };
void app_workers(const struct app *a, struct worker *workers[APP_WORKERS]);

/* The origin's data are in this process; else they are a server's. */
bool app_has_data(const struct app *a);

/* Everything anew. */
void app_measure(struct app *a);

/* The same, and what was pulled of a server's data is pulled again. */
void app_refresh(struct app *a);

/* Somebody has written to the origin: what was measured before is stale from now on. */
void app_look_at_writes(struct app *a);

/* Cancels all that is measured. False: there was nothing. */
bool app_stop(struct app *a);

/* Ends what is being opened. False: nothing is. */
bool app_stop_opening(struct app *a);

/* Jobs of all workers, running or waiting; what is posted to any is told by the sum of their generations. */
size_t app_busy(const struct app *a);
uint64_t app_generation(const struct app *a);

/* Takes what the worker has delivered and the log's new entries. Returns whether anything came. */
bool app_receive(struct app *a);

/*
 * Looks how far the origin has been read: collections are measured again while it is, and everything when it is done.
 * Returns whether the screen has to be drawn anew.
 */
bool app_follow_reading(struct app *a);

/* Documents or indexes are still to come: shapes and operations are measured when they are there. */
bool app_is_reading(const struct app *a);

/* Puts a snapshot into the state, or drops it when it was measured on older data than is known. Takes the reference. */
void app_accept(struct app *a, struct snapshot *s);

/* Lists and layout for a screen of that size: before drawing. */
void app_arrange(struct app *a, int columns, int lines);

/* One key: an action, or a character of the prompt. */
void app_key(struct app *a, struct key_press key);

/* A text that was pasted: into the prompt when one is open, as one line; else it is opened as a file would be. */
void app_paste(struct app *a, const char *text, size_t size_bytes);

/* Has the paths of the collection that is selected counted, unless they are; what was found is kept with the state. */
void app_follow_collection(struct app *a);

/* They are to be counted anew. */
void app_forget_paths_request(struct app *a);
void app_accept_paths(struct app *a, struct paths_snapshot *s);

/* What was found of the selected collection's paths in the chosen shape; null: not yet. */
const struct paths_snapshot *app_paths(const struct app *a);

/* What the Paths pane shows; null: not yet. */
const struct paths_snapshot *app_viewed_paths(const struct app *a);

/* More is being counted of it. */
bool app_counts_paths(const struct app *a);

/* To the paths of the selected collection, or of the open document. Says why when there are none. */
void app_open_paths(struct app *a);
void app_open_document_paths(struct app *a);

/* From the document's paths back to it. */
void app_close_document_paths(struct app *a);

/* Goes to the document view and has one of the largest documents read, and there to the path with the most bytes. */
void app_open_document(struct app *a, const struct sizes *sizes, size_t which, bool at_fattest);

/* The same with the document that a figure of the Paths pane is of, at the path. */
void app_open_marked(struct app *a, const struct path_mark *mark, const struct path_node *node);
void app_accept_document(struct app *a, struct document_snapshot *s);
void app_forget_sizes(struct app *a);

/* What a job of this state is about. */
struct subject app_subject(const struct app *a);

/* Goes to a pane and remembers where from. */
void app_focus(struct app *a, enum pane p);

/* One line until the next key. */
void app_say(struct app *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_complain(struct app *a, const char *text);

/* What the Why pane shows. */
void app_forget_why(struct app *a);

/* The selected operation; null: none is shown, or a log's row is selected. */
const struct operation *app_operation(const struct app *a, size_t *index);

/* What was measured of an operation in a shape; null: not yet, it failed, or an index has changed since. */
const struct workload_row *app_row(const struct app *a, enum shape_kind shape, size_t operation);

/* Measured before the origin changed. */
bool app_is_stale(const struct app *a, const struct snapshot *s);

/* The chosen shape's rows: how many are measured, of how many. */
size_t app_rows_done(const struct app *a, size_t *of);
size_t app_relationship_index(const struct app *a, const struct relationship *r);

/* Runs a line that was typed after ":". False: it was refused, and the message says why. */
bool command_line_run(struct app *a, const char *line);

/* Appends "shape NAME: choose a shape …" for the first command that the line may become; nothing when there is none. */
void command_line_hint(const char *line, struct bytes *text);

/* Completes the last word of a line in place; no change when nothing fits. */
void command_line_complete(const struct app *a, struct prompt *p);

#endif
