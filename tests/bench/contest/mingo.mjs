// mingo's side of contest.py: "load COLLECTION FILE" and "run COLLECTION PIPELINE", a line each, answered by a line of
// microseconds and results. Collections are arrays of plain objects.
import { createInterface } from "node:readline";
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const modules = createRequire(pathToFileURL(process.argv[2] + "/"));
const { Aggregator } = modules("mingo");
const collections = {};

async function load(name, file) {
	const lines = createInterface({ input: createReadStream(file) });
	const documents = [];

	for await (const line of lines)
		documents.push(JSON.parse(line));
	collections[name] = documents;
	return [];
}

function run(name, pipeline) {
	return new Aggregator(JSON.parse(pipeline), {
		collectionResolver: (other) => collections[other],
		processingMode: "CLONE_OFF",
	}).run(collections[name]);
}

for await (const line of createInterface({ input: process.stdin })) {
	const [word, name] = line.split(" ", 2);
	const rest = line.slice(word.length + name.length + 2);
	const start = process.cpuUsage();
	let result;

	try {
		result = await (word === "load" ? load(name, rest) : run(name, rest));
	} catch (error) {
		result = { refused: error.message };
	}
	const { user, system } = process.cpuUsage(start); // collecting garbage beside is part of it
	console.log(`${user + system}\t${JSON.stringify(result)}`);
}
