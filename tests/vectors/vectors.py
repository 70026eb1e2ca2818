"""Shared by make.py and check.py: arrays of the test vectors (README.md) as .npy files and as JSON, and calls of the
command. Uses the standard library only."""
import ast
import hashlib
import json
import math
import struct
import subprocess
from pathlib import Path

# Type: descr of .npy files, letter of struct. An element of a complex type is two numbers.
TYPES = {"f32": ("<f4", "I"), "f64": ("<f8", "Q"), "f16": ("<f2", "H"), "u8": ("|u1", "B"), "i8": ("|i1", "B"),
         "i16": ("<i2", "H"), "u16": ("<u2", "H"), "i32": ("<i4", "I"), "u32": ("<u4", "I"), "i64": ("<i8", "Q"),
         "u64": ("<u8", "Q"), "complex f32": ("<c8", "I"), "complex f64": ("<c16", "Q")}
MOST_BITS = 400 # longer arrays are described by their SHA-256 and their first and last numbers
ENDS = 8
MASK = 2**64 - 1


def mixed(seed, i):
    """Returns 64 bits: the output function of SplitMix64 (G. Steele, D. Lea, C. Flood, 2014)."""
    z = (seed * 2**32 + i + 0x9e3779b97f4a7c15) & MASK
    z = ((z ^ z >> 30) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ z >> 27) * 0x94d049bb133111eb) & MASK
    return z ^ z >> 31


def generated(dtype, seed, i):
    """Returns the bits of element i: a float of either sign, 2^-8 <= |x| < 2^8, or an integer."""
    z = mixed(seed, i)
    if dtype == "f32":
        return z >> 63 << 31 | 119 + (z >> 52 & 15) << 23 | z & 0x7fffff
    if dtype == "f64":
        return z >> 63 << 63 | 1015 + (z >> 52 & 15) << 52 | z & 0xfffffffffffff
    return z & 256 ** struct.calcsize(TYPES[dtype][1]) - 1


def count(array):
    return math.prod(array["shape"]) * (2 if array["type"].startswith("complex") else 1)


def numbers(array):
    """Returns the bits of the numbers of an input array, as integers."""
    if "seed" in array:
        return [generated(array["type"], array["seed"], i) for i in range(count(array))]
    return [int(word, 16) for word in array["bits"].split()]


def described(dtype, shape, values):
    """Returns the JSON of a result, given the bits of its numbers."""
    letter = TYPES[dtype][1]
    words = [f"{v:0{2 * struct.calcsize(letter)}x}" for v in values]
    array = {"type": dtype, "shape": list(shape)}
    if len(words) <= MOST_BITS:
        return array | {"bits": " ".join(words)}
    return array | {"sha256": hashlib.sha256(struct.pack(f"<{len(values)}{letter}", *values)).hexdigest(),
                    "first": " ".join(words[:ENDS]), "last": " ".join(words[-ENDS:])}


def write_npy(path, array):
    descr, letter = TYPES[array["type"]]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(array['shape'])}, }}"
    header = header.ljust(-(len(header) + 11) % 64 + len(header)) + "\n"
    values = numbers(array)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}{letter}", *values))


def read_npy(path):
    """Returns the JSON of a result file."""
    data = path.read_bytes()
    end = 10 + int.from_bytes(data[8:10], "little")
    header = ast.literal_eval(data[10:end].decode())
    dtype = next(name for name, (descr, _) in TYPES.items() if descr == header["descr"])
    assert data[:8] == b"\x93NUMPY\1\0" and not header["fortran_order"], path
    return described(dtype, header["shape"], [v[0] for v in struct.iter_unpack("<" + TYPES[dtype][1], data[end:])])


def float_bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def printed(text):
    """Returns the JSON of the results in the object that --json prints."""
    members = json.loads(text)
    if members["command"] == "price":
        return {name: described("f64", [], [float_bits(float(members[name]))])
                for name in ("price", "standard_error", "low", "high")} | {
                    name: described("f64", [len(members[name])], [float_bits(float(x)) for x in members[name]])
                    for name in ("delta", "delta_error", "vega", "vega_error") if name in members}
    return {"value": described(members["result"], [], [int(members["bits"], 16)])}


def run(weft, call, inputs, folder):
    """Runs the command in the folder. Returns the results."""
    folder = Path(folder)
    for file in folder.glob("*.npy"):
        file.unlink()
    for name, array in inputs.items():
        write_npy(folder / name, array)
    done = subprocess.run([*weft, "--quiet", "--json", *call], cwd=folder, text=True, check=True,
                          stdout=subprocess.PIPE)
    files = sorted(file.name for file in folder.glob("*.npy") if file.name not in inputs)
    return {name: read_npy(folder / name) for name in files} or printed(done.stdout)
