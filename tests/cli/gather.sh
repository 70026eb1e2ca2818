#!/bin/sh
# Tests weft gather and weft scatter: values known by hand, options, and errors.
. "$(dirname "$0")/check.sh"

npy "$dir/x.npy" '<i4' '(4,)' 10 11 12 13
npy "$dir/rows.npy" '<f4' '(3, 2)' 0.5 2 -3 4 -0.0 8
npy "$dir/cube.npy" '<i2' '(2, 2, 2)' 1 2 3 4 5 6 7 8
npy "$dir/i.npy" '<i8' '(3,)' 3 0 3
npy "$dir/i1.npy" '|u1' '(3,)' 3 0 3
npy "$dir/two.npy" '<i4' '(2,)' 1 0
npy "$dir/out.npy" '<i4' '(3,)' 2 -1 4
npy "$dir/to.npy" '<u4' '(4,)' 5 0 1 3
npy "$dir/to3.npy" '<u4' '(3,)' 1 3 0
npy "$dir/equal.npy" '<i4' '(4,)' 0 2 5 2
npy "$dir/init.npy" '<i4' '(6,)' 1 2 3 4 5 6
npy "$dir/init3.npy" '<i4' '(3,)' 1 2 3
npy "$dir/fractions.npy" '<f4' '(3,)' 2 0 2
npy "$dir/scalar.npy" '<f4' '()' 2

gives "<i4 (3,) 13 10 13" gather "$dir/x.npy" --index "$dir/i.npy"
gives "<i4 (3,) 13 10 13" gather "$dir/x.npy" --index "$dir/i1.npy"
gives "<f4 (2, 2) -3.0 4.0 0.5 2.0" gather "$dir/rows.npy" --index "$dir/two.npy"
gives "<i2 (2, 2, 2) 5 6 7 8 1 2 3 4" gather "$dir/cube.npy" --index "$dir/two.npy"
gives "<i4 (3,) 12 0 0" gather "$dir/x.npy" --index "$dir/out.npy" --skip
gives "<i4 (3,) 12 2 3" gather "$dir/x.npy" --index "$dir/out.npy" --skip --init "$dir/init3.npy"
gives "<i4 (6,) 11 12 0 13 0 10" scatter "$dir/x.npy" --index "$dir/to.npy" --targets 6
gives "<i4 (6,) 11 12 3 13 5 10" scatter "$dir/x.npy" --index "$dir/to.npy" --init "$dir/init.npy"
gives "<i4 (2,) 11 12" scatter "$dir/x.npy" --index "$dir/to.npy" --targets 2 --skip
gives "<f4 (4, 2) -0.0 8.0 0.5 2.0 0.0 0.0 -3.0 4.0" scatter "$dir/rows.npy" --index "$dir/to3.npy" --targets 4
gives "<i2 (3, 2, 2) 5 6 7 8 1 2 3 4 0 0 0 0" scatter "$dir/cube.npy" --index "$dir/two.npy" --targets 3
gives "<i4 (0,)" scatter "$dir/x.npy" --index "$dir/to.npy" --targets 0 --skip

# every device gives identical bits
for device in ref cpu; do
    w gather "$dir/rows.npy" --index "$dir/two.npy" -o "$dir/$device.npy" --device $device
done
is "cpu and ref" same "$(cmp -s "$dir/ref.npy" "$dir/cpu.npy" && echo same)"

got=$(w scatter "$dir/rows.npy" --index "$dir/to3.npy" --targets 5 -o "$y" --json | python3 -c 'import json, sys
j = json.load(sys.stdin)
print(j["command"], j["rows"], j["columns"], j["skip"])')
is "--json" "scatter 5 2 False" "$got"

npy "$dir/turned.npy" '<f4' '(3, 2)' 1 2 3 4 5 6 --order True
npy "$dir/wide.npy" '<f4' '(4, 3)' 1 2 3 4 5 6 7 8 9 10 11 12
rm -f "$y"

# refused
refused() {
    code=$1 words=$2
    shift 2
    refuses "$code" "$words" "$@" -o "$y"
}
refused 1 "index[1] is -1: expected 0 to 3" gather "$dir/x.npy" --index "$dir/out.npy"
refused 1 "index[1] and index[3] are 2: scatter requires different indices" scatter "$dir/x.npy" \
    --index "$dir/equal.npy" --targets 6
refused 1 "i.npy has 3 elements and $dir/x.npy has 4 rows" scatter "$dir/x.npy" --index "$dir/i.npy" --targets 6
refused 1 "indices must be integers" gather "$dir/x.npy" --index "$dir/fractions.npy"
refused 1 "$dir/none.npy: " gather "$dir/x.npy" --index "$dir/none.npy"
refused 1 "$dir/none.npy: " scatter "$dir/x.npy" --index "$dir/to.npy" --init "$dir/none.npy"
refused 1 "turned.npy is in Fortran order: a matrix must be in C order" gather "$dir/turned.npy" --index "$dir/two.npy"
refused 1 "scalar.npy has 0 dimensions" gather "$dir/scalar.npy" --index "$dir/two.npy"
refused 1 "rows of 3 values do not fit in memory" scatter "$dir/wide.npy" --index "$dir/to.npy" \
    --targets 9223372036854775807
refused 1 "has 3 elements of type i32: expected the type f32" scatter "$dir/rows.npy" --index "$dir/to3.npy" \
    --init "$dir/init3.npy"
refused 1 "has 6 elements of type i32: expected the type i32 and the shape" gather "$dir/x.npy" \
    --index "$dir/i.npy" --skip --init "$dir/init.npy"
refused 2 "requires --skip" gather "$dir/x.npy" --index "$dir/i.npy" --init "$dir/init3.npy"
refused 2 "option --index I.npy is required" gather "$dir/x.npy"
refused 2 "one of the options --targets M and --init F.npy is required" scatter "$dir/x.npy" --index "$dir/to.npy"
refused 2 "one of the options --targets M and --init F.npy is required" scatter "$dir/x.npy" \
    --index "$dir/to.npy" --targets 6 --init "$dir/init.npy"
refused 2 "only one of the arrays can be read from standard input" gather - --index -
refused 2 "--targets -1" scatter "$dir/x.npy" --index "$dir/to.npy" --targets -1
is "a call that is refused writes nothing" "" "$(ls "$dir" | grep -F "$(basename "$y")")"
finish
