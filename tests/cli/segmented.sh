#!/bin/sh
# Tests weft segmented_reduce, segmented_scan, reduce_by_key: values known by hand, options, and errors.
. "$(dirname "$0")/check.sh"
k=$dir/k.npy

npy "$dir/x.npy" '<i4' '(6,)' 1 2 3 4 5 6
npy "$dir/f.npy" '<f4' '(2, 3)' 0.5 2 -3 4 -0.0 8
npy "$dir/o.npy" '<u8' '(4,)' 0 2 2 6
npy "$dir/o4.npy" '<i4' '(4,)' 0 2 2 6
npy "$dir/part.npy" '<i8' '(3,)' 1 3 4
npy "$dir/o3.npy" '<u8' '(3,)' 0 3 5
npy "$dir/pairs.npy" '<i4' '(6,)' 1 1 2 2 3 3
npy "$dir/h.npy" '|b1' '(6,)' 0 0 1 0 0 1
npy "$dir/keys.npy" '<f4' '(6,)' 0 -0.0 nan nan 1 0

# reduce
gives "<i8 (3,) 3 0 18" segmented_reduce "$dir/x.npy" --offsets "$dir/o.npy"
gives "<i8 (3,) 3 0 18" segmented_reduce "$dir/x.npy" --offsets "$dir/o4.npy"
gives "<i8 (3,) 3 12 6" segmented_reduce "$dir/x.npy" --heads "$dir/h.npy"
gives "<i8 (3,) 2 1 360" segmented_reduce "$dir/x.npy" --offsets "$dir/o.npy" --op prod
gives "<i4 (3,) 1 2147483647 3" segmented_reduce "$dir/x.npy" --offsets "$dir/o.npy" --op min
gives "<i4 (3,) 2 -2147483648 6" segmented_reduce "$dir/x.npy" --offsets "$dir/o.npy" --op max
gives "<i4 (3,) 3 0 4" segmented_reduce "$dir/x.npy" --offsets "$dir/o.npy" --op xor
gives "<f4 (3,) 2.5 0.0 9.0" segmented_reduce "$dir/f.npy" --offsets "$dir/o.npy"
gives "<f8 (3,) 2.5 0.0 9.0" segmented_reduce "$dir/f.npy" --offsets "$dir/o.npy" --accumulate f64
gives "<f4 (3,) 2.5 0.0 9.0" segmented_reduce "$dir/f.npy" --offsets "$dir/o.npy" --accumulate exact
gives "<f4 (3,) 0.5 inf -3.0" segmented_reduce "$dir/f.npy" --offsets "$dir/o.npy" --op min
gives "<i8 (2,) 5 4" segmented_reduce "$dir/x.npy" --offsets "$dir/part.npy"

npy "$dir/f2.npy" '<f2' '(6,)' 2048 1 1 40000 40000 nan
gives "<f2 (3,) 2048.0 0.0 nan" segmented_reduce "$dir/f2.npy" --offsets "$dir/o.npy"
gives "<f4 (2,) 2050.0 80000.0" segmented_reduce "$dir/f2.npy" --offsets "$dir/o3.npy" --accumulate f32
gives "<f2 (2,) 2050.0 inf" segmented_reduce "$dir/f2.npy" --offsets "$dir/o3.npy"
gives "<f2 (6,) 2048.0 2048.0 2050.0 40000.0 inf 0.0" segmented_scan "$dir/f2.npy" --offsets "$dir/o3.npy"
gives "<f8 (3,) 2049.0 40001.0 nan" reduce_by_key "$dir/pairs.npy" "$dir/f2.npy" --accumulate f64

# scan
gives "<i4 (6,) 1 3 3 7 12 18" segmented_scan "$dir/x.npy" --offsets "$dir/o.npy"
gives "<i4 (6,) 0 1 0 3 7 12" segmented_scan "$dir/x.npy" --offsets "$dir/o.npy" --exclusive
gives "<i4 (6,) 1 3 3 7 12 6" segmented_scan "$dir/x.npy" --heads "$dir/h.npy"
gives "<i8 (6,) 0 2 5 4 0 0" segmented_scan "$dir/x.npy" --offsets "$dir/part.npy" --accumulate i64
gives "<f4 (2, 3) 0.5 2.5 -3.0 1.0 1.0 9.0" segmented_scan "$dir/f.npy" --offsets "$dir/o.npy"
gives "<f4 (2, 3) 0.5 2.0 -3.0 4.0 4.0 8.0" segmented_scan "$dir/f.npy" --offsets "$dir/o.npy" --op max

# by key
gives "<i8 (4,) 3 7 5 6" reduce_by_key "$dir/keys.npy" "$dir/x.npy" --keys-out "$k"
is "the keys" "<f4 (4,) 0.0 nan 1.0 0.0" "$(values "$k")"
gives "<f4 (4,) 2.0 4.0 -0.0 8.0" reduce_by_key "$dir/keys.npy" "$dir/f.npy" --op max
gives "<f4 (6,) 0.5 2.0 -3.0 4.0 -0.0 8.0" reduce_by_key "$dir/x.npy" "$dir/f.npy"

# every device gives identical bits, equal to those of the operation on the segment alone
npy "$dir/co2.npy" '<u8' '(5,)' 0 100 101 1000 2000
for device in ref cpu; do
    w segmented_reduce "$root/examples/data/co2.npy" --offsets "$dir/co2.npy" -o "$dir/$device.npy" --device $device
done
is "cpu and ref" same "$(cmp -s "$dir/ref.npy" "$dir/cpu.npy" && echo same)"

# JSON
got=$(w segmented_reduce "$dir/x.npy" --heads "$dir/h.npy" --op max -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
print(o["command"], o["op"], o["dtype"], o["n"], o["segments"], o["result"], o["order"])')
is "--json" "segmented_reduce max i32 6 3 i32 $order" "$got"

# errors
npy "$dir/falls.npy" '<u8' '(4,)' 0 4 3 6
npy "$dir/past.npy" '<u8' '(2,)' 0 7
npy "$dir/minus.npy" '<i2' '(2,)' -1 3
npy "$dir/none.npy" '<u8' '(0,)'
npy "$dir/five.npy" '|u1' '(5,)' 0 0 0 0 0
rm -f "$y"
refuses 1 ".npy: offset 2, 3, is less than offset 1, 4: offsets must not decrease" \
    segmented_reduce "$dir/x.npy" --offsets "$dir/falls.npy" -o "$y"
refuses 1 ".npy: offset 1, 7, is greater than the length of $dir/x.npy, which has 6 elements" \
    segmented_scan "$dir/x.npy" --offsets "$dir/past.npy" -o "$y"
refuses 1 "minus.npy: offset 0 is -1: offsets must not be negative" \
    segmented_scan "$dir/x.npy" --offsets "$dir/minus.npy" -o "$y"
refuses 1 "none.npy has no elements" segmented_reduce "$dir/x.npy" --offsets "$dir/none.npy" -o "$y"
refuses 1 "f.npy has elements of type f32: offsets must be integers" \
    segmented_reduce "$dir/x.npy" --offsets "$dir/f.npy" -o "$y"
refuses 1 "five.npy has 5 elements and $dir/x.npy has 6" segmented_scan "$dir/x.npy" --heads "$dir/five.npy" -o "$y"
refuses 1 "x.npy has elements of type i32: flags must have type u8 or bool" \
    segmented_scan "$dir/x.npy" --heads "$dir/x.npy" -o "$y"
refuses 1 "five.npy has 5 elements" reduce_by_key "$dir/five.npy" "$dir/x.npy" -o "$y"
refuses 1 "xor requires integer elements" segmented_reduce "$dir/f.npy" --offsets "$dir/o.npy" --op xor -o "$y"
refuses 2 "--op mean: expected one of sum, prod" segmented_reduce "$dir/x.npy" --offsets "$dir/o.npy" --op mean -o "$y"
refuses 2 "--accumulate i64: expected f32, f64 or exact" segmented_reduce "$dir/x.npy" --offsets "$dir/o.npy" --accumulate i64 -o "$y"
refuses 2 "option --offsets O.npy or --heads H.npy is required" segmented_reduce "$dir/x.npy" -o "$y"
refuses 2 "cannot be combined with --heads" \
    segmented_scan "$dir/x.npy" --offsets "$dir/o.npy" --heads "$dir/h.npy" -o "$y"
refuses 2 "option -o Y.npy is required" segmented_scan "$dir/x.npy" --offsets "$dir/o.npy"
refuses 2 "0 files given, 1 expected" segmented_scan --offsets "$dir/o.npy" -o "$y"
refuses 2 "1 file given, 2 expected" reduce_by_key "$dir/x.npy" -o "$y"
refuses 2 "only one of the two arrays can be read from standard input" segmented_scan - --offsets - -o "$y"
refuses 2 "only one of the two arrays can be written to standard output" reduce_by_key "$dir/keys.npy" "$dir/x.npy" -o - --keys-out -
refuses 2 "--json cannot be combined with" segmented_scan "$dir/x.npy" --heads "$dir/h.npy" -o - --json
is "what a refused call leaves" "" "$(ls "$y" 2>/dev/null)"
finish
