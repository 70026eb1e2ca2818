"""Generates docs/performance.md, docs/pictures/speed.svg and the blocks of figures in README.md and docs/guide/FAQ.md
from the tables in bench/results, which result_tables.py reads.

    performance.py [--check] SOURCE_DIR     --check: writes nothing; fails if a file is not what this program generates
"""
import math
import re
import sys
import textwrap
from pathlib import Path

from result_tables import read_results

TITLES = {  # headings that are not the name of the operation
    "reduce": "Reductions", "dot": "Dot product", "scan": "Prefix scans", "recurrence": "Recurrences",
    "gather": "Gather and scatter", "reduce_axes": "Reductions along axes", "scan_axis": "Scans along an axis",
    "sort_axis": "Sorts along an axis", "top_k_axis": "Largest k along an axis",
    "quantile_axis": "Quantiles along an axis", "copy_view": "Copies of views",
    "take_axis": "Elements by index along an axis",
    "segmented": "Segmented operations", "run_length": "Run lengths", "histogram": "Histograms",
    "search_sorted": "Search in sorted arrays", "top_k": "Largest k", "matmul": "Matrix products",
    "fft": "Fourier transforms", "convolve": "Convolutions",
    "convolve2d": "Two-dimensional convolutions", "tridiag": "Tridiagonal systems",
    "block_tridiag": "Block-tridiagonal systems", "pentadiag": "Pentadiagonal systems", "heat": "Heat equation",
    "laplace": "Laplace's equation", "map": "Formulas", "random": "Random numbers", "sobol": "Sobol points",
    "tridiag_pivot": "Tridiagonal systems with pivoting", "price": "Option prices", "match": "Words in a text",
}


def pages(index):
    """Title and page of each table. The order is that of the operations in docs/README.md."""
    found = {"memory": ("Speed of the memory", None)}
    for stem in re.findall(r"\]\(ops/(\w+)\.md\)", index.read_text(encoding="utf-8")):
        title = TITLES.get(stem, stem.replace("_", " ").capitalize())
        found.update({name: (title, stem) for name in (("map_reduce", "map") if stem == "map" else (stem,))})
    return found


PAGES = pages(Path(__file__).resolve().parents[1] / "docs/README.md")
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
    ("sort of i32", "sort", "sort i32", "2^28", "CUB"),
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
    ("sort of 2^28 i32", *BARS[7][1:]),
    ("merge to 2^28 f32", *BARS[6][1:]),
    ("product of 8192 x 8192 f32 matrices", *BARS[8][1:]),
    ("2^28 normal random numbers, f32", *BARS[12][1:]),
    ("2^28 fast normal random numbers, f32", "random", "fast normal f32, 1 GiB", "", "cuRAND"),
    ("CPU: sum of 2^26 f32, 16 threads", "reduce", "sum f32", "2^26", "OpenMP"),
    ("CPU: dot product of 2^26 f64, 16 threads", "dot", "dot f64", "2^26", "OpenBLAS"),
]


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


def listed(parts):
    """The parts as a list in a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def days(runs):
    """The dates of the runs: "22 and 23 November 2026"."""
    by_month = {}
    for date in sorted({run.date for run in runs}):
        by_month.setdefault(date[:7], []).append(day(date))
    return listed([listed([one.split()[0] for one in dates[:-1]] + dates[-1:]) for dates in by_month.values()])


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


def levels_lines(levels, letters):
    cells = [(PAGES[row.page][0], row.case, row.elements, row.threads, *row.times, *row.ratios, letters[row.run])
             for page in PAGES for row in levels if row.page == page]
    return table(["operation", "case", "-elements", "-threads", "-v2", "-v3", "-v4", "-v2 of v4", "-v3 of v4", "run"],
                 cells)


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
LEVELS = """
Time of the same call with the instruction sets x86-64-v2 (SSE4.2), v3 (AVX2 and FMA) and v4 (AVX-512) of one machine
(devices `cpu:v2`, `cpu:v3` and `cpu:v4`). The last columns are the speed with v2 and v3 divided by the speed with v4.
All three return the same bits. v2 has no fused multiply-add: operations whose order contains it compute it by several
instructions or by a function. The elements of matrix products are the order of the matrices.
"""
SEVERAL = """
The array is spread over the GPUs of one host, with one MPI rank for each GPU ([dist](guide/dist.md)). Blocks are sent
by NCCL. *Weak scaling* is the time of one GPU with the elements of one rank, divided by the time of all GPUs with all
elements.
"""


def performance(rows, scaling, levels):
    runs = sorted({row.run for row in (*rows, *scaling, *levels)},
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
    if levels:
        lines += ["## Instruction sets of a CPU", "", *filled(LEVELS), *levels_lines(levels, letters)]
    lines += ["## Several GPUs", "", *filled(SEVERAL), *scaling_lines(scaling, letters)]
    return "\n".join(lines).rstrip("\n") + "\n"


def machines(runs):
    """The machines of the runs, without versions of CUDA: "NVIDIA H200 and NVIDIA H100"."""
    return " and ".join(dict.fromkeys(run.machine.split(", CUDA")[0] for run in runs))


def readme_block(rows):
    found = [in_table(rows, entry) for entry in TABLE]
    gpu, cpu = ([row.run for row in found if row.is_gpu is flag] for flag in (True, False))
    count, faster, equal, slower = counted([row for row in rows if row.is_gpu])
    names = [PEER_NAMES.get(entry[4], entry[4]) for entry in TABLE]
    cells = [(entry[0], row.weft, f"{name} {row.of_peer}", ratio(row)) for entry, row, name in zip(TABLE, found, names)]
    text = (f"Ratio: weft's speed divided by the peer's. GPU: {machines(gpu)}, {days(gpu)}. CPU: {machines(cpu)}, "
            f"{days(cpu)}. Of [all {count} ratios on a GPU](docs/performance.md), {faster} are above 1.05 and {slower} "
            "below 0.95.")
    return "\n".join(table(["operation", "-weft", "-peer", "-ratio"], cells) + filled(text)).rstrip("\n")


def faq_block(rows):
    gpu = [row for row in rows if row.is_gpu]
    runs = [row.run for row in gpu]
    count, faster, equal, slower = counted(gpu)
    text = (f"[performance](../performance.md) compares weft with other libraries in {count} rows on a GPU "
            f"({machines(runs)}, {days(runs)}). weft is more than 5 % faster in {faster} of "
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
           f'<text x="14" y="44" fill="#555">{machines(runs)}, {days(runs)}; above 1 weft is faster</text>']
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
    rows, scaling, levels = read_results(source / "bench" / "results")
    readme, faq = source / "README.md", source / "docs/guide/FAQ.md"
    made = {source / "docs/performance.md": performance(rows, scaling, levels),
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
