#!/bin/sh
# Tests weft sort and weft argsort: values known by hand, their options and files.
. "$(dirname "$0")/check.sh"

npy "$dir/i4.npy" '<i4' '(5,)' -- 3 -1 4 -1 5
npy "$dir/f4.npy" '<f4' '(6,)' -- 1.5 nan 0.0 -0.0 -inf inf
npy "$dir/u1.npy" '|u1' '(2, 2)' 200 100 7 255
npy "$dir/f8.npy" '<f8' '(5,)' 0.5 1.5 2.5 3.5 4.5

gives "<i4 (5,) -1 -1 3 4 5" sort "$dir/i4.npy"
gives "<i4 (5,) 5 4 3 -1 -1" sort "$dir/i4.npy" --descending
gives "<f4 (6,) -inf -0.0 0.0 1.5 inf nan" sort "$dir/f4.npy"
gives "<f4 (6,) inf 1.5 0.0 -0.0 -inf nan" sort "$dir/f4.npy" --descending
gives "|u1 (2, 2) 7 100 200 255" sort "$dir/u1.npy"
gives "<u8 (5,) 1 3 0 2 4" argsort "$dir/i4.npy"
gives "<u8 (5,) 4 2 0 1 3" argsort "$dir/i4.npy" --descending
gives "<u4 (5,) 1 3 0 2 4" argsort "$dir/i4.npy" --index u32
gives "<u8 (5,) 1 3 0 2 4" argsort "$dir/i4.npy" --index u64
gives "<u8 (6,) 4 3 2 0 5 1" argsort "$dir/f4.npy"
gives "<u8 (6,) 5 0 2 3 4 1" argsort "$dir/f4.npy" --descending
gives "<u8 (2, 2) 2 1 0 3" argsort "$dir/u1.npy"
npy "$dir/a.npy" '<f8' '(2, 2)' 4 3 2 1 --order True
gives "<f8 (4,) 1.0 2.0 3.0 4.0" sort "$dir/a.npy"
npy "$dir/a.npy" '>i2' '(3,)' -- 258 -3 1
gives "<i2 (3,) -3 1 258" sort "$dir/a.npy"
npy "$dir/a.npy" '<f4' '(0,)'
gives "<f4 (0,)" sort "$dir/a.npy"
gives "<u8 (0,)" argsort "$dir/a.npy"
npy "$dir/a.npy" '<i8' '()' 42
gives "<i8 () 42" sort "$dir/a.npy"

# values that are permuted with the keys
w sort "$dir/i4.npy" --values "$dir/f8.npy" -o "$y" --values-out "$dir/w.npy"
is "sorted keys" "<i4 (5,) -1 -1 3 4 5" "$(values "$y")"
is "their values" "<f8 (5,) 1.5 3.5 0.5 2.5 4.5" "$(values "$dir/w.npy")"
w sort "$dir/f8.npy" --descending --values "$dir/i4.npy" -o /dev/null --values-out - >"$dir/w.npy"
is "values on standard output" "<i4 (5,) 5 -1 4 -1 3" "$(values "$dir/w.npy")"
refuses 1 "$dir/i4.npy has 5 elements and $dir/f4.npy has 6: both must have the same length" \
    sort "$dir/i4.npy" --values "$dir/f4.npy" -o "$y" --values-out "$dir/w.npy"
refuses 2 "--values and --values-out must be used together: --values-out is missing" sort "$dir/i4.npy" --values "$dir/f8.npy" -o "$y"
refuses 2 "--values and --values-out must be used together: --values is missing" sort "$dir/i4.npy" --values-out "$dir/w.npy" -o "$y"
refuses 2 "only one of the two arrays can be written to standard output" \
    sort "$dir/i4.npy" --values "$dir/f8.npy" -o - --values-out -
refuses 2 "only one of the two arrays can be read from standard input" sort - --values - -o "$y" --values-out "$dir/w.npy"

# streams, devices
is "a pipe" "<u8 (5,) 0 1 2 3 4" "$(w sort - -o - <"$dir/i4.npy" | w argsort - -o - >"$dir/piped"; values "$dir/piped")"
for device in ref cpu; do
    for threads in 1 2 7; do
        w sort "$root/examples/data/co2.npy" -o "$dir/$device$threads.npy" --device $device --threads $threads
        is "co2 on $device, $threads threads" same "$(cmp "$dir/ref1.npy" "$dir/$device$threads.npy" && echo same)"
    done
done
cp "$dir/i4.npy" "$dir/own.npy"
w sort "$dir/own.npy" -o "$dir/own.npy"
is "over its own input" "<i4 (5,) -1 -1 3 4 5" "$(values "$dir/own.npy")"

# JSON
got=$(w sort "$dir/i4.npy" --descending --values "$dir/f8.npy" -o "$y" --values-out "$dir/w.npy" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "--json" "sort $dir/i4.npy $y $dir/f8.npy $dir/w.npy True i32 5 i32 cpu $order" "$got"
got=$(w argsort "$dir/i4.npy" -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
print(o["command"], o["descending"], o["result"])')
is "argsort --json" "argsort False u64" "$got"
refuses 2 "weft sort: --json cannot be combined with" sort "$dir/i4.npy" -o - --json

# wrong calls
refuses 2 "weft sort: $dir/i4.npy: option -o FILE.npy is required" sort "$dir/i4.npy"
refuses 2 "weft argsort: $dir/i4.npy: option -o FILE.npy is required" argsort "$dir/i4.npy"
refuses 2 "weft sort: 0 files given, 1 expected" sort -o "$y"
refuses 2 "weft argsort: 2 files given, 1 expected" argsort "$dir/i4.npy" "$dir/i4.npy" -o "$y"
refuses 2 "weft argsort: --index i64: expected u32 or u64" argsort "$dir/i4.npy" --index i64 -o "$y"
refuses 2 "weft sort: unknown option --index" sort "$dir/i4.npy" --index u32 -o "$y"
refuses 2 "weft argsort: unknown option --values" argsort "$dir/i4.npy" --values "$dir/f8.npy" -o "$y"
refuses 1 "weft sort: $dir/missing.npy: cannot be opened" sort "$dir/missing.npy" -o "$y"
refuses 1 "weft sort: $dir/missing.npy: cannot be opened" \
    sort "$dir/i4.npy" --values "$dir/missing.npy" -o "$y" --values-out "$dir/w.npy"
refuses 1 "weft sort: /dev/full: cannot be written: No space left on device" sort "$dir/i4.npy" -o /dev/full
finish
