"""SQLite's side of contest.py: "load TABLE FILE" and "run - SQL", a line each, answered by a line of microseconds and rows.

A table has a document a row, as JSON text, in the column `d`.
"""
import json
import sqlite3
import sys
import time

database = sqlite3.connect(":memory:")


def load(table, path):
    database.execute(f"CREATE TABLE {table} (d TEXT NOT NULL)")
    with open(path, encoding="utf-8") as lines:
        database.executemany(f"INSERT INTO {table} VALUES (?)", ((line.rstrip("\n"),) for line in lines))
    return []


def run(_, sql):
    return database.execute(sql).fetchall()


for request in sys.stdin:
    word, name, rest = request.rstrip("\n").split(" ", 2)
    start = time.process_time_ns()
    result = {"load": load, "run": run}[word](name, rest)
    print(f"{(time.process_time_ns() - start) // 1000}\t{json.dumps(result)}", flush=True)
