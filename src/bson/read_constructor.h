/* Private to the reader: ObjectId("…") and its like. One table says what each makes of its arguments. */
#ifndef BSONSCOPE_BSON_READ_CONSTRUCTOR_H
#define BSONSCOPE_BSON_READ_CONSTRUCTOR_H

#include "bson/read_wrapper.h"

/* [new] Name(argument, …); true, false and null are left to the caller's reader_word. */
bool reader_constructor(struct reader *r, struct writer *w, struct key key, bson_error_t *error);

#endif
