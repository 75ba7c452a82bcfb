/* Whether a key is a name or data. Both are of the key alone, so that the order of documents makes no difference. */
#ifndef BSONSCOPE_MODEL_PATH_KEY_H
#define BSONSCOPE_MODEL_PATH_KEY_H

#include "bson/value.h"

/* An ObjectId or another long hexadecimal number, a UUID, a number, a date or a time. */
bool path_key_is_data(struct key key);

/* As people name fields: no digits, not long, upper case letters at most at a few words' beginnings. */
bool path_key_is_word(struct key key);

#endif
