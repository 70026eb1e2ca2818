#!/bin/sh
# Tests that the first program prints the output shown in examples/README.md. Usage: example.sh WEFT EXAMPLE_FIRST
. "$(dirname "$0")/check.sh"
first=$2

printed=$("$first")
is "first: exit code" 0 $?
is "first" "a . b = 26, computed on $("$weft" sum "$root/examples/data/co2.npy" --json | sed 's/.*"device": "\([^"]*\)".*/\1/')" \
    "$printed"
is "lines of first.c" yes "$([ "$(wc -l <"$root/examples/first.c")" -le 20 ] && echo yes)"

# The file in tenths is ten times the other file.
is "co2" "2225 2225" "$(w count_nonzero "$root/examples/data/co2.npy") $(w count_nonzero "$root/examples/data/co2_tenths.npy")"
is "co2, extremes" "313 373.9" "$(w min "$root/examples/data/co2.npy") $(w max "$root/examples/data/co2.npy")"
is "co2_tenths, extremes" "3130 3739" "$(w min "$root/examples/data/co2_tenths.npy") $(w max "$root/examples/data/co2_tenths.npy")"

printf 'date,co2\n19580329,316.1\n19580405,\n19580412,317.6\n' >"$dir/co2.csv"
cp "$root/examples/data/make_co2.py" "$dir"
is "make_co2.py" "2 weeks" "$(python3 "$dir/make_co2.py" "$dir/co2.csv")"
is "co2_tenths.npy made anew" "3161 3176" "$(w min "$dir/co2_tenths.npy") $(w max "$dir/co2_tenths.npy")"
is "co2.npy made anew" 316.1 "$(w min "$dir/co2.npy")"
finish
