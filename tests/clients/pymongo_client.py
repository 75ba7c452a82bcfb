"""pymongo: connecting, writes, cursors, bulk errors, explain. pymongo_client.py URI"""
import sys
import traceback

import pymongo
from bson import Binary, Decimal128, Int64, ObjectId
from pymongo import DeleteOne, InsertOne, UpdateMany, UpdateOne
from pymongo.errors import BulkWriteError, DuplicateKeyError, OperationFailure

commands = []


class Listener(pymongo.monitoring.CommandListener):
    def started(self, event):
        commands.append(event.command_name)

    def succeeded(self, event):
        pass

    def failed(self, event):
        pass


def failure(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("did not fail")


def equal(got, expected):
    assert got == expected, f"{got!r} is not {expected!r}"


def connects(db):
    equal(db.command("ping")["ok"], 1)
    error = failure(OperationFailure, lambda: db.command("nothingOfThisName"))
    equal((error.code, error.details["codeName"]), (59, "CommandNotFound"))


def finds_the_sample(db):
    books = db.client.bookstore.books
    equal(books.count_documents({}), 77)
    equal([b["title"] for b in books.find({"authors.authorId": 18}).sort("_id")], ["Dune", "Dune Messiah"])


def writes(db):
    c = db.writes
    kept = {"_id": ObjectId(), "l": Int64(2**40), "d": Decimal128("9.50"), "list": [1, ["two"]], "none": None, "half": 0.5, "bytes": b"\0\xff"}
    c.insert_one(kept)
    equal(c.find_one({"_id": kept["_id"]}), kept)
    c.delete_many({})
    equal(len(c.insert_many([{"_id": i, "n": i % 10} for i in range(300)]).inserted_ids), 300)
    result = c.update_many({"n": 3}, {"$inc": {"n": 100}})
    equal((result.matched_count, result.modified_count), (30, 30))
    equal(c.update_one({"_id": "new"}, {"$set": {"n": 1}}, upsert=True).upserted_id, "new")
    equal(c.replace_one({"_id": 1}, {"n": 7}).modified_count, 1)
    equal(c.delete_many({"n": 103}).deleted_count, 30)
    equal(c.count_documents({}), 271)
    equal(c.find_one_and_update({"_id": 5}, {"$set": {"n": 55}}, return_document=pymongo.ReturnDocument.AFTER), {"_id": 5, "n": 55})
    error = failure(DuplicateKeyError, lambda: c.insert_one({"_id": 5}))
    equal((error.code, error.details["keyPattern"], error.details["keyValue"]), (11000, {"_id": 1}, {"_id": 5}))


def reads_by_cursor(db):
    c = db.cursors
    c.insert_many([{"_id": i} for i in range(450)])
    for batch_size in (0, 2, 7, 450, 451, 1000):
        equal([d["_id"] for d in c.find(batch_size=batch_size).sort("_id")], list(range(450)))
    commands.clear()
    list(c.find())
    equal(commands, ["find", "getMore"])
    equal([d["_id"] for d in c.aggregate([{"$sort": {"_id": -1}}], batchSize=9)], list(range(449, -1, -1)))
    cursor = c.find(batch_size=2)
    next(cursor)
    commands.clear()
    cursor.close()
    equal(commands, ["killCursors"])
    equal(failure(OperationFailure, lambda: db.command("getMore", Int64(12345), collection="cursors")).code, 43)


def tells_bulk_errors(db):
    c = db.bulk
    requests = [InsertOne({"_id": i}) for i in (1, 2, 2, 3, 3, 4)]
    details = failure(BulkWriteError, lambda: c.bulk_write(requests)).details
    equal((details["nInserted"], [e["index"] for e in details["writeErrors"]]), (2, [2]))
    c.delete_many({})
    details = failure(BulkWriteError, lambda: c.bulk_write(requests, ordered=False)).details
    equal((details["nInserted"], [(e["index"], e["code"]) for e in details["writeErrors"]]), (4, [(2, 11000), (4, 11000)]))
    result = c.bulk_write([UpdateOne({"_id": 1}, {"$set": {"a": 1}}), UpdateMany({}, {"$set": {"b": 1}}), DeleteOne({"_id": 2}),
                           UpdateOne({"_id": 9}, {"$set": {"a": 1}}, upsert=True)])
    equal((result.modified_count, result.deleted_count, result.upserted_ids), (5, 1, {3: 9}))


def explains(db):
    c = db.explained
    c.insert_many([{"_id": i, "a": i % 5} for i in range(50)])
    equal(c.create_index("a"), "a_1")
    plan = c.find({"a": 2}).explain()
    equal(plan["queryPlanner"]["winningPlan"]["inputStage"]["indexName"], "a_1")
    equal((plan["executionStats"]["totalDocsExamined"], plan["executionStats"]["totalKeysExamined"]), (10, 10))
    equal(sorted(c.index_information()), ["_id_", "a_1"])


def lists(db):
    assert "bookstore" in db.client.list_database_names()
    assert "explained" in db.list_collection_names()
    assert db.command("buildInfo")["version"], "no version"


def refuses_transactions(db):
    error = failure(OperationFailure, lambda: db.command(
        "insert", "writes", documents=[{"_id": "t"}], lsid={"id": Binary(bytes(16), 4)}, txnNumber=Int64(1), startTransaction=True,
        autocommit=False))
    equal((error.code, error.details["codeName"]), (20, "IllegalOperation"))
    equal(db.writes.find_one({"_id": "t"}), None)


TESTS = [connects, finds_the_sample, writes, reads_by_cursor, tells_bulk_errors, explains, lists, refuses_transactions]


def main():
    client = pymongo.MongoClient(sys.argv[1], serverSelectionTimeoutMS=5000, event_listeners=[Listener()])
    client.drop_database("python")
    failed = 0
    for test in TESTS:
        try:
            test(client.python)
        except Exception:  # every test is run, whatever the one before it met
            failed += 1
            print(f"FAILED {test.__name__}")
            traceback.print_exc(file=sys.stdout)
    client.close()
    print(f"summary: {len(TESTS) - failed} of {len(TESTS)} passed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
