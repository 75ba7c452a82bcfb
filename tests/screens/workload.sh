#!/bin/sh
# :workload FILE off-screen: a log's rows beside the model's, sorted, filtered, closed; a file that holds none.
set -u
program=$PWD/${BUILD:-build/release}/bsonscope
LC_ALL=C.UTF-8
export LC_ALL
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 count=0
cd "$folder" || exit 1

slow() { # SECOND TYPE-AND-COMMAND FIGURES
	printf '{"t":{"$date":"2026-01-01T00:00:%s.000+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"conn1","msg":"Slow query","attr":{"type":"command",%s,%s}}\n' "$1" "$2" "$3"
}
{
	slow 00 '"ns":"shop.items","command":{"find":"items","filter":{"order":1}}' '"planSummary":"COLLSCAN","docsExamined":680,"nreturned":2,"durationMillis":104'
	slow 02 '"ns":"shop.items","command":{"find":"items","filter":{"order":7}}' '"planSummary":"COLLSCAN","docsExamined":680,"nreturned":1,"durationMillis":102'
	slow 04 '"ns":"shop.orders","command":{"count":"orders","query":{"customer":"C-7"}}' '"planSummary":"COUNT_SCAN { customer: 1 }","keysExamined":3,"docsExamined":0,"durationMillis":1204'
} >slow.log
echo 'no log' >other.txt
cat >keys <<'END'
:workload slow.log
:save-screen rows.txt
s
s
:save-screen sorted.txt
/items
:save-screen filtered.txt
Esc
Esc
:save-screen left.txt
G
:save-screen table.txt
+
:save-screen rate.txt
/log:
:save-screen only.txt
Enter
:save-screen entered.txt
Esc
Esc
:open slow.log
:save-screen opened.txt
Esc
:workload
:save-screen again.txt
:close
:save-screen closed.txt
:workload other.txt
:save-screen other.txt
:workload none.log
:save-screen none.txt
END

# holds SCREEN TEXT, lacks SCREEN TEXT: spaces folded
holds() {
	count=$((count + 1))
	tr -s ' ' <"$1" | grep -qF -- "$2" && return
	echo "$size $1: expected \"$2\", got:"
	cat "$1"
	failed=$((failed + 1))
}
lacks() {
	count=$((count + 1))
	tr -s ' ' <"$1" | grep -qF -- "$2" || return
	echo "$size $1: \"$2\" should not be there"
	failed=$((failed + 1))
}

for size in 120x36 80x24; do
	COLUMNS=${size%x*} LINES=${size#*x} "$program" --script keys sample:bookstore || { echo "ended with status $?"; failed=$((failed + 1)); }
	holds rows.txt 'slow.log · 3 records in 4 s · measured by the server'
	holds rows.txt 'COUNT_SCAN { customer: 1 } · mean 1204 ms'
	holds rows.txt '{"count":"orders","query":{"customer":"C-7"}}'
	holds sorted.txt 'find shop.items {filter:'
	holds sorted.txt '↓docs'
	holds filtered.txt 'COLLSCAN · mean 103 ms · p50 102 ms · bytes read — · sent —'
	sed -i '/log:/d' filtered.txt # the table stands above
	lacks filtered.txt 'count shop.orders'
	lacks left.txt 'slow.log'
	holds left.txt 'log: count shop.or'
	holds table.txt '▸ log: find shop.i'
	holds table.txt ' 2 1,360 —'
	holds rate.txt 'the log says how often it came'
	holds only.txt '▸ log: find shop.i'
	lacks only.txt 'my orders'
	holds entered.txt '▸ find shop.items {filter:'
	holds entered.txt 'COLLSCAN · mean 103 ms'
	holds opened.txt 'slow.log · 3 records in 4 s'
	holds again.txt 'count shop.orders'
	lacks closed.txt 'slow.log'
	lacks closed.txt 'log: find'
	holds other.txt 'other.txt: no slow query, no profile document and no $queryStats in it'
	holds none.txt 'none.log: No such file or directory'
done
size=120x36
COLUMNS=120 LINES=36 "$program" --script keys --ascii sample:bookstore
holds rows.txt '1 0 3 - 1204 ms 1204 ms 1204 ms 0.25'
echo "summary: $count checks, $failed failed"
[ "$failed" = 0 ]
