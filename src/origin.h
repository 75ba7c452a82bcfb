/*
 * SOURCE on the command line, made into a source and the model that belongs to it.
 *
 *     sample:NAME              a built-in sample
 *     FOLDER                   a dump of mongodump: the root, or one database's folder
 *     FILE                     .bson or .json, each also with .gz behind
 *     mongodb://, mongodb+srv://, HOST[:PORT][/DB]   a server
 *
 * The model is the file that is given, else the sample's own, else ~/.config/bsonscope/queries/DB.json, else an empty
 * one.
 */
#ifndef BSONSCOPE_ORIGIN_H
#define BSONSCOPE_ORIGIN_H

#include "model/model.h"
#include "source.h"

struct origin_wish {
	const char *source;
	const char *queries;  /* a model file, or null */
	bool sizes_only;      /* no command will need an index: dumps build none */
};

/* The model is the caller's and outlives the source. Null with one line. */
struct source *origin_open(const struct origin_wish *wish, struct model **model, bson_error_t *error);

/* The forms of SOURCE, for the help: what to write and what it means; ends with a null. */
struct origin_form {
	const char *form, *help;
};
const struct origin_form *origin_forms(void);

#endif
