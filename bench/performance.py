"""Generates docs/performance.md, docs/pictures/speed.svg and the blocks of figures in README.md and docs/guide/FAQ.md
from the tables in bench/results.

    performance.py [--check] SOURCE_DIR     --check: writes nothing; fails if a file is not what this program generates

A comment before a fenced block of bench/results/*.md marks the block as a source. It names machine, date and commit:

    <!-- performance: NVIDIA H200, CUDA 13.0 | 2026-11-23 | b885689 -->

Every line of the block that has the form of a row of a benchmark program is read; LINES lists the forms. The comment
`<!-- performance: table -->` marks a Markdown table whose columns name all of this instead. If two marked tables
contain the same row, the later date counts; on equal dates the later file name, then the later line.
"""
import dataclasses
import math
import re
import sys
import textwrap
from pathlib import Path

# The same row in two runs has the same key. "case" is the row's name in the pages.
@dataclasses.dataclass
class Row:
    page: str
    case: str
    elements: str
    threads: str
    weft: str
    peer: str
    of_peer: str
    ratio: str
    share: str
    run: "Run"

    @property
    def key(self):
        return self.page, self.case, self.elements, self.threads, self.weft.split(" ", 1)[-1], self.peer

    @property
    def speed(self):
        """weft's speed divided by the peer's (of a range the lower end), or None."""
        if self.ratio:
            return float(self.ratio.split("x")[0])
        mine, other = quantity(self.weft), quantity(self.of_peer)
        if not mine or not other:
            return None
        return mine[0] / other[0] if "/s" in self.weft else other[0] * other[1] / (mine[0] * mine[1])

    @property
    def is_compared(self):
        """True if the row has a peer that is not weft itself."""
        return self.speed is not None and not self.peer.startswith(("weft", "map, then"))

    @property
    def is_gpu(self):
        return self.run.is_gpu


@dataclasses.dataclass(frozen=True)
class Run:
    machine: str
    date: str
    commit: str
    file: str

    @property
    def is_gpu(self):
        return self.machine.startswith("NVIDIA")


@dataclasses.dataclass
class Scaling:
    """A row of bench_ranks: several GPUs compared with one."""
    name: str
    log2: int
    ranks: int
    one: str
    all: str
    strong: str
    weak: str
    run: Run


# -------------------------------------------------------------------------- reading bench/results

FLOAT = r"[\d.]+"
PEER = rf"(?P<peer>\S.*?)\s+(?P<other>{FLOAT})"
LINES = {
    # bench_gpu
    "gpu": rf"(?P<name>.+?)\s+(?P<measure>GB/s|Gkeys/s|latency us|queued us)\s+(?P<n>\d+)\s+(?P<weft>{FLOAT})\s+"
           rf"(?:{PEER}|-\s+-)\s+(?:(?P<ratio>{FLOAT})x|-)(?:\s+(?P<share>{FLOAT}) %)?",
    # bench_gpu_tridiag
    "tridiag": rf"(?P<name>\S.*?)\s+(?P<n>\d+)\s+(?P<systems>\d+)\s+(?P<weft>{FLOAT}) ms\s+"
               rf"(?P<share>{FLOAT}) % of copy\s+{PEER} ms\s+(?P<ratio>{FLOAT})x",
    # bench_gpu_sampling, bench_gpu_match, bench_gpu_grid
    "beside": rf"(?P<name>.+?)\s+(?P<weft>{FLOAT}) ms\s+(?P<rate>{FLOAT}) (?P<unit>G\S+/s)"
              rf"(?:\s+(?P<share>{FLOAT}) % of (?P<of>reading|writing|a copy))?"
              rf"(?:\s+{PEER} ms\s+(?P<ratio>{FLOAT})x)?",
    # bench_gpu_matmul
    "matmul": rf"(?P<name>f32|f32 in f64|f64)\s+(?P<m>\d+) x\s+(?P<n>\d+) x\s+(?P<k>\d+)\s+(?P<weft>{FLOAT})\s+"
              rf"{PEER}\s+(?P<ratio>{FLOAT})x\s+\d+",
    # bench_gpu_transforms
    "transform": rf"(?P<name>\S.*?)\s+(?P<weft>{FLOAT}) us(?:\s+(?P<rate>{FLOAT}) GB/s)?"
                 rf"(?:\s+(?P<peer>cuFFT|by cuFFT)\s+(?P<other>{FLOAT}) us\s+(?P<ratio>{FLOAT})x)?",
    # bench_cpu
    "cpu": rf"(?P<name>\S.*?)\s+(?P<n>\d+)\s+(?P<threads>\d+)\s+(?P<weft>{FLOAT})\s+{PEER}\s+(?P<ratio>{FLOAT})x\s+"
           rf"(?P<share>{FLOAT}) %",
}
RANKS = re.compile(r"2\^(\d+) elements, (\d+) ranks of ")
RANK = re.compile(rf"(\S.*?)\s+({FLOAT})\s+{FLOAT}\s+({FLOAT})\s+({FLOAT})\s+({FLOAT}) %\s+yes")

# The page and the printed case of a row, by the first expression that matches its name in the program's output. An
# indented name follows the name of the last line that is not indented, after ": ".
CASES = [
    ("memory", r"read only", "a kernel that only reads"),
    ("memory", r"device copy", "a copy, read and written"),
    ("segmented", r"(segmented (?:sum|scan)|sum by key) (\S+)", r"\1 f32, segments of \2"),
    ("map_reduce", r"mean of 1\.28e9, f32 in f64: and its normals made",
     "mean of a formula of 1.28e9 normals, normals generated"),
    ("map_reduce", r"mean of 1\.28e9, f32 in f64", "mean of a formula of 1.28e9 values, f32 accumulated in f64"),
    ("map_reduce", r"mean of (.*), f32: f32 in f64", r"mean of \1, f32 accumulated in f64"),
    ("map_reduce", r"mean of (.*), f32: f64", r"mean of \1, f64"),
    ("map_reduce", r"mean of (.*), f32", r"mean of \1, f32"),
    ("map_reduce", r"running (.*), f32: f32 in f64", r"running sum of \1, f32 accumulated in f64"),
    ("map_reduce", r"running (.*), f32: f64", r"running sum of \1, f64"),
    ("map_reduce", r"running (.*), f32", r"running sum of \1, f32"),
    ("map_reduce", r"map (.*)", r"map \1"),
    ("reduce", r"(sum|min|max|mean|norm2) (\w+)", r"\1 \2"),
    ("reduce", r"(argmax) (\w+)", r"\1 \2"),
    ("variance", r"variance (\w+)", r"variance \1"),
    ("dot", r"dot (\w+)", r"dot \1"),
    ("scan", r"scan max (\w+)", r"inclusive max \1"),
    ("scan", r"scan (\w+)", r"inclusive sum \1"),
    ("recurrence", r"recurrence (\w+): rows of (\d+)", r"\1, rows of \2"),
    ("recurrence", r"recurrence (\w+)", r"\1, one row"),
    ("select", r"select f32 5%", "select f32, 5 % kept"),
    ("select", r"select flags", "select f32 by flags, half kept"),
    ("select", r"select (\w+)", r"select \1, half kept"),
    ("partition", r"partition (\w+)", r"partition \1, half selected"),
    ("unique", r"unique (\w+)", r"unique \1"),
    ("run_length", r"run_length (\w+)", r"run_length \1"),
    ("histogram", r"256, all equal", "256 bins, all values equal, f32"),
    ("histogram", r"2\^20, all eq\.", "2^20 bins, all values equal, f32"),
    ("histogram", r"bins (\S+) (\w+)", r"\1 bins, \2"),
    ("histogram", r"bins (\S+)", r"\1 bins, f32"),
    ("histogram", r"edges (\d+)", r"\1 edges, f32"),
    ("merge", r"merge (\w+)", r"merge \1"),
    ("search_sorted", r"search, sorted", "f32, needles sorted"),
    ("search_sorted", r"search, random", "f32, needles random"),
    ("top_k", r"top (\d+)(?: of 2\^20)?", r"largest \1"),
    ("argsort", r"argsort u32,64", "argsort u32, indices u64"),
    ("argsort", r"argsort u32", "argsort u32, indices u32"),
    ("sort", r"sort u32 down", "sort u32, descending"),
    ("sort", r"sort (\w+)", r"sort \1"),
    ("sort", r"pairs u32\+(\d+)", r"sort u32 keys with values of \1 bytes"),
    ("matmul", r"f32 in f64 (\d+ x \d+ x \d+)", r"f32 accumulated in f64, \1"),
    ("matmul", r"(f32|f64) (\d+ x \d+ x \d+)", r"\1, \2"),
    ("fft", r"(c2c|r2c|c2r) (f32|f64) (.*)", r"\1 \2, \3"),
    ("convolve", r"copy of device memory", "a copy of 2^28 f32"),
    ("convolve", r"direct (.*)", r"direct, \1"),
    ("convolve", r"convolve f32 (\d+) x (\d+)", r"by transforms, f32, \1 values, \2 taps"),
    ("tridiag", r"adjacent rows", "contiguous systems"),
    ("tridiag", r"(interleaved systems|constant coefficients|interleaved, constant|one system)", r"\1"),
    ("tridiag", r"one of few rows", "one short system"),
    ("heat", r"heat (.*), C\.-N\.", r"\1, Crank-Nicolson"),
    ("heat", r"heat (.*)", r"\1, backward Euler"),
    ("laplace", r"laplace (.*)", r"ten sweeps, \1"),
    ("laplace", r"multigrid (.*)", r"multigrid to a residual of 1e-6, \1"),
    ("random", r"(uniform|normal|log-normal|exponential) (\w+)", r"\1 \2, 1 GiB"),
    ("sobol", r"sobol (\w+), Owen, (.*)", r"\1, Owen-scrambled, \2"),
    ("sobol", r"sobol (\w+), shifted, (.*)", r"\1, digital shift, \2"),
    ("price", r"price, the classic, (\w+)", r"double digital option, 9.6e6 paths of 100 steps, \1"),
    ("match", r"count, 4 words of 4: whatever their case", "count, 4 words of 4 bytes, case folded"),
    ("match", r"count, 4 words of 4: where they stand alone", "count, 4 words of 4 bytes, whole words"),
    ("match", r"(count|list), (\d+) words? of (\d+)", r"\1, \2 words of \3 bytes"),
    ("match", r"count, 1 word", "count, 1 word of 4 bytes"),
]
PEERS = {"by cuFFT": "cuFFT, overlap-save", "a thread a point": "kernel, one thread per point",
         "Thomas, a thread a line": "kernel, Thomas, one thread per line", "a kernel": "plain kernel",
         "CUB by key": "CUB ReduceByKey", "CUB segmented": "CUB DeviceSegmentedReduce",
         "CUB If": "CUB DeviceSelect::If", "CUB Descending": "CUB SortKeysDescending",
         "thrust": "thrust::lower_bound", "gtsv2StridedBatch": "cuSPARSE gtsv2StridedBatch",
         "gtsvInterleavedBatch": "cuSPARSE gtsvInterleavedBatch", "gtsv2_nopivot": "cuSPARSE gtsv2_nopivot",
         "CUB If, unstable": "CUB DevicePartition::If, not stable"}


def number(text):
    """An element count as it is printed: a power of two or of ten where it is one."""
    if not text.isdigit():
        return text
    value = int(text)
    for base in (2, 10):
        exponent = round(math.log(value, base)) if value else 0
        if exponent >= (16 if base == 2 else 5) and base**exponent == value:
            return f"{base}^{exponent}"
    return text


def quantity(text):
    """A figure and its factor to the base unit: '1.9 s' is (1.9, 1), '23 us' is (23, 1e-6). None if there is none."""
    found = re.match(rf"({FLOAT})\s*(ns|us|ms)?", text)
    return (float(found[1]), {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, None: 1}[found[2]]) if found else None


def case_of(name):
    for page, expression, case in CASES:
        found = re.fullmatch(expression, name)
        if found:
            return page, re.sub(r"\d{5,}", lambda digits: number(digits[0]), found.expand(case))
    return None


def row_of(line, above, run):
    """The row that a line of a benchmark's output contains, or None. `above`: the last name that was not indented."""
    for form, expression in LINES.items():
        found = re.fullmatch(expression, line.rstrip())
        if not found:
            continue
        field = {key: value or "" for key, value in found.groupdict().items()}
        name = f"{above}: {field['name'].strip()}" if line.startswith("  ") else field["name"]
        elements, share, weft = field.get("n", ""), field.get("share", ""), field["weft"]
        if form == "gpu":
            unit, _, time = field["measure"].partition(" ")
            unit = f"us, {unit}" if time else unit
            share = share and f"{share} % of reading"
        elif form == "tridiag":
            unit, share, elements = "ms", f"{share} % of a copy", f"{field['systems']} x {field['n']}"
        elif form == "beside":
            unit, share = "ms", share and f"{share} % of {field['of'] or 'a copy'}"
            share = ", ".join(filter(None, [f"{digits(float(field['rate']))} {field['unit']}", share]))
        elif form == "matmul":
            unit, name, elements = "TFLOP/s", f"{name} {field['m']} x {field['n']} x {field['k']}", ""
        elif form == "transform":
            unit, share = "us", field["rate"] and f"{field['rate']} GB/s"
        else:
            unit, share = "GB/s", ""
        found = case_of(name)
        if not found:
            return None
        peer, other = field.get("peer", ""), field.get("other", "")
        if peer in ("", "-"):
            peer = other = field["ratio"] = ""
        elements = " x ".join(map(number, elements.split(" x ")))
        peer = "CUB SortKeys, sorts all elements" if found[0] == "top_k" else PEERS.get(peer, peer)
        return Row(*found, elements, field.get("threads", ""), f"{weft} {unit}", peer,
                   other and f"{other} {unit.split(',')[0]}", field["ratio"] and field["ratio"] + "x", share, run)
    return None


def read_block(lines, run):
    """The rows and the scaling rows of a fenced block."""
    rows, scaling, above, ranks = [], [], "", None
    for line in lines:
        heading = RANKS.match(line)
        if heading:
            ranks = int(heading[1]), int(heading[2])
        scaled = RANK.fullmatch(line.rstrip()) if ranks else None
        if scaled:
            scaling.append(Scaling(scaled[1], *ranks, scaled[2], scaled[3], scaled[4], scaled[5], run))
            continue
        row = row_of(line, above, run)
        if not line.startswith("  ") and line.strip():
            above = re.split(r"\s{2,}| (?:GB/s|Gkeys/s|latency us|queued us) ", line)[0]
        if row:
            rows.append(row)
    return rows, scaling


def read_table(lines, file):
    rows = []
    for line in lines[2:]:
        *cells, machine, date, commit = (cell.strip() for cell in line.strip().strip("|").split("|"))
        rows.append(Row(*cells, "", Run(machine, date, commit, file)))
    return rows


def read_results(folder):
    """All rows and scaling rows that count, in the order of the files."""
    rows, scaling = [], []
    for file in sorted(folder.glob("*.md")):
        lines = file.read_text(encoding="utf-8").split("\n")
        for at, line in enumerate(lines):
            marked = re.fullmatch(r"<!-- performance: (.*) -->", line)
            if not marked:
                continue
            first = at + 2
            if marked[1] == "table":
                end = lines.index("", first)
                rows += read_table(lines[first:end], file.name)
                continue
            assert lines[first].startswith("```"), f"{file}:{at + 1}: expected a fenced block after the comment"
            end = lines.index("```", first + 1)
            found = read_block(lines[first + 1:end], Run(*(part.strip() for part in marked[1].split("|")), file.name))
            rows += found[0]
            scaling += found[1]
    newest = {}
    for row in sorted(rows, key=lambda row: row.run.date):  # stable
        newest[row.key] = row
    rows = [row for row in rows if newest[row.key] is row]
    last = {}
    for row in sorted(scaling, key=lambda row: row.run.date):
        last[row.name, row.log2, row.ranks] = row
    return rows, [row for row in scaling if last[row.name, row.log2, row.ranks] is row]


# ------------------------------------------------------------------------------------- writing

PAGES = {  # title and page of the operations, in the order of the tables
    "memory": ("Speed of the memory", None), "reduce": ("Reductions", "reduce"), "variance": ("Variance", "variance"),
    "dot": ("Dot product", "dot"), "scan": ("Prefix scans", "scan"), "recurrence": ("Recurrences", "recurrence"),
    "segmented": ("Segmented operations", "segmented"), "select": ("Select", "select"),
    "partition": ("Partition", "partition"), "unique": ("Unique", "unique"),
    "run_length": ("Run lengths", "run_length"),
    "histogram": ("Histograms", "histogram"), "merge": ("Merge", "merge"),
    "search_sorted": ("Search in sorted arrays", "search_sorted"), "top_k": ("Largest k", "top_k"),
    "sort": ("Sort", "sort"), "argsort": ("Argsort", "argsort"), "matmul": ("Matrix products", "matmul"),
    "fft": ("Fourier transforms", "fft"), "convolve": ("Convolutions", "convolve"),
    "tridiag": ("Tridiagonal systems", "tridiag"), "heat": ("Heat equation", "heat"),
    "laplace": ("Laplace's equation", "laplace"), "map_reduce": ("Formulas", "map"),
    "map": ("Formulas", "map"), "random": ("Random numbers", "random"), "sobol": ("Sobol points", "sobol"),
    "price": ("Option prices", "price"), "match": ("Words in a text", "match"),
}
MONTHS = ("January February March April May June July August September October November December").split()
MARGIN = 0.05  # ratios within this of 1 count as equal
BEGIN, END = "<!-- performance: begin -->", "<!-- performance: end -->"

# The bars of the picture and the rows of README's table, as (label, page, case, elements, peer's first word).
BARS = [
    ("sum", "reduce", "sum f32", "2^28", "CUB"),
    ("dot product", "dot", "dot f32", "2^28", "cublas"),
    ("prefix scan", "scan", "inclusive sum f32", "2^28", "CUB"),
    ("recurrence", "recurrence", "f64, one row", "2^26", "CUB"),
    ("select", "select", "select f32, half kept", "2^28", "CUB"),
    ("histogram, 256 bins", "histogram", "256 bins, f32", "2^28", "CUB"),
    ("merge", "merge", "merge f32", "2^28", "CUB"),
    ("sort of u32", "sort", "sort u32", "2^28", "CUB"),
    ("matrix product", "matmul", "f32, 8192 x 8192 x 8192", "", "cuBLAS"),
    ("Fourier transform", "fft", "c2c f32, 1 x 2^24", "", "cuFFT"),
    ("convolution", "convolve", "by transforms, f32, 2^24 values, 4096 taps", "", "cuFFT"),
    ("tridiagonal systems", "tridiag", "contiguous systems", "2^17 x 512", "cuSPARSE"),
    ("normal random numbers", "random", "normal f32, 1 GiB", "", "cuRAND"),
    ("option price", "price", "double digital option, 9.6e6 paths of 100 steps, f32", "", "cuRAND, Philox"),
]
PEER_NAMES = {"cublas": "cuBLAS", "OpenMP": "OpenMP simd", "cuRAND, Philox": "cuRAND"}
TABLE = [
    ("sum of 2^28 f32", *BARS[0][1:]),
    ("prefix scan of 2^28 f32", *BARS[2][1:]),
    ("sort of 2^28 u32", *BARS[7][1:]),
    ("merge to 2^28 f32", *BARS[6][1:]),
    ("product of 8192 x 8192 f32 matrices", *BARS[8][1:]),
    ("2^28 normal random numbers, f32", *BARS[12][1:]),
    ("CPU: sum of 2^26 f32, 16 threads", "reduce", "sum f32", "2^26", "OpenMP"),
    ("CPU: dot product of 2^26 f64, 16 threads", "dot", "dot f64", "2^26", "OpenBLAS"),
]


def digits(value):
    """Three significant digits; whole numbers from 100 on."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def verdict(row):
    """1: weft is faster than the peer, -1: slower, 0: equal within MARGIN."""
    return 0 if abs(row.speed - 1) < MARGIN + 1e-9 else (1 if row.speed > 1 else -1)


def ratio(row):
    """The ratio as a cell: which of both is faster is a word, so that slower rows are as visible as faster ones."""
    if row.speed is None:
        return ""
    text = row.ratio or f"{row.speed:.{2 if row.speed < 1 else 1}f}x"
    return f"{text} {('slower', 'equal', 'faster')[1 + verdict(row)]}"


def day(date):
    year, month, of_month = date.split("-")
    return f"{int(of_month)} {MONTHS[int(month) - 1]} {year}"


def days(runs):
    """The dates of the runs: "22 and 23 November 2026"."""
    by_month = {}
    for date in sorted({run.date for run in runs}):
        by_month.setdefault(date[:7], []).append(day(date))
    return " and ".join(" and ".join([one.split()[0] for one in dates[:-1]] + dates[-1:])
                        for dates in by_month.values())


def find(rows, page, case, elements, peer, threads=""):
    fits = [row for row in rows if (row.page, row.case) == (page, case) and elements in ("", row.elements) and
            row.peer.startswith(peer) and threads in ("", row.threads) and "us," not in row.weft]
    assert len(fits) == 1, f"{page}, {case}, {elements}, {peer}: {len(fits)} rows fit; expected 1"
    return fits[0]


def in_table(rows, entry):
    return find(rows, *entry[1:], threads="16" if entry[0].startswith("CPU") else "")


def counted(rows):
    """How many rows are compared with a peer, faster, equal and slower."""
    verdicts = [verdict(row) for row in rows if row.is_compared]
    return len(verdicts), *(verdicts.count(which) for which in (1, 0, -1))


def table(heads, rows):
    """A Markdown table without the columns that are empty in all rows. "-" before a head: flushed right."""
    kept = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    lines = ["| " + " | ".join(heads[i].lstrip("-") for i in kept) + " |",
             "|" + "|".join("---:" if heads[i].startswith("-") else "---" for i in kept) + "|"]
    return lines + ["| " + " | ".join(row[i] for i in kept) + " |" for row in rows] + [""]


def section(rows, letters, gpu):
    lines = []
    for page, (title, link) in PAGES.items():
        cells = [(row.case, row.elements, row.threads, row.weft, row.peer, row.of_peer, ratio(row), row.share,
                  letters[row.run]) for row in rows if row.page == page and row.is_gpu == gpu]
        if cells:
            linked = f"[{title}](ops/{link}.md)" if link else title
            heads = ["case", "-elements", "-threads", "-weft" if link else "-speed", "peer", "-the peer's", "-ratio",
                     "share, rate", "run"]
            lines += [f"### {linked} on a {'GPU' if gpu else 'CPU'}", ""] + table(heads, cells)
    return lines


def extremes(rows, gpu):
    """For each operation the least and the greatest ratio, and how many rows are faster, equal and slower."""
    cells = []
    for page, (title, link) in PAGES.items():
        compared = [row for row in rows if row.page == page and row.is_gpu == gpu and row.is_compared]
        if not compared:
            continue
        least, most = min(compared, key=lambda row: row.speed), max(compared, key=lambda row: row.speed)
        _, faster, equal, slower = counted(compared)
        cells.append((title, str(faster), str(equal), str(slower), f"{where(least)}: {ratio(least)}",
                      f"{where(most)}: {ratio(most)}"))
    return table(["operation", "-faster", "-equal", "-slower", "lowest ratio", "highest ratio"], cells)


def where(row):
    size = f", {row.elements}" if row.elements else ""
    threads = f", {row.threads} thread{'s' * (row.threads != '1')}" if row.threads else ""
    measure = row.weft.partition(", ")[2]
    return row.case + size + threads + (f", {measure}" if measure else "")


def scaling_lines(scaling, letters):
    cells = [(str(row.ranks), row.name, f"2^{row.log2}", f"{row.one} ms", f"{row.all} ms", f"{row.strong}x",
              f"{row.weak} %", letters[row.run])
             for row in sorted(scaling, key=lambda row: (-row.log2, row.ranks)) if row.name != "no elements"]
    return table(["-GPUs", "operation", "-elements", "-one GPU", "-all GPUs", "-faster than one GPU", "-weak scaling",
                  "run"], cells)


def filled(text):
    """Lines of at most 118 columns; a paragraph or an item of a list each."""
    lines = []
    for part in text.strip().split("\n\n"):
        lines += textwrap.wrap(" ".join(part.split()), 118, subsequent_indent="  " if part.startswith("* ") else "",
                               break_long_words=False, break_on_hyphens=False)
        if not part.startswith("* "):
            lines.append("")
    return lines if lines[-1] == "" else lines + [""]


INTRODUCTION = f"""
Generated by `./x performance` from the tables in [bench/results](../bench/results/README.md); a test compares both. Do
not edit.

The *ratio* is weft's speed divided by the peer's: above 1 weft is faster, below 1 the peer is. Ratios from
{1 - MARGIN:.2f} to {1 + MARGIN:.2f} are called equal. weft returns the same bits on every machine; the peers do not
promise that.
"""
METHOD = """
`./x bench` builds and runs the programs of the directory `bench`. In each row weft and its peer take turns in one run.
The figure is the median; `bench_cpu_*` print the best of several rounds.

* GPU: inputs and outputs are in device memory. Scratch memory is allocated before the measurement.

* GB/s are bytes read. For scan, recurrence, select, partition, unique, merge and map they are bytes read and written.

* *Latency* is the time of one call with its synchronization. *Queued* is the time per call when calls follow each
other without synchronization.

* *Share* is the part of the speed of reading, writing or copying memory in the same run.

* The elements of tridiagonal systems are given as systems x rows.

* CPU figures are of different machines; the last column names the run. No test fails because a machine is slow.
"""
SEVERAL = """
The array is spread over the GPUs of one host, with one MPI rank for each GPU ([dist](guide/dist.md)). Blocks are sent
by NCCL. *Weak scaling* is the time of one GPU with the elements of one rank, divided by the time of all GPUs with all
elements.
"""


def performance(rows, scaling):
    runs = sorted({row.run for row in rows} | {row.run for row in scaling},
                  key=lambda run: (not run.is_gpu, run.date, run.file, run.commit, run.machine))
    letters = {run: f"{letter}{1 + at}" for letter, gpu in (("G", True), ("C", False))
               for at, run in enumerate(run for run in runs if run.is_gpu is gpu)}
    slow = sorted((row for row in rows if row.is_compared and verdict(row) < 0), key=lambda row: row.speed)
    lines = ["# Performance", "", *filled(INTRODUCTION),
             "![Speed of weft divided by the speed of the peer](pictures/speed.svg)", "",
             "## How it is measured", "", *filled(METHOD),
             "## Summary", "",
             "Number of rows in which weft is faster, equal and slower, and the extremes. On a GPU:", "",
             *extremes(rows, True), "On a CPU:", "", *extremes(rows, False),
             "## Slower than the peer", "", "All rows with a ratio below 0.95, from the lowest:", ""]
    lines += table(["operation", "case", "device", "peer", "-ratio"],
                   [(PAGES[row.page][0], where(row), "GPU" if row.is_gpu else "CPU", row.peer, ratio(row))
                    for row in slow])
    lines += ["## Runs", ""] + table(
        ["run", "machine", "date", "commit", "file"],
        [(letters[run], run.machine, day(run.date), run.commit, f"[{run.file}](../bench/results/{run.file})")
         for run in runs])
    lines += ["## GPU", ""] + section(rows, letters, True) + ["## CPU", ""] + section(rows, letters, False)
    lines += ["## Several GPUs", "", *filled(SEVERAL), *scaling_lines(scaling, letters)]
    return "\n".join(lines).rstrip("\n") + "\n"


def readme_block(rows):
    found = [in_table(rows, entry) for entry in TABLE]
    gpu, cpu = ([row.run for row in found if row.is_gpu is flag] for flag in (True, False))
    count, faster, equal, slower = counted([row for row in rows if row.is_gpu])
    names = [PEER_NAMES.get(entry[4], entry[4]) for entry in TABLE]
    cells = [(entry[0], row.weft, f"{name} {row.of_peer}", ratio(row)) for entry, row, name in zip(TABLE, found, names)]
    text = (f"Ratio: weft's speed divided by the peer's. GPU: {gpu[0].machine}, {days(gpu)}. CPU: {cpu[0].machine}, "
            f"{days(cpu)}. Of [all {count} ratios on a GPU](docs/performance.md), {faster} are above 1.05 and {slower} "
            "below 0.95.")
    return "\n".join(table(["operation", "-weft", "-peer", "-ratio"], cells) + filled(text)).rstrip("\n")


def faq_block(rows):
    gpu = [row for row in rows if row.is_gpu]
    count, faster, equal, slower = counted(gpu)
    text = (f"[performance](../performance.md) compares weft with other libraries in {count} rows on a GPU "
            f"({gpu[0].run.machine}, {days([row.run for row in gpu])}). weft is more than 5 % faster in {faster} of "
            f"them, within 5 % in {equal}, and more than 5 % slower in {slower}. These operations have slower rows; "
            "the ratio is weft's speed divided by the peer's in the slowest row:")
    cells = []
    for page, (title, link) in PAGES.items():
        compared = [row for row in gpu if row.page == page and row.is_compared]
        slow = [row for row in compared if verdict(row) < 0]
        if slow:
            least = min(slow, key=lambda row: row.speed)
            cells.append((f"[{title}](../ops/{link}.md)", f"{len(slow)} of {len(compared)}", where(least), least.peer,
                          f"{least.speed:.2f}x"))
    heads = ["operation", "-slower rows", "slowest row", "peer", "-ratio"]
    return "\n".join(filled(text) + table(heads, cells)).rstrip("\n")


# The picture, in pixels: a logarithmic axis with a line at 1; bars to the left of it are slower, to the right faster.
LEFT, WIDTH, BAR, TOP = 250, 420, 22, 62
LOW, HIGH = 0.4, 16


def position(value):
    return LEFT + WIDTH * math.log(value / LOW) / math.log(HIGH / LOW)


def picture(rows):
    found = [(entry, find(rows, *entry[1:])) for entry in BARS]
    foot, one = TOP + BAR * len(found), position(1)
    runs = [row.run for _, row in found]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{foot + 44}" '
           f'viewBox="0 0 {LEFT + WIDTH + 60} {foot + 44}" font-family="sans-serif" font-size="13" fill="#222">',
           '<title>Speed of weft divided by the speed of the peer library</title>',
           '<rect width="100%" height="100%" rx="6" fill="#fff"/>',
           '<text x="14" y="24" font-size="16">Speed of weft divided by the speed of the peer library</text>',
           f'<text x="14" y="44" fill="#555">{runs[0].machine}, {days(runs)}; above 1 weft is faster</text>']
    for tick in (0.5, 1, 2, 4, 8, 16):
        x = position(tick)
        if tick != 1:
            out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{foot}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{foot + 20}" text-anchor="middle">{tick:g}</text>')
    for i, (entry, row) in enumerate(found):
        y, end = TOP + BAR * i, position(row.speed)
        colour = "#1b7f8c" if row.speed >= 1 else "#c8641e"
        name = PEER_NAMES.get(entry[4], entry[4])
        out.append(f'<text x="{LEFT - 10}" y="{y + 13}" text-anchor="end">{entry[0]}, {name}</text>')
        out.append(f'<rect x="{min(one, end):.1f}" y="{y}" width="{max(abs(end - one), 1):.1f}" height="{BAR - 6}" '
                   f'fill="{colour}"/>')
        anchor, at = ("start", max(end, one) + 5) if row.speed >= 1 else ("end", end - 5)
        out.append(f'<text x="{at:.1f}" y="{y + 13}" text-anchor="{anchor}">{row.speed:.2f}</text>')
    out.append(f'<line x1="{one:.1f}" x2="{one:.1f}" y1="{TOP - 6}" y2="{foot}" stroke="#222" stroke-width="1.5"/>')
    return "\n".join(out + ["</svg>", ""])


def with_block(path, block):
    """The file's text with its generated block replaced."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"{path}: {BEGIN} and {END} are missing"
    return f"{before}{BEGIN}\n\n{block}\n\n{END}{after}"


def main():
    check = "--check" in sys.argv
    source = Path([word for word in sys.argv[1:] if word != "--check"][0])
    rows, scaling = read_results(source / "bench" / "results")
    readme, faq = source / "README.md", source / "docs/guide/FAQ.md"
    made = {source / "docs/performance.md": performance(rows, scaling),
            source / "docs/pictures/speed.svg": picture(rows),
            readme: with_block(readme, readme_block(rows)), faq: with_block(faq, faq_block(rows))}
    stale = [path for path, text in made.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(source)} is not what bench/performance.py generates: ./x performance")
        else:
            path.write_text(made[path], encoding="utf-8")
            print(f"wrote {path.relative_to(source)}")
    sys.exit(check and bool(stale))


if __name__ == "__main__":
    main()
