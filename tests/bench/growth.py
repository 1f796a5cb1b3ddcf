"""How cost grows: processor seconds, the least of some rounds, against devices, payload, lines, live ranges
and executions, as one picture with a panel for each, both axes logarithmic. A dashed line has the slope of
proportional cost. Prints a table as Markdown. usage: growth.py BUILD SVG [ROUNDS]"""
import math
import os
import subprocess
import sys
import tempfile

build, picture = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
COLLECTIVES, MIXED = "tests/bench/collectives.pld", "tests/e2e/collectives/mixed.pld"
COLOURS = ["#2563eb", "#dc2626", "#059669"]


def seconds(*args):
    """Processor time of a program, which may end with status 7: not every execution was seen."""
    best = math.inf
    for _ in range(rounds):
        child = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 7):
            sys.exit(f"{' '.join(args)}: status {child.returncode}")
        best = min(best, used.ru_utime + used.ru_stime)
    return best


def run(path, devices, *more):
    defines = [word for m in more for word in (["-D", m] if "=" in m and not m.startswith("-") else [m])]
    return seconds(f"{build}/pldrun", "-q", "-j1", path, "-d", f"0-{devices - 1}", *defines)


def call(which, elements):
    """One call of a builtin on four devices: the difference of two runs."""
    few, many = (run(COLLECTIVES, 4, f"which={which}", f"SIZE={elements}", f"REPS={n}")
                 for n in (1, 1 + calls(elements)))
    return max(many - few, 1e-6) / calls(elements)


def calls(elements):
    return max(3, min(2000, (1 << 22) // elements))


def compiled(kind, lines):
    with tempfile.NamedTemporaryFile("w", suffix=".pld") as out:
        subprocess.run(["tests/bench/gen_kernel", kind, str(lines)], check=True, stdout=out)
        return seconds(f"{build}/pldc", out.name, "-o", "/dev/null")


PANELS = [
    # what, unit, numbers, curves: name and function of a number
    ("devices", "of a run", [4, 16, 64, 256, 1024], {
        "barrier, all checks": lambda p: run("tests/bench/barrier.pld", p),
        "barrier, no checks": lambda p: run("tests/bench/barrier.pld", p, "--check=none"),
        "allreduce of 768 bytes": lambda p: run(COLLECTIVES, p, "which=mesh", "SIZE=192") if p <= 64 else None}),
    ("bytes a device, 4 devices", "a call", [1 << n for n in range(14, 27, 4)], {
        "mesh allreduce": lambda n: call("mesh", n // 4),
        "ring allreduce": lambda n: call("ring", n // 4),
        "reduce_scatter": lambda n: call("reduce_scatter", n // 4)}),
    ("lines", "to compile", [1000, 4000, 16000, 64000], {
        "straight": lambda n: compiled("straight", n), "mixed": lambda n: compiled("mixed", n)}),
    ("live ranges a device", "of a run", [101, 1001, 10001, 100001], {
        "all checks": lambda n: run("tests/bench/ranges.pld", 4, f"ROWS={n}"),
        "no checks": lambda n: run("tests/bench/ranges.pld", 4, f"ROWS={n}", "--check=none")}),
    ("executions", "to explore", [100, 1000, 10000], {
        "allgather, twice": lambda n: run(MIXED, 2, "REPS=2", "which=allgather", "--explore-brute", f"--explore={n}")}),
]


def panel(x0, y0, title, unit, numbers, curves):
    """A panel's SVG; `curves`: name and its points."""
    wide, high = 250, 200
    points = [p for _, ps in curves for p in ps]
    low, top = (f(math.log10(y) for _, y in points) for f in (min, max))
    low, top = math.floor(low), max(math.ceil(top), math.floor(low) + 1)
    left, right = math.log10(numbers[0]), math.log10(numbers[-1])

    def at(x, y):
        return (x0 + wide * (math.log10(x) - left) / (right - left), y0 + high * (top - math.log10(y)) / (top - low))

    out = [f'<text x="{x0 + wide / 2}" y="{y0 - 12}" text-anchor="middle" font-weight="bold">{title}</text>']
    for k in range(low, top + 1):
        y = at(numbers[0], 10 ** k)[1]
        label = f"{10 ** k:g} s" if k >= 0 else f"{10 ** (k + 3):g} ms" if k >= -3 else f"{10 ** (k + 6):g} us"
        out.append(f'<path d="M{x0} {y:.1f}h{wide}" stroke="#ddd"/>'
                   f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for n in numbers:
        x = at(n, 1)[0]
        text = f"{n >> 20}Mi" if n >= 1 << 20 else f"{n >> 10}Ki" if n & 1023 == 0 and "bytes" in title else f"{n}"
        out.append(f'<text x="{x:.1f}" y="{y0 + high + 16}" text-anchor="middle">{text}</text>')
    slope = curves[0][1]
    x1, y1 = slope[-1]
    x2 = max(slope[0][0], x1 * 10 ** (low - math.log10(y1)))
    a, b = at(x2, y1 * x2 / x1), at(x1, y1)
    out.append(f'<path d="M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}" stroke="#999" stroke-dasharray="4 3"/>')
    for i, (name, ps) in enumerate(curves):
        line = "L".join("{:.1f} {:.1f}".format(*at(*p)) for p in ps)
        out.append(f'<path d="M{line}" fill="none" stroke="{COLOURS[i]}" stroke-width="2"/>')
        out.append(f'<text x="{x0}" y="{y0 + high + 34 + 14 * i}" fill="{COLOURS[i]}">{name}, {unit}</text>')
    return "\n".join(out)


def value(seconds_):
    for scale, name in (1, "s"), (1e-3, "ms"):
        if seconds_ >= scale:
            return f"{seconds_ / scale:.3g} {name}"
    return f"{seconds_ * 1e6:.3g} us"


def main():
    parts = []
    for i, (title, unit, numbers, curves) in enumerate(PANELS):
        measured = [(name, [(n, y) for n in numbers if (y := f(n)) is not None]) for name, f in curves.items()]
        parts.append(panel(70 + i % 3 * 340, 40 + i // 3 * 310, title, unit, numbers, measured))
        print(f"| {title} | {' | '.join(str(n) for n in numbers)} |")
        print(f"| --- |{' --- |' * len(numbers)}")
        for name, points in measured:
            cells = [value(y) for _, y in points] + [""] * (len(numbers) - len(points))
            print(f"| {name}, {unit} | {' | '.join(cells)} |")
        print(flush=True)
    with open(picture, "w", encoding="utf-8") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1020 630" font-family="sans-serif" '
                  'font-size="12">\n<rect width="1020" height="630" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


main()
