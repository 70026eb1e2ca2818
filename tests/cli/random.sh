#!/bin/sh
# Tests weft random: values known by hand, parts of a stream, its options, and errors.
. "$(dirname "$0")/check.sh"

# The published words of Philox4x32-10 for a counter and a key of zeros: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
gives "<u4 (4,) 1713891541 3781805453 3159862348 2600524760" random integers --n 4 --dtype u32
gives "<u4 (2,) 3159862348 2600524760" random integers --n 2 --dtype u32 --first 2 --device ref
gives "<i4 (4,) -433592107 1634321805 1012378700 453041112" random integers --n 4 --dtype i32
gives "<u8 (1,) 16242730742183356629" random integers --n 1 --dtype u64
gives "<f4 (2,) 0.3990464210510254 0.8805201649665833" random uniform --n 2
gives "<f8 (1,) 0.8805201978886142" random uniform --n 1 --dtype f64
gives "|u1 (4,) 1 0 0 0" random bernoulli --n 4 --probability 0.4
gives "<f4 (3,) 5.0 5.0 5.0" random normal --n 3 --mean 5 --deviation 0 --seed 18446744073709551615
gives "<f4 (3,) 5.0 5.0 5.0" random normal_fast --n 3 --mean 5 --deviation 0
gives "<i8 (2,) -3 -3" random integers --n 2e0 --lower -3 --upper -3 --stream 7
gives "<f4 (0,)" random lognormal --n 0
gives "|u1 (2,) 1 1" random bernoulli --n 2 --probability 1 --first 9223372036854775806

# A stream generated in parts, on other threads and devices, or in several pieces has identical bits.
w random normal --n 5e6 --seed 3 --stream 4 --threads 2 -o "$dir/all.npy"
w random normal --n 2500001 --seed 3 --stream 4 --threads 1 -o "$dir/head.npy"
w random normal --n 2499999 --seed 3 --stream 4 --first 2500001 -o "$dir/tail.npy"
w random normal --n 2499999 --seed 3 --stream 5 --first 2500001 -o "$dir/other.npy"
body() { for file in "$@"; do tail -c +129 "$file"; done; }
is "5e6 samples: bytes" 20000128 "$(wc -c <"$dir/all.npy" | tr -d ' ')"
body "$dir/head.npy" "$dir/tail.npy" >"$dir/joined"
body "$dir/all.npy" >"$dir/whole"
is "a stream in two parts" same "$(cmp -s "$dir/joined" "$dir/whole" && echo same)"
is "another stream" other "$(cmp -s "$dir/tail.npy" "$dir/other.npy" || echo other)"

refuses 2 "DISTRIBUTION: expected one of uniform, normal, lognormal, normal_fast, lognormal_fast, exponential, bernoulli, integers" random --n 3 -o "$y"
refuses 2 "gaussian: expected one of uniform, normal" random gaussian --n 3 -o "$y"
refuses 2 "normal: expected one of uniform" random uniform normal --n 3 -o "$y"
refuses 2 "option --n N is required" random uniform -o "$y"
refuses 2 "option -o FILE.npy is required" random uniform --n 3
refuses 2 "--json cannot be combined with" random uniform --n 3 -o - --json
refuses 2 "--n 1.5: expected an integer" random uniform --n 1.5 -o "$y"
refuses 2 "--n -1: expected an integer" random uniform --n -1 -o "$y"
refuses 2 "--seed 2e19: expected an integer from 0 to 18446744073709551615" random uniform --n 1 --seed 2e19 -o "$y"
refuses 2 "--dtype f8: unknown type" random uniform --n 1 --dtype f8 -o "$y"
refuses 2 "--dtype exact: samples of uniform must have type" random uniform --n 1 --dtype exact -o "$y"
refuses 1 "b - a overflows in bf16" random uniform --n 1 --lower -3e38 --upper 3e38 --dtype bf16 -o "$y"
refuses 2 "--mean: the distribution uniform does not have this parameter" random uniform --n 1 --mean 1 -o "$y"
refuses 2 "--upper: the distribution exponential does not have this parameter" random exponential --n 1 --upper 1 -o "$y"
refuses 2 "--rate x: expected a value of type f64" random exponential --n 1 --rate x -o "$y"
refuses 2 "--lower -1: expected a value of type u32 (0 to 4294967295)" random integers --n 1 --lower -1 --dtype u32 -o "$y"
refuses 2 "unknown option --ratio" random exponential --ratio 1 -o "$y"
refuses 2 "weft random: --lower 2 is not less than --upper 1 (the default), in f32" random uniform --n 1 --lower 2 -o "$y"
refuses 2 "weft random: --deviation -1: expected a finite number greater than or equal to 0" random normal --n 1 --deviation -1 -o "$y"
refuses 2 "weft random: --rate 0: expected a finite number greater than 0" random exponential --n 1 --rate 0 -o "$y"
refuses 2 "weft random: --probability 2: expected a number from 0 to 1" random bernoulli --n 1 --probability 2 -o "$y"
refuses 2 "weft random: --dtype f32: samples of bernoulli must have type u8" random bernoulli --n 1 --dtype f32 -o "$y"
refuses 2 "weft random: --dtype f32: random integers must have type i32, i64, u32 or u64" random integers --n 1 --dtype f32 -o "$y"
refuses 2 "weft random: --lower 3 is not less than --upper 1" random uniform --n 1 --lower 3 --upper 1 --dtype f64 -o "$y"
refuses 2 "weft random: --upper inf: expected a finite number" random uniform --n 1 --upper inf --dtype f64 -o "$y"
refuses 2 "weft random: --upper 1e39: expected a finite number of f32" random uniform --n 1 --upper 1e39 -o "$y"
refuses 2 "weft random: --lower -3e38, --upper 3e38: the difference overflows" random uniform --n 1 --lower -3e38 --upper 3e38 -o "$y"
refuses 2 "weft random: --mean nan: expected a finite number" random lognormal --n 1 --mean nan -o "$y"
refuses 2 "weft random: --dtype i32: samples of uniform must have type f32, f64, f16 or bf16" random uniform --n 1 --dtype i32 -o "$y"
refuses 2 "weft random: --dtype f64: samples of normal_fast must have type f32, f16 or bf16" random normal_fast --n 1 --dtype f64 -o "$y"
refuses 2 "weft random: --mean 1e39: expected a finite number of f32" random lognormal_fast --n 1 --mean 1e39 -o "$y"
refuses 2 "weft random: --deviation 1e39: expected a finite number of f32" random normal_fast --n 1 --deviation 1e39 -o "$y"
refuses 2 "weft random: --lower 7 is greater than --upper 6" random integers --n 1 --lower 7 --upper 6 -o "$y"
rm -f "$y"
refuses 2 "--first 9223372036854775806 --n 3: out of range: expected samples 0 to 9223372036854775807" random uniform --n 3 --first 9223372036854775806 -o "$y"
is "nothing is left over" "" "$(ls "$dir" | grep -F "$(basename "$y")")"
refuses 1 "$dir/no/y.npy: cannot be created" random uniform --n 3 -o "$dir/no/y.npy"

is "random --json" "random normal $y f64 5 18446744073709551615 2 10 cpu $order" \
    "$(w random normal --n 5 --dtype f64 --seed 18446744073709551615 --stream 2 --first 10 -o "$y" --json |
        python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')"
finish
