"""The program in batch mode, asked and compared: what the scripts of published figures share."""
import json
import os
import subprocess
import sys

PROGRAM = os.environ["PROGRAM"]
differences = 0
compared = 0


def call(*arguments, fails=False):
    """Standard output. With `fails` the program has to end with an error."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        print(f"{' '.join(arguments)[:120]}: exit {done.returncode}: {done.stderr.strip()}")
        sys.exit(1)
    return done.stdout


def run(*commands, source="sample:bookstore", options=(), fails=False):
    """One process: the commands see each other's writes. With `fails` the last one is refused."""
    texts = [json.dumps(c) for c in commands]
    return [json.loads(line) for line in call("run", source, *options, *texts, fails=fails).splitlines()]


def expect(what, got, wanted):
    global differences, compared
    compared += 1
    if got != wanted:
        differences += 1
        print(f"{what}: got {got!r}, expected {wanted!r}")


def first_batch(reply):
    return reply["cursor"]["firstBatch"]


def finish():
    print(f"summary: {compared} figures compared, {differences} differ")
    sys.exit(1 if differences else 0)
