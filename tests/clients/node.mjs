// The node driver: connecting, documents of all types, cursors, bulk errors, explain. node.mjs PACKAGES URI
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { MongoClient, ObjectId, Decimal128, Long, Int32, Double, Timestamp, Binary, MinKey, MaxKey } =
	createRequire(pathToFileURL(`${process.argv[2]}/`))("mongodb");
const client = new MongoClient(process.argv[3], { serverSelectionTimeoutMS: 5000 });
let commands = [];

async function failure(promise) {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	assert.fail("did not fail");
}

const tests = {
	async connects(db) {
		assert.equal((await db.command({ ping: 1 })).ok, 1);
		const unknown = await failure(db.command({ nothingOfThisName: 1 }));
		assert.deepEqual([unknown.code, unknown.codeName], [59, "CommandNotFound"]);
	},
	async keeps_types(db) {
		const types = db.collection("types");
		const kept = { _id: new ObjectId(), i: new Int32(7), l: Long.fromString("9007199254740993"), d: new Double(2), text: "Ünïcödé \u0000 ☃",
			decimal: Decimal128.fromString("9.50"), at: new Date(1e12), bytes: new Binary(Buffer.from([0, 1, 255]), 5), none: null,
			list: [new Int32(1), ["two"], { three: new Int32(3) }], from: new MinKey(), to: new MaxKey(), t: new Timestamp({ t: 5, i: 6 }) };
		await types.insertOne(kept);
		assert.deepEqual(await types.findOne({ _id: kept._id }, { promoteValues: false, promoteLongs: false }),
			{ ...kept, text: kept.text });
	},
	async writes(db) {
		const c = db.collection("writes");
		assert.equal((await c.insertMany(Array.from({ length: 300 }, (_, i) => ({ _id: i, n: i % 10 })))).insertedCount, 300);
		const updated = await c.updateMany({ n: 3 }, { $inc: { n: 100 } });
		assert.deepEqual([updated.matchedCount, updated.modifiedCount], [30, 30]);
		const upserted = await c.updateOne({ _id: "new" }, { $set: { n: 1 } }, { upsert: true });
		assert.deepEqual([upserted.matchedCount, upserted.upsertedId], [0, "new"]);
		assert.equal((await c.deleteMany({ n: 103 })).deletedCount, 30);
		assert.equal(await c.countDocuments(), 271);
		assert.equal(await c.estimatedDocumentCount(), 271);
		assert.deepEqual((await c.distinct("n", { n: { $lt: 3 } })).sort(), [0, 1, 2]);
		assert.deepEqual(await c.findOneAndUpdate({ _id: 5 }, { $set: { n: 55 } }, { returnDocument: "after" }), { _id: 5, n: 55 });
		assert.deepEqual(await c.findOneAndDelete({ _id: 6 }), { _id: 6, n: 6 });
	},
	async reads_by_cursor(db) {
		const c = db.collection("cursors");
		await c.insertMany(Array.from({ length: 450 }, (_, i) => ({ _id: i })));
		for (const batchSize of [undefined, 1, 7, 450, 451, 1000]) {
			commands = [];
			const ids = (await c.find({}, { batchSize, sort: { _id: 1 } }).toArray()).map((d) => d._id);
			assert.deepEqual(ids, Array.from({ length: 450 }, (_, i) => i), `batchSize ${batchSize}`);
		}
		commands = [];
		await c.find().toArray();
		assert.deepEqual(commands, ["find", "getMore"]);
		const cursor = c.find({}, { batchSize: 2 });
		await cursor.next();
		commands = [];
		await cursor.close();
		assert.deepEqual(commands, ["killCursors"]);
		const gone = await failure(db.command({ getMore: Long.fromNumber(12345), collection: "cursors" }));
		assert.equal(gone.code, 43);
	},
	async tells_bulk_errors(db) {
		const c = db.collection("bulk");
		const list = () => [1, 2, 2, 3, 3, 4].map((_id) => ({ insertOne: { document: { _id } } }));
		const ordered = await failure(c.bulkWrite(list()));
		assert.deepEqual([ordered.code, ordered.result.insertedCount, [].concat(ordered.writeErrors).map((e) => e.index)], [11000, 2, [2]]);
		await c.deleteMany({});
		const unordered = await failure(c.bulkWrite(list(), { ordered: false }));
		assert.deepEqual([unordered.result.insertedCount, [].concat(unordered.writeErrors).map((e) => e.index)], [4, [2, 4]]);
		assert.match(unordered.writeErrors[0].errmsg, /^E11000 duplicate key error collection: node\.bulk index: _id_ dup key: \{ _id: 2 \}$/);
		const mixed = await c.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } }, { deleteOne: { filter: { _id: 2 } } },
			{ replaceOne: { filter: { _id: 9 }, replacement: { a: 9 }, upsert: true } }]);
		assert.deepEqual([mixed.modifiedCount, mixed.deletedCount, mixed.upsertedCount, mixed.upsertedIds], [1, 1, 1, { 2: 9 }]);
	},
	async explains(db) {
		const c = db.collection("explained");
		await c.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i, a: i % 5 })));
		await c.createIndex({ a: 1 });
		const explained = await c.find({ a: 2 }).explain("executionStats");
		assert.equal(explained.queryPlanner.winningPlan.inputStage.indexName, "a_1");
		assert.deepEqual([explained.executionStats.totalDocsExamined, explained.executionStats.totalKeysExamined], [10, 10]);
		assert.deepEqual((await c.indexes()).map((index) => index.name), ["_id_", "a_1"]);
	},
	async serves_many_at_once(db) {
		const c = db.collection("many");
		await Promise.all(Array.from({ length: 500 }, (_, i) => c.insertOne({ _id: i })));
		assert.equal(await c.countDocuments(), 500);
	},
	async carries_large_documents(db) {
		const c = db.collection("large");
		const text = "x".repeat(16777216 - 25); // with the rest exactly the limit
		await c.insertOne({ _id: 1, text });
		assert.equal((await c.findOne({ _id: 1 })).text, text);
	},
};

client.options.monitorCommands = true;
client.on("commandStarted", (event) => commands.push(event.commandName));
let failed = 0;
try {
	await client.connect();
	const db = client.db("node");
	await db.dropDatabase();
	for (const [name, test] of Object.entries(tests)) {
		try {
			await test(db);
		} catch (error) {
			failed++;
			console.log(`FAILED ${name}: ${error.stack}`);
		}
	}
	console.log(`summary: ${Object.keys(tests).length - failed} of ${Object.keys(tests).length} passed`);
} finally {
	await client.close();
}
process.exitCode = failed ? 1 : 0;
