"""A .bson file that holds what BSON can hold and people have met: written byte by byte, as no library would."""
import struct
import sys


def cstring(name):
    return (name if isinstance(name, bytes) else name.encode()) + b"\0"


def field(code, name, payload=b""):
    return bytes([code]) + cstring(name) + payload


def document(*fields):
    inside = b"".join(fields)
    return struct.pack("<i", len(inside) + 5) + inside + b"\0"


def text(name, value, code=2):
    value = value if isinstance(value, bytes) else value.encode()
    return field(code, name, struct.pack("<i", len(value) + 1) + value + b"\0")


def double(name, value):
    return field(1, name, struct.pack("<d", value))


def date(name, millis):
    return field(9, name, struct.pack("<q", millis))


def long(name, value):
    return field(18, name, struct.pack("<q", value))


def int32(name, value):
    return field(16, name, struct.pack("<i", value))


def binary(name, subtype, data):
    return field(5, name, struct.pack("<i", len(data)) + bytes([subtype]) + data)


def string(value):
    return struct.pack("<i", len(value) + 1) + value + b"\0"


def scoped(name, code, scope):
    inside = string(code) + scope
    return field(15, name, struct.pack("<i", len(inside) + 4) + inside)


def nested(levels):
    inside = document(int32("v", 1))
    for _ in range(levels - 1):
        inside = document(field(3, "a", inside))
    return inside


UUID = bytes.fromhex("a12c78476038486684b2a62d90f679e5")

DOCUMENTS = [
    # the deprecated types, and the ends of the order
    document(text("_id", "types"), field(6, "undefined"), field(12, "pointer", string(b"shop.books") + bytes(range(12))),
             text("symbol", "sym", 14), scoped("scoped", b"return n", document(int32("n", 7))), text("code", "f()", 13),
             field(255, "min"), field(127, "max"), field(11, "regex", b"^a/b\0im\0"),
             field(17, "timestamp", struct.pack("<II", 3, 4294967295)), field(10, "nothing"), field(8, "yes", b"\1")),
    # names
    document(text("_id", "names"), int32("same", 1), int32("same", 2), int32("", 3), int32("a.b", 4), int32("$set", 5),
             field(4, "array", document(int32("7", 1), int32("x", 2), int32("7", 3)))),
    # invalid UTF-8 beside what is valid
    document(text("_id", "utf8"), text("before", "fine"), text("bad", b"\xff\xc3\xa7\xed\xa0\x80"), text(b"k\xfe", "name"),
             text("after", "fine too"), text("nul", b"a\0b")),
    # dates and numbers
    document(text("_id", "edges"), date("last", 253402300799999), date("beyond", 253402300800000), date("first", -62135596800000),
             date("before", -62135596800001), date("least", -2**63), long("most", 2**63 - 1), long("least64", -2**63),
             long("odd", 9007199254740993)),
    # binary: any subtype, any length
    document(text("_id", "binary"), binary("uuid", 4, UUID), binary("legacy", 3, UUID), binary("short4", 4, UUID[:5]),
             binary("text36", 4, b"a12c7847-6038-4866-84b2-a62d90f679e5"), binary("none", 0, b""),
             binary("old", 2, struct.pack("<i", 3) + b"abc"), binary("user", 0x80, b"\1\2")),
    # what a terminal would obey, and what takes more or fewer columns than bytes
    document(text("_id", "terminal"), text("escape", "\x1b[31mred\x07"), text("c1", "\u009b31m"), text("bidi", "\u202eabc"),
             text("markup", "<b>&amp;%s"), text("wide", "\u65e5\u672c"), text("combining", "e\u0301"), int32("\x1b]0;t\x07", 1)),
    # 90 bytes of doubles that JSON does not have
    bytes.fromhex("5a000000025f69640005000000746573740001696e6600000000000000f07f016d696e6600000000000000f0ff016e616e000000"
                  "00000000f87f016e65677a0000000000000000800273000a000000666f6f4e614e6261720000"),
    document(text("_id", "deep"), field(3, "d", nested(249))),
    document(text("_id", "long"), text("t", "word " * 60000)),
]

with open(sys.argv[1], "wb") as file:
    for each in DOCUMENTS:
        file.write(each)
print(len(DOCUMENTS), sum(map(len, DOCUMENTS)), len(nested(100)), len(nested(250)))
