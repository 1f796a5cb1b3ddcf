"""What a run leaves: outputs, verdict, reports, cost, timeline, trace."""
import json

__all__ = ["Report", "Result", "Timeline", "Exploration", "Row"]


class Report:
    """One report of a run: .kind ("race", "deadlock", "fault", ...), .rank (None: no single one), .file, .line,
    .col (None where there is no place), .text, .status."""

    __slots__ = ("kind", "check", "rank", "file", "line", "col", "text", "status")

    def __init__(self, kind, check, rank, file, line, col, text, status):
        self.kind, self.check, self.rank, self.file = kind, check, rank, file
        self.line, self.col, self.text, self.status = line, col, text, status

    def __repr__(self):
        return self.text


class Timeline:
    """The drawing of a run. .svg is its text; a notebook shows it."""

    def __init__(self, svg, html):
        self.svg, self.html = svg, html

    def save(self, path):
        """Writes .svg, or the page for a name that ends in .html."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.html if str(path).endswith((".html", ".htm")) else self.svg)

    def _repr_svg_(self):
        return self.svg


VERDICTS = {0: "OK", 1: "golden mismatch", 2: "usage", 3: "deadlock", 4: "check", 5: "fault", 6: "step limit",
            7: "incomplete", 8: "does not compile", 9: "cancelled", 70: "internal error", 71: "out of memory"}


class Result:
    """One finished run. bool(result) is "no failure"."""

    def __init__(self, status, text, reports, outputs, unchecked):
        self.status, self.text, self.reports = status, text, reports
        self.outputs, self.unchecked = outputs, unchecked
        self.token, self.steps, self.time_ps = None, 0, 0
        self._cost = self._trace = self._timeline = self._diagnostics = self._junit = self._dispatches = None
        self.checked = False

    @property
    def verdict(self):
        if self.status == 0 and not self.checked:
            return "done"
        return VERDICTS.get(self.status, str(self.status))

    @staticmethod
    def _asked(value, what, how="True"):
        if value is None:
            raise ValueError(f"{what} was not recorded: run with {what}={how}")
        return value

    @property
    def cost(self):
        """The cost card, as the JSON of `pldrun --cost=json`."""
        if isinstance(self._cost, str):
            self._cost = json.loads(self._cost)
        return self._asked(self._cost, "cost")

    @property
    def trace(self):
        """The trace, in the form that Perfetto and chrome://tracing load."""
        if isinstance(self._trace, str):
            self._trace = json.loads(self._trace)
        return self._asked(self._trace, "trace")

    @property
    def timeline(self):
        return self._asked(self._timeline, "timeline")

    @property
    def diagnostics(self):
        """The objects of `pldrun --diagnostics=json`: reports, notes, and last the verdict."""
        return [json.loads(line) for line in self._asked(self._diagnostics, "diagnostics", "'json'").splitlines()]

    @property
    def dispatches(self):
        """The dispatches of the host function, a dictionary each: id, function, rank, file, line, begin_ps, end_ps,
        tensors, and after: what it waits for, and why ("queue", "data", "start")."""
        return json.loads(self._asked(self._dispatches, "dispatches"))["dispatches"]

    @property
    def junit(self):
        """The verdict as JUnit's XML."""
        return self._asked(self._junit, "report", "'junit'")

    def __bool__(self):
        return self.status == 0

    def __repr__(self):
        return f"Result({self.verdict!r}, {len(self.reports)} reports, {self.time_ps / 1e6:.3f} us modelled)"

    def _repr_html_(self):
        rows = "".join(f"<pre>{_escape(r.text)}</pre>" for r in self.reports)
        head = f"<p><b>{_escape(self.verdict)}</b>, modelled time {self.time_ps / 1e6:.3f} us</p>"
        card = _card(self.cost) if self._cost else ""
        return head + rows + card + (self._timeline.svg if self._timeline else "")

    def __getstate__(self):
        state = dict(self.__dict__)
        state["outputs"] = {}  # arrays belong to the caller, and may be of any kind
        return state


_COLUMNS = (("received", "bytes_received"), ("sent", "bytes_sent"), ("steps", "data_steps"), ("notifies", "notifies"),
            ("waits", "waits"), ("barriers", "barriers"))


def _card(cost):
    """The cost card as a table: a row a device."""
    head = "".join(f"<th>{title}</th>" for title, _ in _COLUMNS)
    rows = "".join(f"<tr><td>{r['rank']}</td>" + "".join(f"<td>{r[k]}</td>" for _, k in _COLUMNS) + "</tr>" for r in cost["ranks"])
    return f"<table><tr><th>rank</th>{head}</tr>{rows}</table>"


class Failure:
    """One kind of failure of an exploration: .kind ("race", "deadlock", ...), .status, .count of executions, .token of the
    first, .text."""

    __slots__ = ("kind", "status", "count", "token", "text")

    def __init__(self, kind, status, count, token, text):
        self.kind, self.status, self.count, self.token, self.text = kind, status, count, token, text

    def __repr__(self):
        return f"{self.count} x {self.text}"


class Exploration:
    """Every interleaving of a run: .executions, .complete, .verified, .failures, .outcomes (lines of final outputs),
    .decides (what one run has decided, or None), .status, .text. bool(exploration) is .verified."""

    def __init__(self, status, text, found):
        self.status, self.text = status, text
        self.executions, self.complete, self.verified = found["executions"], found["complete"], found["verified"]
        self.decides, self.stopped, self.orders = found["decides"], found["stopped"], found["orders"]
        self.failures = [Failure(**f) for f in found["failures"]]
        self.outcomes = found["outcomes"]

    @property
    def token(self):
        """Replays the first failure; None when there is none."""
        return self.failures[0].token if self.failures else None

    @property
    def reports(self):
        return self.failures

    def __bool__(self):
        return self.verified

    def __repr__(self):
        word = "verified" if self.verified else ", ".join(f.kind for f in self.failures) or self.stopped or "incomplete"
        return f"Exploration({self.executions} executions, {word})"


class Row:
    """One synchronisation of a program: .text (place and what it is), .verdict, .needed, .reads_only, .runs."""

    __slots__ = ("text", "verdict", "needed", "reads_only", "runs")

    def __init__(self, text, verdict, needed, reads_only, runs):
        self.text, self.verdict, self.needed, self.reads_only, self.runs = text, verdict, needed, reads_only, runs

    def __repr__(self):
        return f"{self.text}: {self.verdict}"


def _escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
