#!/bin/sh
# Tests that --json prints one object that a parser reads back, also for NaN, infinities and unusual file names.
. "$(dirname "$0")/check.sh"

# field NAME ARGUMENT...: prints that field of the output of `weft ARGUMENT... --json`, in Python's format.
field() {
    name=$1
    shift
    w "$@" --json | python3 -c 'import json, sys
print(json.load(sys.stdin, parse_constant=lambda name: sys.exit(name + " is not JSON"))[sys.argv[1]])' "$name"
}

npy "$dir/x.npy" '<f4' '(3,)' 1 2 4
npy "$dir/nan.npy" '<f8' '(1,)' nan
npy "$dir/inf.npy" '<f4' '(1,)' -- -inf
npy "$dir/large.npy" '<u8' '(1,)' 18446744073709551615
odd=$dir/$(printf 'a "b" \\ \303\251 \377 \n c.npy')
cp "$dir/x.npy" "$odd"

for row in command:sum dtype:f32 n:3 result:f32 value:7 bits:0x40e00000 device:cpu; do
    is "$row" "${row#*:}" "$(field "${row%%:*}" sum "$dir/x.npy")"
done
is file "$dir/x.npy" "$(field file sum "$dir/x.npy")"
is file2 "$dir/x.npy" "$(field file2 dot "$dir/x.npy" "$dir/x.npy")"
is ddof 1 "$(field ddof variance "$dir/x.npy" --ddof 1)"
is lanes 3 "$(field lanes sum "$dir/x.npy" --lanes 3)"
is accumulate f64 "$(field result sum "$dir/x.npy" --accumulate f64)"
is order "$(w version | sed 's/.* //')" "$(field order version)"
is nan nan "$(field value sum "$dir/nan.npy")"
is inf -inf "$(field value sum "$dir/inf.npy")"
is u64 18446744073709551615 "$(field value max "$dir/large.npy")"
is "a strange name" "$dir/$(printf 'a "b" \\ \303\251 \357\277\275 \n c.npy')" "$(field file sum "$odd")"
is "the specification" ref "$("$weft" sum "$dir/x.npy" --device ref --json | sed 's/.*"device": "\([^"]*\)".*/\1/')"
is "the first device" cpu "$(field devices devices | python3 -c 'import sys; print(eval(sys.stdin.read())[0]["id"])')"
is "bench" sum "$(field devices bench --size 5000 --op sum,dot |
    python3 -c 'import sys; print(eval(sys.stdin.read())[0]["rows"][0]["op"])')"
seconds=$(field seconds sum "$dir/x.npy")
is "seconds are a number" yes "$(python3 -c 'import sys; print("yes" if 0 <= float(sys.argv[1]) < 60 else "no")' "$seconds")"
w sum "$dir/missing.npy" --json >"$dir/stdout" 2>/dev/null
is "a failure prints no object" "" "$(cat "$dir/stdout")"
finish
