#!/bin/sh
# `serve` end to end: what it says, what it refuses, that the same reports come over it, and that what clients wrote is saved and opens again.
set -u
. "$(dirname "$0")/checks.inc"

# says TEXT FILE
says() {
	count=$((count + 1))
	grep -qF -- "$1" "$2" || complain "expected \"$1\" in: $(cat "$2")"
}

# stop SIGNAL: ends with 0
stop() {
	kill "-$1" "$served"
	wait "$served"
	status=$?
	served=
	count=$((count + 1))
	[ $status = 0 ] || complain "serve after SIG$1: exit $status: $(cat "$work/err")"
}

# fails STATUS TEXT ARGUMENT...
fails() {
	status=$1 text=$2
	shift 2
	count=$((count + 1))
	timeout 60 "$program" "$@" >"$work/refused" 2>&1 </dev/null
	found=$?
	[ $found = "$status" ] || complain "$*: exit $found, not $status"
	grep -qF -- "$text" "$work/refused" || complain "$*: expected \"$text\", got: $(cat "$work/refused")"
}

# send URI: inserts {_id: 1} into new.things, and then sends a header that lies
send() {
	python3 - "$1" <<'PY'
import re, socket, struct, sys
port = int(re.search(r':(\d+)/', sys.argv[1]).group(1))
text = lambda s: struct.pack('<i', len(s) + 1) + s.encode() + b'\0'
document = lambda body: struct.pack('<i', len(body) + 5) + body + b'\0'
one = document(b'\x10_id\0' + struct.pack('<i', 1))
command = document(b'\x02insert\0' + text('things') + b'\x04documents\0' + document(b'\x030\0' + one) + b'\x02$db\0' + text('new'))
s = socket.create_connection(('127.0.0.1', port), 60)
s.sendall(struct.pack('<iiii', 21 + len(command), 1, 0, 2013) + b'\0\0\0\0\0' + command)
reply = s.recv(4096)
assert b'\x10n\0\x01' in reply, reply
s.sendall(struct.pack('<iiii', 3, 1, 0, 2013))
assert s.recv(1) == b''
PY
	[ $? = 0 ] || complain "client: failed"
}

start --port 0 --save "$work/saved"
says 'serving the samples in memory only' "$work/out"
says "is saved to \"$work/saved\" at the end" "$work/out"
"$program" sizes --queries queries/library.json "${uri}library" >"$work/remote" 2>&1
"$program" sizes sample:library >"$work/own"
grep -E '^(kitap|kopya) +collection' "$work/own" >"$work/own.lines"
while read -r line; do says "$line" "$work/remote"; done <"$work/own.lines"
send "$uri"
fails 1 'is in use' serve --port "$(echo "$uri" | tr -dc '0-9:' | cut -d: -f3)"
fails 2 'is a server already' serve "${uri}library"
fails 2 'is a server already' --listen=0 "${uri}library"
stop INT
says 'a message says that it has 3 bytes' "$work/err"
count=$((count + 1))
[ "$(wc -l <"$work/err")" = 1 ] || complain "not one line: $(cat "$work/err")"

# what was saved opens again with the same sizes and indexes
"$program" sizes --queries queries/library.json "$work/saved" >"$work/again" 2>&1
while read -r line; do says "$line" "$work/again"; done <"$work/own.lines"
"$program" run "$work/saved" -d new '{"count": "things"}' >"$work/again" 2>&1
says '"n": 1' "$work/again"
for collection in kitap kopya; do
	"$program" run sample:library "{\"listIndexes\": \"$collection\"}" >"$work/own"
	"$program" run "$work/saved" -d library "{\"listIndexes\": \"$collection\"}" >"$work/again" 2>&1
	count=$((count + 1))
	cmp -s "$work/own" "$work/again" || complain "indexes of $collection: $(cat "$work/own" "$work/again")"
done
says '"collectionName": "kopya"' "$work/saved/library/kopya.metadata.json"
says '"type": "collection"' "$work/saved/library/kopya.metadata.json"

# over what was saved there before, and over nothing else
start --port 0 --save "$work/saved" "$work/saved"
stop TERM
"$program" run "$work/saved" -d new '{"count": "things"}' >"$work/again" 2>&1
says '"n": 1' "$work/again"
count=$((count + 1))
[ "$(ls -A "$work" | grep -c saving)" = 0 ] || complain "left over: $(ls -A "$work")"
: >"$work/saved/library/mine.txt"
fails 1 'mine.txt' serve --port 0 --save "$work/saved"
mkdir "$work/other" && : >"$work/other/notes"
fails 1 'it holds what was not saved there' serve --port 0 --save "$work/other"
fails 1 'No such file' serve --port 0 --save "$work/no/where"

fails 2 'there is no authentication' serve --port 0.0.0.0:27017
fails 2 'there is no authentication' --listen=myhost:27017 sample:bookstore
fails 2 'there is no authentication' --listen 0.0.0.0:27017 sample:bookstore
fails 2 'one of them' serve --port 1 --socket "$work/s"
start --socket "$work/s.sock" sample:bookstore
says 's.sock/' "$work/out"
stop TERM
count=$((count + 1))
[ ! -e "$work/s.sock" ] || complain "the socket is still there"

# a file that is cut under the server: what is gone is not found, and the server lives
mkdir -p "$work/cut/db"
python3 - "$work/cut/db/a.bson" <<'PY'
import struct, sys
body = b'\x02s\0' + struct.pack('<i', 1001) + b'x' * 1000 + b'\0'
document = struct.pack('<i', len(body) + 5) + body + b'\0'
open(sys.argv[1], 'wb').write(document * 20000)
PY
start --port 0 "$work/cut"
"$program" run "${uri}db" '{"count": "a"}' >"$work/again" 2>&1
says '"n": 20000' "$work/again"
truncate -s 1000000 "$work/cut/db/a.bson"
"$program" run "${uri}db" '{"count": "a", "query": {"s": "y"}}' >"$work/again" 2>&1
says '"n": 0' "$work/again"
stop TERM

summary
