#!/usr/bin/env python3
"""Times the explorer as its user meets it: in a pseudo terminal, from a key to the cells that change.

Prints medians of several runs; asserts nothing.
"""
import fcntl
import os
import pty
import re
import select
import statistics
import struct
import sys
import termios
import time

RUNS = 9
ROWS, COLUMNS = 36, 120


class Explorer:
    def __init__(self, program, *arguments):
        self.started = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.environ["LC_ALL"] = "C.UTF-8"
            os.execv(program, [program, *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.output = b""

    def read(self, seconds):
        """Whatever arrives within that time; returns False at the end of the program."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.output += data
        return bool(data)

    def wait_for(self, pattern, seconds=20):
        """Milliseconds from now until the pattern stands in the output since the last call."""
        start = time.monotonic()
        while not re.search(pattern, self.output):
            if time.monotonic() - start > seconds or not self.read(0.5):
                raise SystemExit(f"explorer.py: {pattern!r} did not appear")
        self.output = b""
        return (time.monotonic() - start) * 1000

    def quiet(self, seconds=0.3):
        while select.select([self.fd], [], [], seconds)[0]:
            if not self.read(0):
                break
        self.output = b""

    def said_time(self):
        """What the footer says the last toggle took, in milliseconds: until every row was measured anew."""
        self.quiet(0.5)
        self.key(b"\x0c")  # the whole screen is drawn again
        start = time.monotonic()
        while time.monotonic() - start < 5:
            self.read(0.2)
            said = re.findall(rb"([\d,]+) ms", self.output)
            if said:
                return float(said[-1].replace(b",", b""))
        raise SystemExit("explorer.py: the footer says no time")

    def key(self, text):
        os.write(self.fd, text)

    def cpu_ticks(self):
        fields = open(f"/proc/{self.pid}/stat").read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def resident_kb(self):
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])

    def quit(self):
        self.key(b"q")
        while self.read(2):
            pass
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def report(name, values, unit):
    print(f"{name:44} {statistics.median(values):9.1f} {unit}   (min {min(values):.1f}, max {max(values):.1f}, n {len(values)})")


def main():
    program = sys.argv[1]
    first, toggles, measured, idle, memory = [], [], [], [], []
    for _ in range(RUNS):
        e = Explorer(program, "sample:bookstore")
        start = e.started
        e.wait_for(rb"Shapes|Access|bookstore")
        first.append((time.monotonic() - start) * 1000)
        e.quiet()
        e.quit()
    report("first frame of the bookstore", first, "ms")

    for _ in range(RUNS):
        e = Explorer(program, "sample:library")
        e.wait_for(rb"454")
        e.quiet(1.0)
        e.key(b" ")
        e.quiet(1.0)  # both shapes are built now
        for expected in (rb"1,541,395", rb"381,255"):
            e.key(b" ")
            toggles.append(e.wait_for(expected))
            measured.append(e.said_time())
            e.quiet(0.2)
        before = e.cpu_ticks()
        time.sleep(1.0)
        idle.append(e.cpu_ticks() - before)
        memory.append(e.resident_kb() / 1024)
        e.quit()
    report("toggle of the library, all rows, both built", toggles, "ms")
    report("toggle of the library, all measured anew", measured, "ms")
    report("idle for a second", idle, "clock ticks of CPU")
    report("resident memory, library in both shapes", memory, "MiB")


if __name__ == "__main__":
    main()
