#!/usr/bin/env python3
"""The engine beside mingo and SQLite's JSON functions, on the library sample and on a million orders, in one run.

contest.py ENGINE-PROGRAM SCRATCH-FOLDER. Rounds are interleaved: in each, every operation is run by every contestant,
and the plain walk by length prefix too. Prints medians of nanoseconds of processor time a document, and ratios; that
all give the same results is checked. mingo is installed into the scratch folder; a contestant that is not there is left out, and said.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contest")
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
DOCUMENTS = int(os.environ.get("BENCH_DOCUMENTS", "1000000"))
COLLECTIONS = [("million", "orders"), ("million", "customers"), ("library", "kitap"), ("library", "kopya")]
INDEXES = [
    "CREATE INDEX by_customer ON orders (d->>'$.customer')",
    "CREATE INDEX by_kitap ON kopya (d->>'$.kitap')",
]


class Contestant:
    def __init__(self, name, *command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.name} ended at: {request[:100]}")
        micros, result = answer.split("\t", 1)
        return int(micros), json.loads(result)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def mingo(scratch):
    """None when it cannot be installed."""
    folder = os.path.join(scratch, "mingo")
    os.makedirs(folder, exist_ok=True)
    if not shutil.which("node") or not shutil.which("npm"):
        return None
    shutil.copy(os.path.join(HERE, "package.json"), folder)
    npm = ["npm", "install", "--prefix", folder, "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    if not os.path.isdir(os.path.join(folder, "node_modules", "mingo")) and subprocess.call(npm):
        return None
    return Contestant("mingo", "node", "--max-old-space-size=8192", os.path.join(HERE, "mingo.mjs"), folder)


def load(engine, others, scratch):
    for db, collection in COLLECTIONS:
        path = os.path.join(scratch, f"{collection}.json")
        engine.ask(f"export {db} {collection} {path}")
        for other in others:
            other.ask(f"load {collection} {path}")
        os.unlink(path)


def request(contestant, operation):
    if contestant.name == "engine":
        command = {"aggregate": operation["collection"], "pipeline": operation["pipeline"], "cursor": {}}
        if "hint" in operation:
            command["hint"] = operation["hint"]
        return f"run {operation['db']} {json.dumps(command)}"
    if contestant.name == "mingo":
        return f"run {operation['collection']} {json.dumps(operation['pipeline'])}"
    return f"run - {operation['sql']}"


def values(result):
    """Rows as lists of values, however the contestant names its columns; sums of doubles depend on the order."""
    rows = [list(row.values()) if isinstance(row, dict) else row for row in result]
    return [[float(f"{v:.9g}") if isinstance(v, float) else int(v) if isinstance(v, bool) else v for v in row] for row in rows]


def measure(contestants, operations):
    """times[i of operation][name of contestant]: microseconds a round; None: refused there."""
    times = [{c.name: [] for c in contestants} for _ in operations]
    walks = {"walk": [], "walk-ahead": []}
    for _ in range(ROUNDS):
        for kind, list_of in walks.items():
            list_of.append(contestants[0].ask(f"{kind} -")[0])
        for operation, taken in zip(operations, times):
            results = {}
            for contestant in contestants:
                micros, result = contestant.ask(request(contestant, operation))
                if isinstance(result, dict):
                    taken[contestant.name] = None
                    continue
                results[contestant.name] = values(result)
                if taken[contestant.name] is not None:
                    taken[contestant.name].append(micros)
            if any(result != results["engine"] for result in results.values()):
                sys.exit(f"{operation['name']}: results differ: {str(results)[:400]}")
    return times, walks


def main():
    program, scratch = sys.argv[1:]
    os.makedirs(scratch, exist_ok=True)
    with open(os.path.join(HERE, "operations.json"), encoding="utf-8") as file:
        operations = json.load(file)
    engine = Contestant("engine", program, str(DOCUMENTS))
    others = [Contestant("sqlite", sys.executable, os.path.join(HERE, "sqlite.py"))]
    other = mingo(scratch)
    others += [other] if other else []
    load(engine, others, scratch)
    for index in INDEXES:
        others[0].ask(f"run - {index}")
    contestants = [engine] + others
    times, walks = measure(contestants, operations)

    walk = {kind: statistics.median(taken) * 1000 / DOCUMENTS for kind, taken in walks.items()}
    print(f"medians of {ROUNDS} interleaved rounds, nanoseconds of processor time a document" + ("" if other else "; mingo: not installed, skipped"))
    print(f"  walk by length prefix, {DOCUMENTS} documents: {walk['walk']:.1f}; with prefetch {walk['walk-ahead']:.1f}")
    print(f"  {'':<32}{'documents':>10}{'engine':>10}{'of walk':>10}" + "".join(f"{c.name:>10}{'ratio':>9}" for c in others))
    for operation, taken in zip(operations, times):
        n = operation["documents"] if operation["db"] == "library" else DOCUMENTS
        ns = {name: statistics.median(t) * 1000 / n if t else None for name, t in taken.items()}
        line = f"  {operation['db'] + ': ' + operation['name']:<32}{n:>10}{ns['engine']:>10.1f}"
        line += f"{ns['engine'] / walk['walk']:>9.2f}x" if operation["db"] == "million" else f"{'':>10}"
        for c in others:
            line += f"{ns[c.name]:>10.0f}{ns[c.name] / ns['engine']:>8.1f}x" if ns[c.name] else f"{'refused':>10}{'':>9}"
        print(line)
    held = engine.ask("memory -")[1][0]
    n = held["documents"]
    print(f"  memory, {n} documents of {held['bytes'] / n:.0f} bytes read where they lie: "
          f"record table {held['records'] / n:.1f} bytes a document, index on _id {held['index'] / n:.1f}")
    for contestant in contestants:
        contestant.close()


if __name__ == "__main__":
    main()
