#!/bin/sh
# Terminals that cannot show the explorer, and scripts that cannot be played: one line and a status, nothing else.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
command -v tmux >/dev/null || { echo "tmux is not installed"; exit 77; }
LC_ALL=C.UTF-8
export LC_ALL
server=bsonscope-test-$$
folder=$(mktemp -d)
trap 'tmux -L "$server" kill-server 2>/dev/null; rm -rf "$folder"' EXIT
failed=0

# expect STATUS LINE: what the last run left in $folder.
expect() {
	status=$(cat "$folder/status") lines=$(wc -l <"$folder/error")
	if [ "$status" != "$1" ] || [ "$lines" != 1 ] || ! grep -q "$2" "$folder/error"; then
		echo "expected status $1 and one line with: $2"
		echo "got status $status and:"
		cat "$folder/error"
		failed=1
	fi
}

# in_terminal COLUMNSxLINES TYPE
in_terminal() {
	rm -f "$folder/status"
	tmux -L "$server" -f /dev/null -u new-session -d -x "${1%x*}" -y "${1#*x}" \
		"TERM=$2 $program sample:bookstore 2>$folder/error; echo \$? >$folder/status"
	for try in $(seq 100); do
		[ -s "$folder/status" ] && return
		sleep 0.1
	done
	echo none >"$folder/status"
}

without_terminal() {
	"$@" 2>"$folder/error" >/dev/null </dev/null
	echo $? >"$folder/status"
}

in_terminal 60x20 tmux-256color
expect 1 'too small: 60 columns by 20 lines, 80 by 24 are needed'
in_terminal 80x24 dumb
expect 1 'cannot address the cursor: "dumb"'
in_terminal 80x24 no-such-type
expect 1 'type is unknown: "no-such-type"'
without_terminal "$program" sample:bookstore
expect 1 'standard input is not a terminal'
without_terminal "$program" --script "$folder/missing" sample:bookstore
expect 2 'missing'
printf 'Space\n\n# a remark\nSpaec\n' >"$folder/script"
without_terminal "$program" --script "$folder/script" sample:bookstore
expect 2 'script:4: no key and no command: "Spaec"'
without_terminal "$program" --relationship nonsense sample:bookstore
expect 2 'nonsense'
printf '\033[31m\n' >"$folder/script"
without_terminal "$program" --script "$folder/script" sample:bookstore
expect 2 'script:1: no key and no command: "\\u001b\[31m"'
printf ':shape nonsense\n:save-screen %s/none/screen.txt\n' "$folder" >"$folder/script"
without_terminal "$program" --script "$folder/script" sample:bookstore
expect 1 'script:2: .*none/screen.txt'
[ $failed = 0 ] && echo "summary: refused as it should be"
exit $failed
