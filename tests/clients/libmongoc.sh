#!/bin/sh
# libmongoc on a server of its own.
. "$(dirname "$0")/server.inc"
module=$(pkg-config --exists mongoc2 && echo mongoc2 || echo libmongoc-1.0)
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -D_GNU_SOURCE -std=c11 -Wall -Wextra -o "$scratch/client" "$here/libmongoc.c" $(pkg-config --cflags --libs "$module")
serve sample:bookstore
"$scratch/client" "$uri"
survived
