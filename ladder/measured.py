"""Results measured on GPUs: the files bench/results/ladder-<gpu>.json, made from the output of
`weft ladder --all --json`, and the parts of docs/ladder that show them.

Usage: measured.py RAW.json RESULTS_DIR COMMIT     stores a run that was made at this commit
"""

import json
import math
import sys
import textwrap
from pathlib import Path

KEPT = ("topic", "n", "dtype", "copy_gigabytes_a_second", "gigaflops_of_f32")
KEPT_OF_RUNG = ("rung", "n", "verdict", "said", "seconds", "rate", "unit", "share", "step")
WRAPPED = 118


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


class Rung:
    def __init__(self, row):
        self.name, self.n, self.said, self.verdict = row["rung"], row["n"], row["said"], row["verdict"]
        self.ms, self.rate, self.unit = 1e3 * row["seconds"], row["rate"], row["unit"]
        self.share, self.step = row["share"], row["step"]

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

    def picture(self, stem):
        return f"{stem}_{self.label}.svg"

    @property
    def timed(self):
        return [rung for rung in self.rungs if rung.timed]

    @property
    def bars(self):
        return [rung for rung in self.timed if rung.share]


def runs(folder):
    """Returns the runs by topic."""
    found = {}
    for file in sorted(folder.glob("ladder-*.json")):
        head = json.loads(file.read_text(encoding="utf-8"))
        for topic in head["topics"]:
            found.setdefault(topic["topic"], []).append(Run(file, head, topic))
    return found


def digits(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def percent(share):
    return f"{digits(100 * share)} %"


def table(run, stem):
    """Returns a section of a page."""
    words = f"Measured on an {run.machine}, {run.date}, commit {run.commit}: n = {run.n}, {run.dtype}."
    if run.bars:
        words += (f" A copy within the memory of this GPU runs at {digits(run.copy)} GB/s, and its f32 units reach "
                  f"{digits(run.flops)} GFLOP/s. The column *share* is relative to the ceiling: the time that the "
                  "result needs at these two speeds. The column *step* is the speed of a rung divided by that of the "
                  "previous rung, for equal n.")
    lines = [textwrap.fill(words, WRAPPED), ""]
    if run.timed:
        lines += ["| rung | ms | rate | share | step |", "|---|---:|---:|---:|---:|"]
        for rung in run.timed:
            rate, share = rung.cells()
            step = f"x {digits(rung.step)}" if rung.step else ""
            at = "" if rung.n == run.n else f" (n = {rung.n})"
            lines.append(f"| {rung.name}{at} | {digits(rung.ms)} | {rate} | {share} | {step} |")
        lines.append("")
    if run.bars:
        lines += [f"![The rungs' shares of the ceiling]({run.picture(stem)})", ""]
    return lines


def last_rungs(run):
    """Returns the rung of weft, followed by the vendor's."""
    names = [rung.name for rung in run.timed]
    if "weft" not in names:
        return ""
    weft, *vendors = run.timed[names.index("weft"):]
    ratios = "".join(f", {vendor.ms / weft.ms:.2f} times as fast as {vendor.name}" for vendor in vendors)
    return f"{percent(weft.share)} of the ceiling{ratios}"


# Dimensions of a picture in pixels. The axis begins at 10^LEAST of the ceiling.
LEFT, WIDTH, LINE, TOP, LEAST = 140, 480, 22, 58, -5


def position(share):
    """Returns the x position of a share of the ceiling; the axis ends at 100 %."""
    return LEFT + WIDTH * max(math.log10(max(share, 1e-9)) - LEAST, 0) / -LEAST


def picture(run, title):
    """Draws a bar for each rung, the last ones next to the ceiling."""
    foot = TOP + LINE * len(run.bars)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 260}" height="{foot + 30}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="12" y="20" font-size="15">{title}</text>',
           f'<text x="12" y="38">{run.machine}, n = {run.n}, {run.dtype}; share of the ceiling</text>']
    for decade in range(LEAST, 1):
        x, colour = position(10.0**decade), "#b00" if decade == 0 else "#ddd"
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{foot}" stroke="{colour}"/>')
        out.append(f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{100 * 10.0**decade:g} %</text>')
    for i, rung in enumerate(run.bars):
        y, end = TOP + LINE * i, position(rung.share)
        out.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{rung.name}</text>')
        out.append(f'<rect x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{LINE - 6}" fill="#2a7f8f"/>')
        out.append(f'<text x="{end + 6:.1f}" y="{y + 12}">{", ".join(reversed(rung.cells()))}</text>')
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    keep(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
