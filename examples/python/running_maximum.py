"""Computes the highest value so far at each point of a field over time, latitude and longitude.

    python running_maximum.py [FIELD.npy [RESULT.npy]]

Prints how many points reached a new maximum at each time. Without arguments, a field of pseudo-random numbers is used.
The array may be in C or in Fortran order, in which models often store fields: no copy is made.
"""

import sys

import numpy as np
import pyweft as weft


def main():
    if len(sys.argv) > 1:
        field = np.load(sys.argv[1], mmap_mode="r")
    else:
        field = weft.random.normal(10 * 18 * 36, seed=1, dtype=np.float32).reshape(10, 18, 36)
    so_far = weft.scan(field, "max", axis=0)
    records = np.concatenate([so_far[:1] == so_far[:1], so_far[1:] > so_far[:-1]])
    for time, count in enumerate(weft.count_nonzero(records, axis=(1, 2))):
        print(f"time {time}: {count} of {so_far[0].size} points at a new maximum")
    if len(sys.argv) > 2:
        np.save(sys.argv[2], so_far)


main()
