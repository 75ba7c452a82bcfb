/*
 * A dump as a source. Opening it reads nothing: documents appear in their collections while a thread of the dump's
 * own reads the files, one after the other, and indexes follow when a collection is whole. Commands may come at any
 * time.
 */
#ifndef BSONSCOPE_DUMP_DUMP_H
#define BSONSCOPE_DUMP_DUMP_H

#include "dump/files.h"
#include "model/model.h"
#include "source.h"

/*
 * Takes the files. Borrows the model, whose keys name the documents, and whose indexes a collection without
 * description gets. Files that cannot be opened are remarks on their collections. `name` as the user gave it.
 * `with_indexes`: who only asks for sizes needs none.
 */
struct source *dump_open(const char *name, struct dump_files *files, const struct model *model, bool with_indexes);

#endif
