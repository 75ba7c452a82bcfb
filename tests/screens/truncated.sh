#!/bin/sh
# A mapped file becomes shorter while the explorer shows it: the program lives, and says so.
set -u
command -v python3 >/dev/null 2>&1 || { echo "python3 is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "${BUILD:-build/release}/bsonscope" "$work/cut.bson" <<'END'
import fcntl, os, pty, select, signal, struct, sys, termios, time

program, path = sys.argv[1:]
document = lambda i: struct.pack("<i", 1024) + b"\x10_id\0" + struct.pack("<i", i) + b"\x02t\0" + struct.pack("<i", 1003) + b"x" * 1002 + b"\0\0"
with open(path, "wb") as f:
    for i in range(20000):
        f.write(document(i))

pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    os.execv(program, [program, path])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))

def wait_for(text, seconds=30):
    seen, end = b"", time.monotonic() + seconds
    while text not in seen:
        if time.monotonic() > end:
            sys.exit(f"{text!r} did not appear: {seen[-2000:]!r}")
        if select.select([fd], [], [], 0.2)[0]:
            try:
                seen += os.read(fd, 65536)
            except OSError:
                sys.exit(f"the program ended: {seen[-2000:]!r}")

wait_for(b"20,000")
os.truncate(path, 5000000)
os.write(fd, b"r")
wait_for(b"became shorter")
os.write(fd, b"r?")  # and once more, reading what is gone
wait_for(b"Help")
os.write(fd, b"q")
deadline = time.monotonic() + 10
status = None
while time.monotonic() < deadline and status is None:
    while select.select([fd], [], [], 0.1)[0]:
        try:
            if not os.read(fd, 65536):
                break
        except OSError:
            break
    done, code = os.waitpid(pid, os.WNOHANG)
    if done:
        status = code
if status != 0:
    if status is None:
        os.kill(pid, signal.SIGKILL)
    sys.exit(f"it ended with {status}")
print("summary: the file was cut to a quarter, and the program lived")
END
