#!/usr/bin/env python3
"""Writes co2.npy and co2_tenths.npy next to this file from the CSV named on the command line.

    python3 make_co2.py co2.csv

The CSV has a header line, then lines "date,ppm" of one week each; weeks without a value are dropped.
Only the standard library is used: the .npy format is written by hand."""
import array
import csv
import decimal
import pathlib
import sys


def write_npy(path, descr, values):
    """One-dimensional, little endian, format version 1: the data starts at a multiple of 64 bytes."""
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    if sys.byteorder == "big":
        values.byteswap()
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes()
    path.write_bytes(data)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as file:
        ppm = [decimal.Decimal(row["co2"]) for row in csv.DictReader(file) if row["co2"]]
    tenths = [int(value * 10) for value in ppm]
    if any(value * 10 != whole for value, whole in zip(ppm, tenths)):
        sys.exit("a value is not a whole number of tenths")
    here = pathlib.Path(__file__).parent
    write_npy(here / "co2.npy", "<f8", array.array("d", map(float, ppm)))
    write_npy(here / "co2_tenths.npy", "<i4", array.array("i", tenths))
    print(f"{len(ppm)} weeks")


main()
