#!/usr/bin/env python3
"""What Python's driver takes to decode, and do nothing else with, orders of about 260 bytes as bench_paths makes them.

In a processor's second, beside "tree in a processor's second" there. $BENCH_DECODED_MB sets how many (50). Prints, asserts nothing.
"""
import os
import time

try:
    import bson
except ImportError:
    bson = None


def order(i):
    o = {"_id": i, "status": "shipped" if i % 3 else "new", "orderedAt": bson.Int64(i)}
    if i % 5 == 0:
        o["coupon"] = "SPRING"
    o["customer"] = {"customerId": i, "city": "Istanbul"}
    o["items"] = [{"bookId": 0, "title": "The Left Hand of Darkness", "quantity": 0, "unitPrice": 0.0, "gift": False,
                   "note": "as it was ordered, without a wrapping, to be left at the door"}]
    return o


def main():
    if not bson:
        print("  Python's bson is not there, skipped")
        return
    block = b"".join(bson.encode(order(i)) for i in range(4096))
    times = int(os.environ.get("BENCH_DECODED_MB", "50")) * 1000000 // len(block)
    start = time.process_time()
    for _ in range(times):
        for _ in bson.decode_iter(block):
            pass
    rate = times * len(block) / 1e6 / (time.process_time() - start)
    print(f"  decoding alone, {'in C' if bson.has_c() else 'in Python'}, in a processor's second: {rate:.0f} MB/s")


main()
