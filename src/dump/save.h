/*
 * Writes an engine's databases as mongodump does: DIR/DB/COLLECTION.bson and COLLECTION.metadata.json (options,
 * indexes, collectionName, type, in canonical Extended JSON; no uuid, which the engine's collections have none of).
 * mongorestore reads it, and so does this program.
 *
 * A dump appears whole or not at all: it is written beside DIR, synced, and renamed. A file ".bsonscope" marks it as
 * written here; nothing else is ever replaced.
 */
#ifndef BSONSCOPE_DUMP_SAVE_H
#define BSONSCOPE_DUMP_SAVE_H

#include "engine/engine.h"

enum save_mode {
	SAVE_NEW,    /* the folder must not be there, or be empty */
	SAVE_REPLACE /* or it is a dump that was saved here, with nothing else in it */
};

/* Whether it may be written there, as far as can be known before. False with one line. */
bool save_check(const char *folder, enum save_mode mode, bson_error_t *error);

/* Every database with all its collections. Other threads may run commands: a collection is saved as a scan finds it. */
bool save_engine(struct engine *e, const char *folder, enum save_mode mode, bson_error_t *error);

#endif
