#!/bin/sh
# Tests weft price: values that were computed once with the specification, the options, the drawing, wrong calls.
. "$(dirname "$0")/check.sh"

# every device gives identical results, and the first paths of a long run equal a short run
first=$(w price double-digital --paths 10000 --bits)
is "price --device ref" "$first" "$(w price double-digital --paths 10000 --bits --device ref)"
is "price --threads 7" "$first" "$(w price double-digital --paths 10000 --bits --threads 7)"
is "another seed" differs "$([ "$first" = "$(w price double-digital --paths 10000 --bits --seed 2)" ] || echo differs)"
is "the classic's options are its defaults" "$first" "$(w price double-digital --paths 10000 --bits --start 1,1 \
    --sigma 0.1 --rho 0.5 --rate 0.05 --maturity 1 --width 0.1 --steps 100 --scheme euler --dtype f64 --seed 1)"

# near LOW HIGH ARGUMENT...: checks that the price printed by `weft price ARGUMENT...` is between the two.
near() {
    low=$1
    high=$2
    shift 2
    is "weft price $* between $low and $high" yes \
        "$(w price "$@" | awk -v low="$low" -v high="$high" '/^price/ {print ($2 > low && $2 < high) ? "yes" : "no: " $2}')"
}
near 10.43 10.47 call --start 100 --strike 100 --sigma 0.2 --steps 1 --paths 200000 --control
near 5.55 5.60 put --start 100 --strike 100 --sigma 0.2 --steps 1 --paths 200000 --control
near 0.52 0.54 digital-call --start 100 --strike 100 --sigma 0.2 --steps 1 --antithetic --paths 100000
near 3.54 3.56 asian-call --start 100 --sigma 0.2 --strike 105 --control --paths 100000
near 5.59 5.69 geometric-call --start 100 --sigma 0.2 --strike 100 --steps 50 --dtype f32 --paths 100000
near 12.9 13.2 floating-lookback-put --start 100 --sigma 0.2 --steps 100 --paths 50000
near 1.40 1.55 call --start 100 --strike 100 --sigma 0.2 --barrier up-out --level 120 --steps 50 --paths 50000
near 10.3 10.8 call --start 100,95 --weights 1,-1 --sigma 0.3,0.2 --strike 5 --steps 1 --scheme exact --paths 50000

near 10.448 10.453 call --start 100 --strike 100 --sigma 0.2 --steps 1 --paths 65536 --sobol 16
near 3.54 3.56 asian-call --start 100 --sigma 0.2 --strike 105 --paths 65536 --sobol 16
near 10.41 10.49 call --start 100 --strike 100 --sigma 0.2 --steps 1 --paths 400000 --control --dtype f32 --fast-normals
fast=$(w price double-digital --steps 3 --paths 4096 --dtype f32 --fast-normals --bits)
is "price --fast-normals --device ref" "$fast" "$(w price double-digital --steps 3 --paths 4096 --dtype f32 --fast-normals --bits --device ref)"
points=$(w price double-digital --steps 2 --paths 4096 --sobol 4 --bits)
is "price --sobol --device ref" "$points" "$(w price double-digital --steps 2 --paths 4096 --sobol 4 --bits --device ref)"
is "price --sobol --threads 7" "$points" "$(w price double-digital --steps 2 --paths 4096 --sobol 4 --bits --threads 7)"

is "--greeks" "asset 0: delta 0.63" "$(w price call --start 100 --strike 100 --sigma 0.2 --steps 1 --greeks | sed -n '3s/delta \(0\.6.\).*/delta \1/p')"
got=$(w price call --json --greeks --paths 5000 --seed 3 | python3 -c 'import json, sys
r = json.load(sys.stdin)
print(r["command"], r["payoff"], r["dtype"], r["paths"], r["steps"], r["seed"], len(r["delta"]),
      r["low"] < r["price"] < r["high"], abs(r["high"] - r["price"] - 1.96 * r["standard_error"]) < 1e-5)')
is "price --json" "price call f64 5000 100 3 1 True True" "$got"

# the drawing, and a requested standard error
w price call --steps 1 --paths 100000 --plot "$dir/plot.svg" >"$dir/stdout"
is "--plot: the price is that of a run by itself" "$(w price call --steps 1 --paths 100000)" "$(cat "$dir/stdout")"
is "--plot: an exact line" 1 "$(grep -c 'exact 0\.0' "$dir/plot.svg")"
is "--plot: points" 8 "$(sed -n "s/.*<polyline.*points='\([^']*\)'.*/\1/p" "$dir/plot.svg" | wc -w)"
is "--plot: well-formed" "" "$(python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$dir/plot.svg" 2>&1)"
is "--error" "8192 paths" "$(w price call --steps 1 --error 0.0012 | grep -o '[0-9]* paths')"
w price call --steps 1 --error 1e-9 --paths 5000 >"$dir/stdout" 2>"$dir/stderr"
is "--error that is not reached: exit code" 1 $?
is "--error that is not reached" 1 "$(grep -c 'the standard error is .* after 5000 paths; --error 1e-09 was not reached' "$dir/stderr")"

refuses 2 "weft price: 0 payoffs given, 1 expected" price
refuses 2 "weft price: invalid payoff straddle" price straddle
refuses 2 "weft price: --sigma x: expected a number" price call --sigma 0.1,x
refuses 2 "weft price: --strike x: expected a number" price call --strike x
refuses 2 "expected at most 8 numbers" price call --start 1,1,1,1,1,1,1,1,1
refuses 2 "weft price: --sigma: 2 numbers given, 3 expected, one for each asset" price call --start 1,2,3 --sigma 0.1,0.2
refuses 2 "weft price: --barrier out: expected up-out" price call --barrier out
refuses 2 "weft price: --scheme milstein: expected exact or euler" price call --scheme milstein
refuses 2 "weft price: --dtype f16: expected f32 or f64" price call --dtype f16
refuses 2 "weft price: --paths 0: expected an integer from 2" price call --paths 0
refuses 2 "weft price: --fast-normals requires --dtype f32" price call --fast-normals
refuses 2 "weft price: --fast-normals cannot be combined with --sobol" price call --fast-normals --dtype f32 --paths 1024 --sobol 16
refuses 2 "weft price: --sobol 1: expected an integer from 2 to 1024" price call --sobol 1
refuses 2 "weft price: --sobol 12: expected a power of two from 2 to 1024" price call --sobol 12
refuses 2 "weft price: --paths 1000: --sobol 16 requires a multiple of 16" price call --paths 1000 --sobol 16
refuses 2 "weft price: --steps 600: --sobol with 2 assets allows at most 555" price double-digital --steps 600 --paths 1024 --sobol 16
refuses 2 "weft price: --error 0: expected a standard error greater than 0" price call --error 0
refuses 2 "weft price: --sigma -0.1: expected a volatility greater than or equal to 0" price call --sigma -0.1
refuses 2 "weft price: --rho -0.5: the correlation of any two of 3 assets must be greater than -0.5 and less than 1" price call --start 1,1,1 --rho -0.5
refuses 2 "weft price: --barrier up-out --level 0.9: the level must be above the start price 1" price call --barrier up-out --level 0.9
refuses 2 "weft price: geometric-call: a geometric mean requires one asset" price geometric-call --scheme euler
refuses 2 "weft price: --start -1: expected a price greater than 0" price call --start -1
refuses 2 "weft price: --sigma 0: --greeks requires a volatility" price call --sigma 0 --greeks
refuses 2 "weft price: --strike -1: expected a number greater than or equal to 0" price call --strike -1
refuses 2 "weft price: --maturity 0: expected a number greater than 0" price call --maturity 0
refuses 2 "weft price: --width -1: expected a number greater than 0" price double-digital --width -1
refuses 2 "weft price: --rho 1: the correlation of any two of 2 assets" price double-digital --rho 1
refuses 2 "weft price: --barrier KIND and --level B must be used together: --level is missing" price call --barrier up-out
refuses 2 "weft price: --barrier KIND and --level B must be used together: --barrier is missing" price call --level 2
refuses 2 "weft price: --control cannot be combined with --greeks: deltas and vegas have no control variate" price call --control --greeks --plot "$dir/p.svg"
refuses 2 "--json cannot be combined with" price call --plot - --json
refuses 1 "/none/plot.svg: " price call --paths 5000 --plot /none/plot.svg
finish
