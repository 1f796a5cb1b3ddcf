"""One call of a kernel, with the options that hold for all calls of a script."""
import json

from .. import _lib, _run, errors, program as _program
from . import session


def run(program, given, devices, wants, callbacks=None, kept=None):
    """Explores first where the session says so, then runs once for the results. Returns the Result; raises what fails."""
    s = session.current
    s.calls += 1
    if kept is not None:
        result = _scheduled(s, program, lambda options: _run.run(program, given, None, program._split(
            {"devices": list(devices), "platform_set": s.platform_set, "callbacks": callbacks, **options})[1], False, kept))
    elif s.plain and not any(wants.values()) and not callbacks:
        result = _run.run(program, given, None, _plain(program, devices), False)
    else:
        result = _as_said(s, program, given, devices, wants, callbacks)
    if result.status:
        raise errors.BY_STATUS.get(result.status, errors.RunError)(_with_command(result), result)
    if result.reports and not s.quiet:
        for report in result.reports:
            session.say(report.text)
    return result


def _plain(program, devices):
    """The options of a run on these devices, made once."""
    made = program.__dict__.setdefault("_launched", {})
    key = tuple(devices)
    if key not in made:
        made[key] = _run.Options(_program.devices_text(devices))
    return made[key]


def _as_said(s, program, given, devices, wants, callbacks):
    """Under the options that stood before the script."""
    common = {"devices": list(devices), "platform_set": s.platform_set, **s.run}
    if s.explore is not None and callbacks:
        session.say(f"call {s.calls}: not explored: it calls sub-workers, {', '.join(callbacks)}")
    elif s.explore is not None:
        _explore(program, given, common)
    result = _scheduled(s, program, lambda options: program.run(
        **{**common, **options}, strict=False, callbacks=callbacks, cost=bool(s.cost) or wants.get("cost", False),
        trace="trace" in s.files or wants.get("trace", False), timeline="timeline" in s.files or wants.get("timeline", False),
        dispatches=wants.get("dispatches", False), report="junit" if "report" in s.files else None, out=given))
    _write(result)
    return result


def _scheduled(s, program, run):
    """Runs with the session's options; run(options). A token is for the calls that have its hash, its devices and its
    inputs, the others run by clock: a script may call a kernel again with what it has made."""
    if not s.token:
        return run(s.run)
    if _lib.lib.pld_token_hash(s.token.encode()) == program.hash:
        try:
            result = run(s.run)
            s.tokens_used += 1
            return result
        except errors.TokenError as e:
            s.token_why = str(e)
    return run({**s.run, "schedule": "clock"})


def _explore(program, given, common):
    s = session.current
    common = {k: v for k, v in common.items() if k not in ("schedule", "print", "watch")}
    found = program.explore(**common, bound=s.explore, out=given, strict=False)
    if not s.quiet:
        session.say(f"call {s.calls}: {repr(found)[len('Exploration('):-1]}")
    if found.status:
        raise errors.BY_STATUS.get(found.status, errors.RunError)(_with_command(found), found)


def _write(result):
    s = session.current
    for kind in s.files:
        path = s.file_of_call(kind)
        if kind == "timeline" and result._timeline is not None:
            result.timeline.save(path)
        elif kind == "trace" and result._trace is not None:
            with open(path, "w", encoding="utf-8") as f:
                json.dump(result.trace, f)
        elif kind == "report" and result._junit is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(result.junit)
    if s.cost and result._cost is not None:
        session.say(json.dumps(result.cost) if s.cost == "json" else card(result.cost))


def _with_command(result):
    """The report, with a last line that replays it by the command at hand."""
    s = session.current
    text = result.text.rstrip("\n")
    if s.command and result.token:
        lines = [line for line in text.split("\n") if not line.startswith("replay: ")]
        lines.append(f"replay: python3 -m pld --schedule={result.token} {' '.join(s.command)}")
        text = "\n".join(lines)
    return text


_COLUMNS = (("received", "bytes_received"), ("sent", "bytes_sent"), ("steps", "data_steps"), ("notifies", "notifies"), ("waits", "waits"),
            ("barriers", "barriers"), ("compute", "compute_ps"), ("memory", "memory_ps"), ("link", "link_ps"), ("waiting", "waiting_ps"))


def card(cost):
    """The cost card as lines to read: a row for each kernel of each device, times in us."""
    lines = [f"cost of {cost['program']} on {cost['platform']}, {len(cost['ranks'])} devices: modelled time {cost['time_ps'] / 1e6:.2f} us",
             f"{'rank':>4} {'kernel':<16}" + "".join(f"{title:>10}" for title, _ in _COLUMNS)]
    for rank in cost["ranks"]:
        for row in [*rank["kernels"], {**rank, "name": "all"}]:
            numbers = (f"{row[k] / 1e6:.2f}" if k.endswith("_ps") else str(row[k]) for _, k in _COLUMNS)
            lines.append(f"{rank['rank']:>4} {row['name']:<16}" + "".join(f"{n:>10}" for n in numbers))
    return "\n".join(lines)
