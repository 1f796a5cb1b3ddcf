"""Reads what pldrun says as JSON and JUnit XML, with parsers that are not ours.

read.py json STATUS VERDICT KIND...: the lines of standard input are objects of the schema in
pldrun(1), the last one the verdict; reports of these kinds are among them.
read.py junit FILE TESTS FAILURES ERRORS SKIPPED: the file has so many.
"""
import json
import sys
import xml.etree.ElementTree as ET

SEVERITIES = {"error", "warning", "note"}
KINDS = {"usage", "fault", "deadlock", "check", "warning", "golden", "steps", "internal", "note", "execution"}
PLACE = {"role", "rank", "core", "op", "file", "line", "col", "window", "parameter", "tensor", "of_rank",
         "elements", "value", "cmp", "wanted"}
REPORT = {"severity", "kind", "code", "message", "file", "line", "col", "rank", "places", "mismatch", "replay",
          "status", "executions"}
DIAGNOSTIC = {"file", "line", "col", "end", "severity", "code", "message", "notes"}
RUN = {"verdict", "status", "steps", "time_ps", "checked", "unchecked", "certified", "token", "executions",
       "complete"}


def check_report(r):
    assert set(r) <= REPORT, sorted(set(r) - REPORT)
    assert r["severity"] in SEVERITIES and r["kind"] in KINDS and r["code"] and r["message"], r
    assert ("file" in r) == ("line" in r) == ("col" in r), r
    if r["kind"] in ("check", "deadlock", "fault"):
        assert r["places"] and " --schedule=" in r["replay"], r
        assert any(p.get("line", 0) > 0 for p in r["places"]), r
    for p in r.get("places", []):
        assert set(p) <= PLACE and p["role"] and p["rank"] >= 0, p
        assert ("window" in p) == ("elements" in p) == ("of_rank" in p), p
    if r["kind"] == "golden":
        m = r["mismatch"]
        assert 0 < m["differ"] <= m["elements"] and m["largest"] > 0 and m["index"].startswith("["), m
        float(m["got"]), float(m["golden"])


def read_json(status, verdict, kinds):
    lines = [json.loads(line) for line in sys.stdin]
    last = lines.pop()
    assert set(last) <= RUN, sorted(set(last) - RUN)
    assert last["status"] == status and last["verdict"] == verdict, last
    reports = [line for line in lines if "kind" in line]
    for line in lines:
        if "kind" in line:
            check_report(line)
        else:
            assert set(line) <= DIAGNOSTIC and line["severity"] in SEVERITIES, line
    found = [r["kind"] for r in reports] + [r["code"] for r in reports]
    for kind in kinds:
        assert kind in found, (kind, found)


def read_junit(path, counts):
    root = ET.parse(path).getroot()
    assert root.tag == "testsuites", root.tag
    (suite,) = root
    cases = suite.findall("testcase")
    real = [len(cases)] + [sum(1 for c in cases if c.find(tag) is not None) for tag in ("failure", "error", "skipped")]
    said = [int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")]
    assert said == real == counts, (said, real, counts)
    for c in cases:
        assert c.get("name") and c.get("classname") and float(c.get("time")) >= 0, c.attrib
        for bad in c.findall("failure") + c.findall("error"):
            assert bad.get("message") and bad.get("type") and bad.text.startswith(bad.get("message")), bad.text


if sys.argv[1] == "json":
    read_json(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
else:
    read_junit(sys.argv[2], [int(n) for n in sys.argv[3:]])
