"""Sorts the lines of logs by their time: sort_log.py [FILE ...]

A line begins with a time like 2026-04-01T12:00:00.250. The sort is stable: lines of one time stay in their order, so
that several logs, given one after another, are merged as they were written.
"""

import sys

import numpy as np

import pyweft as weft

LINES = [
    "2026-04-01T12:00:02.100 b: served",
    "2026-04-01T12:00:01.000 b: asked",
    "2026-04-01T12:00:00.250 a: started",
    "2026-04-01T12:00:01.000 a: asked",
]

lines = [line for name in sys.argv[1:] for line in open(name, encoding="utf-8").read().splitlines()] or LINES
times = np.array([line.split(" ", 1)[0] for line in lines], "datetime64[ms]")

for index in weft.argsort(times.view(np.int64)):
    print(lines[index])
