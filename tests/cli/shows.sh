#!/bin/sh
# Tests that tour, devices and bench run, print the required text and keep to their line width.
. "$(dirname "$0")/check.sh"

# has WHAT PATTERN FILE: checks that the file contains the pattern
has() {
    checks=$((checks + 1))
    grep -Eq "$2" "$3" || failed "$1: nothing matches $2 in" "$(cat "$3")"
}

"$weft" tour --n 100000 >"$dir/tour" 2>"$dir/stderr"
is "tour: exit code" 0 $?
is "tour: stderr" "" "$(cat "$dir/stderr")"
has tour 'a . b = 1047552, bits 0x497fc000; .* exact: yes; same bits: yes' "$dir/tour"
has tour 'exact, in integers +10000\.000149' "$dir/tour"
has tour '^  This takes about [0-9]+ (seconds|minutes), with arrays of 100000 elements' "$dir/tour"
has tour "^  The command weft is $weft\$" "$dir/tour"
has tour '^Try next:$' "$dir/tour"
is "the tour's lines of more than 100 columns" "" "$(grep -v 'The command weft is' "$dir/tour" | awk 'length($0) > 100')"
has tour '^Verdict: [0-9]+ comparisons, not one bit differs' "$dir/tour"
for operation in $(w help --list | sed '1,/^version$/d; /^scan$/,$d'); do # operations that print a value
    is "rows of $operation in the tour" 2 "$(grep -Ec "^ *$operation +.*yes\$" "$dir/tour")"
done
has tour 'exclusive, of 512 .* out\[1\] 840, out\[511\] 259869 +yes +yes$' "$dir/tour"
has tour 'inclusive, of 7587 .* yes +yes$' "$dir/tour"
has tour 'recurrence, of 100 .* v\[0\] 0\.788766, v\[99\] 13\.046939 +yes +yes$' "$dir/tour"
has tour '^ +recurrence, f64 .* yes$' "$dir/tour"
has tour '^ +whole numbers, f64 +[0-9]+ +0 .* yes$' "$dir/tour"
has tour '^ +running sum, f32 .* yes$' "$dir/tour"
has tour '275 x 275 .* passed +yes$' "$dir/tour"
has tour 'its trace: 18823\.83.. in f32, 18823\.8393 in f64; .* right: yes$' "$dir/tour"
has tour '80 x 48 times 48 x 128.* passed +yes$' "$dir/tour"
has tour 'the second step +x\[0\] 0.447213[56], 1/sqrt\(5\) +yes +yes$' "$dir/tour"
has tour '^ +sort of 100000 u32 +yes .* yes$' "$dir/tour"
has tour '^ +argsort of 100000 u32 +yes .* yes$' "$dir/tour"
has tour 'weft_convolve, term by term +y\[25\] 0\.91636.* yes +yes$' "$dir/tour"
has tour 'weft_fft there and back, 64 points +y\[25\] 0\.91636.* yes +yes$' "$dir/tour"
is "a row of the tour that differs" "" "$(grep -w NO "$dir/tour")"
is "escape sequences in a file" "" "$(tr -cd '\033' <"$dir/tour")"

npy "$dir/own.npy" '<i2' '(2, 3)' 5 -3 0 7 7 1
"$weft" tour --n 5000 "$dir/own.npy" --device cpu --threads 1 >"$dir/tour" 2>&1
is "a tour of another file: exit code" 0 $?
has "a tour of another file" 'own.npy: 6 elements of i16' "$dir/tour"
npy "$dir/none.npy" '<f4' '(0,)'
refuses 1 "none.npy: has no elements: the tour requires at least one" tour "$dir/none.npy"

"$weft" devices >"$dir/devices"
is "devices: exit code" 0 $?
has devices '^cpu ' "$dir/devices"
has devices '^(cuda:0 |No GPU: )' "$dir/devices"

"$weft" bench --size 100000 --op sum,variance,xor,scan,recurrence,histogram,top_k,merge,search_sorted,sort,argsort,random --device cpu --threads 1 >"$dir/bench" 2>"$dir/stderr"
is "bench: exit code" 0 $?
is "bench: stderr" "" "$(cat "$dir/stderr")"
is "bench: rows" "sum variance xor scan recurrence histogram top_k merge search_sorted sort argsort random" "$(sed -n '/^  operation/,$p' "$dir/bench" | awk 'NR > 1 {print $1}' | paste -sd' ')"
finish
