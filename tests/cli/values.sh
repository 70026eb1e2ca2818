#!/bin/sh
# Tests every operation on small arrays whose results are known by hand, and the format of printed values.
. "$(dirname "$0")/check.sh"

npy "$dir/f4.npy" '<f4' '(4,)' 1.5 -2 0 8
npy "$dir/i4.npy" '<i4' '(4,)' 12 -6 0 5
npy "$dir/u1.npy" '|u1' '(3,)' 12 10 14
npy "$dir/e4.npy" '<f4' '(0,)'
npy "$dir/eu1.npy" '|u1' '(0,)'

for row in sum:7.5 prod:-0 min:-2 max:8 argmin:1 argmax:3 any:1 all:0 count_nonzero:3 mean:1.875 norm1:11.5 \
    norm2:8.381527 norminf:8 variance:14.046875; do
    prints "${row#*:}" "${row%:*}" "$dir/f4.npy"
done
prints 70.25 dot "$dir/f4.npy" "$dir/f4.npy"
for row in sum:11 prod:0 min:-6 max:12 argmin:1 argmax:0 and:0 or:-1 xor:-13 any:1 all:0 count_nonzero:3 mean:2.75 \
    norm1:23 norminf:12 variance:43.6875; do
    prints "${row#*:}" "${row%:*}" "$dir/i4.npy"
done
prints 205 dot "$dir/i4.npy" "$dir/i4.npy"
for row in sum:36 prod:1680 min:10 max:14 and:8 or:14 xor:8 all:1; do
    prints "${row#*:}" "${row%:*}" "$dir/u1.npy"
done

# f16 and bf16: the shortest digits that identify the value
npy "$dir/f2.npy" '<f2' '(4,)' 1.5 -2 0 8
npy "$dir/b2.npy" '<V2' '(4,)' 0x3fc0 0xc000 0 0x4100
for row in sum:7.5 prod:-0 min:-2 max:8 argmin:1 argmax:3 any:1 all:0 count_nonzero:3 mean:1.875 norm1:11.5 norminf:8; do
    prints "${row#*:}" "${row%:*}" "$dir/f2.npy"
    prints "${row#*:}" "${row%:*}" "$dir/b2.npy"
done
prints 8.38 norm2 "$dir/f2.npy"
prints 8.4 norm2 "$dir/b2.npy"
prints 14.05 variance "$dir/f2.npy"
prints 8.381527307120106 norm2 "$dir/f2.npy" --accumulate f64
prints "7.5 0x4780" sum "$dir/f2.npy" --bits
prints "7.5 0x40f0" sum "$dir/b2.npy" --bits
npy "$dir/large.npy" '<f2' '(2,)' 65504 65504
prints inf sum "$dir/large.npy"
prints 131008 sum "$dir/large.npy" --accumulate f64
npy "$dir/small.npy" '<f2' '(1,)' 5.9604644775390625e-08
prints 6e-08 sum "$dir/small.npy"
npy "$dir/far.npy" '<f2' '(2,)' 65504 5.9604644775390625e-08
prints "65504 0x477fe000" sum "$dir/far.npy" --accumulate f32 --bits
prints 65504.000000059605 sum "$dir/far.npy" --accumulate f64

# weft show: all commands read f16 and bf16
npy "$dir/shown.npy" '<f2' '(5,)' -0.0 0.0 1e-7 inf nan
npy "$dir/shown_b.npy" '<V2' '(3,)' 0x8000 0x7f7f 0x7fc0
prints "type      f16
shape     (5,)
elements  5
first     -0 0 1e-07 inf nan
last      -0 0 1e-07 inf nan
min       -0 0x8000
max       inf 0x7c00
NaN       1" show "$dir/shown.npy" --bits
prints "type      bf16
shape     (3,)
elements  3
first     -0 3.39e+38 nan
last      -0 3.39e+38 nan
min       -0 0x8000
max       3.39e+38 0x7f7f
NaN       1" show "$dir/shown_b.npy" --bits
refuses 1 "xor requires integer elements, not f16" xor "$dir/f2.npy"
refuses 2 "weft sum: --accumulate exact: sum of f16 cannot accumulate in exact" sum "$dir/f2.npy" --accumulate exact
prints 70.25 dot "$dir/f2.npy" "$dir/f2.npy"
refuses 1 "this operation does not support f16 elements: expected f32, f64 or integers" unique "$dir/f2.npy" -o "$dir/u.npy"

# no elements
for row in sum:0 prod:1 any:0 all:1 count_nonzero:0 norm1:0 norm2:0 norminf:0; do
    prints "${row#*:}" "${row%:*}" "$dir/e4.npy"
done
prints 0 dot "$dir/e4.npy" "$dir/e4.npy"
prints 255 and "$dir/eu1.npy"
prints 0 or "$dir/eu1.npy"
for op in min max argmin argmax mean variance; do refuses 1 "weft $op: $dir/e4.npy: $op of " $op "$dir/e4.npy"; done

# types that are not supported
for op in and or xor; do refuses 1 "$op requires integer elements, not f32" $op "$dir/f4.npy"; done
# lanes of the C++ proposal P4016
npy "$dir/six.npy" '<f8' '(6,)' 10000000000000000 1 1 -10000000000000000 1 1
npy "$dir/six4.npy" '<f4' '(6,)' 16777216 1 1 1 1 1
for row in 1:2 2:0 3:4 4:2 5:1 6:2 1024:2; do
    prints "${row#*:}" sum "$dir/six.npy" --lanes "${row%:*}"
done
prints "16777220 0x4b800002" sum "$dir/six4.npy" --lanes 2 --bits
prints 16777221 sum "$dir/six4.npy" --lanes 2 --accumulate f64
prints -1e+32 prod "$dir/six.npy" --lanes 4
prints 4 sum "$dir/six.npy" --lanes 3 --memory 1K
refuses 2 "weft sum: --lanes 0" sum "$dir/six.npy" --lanes 0
refuses 2 "weft sum: --lanes 1025" sum "$dir/six.npy" --lanes 1025
refuses 2 "weft max: --lanes is an option of sum and prod" max "$dir/six.npy" --lanes 16
refuses 2 "weft sum: --lanes and --axis exclude each other" sum "$dir/six.npy" --lanes 16 --axis 0
refuses 2 "weft sum: --lanes and --accumulate exact exclude each other" sum "$dir/six.npy" --lanes 16 --accumulate exact
refuses 1 "requires f32 or f64 elements, not i32" sum "$dir/i4.npy" --lanes 16
refuses 2 "weft sum: --accumulate f64: sum of i32 cannot accumulate in f64" sum "$dir/i4.npy" --accumulate f64

# ddof, accumulate, bits
prints 18.729166 variance "$dir/f4.npy" --ddof 1
prints 18.729166666666668 variance "$dir/f4.npy" --ddof 1 --accumulate f64
prints 18.729166 variance "$dir/f4.npy" --ddof 1 --accumulate exact
refuses 1 "f4.npy: has 4 elements: a variance with --ddof 4 requires more" variance "$dir/f4.npy" --ddof 4
npy "$dir/tenth.npy" '<f4' '(3,)' 0.1 0.1 0.1
prints "0.3 0x3e99999a" sum "$dir/tenth.npy" --bits
prints 0.30000000447034836 sum "$dir/tenth.npy" --accumulate f64
prints 0.03000000089406968 dot "$dir/tenth.npy" "$dir/tenth.npy" --accumulate f64
prints "7.5 0x40f00000" sum "$dir/f4.npy" --bits
prints "-6 0xfffffffa" min "$dir/i4.npy" --bits
prints "1 0x01" any "$dir/f4.npy" --bits
prints "3 0x0000000000000003" argmax "$dir/f4.npy" --bits

# format of values: shortest digits, integers without an exponent, special values
f4() { npy "$dir/one.npy" '<f4' '(1,)' -- "$2" && prints "$1" sum "$dir/one.npy"; }
f8() { npy "$dir/one.npy" '<f8' '(1,)' -- "$2" && prints "$1" sum "$dir/one.npy"; }
f4 0.1 0.1
f4 16777216 16777216
f4 1e-45 1e-45
f4 3.4028235e+38 3.4028235e38
f4 inf inf
f4 -inf -inf
f4 nan nan
f4 -0 -0.0
f8 0.1 0.1
f8 0.30000000000000004 0.30000000000000004
f8 5e-324 5e-324
f8 1.7976931348623157e+308 1.7976931348623157e308
f8 9007199254740992 9007199254740993
f8 1e+16 1e16
f8 100000 1e5
npy "$dir/one.npy" '<i8' '(1,)' -- -9223372036854775808
prints -9223372036854775808 sum "$dir/one.npy"
prints "-9223372036854775808 0x8000000000000000" min "$dir/one.npy" --bits
npy "$dir/one.npy" '<u8' '(2,)' 18446744073709551615 2
prints 1 sum "$dir/one.npy"
prints 18446744073709551615 max "$dir/one.npy"
npy "$dir/one.npy" '<i2' '(2,)' -- -32768 7
prints "-32768 0x8000" min "$dir/one.npy" --bits
npy "$dir/one.npy" '<u2' '(1,)' 65535
prints "65535 0xffff" max "$dir/one.npy" --bits
npy "$dir/one.npy" '|i1' '(1,)' -- -128
prints "-128 0x80" min "$dir/one.npy" --bits
npy "$dir/one.npy" '<u4' '(1,)' 4294967295
prints "4294967295 0xffffffff" max "$dir/one.npy" --bits

# the specification and the CPU with any number of threads print identical results
for device in ref cpu; do
    for threads in 0 1 2 7; do
        is "co2 on $device, $threads threads" "340.1422471910113 0x40754246a4fd9576" \
            "$("$weft" mean "$root/examples/data/co2.npy" --device $device --threads $threads --bits)"
    done
done
prints 7568165 sum "$root/examples/data/co2_tenths.npy"
finish
