#!/usr/bin/env python3
"""Writes one .npy file by hand, well or wrongly formed.

    npy.py FILE DESCR SHAPE [VALUE ...] [OPTION ...]

DESCR is '<f4' and the like; a complex VALUE is two numbers. SHAPE is written into the header unchanged, as '(3,)'. The options are below."""
import argparse
import struct

LETTERS = {"i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q",
           "f2": "e", "f4": "f", "f8": "d", "b1": "B", "V2": "H", "c8": "f", "c16": "d"}


def pack(descr, values):
    kind = descr[1:]
    order = ">" if descr[0] == ">" else "<"
    number = float if kind[0] in "fc" else lambda text: int(text, 0)
    return b"".join(struct.pack(order + LETTERS[kind], number(text)) for text in values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("descr")
    parser.add_argument("shape")
    parser.add_argument("values", nargs="*")
    parser.add_argument("--version", type=int, default=1)
    parser.add_argument("--order", default="False", help="text of fortran_order")
    parser.add_argument("--header", help="the whole dictionary, in place of the one made from DESCR and SHAPE")
    parser.add_argument("--align", type=int, default=64, help="the elements start at a multiple of this")
    parser.add_argument("--shift", type=int, default=0, help="and this many bytes after it")
    parser.add_argument("--length", type=int, help="the header's length field, when it is to be wrong")
    parser.add_argument("--append", type=int, default=0, help="zero bytes after the elements")
    parser.add_argument("--cut", type=int, default=0, help="bytes cut off at the end")
    args = parser.parse_intermixed_args()
    header = args.header
    if header is None:
        header = f"{{'descr': '{args.descr}', 'fortran_order': {args.order}, 'shape': {args.shape}, }}"
    width = 2 if args.version == 1 else 4
    header += " " * (-(8 + width + len(header) + 1) % args.align + args.shift) + "\n"
    length = len(header) if args.length is None else args.length
    data = b"\x93NUMPY" + bytes([args.version, 0]) + length.to_bytes(width, "little") + header.encode()
    data += pack(args.descr, args.values) + bytes(args.append)
    with open(args.file, "wb") as file:
        file.write(data[: len(data) - args.cut])


main()
