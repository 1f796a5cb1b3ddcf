#!/usr/bin/env python3
"""Writes expected.txt: what Python gives for every operator on all pairs of hard operands.

usage: python3 make.py >expected.txt     (needs nothing but Python)

Lines: `i INTEGER` and `f BITS` number the operands; `1 OP STATUSES HASH` and `2 OP LEFT HASH` are the
results of one operator on all operands, or of all pairs with that left one: FNV-1a over a byte
for the kind (i, f, or the letter of what Python refuses) and the 8 bytes of the value. exp, log,
sin, cos and powers that are no integers depend on the C library there: check_math compares them."""
import math
import struct

MASK = (1 << 64) - 1
INTS = [0, 1, 2, 3, 5, 7, 10, 31, 32, 62, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 1022, 1075, 65504,
        2**24 - 1, 2**24 + 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 3037000499,
        3037000500, 2**52 + 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 3, 2**54 + 2, 2**54 + 6,
        10**15 + 3, 10**18 + 1, 544461693100611747, 3509319858730095995, 2**61 - 1, 2**62 - 1,
        2**62, 2**62 + 1, 2**63 - 1025, 2**63 - 513, 2**63 - 512, 2**63 - 511, 2**63 - 2, 2**63 - 1]
INTS += [-v for v in INTS if v] + [-2**63]
FLOATS = [0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 7.0, 9.0, 10.0, 100.0, 0.1 + 0.2,
          1 / 3, math.pi, math.e, 1e-5, 1e15 + 0.5, 1e16, 1e17, 1e22, 1e23, 1e100, 1e154, 1e300, 1e308,
          5e-324, 1.5e-323, 2.0**-1023, 2.0**-1022, 2.0**-1022 - 5e-324, 2.0**-100, 2.0**-53,
          1 - 2.0**-53, 1 + 2.0**-52, 2.0**24 + 1, 2.0**31, 2.0**52 + 0.5, 2.0**53, 2.0**53 + 2,
          2.0**62, 2.0**63 - 1024, 2.0**63, 2.0**64, 2.0**1023, math.nextafter(math.inf, 0), math.inf]
FLOATS += [-v for v in FLOATS] + [math.nan]
OPERANDS = INTS + FLOATS


class Refused(Exception):
    """The letter of an ArithStatus."""


def power(a, b):
    if isinstance(a, int) and isinstance(b, int) and b > 200 and abs(a) > 1:
        raise Refused("o")
    if a == 0 and b < 0 and b != -math.inf:
        raise Refused("p")
    if -math.inf < a < 0 and abs(b) < math.inf and b != math.floor(b):
        raise Refused("d")   # complex there, or too large for that
    return a ** b


def shift(a, b, left):
    if not isinstance(a, int) or not isinstance(b, int):
        raise Refused("t")
    if b < 0:
        raise Refused("s")
    if not left:
        return a >> min(b, 200)
    return a << min(b, 200)


BINARY = {
    "ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MUL": lambda a, b: a * b,
    "DIV": lambda a, b: a / b, "FLOORDIV": lambda a, b: a // b, "MOD": lambda a, b: a % b,
    "POW": power, "BITAND": lambda a, b: a & b, "BITOR": lambda a, b: a | b,
    "BITXOR": lambda a, b: a ^ b, "SHL": lambda a, b: shift(a, b, True),
    "SHR": lambda a, b: shift(a, b, False), "EQ": lambda a, b: a == b, "NE": lambda a, b: a != b,
    "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b, "AND": lambda a, b: a and b, "OR": lambda a, b: a or b,
    "MIN": lambda a, b: min(a, b), "MAX": lambda a, b: max(a, b),
}
UNARY = {"NOT": lambda a: not a, "NEG": lambda a: -a, "INVERT": lambda a: ~a, "ABS": abs,
         "FLOAT": float, "INT": int, "SQRT": math.sqrt}


def result(f, *args):
    """(kind, 64 bits)"""
    try:
        v = f(*args)
    except Refused as e:
        return str(e), 0
    except ZeroDivisionError:
        return "z", 0
    except OverflowError:
        return "o", 0
    except ValueError:
        return "d", 0
    except TypeError:
        return "t", 0
    if isinstance(v, float):
        if v != v:
            v = math.nan
        return "f", struct.unpack("<Q", struct.pack("<d", abs(v) if v != v else v))[0]
    v = int(v)
    return ("i", v & MASK) if -2**63 <= v < 2**63 else ("o", 0)


def fnv(h, data):
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & MASK
    return h


def exact_power(a, b):
    """Whether a ** b is the same with every C library."""
    if isinstance(a, int) and isinstance(b, int) and b >= 0:
        return True
    special = (0.0, 1.0, math.inf, -math.inf)
    return a == -1 or a in special or b in special or a != a or b != b or (a < 0 and b != math.floor(b))


def main():
    for v in OPERANDS:
        if isinstance(v, int):
            print("i", v)
        else:
            print("f", "%016x" % struct.unpack("<Q", struct.pack("<d", v))[0])
    for name, f in UNARY.items():
        h = 0xcbf29ce484222325
        for a in OPERANDS:
            kind, bits = result(f, a)
            h = fnv(fnv(h, kind.encode()), struct.pack("<Q", bits))
        print("1", name, 0, "%016x" % h)
    for name, f in BINARY.items():
        for i, a in enumerate(OPERANDS):
            h = 0xcbf29ce484222325
            for b in OPERANDS:
                if name == "POW" and not exact_power(a, b):
                    continue
                kind, bits = result(f, a, b)
                h = fnv(fnv(h, kind.encode()), struct.pack("<Q", bits))
            print("2", name, i, "%016x" % h)


main()
