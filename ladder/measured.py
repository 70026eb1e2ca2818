"""Results of `weft ladder --all --json`: the files bench/results/ladder-*.json, and the tables and pictures in
docs/ladder that are made of them. ladder-<gpu>.json has the times on a GPU. ladder-executor.json has what the executor
counts: bytes, accesses to shared memory, atomics and barriers.

Usage: measured.py RAW.json RESULTS_DIR COMMIT     stores a run on a GPU that was made at this commit
       measured.py count WEFT RESULTS_DIR          runs the command WEFT on the executor and stores its counts
       measured.py check WEFT RESULTS_DIR          compares the stored counts with a new run
"""

import json
import math
import re
import subprocess
import sys
import textwrap
from pathlib import Path

KEPT = ("topic", "n", "dtype", "copy_gigabytes_a_second", "gigaflops_of_f32")
KEPT_OF_RUNG = ("rung", "n", "verdict", "said", "seconds", "bytes", "flops", "rate", "unit", "share", "step")
COUNTED = ("topic", "n", "dtype")
COUNTED_OF_RUNG = ("rung", "n", "verdict", "said", "bytes", "flops", "read", "written", "shared", "atomics", "barriers")
REQUESTS = ("loads", "stores", "banks")  # each with the numbers `requests`, `moved` and `least`; not in old files
LINES = re.compile(r" at \w+\.cu:\d+")  # in the sentences of the executor; they change with every edit of a file
EXECUTOR = "ladder-executor.json"
WRAPPED = 118

# ------------------------------------------------------------------------------------ storing


def keep(raw, folder, commit):
    run = json.loads(raw.read_text(encoding="utf-8"))
    results = [result for result in run["results"] if result["gpu"]]
    machines = {result["machine"] for result in results}
    if len(machines) != 1:
        sys.exit(f"{raw}: results of one GPU are needed, there are those of {len(machines)}")
    wrong = [f"{r['topic']} {rung['rung']}" for r in results for rung in r["rungs"] if rung["verdict"] == "WRONG"]
    if wrong:
        sys.exit(f"{raw}: wrong, and not kept: {', '.join(wrong)}")
    machine = machines.pop()
    lines = [{key: result[key] for key in KEPT} |
             {"rungs": [{key: rung[key] for key in KEPT_OF_RUNG} for rung in result["rungs"]]} for result in results]
    head = {"machine": machine, "date": run["date"], "version": run["version"], "commit": commit}
    target = folder / f"ladder-{machine.removeprefix('NVIDIA ').lower().replace(' ', '-')}.json"
    target.write_text(json.dumps(head | {"topics": lines}, indent=1) + "\n", encoding="utf-8")
    print(f"{target}: now ./x ladder-docs puts it into the pages")


def counted(command):
    """Returns what the executor counts, as the text of ladder-executor.json: a line for each rung."""
    done = subprocess.run([command, "--device", "cpu", "--json", "ladder", "--all", "--faulty"], check=False,
                          stdout=subprocess.PIPE, text=True)
    topics = []
    for result in json.loads(done.stdout)["results"]:
        for rung in result["rungs"]:
            rung["said"] = LINES.sub("", rung["said"])
        rungs = [json.dumps({key: rung[key] for key in COUNTED_OF_RUNG + REQUESTS if key in rung}) for rung in result["rungs"]]
        head = json.dumps({key: result[key] for key in COUNTED})[:-1]
        topics.append(f'{head}, "rungs": [\n' + ",\n".join(rungs) + "]}")
    return '{"topics": [\n' + ",\n".join(topics) + "]}\n"


def count(command, folder):
    (folder / EXECUTOR).write_text(counted(command), encoding="utf-8")
    print(f"{folder / EXECUTOR}: now ./x ladder-docs puts it into the pages")


def check(command, folder):
    stored, now = (folder / EXECUTOR).read_text(encoding="utf-8").splitlines(), counted(command).splitlines()
    if stored != now:
        changes = [f"- {row}" for row in stored if row not in now] + [f"+ {row}" for row in now if row not in stored]
        print(*changes, sep="\n")
        sys.exit(f"{folder / EXECUTOR} differs from what the executor counts: ./x ladder-counts, then ./x ladder-docs")


# ------------------------------------------------------------------------------------ reading


class Rung:
    """The result of a rung on one GPU."""

    def __init__(self, row):
        self.name, self.n, self.said, self.verdict = row["rung"], row["n"], row["said"], row["verdict"]
        self.ms, self.rate, self.unit = 1e3 * row["seconds"], row["rate"], row["unit"]
        self.share = row["share"]

    @property
    def timed(self):
        return self.ms > 0 and self.verdict == "right"

    def cells(self):
        """Returns rate and share, if the topic states what its result needs."""
        return (f"{digits(self.rate)} {self.unit}", percent(self.share)) if self.share else ("", "")


class Run:
    """The results of a topic on one GPU."""

    def __init__(self, file, head, topic):
        self.machine, self.date, self.commit = head["machine"], head["date"], head["commit"]
        self.label = file.stem.removeprefix("ladder-")
        self.topic, self.n, self.dtype = topic["topic"], topic["n"], topic["dtype"]
        self.copy, self.flops = topic["copy_gigabytes_a_second"], topic["gigaflops_of_f32"]
        self.rungs = [Rung(row) for row in topic["rungs"]]

    def picture(self, stem, kind=""):
        return f"{stem}{kind}_{self.label}.svg"

    @property
    def timed(self):
        return [rung for rung in self.rungs if rung.timed]

    @property
    def bars(self):
        return [rung for rung in self.timed if rung.share]

    def find(self, name):
        return next((rung for rung in self.rungs if rung.name == name), None)

    def keep_only(self, names):
        """Forgets the rungs that the topic does not have any more."""
        self.rungs = [rung for rung in self.rungs if rung.name in names]

    def before(self, rung):
        """Returns the timed rung before this one, or None."""
        return next((earlier for earlier, later in zip(self.timed, self.timed[1:]) if later is rung), None)


class Counts:
    """What the executor has counted in a rung."""

    def __init__(self, row):
        self.name, self.n, self.said, self.verdict = row["rung"], row["n"], row["said"], row["verdict"]
        self.bytes, self.flops, self.read, self.written = row["bytes"], row["flops"], row["read"], row["written"]
        self.shared, self.atomics, self.barriers = row["shared"], row["atomics"], row["barriers"]
        self.requests = {kind: row[kind] for kind in REQUESTS if kind in row}

    @property
    def moved(self):
        return self.read + self.written

    @property
    def traffic(self):
        """Bytes moved, divided by those that the result needs; 0 if one of them is not known."""
        return self.moved / self.bytes if self.bytes else 0

    def per_request(self, kind):
        """Returns the sectors or wavefronts of a request, and as few as its bytes need: "32/4"; "" without requests."""
        count = self.requests.get(kind)
        if not count or not count["requests"]:
            return ""
        return "/".join(f"{count[key] / count['requests']:.1f}".removesuffix(".0") for key in ("moved", "least"))

    def is_wasteful(self, kind):
        """True if the requests move at least a quarter more than their bytes need."""
        count = self.requests.get(kind)
        return bool(count) and count["moved"] > 1.25 * count["least"]

    @property
    def has_run(self):
        """True if a kernel was run."""
        return self.verdict != "not run" and self.moved + self.shared + self.atomics + self.barriers > 0


class Counted:
    """What the executor has counted in a topic."""

    def __init__(self, topic):
        self.n, self.dtype = topic["n"], topic["dtype"]
        self.rungs = {row["rung"]: Counts(row) for row in topic["rungs"]}
        self.has_requests = any(row.requests for row in self.rungs.values())


def runs(folder):
    """Returns the runs on GPUs by topic."""
    found = {}
    for file in sorted(folder.glob("ladder-*.json")):
        if file.name == EXECUTOR:
            continue
        head = json.loads(file.read_text(encoding="utf-8"))
        for topic in head["topics"]:
            found.setdefault(topic["topic"], []).append(Run(file, head, topic))
    return found


def counts(folder):
    """Returns the executor's counts by topic."""
    file = folder / EXECUTOR
    topics = json.loads(file.read_text(encoding="utf-8"))["topics"] if file.exists() else []
    return {topic["topic"]: Counted(topic) for topic in topics}


# ------------------------------------------------------------------------------------- words


def digits(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def percent(share):
    return f"{digits(100 * share)} %"


def grouped(number):
    return f"{number:,}"


def amount(number, one, many):
    return f"{grouped(number)} {one if number == 1 else many}"


def short(machine):
    return machine.removeprefix("NVIDIA ")


def table(seen, ran, rungs):
    """Returns the table of a topic: a line for each rung, with the executor's counts, and the times of each GPU."""
    lines = []
    kinds = REQUESTS if seen and seen.has_requests else ()
    for name in rungs:
        row = seen.rungs.get(name) if seen else None
        cells = [""] * (4 + len(kinds))
        if row and row.verdict == "right" and row.has_run:
            cells = [f"{digits(row.traffic)}x" if row.traffic else "",
                     *map(row.per_request, kinds), *map(grouped, (row.shared, row.atomics, row.barriers))]
        for run in ran:
            rung = run.find(name)
            timed = rung and rung.timed
            at = f" (n = {grouped(rung.n)})" if timed and rung.n != run.n else ""
            cells += [digits(rung.ms) + at, rung.cells()[1]] if timed else ["", ""]
        if any(cells):
            lines.append(f"| [{name}](#{name}) | " + " | ".join(cells) + " |")
    if not lines:
        return []
    titles = "".join(f" {short(run.machine)}: ms | share |" for run in ran)
    columns = " | ".join(("rung", "traffic", *kinds, "shared", "atomics", "barriers"))
    return [f"| {columns} |{titles}", "|---|" + "---:|" * (4 + len(kinds) + 2 * len(ran)), *lines, ""]


def legend(seen, ran):
    """Returns the paragraphs that explain the table."""
    words = []
    if seen:
        words.append(f"Counted by the executor for n = {grouped(seen.n)}, {seen.dtype}: *traffic* is the number of bytes "
                     "that the kernels read and write in the device's memory, divided by the number that the result "
                     "needs. *shared* is the number of accesses to shared memory.")
    if seen and seen.has_requests:
        words[-1] += (" A request is an access instruction of a warp. *loads* and *stores* are the sectors of 32 bytes "
                      "that a request moves, and as few as its bytes need. *banks* are the wavefronts of a request for "
                      "shared memory, and as few as it needs without conflicts of banks.")
    for run in ran:
        words.append(f"Measured on an {run.machine}, {run.date}, commit {run.commit}, for n = {grouped(run.n)}, "
                     f"{run.dtype}.")
        if run.bars:
            words[-1] += (f" A copy within the memory of this GPU runs at {digits(run.copy)} GB/s, and its f32 units "
                          f"reach {digits(run.flops)} GFLOP/s. The ceiling is the time that the result needs at these "
                          "two speeds. *share* is the ceiling divided by the time of the rung.")
    return [part for text in words for part in (textwrap.fill(text, WRAPPED), "")]


def reads_and_writes(seen, rung):
    """Returns the sentence on what a rung does on the executor, or ""."""
    row = seen.rungs.get(rung) if seen else None
    if not row or not row.has_run or row.verdict != "right":
        return ""
    size = f", n = {grouped(row.n)}" if row.n != seen.n else ""
    facts = [f"{grouped(row.read)} bytes read, {grouped(row.written)} written"]
    if row.traffic:
        times = digits(row.traffic)
        facts[0] += f": {'as many as' if times == '1' else f'{times} times what'} the result needs"
    for kind, unit in (("loads", "a load"), ("stores", "a store")):
        if row.per_request(kind):
            moved, least = row.per_request(kind).split("/")
            better = f", where {least} would do" if row.is_wasteful(kind) else ""
            facts.append(f"{moved} {'sector' if moved == '1' else 'sectors'} {unit}{better}")
    if row.shared:
        facts.append(amount(row.shared, "access", "accesses") + " to shared memory")
        if row.is_wasteful("banks"):
            facts[-1] += ", {} wavefronts a request, where {} would do".format(*row.per_request("banks").split("/"))
    if row.atomics:
        facts.append(amount(row.atomics, "atomic", "atomics"))
    if row.barriers:
        facts.append(amount(row.barriers, "barrier", "barriers") + " of blocks")
    return f"*Executor{size}:* {'; '.join(facts)}."


def time_and_rate(run, name):
    """Returns the sentence on the speed of a rung on a GPU, or ""."""
    rung = run.find(name)
    if not rung or not rung.timed:
        return ""
    facts = [f"{digits(rung.ms)} ms"]
    if rung.share:
        facts += [rung.cells()[0], f"{percent(rung.share)} of the ceiling"]
    before = run.before(rung)
    if before:
        step = before.ms / before.n / (rung.ms / rung.n)
        facts.append(f"{digits(step)} times the speed of `{before.name}`")
    size = f", n = {grouped(rung.n)}" if rung.n != run.n else ""
    return f"*{short(run.machine)}{size}:* {', '.join(facts)}."


def last_rungs(run):
    """Returns the rung of weft, followed by the vendor's."""
    names = [rung.name for rung in run.timed]
    if "weft" not in names:
        return ""
    weft, *vendors = run.timed[names.index("weft"):]
    ratios = "".join(f", {vendor.ms / weft.ms:.2f} times as fast as {vendor.name}" for vendor in vendors)
    return f"{percent(weft.share)} of the ceiling{ratios}"


# ---------------------------------------------------------------------------------- pictures

# Dimensions in pixels. The pictures are narrow, so that their text can be read on a telephone.
SIZE, WIDE = 15, 640


def svg(height, title, subtitle, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}" width="{WIDE}" '
                      f'height="{height}" font-family="sans-serif" font-size="{SIZE}">',
                      '<rect width="100%" height="100%" fill="white"/>',
                      f'<text x="12" y="24" font-size="17" font-weight="bold">{title}</text>',
                      f'<text x="12" y="46" fill="#555">{subtitle}</text>', *parts, "</svg>", ""])


def line(x1, y1, x2, y2, colour, width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def label(x, y, text, anchor="start", colour="black"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'


def bars(run, title):
    """Draws the speed of each rung as a share of the ceiling, on a linear axis."""
    left, width, step, top = 148, 330, 26, 66
    foot, most = top + step * len(run.bars), max(1, *(rung.share for rung in run.bars))
    scale = width / most
    out = []
    for tenths in range(0, math.floor(most * 4) + 1):
        x, ceiling = left + scale * tenths / 4, tenths == 4
        out.append(line(x, top - 6, x, foot, "#b00" if ceiling else "#ddd", 2 if ceiling else 1))
        out.append(label(x, foot + 18, f"{25 * tenths} %", "middle", "#b00" if ceiling else "#555"))
    for i, rung in enumerate(run.bars):
        y, length = top + step * i, max(scale * rung.share, 1)
        out.append(label(left - 8, y + 15, rung.name, "end"))
        out.append(f'<rect x="{left}" y="{y + 2}" width="{length:.1f}" height="{step - 8}" fill="#2a7f8f"/>')
        out.append(label(WIDE - 12, y + 15, rung.cells()[0], "end"))
    words = f"{run.machine}, n = {grouped(run.n)}, {run.dtype}: speed, as a share of the ceiling"
    return svg(foot + 30, title, words, out)


class Point:
    """A rung in the roofline picture: operations per byte moved, and GFLOP/s."""

    def __init__(self, rung, row):
        self.name = rung.name
        self.x = row.flops / row.moved
        self.y = rung.rate if rung.unit == "GFLOP/s" else rung.rate * row.flops / row.bytes


def points(run, seen):
    """Returns the rungs that were timed and counted, and whose topic states the number of operations."""
    rows = [(rung, seen.rungs.get(rung.name)) for rung in run.bars] if seen else []
    return [Point(rung, row) for rung, row in rows if row and row.flops and row.bytes and row.moved]


def spread(wanted, gap, top, foot):
    """Returns y positions close to the wanted ones, which ascend, at least `gap` apart and from top to foot."""
    found = []
    for y in wanted:
        found.append(max(y, found[-1] + gap if found else top))
    for i in reversed(range(len(found))):
        found[i] = min(found[i], found[i + 1] - gap if i + 1 < len(found) else foot)
    return found


def power(exponent):
    return f"{10.0**exponent:g}" if exponent < 4 else f"{10 ** (exponent - 3)}k" if exponent < 6 else f"1e{exponent}"


def roofline(run, seen, title):
    """Draws the rungs below the roof: the copy speed times the operations per byte, up to the speed of the f32 units."""
    dots = sorted(points(run, seen), key=lambda dot: -dot.y)
    left, right, top = 70, 470, 66
    foot = max(top + 330, top + 20 * len(dots))
    ridge = run.flops / run.copy
    xs, ys = [dot.x for dot in dots] + [2 * ridge], [dot.y for dot in dots] + [run.flops]
    first, last = math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs)))
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))

    def across(x):
        return left + (right - left) * (math.log10(x) - first) / (last - first)

    def up(y):
        return foot - (foot - top) * (math.log10(y) - low) / (high - low)

    out = []
    for e in range(first, last + 1):
        x = across(10.0**e)
        out += [line(x, top, x, foot, "#eee"), label(x, foot + 18, power(e), "middle", "#555")]
    for e in range(low, high + 1):
        y = up(10.0**e)
        out += [line(left, y, right, y, "#eee"), label(left - 6, y + 5, power(e), "end", "#555")]
    start = max(10.0**first, 10.0**low / run.copy)
    out += [line(across(start), up(run.copy * start), across(ridge), up(run.flops), "#b00", 2),
            line(across(ridge), up(run.flops), right, up(run.flops), "#b00", 2),
            label(12, foot + 40, "vertical: GFLOP/s; horizontal: operations per byte that the kernels move")]
    heights = spread([up(dot.y) for dot in dots], 19, top + 12, foot)
    for dot, y in zip(dots, heights):
        out += [line(across(dot.x), up(dot.y), right + 6, y - 5, "#bbb"),
                f'<circle cx="{across(dot.x):.1f}" cy="{up(dot.y):.1f}" r="5" fill="#2a7f8f"/>',
                label(right + 10, y, dot.name)]
    words = f"{run.machine}: copies {digits(run.copy)} GB/s, f32 {digits(run.flops)} GFLOP/s"
    return svg(foot + 52, title, words, out)


if __name__ == "__main__":
    if sys.argv[1] in ("count", "check"):
        {"count": count, "check": check}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
    else:
        keep(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
