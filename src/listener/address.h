/*
 * Where to listen. There is no authentication, so there are two kinds of address: this machine's loopback (127.0.0.1)
 * and a socket in the file system that only its owner may open.
 */
#ifndef BSONSCOPE_LISTENER_ADDRESS_H
#define BSONSCOPE_LISTENER_ADDRESS_H

#include "base/bytes.h"
#include "base/error.h"

enum { ADDRESS_DEFAULT_PORT = 27017 };

struct address {
	int port;         /* 0: any that is free */
	const char *path; /* of a unix socket, instead of a port; borrowed; null: none */
};

/* "27017", "127.0.0.1:27017" or "localhost:27017". False: no port, or an address that others could reach. */
bool address_parse(const char *text, struct address *a, bson_error_t *error);

/*
 * A listening socket that does not block, or -1 with one line. Appends the connection string to `uri`. A unix socket
 * that nobody serves any more is replaced.
 */
int address_listen(const struct address *a, struct bytes *uri, bson_error_t *error);

#endif
