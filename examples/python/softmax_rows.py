"""Computes the softmax of each row of a table in f32 or f16: probabilities in proportion to exp(x), which add up to 1.

    python softmax_rows.py [TABLE.npy [RESULT.npy]]

The greatest value of the row is subtracted first, so that exp does not overflow. Without arguments, a small table
is used. The probabilities have the same bits on every machine. Those of a table of f16 are f16: all steps are in f32,
and each probability is rounded once.
"""

import sys

import numpy as np
import pyweft as weft

TABLE = [[1, 2, 3], [1000, 1000, 1000], [-50, 0, 50]]


def softmax(x):
    greatest = weft.max(x, axis=1, keepdims=True)  # shape (rows, 1), which is broadcast to each row
    terms = weft.map("exp(x - greatest)", x=x, greatest=greatest, dtype=np.float32)
    total = weft.sum(terms, axis=1, keepdims=True)
    return weft.map("terms/total", terms=terms, total=total, dtype=x.dtype)


def main():
    table = np.load(sys.argv[1]) if len(sys.argv) > 1 else np.array(TABLE)
    probabilities = softmax(table if table.dtype == np.float16 else table.astype(np.float32))
    for row in probabilities:
        print(" ".join(f"{p:.6g}" for p in row))
    bits = probabilities[0].view(f"u{probabilities.itemsize}")
    print("bits of the first row:", " ".join(f"{b:0{2 * bits.itemsize}x}" for b in bits))
    if len(sys.argv) > 2:
        np.save(sys.argv[2], probabilities)


main()
