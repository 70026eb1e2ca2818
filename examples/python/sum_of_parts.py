"""The sum of a file whose parts are summed by other processes and merged in any order: sum_of_parts.py [FILE.npy] [PARTS]

A sum of floats depends on how the file is split. An exact sum does not: each process returns one as 592 bytes, and any
order of merging gives the bits of the sum of the whole file.
"""

import multiprocessing
import os
import random
import sys
import tempfile

import numpy as np

import pyweft as weft


def sum_of_part(path: str, first: int, end: int) -> bytes:
    return bytes(weft.ExactSum(np.load(path, mmap_mode="r")[first:end]))


def main(path: str, parts: int) -> None:
    values = np.load(path, mmap_mode="r")
    cuts = sorted(random.sample(range(1, len(values)), parts - 1))
    jobs = [(path, first, end) for first, end in zip([0, *cuts], [*cuts, len(values)])]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.starmap(sum_of_part, jobs)
    random.shuffle(found)
    total = weft.ExactSum()
    for part in found:
        total += weft.ExactSum.from_bytes(part)
    print(f"{total.count} values in {parts} parts: sum {total.sum()}, mean {total.mean()}")
    print("same bytes as the whole file:", "yes" if total == weft.ExactSum(values) else "no")


if __name__ == "__main__":
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if len(sys.argv) > 1:
        main(sys.argv[1], count)
    else:
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "values.npy")
            np.save(made, np.random.default_rng(1).lognormal(0, 20, 10**6))
            main(made, count)
