#!/bin/sh
# In a real terminal: the largest document of the selected collection opens with Enter, its arrays unfold, a search finds a value in it,
# and Esc leads out of the search and back to the sizes.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
command -v tmux >/dev/null || { echo "tmux is not installed"; exit 77; }
LC_ALL=C.UTF-8
export LC_ALL
server=bsonscope-test-$$
folder=$(mktemp -d)
trap 'tmux -L "$server" kill-server 2>/dev/null; rm -rf "$folder"' EXIT

# shows PATTERN: within 15 seconds.
shows() {
	for try in $(seq 150); do
		tmux -L "$server" capture-pane -p >"$folder/screen"
		grep -Eq "$1" "$folder/screen" && return 0
		sleep 0.1
	done
	echo "at $size the screen does not show: $1"
	cat "$folder/screen"
	exit 1
}
hides() {
	! grep -Eq "$1" "$folder/screen" || { echo "at $size the screen shows: $1"; cat "$folder/screen"; exit 1; }
}
press() { tmux -L "$server" send-keys "$@"; }

for size in 120x36 80x24; do
	rm -f "$folder/status"
	tmux -L "$server" -f /dev/null -u new-session -d -x "${size%x*}" -y "${size#*x}" \
		"$program sample:library; echo \$? >$folder/status" || exit 1
	press 2
	shows "Sizes · kitap · exact"
	shows "where .*values 57 ?%"
	press Down Enter
	shows "Document · kitap · _k 'K-10295' · 461 B"
	shows "▸ kopya .*array +358"
	press '*'
	shows "▾ kopya +5 elements"
	shows "barkod +'B0102953'"
	press / B0102952 Enter
	shows "barkod +'B0102952'"
	hides "B0102953"
	press Escape
	shows "barkod +'B0102953'"
	press Escape
	shows "Sizes · kitap · exact"
	hides "Document ·"
	press q
	for try in $(seq 50); do
		[ -s "$folder/status" ] && break
		sleep 0.1
	done
	[ "$(cat "$folder/status" 2>/dev/null)" = 0 ] || { echo "q did not leave with status 0 at $size"; exit 1; }
done

# A file's documents without _id and with control bytes, and an empty file: named, and never raw on the terminal.
size=80x24
mkdir "$folder/shop"
printf '\040\0\0\0\002t\0\024\0\0\0evil \033[31mred\007 text\0\0' >"$folder/shop/odd.bson"
: >"$folder/shop/empty.bson"
tmux -L "$server" -f /dev/null -u new-session -d -x 80 -y 24 "HOME=$folder $program $folder/shop" || exit 1
press 1 Home 2
shows "Sizes · empty"
shows "empty: no documents"
shows "p50 —"
press 1 Down 2
shows "Sizes · odd · exact"
shows "largest . without _id +32 B"
press Down Enter
shows "Document · odd · 32 B"
shows "evil .u001b.31mred.u0007 text"
press q
echo "summary: both sizes, and odd files"
