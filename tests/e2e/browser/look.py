"""Looks at a screenshot: look.py FILE.png COLOUR... fails when it is blank or lacks a colour.

A colour is RRGGBB@PIXELS: so many pixels of it at least. Prints what is missing.
"""
import collections
import struct
import sys
import zlib


def rows(data):
    """The rows of an RGB or RGBA image of 8 bits, as lists of pixels."""
    at, packed, width, channels = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack(">IIBB", body[:10])
            channels = {2: 3, 6: 4}[colour]
            assert depth == 8
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    raw, last = zlib.decompress(packed), bytearray(width * channels)
    step = width * channels + 1
    for i in range(0, len(raw), step):
        last = unfiltered(raw[i], bytearray(raw[i + 1 : i + step]), last, channels)
        yield [bytes(last[k : k + 3]) for k in range(0, len(last), channels)]


def unfiltered(kind, line, above, channels):
    for i in range(len(line)):
        left = line[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + above[i]) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + above[i]) // 2) & 255
        elif kind == 4:
            guess = left + above[i] - corner
            best = min((abs(guess - v), n, v) for n, v in enumerate((left, above[i], corner)))
            line[i] = (line[i] + best[2]) & 255
    return line


def main():
    with open(sys.argv[1], "rb") as f:
        count = collections.Counter(p for row in rows(f.read()) for p in row)
    total, missing = sum(count.values()), []
    white = count[b"\xff\xff\xff"]
    if len(count) < 20 or white > total * 0.995:
        missing.append(f"blank: {len(count)} colours, {white} of {total} pixels are white")
    for want in sys.argv[2:]:
        colour, pixels = want.split("@")
        there = count[bytes.fromhex(colour)]
        if there < int(pixels):
            missing.append(f"{colour}: {there} pixels, {pixels} expected")
    print("\n".join(missing))
    return len(missing) > 0


sys.exit(main())
