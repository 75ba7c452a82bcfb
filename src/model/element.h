/* Children as the elements that they are when embedded, without building a shape. Private to the room. */
#ifndef BSONSCOPE_MODEL_ELEMENT_H
#define BSONSCOPE_MODEL_ELEMENT_H

#include "bson/writer.h"
#include "model/lab.h"

/* Appends stages to an array that is being written: a child becomes {k: its parent's key, e: the element}. */
void element_stages(struct writer *w, const struct relationship *r);

#endif
