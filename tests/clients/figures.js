// What the scripts for mongosh share: a figure is printed with what is expected of it, and one that differs ends the
// script with 1 after the last.
const seen = { right: 0, wrong: 0, refused: 0 };

// EJSON keeps types and the order of fields apart: int 5 and double 5 print alike, Decimal128 and dates do not.
function shown(value) {
	return typeof value === "string" ? value : EJSON.stringify(value);
}

function figure(name, got, expected) {
	const right = expected instanceof RegExp ? expected.test(shown(got)) : shown(got) === shown(expected);

	seen[right ? "right" : "wrong"]++;
	print(`${right ? "right" : "WRONG"}  ${name}: ${shown(got)}${right ? "" : `, expected ${expected instanceof RegExp ? expected : shown(expected)}`}`);
}

// The error of something that has to fail; "ok" when it does not.
function failure(write) {
	try {
		write();
	} catch (error) {
		return error;
	}
	return { message: "ok", code: 0 };
}

function finish(name) {
	print(`${name}: ${seen.right} figures right, ${seen.wrong} wrong`);
	if (seen.wrong)
		quit(1);
}
