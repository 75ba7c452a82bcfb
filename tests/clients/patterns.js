// Schema patterns on the bookstore, in the order in which they build on each other: computed, subset, bucket,
// polymorphic, attribute, archive, versioning. Figures: those that were published.
const shop = db.getSiblingDB("bookstore");
const dune = { _id: 26 };

// Computed: the summary of a book's reviews, kept in the book.
shop.books.updateMany({}, { $unset: { rating: 1 } });
shop.reviews.deleteMany({ bookId: 26, "customer.customerId": 40 });
for (const { _id, all, sum } of shop.reviews.aggregate([{ $group: { _id: "$bookId", all: { $sum: 1 }, sum: { $sum: "$rating" } } }]).toArray())
	shop.books.updateOne({ _id }, { $set: { rating: { count: all, sum, average: Math.round(100 * sum / all) / 100 } } });
figure("Dune's summary", shop.books.findOne(dune).rating, { count: 5, sum: 22, average: 4.4 });
shop.reviews.insertOne({ bookId: 26, customer: { customerId: 40, name: "Linus Torvalds" }, rating: 5, body: "Re-read it after twenty years.",
	reviewedAt: new Date("2026-06-30T10:00:00Z") });
shop.books.updateOne(dune, [
	{ $set: { "rating.sum": { $add: ["$rating.sum", 5] }, "rating.count": { $add: ["$rating.count", 1] } } },
	{ $set: { "rating.average": { $round: [{ $divide: ["$rating.sum", "$rating.count"] }, 2] } } },
]);
figure("after one more of 5", shop.books.findOne(dune).rating, { count: 6, sum: 27, average: 4.5 });
figure("books with a rating", shop.books.countDocuments({ rating: { $exists: true } }), 58);

// Subset: the three newest reviews, copied into the book.
shop.books.updateOne(dune, { $unset: { recentReviews: 1 } });
const newest = shop.reviews.find({ bookId: 26 }, { rating: 1, body: 1, "customer.name": 1, reviewedAt: 1 })
	.sort({ reviewedAt: -1 }).limit(3).toArray();
shop.books.updateOne(dune, { $set: { recentReviews: newest } });
shop.books.updateOne(dune, { $push: { recentReviews: { $each: [{ _id: ObjectId(), rating: 4, body: "Slow start, great ending.",
	customer: { name: "Ada Lovelace" }, reviewedAt: new Date("2026-06-30T12:00:00Z") }], $slice: 3, $sort: { reviewedAt: -1 } } } });
figure("three newest", shop.books.findOne(dune).recentReviews.map((r) => `${r.customer.name} ${r.reviewedAt.toISOString()}`),
	["Ada Lovelace 2026-06-30T12:00:00.000Z", "Linus Torvalds 2026-06-30T10:00:00.000Z", "Adele Goldberg 2026-05-04T01:49:15.000Z"]);
figure("Dune with its subset", bsonsize(shop.books.findOne(dune)), 808);

// Bucket: a document an hour.
shop.book_views.drop();
for (let view = 0, at = Date.UTC(2026, 5, 30, 9); view < 1000; view++, at += 11000)
	shop.book_views.updateOne({ bookId: 26, hour: new Date(at - at % 3600000) },
		{ $inc: { count: 1, ["byCountry." + ["TR", "GB", "DE"][view % 3]]: 1 } }, { upsert: true });
figure("views by the hour", shop.book_views.find().sort({ hour: 1 }).toArray()
	.map((b) => `${b.hour.getUTCHours()}: ${b.count} (${b.byCountry.TR}/${b.byCountry.GB}/${b.byCountry.DE})`),
	["9: 328 (110/109/109)", "10: 327 (109/109/109)", "11: 327 (109/109/109)", "12: 18 (6/6/6)"]);
shop.book_views.drop();

// Polymorphic and attribute.
shop.editions.drop();
shop.editions.insertMany([
	{ _id: "26-print", bookId: 26, format: "print", price: NumberDecimal("390.50"), binding: "paperback", pageCount: 513, weightGrams: 520 },
	{ _id: "26-ebook", bookId: 26, format: "ebook", price: NumberDecimal("210.00"), fileFormats: ["epub", "pdf"], drm: false },
	{ _id: "26-audio", bookId: 26, format: "audiobook", price: NumberDecimal("320.00"), narrator: "Grace Hopper", durationMinutes: 1263 },
]);
figure("editions by price", shop.editions.find({ bookId: 26 }).sort({ price: 1 }).toArray().map((e) => `${e.format} ${e.price}`),
	["ebook 210.00", "audiobook 320.00", "print 390.50"]);
figure("ebooks without DRM", shop.editions.countDocuments({ drm: false, format: "ebook" }), 1);
const searched = ["binding", "pageCount", "drm", "narrator", "durationMinutes"];
shop.editions.updateMany({}, [{ $set: { attributes: { $filter: { input: { $objectToArray: "$$ROOT" }, as: "pair", cond: { $in: ["$$pair.k", searched] } } } } }]);
shop.editions.createIndex({ "attributes.k": 1, "attributes.v": 1 });
const byNarrator = shop.editions.find({ attributes: { $elemMatch: { k: "narrator", v: "Grace Hopper" } } }).explain("executionStats");
figure("by narrator", `${byNarrator.queryPlanner.winningPlan.inputStage.stage} ${byNarrator.executionStats.totalKeysExamined} ${byNarrator.executionStats.nReturned}`, "IXSCAN 1 1");
figure("attributes of the audiobook", shop.editions.findOne({ _id: "26-audio" }).attributes, [{ k: "narrator", v: "Grace Hopper" }, { k: "durationMinutes", v: 1263 }]);
shop.editions.drop();

// Archive: copied first, then deleted where the copy is; and back.
const closed = { orderedAt: { $lt: new Date("2025-07-01T00:00:00Z") }, status: { $in: ["Delivered", "Cancelled"] } };
const copyTo = (into) => ({ $merge: { into, whenMatched: "keepExisting", whenNotMatched: "insert" } });
shop.orders_archive.drop();
shop.orders.aggregate([{ $match: closed }, copyTo("orders_archive")]);
const deleted = shop.orders.deleteMany({ ...closed, _id: { $in: shop.orders_archive.distinct("_id") } }).deletedCount;
figure("archived / deleted / left", `${shop.orders_archive.countDocuments()} / ${deleted} / ${shop.orders.countDocuments()}`, "109 / 109 / 270");
shop.orders_archive.aggregate([copyTo("orders")]);
shop.orders_archive.drop();
figure("orders after undoing it", shop.orders.countDocuments(), 379);

// Versioning: both forms are read, then the old ones are migrated in batches.
const toSecondForm = [{ $set: { schemaVersion: 2, address: { city: "$city", country: "$country" } } }, { $unset: ["city", "country"] }];
const firstForm = { schemaVersion: { $exists: false } };
shop.customers.updateOne({ _id: 3 }, toSecondForm);
figure("both forms", shop.customers.aggregate([{ $match: { _id: { $in: [2, 3] } } },
	{ $project: { v: { $ifNull: ["$schemaVersion", 1] }, city: { $ifNull: ["$address.city", "$city"] } } }]).toArray().map((c) => `v${c.v} ${c.city}`),
	["v1 Berlin", "v2 Istanbul"]);
const batches = [];
for (let ids; (ids = shop.customers.find(firstForm, { _id: 1 }).limit(15).toArray().map((c) => c._id)).length;)
	batches.push(shop.customers.updateMany({ ...firstForm, _id: { $in: ids } }, toSecondForm).modifiedCount);
figure("batches", batches, [15, 15, 9]);
figure("left of the first form", shop.customers.countDocuments(firstForm), 0);
figure("customer 2", shop.customers.findOne({ _id: 2 }, { _id: 0, firstName: 1, schemaVersion: 1, address: 1 }),
	{ firstName: "Alan", schemaVersion: 2, address: { city: "Berlin", country: "DE" } });
finish("patterns");
