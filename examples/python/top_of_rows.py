"""The greatest values of each row of a table, with the names of their columns: top_of_rows.py [FILE.csv K]

The first column contains the names of the rows. Without a file it is a table of students and their marks.
"""

import csv
import io
import sys

import numpy as np

import pyweft as weft

TABLE = "student,art,biology,latin,music,physics\nAda,71,88,64,90,97\nBo,82,65,82,79,60\nCy,58,93,77,93,85\n"

if len(sys.argv) > 2:
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    k = int(sys.argv[2])
else:
    header, *rows = csv.reader(io.StringIO(TABLE))
    k = 2

table = np.array([[float(value) for value in row[1:]] for row in rows])
greatest, columns = weft.top_k(table, min(k, table.shape[1]), axis=1)
for row, values, indices in zip(rows, greatest, columns):
    print(f"{row[0]}:", ", ".join(f"{header[1 + i]} {value:g}" for i, value in zip(indices, values)))
