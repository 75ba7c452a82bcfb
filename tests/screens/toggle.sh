#!/bin/sh
# In a real terminal: the library's book page goes from 1/1/454 to 2/6/502 and back with Space, at both screen sizes, and q leaves
# with status 0.
set -u
program=${BUILD:-build/release}/bsonscope
command -v tmux >/dev/null || { echo "tmux is not installed"; exit 77; }
LC_ALL=C.UTF-8
export LC_ALL
server=bsonscope-test-$$
folder=$(mktemp -d)
trap 'tmux -L "$server" kill-server 2>/dev/null; rm -rf "$folder"' EXIT

fail() {
	echo "$1"
	tmux -L "$server" capture-pane -p
	exit 1
}

# The book page's row: trips, documents and bytes read, with ratios between them once the other shape is measured.
shows() {
	row="book page.* $1( +[0-9.]+×)? +$2( +[0-9.]+×)? +$3( |\$)"
	for try in $(seq 150); do
		tmux -L "$server" capture-pane -p | grep -Eq "$row" && return 0
		sleep 0.1
	done
	fail "the row of the book page does not show $1 / $2 / $3 at $size"
}

for size in 120x36 80x24; do
	rm -f "$folder/status"
	tmux -L "$server" -f /dev/null -u new-session -d -x "${size%x*}" -y "${size#*x}" \
		"./$program sample:library; echo \$? >$folder/status" || exit 1
	shows 1 1 454
	tmux -L "$server" send-keys Space
	shows 2 6 502
	tmux -L "$server" send-keys Space
	shows 1 1 454
	tmux -L "$server" send-keys q
	for try in $(seq 50); do
		[ -s "$folder/status" ] && break
		sleep 0.1
	done
	[ "$(cat "$folder/status" 2>/dev/null)" = 0 ] || fail "q did not leave with status 0 at $size"
done
echo "summary: both sizes"
