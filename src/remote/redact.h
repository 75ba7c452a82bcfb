/* Passwords are shown nowhere: not in a source's name, not in an error, not in a log. */
#ifndef BSONSCOPE_REMOTE_REDACT_H
#define BSONSCOPE_REMOTE_REDACT_H

#include "base/bytes.h"
#include "remote/driver.h"

/*
 * What was given as a source, as text that may be shown: "mongodb://USER@HOST:PORT/DB". Of one that cannot be
 * understood everything up to the last "@" is left out. Options are not shown: some are secrets.
 */
void redact_source(struct bytes *out, const char *source);

/* The same of a connection string that was understood. */
void redact_uri(struct bytes *out, const mongoc_uri_t *uri);

/* Replaces the password, plain or escaped, wherever it stands in `text`, by asterisks. Null or "": nothing to do. */
void redact_password(char *text, const char *password);

#endif
