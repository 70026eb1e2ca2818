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

# along an axis: a list for all vectors, indices of their own, Fortran order, broadcast values
npy "$dir/table.npy" '<f4' '(2, 3)' 1 2 3 4 5 6
npy "$dir/order.npy" '<f4' '(3, 2)' 1 2 3 4 5 6 --order True
npy "$dir/list.npy" '<i4' '(2,)' 2 0
npy "$dir/far.npy" '<i4' '(2,)' 2 -1
npy "$dir/own.npy" '|i1' '(2, 1)' 2 0
npy "$dir/turned_own.npy" '|u1' '(2, 2)' 2 0 1 1 --order True
npy "$dir/three.npy" '<i4' '(1, 1, 2)' 0 1
npy "$dir/put.npy" '<f4' '(1, 1)' 9
npy "$dir/puts.npy" '<f4' '(2, 2)' 7 8 9 10
npy "$dir/base.npy" '<f4' '(2, 1)' -1 -2
npy "$dir/tall.npy" '<f4' '(4, 1)' 1 2 3 4
npy "$dir/other.npy" '<f8' '(2, 3)' 1 2 3 4 5 6
gives "<f4 (2, 2) 3.0 1.0 6.0 4.0" gather "$dir/table.npy" --index "$dir/list.npy" --axis 1
gives "<f4 (2, 3) 4.0 5.0 6.0 1.0 2.0 3.0" gather "$dir/table.npy" --index "$dir/two.npy" --axis -2
gives "<f4 (2, 1) 3.0 4.0" gather "$dir/table.npy" --index "$dir/own.npy" --axis -1
gives "<f4 (2, 2) 3.0 2.0 4.0 5.0" gather "$dir/table.npy" --index "$dir/turned_own.npy" --axis 1
gives "<f4 (3, 2) 4.0 1.0 5.0 2.0 6.0 3.0" gather "$dir/order.npy" --index "$dir/two.npy" --axis 1
gives "<f4 (2, 2) 3.0 0.0 6.0 0.0" gather "$dir/table.npy" --index "$dir/far.npy" --axis 1 --skip
gives "<f4 (2, 2) 3.0 -1.0 6.0 -2.0" gather "$dir/table.npy" --index "$dir/far.npy" --axis 1 --skip \
    --init "$dir/base.npy"
gives "<i4 (3,) 13 10 13" gather "$dir/x.npy" --index "$dir/i.npy" --axis 0
gives "<f4 (2, 3) 1.0 2.0 9.0 9.0 5.0 6.0" scatter "$dir/put.npy" --index "$dir/own.npy" --axis 1 --init "$dir/table.npy"
gives "<f4 (2, 4) 8.0 0.0 7.0 0.0 10.0 0.0 9.0 0.0" scatter "$dir/puts.npy" --index "$dir/list.npy" --axis 1 --targets 4
gives "<f4 (2, 3) 0.0 0.0 7.0 0.0 0.0 9.0" scatter "$dir/puts.npy" --index "$dir/far.npy" --axis 1 --targets 3 --skip
got=$(w scatter "$dir/puts.npy" --index "$dir/list.npy" --axis -1 --targets 3 -o "$y" --json | python3 -c 'import json, sys
j = json.load(sys.stdin)
print(j["command"], j["axis"], j["skip"])')
is "--axis --json" "scatter -1 False" "$got"

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
refused 2 "--axis 2: axis 2 is out of range: $dir/table.npy has 2 dimensions, shape (2, 3)" gather "$dir/table.npy" \
    --index "$dir/list.npy" --axis 2
refused 2 "--axis 0,1: expected an integer" gather "$dir/table.npy" --index "$dir/list.npy" --axis 0,1
refused 1 "three.npy has shape (1, 1, 2): expected one dimension, or 2 as $dir/table.npy" gather "$dir/table.npy" \
    --index "$dir/three.npy" --axis 1
refused 1 "is -1: expected 0 to 2" gather "$dir/table.npy" --index "$dir/far.npy" --axis 1
refused 1 "a result of shape (4, 9223372036854775807) does not fit in memory" scatter "$dir/tall.npy" \
    --index "$dir/own.npy" --axis 1 --targets 9223372036854775807
refused 1 "other.npy has elements of type f64: expected f32, as $dir/puts.npy" scatter "$dir/puts.npy" --index "$dir/list.npy" --axis 1 --init "$dir/other.npy"
is "a call that is refused writes nothing" "" "$(ls "$dir" | grep -F "$(basename "$y")")"
finish
