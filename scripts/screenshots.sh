#!/bin/sh
# Pictures of the explorer in a real xterm under Xvfb at 120×36, into screenshots/. Each line of `shots` is: name, source, then keys
# as xdotool names them; "wait:SECONDS" waits. Ends only what it started.
set -eu
program=${1:-./bsonscope}
folder=screenshots
shots='
library-embed     sample:library    wait:3
library-reference sample:library    wait:3 space wait:2
bookstore         sample:bookstore  wait:2 space wait:1
sizes             sample:bookstore  wait:2 2 z wait:1
explain           sample:library    wait:3 space wait:2 4 z wait:1
growth            sample:library    wait:3 1 Down Return wait:2 5 z wait:1
growth-live       sample:bookstore  wait:2 5 g wait:0.2
growth-refused    sample:bookstore  wait:2 5 g wait:6
help              sample:library    wait:3 question wait:1
'

for tool in Xvfb xterm xdotool import; do
	command -v $tool >/dev/null || {
		sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
		DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y --no-install-recommends \
			xvfb xterm xdotool imagemagick fonts-dejavu-core >/dev/null
		break
	}
done

mkdir -p "$folder"
display=$(mktemp)
Xvfb -displayfd 3 -screen 0 1400x1000x24 -nolisten tcp 3>"$display" >/dev/null 2>&1 &
server=$!
terminal=
trap 'kill $terminal $server 2>/dev/null; rm -f "$display"' EXIT INT TERM
for try in 1 2 3 4 5 6 7 8 9 10; do [ -s "$display" ] && break; sleep 0.3; done
DISPLAY=:$(cat "$display")
export DISPLAY
LC_ALL=C.UTF-8
export LC_ALL

echo "$shots" | while read -r name source keys; do
	[ -n "$name" ] || continue
	xterm -u8 -tn xterm-256color -geometry 120x36+0+0 -fa 'DejaVu Sans Mono' -fs 11 -bg '#101216' -fg '#d8dce4' -b 4 +sb -cr '#d8dce4' \
		-title bsonscope -e "$program" "$source" &
	terminal=$!
	window=
	for try in 1 2 3 4 5 6 7 8 9 10; do
		window=$(xdotool search --onlyvisible --name '^bsonscope$' 2>/dev/null | tail -n 1) && [ -n "$window" ] && break
		sleep 0.3
	done
	xdotool windowfocus "$window"
	for key in $keys; do
		case $key in
		wait:*) sleep "${key#wait:}" ;;
		type:*) xdotool type "${key#type:}" ;;
		*) xdotool key "$key" ;;
		esac
	done
	import -window "$window" "$folder/$name.png"
	kill $terminal
	wait $terminal 2>/dev/null || true
	echo "$folder/$name.png"
done
