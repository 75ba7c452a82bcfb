#!/bin/sh
# pymongo on a server of its own.
. "$(dirname "$0")/server.inc"
python=python3
$python -c "import pymongo" 2>/dev/null || python=/usr/bin/python3 # the one of the distribution, which its package is for
$python -c "import pymongo" 2>/dev/null || wish python3-pymongo
$python -c "import pymongo" 2>/dev/null || skip "python3-pymongo is not installed"
serve sample:bookstore
$python "$here/pymongo_client.py" "$uri"
survived
