#!/bin/sh
# In a real terminal: a bracketed paste opens an explain or a log; one whose end never comes locks nothing.
# Ctrl-Z and a crash leave the terminal as it was.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
command -v tmux >/dev/null || { echo "tmux is not installed"; exit 77; }
LC_ALL=C.UTF-8
export LC_ALL
server=bsonscope-paste-$$
folder=$(mktemp -d)
trap 'tmux -L "$server" kill-server 2>/dev/null; rm -rf "$folder"' EXIT
failed=0 count=0
t() { tmux -L "$server" -f /dev/null "$@"; }

# shows TEXT: within ten seconds, spaces folded
shows() {
	count=$((count + 1))
	for try in $(seq 100); do
		t capture-pane -p | tr -s ' ' | grep -qF -- "$1" && return
		sleep 0.1
	done
	echo "expected \"$1\", got:"
	t capture-pane -p
	failed=$((failed + 1))
}

cat >"$folder/plan.txt" <<'END_PLAN'
shop> db.orders.find({a: 1}).explain("executionStats")
{ queryPlanner: { namespace: 'shop.orders', winningPlan: { stage: 'COLLSCAN', filter: { a: { '$eq': 1 } } } },
  executionStats: { executionSuccess: true, nReturned: 1, executionTimeMillis: 5, totalKeysExamined: 0, totalDocsExamined: 900,
    executionStages: { stage: 'COLLSCAN', nReturned: 1, docsExamined: 900 } }, ok: 1 }
END_PLAN
cat >"$folder/slow.log" <<'END_LOG'
{"t":{"$date":"2026-01-01T00:00:00.000+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"conn1","msg":"Slow query","attr":{"type":"command","ns":"shop.items","command":{"find":"items","filter":{"order":1}},"planSummary":"COLLSCAN","docsExamined":680,"nreturned":2,"durationMillis":104}}
END_LOG

t new-session -d -x 80 -y 24 "env PS1='ready ' sh"
t send-keys "$program sample:bookstore" Enter
shows 'measured 8/8'
t load-buffer "$folder/plan.txt"
t paste-buffer -p
shows 'pasted text'
shows 'docs examined 900'
t send-keys Escape
shows '[3 Access]'
t load-buffer "$folder/slow.log"
t paste-buffer -p
shows 'pasted text · 1 record'
t send-keys Escape
shows 'log: find shop.i'
# the end mark is lost: what came is read after a while, and keys are keys again
t send-keys -H 1b 5b 32 30 30 7e 7b 61 3a 20 31 7d
shows 'pasted text: '
t send-keys '?'
shows '── Help'
t send-keys Escape
shows '[3 Access]'
t send-keys C-z
shows 'ready'
t send-keys 'echo sto""pped' Enter
shows 'stopped'
t send-keys fg Enter
shows '[3 Access]'
# a crash: the shell's screen is back, and echoes
t send-keys C-z
t send-keys 'kill -SEGV %1; fg' Enter
t send-keys 'echo cra""shed' Enter
shows 'crashed'
count=$((count + 1))
[ "$(t display-message -p '#{alternate_on}')" = 0 ] || { echo 'the alternate screen is left on'; failed=$((failed + 1)); }
echo "summary: $count checks, $failed failed"
[ "$failed" = 0 ]
