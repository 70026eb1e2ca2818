"""A moving average by a scan: moving_average.py [FILE.npy] [WINDOW]

The running sums of a series, taken once, give the sum of any window as a difference of two of them. Without a file it
is the carbon dioxide in the air, in tenths of a ppm, over the 52 weeks of a year.
"""

import sys
from pathlib import Path

import numpy as np

import pyweft as weft

file = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "data" / "co2_tenths.npy"
window = int(sys.argv[2]) if len(sys.argv) > 2 else 52
series = np.load(file)

# Tenths of a ppm are integers, so that the running sums, and their differences, are exact.
before = weft.scan(series, exclusive=True, dtype=np.int64)
ends = np.append(before[window:], before[-1] + series[-1])
averages = (ends - before[: len(ends)]) / window

print(f"{len(averages)} averages over {window}: first {averages[0]:.3f}, last {averages[-1]:.3f}")
