"""The sums of a column of a table by two others: pivot_table.py [FILE.csv ROW COLUMN VALUE]

Without a file it is a table of sales.
"""

import csv
import io
import sys

import numpy as np

import pyweft as weft

TABLE = "shop,item,sold\nBonn,tea,3.5\nYork,tea,2\nBonn,jam,1.25\nYork,jam,4\nBonn,tea,0.5\n"

if len(sys.argv) > 4:
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    by_row, by_column, value = sys.argv[2:5]
else:
    table, by_row, by_column, value = list(csv.DictReader(io.StringIO(TABLE))), "shop", "item", "sold"

rows, row = np.unique([line[by_row] for line in table], return_inverse=True)
columns, column = np.unique([line[by_column] for line in table], return_inverse=True)
cells = row * len(columns) + column
values = [float(line[value]) for line in table]
sums = weft.scatter_reduce(values, cells, len(rows) * len(columns)).reshape(len(rows), len(columns))

print(f"{by_row:10}", *(f"{name:>10}" for name in columns))
for name, line in zip(rows, sums):
    print(f"{name:10}", *(f"{number:10g}" for number in line))
