"""Asks the program in batch mode and compares with published figures; prints every difference and exits 1 if there is one."""
import json

from program import call, expect, finish, first_batch, run


# Library: at rest, three jobs, two shapes; the no-ops apart.

LIBRARY = {
    "embed": {
        "atRest": {"documents": 20000, "bytes": 6149233, "largest": 461, "headroom": 15923},
        "book page": {"roundTrips": 1, "docsExamined": 1, "keysExamined": 1, "bytesRead": 454, "docsReturned": 1,
                      "bytesReturned": 454, "getMores": 0},
        "repairs of a branch": {"roundTrips": 1, "docsExamined": 20000, "bytesRead": 6149233, "docsReturned": 2934,
                                "getMores": 1},
        "status changes": {"roundTrips": 5000, "docsWritten": 5000, "bytesWritten": 1541395, "noOps": 1620,
                           "keysWritten": 0},
    },
    "reference": {
        "atRest": {"documents": 78595, "bytes": 6612373, "largest": 103, "headroom": 16281},
        "book page": {"roundTrips": 2, "docsExamined": 6, "keysExamined": 6, "bytesRead": 502, "docsReturned": 6,
                      "bytesReturned": 502, "getMores": 0},
        "repairs of a branch": {"roundTrips": 1, "docsExamined": 10066, "bytesRead": 781096, "docsReturned": 3092,
                                "getMores": 1},
        "status changes": {"roundTrips": 5000, "docsWritten": 5000, "bytesWritten": 381255, "noOps": 1620,
                           "keysWritten": 0},
    },
}

costs = {}
for shape, wanted in LIBRARY.items():
    got = json.loads(call("workload", "--json", "--shape", shape, "sample:library"))
    expect("fields", list(got), ["source", "relationship", "shape", "limit", "atRest", "operations"])
    expect("source", got["source"], "sample:library")
    expect("relationship", got["relationship"], "copies")
    expect("shape", got["shape"], shape)
    expect("limit", got["limit"], 16384)
    expect(f"{shape} at rest", got["atRest"], wanted["atRest"])
    expect("operations", [o["name"] for o in got["operations"]], list(wanted)[1:])
    for operation in got["operations"]:
        name, cost = operation["name"], operation["cost"]
        costs[shape, name] = cost
        expect("operation", list(operation),
               ["name", "type", "frequency", "perSecond", "commands", "cost", "provenance"])
        expect("cost", list(cost), ["roundTrips", "getMores", "docsExamined", "keysExamined", "bytesRead", "docsReturned",
                                    "bytesReturned", "docsWritten", "bytesWritten", "keysWritten", "noOps", "millis"])
        expect(f"{shape} {name} provenance", operation["provenance"], {"default": "measured"})
        expect(f"{shape} {name} per second", operation["perSecond"], None)
        for field, value in wanted[name].items():
            expect(f"{shape} {name} {field}", cost[field], value)

changes = [costs[shape, "status changes"]["bytesWritten"] for shape in ("embed", "reference")]
expect("bytes a change", [round(b / 5000) for b in changes], [308, 76])
expect("ratio of bytes written", round(changes[0] / changes[1], 2), 4.04)
pages = [costs[shape, "book page"]["bytesRead"] for shape in ("embed", "reference")]
expect("ratio of bytes, book page, in tenths of a percent", round((pages[1] - pages[0]) / pages[0] * 1000), 106)
repairs = [costs[shape, "repairs of a branch"]["bytesRead"] for shape in ("embed", "reference")]
expect("ratio of bytes, repairs", round(repairs[0] / repairs[1], 1), 7.9)

# Two dotted conditions are another question than one element that meets both.
# (the origin is referenced; the embedded question is asked on a copy made by the same pipeline a driver would send)
dotted = run(
    {"aggregate": "kitap", "pipeline": [
        {"$lookup": {"from": "kopya", "localField": "_k", "foreignField": "kitap", "as": "kopya"}},
        {"$match": {"kopya.sube": "Kadikoy", "kopya.durum": "onarimda"}},
        {"$group": {"_id": None, "n": {"$sum": 1}}}], "cursor": {}},
    source="sample:library")
expect("two dotted conditions", first_batch(dotted[0])[0]["n"], 5777)

library_sizes = {c["name"]: c for c in json.loads(call("sizes", "--json", "sample:library"))["collections"]}
expect("kitap", [library_sizes["kitap"][f] for f in ("count", "bytes")], [20000, 2043344])
expect("kopya", [library_sizes["kopya"][f] for f in ("count", "bytes")], [58595, 4569029])
expect("kopya percentiles", [library_sizes["kopya"][f] for f in ("p50", "p90", "p99", "max", "headroom")],
       [78, 83, 84, 84, 16300])

# Where the bytes are: the parts and the fields are the whole, 5 bytes a document aside.
for sample in ("library", "bookstore"):
    for c in json.loads(call("sizes", "--json", "sample:" + sample))["collections"]:
        where = c["where"]
        expect(c["name"] + " parts", sum(where[p] for p in ("values", "keyNames", "arrays", "frames")), c["bytes"])
        expect(c["name"] + " fields", sum(f["bytes"] for f in c["fields"]) + 5 * c["count"], c["bytes"])
        expect(c["name"] + " types", [sum(f["types"].values()) for f in c["fields"]], [f["count"] for f in c["fields"]])
copies = {f["name"]: f for f in library_sizes["kopya"]["fields"]}
expect("kopya fields", [copies[f]["bytes"] for f in ("_k", "kitap")], [58595 * 17, 58595 * 19])

# Bookstore: sizes.

sizes = json.loads(call("sizes", "--json", "sample:bookstore"))
expect("sizes", list(sizes), ["source", "collections"])
rows = {c["name"]: c for c in sizes["collections"]}
for name, count, average, largest in (("books", 77, 344, 542), ("orders", 379, 429, 696), ("reviews", 181, 142, 172),
                                      ("customers", 40, 159, 185)):
    row = rows[name]
    expect(f"{name} fields", list(row), ["db", "name", "kind", "count", "bytes", "avg", "max", "p50", "p90", "p99",
                                         "headroom", "largest", "histogram", "provenance", "thresholds",
        "where", "fields"])
    expect(name, [row["count"], row["avg"], row["max"]], [count, average, largest])
    expect(f"{name} average", round(row["bytes"] / row["count"]), average)
    expect(f"{name} histogram", sum(b["count"] for b in row["histogram"]), count)
    expect(f"{name} largest", row["largest"][0]["bytes"], largest)
    expect(f"{name} headroom", row["headroom"], 16777216 - largest)
    expect(f"{name} provenance", row["provenance"], {"default": "exact"})

# Bookstore: reviews a book, items an order, the author's books, Dune alone.

replies = run(
    {"aggregate": "reviews", "pipeline": [
        {"$group": {"_id": "$bookId", "n": {"$sum": 1}}},
        {"$group": {"_id": None, "books": {"$sum": 1}, "avg": {"$avg": "$n"}, "max": {"$max": "$n"}}}], "cursor": {}},
    {"aggregate": "orders", "pipeline": [
        {"$group": {"_id": None, "avg": {"$avg": {"$size": "$items"}}, "max": {"$max": {"$size": "$items"}},
                    "items": {"$sum": {"$size": "$items"}}}}], "cursor": {}},
    {"find": "books", "filter": {"authors.authorId": 18}, "projection": {"_id": 0, "title": 1}, "sort": {"_id": 1}},
    {"find": "authors", "filter": {"_id": 18}},
    {"aggregate": "books", "pipeline": [
        {"$match": {"_id": 26}}, {"$project": {"_id": 0, "n": {"$bsonSize": "$$ROOT"}}}], "cursor": {}})
reviews, items, titles, author, dune = [first_batch(r) for r in replies]
expect("reviews per book", [reviews[0]["books"], f"{reviews[0]['avg']:.1f}", reviews[0]["max"]], [58, "3.1", 9])
expect("items per order", [f"{items[0]['avg']:.2f}", items[0]["max"], items[0]["items"]], ["1.79", 4, 680])
expect("author 18's books", titles, [{"title": "Dune"}, {"title": "Dune Messiah"}])
expect("author 18", author, [{"_id": 18, "firstName": "Frank", "lastName": "Herbert", "birthYear": 1920}])
expect("Dune alone", dune, [{"n": 339}])

# Copies: a category renamed, a price that a sold item does not follow, a payment that is told twice.

renamed, _, old, _, book, order, _ = run(
    {"update": "books", "updates": [
        {"q": {"category.categoryId": 3}, "u": {"$set": {"category.name": "Sci-Fi"}}, "multi": True}]},
    {"update": "categories", "updates": [{"q": {"_id": 3}, "u": {"$set": {"name": "Sci-Fi"}}}]},
    {"find": "books", "filter": {"_id": 47}},
    {"update": "books", "updates": [{"q": {"_id": 47}, "u": {"$set": {"listPrice": {"$numberDecimal": "320.00"}}}}]},
    {"find": "books", "filter": {"_id": 47}},
    {"find": "orders", "filter": {"_id": 1}},
    {"ping": 1})
expect("category rename", [renamed["n"], renamed["nModified"]], [9, 9])
expect("old price", first_batch(old)[0]["listPrice"], {"$numberDecimal": "290.90"})
expect("new price", first_batch(book)[0]["listPrice"], {"$numberDecimal": "320.00"})
expect("sold at", first_batch(order)[0]["items"][0]["unitPrice"], {"$numberDecimal": "290.90"})

payment = {"update": "orders", "updates": [{
    "q": {"_id": 379, "status": "Pending"},
    "u": {"$set": {"status": "Paid"},
          "$push": {"payments": {"method": "card", "amount": {"$numberDecimal": "440.00"},
                                 "paidAt": {"$date": "2026-06-30T08:12:00Z"}}}}}]}
_, once, twice, paid = run(
    {"update": "orders", "updates": [{"q": {"_id": 379}, "u": {"$set": {"status": "Pending", "payments": []}}}]},
    payment, payment,
    {"find": "orders", "filter": {"_id": 379}, "projection": {"_id": 0, "status": 1, "total": 1, "payments": 1}})
expect("first payment", [once["n"], once["nModified"]], [1, 1])
expect("second payment", [twice["n"], twice["nModified"]], [0, 0])
expect("paid order", first_batch(paid), [{
    "status": "Paid", "total": {"$numberDecimal": "440.00"},
    "payments": [{"method": "card", "amount": {"$numberDecimal": "440.00"},
                  "paidAt": {"$date": "2026-06-30T08:12:00Z"}}]}])

# The relational copy: orders and items apart, joined on every read.

orders = [json.loads(line) for line in open("src/samples/bookstore/orders.json", encoding="utf-8")]
flat, flat_items = [], []
for o in orders:
    flat.append({"_id": o["_id"], "customerId": o["customer"]["customerId"], "orderedAt": o["orderedAt"],
                 "status": o["status"], "total": o["total"]})
    flat_items += [{"_id": len(flat_items) + 1 + n, "orderId": o["_id"], **item} for n, item in enumerate(o["items"])]
join = {"explain": {"aggregate": "orders_flat", "pipeline": [
    {"$match": {"_id": 1}},
    {"$lookup": {"from": "order_items_flat", "localField": "_id", "foreignField": "orderId", "as": "items"}},
    {"$lookup": {"from": "customers", "localField": "customerId", "foreignField": "_id", "as": "customer"}}],
    "cursor": {}}, "verbosity": "executionStats"}
replies = run(
    {"insert": "orders_flat", "documents": flat}, {"insert": "order_items_flat", "documents": flat_items},
    {"count": "orders_flat"}, {"count": "order_items_flat"},
    join,
    {"createIndexes": "order_items_flat", "indexes": [{"key": {"orderId": 1}, "name": "orderId_1"}]},
    join,
    {"explain": {"find": "orders", "filter": {"_id": 1}}, "verbosity": "executionStats"})
expect("flat copies", [replies[2]["n"], replies[3]["n"]], [379, 680])


def lookups(explain):
    return [[stage["$lookup"]["from"], stage["totalDocsExamined"], stage["collectionScans"]]
            for stage in explain["stages"] if "$lookup" in stage]


expect("without an index", lookups(replies[4]), [["order_items_flat", 680, 1], ["customers", 1, 0]])
expect("with the index", lookups(replies[6]), [["order_items_flat", 2, 0], ["customers", 1, 0]])
expect("the embedded order", replies[7]["executionStats"]["totalDocsExamined"], 1)

# One book with all its reviews: five sizes, and the push that no longer fits.

template = {"customer": None, "rating": None, "body": None, "reviewedAt": None}
found = first_batch(run({"find": "reviews", "filter": {"body": {"$exists": True}}, "projection": {"_id": 0, "bookId": 0},
                         "limit": 1})[0])[0]
expect("template", list(found), list(template))
size = {"aggregate": "lab", "pipeline": [{"$project": {"_id": 0, "n": {"$bsonSize": "$$ROOT"}}}], "cursor": {}}
dune = first_batch(run({"find": "books", "filter": {"_id": 26}})[0])[0]
# $push of ten thousand at once, the template repeated by the server: a command line has no room for them
push = {"update": "lab", "updates": [{"q": {"_id": 26}, "u": [
    {"$set": {"reviews": {"$concatArrays": [{"$ifNull": ["$reviews", []]},
                                            {"$map": {"input": {"$range": [0, 10000]}, "in": {"$literal": found}}}]}}}]}]}
commands = [{"insert": "lab", "documents": [dune]}]
for _ in range(5):
    commands += [push, push, size]
grown = [first_batch(r)[0]["n"] for r in run(*commands) if "cursor" in r]
expect("a book that grows", grown, [2829243, 5669243, 8509243, 11349243, 14189243])

finish()
