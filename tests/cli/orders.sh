#!/bin/sh
# Tests weft histogram, top_k, merge and search_sorted: values known by hand, their options, and errors.
. "$(dirname "$0")/check.sh"

npy "$dir/i4.npy" '<i4' '(2, 4)' 3 1 4 1 5 9 2 6
npy "$dir/f4.npy" '<f4' '(6,)' 0.5 -1 nan 2 0.25 2
npy "$dir/u1.npy" '|u1' '(3,)' 255 0 7
npy "$dir/none.npy" '<f4' '(0,)'
npy "$dir/edges.npy" '<i4' '(4,)' 1 2 5 9
npy "$dir/reals.npy" '<f4' '(3,)' -1 0.5 inf

# histogram
gives "<u8 (2,) 5 3" histogram "$dir/i4.npy" --bins 2
gives "<u8 (3,) 3 2 2" histogram "$dir/i4.npy" --bins 3 --lower 1 --upper 6 --threads 2 --device ref
gives "<u8 (4,) 1 1 1 2" histogram "$dir/i4.npy" --bins 4 --lower 2 --upper=6
gives "<u8 (3,) 2 3 3" histogram "$dir/i4.npy" --edges "$dir/edges.npy"
gives "<u8 (2,) 2 3" histogram "$dir/f4.npy" --edges "$dir/reals.npy"
gives "<u8 (10,) 1 0 0 0 1 1 0 0 0 2" histogram "$dir/f4.npy" --lower -1 --upper 2
gives "<u8 (2,) 2 1" histogram "$dir/u1.npy" --bins 2
gives "<u8 (3,) 0 0 0" histogram "$dir/none.npy" --bins 3 --lower 0 --upper 1
npy "$dir/f2.npy" '<f2' '(5,)' 0.1 0.5 2 nan 1
npy "$dir/bf.npy" '<V2' '(3,)' 0x3f80 0x4000 0x3f00
npy "$dir/between.npy" '<f4' '(3,)' 0 0.09998 1
gives "<u8 (2,) 2 1" histogram "$dir/f2.npy" --bins 2 --lower 0.0999756 --upper 2
gives "<u8 (2,) 1 2" histogram "$dir/f2.npy" --edges "$dir/between.npy"
gives "<u8 (2,) 1 2" histogram "$dir/bf.npy" --bins 2 --lower 0 --upper 2
gives "<u8 (3,) 1 1 1" histogram "$dir/bf.npy" --bins 3
refuses 1 "f2.npy: the least element, nan, is not finite: specify --lower and --upper" histogram "$dir/f2.npy" -o "$y"
refuses 2 "--upper x: expected a value of type f32 (" histogram "$dir/f2.npy" --upper x --lower 0 -o "$y"
refuses 1 "edges of type f16: expected at least 2 of type f32" histogram "$dir/f2.npy" --edges "$dir/f2.npy" -o "$y"
refuses 2 "--bins 0: expected an integer from 1 to" histogram "$dir/i4.npy" --bins 0 -o "$y"
refuses 2 "--bins x: expected an integer" histogram "$dir/i4.npy" --bins x -o "$y"
refuses 2 "--edges cannot be combined with --bins" histogram "$dir/i4.npy" --bins 3 --edges "$dir/edges.npy" -o "$y"
refuses 2 "--lower 1.5: expected a value of type i32" histogram "$dir/i4.npy" --lower 1.5 -o "$y"
refuses 2 "--upper 256: expected a value of type u8 (0 to 255)" histogram "$dir/u1.npy" --upper 256 -o "$y"
refuses 2 "i4.npy: --lower 7 is not less than --upper 7" histogram "$dir/i4.npy" --lower 7 --upper 7 -o "$y"
refuses 1 "f4.npy: the least element, nan, is not finite: specify --lower and --upper" histogram "$dir/f4.npy" -o "$y"
refuses 1 "none.npy: without --lower: min of 0 elements is undefined" histogram "$dir/none.npy" -o "$y"
refuses 1 "edges.npy: 4 edges of type i32: expected at least 2 of type f32" \
    histogram "$dir/f4.npy" --edges "$dir/edges.npy" -o "$y"
npy "$dir/falls.npy" '<i4' '(3,)' 1 5 5
refuses 1 ".npy: edge 1, 5, is not less than edge 2, 5: edges must be strictly ascending" \
    histogram "$dir/i4.npy" --edges "$dir/falls.npy" -o "$y"
refuses 1 "$dir/missing.npy: cannot be opened" histogram "$dir/i4.npy" --edges "$dir/missing.npy" -o "$y"

# top_k
gives "<i4 (3,) 9 6 5" top_k "$dir/i4.npy" -k 3
gives "<i4 (3,) 1 1 2" top_k "$dir/i4.npy" -k 3 --smallest
gives "<i4 (0,)" top_k "$dir/i4.npy" -k 0
gives "<f4 (6,) 2.0 2.0 0.5 0.25 -1.0 nan" top_k "$dir/f4.npy" -k 6
gives "<f4 (6,) -1.0 0.25 0.5 2.0 2.0 nan" top_k "$dir/f4.npy" -k 6 --smallest --indices "$dir/at.npy"
is "the indices" "<u8 (6,) 1 4 0 3 5 2" "$(values "$dir/at.npy")"
refuses 1 "i4.npy: has 8 elements, fewer than the default 10 largest: specify -k K" top_k "$dir/i4.npy" -o "$y"
refuses 2 "i4.npy: has 8 elements: -k 9 is greater" top_k "$dir/i4.npy" -k 9 -o "$y"
refuses 2 "-k -1: expected an integer from 0" top_k "$dir/i4.npy" -k -1 -o "$y"
refuses 2 "-k x: expected an integer from 0" top_k "$dir/i4.npy" -k x -o "$y"
refuses 2 "-o and --indices name the same file" top_k "$dir/i4.npy" -k 1 -o "$y" --indices "$y"
refuses 2 "--json cannot be combined with --indices -: both write to standard output" top_k "$dir/i4.npy" -k 1 -o "$y" --indices - --json

# merge
npy "$dir/a.npy" '<f8' '(3,)' -0.0 1 inf
npy "$dir/b.npy" '<f8' '(2, 2)' -2 0.0 1 nan
gives "<f8 (7,) -2.0 -0.0 0.0 1.0 1.0 inf nan" merge "$dir/a.npy" "$dir/b.npy"
gives "<f4 (0,)" merge "$dir/none.npy" "$dir/none.npy"
refuses 1 "has elements of type f64 and $dir/i4.npy of type i32: both must have the same type" merge "$dir/a.npy" "$dir/i4.npy" -o "$y"
refuses 2 "weft merge: 1 file given, 2 expected" merge "$dir/a.npy" -o "$y"
refuses 2 "only one of the two arrays can be read from standard input" merge - - -o "$y"

npy "$dir/s.npy" '<i4' '(5,)' 1 2 2 5 9
# unsorted input is rejected; the order is that of sort: -0 before +0, NaN last
npy "$dir/fall.npy" '<i4' '(5,)' 1 3 3 2 1
npy "$dir/zeros.npy" '<f4' '(3,)' -1 0.0 -0.0
npy "$dir/nans.npy" '<f4' '(4,)' 1 nan nan 2
npy "$dir/big.npy" '<u8' '(2,)' 18446744073709551615 1
npy "$dir/zero.npy" '<f4' '(1,)' 0
fall="fall.npy: is not sorted: element 2 is 3, but element 3 is 2"
refuses 1 "weft merge: $dir/$fall" merge "$dir/fall.npy" "$dir/s.npy" -o "$y"
refuses 1 "weft merge: $dir/$fall" merge "$dir/s.npy" "$dir/fall.npy" --check-sorted -o "$y"
refuses 1 "zeros.npy: is not sorted: element 1 is 0, but element 2 is -0" merge "$dir/zeros.npy" "$dir/zero.npy" -o "$y"
refuses 1 "nans.npy: is not sorted: element 2 is nan, but element 3 is 2" merge "$dir/nans.npy" "$dir/zero.npy" -o "$y"
refuses 1 "big.npy: is not sorted: element 0 is 18446744073709551615, but element 1 is 1" merge "$dir/big.npy" "$dir/big.npy" -o "$y"
refuses 1 "weft search_sorted: $dir/$fall" search_sorted "$dir/fall.npy" "$dir/s.npy" --check-sorted -o "$y"
w merge --no-check-sorted "$dir/fall.npy" "$dir/s.npy" -o "$y"
is "merge --no-check-sorted: exit code" 0 $?
w search_sorted "$dir/fall.npy" "$dir/s.npy" -o "$y"
is "search_sorted without --check-sorted: exit code" 0 $?
gives "<u8 (5,) 0 1 1 3 4" search_sorted "$dir/s.npy" "$dir/s.npy" --check-sorted
gives "<f8 (7,) -2.0 -0.0 0.0 1.0 1.0 inf nan" merge --check-sorted "$dir/a.npy" "$dir/b.npy"

# search_sorted
gives "<u8 (2, 4) 3 0 3 0 3 4 1 4" search_sorted "$dir/s.npy" "$dir/i4.npy"
gives "<u8 (2, 4) 3 1 3 1 4 5 3 4" search_sorted "$dir/s.npy" "$dir/i4.npy" --side right
gives "<u8 (0,)" search_sorted "$dir/f4.npy" "$dir/none.npy"
refuses 2 "--side up: expected left or right" search_sorted "$dir/s.npy" "$dir/i4.npy" --side up -o "$y"

# common to all four
refuses 2 "option -o FILE.npy is required: the file for the result" merge "$dir/a.npy" "$dir/b.npy"
for verb in "histogram $dir/i4.npy" "top_k $dir/i4.npy" "merge $dir/a.npy $dir/b.npy" "search_sorted $dir/s.npy $dir/i4.npy"; do
    # shellcheck disable=SC2086
    refuses 2 "--json cannot be combined with" $verb -o - --json
    # shellcheck disable=SC2086
    refuses 2 "unknown option --accumulate" $verb --accumulate f64 -o "$y"
done

# without -o the result is printed
tab=$(printf '\t')
prints "5
3" histogram "$dir/i4.npy" --bins 2
prints "2
3" histogram "$dir/f4.npy" --edges "$dir/reals.npy"
prints "9${tab}5
6${tab}7" top_k "$dir/i4.npy" -k 2
prints "-1 0xbf800000${tab}1" top_k "$dir/f4.npy" -k 1 --smallest --bits
prints "" top_k "$dir/i4.npy" -k 0
prints "3
0
3
0
3
4
1
4" search_sorted "$dir/s.npy" "$dir/i4.npy"
prints "0${tab}1" top_k "$dir/u1.npy" -k 1 --smallest --indices "$y"
is "indices in a file without -o" "<u8 (1,) 1" "$(values "$y")"
refuses 2 "weft top_k: --indices -: requires -o VALUES.npy" \
    top_k "$dir/i4.npy" -k 1 --indices -

# printed PATTERN ARGUMENT...: checks that the JSON output without -o contains PATTERN
printed() {
    pattern=$1
    shift
    is "$1 --json: lines with $pattern" 1 "$(w "$@" --json | grep -cF -- "$pattern")"
}
printed '"counts": [5, 3]' histogram "$dir/i4.npy" --bins 2
printed '"values": [9, 6], "positions": [5, 7]' top_k "$dir/i4.npy" -k 2
printed '"positions": [3, 0, 3, 0, 3, 4, 1, 4]' search_sorted "$dir/s.npy" "$dir/i4.npy"

# json EXPECTED ARGUMENT...: checks the JSON output
json() {
    expected=$1
    shift
    is "$1 --json" "$expected" "$(w "$@" -o "$y" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')"
}
json "histogram $dir/i4.npy $y i32 8 4 5 cpu $order" histogram "$dir/i4.npy" --bins 4 --lower 2 --upper 6
json "top_k $dir/i4.npy $y i32 8 $dir/at.npy 2 smallest cpu $order" top_k "$dir/i4.npy" -k 2 --smallest --indices "$dir/at.npy"
json "merge $dir/a.npy $dir/b.npy $y f64 3 4 cpu $order" merge "$dir/a.npy" "$dir/b.npy"
json "search_sorted $dir/s.npy $dir/i4.npy $y i32 5 8 left cpu $order" search_sorted "$dir/s.npy" "$dir/i4.npy"
finish
