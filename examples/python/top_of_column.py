"""The rows with the greatest values in a column of a table: top_of_column.py [FILE.csv COLUMN K]

Without a file it is a table of stations and their rain.
"""

import csv
import io
import sys

import numpy as np

import pyweft as weft

TABLE = "station,rain\nKiel,751.4\nBrest,1210.6\nPorto,1253.5\nSplit,782.8\nBari,563.1\nOdense,718.9\n"

if len(sys.argv) > 3:
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    column, k = sys.argv[2], int(sys.argv[3])
else:
    rows, column, k = list(csv.DictReader(io.StringIO(TABLE))), "rain", 3

values = np.array([float(row[column]) for row in rows])
greatest, indices = weft.top_k(values, min(k, len(values)))
for value, index in zip(greatest, indices):
    print(f"{value:10g}  {', '.join(rows[index].values())}")
