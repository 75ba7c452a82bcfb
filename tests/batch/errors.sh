#!/bin/sh
# Bad input: one line on standard error that says what there is, exit 1 or 2, nothing on standard output.
set -u
program=${BUILD:-build/release}/bsonscope
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0

complain() { echo "$1"; failed=$((failed + 1)); }

# expect STATUS TEXT ARGUMENT...: status, one line that holds the text, no output
expect() {
	status=$1 text=$2
	shift 2
	count=$((count + 1))
	"$program" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ $got = "$status" ] || complain "$*: exit $got, expected $status"
	[ "$(wc -l <"$work/err")" = 1 ] || complain "$*: $(wc -l <"$work/err") lines of errors"
	grep -qF -- "$text" "$work/err" || complain "$*: expected \"$text\", got: $(cat "$work/err")"
	[ -s "$work/out" ] && complain "$*: output beside the error"
}

expect 2 'unknown option "--nonsense"; see bsonscope --help' workload --nonsense
expect 2 'unknown option "-x"' sizes -x
expect 2 'option "--limit" needs an argument' workload --limit
expect 2 'expected bytes from 1 to 16777216 for --limit, found "0"' workload --limit 0
expect 2 'expected bytes from 1 to 16777216 for --limit, found "16MB"' workload --limit 16MB
expect 2 'expected bytes from 1 to 16777216 for --limit, found "99999999999999999999"' workload --limit 99999999999999999999
expect 2 'unknown shape "bucket"; there are: embed, reference' workload --shape bucket
expect 2 'unknown relationship "friends"; "bookstore" has: reviews, items' workload --relationship friends
expect 2 'unknown source "sample:cinema"; there are: sample:bookstore, sample:library' workload sample:cinema
expect 2 'unknown source "mongodb"; there are:' sizes mongodb
expect 2 'option --collection does not go with workload' workload -c books
expect 2 'option --canonical does not go with sizes' sizes --canonical
expect 2 'unexpected argument "more"' sizes sample:library more
expect 2 'run needs a command' run sample:bookstore
expect 2 'unknown source "nothing"' nothing
expect 1 'no database "cinema"; there are: bookstore' sizes -d cinema
expect 1 'no collection "films"; there are: authors, books, categories, customers, orders, reviews' sizes -c films
expect 1 'no collection "reviews"; there are: books' sizes --shape embed -c reviews
expect 1 'no workload for database "cinema"; there is one for "bookstore"' workload -d cinema
expect 1 'relationship "loans" is a population without documents' workload --relationship loans sample:library
expect 1 'with _k: "K-' workload --limit 300 sample:library
expect 1 'the limit is 300' workload --limit 300 sample:library
expect 1 'command 1:1:' run '{"ping": }'
expect 1 'command 1:1:' run sample:library '{"ping": 1'

# A draw without a field that a command asks for.
sed '119s/"$draw": "barkod"/"$draw": "isbn"/' queries/library.json >"$work/drawn.json"
count=$((count + 1))
"$program" workload --queries "$work/drawn.json" --shape reference sample:library >"$work/out" 2>"$work/err"
[ $? = 1 ] || complain "a draw without a field does not exit with 1"
grep -q 'operation "status changes".*drawn.json:119: a draw has no field "isbn"' "$work/err" ||
	complain "a draw without a field: $(cat "$work/err")"
grep -q '^status changes .* write  *medium  *—' "$work/out" || complain "what a row without draws cost: $(cat "$work/out")"

# A failed command: its reply, one line, 1; those before it are shown too, those after it do not run.
"$program" run '{"ping": 1}' '{"nonsense": 1}' '{"ping": 1}' >"$work/out" 2>"$work/err"
[ $? = 1 ] || complain "a failed command does not exit with 1"
[ "$(wc -l <"$work/out")" = 2 ] || complain "a failed command: $(cat "$work/out")"
[ "$(wc -l <"$work/err")" = 1 ] || complain "a failed command: $(cat "$work/err")"
tail -n 1 "$work/out" | grep -q '"ok": 0' || complain "no reply of the failed command: $(tail -n 1 "$work/out")"
tail -n 1 "$work/out" | grep -q '"code": 59' || complain "no code of the failed command: $(tail -n 1 "$work/out")"
grep -q 'command 2 failed with code 59' "$work/err" || complain "which command failed: $(cat "$work/err")"

# A write that is refused inside a reply that is ok.
"$program" run '{"insert": "books", "documents": [{"_id": 26}]}' >"$work/out" 2>"$work/err"
[ $? = 1 ] || complain "a refused write does not exit with 1"
grep -q 'a write failed with code 11000' "$work/err" || complain "a refused write: $(cat "$work/err")"

# Data and arguments never reach the terminal raw.
"$program" sizes "$(printf 'sample:\033[31mred')" 2>"$work/err"
[ $? = 2 ] || complain "an escape in an argument does not exit with 2"
grep -q "$(printf '\033')" "$work/err" && complain "an escape sequence came through"

# Standard output that cannot be written.
for arguments in --help --version --man "workload" "sizes --json" 'run {"ping":1}'; do
	"$program" $arguments >/dev/full 2>"$work/err"
	[ $? = 1 ] || complain "$arguments on a full device does not exit with 1"
	grep -q 'cannot write to standard output' "$work/err" && [ "$(wc -l <"$work/err")" = 1 ] ||
		complain "$arguments on a full device: $(cat "$work/err")"
	"$program" $arguments >&- 2>"$work/err"
	[ $? = 1 ] || complain "$arguments with a closed output does not exit with 1"
	[ "$(wc -l <"$work/err")" = 1 ] || complain "$arguments with a closed output: $(cat "$work/err")"
done
mkfifo "$work/pipe"
(exec 3<"$work/pipe"; exec 3<&-) &
sleep 0.2 2>/dev/null
{ sleep 0.2; "$program" sizes --json sample:library 2>"$work/err"; echo $? >"$work/status"; } >"$work/pipe"
[ "$(cat "$work/status")" = 1 ] || complain "a reader that went away: exit $(cat "$work/status")"
[ "$(wc -l <"$work/err")" = 1 ] || complain "a reader that went away: $(cat "$work/err")"

# What is asked for comes out, and nothing else.
"$program" --version | grep -qx 'bsonscope [0-9.]*' || complain "version: $("$program" --version)"
for word in workload sizes run --relationship --canonical sample:library; do
	"$program" --help | grep -qe "$word" || complain "--help does not speak of $word"
done
"$program" --man | head -n 1 | grep -q '^\.TH BSONSCOPE 1' || complain "--man is no manual page"
[ "$("$program" run '{"ping": 1}')" = '{"ok": 1.0}' ] || complain "ping: $("$program" run '{"ping": 1}')"
[ "$("$program" run --canonical '{"ping": 1}')" = '{"ok": {"$numberDouble": "1.0"}}' ] ||
	complain "canonical: $("$program" run --canonical '{"ping": 1}')"

echo "summary: $count refusals, $failed failed"
[ $failed = 0 ]
