#!/bin/sh
# What people ran into with explain outputs, end to end. The letter and digit before a case name the kind of report.
set -u
. "$(dirname "$0")/checks.inc"

# explains ARGUMENT...: an explain output is read and shown
explains() {
	count=$((count + 1))
	"$program" explain "$@" >"$work/out" 2>&1 </dev/null || complain "exit $?: $(cat "$work/out")"
}
hasnt() {
	count=$((count + 1))
	grep -qaE -- "$1" "$work/out" && complain "unexpected \"$1\" in: $(cat "$work/out")"
}

case="c4: a sparse index does not serve \$expr"
cat >"$work/c4.txt" <<'END'
{ explainVersion: '2', stages: [
  { $cursor: { queryPlanner: { namespace: 'shop.orders', winningPlan: { stage: 'COLLSCAN' } },
    executionStats: { executionSuccess: true, nReturned: 100, totalKeysExamined: 0, totalDocsExamined: 100,
      executionStages: { stage: 'COLLSCAN', nReturned: 100, docsExamined: 100 } } }, nReturned: Long('100') },
  { $lookup: { from: 'items', as: 'items', let: { id: '$_id' },
      pipeline: [ { $match: { $expr: { $eq: [ '$foreignId', '$$id' ] } } } ] },
    totalDocsExamined: Long('50000'), totalKeysExamined: Long('0'), collectionScans: Long('100'), indexesUsed: [],
    nReturned: Long('100'), executionTimeMillisEstimate: Long('20100') } ], ok: 1 }
END
explains "$work/c4.txt"
reads '100 collection scans of items, 50,000 documents examined' \
	'one that is sparse, partial or over an array does not serve $expr, localField and foreignField use it'

case="c5: the same join by localField and foreignField, and both forms side by side"
cat >"$work/c5.txt" <<'END'
{ explainVersion: '2', stages: [
  { $cursor: { queryPlanner: { namespace: 'shop.orders', winningPlan: { stage: 'COLLSCAN' } },
    executionStats: { executionSuccess: true, nReturned: 100, totalKeysExamined: 0, totalDocsExamined: 100,
      executionStages: { stage: 'COLLSCAN', nReturned: 100, docsExamined: 100 } } }, nReturned: Long('100') },
  { $lookup: { from: 'items', as: 'items', localField: '_id', foreignField: 'foreignId' },
    totalDocsExamined: Long('500'), totalKeysExamined: Long('500'), collectionScans: Long('0'), indexesUsed: [ 'foreignId_1' ],
    nReturned: Long('100'), executionTimeMillisEstimate: Long('20100') } ], ok: 1 }
END
explains "$work/c5.txt"
reads 'all 600 docs 500 keys' 'by foreignId_1' 'nothing to remark'
hasnt 'does not serve'
explains --diff "$work/c4.txt" "$work/c5.txt"
reads 'docs examined 50,100 -> 600; keys examined 0 -> 500; returned 100 in both'

case="c6: a count that starts at the larger side: the joined documents stand apart from the input"
cat >"$work/c6.txt" <<'END'
{ explainVersion: '1', stages: [
  { $cursor: { queryPlanner: { namespace: 'main.sessions', winningPlan: { stage: 'COLLSCAN' } },
    executionStats: { executionSuccess: true, nReturned: 255829, totalKeysExamined: 0, totalDocsExamined: 255829,
      executionStages: { stage: 'COLLSCAN', nReturned: 255829, docsExamined: 255829 } } }, nReturned: Long('255829') },
  { $lookup: { from: 'active_sessions', as: 'active', localField: 'uid', foreignField: 'uid',
      unwinding: { preserveNullAndEmptyArrays: false } },
    totalDocsExamined: Long('12'), totalKeysExamined: Long('12'), collectionScans: Long('0'), indexesUsed: [ 'uid_1' ], nReturned: Long('12') },
  { $group: { _id: { $const: null }, count: { $sum: { $const: 1 } } }, nReturned: Long('1') } ],
  serverInfo: { version: '7.0.1' }, ok: 1 }
END
explains "$work/c6.txt"
reads 'outer 255,829 docs 0 keys' '$lookup active_sessions 12 docs 12 keys' 'all 255,841 docs 12 keys'

case="c7: planned, not run: no figure, and never 0"
cat >"$work/c7.txt" <<'END'
{ stages: [ { $cursor: { queryPlanner: { namespace: 'shop.orders', winningPlan: { stage: 'COLLSCAN' } } } },
  { $lookup: { from: 'items', as: 'items', localField: '_id', foreignField: 'order' } }, {$out: {coll: 'x', db: 'y'}} ], ok: 1 }
END
explains "$work/c7.txt"
reads 'queryPlanner: returned —' 'outer — docs — keys' '$lookup items — docs — keys — collection scans' 'all — docs — keys' \
	'planned, not run: nothing was counted'
hasnt '(^|[^0-9])0([^0-9]|$)'
explains --json "$work/c7.txt"
reads '"returned": null' '"millis": null' '"collectionScans": null' '"indexesUsed": null'
hasnt ': 0'

case="c8: a group returns one document of many, and rightly"
cat >"$work/c8.txt" <<'END'
{ explainVersion: '2', queryPlanner: { namespace: 'd.c', winningPlan: { queryPlan: { stage: 'GROUP', planNodeId: 3, inputStage: {
  stage: 'FETCH', planNodeId: 2, inputStage: { stage: 'IXSCAN', planNodeId: 1, indexName: 'a_1', keyPattern: {a: 1} } } } } },
  executionStats: { executionSuccess: true, nReturned: 1, totalKeysExamined: 1000000, totalDocsExamined: 1000000, executionTimeMillis: 900,
  executionStages: { stage: 'project', planNodeId: 3, nReturned: 1, inputStage: { stage: 'group', planNodeId: 3, nReturned: 1, inputStage: {
   stage: 'nlj', planNodeId: 2, nReturned: 1000000, outerStage: { stage: 'ixseek', planNodeId: 1, nReturned: 1000000, keysExamined: 1000000 }, innerStage: {stage: 'seek', planNodeId: 2, nReturned: 1000000, numReads: 1000000 } } } } }, ok: 1 }
END
explains "$work/c8.txt"
reads 'examined 1,000,000, returned 1: nothing to remark'
hasnt 'that pass'

case="c9: a count by scanning: bytes are not said, so none are shown"
cat >"$work/c9.txt" <<'END'
{ explainVersion: '1', stages: [ { $cursor: { queryPlanner: { namespace: 'd.c', winningPlan: { stage: 'COLLSCAN', direction: 'forward' } },
 executionStats: { executionSuccess: true, nReturned: 9343804, executionTimeMillis: 861631, totalKeysExamined: 0, totalDocsExamined: 9343804,
 executionStages: { stage: 'COLLSCAN', nReturned: 9343804, docsExamined: 9343804 } } }, nReturned: Long('9343804') },
 { $group: { _id: { $const: 1 }, n: { $sum: { $const: 1 } } }, nReturned: Long('1') } ], ok: 1 }
END
explains "$work/c9.txt"
reads 'COLLSCAN 9,343,804 9,343,804' 'bytes read' 'examined 9,343,804, returned 1: nothing to remark'

summary
