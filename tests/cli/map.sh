#!/bin/sh
# Tests weft map and map_reduce: values known by hand, types, shapes, and errors.
. "$(dirname "$0")/check.sh"
z=$y

npy "$dir/x.npy" '<f8' '(2, 3)' 0 1 2 3 4 5
npy "$dir/y.npy" '<f8' '(2, 3)' 0.5 0.5 0.5 0.5 0.5 -0.5
npy "$dir/f.npy" '<f4' '(3,)' 1 nan -2
npy "$dir/k.npy" '<i4' '(4,)' 7 -7 2147483647 0
npy "$dir/u.npy" '|u1' '(3,)' 255 0 7
npy "$dir/tall.npy" '<f8' '(3, 2)' 0 1 2 3 4 5

gives "<f8 (2, 3) 0.5 1.5 2.5 3.5 4.5 4.5" map 'x + y' "x=$dir/x.npy" "y=$dir/y.npy"
gives "<f8 (2, 3) 3.0 6.0 11.0 18.0 27.0 38.0" map 'a*z^2 + b*z + c' "z=$dir/x.npy" a=1 b=2 c=3
npy "$dir/column.npy" '<i4' '(2, 1)' 10 20
gives "<f8 (2, 3) 1.0 nan 0.0 4.0 nan 3.0" map 'x + f' "x=$dir/x.npy" "f=$dir/f.npy"
gives "<f8 (2, 3) 10.0 11.0 12.0 23.0 24.0 25.0" map 'x + c' "x=$dir/x.npy" "c=$dir/column.npy"
gives "<f8 (2, 4) 17.0 4.0 2147483659.0 13.0 31.0 18.0 2147483673.0 27.0" map 'c + k + i + 0.0' "c=$dir/column.npy" "k=$dir/k.npy" --dtype f64
npy "$dir/fortran.npy" '<f8' '(2, 3)' 0 1 2 3 4 5 --order True
gives "<f8 (2, 3) 0.0 3.0 6.0 4.0 7.0 10.0" map 'x + y' "x=$dir/x.npy" "y=$dir/fortran.npy"
gives "<f4 (3,) 1.0 nan 2.0" map 'abs(v)' "v=$dir/f.npy"
npy "$dir/half.npy" '<f2' '(3,)' 1 2048 -0.5
npy "$dir/swapped.npy" '>f2' '(2, 1)' 1 3
npy "$dir/brain.npy" '<V2' '(3,)' 0x3f80 0x4000 0xbf80
gives "<f2 (3,) 2.0 2048.0 0.5" map 'h + 1' "h=$dir/half.npy" # 2049 is rounded to even
gives "<f4 (3,) 2.0 2049.0 0.5" map 'h + 1' "h=$dir/half.npy" --dtype f32
gives "<f2 (2, 3) 2.0 2048.0 0.5 4.0 2052.0 2.5" map 'h + s' "h=$dir/half.npy" "s=$dir/swapped.npy"
gives "<V2 (3,) 16320 16448 49024" map 'max(b*1.5, -1)' "b=$dir/brain.npy" # 1.5, 3, -1
gives "<f8 (3,) 2.0 2050.0 -1.5" map 'h + b' "h=$dir/half.npy" "b=$dir/brain.npy"
gives "<f2 (3,) 1.0 nan -2.0" map 'v' "v=$dir/f.npy" --dtype f16
prints 2048.5 map_reduce sum 'h' "h=$dir/half.npy"
gives "<f8 (3,) 1.0 nan 2.0" map 'abs(v)' "v=$dir/f.npy" --dtype f64
gives "<i4 (4,) 3 -3 1073741823 0" map 'k/2' "k=$dir/k.npy"
gives "<i4 (4,) 8 -6 -2147483648 1" map 'k + 1' "k=$dir/k.npy" --dtype i32
gives "<i8 (4,) 8 -6 2147483648 1" map 'k + 1' "k=$dir/k.npy" --dtype i64
gives "<f8 (4,) 3.5 -3.5 1073741823.5 0.0" map 'k/2' "k=$dir/k.npy" --dtype f64
gives "<f8 (3,) 510.0 0.0 14.0" map '2*u' "u=$dir/u.npy"
gives "<u4 (5,) 0 1 4 9 16" map 'i^2' --n 5 --dtype u32
gives "<f8 (0,)" map 'i' --n 0
gives "<u8 (1,) 18446744073709551615" map 'a + 0*i' a=18446744073709551615 --n 1 --dtype u64
gives "<i4 (4,) 1 0 1 0" map 'k > 0 && k != -7' "k=$dir/k.npy"

prints 17.166666666666668 map_reduce mean 'a*z^2 + b*z + c' "z=$dir/x.npy" a=1 b=2 c=3
prints "285" map_reduce sum 'i^2' --n 10 --dtype i64
prints "nan 0x7fc00000" map_reduce max 'v' "v=$dir/f.npy" --bits
prints "-8" map_reduce sum --n 2 --dtype i32 -- '-2^2'
prints "2" map_reduce argmax 'k' "k=$dir/k.npy"
prints "1.5" map_reduce sum '0.5*(v == v) + 0.5*(v == 1)' "v=$dir/f.npy" --accumulate f64 --threads 2 --device ref
prints "1.5" map_reduce sum '0.5*(v == v) + 0.5*(v == 1)' "v=$dir/f.npy" --accumulate exact --threads 2 --device ref

# map_reduce along axes: arrays in both orders, which are broadcast
npy "$dir/means.npy" '<f8' '(3,)' 1 2 3
npy "$dir/wide.npy" '|u1' '(1001, 1)' --append 1001
prints "6.5
6.5
6.5" map_reduce sum '(x - m)^2/2 + 2' "x=$dir/x.npy" "m=$dir/means.npy" --axis 0
prints "4.5
4.5
6.5" map_reduce sum '(x - m)^2/2 + 2' "x=$dir/fortran.npy" "m=$dir/means.npy" --axis -2
gives "<f8 (2, 1) 3.0 12.0" map_reduce sum 'x' "x=$dir/x.npy" --axis 1 --keepdims
gives "<f8 (2, 1) 6.0 9.0" map_reduce sum 'x' "x=$dir/fortran.npy" --axis -1 --keepdims
gives "<f8 () 15.0" map_reduce sum 'x' "x=$dir/fortran.npy" --axis 1,0
gives "<u8 (2,) 2 0" map_reduce argmax 'x*c - 3*i^2' "x=$dir/x.npy" "c=$dir/column.npy" --axis 1
prints "0 924 2310" map_reduce prod 'x*(1 + f)' "x=$dir/x.npy" "f=$dir/column.npy" --axis 0 --keepdims
prints "285" map_reduce sum 'i^2' --n 10 --dtype i64 --axis 0
gives "<f4 (2,) 2048.5 4097.0" map_reduce sum 'c*h/10' "c=$dir/column.npy" "h=$dir/half.npy" --dtype f32 --axis 1
gives "<f8 () 4097.0" map_reduce sum '2*h' "h=$dir/half.npy" --dtype f32 --accumulate f64 --axis 0
prints "55 0x404b800000000000" map_reduce sum 'x*x' "x=$dir/x.npy" --axis 0,1 --bits
prints "55" map_reduce sum 'x*x' "x=$dir/x.npy" --axis 0,1 --accumulate exact
is "map_reduce --axis --json" '{"command": "map_reduce", "formula": "x + a", "bindings": {"x": "x.npy", "a": 1}, "dtype": "f64", "n": 6, "op": "sum", "axis": [0], "result": "f64", "shape": [3], "values": [5, 7, 9], "device": "cpu"' \
    "$(cd "$dir" && w map_reduce sum 'x + a' x=x.npy a=1 --axis 0 --json | sed 's/, "order.*//')"
is "map_reduce --axis -o --json" '"axis": [0, 1], "result": "u64", "shape": [1, 1], "output": "n.npy", "device": "cpu"' \
    "$(cd "$dir" && w map_reduce count_nonzero 'x' x=x.npy --axis 0,1 --keepdims -o n.npy --json | sed 's/, "order.*//; s/.*"op": "count_nonzero", //')"
refuses 2 "weft map_reduce: -o requires --axis: the result is one value" map_reduce sum 'i^2' --n 10 -o "$z"
refuses 2 "weft map_reduce: --keepdims requires --axis: the result is one value" map_reduce sum 'i^2' --n 10 --keepdims
refuses 2 "weft map_reduce: --axis 2: axis 2 is out of range: the array of values has 2 dimensions, shape (2, 3)" \
    map_reduce sum 'x + f' "x=$dir/x.npy" "f=$dir/f.npy" --axis 2
refuses 2 "weft map_reduce: --axis x: expected at most 16 integers" map_reduce sum 'x' "x=$dir/x.npy" --axis x
refuses 2 "the array of values: option -o Y.npy is required: the result has 1001 values, more than 1000" map_reduce sum 'x' "x=$dir/wide.npy" --axis 1
refuses 1 "x.npy has shape (2, 3) and $dir/k.npy has shape (4,): they cannot be broadcast to one shape" map_reduce sum 'x + k' "x=$dir/x.npy" "k=$dir/k.npy" --axis 0
refuses 1 "the arrays are larger than the permitted memory (--memory), and --axis needs them whole" map_reduce sum 'x' "x=$dir/x.npy" --axis 0 --memory 8
npy "$dir/deep.npy" '|u1' "($(printf '1, %.0s' $(seq 17)))" 1
refuses 1 "deep.npy has 17 dimensions: at most 16 are supported" map_reduce sum 'x' "x=$dir/deep.npy" --axis 0
refuses 2 "and requires integer elements" map_reduce and 'x' "x=$dir/x.npy" --axis 0
refuses 1 "max of 0 elements is undefined" map_reduce max 'i' --n 0 --axis 0
refuses 2 "--json cannot be combined with" map_reduce sum 'x' "x=$dir/x.npy" --axis 0 -o - --json
refuses 2 "weft map: unknown option --axis" map 'x' "x=$dir/x.npy" -o "$z" --axis 0

# Errors in a formula are printed on several lines.
refuses_formula() {
    w map "$1" "x=$dir/x.npy" -o "$z" >"$dir/stdout" 2>"$dir/stderr"
    is "weft map '$1': exit code" 2 $?
    is "weft map '$1'" "$2" "$(cat "$dir/stderr")"
}
refuses_formula 'x +* 2' "weft map: expected a value
  x +* 2
     ^"
refuses_formula 'sine(x)' "weft map: unknown function sine
  sine(x)
  ^"
refuses 2 "weft map: the values of complex(x, 1) are complex: expected real values" map 'complex(x, 1)' "x=$dir/x.npy" -o "$z"
refuses 2 "weft map: y=VALUE is required: the formula has the variable y" map 'x + y' "x=$dir/x.npy" -o "$z"
refuses 2 "weft map: q=1: the formula has no variable q" map 'x' "x=$dir/x.npy" q=1 -o "$z"
refuses 2 "weft map: x=1: x is given twice" map 'x' "x=$dir/x.npy" x=1 -o "$z"
refuses 1 "x.npy has shape (2, 3) and $dir/k.npy has shape (4,): they cannot be broadcast to one shape" map 'x + k' "x=$dir/x.npy" "k=$dir/k.npy" -o "$z"
refuses 1 "x.npy has shape (2, 3) and $dir/tall.npy has shape (3, 2): they cannot be broadcast to one shape" map 'x + t' "x=$dir/x.npy" "t=$dir/tall.npy" -o "$z"
refuses 1 "$dir/x.npy has shape (2, 3) and $dir/f.npy has shape (3,): only map and map_reduce --axis broadcast them" map_reduce sum 'x + f' "x=$dir/x.npy" "f=$dir/f.npy"
refuses 1 "$dir/x.npy has shape (2, 3) and $dir/k.npy has shape (4,): only map and map_reduce --axis broadcast them" map_scan 'x + k' "x=$dir/x.npy" "k=$dir/k.npy" -o "$z"
npy "$dir/turned.npy" '<f8' '(2, 3)' --order True 1 2 3 4 5 6
refuses 1 "the arrays have different orders in memory: only map and map_reduce --axis support this" map_reduce sum 'x + t' "x=$dir/x.npy" "t=$dir/turned.npy"
refuses 1 "which is not supported for arrays that are larger than the permitted memory" map 'x + f' "x=$dir/x.npy" "f=$dir/f.npy" -o "$z" --memory 64
refuses 1 "$dir/missing.npy: cannot be opened" map 'x' "x=$dir/missing.npy" -o "$z"
refuses 2 "weft map: --dtype i32: x is f64, which cannot be evaluated in i32" map 'x' "x=$dir/x.npy" --dtype i32 -o "$z"
refuses 2 "the number of elements is unknown: expected an array or --n N" map 'i' -o "$z"
refuses 2 "--n 3 cannot be combined with the array" map 'x' "x=$dir/x.npy" --n 3 -o "$z"
scans() {
    expected=$1
    shift
    is "weft map_scan $*: printed" "" "$(w map_scan "$@" -o "$dir/scan.npy" 2>&1)"
    is "weft map_scan $*" "$expected" "$(values "$dir/scan.npy")"
}
scans "<i8 (5,) 0 1 5 14 30" 'i^2' --n 5 --dtype i64
scans "<i8 (5,) 7 7 8 12 21" 'i^2' --n 5 --dtype i64 --exclusive --init 7 --device ref
scans "<i4 (4,) 3 3 2 2" '3 - i/2' --n 4 --dtype i32 --op min
scans "<f8 (3,) 0.5 1.5 3.0" '0.5*(i + 1)' --n 3 --dtype f32 --accumulate f64
refuses 2 "--init x: expected a value of type f64" map_scan 'i' --n 3 --init x -o "$dir/no.npy"
refuses 2 "option -o FILE.npy is required" map_scan 'i' --n 3
refuses 2 "unknown option --op" map 'i' --op min --n 3 -o "$dir/no.npy"
refuses 2 "mean" map_scan 'i' --op mean --n 3 -o "$dir/no.npy"
refuses 1 "min of 0 elements is undefined" map_reduce min 'i' --n 0
refuses 2 "and requires integer elements" map_reduce and 'x' "x=$dir/x.npy"
refuses 2 "argument FORMULA is required" map -o "$z"
refuses 2 "argument FORMULA is required" map_reduce sum
refuses 2 "argument OP is required" map_reduce
refuses 2 "option -o FILE.npy is required" map 'x' "x=$dir/x.npy"
refuses 2 "--json cannot be combined with" map 'x' "x=$dir/x.npy" -o - --json
refuses 2 "unknown operator total" map_reduce total 'x' "x=$dir/x.npy"
refuses 2 "y.npy: expected NAME=VALUE" map 'x' y.npy -o "$z"
refuses 2 "--dtype i8: expected f32, f64, i32" map 'x' "x=$dir/x.npy" --dtype i8 -o "$z"
refuses 2 "weft map_reduce: --accumulate i64: expected f64 or exact" map_reduce sum 'x' "x=$dir/x.npy" --accumulate i64
refuses 2 "weft map_scan: --accumulate i64: " map_scan 'x' "x=$dir/x.npy" --accumulate i64 -o "$z"
refuses 2 "--accumulate x" map_reduce sum 'x' "x=$dir/x.npy" --accumulate x

is "map --json" "map x + a {'x': '$dir/x.npy', 'a': 2} f64 6 $z cpu $order" "$(w map 'x + a' "x=$dir/x.npy" a=2 -o "$z" --json |
    python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')"
is "map_reduce --json" "map_reduce x*x {'x': '$dir/x.npy'} f64 6 sum f64 55 0x404b800000000000 cpu $order" \
    "$(w map_reduce sum 'x*x' "x=$dir/x.npy" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')"
finish
