"""Schema patterns and validation on the bookstore, step by step; prints every difference and exits 1 if there is one."""
from program import expect, finish, first_batch, run


def update(collection, q, u, **options):
    return {"update": collection, "updates": [{"q": q, "u": u, **options}]}


def find_book(**projection):
    return {"find": "books", "filter": {"_id": 26}, "projection": {"_id": 0, **projection}}


# Computed: a summary of the reviews in each book, kept with every new review.

GROUP = {"aggregate": "reviews", "cursor": {}, "pipeline": [
    {"$group": {"_id": "$bookId", "count": {"$sum": 1}, "sum": {"$sum": "$rating"}}}]}
fill = [update("books", {"_id": r["_id"]},
               {"$set": {"rating": {"count": r["count"], "sum": r["sum"], "average": round(r["sum"] / r["count"], 2)}}})
        for r in first_batch(run(GROUP)[0])]
torvalds = {"bookId": 26, "customer": {"customerId": 40, "name": "Linus Torvalds"}, "rating": 5,
            "body": "Re-read it after twenty years.", "reviewedAt": {"$date": "2026-06-30T10:00:00Z"}}
add = [{"insert": "reviews", "documents": [torvalds]}, update("books", {"_id": 26}, [
    {"$set": {"rating.count": {"$add": ["$rating.count", 1]}, "rating.sum": {"$add": ["$rating.sum", 5]}}},
    {"$set": {"rating.average": {"$round": [{"$divide": ["$rating.sum", "$rating.count"]}, 2]}}}])]
computed = fill + [find_book(title=1, rating=1)] + add + [find_book(rating=1)]
replies = run(*computed, {"count": "books", "query": {"rating": {"$exists": True}}})
expect("summary before", first_batch(replies[len(fill)]),
       [{"title": "Dune", "rating": {"count": 5, "sum": 22, "average": 4.4}}])
expect("summary after", first_batch(replies[-2]), [{"rating": {"count": 6, "sum": 27, "average": 4.5}}])
expect("books with a rating", replies[-1]["n"], 58)

# Subset: the newest three reviews as a copy in the book.

NEWEST = {"find": "reviews", "filter": {"bookId": 26}, "sort": {"reviewedAt": -1}, "limit": 3,
          "projection": {"_id": 1, "rating": 1, "body": 1, "customer.name": 1, "reviewedAt": 1}}
latest = first_batch(run(*computed, NEWEST)[-1])
lovelace = {"_id": {"$oid": "6af85e4c5a7edf5858284d0c"}, "rating": 4, "body": "Slow start, great ending.",
            "customer": {"name": "Ada Lovelace"}, "reviewedAt": {"$date": "2026-06-30T12:00:00Z"}}
replies = run(*computed, update("books", {"_id": 26}, {"$set": {"recentReviews": latest}}),
              update("books", {"_id": 26},
                     {"$push": {"recentReviews": {"$each": [lovelace], "$sort": {"reviewedAt": -1}, "$slice": 3}}}),
              find_book(recentReviews=1),
              {"aggregate": "books", "cursor": {}, "pipeline": [
                  {"$match": {"_id": 26}}, {"$project": {"_id": 0, "n": {"$bsonSize": "$$ROOT"}}}]})
expect("the newest reviews", [[r["customer"]["name"], r["reviewedAt"]["$date"]]
                              for r in first_batch(replies[-2])[0]["recentReviews"]],
       [["Ada Lovelace", "2026-06-30T12:00:00Z"], ["Linus Torvalds", "2026-06-30T10:00:00Z"],
        ["Adele Goldberg", "2026-05-04T01:49:15Z"]])
expect("the book with its subset", first_batch(replies[-1]), [{"n": 808}])

# Bucket: a thousand views, one every 11 seconds from nine o'clock, in a document an hour.

views = []
for i in range(1000):
    hour = {"$date": f"2026-06-30T{9 + i * 11 // 3600:02d}:00:00Z"}
    views.append({"q": {"bookId": 26, "hour": hour}, "upsert": True,
                  "u": {"$inc": {"count": 1, f"byCountry.{['TR', 'GB', 'DE'][i % 3]}": 1}}})
replies = run(*({"update": "book_views", "updates": views[at:at + 250]} for at in range(0, 1000, 250)),
              {"find": "book_views", "sort": {"hour": 1}})
expect("views an hour", [[b["count"], *(b["byCountry"][c] for c in ("TR", "GB", "DE"))] for b in first_batch(replies[-1])],
       [[328, 110, 109, 109], [327, 109, 109, 109], [327, 109, 109, 109], [18, 6, 6, 6]])

# Polymorphic: three kinds of edition in one collection; attributes: what only one kind has, under one index.

editions = [{"insert": "editions", "documents": [
    {"_id": "26-print", "bookId": 26, "format": "print", "price": {"$numberDecimal": "390.50"}, "binding": "paperback",
     "pageCount": 513, "weightGrams": 520},
    {"_id": "26-ebook", "bookId": 26, "format": "ebook", "price": {"$numberDecimal": "210.00"},
     "fileFormats": ["epub", "pdf"], "drm": False},
    {"_id": "26-audio", "bookId": 26, "format": "audiobook", "price": {"$numberDecimal": "320.00"},
     "narrator": "Grace Hopper", "durationMinutes": 1263}]}]
replies = run(*editions,
              {"find": "editions", "filter": {"bookId": 26}, "sort": {"price": 1},
               "projection": {"_id": 0, "format": 1, "price": 1}},
              {"count": "editions", "query": {"format": "ebook", "drm": False}})
expect("editions by price", [[d["format"], d["price"]["$numberDecimal"]] for d in first_batch(replies[1])],
       [["ebook", "210.00"], ["audiobook", "320.00"], ["print", "390.50"]])
expect("ebooks without DRM", replies[2]["n"], 1)
searched = ["binding", "pageCount", "drm", "narrator", "durationMinutes"]
replies = run(*editions,
              update("editions", {}, [{"$set": {"attributes": {"$filter": {
                  "input": {"$objectToArray": "$$ROOT"}, "cond": {"$in": ["$$this.k", searched]}}}}}], multi=True),
              {"createIndexes": "editions", "indexes": [
                  {"key": {"attributes.k": 1, "attributes.v": 1}, "name": "attributes.k_1_attributes.v_1"}]},
              {"explain": {"find": "editions", "filter": {
                  "attributes": {"$elemMatch": {"k": "narrator", "v": "Grace Hopper"}}}}, "verbosity": "executionStats"},
              {"find": "editions", "filter": {"_id": "26-audio"}, "projection": {"_id": 0, "attributes": 1}})
expect("the narrator's plan", [replies[3]["queryPlanner"]["winningPlan"]["inputStage"]["stage"],
                               replies[3]["executionStats"]["totalKeysExamined"],
                               replies[3]["executionStats"]["nReturned"]], ["IXSCAN", 1, 1])
expect("attributes of the audiobook", first_batch(replies[4]), [{"attributes": [
    {"k": "narrator", "v": "Grace Hopper"}, {"k": "durationMinutes", "v": 1263}]}])

# Archive: closed orders of long ago, there and back.

OLD = {"status": {"$in": ["Delivered", "Cancelled"]}, "orderedAt": {"$lt": {"$date": "2025-07-01T00:00:00Z"}}}
KEEP = {"whenMatched": "keepExisting", "whenNotMatched": "insert"}
move = {"aggregate": "orders", "cursor": {}, "pipeline": [{"$match": OLD}, {"$merge": {"into": "orders_archive", **KEEP}}]}
ids = run(move, {"distinct": "orders_archive", "key": "_id"})[1]["values"]
replies = run(move, {"delete": "orders", "deletes": [{"q": {"_id": {"$in": ids}, **OLD}, "limit": 0}]},
              {"count": "orders_archive"}, {"count": "orders"},
              {"aggregate": "orders_archive", "cursor": {}, "pipeline": [{"$merge": {"into": "orders", **KEEP}}]},
              {"drop": "orders_archive"}, {"count": "orders"})
expect("archived, deleted, left, after the undo", [replies[i]["n"] for i in (2, 1, 3, 6)], [109, 109, 270, 379])

# Schema versions: two shapes side by side, then the rest in batches.

TO_2 = [{"$set": {"schemaVersion": 2, "address": {"city": "$city", "country": "$country"}}}, {"$unset": ["city", "country"]}]
VERSION_1 = {"schemaVersion": {"$exists": False}}
steps = [update("customers", {"_id": 3}, TO_2)]
replies = run(*steps, {"aggregate": "customers", "cursor": {}, "pipeline": [
    {"$match": {"_id": {"$in": [2, 3]}}},
    {"$project": {"_id": 1, "schemaVersion": {"$ifNull": ["$schemaVersion", 1]},
                  "city": {"$ifNull": ["$address.city", "$city"]}}}]})
expect("both versions", first_batch(replies[1]),
       [{"_id": 2, "schemaVersion": 1, "city": "Berlin"}, {"_id": 3, "schemaVersion": 2, "city": "Istanbul"}])
batches = []
while True:
    found = [c["_id"] for c in first_batch(run(*steps, {
        "find": "customers", "filter": VERSION_1, "projection": {"_id": 1}, "limit": 15})[-1])]
    if not found:
        break
    steps.append(update("customers", {"_id": {"$in": found}, **VERSION_1}, TO_2, multi=True))
    batches.append(run(*steps)[-1]["nModified"])
replies = run(*steps, {"count": "customers", "query": VERSION_1},
              {"find": "customers", "filter": {"_id": 2}, "projection": {"_id": 0, "firstName": 1, "schemaVersion": 1, "address": 1}})
expect("batches", batches, [15, 15, 9])
expect("migrated", sum(batches), 39)
expect("version 1 left", replies[-2]["n"], 0)
expect("a migrated customer", first_batch(replies[-1]),
       [{"firstName": "Alan", "schemaVersion": 2, "address": {"city": "Berlin", "country": "DE"}}])

# Validation: a review of long ago whose rating is a text.

SCHEMA = {"$jsonSchema": {
    "bsonType": "object", "required": ["bookId", "customer", "rating", "reviewedAt"],
    "properties": {
        "bookId": {"bsonType": "int"},
        "customer": {"bsonType": "object", "required": ["customerId", "name"],
                     "properties": {"customerId": {"bsonType": "int"}, "name": {"bsonType": "string", "minLength": 1}}},
        "rating": {"bsonType": "int", "minimum": 1, "maximum": 5},
        "body": {"bsonType": "string", "maxLength": 1000},
        "reviewedAt": {"bsonType": "date"},
        "helpfulCount": {"bsonType": "int", "minimum": 0},
        "helpfulVoters": {"bsonType": "array", "items": {"bsonType": "int"}}}}}
LEGACY_ID = "6af85e4c5a7edf5858284d0c"
legacy = {"insert": "reviews", "documents": [{
    "_id": {"$oid": LEGACY_ID}, "bookId": 26, "customer": {"customerId": 39, "name": "Barbara Liskov"}, "rating": "5",
    "reviewedAt": {"$date": "2019-05-01T00:00:00Z"}}]}
REFUSED = "Document failed validation"
EXECUTOR = "Plan executor error during update :: caused by :: "


def collmod(**changes):
    return {"collMod": "reviews", **changes}


def change_body(text):
    return update("reviews", {"customer.customerId": 39, "bookId": 26}, {"$set": {"body": text}})


def review(rating):
    return {"bookId": 26, "customer": {"customerId": 38, "name": "Margaret Hamilton"}, "rating": rating,
            "reviewedAt": {"$date": "2026-06-30T12:00:00Z"}}


def write_error(reply):
    error = reply["writeErrors"][0]
    return [error["code"], error["errmsg"]]


moderate = collmod(validator=SCHEMA, validationLevel="moderate", validationAction="error")
strict = collmod(validator=SCHEMA, validationLevel="strict", validationAction="error")
expect("moderate", run(legacy, moderate, change_body("A classic (moderate)."))[-1]["nModified"], 1)
for version, prefix in (("9.0", EXECUTOR), ("8.0", "")):
    reply = run(legacy, strict, change_body("A classic (strict)."), options=("--emulate", version), fails=True)[-1]
    expect(f"strict, {version}", write_error(reply), [121, prefix + REFUSED])
reply = run(legacy, strict, {"insert": "reviews", "documents": [review(6)]}, fails=True)[-1]
expect("rating 6", write_error(reply), [121, REFUSED])
expect("why", reply["writeErrors"][0]["errInfo"]["details"]["schemaRulesNotSatisfied"], [
    {"operatorName": "properties", "propertiesNotSatisfied": [{"propertyName": "rating", "details": [
        {"operatorName": "maximum", "specifiedAs": {"maximum": 5}, "reason": "comparison failed", "consideredValue": 6}]}]}])
expect("invalid documents", run(legacy, strict, {"count": "reviews", "query": {"$nor": [SCHEMA]}})[-1]["n"], 1)

# The constraint level: prepared, refused while one document does not hold, then for all that follows.

prepared = [legacy, strict, collmod(prepareConstraintValidationLevel=True)]
upgrade = collmod(validationLevel="constraint", validationAction="error")
fix = update("reviews", {"rating": {"$type": "string"}}, [{"$set": {"rating": {"$toInt": "$rating"}}}], multi=True)
expect("prepare", run(*prepared)[-1], {"ok": 1})
message = run(*prepared, upgrade, fails=True)[-1]["errmsg"]
expect("first upgrade", message[:message.index("[{")],
       "Cannot upgrade validationLevel to 'constraint': the collection contains documents that do not satisfy the validator. "
       f"First offending document _id: ObjectId('{LEGACY_ID}') Run db.reviews.find({{\"$nor\": ")
expect("first upgrade, its end", message[-43:], "} } } }]}) to find non-compliant documents."[-43:])
fixed = run(*prepared, fix, upgrade, {"listCollections": 1, "filter": {"name": "reviews"}})
expect("fixed", fixed[-3]["nModified"], 1)
expect("second upgrade", fixed[-2], {"ok": 1})
options = first_batch(fixed[-1])[0]["options"]
expect("level and action", [options["validationLevel"], options["validationAction"]], ["constraint", "error"])
reply = run(*prepared, fix, upgrade, {"insert": "reviews", "bypassDocumentValidation": True, "documents": [review(6)]},
            fails=True)[-1]
expect("bypass", [reply["n"], *write_error(reply)],
       [0, 2, "bypassDocumentValidation is not permitted with 'constraint' validationLevel"])
expect("another validator", run(*prepared, fix, upgrade, collmod(validator={"$jsonSchema": {"bsonType": "object"}}),
                                fails=True)[-1]["errmsg"],
       "Failed to set validation options :: caused by :: Validator cannot be changed when Validation level is 'constraint'")
for change, wanted in (
        ({"validationLevel": "constraint"},
         "Enumeration value 'constraint' for field 'collMod.validationLevel' is not a valid value."),
        ({"validationAction": "errorAndLog"},
         "Enumeration value 'errorAndLog' for field 'collMod.validationAction' is not a valid value."),
        ({"prepareConstraintValidationLevel": True},
         "BSON field 'collMod.prepareConstraintValidationLevel' is an unknown field.")):
    expect(f"8.0: {list(change)[0]}",
           run(collmod(**change), options=("--emulate", "8.0"), fails=True)[-1]["errmsg"], wanted)

finish()
