#!/bin/sh
# Tests weft scatter_reduce: values known by hand, options, and errors.
. "$(dirname "$0")/check.sh"

npy "$dir/x.npy" '<i4' '(6,)' 1 2 3 4 5 6
npy "$dir/f.npy" '<f4' '(6,)' 0.5 2 -3 4 -0.0 8
npy "$dir/rows.npy" '<f4' '(3, 2)' 0.5 2 -3 4 -0.0 8
npy "$dir/i.npy" '<i8' '(6,)' 2 0 2 0 0 2
npy "$dir/i1.npy" '|u1' '(6,)' 2 0 2 0 0 2
npy "$dir/i3.npy" '<i4' '(3,)' 1 0 1
npy "$dir/out.npy" '<i4' '(6,)' 2 -1 2 3 0 2
npy "$dir/init.npy" '<i8' '(3,)' 10 20 30
npy "$dir/fractions.npy" '<f4' '(6,)' 2 0 2 0 0 2
npy "$dir/cube.npy" '<f4' '(1, 2, 3)' 1 2 3 4 5 6

gives "<i8 (3,) 11 0 10" scatter_reduce "$dir/x.npy" --index "$dir/i.npy" --targets 3
gives "<i8 (3,) 11 0 10" scatter_reduce "$dir/x.npy" --index "$dir/i1.npy" --targets 3
gives "<i8 (3,) 40 1 18" scatter_reduce "$dir/x.npy" --index "$dir/i.npy" --targets 3 --op prod
gives "<i4 (3,) 2 2147483647 1" scatter_reduce "$dir/x.npy" --index "$dir/i.npy" --targets 3 --op min
gives "<i4 (3,) 3 0 4" scatter_reduce "$dir/x.npy" --index "$dir/i.npy" --targets 3 --op xor
gives "<i8 (3,) 21 20 40" scatter_reduce "$dir/x.npy" --index "$dir/i.npy" --targets 3 --init "$dir/init.npy"
gives "<f4 (3,) 2.0 nan 1.8333333730697632" scatter_reduce "$dir/f.npy" --index "$dir/i.npy" --targets 3 --op mean
gives "<f8 (3,) 6.0 0.0 5.5" scatter_reduce "$dir/f.npy" --index "$dir/i.npy" --targets 3 --accumulate f64
gives "<f4 (3,) 6.0 0.0 5.5" scatter_reduce "$dir/f.npy" --index "$dir/i.npy" --targets 3 --accumulate exact
gives "<f4 (2, 2) -3.0 4.0 0.5 10.0" scatter_reduce "$dir/rows.npy" --index "$dir/i3.npy" --targets 2
npy "$dir/f2.npy" '<f2' '(6,)' 2048 1 1 2 3 1
gives "<f2 (3,) 6.0 0.0 2050.0" scatter_reduce "$dir/f2.npy" --index "$dir/i.npy" --targets 3
gives "<f4 (3,) 2.0 nan 683.3333129882812" \
    scatter_reduce "$dir/f2.npy" --index "$dir/i.npy" --targets 3 --op mean --accumulate f32
refuses 1 "mean of f16 must accumulate in f32 or f64" \
    scatter_reduce "$dir/f2.npy" --index "$dir/i.npy" --targets 3 --op mean -o "$y"
gives "<i8 (3,) 5 0 10" scatter_reduce "$dir/x.npy" --index "$dir/out.npy" --targets 3 --skip
gives "<i8 (0,)" scatter_reduce "$dir/x.npy" --index "$dir/out.npy" --targets 0 --skip

# every device gives identical bits
for device in ref cpu; do
    w scatter_reduce "$dir/rows.npy" --index "$dir/i3.npy" --targets 9 -o "$dir/$device.npy" --device $device
done
is "cpu and ref" same "$(cmp -s "$dir/ref.npy" "$dir/cpu.npy" && echo same)"

got=$(w scatter_reduce "$dir/x.npy" --index "$dir/i.npy" --targets 3 --op max -o "$y" --json | python3 -c 'import json, sys
j = json.load(sys.stdin)
print(j["command"], j["op"], j["targets"], j["columns"], j["skip"], j["result"])')
is "--json" "scatter_reduce max 3 1 False i32" "$got"

npy "$dir/turned.npy" '<f4' '(3, 2)' 1 2 3 4 5 6 --order True
npy "$dir/wide.npy" '<f4' '(3, 3)' 1 2 3 4 5 6 7 8 9
rm -f "$y"

# refused
refused() {
    code=$1 words=$2
    shift 2
    refuses "$code" "$words" scatter_reduce "$@" -o "$y"
}
refused 1 "index[1] is -1: expected 0 to 3" "$dir/x.npy" --index "$dir/out.npy" --targets 4
refused 1 "i3.npy has 3 elements and $dir/x.npy has 6 rows" "$dir/x.npy" --index "$dir/i3.npy" --targets 3
refused 1 "indices must be integers" "$dir/x.npy" --index "$dir/fractions.npy" --targets 3
refused 1 "$dir/none.npy: " "$dir/x.npy" --index "$dir/none.npy" --targets 3
refused 1 "turned.npy is in Fortran order: a matrix must be in C order" "$dir/turned.npy" --index "$dir/i3.npy" --targets 3
refused 1 "rows of 3 values do not fit in memory" "$dir/wide.npy" --index "$dir/i3.npy" --targets 9223372036854775807
refused 1 "has 3 dimensions" "$dir/cube.npy" --index "$dir/i3.npy" --targets 3
refused 1 "has 3 elements of type i64: expected 4 of type i64" "$dir/x.npy" --index "$dir/i.npy" --targets 4 \
    --init "$dir/init.npy"
refused 1 "expected 3 of type f32" "$dir/f.npy" --index "$dir/i.npy" --targets 3 --init "$dir/init.npy"
refused 1 "xor requires integer elements" "$dir/f.npy" --index "$dir/i.npy" --targets 3 --op xor
refused 2 "--op mean cannot be combined with --init" "$dir/x.npy" --index "$dir/i.npy" --targets 3 --op mean --init x
refused 2 "option --index I.npy is required" "$dir/x.npy" --targets 3
refused 2 "option --targets M is required" "$dir/x.npy" --index "$dir/i.npy"
refused 2 "--op median: expected one of" "$dir/x.npy" --index "$dir/i.npy" --targets 3 --op median
refused 2 "only one of the arrays can be read from standard input" - --index - --targets 3
refused 2 "--targets -1" "$dir/x.npy" --index "$dir/i.npy" --targets -1
is "a call that is refused writes nothing" "" "$(ls "$dir" | grep -F "$(basename "$y")")"
finish
