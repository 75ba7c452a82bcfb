/* Where in an open document to go. */
#ifndef BSONSCOPE_UI_DOCUMENT_PLACE_H
#define BSONSCOPE_UI_DOCUMENT_PLACE_H

#include "model/path_tree.h"
#include "ui/document_tree.h"

/* The deepest field that holds half of what holds it, and so on up to the document; 0, the document, when none does. */
size_t document_place_fattest(const struct document_tree *t);

/* The largest field of a path; of a folded path one whose key has no path of its own. 0: the document has none. */
size_t document_place_of(const struct document_tree *t, const struct path_node *n);

#endif
