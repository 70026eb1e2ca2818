"""Reads the tables of benchmark results in bench/results.

A comment before a fenced block of bench/results/*.md marks the block as a source. It names machine, date and commit:

    <!-- performance: NVIDIA H200, CUDA 13.0 | 2026-11-23 | b885689 -->

Every line of the block that has the form of a row of a benchmark program is read; LINES lists the forms. The comment
`<!-- performance: table -->` marks a Markdown table whose columns name all of this instead. If two marked tables
contain the same row, the later date counts; on equal dates the later file name, then the later line.
"""
import dataclasses
import math
import re


# A row of a benchmark. `case` is its name in the pages. The same row in two runs has the same `key`.
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

    @property
    def key(self):
        return self.name, self.log2, self.ranks


@dataclasses.dataclass
class Levels:
    """A row of bench_cpu_levels: the same call with several instruction sets."""
    page: str
    case: str
    elements: str
    threads: str
    times: list  # texts: with v2, v3 and v4
    ratios: list  # texts: speed with v2 and v3, divided by that with v4
    run: Run

    @property
    def key(self):
        return self.page, self.case, self.elements, self.threads


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
    # bench_gpu_sampling, bench_gpu_match, bench_gpu_grid, bench_gpu_exact
    "compared": rf"(?P<name>.+?)\s+(?P<weft>{FLOAT}) ms\s+(?P<rate>{FLOAT}) (?P<unit>G\S+/s)"
              rf"(?:\s+(?P<share>{FLOAT}) % of (?P<of>reading|writing|a copy))?"
              rf"(?:\s+{PEER} ms\s+(?P<ratio>{FLOAT})x)?",
    # bench_gpu_matmul
    "matmul": rf"(?P<name>f32|f32 in f64|f64)\s+(?P<m>\d+) x\s+(?P<n>\d+) x\s+(?P<k>\d+)\s+(?P<weft>{FLOAT})\s+"
              rf"{PEER}\s+(?P<ratio>{FLOAT})x\s+\d+",
    # bench_gpu_transforms
    "transform": rf"(?P<name>\S.*?)\s+(?P<weft>{FLOAT}) us(?:\s+(?P<rate>{FLOAT}) GB/s)?"
                 rf"(?:\s+(?P<peer>cuFFT|by cuFFT)\s+(?P<other>{FLOAT}) us\s+(?P<ratio>{FLOAT})x)?",
    # bench_cpu_mkl, bench_cpu_heat
    "named": rf"(?P<name>\S.*?)\s+(?P<n>\d+|2\^\d+|-)\s+(?P<threads>\d+)\s+(?P<weft>{FLOAT}) "
             rf"(?P<unit>GFLOP/s|us|ns a sample|ns a point and step)\s+{PEER}\s+(?P<ratio>{FLOAT})x",
    # bench_cpu
    "cpu": rf"(?P<name>\S.*?)\s+(?P<n>\d+)\s+(?P<threads>\d+)\s+(?P<weft>{FLOAT})\s+{PEER}\s+(?P<ratio>{FLOAT})x\s+"
           rf"(?P<share>{FLOAT}) %",
}
# bench_cpu_levels
LEVELS = re.compile(rf"(\S.*?)\s+(\d+)\s+(\d+)\s+v2\s+({FLOAT}|-) v3\s+({FLOAT}|-) v4\s+({FLOAT}) (ns|us|ms)\s+"
                    rf"(?:({FLOAT})x|-)\s+(?:({FLOAT})x|-)")
RANKS = re.compile(r"2\^(\d+) elements, (\d+) ranks of ")
RANK = re.compile(rf"(\S.*?)\s+({FLOAT})\s+{FLOAT}\s+({FLOAT})\s+({FLOAT})\s+({FLOAT}) %\s+yes")

# The page and the printed case of a row, by the first expression that matches its name in the program's output. An
# indented name follows the name of the last line that is not indented, after ": ". A row that no expression matches and
# that begins with the name of a page in docs/ops belongs to that page, and its case is its name.
CASES = [
    ("memory", r"read only", "a kernel that only reads"),
    ("memory", r"device copy", "a copy, read and written"),
    ("segmented", r"(segmented (?:sum|scan)|sum by key) (\S+)", r"\1 f32, segments of \2"),
    ("map_reduce", r"mean of 1\.28e9, f32 in f64: and its normals made",
     "mean of a formula of 1.28e9 normals, normals generated"),
    ("map_reduce", r"mean of 1\.28e9, f32 in f64: and its fast normals made",
     "mean of a formula of 1.28e9 normals, fast normals generated"),
    ("map_reduce", r"mean of 1\.28e9, f32 in f64", "mean of a formula of 1.28e9 values, f32 accumulated in f64"),
    ("map_reduce", r"mean of (.*), f32: f32 in f64", r"mean of \1, f32 accumulated in f64"),
    ("map_reduce", r"mean of (.*), f32: f64", r"mean of \1, f64"),
    ("map_reduce", r"mean of (.*), f32", r"mean of \1, f32"),
    ("map_reduce", r"running (.*), f32: f32 in f64", r"running sum of \1, f32 accumulated in f64"),
    ("map_reduce", r"running (.*), f32: f64", r"running sum of \1, f64"),
    ("map_reduce", r"running (.*), f32", r"running sum of \1, f32"),
    ("map_reduce", r"map (.*)", r"map \1"),
    ("reduce", r"(sum|min|max|mean|norm2) (\w+)", r"\1 \2"),
    ("reduce", r"(sum|mean) (\w+) exact", r"\1 \2 exact"),
    ("reduce", r"(sum) (\w+) L(\d+)", r"\1 \2, \3 lanes"),
    ("reduce", r"(argmax) (\w+)", r"\1 \2"),
    ("scan", r"scan max (\w+)", r"inclusive max \1"),
    ("scan", r"scan (\w+)", r"inclusive sum \1"),
    ("recurrence", r"recurrence (\w+): rows of (\d+)", r"\1, rows of \2"),
    ("recurrence", r"recurrence (\w+)", r"\1, one row"),
    ("gather", r"(gather|scatter) 64 (\w+)", r"\1 \2, rows of 64 in random order"),
    ("gather", r"(gather|scatter) (\w+)", r"\1 \2, random order"),
    ("gather", r"gather (\w+) skip", r"gather \1, random order, range not checked"),
    ("select", r"select f32 5%", "select f32, 5 % kept"),
    ("select", r"select flags", "select f32 by flags, half kept"),
    ("select", r"select (\w+)", r"select \1, half kept"),
    ("partition", r"partition (\w+)", r"partition \1, half selected"),
    ("histogram", r"256, all equal", "256 bins, all values equal, f32"),
    ("histogram", r"2\^20, all eq\.", "2^20 bins, all values equal, f32"),
    ("histogram", r"bins (\S+) (\w+)", r"\1 bins, \2"),
    ("histogram", r"bins (\S+)", r"\1 bins, f32"),
    ("histogram", r"edges (\d+)", r"\1 edges, f32"),
    ("search_sorted", r"search, sorted", "f32, needles sorted"),
    ("search_sorted", r"search, random", "f32, needles random"),
    ("top_k", r"top (\d+)(?: of 2\^20)?", r"largest \1"),
    ("argsort", r"argsort u32,64", "argsort u32, indices u64"),
    ("argsort", r"argsort u32", "argsort u32, indices u32"),
    ("sort", r"sort u32 down", "sort u32, descending"),
    ("sort", r"sort (\w+)", r"sort \1"),
    ("sort", r"pairs u32\+(\d+)", r"sort u32 keys with values of \1 bytes"),
    ("matmul", r"matmul (.*), order", r"\1"),
    ("matmul", r"matmul (.*)", r"\1"),
    ("fft", r"fft (.*)", r"\1"),
    ("random", r"random (.*)", r"\1"),
    ("tridiag", r"tridiag (.*)", r"\1"),
    ("heat", r"heat (f32|f64), (.*)", r"\1, \2"),
    ("matmul", r"f32 in f64 (\d+ x \d+ x \d+)", r"f32 accumulated in f64, \1"),
    ("matmul", r"(f32|f64) (\d+ x \d+ x \d+)", r"\1, \2"),
    ("fft", r"(c2c|r2c|c2r) (f32|f64) (.*)", r"\1 \2, \3"),
    ("convolve", r"copy of device memory", "a copy of 2^28 f32"),
    ("convolve", r"direct (.*)", r"direct, \1"),
    ("convolve", r"convolve f32 (\d+) x (\d+)", r"by transforms, f32, \1 values, \2 taps"),
    ("tridiag", r"adjacent rows", "contiguous systems"),
    ("tridiag", r"(interleaved systems|constant coefficients|interleaved, constant|one system)", r"\1"),
    ("tridiag", r"one of few rows", "one short system"),
    ("pentadiag", r"pentadiag, adjacent", "contiguous systems"),
    ("pentadiag", r"pentadiag, interleaved", "interleaved systems"),
    ("pentadiag", r"pentadiag, one system", "one system"),
    ("block_tridiag", r"(\d x \d) blocks(, one system)?", r"blocks of \1\2"),
    ("heat", r"heat (.*), C\.-N\.", r"\1, Crank-Nicolson"),
    ("heat", r"heat (.*)", r"\1, backward Euler"),
    ("laplace", r"laplace (.*)", r"ten sweeps, \1"),
    ("laplace", r"multigrid (.*)", r"multigrid to a residual of 1e-6, \1"),
    ("random", r"(uniform|(?:fast )?(?:log-)?normal|exponential) (\w+)", r"\1 \2, 1 GiB"),
    ("sobol", r"sobol (\w+), Owen, (.*)", r"\1, Owen-scrambled, \2"),
    ("sobol", r"sobol (\w+), shifted, (.*)", r"\1, digital shift, \2"),
    ("sobol", r"sobol (\w+), plain, (.*)", r"\1, unscrambled, \2"),
    ("price", r"price, the classic, fast normals, f32",
     "double digital option, 9.6e6 paths of 100 steps, f32, fast normals"),
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
         "gtsv2": "cuSPARSE gtsv2", "gtsv2, f64": "cuSPARSE gtsv2",
         "gtsvInterleavedBatch, LU": "cuSPARSE gtsvInterleavedBatch, LU, interleaved",
         "gtsvInterleavedBatch, QR": "cuSPARSE gtsvInterleavedBatch, QR",
         "gpsvInterleavedBatch": "cuSPARSE gpsvInterleavedBatch",
         "cuRAND, Sobol32": "cuRAND, scrambled Sobol32", "cuRAND, Sobol64": "cuRAND, scrambled Sobol64",
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


def digits(value):
    """Three significant digits; whole numbers from 100 on."""
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def quantity(text):
    """A figure and its factor to the base unit: '1.9 s' is (1.9, 1), '23 us' is (23, 1e-6). None if there is none."""
    found = re.match(rf"({FLOAT})\s*(ns|us|ms)?", text)
    return (float(found[1]), {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, None: 1}[found[2]]) if found else None


def case_of(name, pages):
    for page, expression, case in [*CASES, *((page, rf"{page} .+", r"\g<0>") for page in pages)]:
        found = re.fullmatch(expression, name)
        if found:
            return page, re.sub(r"\d{5,}", lambda digits: number(digits[0]), found.expand(case))
    return None


def row_of(line, above, run, pages):
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
        elif form == "compared":
            unit, share = "ms", share and f"{share} % of {field['of'] or 'a copy'}"
            share = ", ".join(filter(None, [f"{digits(float(field['rate']))} {field['unit']}", share]))
        elif form == "matmul":
            unit, name, elements = "TFLOP/s", f"{name} {field['m']} x {field['n']} x {field['k']}", ""
        elif form == "named":
            unit, elements = field["unit"], elements.strip("-")
        elif form == "transform":
            unit, share = "us", field["rate"] and f"{field['rate']} GB/s"
        else:
            unit, share = "GB/s", ""
        found = case_of(name, pages)
        if not found:
            return None
        peer, other = field.get("peer", ""), field.get("other", "")
        if peer in ("", "-"):
            peer = other = field["ratio"] = ""
        elements = " x ".join(map(number, elements.split(" x ")))
        peer = "CUB SortKeys, sorts all elements" if found[0] == "top_k" else PEERS.get(peer, peer)
        return Row(*found, elements, field.get("threads", ""), f"{weft} {unit}", peer,
                   other and f"{other} {unit.split(',')[0].split(' ')[0]}",
                   field["ratio"] and field["ratio"] + "x", share, run)
    return None


def levels_of(line, run, pages):
    """The row of bench_cpu_levels that the line contains, or None."""
    found = LEVELS.fullmatch(line.rstrip())
    if not found:
        return None
    name, n, threads, *times, unit, of_v2, of_v3 = found.groups()
    named = case_of(name, pages)
    return named and Levels(*named, number(n), threads, ["" if time == "-" else f"{time} {unit}" for time in times],
                  [ratio and f"{ratio}x" or "" for ratio in (of_v2, of_v3)], run)


def read_block(lines, run, pages):
    """The rows, the scaling rows and the rows of instruction sets of a fenced block."""
    rows, scaling, levels, above, ranks = [], [], [], "", None
    for line in lines:
        heading = RANKS.match(line)
        if heading:
            ranks = int(heading[1]), int(heading[2])
        scaled = RANK.fullmatch(line.rstrip()) if ranks else None
        if scaled:
            scaling.append(Scaling(scaled[1], *ranks, scaled[2], scaled[3], scaled[4], scaled[5], run))
            continue
        compared = levels_of(line, run, pages)
        if compared:
            levels.append(compared)
            continue
        row = row_of(line, above, run, pages)
        if not line.startswith("  ") and line.strip():
            above = re.split(r"\s{2,}| (?:GB/s|Gkeys/s|latency us|queued us) ", line)[0]
        if row:
            rows.append(row)
    return rows, scaling, levels


def newest_of(rows):
    """The rows without those of which a later run has another."""
    newest = {}
    for row in sorted(rows, key=lambda row: row.run.date):  # stable
        newest[row.key] = row
    return [row for row in rows if newest[row.key] is row]


def read_table(lines, file):
    rows = []
    for line in lines[2:]:
        *cells, machine, date, commit = (cell.strip() for cell in line.strip().strip("|").split("|"))
        rows.append(Row(*cells, "", Run(machine, date, commit, file)))
    return rows


def read_results(folder):
    """All rows, scaling rows and rows of instruction sets that count, in the order of the files."""
    pages = [page.stem for page in sorted((folder.parents[1] / "docs/ops").glob("*.md"))]
    rows, scaling, levels = [], [], []
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
            run = Run(*(part.strip() for part in marked[1].split("|")), file.name)
            found = read_block(lines[first + 1:end], run, pages)
            rows += found[0]
            scaling += found[1]
            levels += found[2]
    return newest_of(rows), newest_of(scaling), newest_of(levels)
