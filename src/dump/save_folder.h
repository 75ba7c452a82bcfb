/* The folder of a dump that was saved here: told apart, moved into place, removed. Private to the dump room. */
#ifndef BSONSCOPE_DUMP_SAVE_FOLDER_H
#define BSONSCOPE_DUMP_SAVE_FOLDER_H

#include "base/error.h"

/* The file that marks a dump as written here. */
#define SAVE_MARK ".bsonscope"

/* "cannot WHAT "PATH": REASON", the reason being errno's. Always false. */
bool save_fail(bson_error_t *error, const char *what, const char *path);

/* Names in a folder are on the disk, too. */
bool save_folder_sync(const char *folder, bson_error_t *error);

/* Puts a finished dump where it belongs; what was there (see save_check) goes when the new one stands. */
bool save_folder_move(const char *from, const char *folder, bson_error_t *error);

/* Removes what a dump has, and the folder when nothing else is in it. */
void save_folder_remove(const char *folder);

#endif
