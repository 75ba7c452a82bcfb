/*
 * What the explorer can do: one table of keys and one of commands. Keymap, help, footer and manual page are made from them.
 */
#ifndef BSONSCOPE_UI_ACTIONS_H
#define BSONSCOPE_UI_ACTIONS_H

/*
 * name, keys (separated by spaces; the first is the one that is shown), help, footer hint (empty: none), manual page
 */
#define ACTIONS(X)                                                                                                               \
	X(SHAPE_FLIP, "Space", "flip the relationship into its other shape", "shape",                                            \
	  "Flip the relationship into its other shape; everything is measured anew. Cells that changed stay lit until the next key.") \
	X(SHAPE_PREVIOUS, "[", "shape above; in Explain the command before", "",                                       \
	  "Choose the shape above in the scoreboard; in Explain the row's command before.")                                       \
	X(SHAPE_NEXT, "]", "shape below; in Explain the next command", "",                                             \
	  "Choose the shape below in the scoreboard; in Explain the row's next command.")                                         \
	X(UP, "Up k", "one row up", "", "Move one row up.")                                                                       \
	X(DOWN, "Down j", "one row down", "", "Move one row down.")                                                               \
	X(LEFT, "Left h", "close, scroll left; in Explain the command before", "",                                               \
	  "Close what is unfolded, scroll to the left; in Explain go to the row's command before, from the first to the table.")   \
	X(RIGHT, "Right l", "open, scroll right; in Explain the next command", "",                                               \
	  "Unfold, scroll to the right; from the table into Explain, there to the row's next command.")                            \
	X(UNFOLD_ALL, "*", "document, raw reply: open or close all", "", "Open all of a document or a raw reply, or close it again.") \
	X(PAGE_UP, "PageUp Ctrl-B", "one page up", "", "Move one page up.")                                                       \
	X(PAGE_DOWN, "PageDown Ctrl-F", "one page down", "", "Move one page down.")                                               \
	X(FIRST, "Home", "to the first row", "", "Move to the first row.")                                                        \
	X(LAST, "End G", "to the last row", "", "Move to the last row.")                                                          \
	X(ENTER, "Enter", "go in: plans, a relationship, paths, a document", "",                                                  \
	  "Go in: from a row of the table to the plans of its commands; on a relationship, explore that one; on the line that says "  \
	  "where a collection's bytes are, its paths; on a path, what it holds; on one of the largest documents, look at it; on a "  \
	  "stage of a plan, go to its place in the raw reply; on a run of commands in the log, a field of a document or a line of "  \
	  "the raw reply, unfold it; on an index, add or drop it in the lab.")                                                      \
	X(BACK, "Esc", "stop measuring; else go back", "",                                                                         \
	  "Stop what is being measured or built; when nothing is, go back: out of help, log, zoom and commands, and drop the filter.") \
	X(NEXT_PANE, "Tab", "next pane", "pane", "Go to the next pane.")                                                          \
	X(PREVIOUS_PANE, "Shift-Tab", "previous pane", "", "Go to the previous pane.")                                            \
	X(PANE_1, "1", "collections and relationships", "", "Go to the collections and relationships.")                            \
	X(PANE_2, "2", "sizes", "", "Go to the sizes of the selected collection's documents.")                                    \
	X(PANE_3, "3", "access patterns", "", "Go to the access patterns.")                                                       \
	X(PANE_4, "4", "explain: plans of the row's commands", "", "Go to the plans of the selected row's commands.")              \
	X(PANE_5, "5", "growth", "", "Go to the growth of the relationship's arrays.")                                             \
	X(EXPLAIN, "E", "explain: plans of the row's commands", "explain", "Go to the plans of the selected row's commands.")     \
	X(RATE_UP, "+ =", "row happens more often a second", "rate", "Raise the assumed rate a second of the selected row.")      \
	X(RATE_DOWN, "-", "row happens less often a second", "", "Lower the assumed rate a second of the selected row; "            \
	  "below the lowest it is unknown again.")                                                                                 \
	X(GROW, "g", "grow a document, in Sizes the chosen, to the limit", "grow",                                  \
	  "Grow a document: the one that is selected in Sizes when it is a parent, else the model's choice or :parent's. Batches of " \
	  "children are pushed into a lab copy of it until the document limit refuses; once more: on with smaller "                  \
	  "batches to the last child that fits. Esc stops; the copy is dropped in any case.")                                       \
	X(FILTER, "/", "rows with a text; in Explain searches the reply", "filter",                                     \
	  "Show only the rows of the pane that contain a text; in Explain search the raw reply for it.")                         \
	X(NEXT_HIT, "n", "Explain: the next hit of what / searches", "",                                                         \
	  "In Explain go to the next line of the raw reply that contains what \"/\" searches.")                                    \
	X(PREVIOUS_HIT, "N", "Explain: the hit before", "", "In Explain go to the line before that contains it.")                 \
	X(SORT, "s", "sort by the next column", "sort", "Sort the pane's rows by the next column, largest first.")                \
	X(FACE, "t", "Explain: tree, grid, raw reply; paths: other columns", "",                                                   \
	  "Show the plan as a tree, as a grid of figures, or as the raw reply, which folds: Enter opens and closes, \"*\" all of it, " \
	  "\"/\" searches in it. In Paths the next columns: sizes, what the bytes are for, the schema.")                            \
	X(DIFFERENCE, "d", "Explain: beside the other shape's or before an index", "",                                         \
	  "Hold the plan against that of the shape compared with, then against the one before the last index was added or "      \
	  "dropped; of two opened plans show the difference, or one of them.")                                                     \
	X(VERBOSITY, "v", "explain with the next verbosity", "",                                                    \
	  "Explain with the next verbosity: queryPlanner, executionStats, allPlansExecution.")                                    \
	X(PATHS, "p", "where the bytes are, path by path", "",                                                \
	  "Show where the bytes are, path by path: of the selected collection, or of the document that is open. Enter goes into a "  \
	  "path, Left and Esc lead back, i shows all that is known of one.")                                                        \
	X(OPEN, "o", "the largest document, where its bytes are", "",                                                             \
	  "Open a document where its bytes are: in Sizes the one that is selected, else the largest; in Paths the one with the most " \
	  "of the selected path.")                                                                                                  \
	X(INDEXES, "i", "indexes there are and wanted; paths: details", "",                                                        \
	  "Show the indexes that the command would want and those that there are, with what each costs; Enter adds or drops one in " \
	  "the lab, and the row is measured anew. The origin stays as it is. In Paths show all that is known of the selected "     \
	  "path.")                                                                                                                 \
	X(ZOOM, "z", "one pane on the whole screen", "zoom", "Give the pane the whole screen, or take it back.")                  \
	X(REFRESH, "r", "measure again", "", "Measure again; a shape that is stale is built again.")                              \
	X(COPY, "y", "copy the whole value", "", "Copy the row's whole value to the terminal's clipboard (OSC 52).")               \
	X(LOG, "@", "command log", "log", "Show every command sent, as one can paste it into mongosh.")                            \
	X(COMMAND, ":", "type a command", "command", "Type a command; see COMMANDS.")                                              \
	X(HELP, "? F1", "help", "help", "Show keys and commands; / searches them.")                                                \
	X(REDRAW, "Ctrl-L", "draw the screen anew", "", "Draw the screen anew.")                                                  \
	X(QUIT, "q", "quit", "quit", "Leave bsonscope.")

enum action {
	ACTION_NONE,
#define X(name, keys, help, hint, manual) ACTION_##name,
	ACTIONS(X)
#undef X
	ACTION_COUNT
};

/* name, argument (empty: none), function, help and manual page */
#define COMMANDS(X)                                                                                                     \
	X("quit", "", command_quit, "leave bsonscope")                                                                  \
	X("shape", "NAME", command_shape, "choose a shape: embed or reference")                                         \
	X("relationship", "NAME", command_relationship, "explore another relationship")                                 \
	X("limit", "BYTES", command_limit, "set the document limit that headroom is measured against")                  \
	X("rate", "NUMBER", command_rate, "how often a second the selected row happens; 0 forgets it")             \
	X("subset", "NUMBER", command_subset, "how many children stay in a parent when the older ones move out")         \
	X("grow", "[PUSHES]", command_grow, "grow a document by so many pushes, or until the limit refuses")              \
	X("parent", "KEY", command_parent, "which document grows, by its key as JSON; null leaves it to the model")       \
	X("open", "FILE [FILE]", command_open, "look at what a file holds: a plan or a log; of two plans the difference") \
	X("max-time", "MS", command_max_time, "how long an explain may run, as its maxTimeMS; 0 leaves it to the source") \
	X("refresh", "", command_refresh, "measure again")                                                              \
	X("log", "", command_log, "show every command sent")                                                            \
	X("why", "[TEXT]", command_why, "what an error says, and what to look at next; the last one when there is no text")          \
	X("workload", "[FILE]", command_workload, "what a server wrote down, as rows: its log, system.profile or $queryStats") \
	X("close", "", command_close, "forget the plan, or the rows, of what was opened")                              \
	X("follow", "[off]", command_follow, "measure by itself what served clients write; off: at r again")          \
	X("save", "DIR", command_save, "write the databases to a folder, as mongodump does")                            \
	X("save!", "DIR", command_save_over, "the same over what was saved there before")                               \
	X("save-screen", "FILE", command_save_screen, "write the screen's text to a file")                              \
	X("help", "[TEXT]", command_help, "show keys and commands, those with the text only")

/* What the marks on the screen mean: for the help and the manual page. */
#define MARKS(X)                                                                                             \
	X("—", "not known")                                                                                  \
	X("…", "being measured; at the end of a text: there is more of it")                                  \
	X("2.00×", "so many times the figure of the shape compared with; = the same")                        \
	X("≥", "this or more: some rows have no rate")                                                       \
	X("~", "from a sample, or an estimate")                                                              \
	X("▸", "the chosen shape, row or relationship")                                                      \
	X("(blank)", "does not apply")                                                                       \
	X("(lit)", "changed with the last toggle or index, until a key")

#endif
