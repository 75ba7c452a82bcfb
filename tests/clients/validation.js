// Validation of the bookstore's reviews: levels, what a refusal says, and the constraint level of 9.0. Figures: those
// that were published.
const shop = db.getSiblingDB("bookstore");
const nine = db.version().startsWith("9.");
const whole = (minimum, maximum) => ({ bsonType: "int", ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) });
const rule = { $jsonSchema: {
	bsonType: "object",
	required: ["bookId", "customer", "rating", "reviewedAt"],
	properties: {
		bookId: whole(),
		customer: { bsonType: "object", required: ["customerId", "name"], properties: { customerId: whole(), name: { bsonType: "string", minLength: 1 } } },
		rating: whole(1, 5),
		body: { bsonType: "string", maxLength: 1000 },
		reviewedAt: { bsonType: "date" },
		helpfulCount: whole(0),
		helpfulVoters: { bsonType: "array", items: whole() },
	},
} };
const modify = (settings) => shop.runCommand({ collMod: "reviews", ...settings });
const legacy = { bookId: 26, "customer.customerId": 39 };
const six = { bookId: 26, customer: { customerId: 38, name: "Margaret Hamilton" }, rating: 6, reviewedAt: new Date() };

if (failure(() => modify({ validationLevel: "strict" })).code) {
	print("skipped: this server does not modify collections");
	quit(0);
}
modify({ validator: {} });
shop.reviews.deleteMany(legacy);
shop.reviews.insertOne({ bookId: 26, customer: { customerId: 39, name: "Donald Knuth" }, rating: "5", reviewedAt: new Date("2019-03-01T00:00:00Z") });

modify({ validator: rule, validationLevel: "moderate", validationAction: "error" });
figure("moderate, legacy review", shop.reviews.updateOne(legacy, { $set: { body: "A classic (moderate)." } }).modifiedCount, 1);
modify({ validator: rule, validationLevel: "strict", validationAction: "error" });
figure("strict, legacy review", failure(() => shop.reviews.updateOne(legacy, { $set: { body: "A classic (strict)." } })).message,
	`${nine ? "Plan executor error during update :: caused by :: " : ""}Document failed validation`);
const refused = failure(() => shop.reviews.insertOne(six));
figure("rating 6", `${refused.message} ${refused.code}`, "Document failed validation 121");
figure("rating 6, details", refused.errInfo?.details.schemaRulesNotSatisfied, [{ operatorName: "properties", propertiesNotSatisfied: [
	{ propertyName: "rating", details: [{ operatorName: "maximum", specifiedAs: { maximum: 5 }, reason: "comparison failed", consideredValue: 6 }] }] }]);
figure("invalid documents", shop.reviews.countDocuments({ $nor: [rule] }), 1);

if (nine) {
	const offender = shop.reviews.findOne(legacy)._id;
	const upwards = () => modify({ validationLevel: "constraint", validationAction: "error" });

	figure("prepared", modify({ prepareConstraintValidationLevel: true }).ok, 1);
	figure("constraint, refused", failure(upwards).message,
		new RegExp(`^Cannot upgrade validationLevel to 'constraint': the collection contains documents that do not satisfy the validator\\. First offending document _id: ObjectId\\('${offender}'\\)`));
	figure("fixed", shop.reviews.updateMany({ rating: { $type: "string" } }, [{ $set: { rating: { $toInt: "$rating" } } }]).modifiedCount, 1);
	figure("constraint", upwards().ok, 1);
	const bypassed = shop.runCommand({ insert: "reviews", documents: [six], bypassDocumentValidation: true });
	figure("bypassing", `${bypassed.n}, ${bypassed.writeErrors?.[0].code}: ${bypassed.writeErrors?.[0].errmsg}`,
		"0, 2: bypassDocumentValidation is not permitted with 'constraint' validationLevel");
	figure("another validator", failure(() => modify({ validator: { $jsonSchema: { bsonType: "object" } } })).message,
		"Failed to set validation options :: caused by :: Validator cannot be changed when Validation level is 'constraint'");
	const { validationLevel, validationAction } = shop.getCollectionInfos({ name: "reviews" })[0].options;
	figure("level and action", `${validationLevel} ${validationAction}`, "constraint error");
} else {
	figure("constraint in 8.0", failure(() => modify({ validationLevel: "constraint" })).message,
		"Enumeration value 'constraint' for field 'collMod.validationLevel' is not a valid value.");
	figure("errorAndLog in 8.0", failure(() => modify({ validationAction: "errorAndLog" })).message,
		"Enumeration value 'errorAndLog' for field 'collMod.validationAction' is not a valid value.");
	figure("preparing in 8.0", failure(() => modify({ prepareConstraintValidationLevel: true })).message,
		"BSON field 'collMod.prepareConstraintValidationLevel' is an unknown field.");
}
finish("validation");
