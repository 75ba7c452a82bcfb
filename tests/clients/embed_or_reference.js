// Embed or reference, on the bookstore: sizes, a document that grows into the limit, copies and who follows whom, one
// document written at once, and the same order read from three collections. Figures: those that were published.
const shop = db.getSiblingDB("bookstore");
const nine = db.version().startsWith("9.");

function sizesOf(collection) {
	const [row] = shop[collection].aggregate([
		{ $project: { bytes: { $bsonSize: "$$ROOT" } } },
		{ $group: { _id: 0, n: { $count: {} }, mean: { $avg: "$bytes" }, largest: { $max: "$bytes" } } },
	]).toArray();

	return `n ${row.n}, avg ${Math.round(row.mean)}, max ${row.largest}`;
}

figure("books", sizesOf("books"), "n 77, avg 344, max 542");
figure("orders", sizesOf("orders"), "n 379, avg 429, max 696");
figure("reviews", sizesOf("reviews"), "n 181, avg 142, max 172");
figure("customers", sizesOf("customers"), "n 40, avg 159, max 185");

const perBook = shop.reviews.aggregate([{ $sortByCount: "$bookId" }]).toArray().map((group) => group.count);
figure("reviews per book", `${perBook.length} books, avg ${(perBook.reduce((a, b) => a + b) / perBook.length).toFixed(1)}, max ${Math.max(...perBook)}`,
	"58 books, avg 3.1, max 9");
const lines = shop.orders.aggregate([{ $unwind: "$items" }, { $group: { _id: "$_id", n: { $sum: 1 } } },
	{ $group: { _id: null, all: { $sum: "$n" }, orders: { $sum: 1 }, most: { $max: "$n" } } }]).next();
figure("items per order", `avg ${(lines.all / lines.orders).toFixed(2)}, max ${lines.most} (${lines.all} items)`, "avg 1.79, max 4 (680 items)");

// A book with its reviews inside, until the server refuses.
shop.grown.drop();
const { _id: _, bookId: __, ...copied } = shop.reviews.find({ body: { $exists: true } }).limit(1).next();
shop.grown.insertOne(shop.books.findOne({ _id: 26 }));
figure("Dune alone", bsonsize(shop.grown.findOne()), 339);
figure("a review to be copied", bsonsize(copied), 135);
const tenThousand = new Array(10000).fill(copied);
const grow = (list) => shop.grown.updateOne({ _id: 26 }, { $push: { reviews: { $each: list } } });
const sizes = [];
for (let held = 10000; held <= 110000; held += 10000) {
	grow(tenThousand);
	if (held % 20000 === 0)
		sizes.push(bsonsize(shop.grown.findOne()));
}
figure("with 20,000 … 100,000 reviews", sizes, [2829243, 5669243, 8509243, 11349243, 14189243]);
const tooLarge = failure(() => grow(tenThousand));
figure("the push to 120,000: code", tooLarge.code, 10334);
figure("the push to 120,000: message", tooLarge.message, nine
	? "Plan executor error during update :: caused by :: Resulting document after update is larger than 16777216"
	: /BSONObj size: 17049243 \(0x104269B\) is invalid/);
grow(tenThousand.slice(0, 8097));
figure("118,097 reviews", bsonsize(shop.grown.findOne()), 16777114);
figure("one more", failure(() => grow([copied])).code, nine ? 10334 : 17419); // 8.0: of what is over by less than 16 KB
shop.grown.drop();

// Many to many, and copies.
figure("books of author 18", shop.books.distinct("title", { "authors.authorId": 18 }), ["Dune", "Dune Messiah"]);
figure("author 18", shop.authors.findOne({ _id: 18 }), { _id: 18, firstName: "Frank", lastName: "Herbert", birthYear: 1920 });
const renamed = shop.books.updateMany({ "category.categoryId": 3 }, { $set: { "category.name": "Sci-Fi" } });
figure("category renamed", `${renamed.matchedCount} books`, "9 books");
const priceBefore = shop.books.findOne({ _id: 47 }).listPrice;
shop.books.updateOne({ _id: 47 }, { $set: { listPrice: NumberDecimal("320.00") } });
figure("price of book 47", shop.books.findOne({ _id: 47 }, { _id: 0, listPrice: 1 }), { listPrice: NumberDecimal("320.00") });
figure("price in order 1", shop.orders.findOne({ _id: 1 }).items[0].unitPrice, NumberDecimal("290.90"));
shop.books.updateOne({ _id: 47 }, { $set: { listPrice: priceBefore } });

// Payment and status in one document: the second notification finds nothing to do.
shop.orders.updateOne({ _id: 379 }, { $set: { payments: [], status: "Pending" } });
const payment = { method: "card", amount: NumberDecimal("440.00"), paidAt: new Date("2026-06-30T08:12:00Z") };
for (const expected of ["matched 1 modified 1", "matched 0 modified 0"]) {
	const paid = shop.orders.updateOne({ _id: 379, status: "Pending" }, { $push: { payments: payment }, $set: { status: "Paid" } });

	figure("payment of order 379", `matched ${paid.matchedCount} modified ${paid.modifiedCount}`, expected);
}
figure("order 379", shop.orders.findOne({ _id: 379 }, { _id: 0, status: 1, total: 1, payments: 1 }),
	{ status: "Paid", total: NumberDecimal("440.00"), payments: [payment] });

// The same orders as tables.
shop.orders_flat.drop();
shop.order_items_flat.drop();
shop.orders_flat.insertMany(shop.orders.find().toArray().map((o) => ({ _id: o._id, customerId: o.customer.customerId, status: o.status })));
shop.order_items_flat.insertMany(shop.orders.find().toArray().flatMap((o) => o.items.map((item) => ({ orderId: o._id, ...item }))));
figure("as tables", `${shop.orders_flat.countDocuments()} / ${shop.order_items_flat.countDocuments()}`, "379 / 680");

function joinsOfOrder1() {
	const explained = shop.orders_flat.explain("executionStats").aggregate([
		{ $match: { _id: 1 } },
		{ $lookup: { from: "order_items_flat", localField: "_id", foreignField: "orderId", as: "items" } },
		{ $lookup: { from: "customers", localField: "customerId", foreignField: "_id", as: "customer" } },
	]);

	return explained.stages.filter((stage) => stage.$lookup)
		.map((stage) => `${stage.$lookup.from}: ${stage.totalDocsExamined}, ${stage.collectionScans}`).join("; ");
}

figure("order 1 without an index", joinsOfOrder1(), "order_items_flat: 680, 1; customers: 1, 0");
shop.order_items_flat.createIndex({ orderId: 1 });
figure("order 1 with the index", joinsOfOrder1(), "order_items_flat: 2, 0; customers: 1, 0");
figure("order 1 embedded", shop.orders.find({ _id: 1 }).explain("executionStats").executionStats.totalDocsExamined, 1);
shop.orders_flat.drop();
shop.order_items_flat.drop();
finish("embed or reference");
