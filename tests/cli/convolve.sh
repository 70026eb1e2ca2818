#!/bin/sh
# Tests weft convolve and weft fft: values known by hand, complex elements, shapes, and errors.
. "$(dirname "$0")/check.sh"

# values FILE: prints type, shape and values of a .npy file in one line, complex ones as pairs, read without weft.
values() {
    python3 -c 'import ast, struct, sys
data = open(sys.argv[1], "rb").read()
end = 10 + int.from_bytes(data[8:10], "little")
header = ast.literal_eval(data[10:end].decode())
kind = header["descr"][1:]
letter = dict(f4="f", f8="d", c8="ff", c16="dd")[kind]
count = 1
for dimension in header["shape"]: count *= dimension
def text(v): return "%g" % v[0] if len(v) == 1 else "%g%+gi" % v
print(header["descr"], header["shape"], *(text(v) for v in struct.iter_unpack("<" + letter, data[end:])))
assert len(data) == end + count * struct.calcsize(letter), len(data)' "$1"
}

# numbers FILE TYPE SHAPE REAL...: writes an array of complex elements from their parts.
numbers() {
    python3 -c 'import struct, sys
path, descr, shape = sys.argv[1:4]
letter = dict(c8="f", c16="d")[descr[1:]]
parts = b"".join(struct.pack(descr[0] + letter, float(v)) for v in sys.argv[4:])
header = "{\"descr\": \"%s\", \"fortran_order\": False, \"shape\": %s, }" % (descr, shape)
header += " " * (-(len(header) + 11) % 64) + "\n"
open(path, "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + parts)' "$@"
}

npy "$dir/x.npy" '<f4' '(3,)' 1 2 3
npy "$dir/h.npy" '<f4' '(3,)' 0 1 0.5
npy "$dir/d.npy" '<f8' '(5,)' 1 2 3 4 5
npy "$dir/t.npy" '<f8' '(2,)' 10 1
numbers "$dir/c.npy" '<c16' '(2,)' 1 2 3 -1
numbers "$dir/big.npy" '>c8' '(2,)' 1 2 3 -1

# convolve: modes and correlation, as in NumPy
gives "<f4 (5,) 0 1 2.5 4 1.5" convolve "$dir/x.npy" "$dir/h.npy"
gives "<f4 (3,) 1 2.5 4" convolve "$dir/x.npy" "$dir/h.npy" --mode same
gives "<f4 (1,) 2.5" convolve "$dir/x.npy" "$dir/h.npy" --mode valid
gives "<f4 (5,) 0.5 2 3.5 3 0" convolve "$dir/x.npy" "$dir/h.npy" --correlate
gives "<f8 (5,) 10 21 32 43 54" convolve "$dir/d.npy" "$dir/t.npy" --mode same
gives "<f8 (5,) 45 34 23 12 1" convolve "$dir/t.npy" "$dir/d.npy" --mode same --correlate
gives "<f8 (4,) 45 34 23 12" convolve "$dir/t.npy" "$dir/d.npy" --mode valid --correlate
gives "<c16 (3,) -3+4i 10+10i 8-6i" convolve "$dir/c.npy" "$dir/c.npy"
gives "<c16 (3,) 1+7i 15+0i 1-7i" convolve "$dir/c.npy" "$dir/c.npy" --correlate
gives "<c16 (3,) 10+20i 31-8i 3-1i" convolve "$dir/c.npy" "$dir/t.npy"
gives "<c8 (3,) -3+4i 10+10i 8-6i" convolve "$dir/big.npy" "$dir/big.npy"

# fft: kinds, axes, batches
npy "$dir/four.npy" '<f8' '(4,)' 1 2 3 4
npy "$dir/rows.npy" '<f4' '(2, 2)' 1 2 3 5
gives "<c16 (4,) 10+0i -2+2i -2+0i -2-2i" fft "$dir/four.npy"
gives "<c16 (3,) 10+0i -2+2i -2+0i" fft "$dir/four.npy" --real
gives "<c16 (4,) 2.5+0i -0.5-0.5i -0.5+0i -0.5+0.5i" fft "$dir/four.npy" --inverse
gives "<c8 (2, 2) 3+0i -1+0i 8+0i -2+0i" fft "$dir/rows.npy"
gives "<c8 (2, 2) 3+0i -1+0i 8+0i -2+0i" fft "$dir/rows.npy" --real
gives "<c8 (2,) 4+1i -2+3i" fft "$dir/big.npy"
npy "$dir/six.npy" '<f8' '(6,)' 1 2 3 4 5 6
npy "$dir/five.npy" '<f8' '(5,)' 5 0 0 0 0
gives "<c16 (4,) 21+0i -3+5.19615i -3+1.73205i -3+0i" fft "$dir/six.npy" --real
gives "<c16 (5,) 5+0i 5+0i 5+0i 5+0i 5+0i" fft "$dir/five.npy"
w fft "$dir/five.npy" --real -o "$dir/waves.npy"
gives "<f8 (5,) 5 0 0 0 0" fft "$dir/waves.npy" --real --inverse --length 5
gives "<f8 (4,) 5 0 0 0" fft "$dir/waves.npy" --real --inverse
is "there and back" "<f8 (4,) 1 2 3 4" \
    "$(w fft "$dir/four.npy" --real -o - | w fft - --real --inverse -o - >"$dir/piped"; values "$dir/piped")"
npy "$dir/one.npy" '<f8' '(3, 1)' 7 8 9
gives "<c16 (3, 1) 7+0i 8+0i 9+0i" fft "$dir/one.npy" --real
npy "$dir/none.npy" '<f8' '(0, 4)'
gives "<c16 (0, 4)" fft "$dir/none.npy"
npy "$dir/fortran.npy" '<f8' '(2, 2)' 1 2 3 5 --order True
gives "<c16 (2, 2) 4+0i -2+0i 7+0i -3+0i" fft "$dir/fortran.npy"
gives "<c8 (2, 2) 4+0i 7+0i -2+0i -3+0i" fft "$dir/rows.npy" --axis 0
gives "<c8 (2, 2) 11+0i -3+0i -5+0i 1+0i" fft "$dir/rows.npy" --axis 0,1
gives "<c8 (2, 2) 11+0i -3+0i -5+0i 1+0i" fft "$dir/rows.npy" --axis 1,-2 --real
npy "$dir/table.npy" '<f8' '(3, 2)' 1 2 3 4 5 6
gives "<c16 (3, 2) 3+0i -1+0i 7+0i -1+0i 11+0i -1+0i" fft "$dir/table.npy" --real
numbers "$dir/half.npy" '<c16' '(4, 2)' 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0
for device in ref cpu; do
    for threads in 1 2 7; do
        w convolve "$root/examples/data/co2.npy" "$root/examples/data/co2.npy" -o "$dir/$device$threads.npy" \
            --device $device --threads $threads
        is "co2 on $device, $threads threads" same "$(cmp "$dir/ref1.npy" "$dir/$device$threads.npy" && echo same)"
    done
done

# along an axis
npy "$dir/series.npy" '<f4' '(2, 3)' 1 2 4 8 16 32
npy "$dir/two.npy" '<f4' '(2,)' 1 -1
npy "$dir/each.npy" '<f4' '(2, 2)' 1 -1 1 1
npy "$dir/column.npy" '<f4' '(2, 1)' 1 -1
npy "$dir/fseries.npy" '<f4' '(2, 3)' 1 2 4 8 16 32 --order True
gives "<f4 (2, 4) 1 1 2 -4 8 8 16 -32" convolve "$dir/series.npy" "$dir/two.npy" --axis 1
gives "<f4 (3, 3) 1 2 4 7 14 28 -8 -16 -32" convolve "$dir/series.npy" "$dir/two.npy" --axis 0
gives "<f4 (3, 3) 1 2 4 7 14 28 -8 -16 -32" convolve "$dir/series.npy" "$dir/column.npy" --axis -2
gives "<f4 (2, 2) -1 -2 24 48" convolve "$dir/series.npy" "$dir/each.npy" --axis -1 --mode valid --correlate
gives "<f4 (2, 3) 1 1 2 8 8 16" convolve "$dir/series.npy" "$dir/two.npy" --axis 1 --mode same
w convolve "$dir/fseries.npy" "$dir/two.npy" --axis 1 -o "$dir/of_fortran.npy"
is "Fortran order" "$(python3 -c 'import struct, sys
v = struct.unpack("<6f", struct.pack("<6f", 1, 2, 4, 8, 16, 32))
print("<f4 (2, 4)", *[int(a) for row in ((v[0], v[2], v[4]), (v[1], v[3], v[5]))
      for a in (row[0], row[1] - row[0], row[2] - row[1], -row[2])])')" "$(values "$dir/of_fortran.npy")"
numbers "$dir/waves.npy" '<c16' '(2, 2)' 1 0 0 1 2 0 0 2
numbers "$dir/taps.npy" '<c16' '(1, 2)' 1 0 0 1
gives "<c16 (2, 3) 1+0i 0+2i -1+0i 2+0i 0+4i -2+0i" convolve "$dir/waves.npy" "$dir/taps.npy" --axis 1
npy "$dir/reals.npy" '<f8' '(2,)' 1 -1
gives "<c16 (1, 2) 1+0i -1+1i" convolve "$dir/taps.npy" "$dir/reals.npy" --axis 1 --mode same

# images
npy "$dir/corners.npy" '<f4' '(2, 2)' 1 0 0 2
npy "$dir/four_taps.npy" '<f4' '(1, 4)' 1 1 1 1
gives "<f4 (2, 3) 1 2 4 8 18 36" convolve "$dir/series.npy" "$dir/corners.npy" --border 0 --mode same
gives "<f4 (2, 3) 21 22 24 28 18 36" convolve "$dir/series.npy" "$dir/corners.npy" --border 10 --mode same
gives "<f4 (2, 3) 65 18 36 16 18 36" convolve "$dir/series.npy" "$dir/corners.npy" --border wrap --mode same
gives "<f4 (2, 3) 3 4 8 10 18 36" convolve "$dir/series.npy" "$dir/corners.npy" --border symmetric --mode same
gives "<f4 (1, 2) 33 66" convolve "$dir/series.npy" "$dir/corners.npy" --border 0 --mode valid --correlate
npy "$dir/stack.npy" '<f8' '(2, 1, 2)' 1 2 3 4
gives "<c16 (2, 1, 3) 1+0i 2+1i 0+2i 3+0i 4+3i 0+4i" convolve "$dir/stack.npy" "$dir/taps.npy" --border 0

# JSON
got=$(w convolve "$dir/x.npy" "$dir/h.npy" --mode same -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "convolve --json" "convolve $dir/x.npy $dir/h.npy $y same False 3 3 3 f32 cpu $order" "$got"
got=$(w convolve "$dir/series.npy" "$dir/two.npy" --axis 0 -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "convolve --axis --json" "convolve $dir/series.npy $dir/two.npy $y full False 0 2 2 9 f32 cpu $order" "$got"
got=$(w convolve "$dir/series.npy" "$dir/corners.npy" --border wrap -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "convolve --border --json" "convolve $dir/series.npy $dir/corners.npy $y full False wrap 6 4 12 f32 cpu $order" "$got"
got=$(w fft "$dir/four.npy" --real -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "fft --json" "fft $dir/four.npy $y r2c [-1] complex f64 cpu $order" "$got"
refuses 2 "weft fft: --json cannot be combined with" fft "$dir/four.npy" -o - --json

# errors
npy "$dir/i4.npy" '<i4' '(4,)' 1 2 3 4
npy "$dir/scalar.npy" '<f8' '()' 1
npy "$dir/empty.npy" '<f4' '(0,)'
refuses 1 "weft fft: $dir/i4.npy: has elements of type i32: fft requires real or complex elements" fft "$dir/i4.npy" -o "$y"
refuses 2 "weft fft: --length requires --real and --inverse" fft "$dir/six.npy" --length 6 -o "$y"
refuses 2 "weft fft: --length 0: expected an integer from 1 to" fft "$dir/half.npy" --real --inverse --length 0 -o "$y"
refuses 1 "weft fft: $dir/half.npy: has 4 elements along axis 0: --length 8 requires 5" \
    fft "$dir/half.npy" --axis 0 --real --inverse --length 8 -o "$y"
refuses 1 "weft fft: $dir/empty.npy: has 0 elements along axis -1: at least 1 is required" fft "$dir/empty.npy" -o "$y"
refuses 1 "weft fft: $dir/scalar.npy: has 0 dimensions: expected 1 to 15" fft "$dir/scalar.npy" -o "$y"
refuses 2 "weft fft: --axis x: expected at most 15 integers separated by commas" fft "$dir/four.npy" --axis x -o "$y"
refuses 2 "weft fft: --axis 1: axis 1 is out of range: $dir/four.npy has 1 dimension, shape (4,)" \
    fft "$dir/four.npy" --axis 1 -o "$y"
refuses 2 "weft fft: --axis 0,-2: 0 and -2 are the same axis of $dir/rows.npy, shape (2, 2)" \
    fft "$dir/rows.npy" --axis 0,-2 -o "$y"
refuses 1 "weft fft: $dir/c.npy: has complex elements: --real requires real elements" fft "$dir/c.npy" --real -o "$y"
refuses 1 "weft fft: $dir/four.npy: has real elements: --real --inverse requires complex elements" \
    fft "$dir/four.npy" --real --inverse -o "$y"
refuses 1 "weft convolve: $dir/x.npy has elements of type f32 and $dir/c.npy of type complex f64: both must have the same precision" \
    convolve "$dir/x.npy" "$dir/c.npy" -o "$y"
refuses 1 "weft convolve: $dir/rows.npy: has 2 dimensions: expected 1, or option --axis" \
    convolve "$dir/rows.npy" "$dir/x.npy" -o "$y"
refuses 1 "weft convolve: $dir/series.npy: has 2 dimensions: expected 1, or option --axis" \
    convolve "$dir/x.npy" "$dir/series.npy" -o "$y"
refuses 2 "weft convolve: --axis 2: axis 2 is out of range: $dir/series.npy has 2 dimensions, shape (2, 3)" \
    convolve "$dir/series.npy" "$dir/two.npy" --axis 2 -o "$y"
refuses 2 "weft convolve: --axis 0,1: expected an integer" \
    convolve "$dir/series.npy" "$dir/two.npy" --axis 0,1 -o "$y"
npy "$dir/three.npy" '<f4' '(1, 1, 2)' 1 -1
refuses 1 "weft convolve: $dir/three.npy: has 3 dimensions: expected 1, or 2 as $dir/series.npy has" \
    convolve "$dir/series.npy" "$dir/three.npy" --axis 1 -o "$y"
refuses 2 "weft convolve: --border mirror: expected wrap, symmetric or a number" \
    convolve "$dir/series.npy" "$dir/corners.npy" --border mirror -o "$y"
refuses 2 "weft convolve: --axis and --border cannot be combined" \
    convolve "$dir/series.npy" "$dir/corners.npy" --border 0 --axis 0 -o "$y"
refuses 1 "weft convolve: $dir/two.npy: has 1 dimension: expected 2 to 15" \
    convolve "$dir/two.npy" "$dir/corners.npy" --border 0 -o "$y"
refuses 1 "weft convolve: $dir/three.npy: has 3 dimensions: expected 2" \
    convolve "$dir/series.npy" "$dir/three.npy" --border 0 -o "$y"
refuses 1 "x is 2 x 3 and h 1 x 4: one of them must have at least as many rows" \
    convolve "$dir/series.npy" "$dir/four_taps.npy" --border 0 --mode valid -o "$y"
npy "$dir/threes.npy" '<f4' '(3, 2)' 1 -1 1 -1 1 -1
refuses 1 "weft convolve: $dir/series.npy: h of shape (3, 2) cannot be broadcast to the filters of shape (2, 2)" \
    convolve "$dir/series.npy" "$dir/threes.npy" --axis 1 -o "$y"
npy "$dir/scalar4.npy" '<f4' '()' 1
refuses 1 "weft convolve: $dir/scalar4.npy: has 0 dimensions: expected 1 to 15" \
    convolve "$dir/scalar4.npy" "$dir/two.npy" --axis 0 -o "$y"
refuses 1 "convolution of 3 and 0 values is undefined" convolve "$dir/series.npy" "$dir/empty.npy" --axis 1 -o "$y"
refuses 1 "convolution of 3 and 0 values is undefined" convolve "$dir/x.npy" "$dir/empty.npy" -o "$y"
refuses 2 "weft convolve: --mode half: expected full, same or valid" convolve "$dir/x.npy" "$dir/h.npy" --mode half -o "$y"
refuses 2 "weft convolve: 1 file given, 2 expected" convolve "$dir/x.npy" -o "$y"
refuses 2 "weft convolve: -: only one of the two arrays can be read from standard input" convolve - - -o "$y"
refuses 2 "weft convolve: option -o Y.npy is required" convolve "$dir/x.npy" "$dir/h.npy"
refuses 2 "weft fft: 2 files given, 1 expected" fft "$dir/x.npy" "$dir/h.npy" -o "$y"
refuses 1 "weft sum: $dir/c.npy: elements of dtype \"<c16\" are not supported here (fft, convolve and matmul support complex elements)" sum "$dir/c.npy"
finish
