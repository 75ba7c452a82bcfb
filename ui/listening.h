/*
 * The explorer's data served to clients while it is looked at: what they write makes what is shown stale, and is
 * measured at the next refresh, or by itself while it is followed. The listener's threads only leave word; everything
 * else is the screen's thread's.
 */
#ifndef BSONSCOPE_UI_LISTENING_H
#define BSONSCOPE_UI_LISTENING_H

#include "listener/listener.h"
#include "ui/app.h"

struct listening;

/* Serves the origin from now on. Null with one line: it is a server itself, or the address is not to be had. */
struct listening *listening_new(struct app *a, const struct address *address, bson_error_t *error);
void listening_destroy(struct listening *l);

/* Readable when a client has written: for the poll, once the pause after the last look is over (0). */
int listening_descriptor(const struct listening *l);
int listening_pause_ms(const struct listening *l);

/* "127.0.0.1:27017" */
const char *listening_place(const struct listening *l);

/*
 * Looks whether clients have written: what was measured before is stale then, and measured anew if that is wanted and
 * nothing else is being measured. Returns whether the screen has to be drawn anew.
 */
bool listening_receive(struct app *a);

/* Whether what clients write is measured by itself. False with one line: nobody is served. */
bool listening_follow(struct app *a, bool follow, bson_error_t *error);
bool listening_follows(const struct app *a);

#endif
