"""Prints the mean and the standard deviation of each column of a table, and the z-scores of its rows.

    python z_scores.py [TABLE.csv]

The first line of the table has the names of the columns, all others have numbers. Without arguments, a small table is
used. All results have the same bits on every machine.
"""

import sys

import numpy as np
import pyweft as weft

TABLE = ["height,mass,age", "1.62,58,31", "1.75,71,45", "1.81,90,27", "1.70,65,38"]


def main():
    lines = open(sys.argv[1], encoding="utf-8").read().splitlines() if len(sys.argv) > 1 else TABLE
    names = lines[0].split(",")
    x = np.array([[float(field) for field in line.split(",")] for line in lines[1:]])
    mean = weft.mean(x, axis=0)
    deviation = weft.map("sqrt(v)", v=weft.variance(x, axis=0, ddof=1))
    z_scores = weft.map("(x - mean)/deviation", x=x, mean=mean, deviation=deviation)  # broadcast to each row
    for name, m, d in zip(names, mean, deviation):
        print(f"{name:10} mean {m:10.4f}  deviation {d:10.4f}")
    for row in z_scores:
        print(" ".join(f"{z:8.4f}" for z in row))


main()
