#!/bin/sh
# Tests --axis of the reductions, variance, scan, sorts, top_k, histogram and quantile: values known by hand, both
# orders of files, and errors.
. "$(dirname "$0")/check.sh"

npy "$dir/c.npy" '<i4' '(2, 3)' 1 2 3 4 5 6
npy "$dir/f.npy" '<i4' '(2, 3)' --order True 1 4 2 5 3 6
npy "$dir/cube.npy" '<f8' '(2, 2, 3)' 1 2 3 4 5 6 7 8 9 10 11 12
npy "$dir/edges.npy" '<i4' '(3,)' 2 3 5
npy "$dir/f4.npy" '<f4' '(4,)' 1.5 -2 0.25 8
npy "$dir/scalar.npy" '<f8' '()' 7
npy "$dir/empty.npy" '<f8' '(0, 3)'
npy "$dir/big.npy" '>f8' '(2, 2)' 1 2 3 4

npy "$dir/f2.npy" '<f2' '(2, 2)' 0.1 2049 0.3 1
gives "<f2 (2,) 0.39990234375 2048.0" sum "$dir/f2.npy" --axis 0

# printed results: a value in each line for one dimension, a row in each line for more
for file in "$dir/c.npy" "$dir/f.npy"; do
    prints "5
7
9" sum "$file" --axis 0
    prints "6
15" sum "$file" --axis -1
    prints "4 5 6" max "$file" --axis 0 --keepdims
    prints "1
4" min "$file" --axis 1
    prints "21" sum "$file" --axis 0,1
    prints "5" argmax "$file" --axis 0,1
    prints "2
2" argmax "$file" --axis=1
    prints "4.5
4.5
4.5" variance "$file" --axis 0 --ddof 1
    gives "<i8 (3,) 5 7 9" sum "$file" --axis 0
    gives "<i8 (2, 1) 6 15" sum "$file" --axis -1 --keepdims
    gives "<f8 (2,) 2.0 5.0" mean "$file" --axis 1
    gives "<i4 (2, 3) 1 3 6 4 9 15" scan "$file" --axis 1
    gives "<i4 (2, 3) 1 2 3 5 7 9" scan "$file" --axis -2
    gives "<i8 (2, 3) 10 10 10 11 12 13" scan "$file" --axis 0 --exclusive --init 10 --accumulate i64
done
npy "$dir/large.npy" '<f2' '(1, 2)' 300 -300
npy "$dir/w2.npy" '<i4' '(2,)' 1 2
# dot products of vectors, of arrays in both orders, and with one vector
npy "$dir/w.npy" '<i4' '(3,)' 1 0 2
npy "$dir/w1.npy" '<i4' '(2, 1)' 1 10
for file in "$dir/c.npy" "$dir/f.npy"; do
    prints "7
16" dot "$file" "$dir/w.npy" --axis -1
    prints "17 29 45" dot "$file" "$dir/c.npy" --axis 0 --keepdims
    prints "91" dot "$dir/c.npy" "$file" --axis 0,1
    gives "<i8 (3,) 41 52 63" dot "$dir/w1.npy" "$file" --axis 0
    gives "<i8 (2, 1) 7 16" dot "$dir/w.npy" "$file" --axis 1 --keepdims
done
gives "<f2 (2,) inf inf" dot "$dir/large.npy" "$dir/large.npy" --axis 0
refuses 2 "$dir/c.npy has shape (2, 3) and $dir/w2.npy has shape (2,): they cannot be broadcast to one shape" \
    dot "$dir/c.npy" "$dir/w2.npy" --axis 0
refuses 2 "weft dot: --axis 2: axis 2 is out of range: the array of products has 2 dimensions, shape (2, 3)" \
    dot "$dir/w.npy" "$dir/c.npy" --axis 2
refuses 2 "weft dot: 1 file given, 2 expected" dot "$dir/c.npy" --axis 0
for axis in 1 -1; do
    gives "<i4 (2, 3) 3 2 1 6 5 4" sort "$dir/f.npy" --axis $axis --descending
    gives "<u8 (2, 3) 2 1 0 2 1 0" argsort "$dir/c.npy" --axis $axis --descending
done
gives "<i4 (2, 3) 4 5 6 1 2 3" sort "$dir/c.npy" --axis 0 --descending
gives "<u4 (2, 3) 0 0 0 1 1 1" argsort "$dir/f.npy" --axis 0 --index u32
gives "<f8 (0, 3)" sort "$dir/empty.npy" --axis 0

for file in "$dir/c.npy" "$dir/f.npy"; do
    gives "<i4 (2, 2) 3 2 6 5" top_k "$file" --axis 1 -k 2
    gives "<i4 (1, 3) 1 2 3" top_k "$file" --axis -2 -k 1 --smallest --indices "$dir/at.npy"
    gives "<u8 (2, 2) 3 0 0 3" histogram "$file" --axis 1 --bins 2
    gives "<u8 (2, 3) 0 1 0 1 1 1" histogram "$file" --axis -2 --edges "$dir/edges.npy"
    is "indices along an axis" "0 0 0" "$(w show "$dir/at.npy" | sed -n 's/^first *//p')"
done
gives "<i4 (2, 0)" top_k "$dir/c.npy" --axis 1 -k 0
gives "<f8 (0, 2)" top_k "$dir/empty.npy" --axis 1 -k 2

for file in "$dir/c.npy" "$dir/f.npy"; do
    gives "<f8 (2, 2) 2.0 1.5 5.0 4.5" quantile "$file" --axis 1 -q 0.5,0.25
    gives "<f8 (1, 3) 2.5 3.5 4.5" quantile "$file" --axis -2 --method midpoint
    gives "<i4 (1, 3) 4 5 6" quantile "$file" --axis 0 --method higher
    prints "1
2.25
6" quantile "$file" -q 0,.25,1
    prints "3" quantile "$file" --method nearest
done
gives "<i4 (1, 3) 1 2 3" quantile "$dir/c.npy" --axis 0 --method lower
gives "<f8 (0, 1)" quantile "$dir/empty.npy" --axis 1

# the last axis that is named varies fastest
npy "$dir/low.npy" '<i4' '(2, 3)' 9 9 1 0 9 9
prints "3" argmin "$dir/low.npy" --axis 0,1
prints "1" argmin "$dir/low.npy" --axis 1,0
prints "5 7 9

17 19 21" sum "$dir/cube.npy" --axis 1 --keepdims
prints "1 2 3
4 5 6" min "$dir/cube.npy" --axis 0
prints "22
26
30" sum "$dir/cube.npy" --axis 0,1
gives "<f8 (1, 1, 3) 22.0 26.0 30.0" sum "$dir/cube.npy" --axis 1,-3 --keepdims
gives "<f8 () 7.75" sum "$dir/f4.npy" --axis 0 --accumulate f64
prints "7.75" sum "$dir/f4.npy" --axis 0 --accumulate exact
prints "0
0
0" sum "$dir/empty.npy" --axis 0
gives "<f8 (0,)" max "$dir/empty.npy" --axis 1
prints "4
6" sum "$dir/big.npy" --axis 0
prints "7.75 0x40f80000" sum "$dir/f4.npy" --axis 0 --bits
is "standard input" "5 7 9" "$(w sum - --axis 0 <"$dir/c.npy" | tr '\n' ' ' | sed 's/ $//')"

# the bits are those of each row alone
python3 -c 'import random, struct, sys
random.seed(3)
rows = [[random.uniform(-1, 1) for _ in range(5000)] for _ in range(3)]
for i, row in enumerate(rows): open(f"{sys.argv[1]}/row{i}", "wb").write(struct.pack("<5000f", *row))
open(f"{sys.argv[1]}/values", "w").write(" ".join(repr(v) for row in rows for v in row))' "$dir"
# shellcheck disable=SC2046
npy "$dir/rows.npy" '<f4' '(3, 5000)' -- $(cat "$dir/values")
for verb in sum mean norm2 variance argmin; do
    alone=$(for i in 0 1 2; do w $verb --raw f32 "$dir/row$i" --bits; done)
    is "$verb of rows" "$alone" "$(w $verb "$dir/rows.npy" --axis 1 --bits)"
done

# JSON
is "JSON" '{"command": "sum", "file": "c.npy", "dtype": "i32", "n": 6, "axis": [0], "result": "i64", "shape": [3], "values": [5, 7, 9], "device": "cpu", "order": '"$order" \
    "$(cd "$dir" && w sum c.npy --axis 0 --json | sed 's/, "seconds.*//')"
is "JSON of a scan" '{"command": "scan", "file": "c.npy", "output": "y.npy", "dtype": "i32", "n": 6, "axis": -1, "op": "sum", "exclusive": false, "result": "i32"' \
    "$(cd "$dir" && w scan c.npy --axis -1 -o y.npy --json | sed 's/, "device.*//')"

is "JSON of a sort" '{"command": "argsort", "file": "c.npy", "output": "y.npy", "dtype": "i32", "n": 6, "axis": 0, "descending": true, "result": "u64"' \
    "$(cd "$dir" && w argsort c.npy --axis 0 --descending -o y.npy --json | sed 's/, "device.*//')"

is "JSON of top_k" '{"command": "top_k", "file": "c.npy", "output": "y.npy", "dtype": "i32", "n": 6, "indices": "at.npy", "axis": 1, "k": 2, "extreme": "largest"' \
    "$(cd "$dir" && w top_k c.npy --axis 1 -k 2 -o y.npy --indices at.npy --json | sed 's/, "device.*//')"
is "JSON of a histogram" '{"command": "histogram", "file": "c.npy", "output": "y.npy", "dtype": "i32", "n": 6, "axis": 1, "bins": 2, "counted": 5' \
    "$(cd "$dir" && w histogram c.npy --axis 1 --bins 2 --lower 2 --upper 6 -o y.npy --json | sed 's/, "device.*//')"
is "JSON of quantiles" '{"command": "quantile", "file": "c.npy", "dtype": "i32", "n": 6, "q": [0.5, 1], "method": "linear", "values": [3.5, 6]' \
    "$(cd "$dir" && w quantile c.npy -q 0.5,1 --json | sed 's/, "device.*//')"
is "JSON of quantiles along an axis" '{"command": "quantile", "file": "c.npy", "output": "y.npy", "dtype": "i32", "n": 6, "q": [0.5], "method": "lower", "axis": -1' \
    "$(cd "$dir" && w quantile c.npy --axis -1 --method lower -o y.npy --json | sed 's/, "device.*//')"

# errors
rm -f "$y"
refuses 2 "weft sort: --axis 1: axis 1 is out of range: $dir/f4.npy has 1 dimension, shape (4,)" sort "$dir/f4.npy" --axis 1 -o "$y"
refuses 2 "weft sort: --values cannot be combined with --axis" sort "$dir/c.npy" --axis 1 -o "$y" --values "$dir/f.npy" --values-out "$dir/v.npy"
refuses 2 "weft argsort: --axis 0,1: expected an integer" argsort "$dir/c.npy" --axis 0,1 -o "$y"
refuses 2 "weft top_k: --axis 2: axis 2 is out of range: $dir/c.npy has 2 dimensions, shape (2, 3)" top_k "$dir/c.npy" --axis 2 -k 1 -o "$y"
refuses 2 "c.npy: has 2 elements along the axis: -k 3 is greater" top_k "$dir/c.npy" --axis 0 -k 3 -o "$y"
refuses 1 "c.npy: has 3 elements along the axis, fewer than the default 10 largest: specify -k K" top_k "$dir/c.npy" --axis 1 -o "$y"
refuses 2 "option -o FILE.npy is required" top_k "$dir/c.npy" --axis 0 -k 1
refuses 2 "option -o FILE.npy is required" histogram "$dir/c.npy" --axis 0
refuses 2 "weft histogram: --axis 2: axis 2 is out of range: $dir/c.npy has 2 dimensions" histogram "$dir/c.npy" --axis 2 -o "$y"
refuses 2 "weft histogram: --axis 0,1: expected an integer" histogram "$dir/c.npy" --axis 0,1 -o "$y"
for list in 1.5 -0.1 nan 0.5, ,0.5 0.5:1 ""; do
    refuses 2 "weft quantile: -q $list: expected numbers from 0 to 1 separated by commas" quantile "$dir/c.npy" -q "$list"
done
refuses 2 "weft quantile: --method mean: expected linear, lower, higher, nearest or midpoint" quantile "$dir/c.npy" --method mean
refuses 2 "weft quantile: --axis 2: axis 2 is out of range" quantile "$dir/c.npy" --axis 2 -o "$y"
refuses 2 "option -o FILE.npy is required" quantile "$dir/c.npy" --axis 0
refuses 1 "quantiles of 0 elements along axis 0" quantile "$dir/empty.npy"
refuses 1 "quantiles of 0 elements along axis 0" quantile "$dir/empty.npy" --axis 0 -o "$y"
refuses 2 "weft sum: --axis 2: axis 2 is out of range: $dir/c.npy has 2 dimensions, shape (2, 3)" sum "$dir/c.npy" --axis 2
refuses 2 "--axis 0,-3: axis -3 is out of range: $dir/c.npy has 2 dimensions, shape (2, 3)" sum "$dir/c.npy" --axis 0,-3
refuses 2 "weft scan: --axis 1: axis 1 is out of range: $dir/f4.npy has 1 dimension, shape (4,)" scan "$dir/f4.npy" --axis 1 -o "$y"
refuses 2 "axis 0 is out of range: $dir/scalar.npy has 0 dimensions, shape ()" sum "$dir/scalar.npy" --axis 0
refuses 2 "weft max: --axis 1,-1: 1 and -1 are the same axis of $dir/c.npy, shape (2, 3)" max "$dir/c.npy" --axis 1,-1
for text in "" x 1x 1, ,1 1.5 99999999999; do
    refuses 2 "weft sum: --axis $text: expected at most 16 integers separated by commas" sum "$dir/c.npy" --axis "$text"
    refuses 2 "weft scan: --axis $text: expected an integer" scan "$dir/c.npy" --axis "$text" -o "$y"
done
refuses 2 "weft scan: --axis 0,1: expected an integer" scan "$dir/c.npy" --axis 0,1 -o "$y"
refuses 2 "option -o Y.npy is required" scan "$dir/c.npy" --axis 0
refuses 2 "weft sum: -o requires --axis: the result is one value" sum "$dir/c.npy" -o "$y"
refuses 2 "weft variance: --keepdims requires --axis: the result is one value" variance "$dir/c.npy" --keepdims
refuses 2 "weft sum: --axis: --mpi is not supported along an axis" sum "$dir/c.npy" --axis 0 --mpi
refuses 2 "weft scan: --axis: --mpi is not supported along an axis" scan "$dir/c.npy" --axis 0 --mpi -o "$y"
npy "$dir/wide.npy" '|u1' '(1, 1001)' --append 1001
refuses 2 "$dir/wide.npy: option -o Y.npy is required: the result has 1001 values, more than 1000" sum "$dir/wide.npy" --axis 0
prints "0" sum "$dir/wide.npy" --axis 1
refuses 1 "$dir/wide.npy: is larger than the permitted memory (--memory), and --axis needs it whole" sum "$dir/wide.npy" --axis 1 --memory 1000
refuses 1 "$dir/empty.npy: mean of 0 elements is undefined" mean "$dir/empty.npy" --axis 0
refuses 1 "$dir/c.npy: variance of 2 elements with ddof 2 is undefined" variance "$dir/c.npy" --axis 0 --ddof 2
refuses 1 "$dir/f4.npy: and requires integer elements, not f32" and "$dir/f4.npy" --axis 0
refuses 2 "--accumulate exact" sum "$dir/c.npy" --axis 0 --accumulate exact
npy "$dir/deep.npy" '|u1' "($(printf '1, %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17))" 1
refuses 2 "$dir/deep.npy: has 17 dimensions: --axis supports at most 16" sum "$dir/deep.npy" --axis 0
npy "$dir/deeper.npy" '|u1' "($(printf '1, %.0s' $(seq 65)))" 1
refuses 2 "$dir/deeper.npy: has 65 dimensions: --axis supports at most 16" sum "$dir/deeper.npy" --axis 0
npy "$dir/long.npy" '|u1' '(0, 2305843009213693952)'
refuses 1 "$dir/long.npy: the elements of the shape do not fit in memory" scan "$dir/long.npy" --axis 1 --accumulate i64 -o "$y"
refuses 1 "no-such-file" sum "$dir/no-such-file.npy" --axis 0
is "no file after an error" "" "$(ls "$y" 2>/dev/null)"
finish
