#!/bin/sh
# The node driver on a server of its own.
. "$(dirname "$0")/server.inc"
need_node mongodb
serve sample:bookstore
node "$here/node.mjs" "$packages" "$uri"
survived
