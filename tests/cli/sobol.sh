#!/bin/sh
# Tests weft sobol: published points, parts of a sequence, its options, and errors.
. "$(dirname "$0")/check.sh"

gives "<f4 (4, 2) 0.0 0.0 0.5 0.5 0.75 0.25 0.25 0.75" sobol --dimensions 2 --n 4
gives "<f8 (2, 3) 0.375 0.375 0.625 0.875 0.875 0.125" sobol --dimensions 3 --n 2 --first 4 --dtype f64 --device ref
gives "<f4 (1, 1) 0.375" sobol --dimensions 1 --n 1e0 --first 4 --scramble none --seed 9
gives "<f4 (0, 5)" sobol --dimensions 5 --n 0 --scramble owen

# A sequence generated in parts, on other threads and devices, or in several pieces has identical bits.
sobol() { w sobol --dimensions 3 --scramble owen --seed 3 --stream 4 "$@"; }
sobol --n 2e6 --threads 2 -o "$dir/all.npy"
sobol --n 1000001 --threads 1 -o "$dir/head.npy"
sobol --n 999999 --first 1000001 -o "$dir/tail.npy"
sobol --n 999999 --first 1000001 --stream 5 -o "$dir/other.npy"
body() { for file in "$@"; do tail -c +129 "$file"; done; }
is "2e6 points: bytes" 24000128 "$(wc -c <"$dir/all.npy" | tr -d ' ')"
body "$dir/head.npy" "$dir/tail.npy" >"$dir/joined"
body "$dir/all.npy" >"$dir/whole"
is "a sequence in two parts" same "$(cmp -s "$dir/joined" "$dir/whole" && echo same)"
is "another stream" other "$(cmp -s "$dir/tail.npy" "$dir/other.npy" || echo other)"
sobol --n 999999 --first 1000001 --scramble shift -o "$dir/other.npy"
is "another scrambling" other "$(cmp -s "$dir/tail.npy" "$dir/other.npy" || echo other)"

rm -f "$y"
refuses 2 "option --dimensions D is required: the number of coordinates" sobol --n 3 -o "$y"
refuses 2 "option --n N is required: the number of points" sobol --dimensions 3 -o "$y"
refuses 2 "option -o FILE.npy is required" sobol --dimensions 3 --n 3
refuses 2 "unexpected argument x.npy: sobol does not read files" sobol --dimensions 3 --n 3 -o "$y" x.npy
refuses 2 "--dimensions 1112" sobol --dimensions 1112 --n 3 -o "$y"
refuses 2 "--dimensions 0" sobol --dimensions 0 --n 3 -o "$y"
refuses 2 "--scramble full: expected none, shift or owen" sobol --dimensions 3 --n 3 --scramble full -o "$y"
refuses 2 "--json cannot be combined with" sobol --dimensions 3 --n 3 -o - --json
refuses 2 "--n 1.5: expected an integer" sobol --dimensions 3 --n 1.5 -o "$y"
refuses 2 "weft sobol: --dtype i32: expected f32 or f64" sobol --dimensions 3 --n 3 --dtype i32 -o "$y"
refuses 2 "--first 9223372036854775806 --n 3: out of range: expected points 0 to 9223372036854775807" sobol --dimensions 3 --n 3 --first 9223372036854775806 -o "$y"
is "nothing is left over" "" "$(ls "$dir" | grep -F "$(basename "$y")")"
refuses 1 "$dir/no/y.npy: cannot be created" sobol --dimensions 3 --n 3 -o "$dir/no/y.npy"

is "sobol --json" "sobol 7 owen $y f64 5 1 2 10 cpu $order" \
    "$(w sobol --dimensions 7 --n 5 --scramble owen --dtype f64 --seed 1 --stream 2 --first 10 -o "$y" --json |
        python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')"
finish
