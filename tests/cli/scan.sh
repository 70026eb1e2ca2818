#!/bin/sh
# Tests weft scan: values known by hand, its options, and that the output file appears complete or not at all.
. "$(dirname "$0")/check.sh"

# scans EXPECTED ARGUMENT...: checks that `weft scan ARGUMENT... -o Y` prints nothing and writes EXPECTED, to a file
# and to standard output.
scans() {
    expected=$1
    shift
    rm -f "$y"
    got=$(w scan "$@" -o "$y" 2>&1)
    is "weft scan $*: exit code" 0 $?
    is "weft scan $*: printed" "" "$got"
    is "weft scan $*" "$expected" "$(values "$y")"
    w scan "$@" -o - >"$dir/stdout"
    is "weft scan $* -o -" same "$(cmp -s "$y" "$dir/stdout" && echo same)"
}

npy "$dir/i4.npy" '<i4' '(5,)' 3 1 4 1 5
npy "$dir/f4.npy" '<f4' '(4,)' 1.5 -2 0.25 8
npy "$dir/u1.npy" '|u1' '(3,)' 200 100 7
npy "$dir/f8.npy" '<f8' '(1,)' -- -0.0

# every operator, inclusive and exclusive
scans "<i4 (5,) 3 4 8 9 14" "$dir/i4.npy"
scans "<i4 (5,) 0 3 4 8 9" "$dir/i4.npy" --exclusive
scans "<i4 (5,) 3 3 12 12 60" "$dir/i4.npy" --op prod
scans "<i4 (5,) 1 3 3 12 12" "$dir/i4.npy" --op prod --exclusive
scans "<i4 (5,) 3 1 1 1 1" "$dir/i4.npy" --op min
scans "<i4 (5,) 2147483647 3 1 1 1" "$dir/i4.npy" --op min --exclusive
scans "<i4 (5,) 3 3 4 4 5" "$dir/i4.npy" --op max
scans "<i4 (5,) -2147483648 3 3 4 4" "$dir/i4.npy" --op max --exclusive
scans "<i4 (5,) 3 1 0 0 0" "$dir/i4.npy" --op and
scans "<i4 (5,) -1 3 1 0 0" "$dir/i4.npy" --op and --exclusive
scans "<i4 (5,) 3 3 7 7 7" "$dir/i4.npy" --op or
scans "<i4 (5,) 0 3 2 6 7" "$dir/i4.npy" --op xor --exclusive
scans "<f4 (4,) 1.5 -0.5 -0.25 7.75" "$dir/f4.npy"
scans "<f4 (4,) inf 1.5 -2.0 -2.0" "$dir/f4.npy" --op min --exclusive
scans "<f4 (4,) 0.0 1.5 -0.5 -0.25" "$dir/f4.npy" --exclusive
scans "<f8 (1,) -0.0" "$dir/f8.npy"
scans "<f8 (1,) 0.0" "$dir/f8.npy" --exclusive

# types
scans "|u1 (3,) 200 44 51" "$dir/u1.npy"
scans "<u8 (3,) 200 300 307" "$dir/u1.npy" --accumulate u64
scans "<i8 (5,) 3 4 8 9 14" "$dir/i4.npy" --accumulate i64
scans "<f8 (4,) 1.5 -0.5 -0.25 7.75" "$dir/f4.npy" --accumulate f64
refuses 2 "weft scan: --accumulate f64: scan with sum of i32 cannot accumulate in f64" scan "$dir/i4.npy" --accumulate f64 -o "$y"
refuses 2 "weft scan: --accumulate f64: scan with max of f32 cannot accumulate in f64" scan "$dir/f4.npy" --op max --accumulate f64 -o "$y"
refuses 1 "xor requires integer elements, not f32" scan "$dir/f4.npy" --op xor -o "$y"

# the initial value, which has the result's type
scans "<i4 (5,) 13 14 18 19 24" "$dir/i4.npy" --init 10
scans "<i4 (5,) -10 -7 -6 -2 -1" "$dir/i4.npy" --init -10 --exclusive
scans "|u1 (3,) 199 43 50" "$dir/u1.npy" --init 255
scans "<u8 (3,) 500 600 607" "$dir/u1.npy" --init 300 --accumulate u64
scans "<f4 (4,) 2.0 0.0 0.25 8.25" "$dir/f4.npy" --init=0.5
scans "<f8 (1,) -0.0" "$dir/f8.npy" --init -0.0 --exclusive
scans "<f8 (1,) 0.0" "$dir/f8.npy" --init 0
scans "<f4 (4,) nan nan nan nan" "$dir/f4.npy" --init nan
scans "<f4 (4,) -inf -inf -inf -inf" "$dir/f4.npy" --init -inf
for text in "" " 1" "1 " x 0x10 1.5 2147483648 -2147483649 99999999999999999999 1e3 +; do
    refuses 2 "weft scan: --init $text: expected a value of type i32 (-2147483648 to 2147483647)" \
        scan "$dir/i4.npy" --init "$text" -o "$y"
done
for text in -1 256 -0x1; do
    refuses 2 "--init $text: expected a value of type u8 (0 to 255), the type of the result" scan "$dir/u1.npy" --init "$text" -o "$y"
done
for text in "" 1e39 -1e39 1e999 1,5 "1 " 1x; do
    refuses 2 "--init $text: expected a value of type f32 (numbers up to" scan "$dir/f4.npy" --init "$text" -o "$y"
done
refuses 2 "--init 1e309: expected a value of type f64" scan "$dir/f4.npy" --accumulate f64 --init 1e309 -o "$y"

# shapes, byte orders, streams
npy "$dir/a.npy" '<f8' '(2, 3)' 1 2 3 4 5 6
scans "<f8 (2, 3) 1.0 3.0 6.0 10.0 15.0 21.0" "$dir/a.npy"
npy "$dir/a.npy" '<f8' '(2, 3)' 1 2 3 4 5 6 --order True
scans "<f8 (6,) 1.0 3.0 6.0 10.0 15.0 21.0" "$dir/a.npy"
npy "$dir/a.npy" '>i2' '(3,)' 1 2 770
scans "<i2 (3,) 1 3 773" "$dir/a.npy"
npy "$dir/a.npy" '>f8' '(1, 2)' 1 2.5
scans "<f8 (1, 2) 1.0 3.5" "$dir/a.npy"
npy "$dir/a.npy" '|b1' '(4,)' 1 0 1 1
scans "|u1 (4,) 1 1 2 3" "$dir/a.npy"
npy "$dir/a.npy" '<i8' '()' 42
scans "<i8 () 42" "$dir/a.npy"
npy "$dir/a.npy" '<f4' '(0,)'
scans "<f4 (0,)" "$dir/a.npy"
npy "$dir/a.npy" '<f4' '(3, 0, 2)'
scans "<f4 (3, 0, 2)" "$dir/a.npy" --exclusive --init 3
deep=$(printf '1, %.0s' $(seq 64))
npy "$dir/a.npy" '|i1' "($deep)" 5
scans "|i1 (${deep%, }) 5" "$dir/a.npy"
npy "$dir/a.npy" '|i1' "($deep 1)" 5
scans "|i1 (1,) 5" "$dir/a.npy"
is "a pipe through two scans" "<i4 (5,) 3 7 15 24 38" \
    "$(w scan - -o - <"$dir/i4.npy" | w scan - -o - >"$dir/piped"; values "$dir/piped")"
for device in ref cpu; do
    for threads in 1 2 7; do
        w scan "$root/examples/data/co2.npy" -o "$dir/$device$threads.npy" --device $device --threads $threads
        is "co2 on $device, $threads threads" same "$(cmp "$dir/ref1.npy" "$dir/$device$threads.npy" && echo same)"
    done
done
w scan "$root/examples/data/co2_tenths.npy" -o "$y" --accumulate i64
is "the last of the running sums is the sum" "$(w sum "$root/examples/data/co2_tenths.npy")" "$(w max "$y")"

# JSON
got=$(w scan "$dir/i4.npy" --op max --exclusive -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "--json" "scan $dir/i4.npy $y max True i32 5 i32 cpu $order" "$got"
refuses 2 "weft scan: --json cannot be combined with" scan "$dir/i4.npy" -o - --json

# wrong calls
refuses 2 "weft scan: $dir/i4.npy: option -o Y.npy is required" scan "$dir/i4.npy"
refuses 2 "weft scan: option -o requires an argument" scan "$dir/i4.npy" -o
refuses 2 "weft scan: 0 files given, 1 expected" scan -o "$y"
refuses 2 "weft scan: 2 files given, 1 expected" scan "$dir/i4.npy" "$dir/i4.npy" -o "$y"
refuses 2 "weft scan: --op mean: expected one of sum, prod, min, max, and, or, xor" scan "$dir/i4.npy" --op mean -o "$y"
refuses 2 "weft scan: --accumulate f32: scan with sum of i32 cannot accumulate in f32" scan "$dir/i4.npy" --accumulate f32 -o "$y"
refuses 2 "weft sum: -o requires --axis: the result is one value" sum "$dir/i4.npy" -o "$y"
refuses 1 "weft scan: $dir/missing.npy: cannot be opened" scan "$dir/missing.npy" -o "$y"

# The output: over its own input, over a link, with the default mode. No other file remains, also after failures.
out=$dir/out
mkdir "$out"
cp "$dir/i4.npy" "$out/x.npy"
w scan "$out/x.npy" -o "$out/x.npy"
is "over its own input" "<i4 (5,) 3 4 8 9 14" "$(values "$out/x.npy")"
ln -s x.npy "$out/link.npy"
w scan "$dir/u1.npy" -o "$out/link.npy"
is "over a link: the file" "|u1 (3,) 200 44 51" "$(values "$out/x.npy")"
is "over a link: the link" x.npy "$(readlink "$out/link.npy")"
(umask 027 && w scan "$dir/u1.npy" -o "$out/new.npy")
is "the mode" "-rw-r-----" "$(ls -l "$out/new.npy" | cut -c1-10)"
is "the files" "link.npy new.npy x.npy" "$(ls -A "$out" | paste -sd' ')"
refuses 1 "weft scan: $out: is a directory" scan "$dir/i4.npy" -o "$out"
refuses 1 "weft scan: $dir/none/y.npy: cannot be created: No such file or directory" scan "$dir/i4.npy" -o "$dir/none/y.npy"
refuses 1 "weft scan: /dev/full: cannot be written: No space left on device" scan "$dir/i4.npy" -o /dev/full
w scan "$dir/i4.npy" -o - >/dev/full 2>"$dir/stderr"
is "standard output is full: exit code" 1 $?
is "standard output is full" "weft scan: -: cannot be written: No space left on device" "$(cat "$dir/stderr")"
w scan "$dir/i4.npy" -o /dev/null
is "a device is written to, not replaced" "exit code 0, a device" \
    "exit code $?, $([ -c /dev/null ] && echo a device)"
# A limit on the size of files simulates a full disk; the old file is unchanged.
npy "$dir/big.npy" '<f8' '(100000,)' --append 800000
before=$(values "$out/x.npy")
(trap '' XFSZ && ulimit -f 100 && w scan "$dir/big.npy" -o "$out/x.npy") 2>"$dir/stderr"
is "a disk that fills up: exit code" 1 $?
is "a disk that fills up" "weft scan: $out/x.npy: cannot be written: File too large" "$(cat "$dir/stderr")"
is "a disk that fills up: the old file" "$before" "$(values "$out/x.npy")"
is "a disk that fills up: the files" "link.npy new.npy x.npy" "$(ls -A "$out" | paste -sd' ')"
(trap '' PIPE && w scan "$dir/big.npy" -o - 2>"$dir/stderr"; echo $? >"$dir/code") | true
is "a reader that goes away: exit code" 1 "$(cat "$dir/code")"
is "a reader that goes away" "weft scan: -: cannot be written: Broken pipe" "$(cat "$dir/stderr")"
finish
