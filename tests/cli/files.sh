#!/bin/sh
# Tests which .npy files are read, and each reason for which a file is rejected.
. "$(dirname "$0")/check.sh"
f=$dir/a.npy

# versions, byte orders, memory orders, shapes, headers with other alignments
for version in 1 2 3; do
    npy "$f" '<f4' '(3,)' 1 2 4 --version $version
    prints 7 sum "$f"
done
for type in i2 i4 i8 u2 u4 u8 f4 f8; do
    npy "$f" ">$type" '(3,)' 1 2 770
    prints 773 sum "$f"
    prints 770 max "$f"
done
npy "$f" '=f4' '(2,)' 1 2 && prints 3 sum "$f"
npy "$f" '|b1' '(4,)' 1 0 1 1 && prints 3 sum "$f" && prints 3 count_nonzero "$f"
npy "$f" '<f8' '(2, 3)' 1 2 3 4 5 6 --order True && prints 21 sum "$f" && prints 5 argmax "$f"
npy "$f" '<f8' '(2, 3)' 1 2 3 4 5 6 && prints 21 sum "$f"
npy "$f" '<f8' '()' 42 && prints 42 sum "$f"
npy "$f" '<f8' '(0, 5)' && prints 0 sum "$f"
npy "$f" '<f8' '(2L, 2L)' 1 2 3 4 && prints 10 sum "$f"
npy "$f" '<f8' '(2,2,)' 1 2 3 4 && prints 10 sum "$f"
npy "$f" '<f8' '(2,)' 1 2 --header '{"shape":(2,),"fortran_order":False,"descr":"<f8"}' && prints 3 sum "$f"
for shift in 1 2 3 4 7; do
    npy "$f" '<f8' '(3,)' 1 2 4 --shift $shift && prints 7 sum "$f" && prints 7 sum - <"$f"
    npy "$f" '>f8' '(3,)' 1 2 4 --shift $shift && prints 7 sum "$f"
done
npy "$f" '<f8' '(3,)' 1 2 4 --append 1000 && prints 7 sum "$f" --quiet && prints 7 sum - --quiet <"$f"
is "bytes after an array" "weft max: $f: warning: 1000 bytes after the array are ignored
4" "$(w max "$f" 2>&1)"
npy "$f" '<f8' '(3,)' 1 2 4 --append 100000
is "bytes after an array that is streamed" "weft max: $f: warning: 100000 bytes after the array are ignored
4" "$(w max --memory 64K "$f" 2>&1)"

# streams
npy "$f" '<f4' '(3,)' 1 2 4
prints 7 sum - <"$f"
prints 21 dot - "$f" <"$f"
is "a pipe" 7 "$(cat "$f" | w sum -)"
is "a slow pipe" 7 "$({ head -c 5 "$f"; sleep 0.1; tail -c +6 "$f"; } | w sum -)"
mkfifo "$dir/fifo"
cat "$f" >"$dir/fifo" &
prints 7 sum "$dir/fifo"
cat "$f" "$f" >"$dir/two"
is "standard input from its middle" 7 "$({ dd bs="$(wc -c <"$f")" count=1 of="$dir/first" 2>/dev/null; w sum -; } <"$dir/two")"
head -c 400000 /dev/zero >"$dir/zeros"
npy "$dir/big.npy" '<f4' '(100001,)' 3 && cat "$dir/zeros" >>"$dir/big.npy"
prints 3 sum "$dir/big.npy"
is "a pipe of 400 kB" 3 "$(cat "$dir/big.npy" | w sum -)"

# files that are not .npy
refuses 1 "weft sum: $dir/missing.npy: cannot be opened: No such file or directory" sum "$dir/missing.npy"
refuses 1 "weft sum: $dir: is a directory" sum "$dir"
: >"$dir/empty.npy"
refuses 1 "weft sum: $dir/empty.npy: is empty" sum "$dir/empty.npy"
refuses 1 "weft sum: -: is empty" sum - </dev/null
echo 1.5 >"$dir/text.npy"
refuses 1 "text.npy: is not a .npy file" sum "$dir/text.npy"
printf '\223NUM' >"$f"
refuses 1 "is not a .npy file" sum "$f"
printf '\223NUMPY\1' >"$f"
refuses 1 "ends within its header, after 7 bytes" sum "$f"
printf '\223NUMPY\2\0\1\0' >"$f"
refuses 1 "ends within its header, after 10 bytes" sum "$f"
npy "$f" '<f4' '(1,)' 1 --version 9
refuses 1 "is a .npy file of version 9: expected version 1, 2 or 3" sum "$f"
npy "$f" '<f4' '(1,)' 1 --length 5000
refuses 1 "expected 5000 bytes of header" sum "$f"
npy "$f" '<f4' '(1,)' 1 --version 2 --length 1048577
refuses 1 "has a header of 1048577 bytes" sum "$f"
npy "$f" '<f4' '(1,)' 1 --version 3 --length 4294967295
refuses 1 "has a header of 4294967295 bytes" sum "$f"
refuses 1 "has a header of 4294967295 bytes" sum - <"$f"

# element types that weft does not support, each named in the error
for type in '<c16' '<f16' '|S5' '|O' '<U3' '<M8[ns]' '|V8' 'f4' '' '|f4' '<i3' '|i16'; do
    npy "$f" '<f4' '(1,)' 1 --header "{'descr': '$type', 'fortran_order': False, 'shape': (1,), }"
    refuses 1 "elements of dtype \"$type\" are not supported" sum "$f"
done
npy "$f" '<f4' '(1,)' 1 --header "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }"
refuses 1 "elements of a structured dtype are not supported" sum "$f"

# invalid shapes
shape() { npy "$f" '<f8' "$2" && refuses 1 "$1" sum "$f" && refuses 1 "$1" sum - <"$f"; }
shape "negative dimension, -3" '(-3,)'
shape "negative dimension, -99999999999999999999999" '(-99999999999999999999999,)'
shape "dimension 18446744073709551616 of the shape is too large" '(18446744073709551616,)'
shape "do not fit in memory" '(4611686018427387904, 8)'
shape "do not fit in memory" '(4611686018427387904, 0, 8)'
shape "do not fit in memory" '(0, 4294967296, 4294967296)'
shape "do not fit in memory" '(2305843009213693953,)'
shape "is truncated: 1000000000000 elements of type f64 require 8000000000000 bytes, found 0" '(1000000000000,)'
npy "$f" '<f8' '(9,)' 1 2 3 4 5 6 7 8 9 --cut 8
refuses 1 "a.npy: is truncated: 9 elements of type f64 require 72 bytes, found 64" sum "$f"
refuses 1 "-: is truncated: 9 elements of type f64 require 72 bytes, found 64" sum - <"$f"
is "a truncated pipe" "weft sum: -: is truncated: 9 elements of type f64 require 72 bytes, found 64" \
    "$(cat "$f" | w sum - 2>&1)"

# dictionaries that NumPy would not have written
header() { npy "$f" '<f8' '(1,)' 1 --header "$2" && refuses 1 "the header is malformed: $1" sum "$f"; }
D="'descr': '<f8'" F="'fortran_order': False" S="'shape': (1,)"
header "expected {" ""
header "expected {" "$D, $F, $S"
header "expected a comma or }" "{$D, $F, $S"
header "expected nothing but spaces" "{$D, $F, $S} x"
header "it has no key 'descr'" "{$F, $S}"
header "it has no key 'fortran_order'" "{$D, $S}"
header "it has no key 'shape'" "{$D, $F}"
header "it has no key 'descr'" "{}"
header "it has the key 'shape' twice" "{$D, $F, $S, $S}"
header "it has an unknown key 'extra'" "{$D, $F, $S, 'extra': 1}"
header "expected a comma or }" "{$D $F, $S}"
header "expected a colon" "{'descr' '<f8', $F, $S}"
header "expected a quoted string" "{, $D, $F, $S}"
header "expected a quoted string" "{'descr': 8, $F, $S}"
header "expected a short string and its closing quote" "{'descr"
header "expected True or False for 'fortran_order'" "{$D, 'fortran_order': 1, $S}"
header "expected a comma or }" "{$D, 'fortran_order': Falsehood, $S}"
header "expected the shape, a tuple," "{$D, $F, 'shape': [1]}"
header "expected the shape, a tuple," "{$D, $F, 'shape': 1}"
header "expected a comma after the only dimension of the shape" "{$D, $F, 'shape': (1)}"
header "expected a dimension" "{$D, $F, 'shape': (,)}"
header "expected a dimension" "{$D, $F, 'shape': (+1,)}"
header "expected a dimension" "{$D, $F, 'shape': (x,)}"
header "expected a comma or ) in the shape" "{$D, $F, 'shape': (1.5,)}"
header "expected a comma or ) in the shape" "{$D, $F, 'shape': (1 2)}"
header "expected a dimension" "{$D, $F, 'shape': (1,"

# every truncation of a valid file is rejected without a crash
npy "$dir/whole.npy" '<f4' '(3,)' 1 2 4
size=$(wc -c <"$dir/whole.npy")
cut=0
while [ "$cut" -lt "$size" ]; do
    head -c "$cut" "$dir/whole.npy" >"$f"
    w sum "$f" >"$dir/stdout" 2>"$dir/stderr"
    is "a file cut after $cut bytes: exit code" 1 $?
    is "a file cut after $cut bytes: stdout" "" "$(cat "$dir/stdout")"
    cut=$((cut + 1))
done

# two arrays
npy "$dir/x.npy" '<f4' '(3,)' 1 2 4
npy "$dir/y.npy" '<f4' '(2,)' 1 2
npy "$dir/z.npy" '<f8' '(3,)' 1 2 4
refuses 1 "weft dot: $dir/x.npy has 3 elements and $dir/y.npy has 2: both must have the same length" \
    dot "$dir/x.npy" "$dir/y.npy"
refuses 1 "weft dot: $dir/x.npy has elements of type f32 and $dir/z.npy of type f64: both must have the same type" \
    dot "$dir/x.npy" "$dir/z.npy"
refuses 1 "weft dot: $dir/missing.npy: cannot be opened" dot "$dir/x.npy" "$dir/missing.npy"
finish
