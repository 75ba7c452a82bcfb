/*
 * The errors. Sources: the server's error_codes.yml and the messages in its own sources (bsonobj.h for 10334,
 * update_driver and write_ops for 17419 and 17420, document_source_lookup for 4568, accumulator_push and
 * accumulator_add_to_set for 146, sorter and document_source_group for 292), limits at
 * https://www.mongodb.com/docs/manual/reference/limits/, and the texts that drivers publish.
 *
 * The more special one stands first: of two that match at the same place the first is taken.
 */
#include "base/limits.h"
#include "model/why.h"

#define SIZES "bsonscope sizes --top 20{where} {source}"
#define TREE_OF_ID "bsonscope tree --document {id}{where} {source}"
#define TREE "bsonscope tree{where} {source}"
#define GROWTH "bsonscope growth --relationship NAME {source}"
#define FITS "bsonscope growth --base BYTES --element BYTES"
#define EXPLAIN "bsonscope explain {source} '{\"aggregate\": \"COLLECTION\", \"pipeline\": [...], \"cursor\": {}}'"

const struct why_thing why_thing_broken = {
	NULL, NULL, "broken", "no document at all",
	"these four bytes are no length: what was read there is damaged, or is not where a document begins. Nothing "
	  "is too large; look at the file or the storage (validate on the server, a dump read here names the offset)",
	{ "bsonscope sizes{where} {source}" },
};

const struct why_thing why_things[] = {
	{ " EOO ", NULL, "broken", "no document at all",
	  "it ends before its first field: what was read there is damaged or is no document. Nothing is too large",
	  { "bsonscope sizes{where} {source}" } },
	{ " _id ", "{ _data:", "change event", "a change event (its _id is a resume token)",
	  "the document, with its image before or after the change, is too large for one event; the stream stops "
	  "there at every try. $changeStreamSplitLargeEvent as the last stage cuts events (6.0.9, 7.0); without the "
	  "images the event is half as large",
	  { "bsonscope sizes --threshold 8388608{where} {source}" } },
	{ " _id ", NULL, "document", "a document, stored or returned (it begins with _id)",
	  "one document is larger than the server handles: one that was to be stored, or that a stage such as "
	  "$group or $lookup has put together. allowDiskUse does not help: it lifts the limit on a stage's memory, "
	  "not on a document",
	  { TREE_OF_ID, SIZES, GROWTH } },
	{ " aggregate find count distinct getMore mapReduce mapreduce explain geoNear group ", NULL, "command", "a "
	  "command that reads, not a document",
	  "the command itself is too large: usually a list such as $in with very many values. The stored documents "
	  "are not the problem. Send the list in parts, or put its values into a collection and join it with $lookup",
	  { "bsonscope explain {source} COMMAND" } },
	{ " insert update delete findAndModify findandmodify bulkWrite ordered documents updates deletes ", NULL,
	  "command",
	  "a command that writes, not a document",
	  "the command with all that it writes is too large: a batch that was not split, or one document or update "
	  "in it that alone is over the limit",
	  { SIZES, TREE } },
	{ " q u query updateobj ", NULL, "command", "one statement of a command that writes",
	  "one update or its filter is too large by itself: a whole document or array is sent. Write only what "
	  "changes ($set of a path, $push)",
	  { SIZES, TREE } },
	{ " createIndexes collMod create applyOps listCollections createUser saslStart saslContinue hello isMaster "
	  "ismaster ", NULL, "command", "a command",
	  "the command itself is too large",
	  { NULL } },
	{ " cursor firstBatch nextBatch note ok totals host result results values retval ", NULL, "reply", "a "
	  "reply, not a document",
	  "the server could not put its answer into one document: a batch, or the statistics of very many "
	  "collections or operations. Ask for less at a time: a smaller batchSize, one database",
	  { SIZES } },
	{ " $v ts op lsid ns o o2 ", NULL, "oplog entry", "an entry of the oplog, or the description of an update "
	  "in it",
	  "the update is legal but what is written to the oplog about it is too large: the document is close to the "
	  "limit, or the update replaces very much of it",
	  { SIZES, TREE } },
	{ NULL, NULL, "made document", "a document that does not begin with _id: made by a stage, or a part of one",
	  "a stage such as $group, $facet, $project or $push has put together one document that is too large. "
	  "allowDiskUse does not help. Return several documents instead ($unwind, $limit, pages by key), or fewer "
	  "fields",
	  { FITS, EXPLAIN } },
};
const size_t why_thing_count = sizeof why_things / sizeof *why_things;

/* "16,777,216", "16777216", "16793600(16MB)" */
#define NUMBER(name) "(?<" name ">-?[0-9][0-9,]*)"

const struct why_error why_errors[] = {
	{ { 10334 }, "BSONObjectTooLarge",
	  "BSONObj size:? ?" NUMBER("size") " \\((?:0x)?(?<hex>[0-9a-f]{1,8})\\) is invalid(?:\\.? Size must be "
	  "between [0-9]+ and " NUMBER("limit") ")?",
	  LIMIT_INTERNAL_BYTES,
	  "something that the server handles as one BSON document is larger than it may be", { SIZES, TREE, GROWTH }
	  },
	{ { 17419, 17420 }, NULL, "(?:resulting document after update|document to upsert) is larger than "
	  NUMBER("limit"), LIMIT_USER_BYTES,
	  "an update would make a stored document larger than a document may be, so it was refused and nothing has "
	  "changed. Usually an array that is pushed to for ever; every later push to this document fails too",
	  { TREE_OF_ID, SIZES, GROWTH } },
	{ { 2 }, "BadValue", "object to insert too large\\. ?size in bytes: " NUMBER("size") ",? max size: "
	  NUMBER("limit"), LIMIT_USER_BYTES,
	  "a document that was to be inserted is over the limit for documents of users; nothing was stored of it", {
	  SIZES, TREE, FITS } },
	{ { 4568 }, NULL, "Total size of documents in (?<collection>[^ ]+) matching (?:pipeline)?.{0,4000}? "
	  "?exceeds (?:maximum document size|"
	  NUMBER("limit") " bytes)", 0,
	  "a $lookup has found more for one parent than it may hold in one array: all matches of that parent "
	  "together, 16 MB on older servers, 104,857,600 bytes today (a document that is then returned is still "
	  "bound to 16,793,600). allowDiskUse and a $limit after it do not help. Put $unwind right behind the "
	  "$lookup, so that no array is built, or a $limit or $project into its pipeline",
	  { "bsonscope run {source} '{\"find\": \"PARENTS\", \"filter\": {\"LOCALFIELD\": {value}}}'", GROWTH,
	    "bsonscope explain {source} '{\"aggregate\": \"PARENTS\", \"pipeline\": [{\"$lookup\": {...}}, "
	  "{\"$unwind\": \"...\"}], \"cursor\": {}}'" } },
	{ { 146 }, "ExceededMemoryLimit", "(?<operator>\\$[a-z]+) used too much memory and (?:cannot spill to "
	  "disk|spilling to disk [^.]*)(?:\\.? ?(?:Total used|Used): ?" NUMBER("size") " bytes)?(?:[.,]? ?Memory "
	  "limit: ?" NUMBER("limit") " bytes)?", LIMIT_STAGE_BYTES,
	  "one accumulator holds more in memory than a stage may: the array of one group grows without bound. This "
	  "one cannot spill, so allowDiskUse does not help, and a result of more than 16 MB could not be returned "
	  "anyway. Keep fewer per group ($firstN, $topN, a $match before it), or do not collect documents into an "
	  "array",
	  { EXPLAIN, FITS } },
	{ { 292, 16945 }, "QueryExceededMemoryLimitNoDiskUseAllowed",
	  "Exceeded memory limit for (?<operator>\\$[a-z]+)[ ,]+but did(?:n't| not) allow external "
	  "(?:sort|spilling)", LIMIT_STAGE_BYTES,
	  "the stage needs more memory than its limit and may not spill to disk. allowDiskUse: true lifts this "
	  "limit, but not the one on a document: a group that itself gets over 16 MB fails next, with 10334",
	  { EXPLAIN, "bsonscope explain --fail-on sort,spill {source} COMMAND" } },
	{ { 292, 16819, 16820 }, "QueryExceededMemoryLimitNoDiskUseAllowed",
	  "Sort exceeded memory limit of " NUMBER("limit") " bytes", LIMIT_STAGE_BYTES,
	  "a sort holds more in memory than it may and may not spill to disk. An index in the order of the sort "
	  "needs no memory; allowDiskUse: true spills; a $limit or $project before it makes it smaller",
	  { "bsonscope explain --fail-on sort {source} COMMAND" } },
	{ { 96, 17144 }, "OperationFailed", "(?:overflow sort stage buffered data usage of|Sort operation used more "
	  "than the maximum) " NUMBER("size")
	  " bytes (?:exceeds internal limit of " NUMBER("limit") ")?", LIMIT_SORT_BYTES,
	  "a find sorts without an index, in memory, and holds more than it may (32 MB before 4.4, which can "
	  "spill). An index in the order of the sort needs no memory",
	  { "bsonscope explain --fail-on sort {source} COMMAND" } },
	{ { 4031700 }, NULL, "document constructed by \\$facet is " NUMBER("size") " bytes, which exceeds the limit "
	  "of " NUMBER("limit") " bytes",
	  LIMIT_STAGE_BYTES,
	  "all of a $facet's results make one document. A page of elements and their count are two cheaper "
	  "questions asked apart", { FITS, EXPLAIN } },
	{ { 16389 }, NULL, "aggregation result exceeds maximum document size", LIMIT_INTERNAL_BYTES,
	  "an old server, or a client without a cursor, puts all results into one reply, which has the limit of a "
	  "document. Ask with a cursor (cursor: {}), or write the result with $out",
	  { EXPLAIN } },
	{ { 10003 }, "CannotGrowDocumentInCappedNamespace",
	  "(?:Cannot change the size of a document in a capped collection: (?<capped>[0-9]+) != [0-9]+|objects in a "
	  "capped ns cannot grow)", 0,
	  "documents of a capped collection lie in a ring and keep the size that they were inserted with. Insert "
	  "them with room for what will be added, or use a collection that is not capped, with a TTL index",
	  { SIZES } },
	{ { 17280 }, "KeyTooLong",
	  "key too large(?: to index,? ?(?:failing|skipping) ?(?:(?<namespace>[^ $]+)\\.\\$(?<index>[^ ]+) ?)?"
	  NUMBER("size") "| len: ?" NUMBER("size")
	  " max: ?" NUMBER("limit") ")", LIMIT_INDEX_KEY_BYTES,
	  "an index entry is larger than 1,024 bytes, which servers before 4.2 refuse: a long text or a whole "
	  "document is indexed. Index a part or a hash of it, or upgrade (with featureCompatibilityVersion 4.2 "
	  "there is no such limit)",
	  { TREE, SIZES } },
	{ { 13548 }, NULL, "BufBuilder attempted to grow\\(\\) to " NUMBER("size") " bytes, past the 64MB limit",
	  LIMIT_BUFFER_BYTES,
	  "the server was putting something together that passed 64 MB, long after it could have been one document: "
	  "a group, a $lookup's array or an $out of it",
	  { FITS, EXPLAIN } },
	{ { 0 }, "message too large", "(?:message (?:msgLen|len|size|length)|Message size)[: (of]*"
	  NUMBER("size") "\\)?[^0-9]{1,80}(?:[0-9]{1,3}[^0-9]{1,20})?"
	  NUMBER("limit"), LIMIT_MESSAGE_BYTES,
	  "one message on the wire is over the limit of 48,000,000 bytes; the server closes the connection, so the "
	  "client may see only a broken pipe. Send the batch in parts, or what it sends is no MongoDB message at "
	  "all (another protocol, TLS)",
	  { SIZES } },
	{ { 0 }, "document too large for the driver",
	  "(?:BSON document too large \\(" NUMBER("size") " bytes\\)(?: ?-? ?the connected server supports BSON "
	  "document sizes up to " NUMBER("limit")
	  " bytes)?|command document too large)", LIMIT_USER_BYTES,
	  "the driver looked before it sent anything: the document, or the command with it, is over what the server "
	  "said it takes", { SIZES, TREE, FITS } },
	{ { 0 }, "document too large for the driver", /* Java, .NET */
	  "(?:(?:Payload )?Document size (?:of " NUMBER("size") " )?is larger than (?:the )?maximum of "
	  NUMBER("limit")
	  "|Size " NUMBER("size") " is larger than MaxDocumentSize " NUMBER("limit") ")", LIMIT_USER_BYTES,
	  "the driver looked before it sent anything: the document, or the command with it, is over what the server "
	  "said it takes", { SIZES, TREE, FITS } },
	{ { 0 }, "document too large for the driver", /* node, C, PHP, Ruby, Go, Rust, and tools */
	  "(?:document is larger than the maximum size " NUMBER("limit") "|is too large for the cluster\\. Document "
	  "is " NUMBER("size") " bytes, max is "
	  NUMBER("limit") "|exceeds (?:allowed|maximum allowed|the maximum) (?:max )?BSON size|(?:inserted "
	  ")?document is too large|BSON document size exceeds [0-9]+ MB limit: " NUMBER("size") "|exceeded the "
	  "maximum document size, got length: " NUMBER("size")
	  "|document exceeds (?:the )?maximum document size)", LIMIT_USER_BYTES,
	  "the client looked before it sent anything, or while it read a reply: the document is over what it takes. "
	  "A reply may be some KB larger than the largest document",
	  { SIZES, TREE, FITS } },
	{ { 0 }, "DocumentTooLarge", NULL, LIMIT_USER_BYTES,
	  "the driver looked before it sent anything: the document, or the command with it, is over what the server "
	  "said it takes", { SIZES, TREE, FITS } },
	{ { 0 }, "RangeError", "The value of \"?\\\\*\"?offset\\\\*\"? is out of range\\. It must be >= 0 "
	  "(?:&&|and) <= 17825792\\. Received "
	  NUMBER("size"), 17825792,
	  "node's driver writes BSON into a buffer of 17 MiB and the document, or the command with it, did not fit; "
	  "the size here is only where it stopped, not how large it is",
	  { SIZES, TREE, FITS } },
	{ { 15 }, "Overflow", "(?:BSONObj )?exceeded maximum nested object depth: " NUMBER("depth"), 0,
	  "documents are nested too deep: servers take 200 levels (settable up to 250), drivers and shells often "
	  "100. A list was written as a chain",
	  { "bsonscope schema{where} {source}" } },
	{ { 13 }, "Unauthorized", "not (?:authorized|allowed) (?:on|to) ?(?<database>[^ ]*)(?: to execute command)?",
	  0,
	  "this user may not do that. To look here, read on the database is enough; sizes of a collection need find "
	  "and collStats on it",
	  { "bsonscope sizes{where} {source}" } },
	{ { 8000 }, "AtlasError", "(?:Unallowed argument|CMD_NOT_ALLOWED|\\(AtlasError\\)|over your space quota)", 0,
	  "the hosted service in front of the server refuses it: shared tiers know fewer commands and arguments, "
	  "and have a quota. Name the database in the URI, so that none has to be listed",
	  { "bsonscope sizes{where} {source}" } },
	{ { 168 }, "InvalidPipelineOperator", "Unrecognized expression '\\$bsonSize'", 0,
	  "the server is older than 4.4 or of another vendor and cannot tell sizes; here they are then measured on "
	  "this side, of a sample of whole documents",
	  { "bsonscope sizes{where} {source}" } },
	{ { 50 }, "MaxTimeMSExpired", "operation exceeded time limit", 0,
	  "the server stopped after the time that the client had granted: often a scan of a whole collection, a "
	  "$sample of very many documents or a $lookup without an index",
	  { "bsonscope explain --fail-on scan,lookup {source} COMMAND" } },
};
const size_t why_error_count = sizeof why_errors / sizeof *why_errors;
