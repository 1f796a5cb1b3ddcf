"""The closed forms of `pldc --cost`, as dictionaries."""
import re

_ROW = re.compile(r"  (?P<name>.{18}) (?P<form>.*?)(?: += (?P<value>\S.*?))?\s*$")
_HEAD = re.compile(r"(?P<place>.*?): (?P<call>pld\.\S+(?: mode=\S+)?) in (?P<function>\S+)$")


def _number(text):
    if text is None:
        return None
    low, *high = [int(n) for n in text.split(" to ")]
    return (low, *high) if high else low


def forms(text):
    """[{"place", "call", "function", "sizes", "forms": {name: form}, "values": {name: number, range or None}}]"""
    out = []
    for block in (text or "").split("\n\n"):
        lines = block.strip("\n").split("\n")
        head = _HEAD.match(lines[0])
        if not head:
            continue
        one = dict(head.groupdict(), sizes=lines[1].strip(), forms={}, values={})
        for line in lines[2:]:
            row = _ROW.match(line)
            name = row["name"].strip()
            one["forms"][name], one["values"][name] = row["form"].strip(), _number(row["value"])
        out.append(one)
    return out
