"""The mean of many values, the same to the last bit whoever computes it: mean.py [COUNT]

A sum of floats depends on the order of its rounding steps. Here the values are worked on as they are, on one thread, and
by the specification, and the bits are the same; NumPy's sum of the reversed array has others.
"""

import sys

import numpy as np

import pyweft as weft

count = int(sys.argv[1]) if len(sys.argv) > 1 else 10**8
values = np.random.default_rng(1).lognormal(0, 3, count).astype(np.float32)

mean = weft.mean(values)
print(f"mean of {count} values: {mean}, bits {mean.view(np.uint32):#010x}")

weft.set_threads(1)
alone = weft.mean(values)
specified = weft.mean(values[:1000], device="ref"), weft.mean(values[:1000])
print(f"on one thread:          {alone}, bits {alone.view(np.uint32):#010x}")
print("same bits:", "yes" if alone == mean and specified[0] == specified[1] else "no")
