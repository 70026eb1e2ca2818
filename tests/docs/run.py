"""Tests the examples of the documentation. Fragments and programs of C are compiled and run. Commands are run in the
order of each page, and must print the lines shown below them.

    run.py SOURCE_DIR BUILD_DIR PAGE...

sh runs a line "$ command" in an indented or a fenced block; lines "> ..." below it belong to the command. The lines
below it, up to the next command or the end of the block, are its output. A blank line ends an indented block. In a
fenced block, blank lines are ignored. A block of C with a main() is a program, whose first line contains its file name:
/* total.c */; commands below compile it. Any other block of C is a fragment, which can use a context and the arrays and
files below.
"""
import math
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# Declarations that fragments can use; their own declarations hide these.
FRAGMENT = """
#include <stdio.h>
#include <weft.h>
enum {{ n = 1000, CAPACITY = 256 * 256 * 256 }};
static double u[CAPACITY];
static float x[2 * n], y[2 * n], z[n];
static uint64_t values[n], lengths[n], where[n], counts[n];
static uint32_t codes[n], dice[n];
static uint8_t flags[n], pixels[n];
static char text[n];
int main(void) {{
    weft_context *ctx;
    if (weft_open(&ctx, "cpu") != WEFT_OK) return puts(weft_last_error(NULL)), 1;
    {{
{}
    }}
    const int failed = weft_last_error(ctx)[0] != 0;
    if (failed) puts(weft_last_error(ctx));
    weft_close(ctx);
    return failed;
}}
"""

# Input files of the commands that no command of their page makes, by page; name: dtype, shape, value at i.
FILES = {
    "block_tridiag": {name: ("<f8", shape, lambda i, v=v: v(i)) for name, shape, v in
                      (("a.npy", (9, 2, 2), lambda i: -1), ("b.npy", (9, 2, 2), lambda i: 9 - 2 * (i % 3)),
                       ("c.npy", (9, 2, 2), lambda i: -1), ("d.npy", (9, 2), lambda i: i))},
    "convolve": {"signal.npy": ("<f4", (50,), lambda i: i % 7), "filter.npy": ("<f4", (11,), lambda i: 1 / 11),
                 "pattern.npy": ("<f4", (11,), lambda i: i % 7), "image.npy": ("<f4", (20, 30), lambda i: i % 7)},
    "convolve2d": {"image.npy": ("<f4", (20, 30), lambda i: i % 7), "kernel.npy": ("<f4", (3, 3), lambda i: i - 4)},
    "dot": {"x.npy": ("<f4", (2, 3), lambda i: i + 1), "w.npy": ("<f4", (3,), lambda i: (1, 0, 2)[i])},
    "fft": {"signal.npy": ("<f4", (64,), lambda i: i % 7)},
    "heat": {"rod.npy": ("<f4", (128,), lambda i: 1), "plate.npy": ("<f4", (200, 200), lambda i: math.hypot(
        i % 200 - 60, i // 200 - 70) < 30 or -0.6 * (110 < i % 200 < 170 and 90 < i // 200 < 160))},
    "histogram": {"image.npy": ("|u1", (20, 30), lambda i: i % 251)},
    "laplace": {"u0.npy": ("<f4", (9, 9, 9), lambda i: i % 9)},
    "map": {name: ("<f4", (1000,), lambda i: i / 100 - 3) for name in ("x.npy", "y.npy", "z.npy")} |
           {"table.npy": ("<f4", (20, 30), lambda i: i % 17)},
    "matmul": {"a.npy": ("<f4", (20, 30), lambda i: i % 17 / 16), "b.npy": ("<f4", (30, 10), lambda i: i % 23 / 22)},
    "reduce_axes": {"x.npy": ("<f4", (2, 3), lambda i: i + 1)},
    "scan_axis": {"field.npy": ("<f4", (3, 2), lambda i: (3, 1, 4, 1, 5, 9)[i])},
    "sort_axis": {"scores.npy": ("<f4", (2, 3), lambda i: (3, 1, 4, 1, 5, 9)[i])},
    "quantile_axis": {"scores.npy": ("<f4", (2, 3), lambda i: (3, 1, 4, 1, 5, 9)[i])},
    "top_k_axis": {"scores.npy": ("<f4", (2, 3), lambda i: (3, 1, 4, 1, 5, 9)[i])},
    "tridiag": {name: ("<f8", (100,), lambda i, v=v: v) for name, v in
                (("a.npy", -1), ("b.npy", 3), ("c.npy", -1), ("d.npy", 1))},
    "tridiag_pivot": {name: ("<f8", (100,), lambda i, v=v: v) for name, v in
                      (("a.npy", 1), ("b.npy", 0), ("c.npy", 2), ("d.npy", 1))},
}
LETTERS = {"u1": "B", "i4": "i", "u8": "Q", "f4": "f", "f8": "d"}


def write_npy(path, dtype, shape, value):
    count = math.prod(shape)
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(-(len(header) + 11) % 64 + len(header)) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{count}{LETTERS[dtype[1:]]}", *map(value, range(count))))


def blocks(page):
    """Yields the blocks of the page in order: (language, lines). Indented ones have the language ''."""
    lines, language, block = page.read_text(encoding="utf-8").split("\n"), None, []
    for line in lines + [""]:
        fence = re.match(r"```(\w*)$", line)
        if language == "indented" and not line.startswith("    "):
            yield "", block
            language, block = None, []
        if fence and language is None:
            language, block = fence[1], []
        elif fence:
            yield language, block
            language, block = None, []
        elif language is None and line.startswith("    "):
            language, block = "indented", [line[4:]]
        elif language is not None:
            block.append(line[4:] if language == "indented" else line)


def run(command, folder, environment):
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, errors="replace")
    return done.returncode, done.stdout


def words(text):
    """Returns the lines with single spaces between words, so that comparisons ignore the spacing and blank lines."""
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


def commands(lines):
    """Returns the pairs (command, expected output) of a block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        elif found and line.strip() and found[-1] is not None:
            found[-1][1].append(line)
    return found


def as_program(fragment):
    includes = [line for line in fragment if line.startswith("#include")]
    return "\n".join(includes) + FRAGMENT.format("\n".join(line for line in fragment if line not in includes))


class Page:
    def __init__(self, path, folder, environment, sources):
        self.path, self.folder, self.environment, self.failures, self.count = path, folder, environment, 0, 0
        self.sources = f"-I{sources}"  # of the library, for pages about its internals
        for name, (dtype, shape, value) in FILES.get(path.stem, {}).items():
            write_npy(folder / name, dtype, shape, value)

    def expect(self, what, ok, printed):
        self.count += 1
        if not ok:
            self.failures += 1
            print(f"{self.path.name}: {what}\n" + printed)

    def compile(self, source, program):
        return run(f"cc -std=c17 -Wall -Wextra -Werror -Wno-unused -Wno-maybe-uninitialized {self.sources} {source} "
                   f"$(pkg-config --cflags --libs weft) -lm -o {program}",
                   self.folder, self.environment)

    def try_c(self, block):
        text = "\n".join(block)
        named = re.match(r"/\* ([\w.]+) ", block[0])
        if "int main" in text and named:
            (self.folder / named[1]).write_text(text + "\n")
            return
        whole = "int main" in text
        (self.folder / "fragment.c").write_text(text if whole else as_program(block))
        code, printed = self.compile("fragment.c", "fragment")
        if code == 0:
            code, printed = run("./fragment", self.folder, self.environment)
        self.expect(text, code == 0, printed)

    def try_commands(self, block):
        for command, expected in commands(block):
            missing = [name for name in re.findall(r"(?<!\S)/usr/share/\S+", command) if not Path(name).exists()]
            if missing:
                print(f"{self.path.name}: left out because {missing[0]} does not exist: {command}")
                continue
            code, printed = run(command, self.folder, self.environment)
            # A command may fail only if its output is shown.
            ok = words(printed) == words("\n".join(expected)) if expected else code == 0
            self.expect(command, ok, f"exit code {code}\n{printed}")


def main():
    source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = [Path(page) for page in sys.argv[3:]]
    failures = count = 0
    with tempfile.TemporaryDirectory() as work:
        installed = Path(work) / "installed"
        subprocess.run(["cmake", "--install", build, "--prefix", installed], stdout=subprocess.DEVNULL, check=True)
        library = next(installed.glob("lib*/libweft.so")).parent
        environment = {"PATH": f"{installed}/bin:/usr/local/bin:/usr/bin:/bin", "HOME": work, "LC_ALL": "C",
                       "LD_LIBRARY_PATH": str(library), "PKG_CONFIG_PATH": f"{library}/pkgconfig"}
        for path in pages:
            folder = Path(work) / path.stem
            folder.mkdir()
            (folder / "examples").symlink_to(source / "examples")
            page = Page(path, folder, environment, source / "src")
            for language, block in blocks(path):
                if language == "c":
                    page.try_c(block)
                elif language in ("", "console"):
                    page.try_commands(block)
            failures, count = failures + page.failures, count + page.count
    print(f"{count} examples of {len(pages)} pages, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
