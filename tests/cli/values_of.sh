# Reading a .npy file without weft; sourced by the tests of commands that write one.

# values FILE: type, shape and values of a .npy file in one line, read without weft.
values() {
    python3 -c 'import ast, struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x93NUMPY\1\0", data[:8]
end = 10 + int.from_bytes(data[8:10], "little")
assert end % 64 == 0 and data[end - 1] == 10, end
header = ast.literal_eval(data[10:end].decode())
assert list(header) == ["descr", "fortran_order", "shape"] and not header["fortran_order"], header
letter = dict(i1="b", i2="h", i4="i", i8="q", u1="B", u2="H", u4="I", u8="Q", f4="f", f8="d")[header["descr"][1:]]
count = 1
for dimension in header["shape"]: count *= dimension
print(header["descr"], header["shape"], *(v[0] for v in struct.iter_unpack("<" + letter, data[end:])))
assert len(data) == end + count * struct.calcsize(letter), len(data)' "$1"
}
