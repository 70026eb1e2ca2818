#!/bin/sh
# Tests that weft --mpi on 3 ranks gives the results of weft. Usage: command.sh MPIEXEC WEFT
set -u
mpiexec=$1 weft=$2
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
failed=0
ranks() { sh "$here/run.sh" "$mpiexec" 3 "$weft" --mpi "$@"; }
same() { [ "$1" = "$2" ] || { echo "command: $3: \"$1\" and with ranks \"$2\"" && failed=1; }; }
refuses() {
    words=$1
    shift
    ranks "$@" >out 2>err && { echo "command: $*: no error" && failed=1; }
    grep -q -- "$words" err || { echo "command: $*: no \"$words\" in" && cat err && failed=1; }
}

"$weft" random normal --n 100003 --seed 3 -o x.npy
"$weft" random normal --n 100003 --seed 4 --dtype f16 -o h.npy
"$weft" random integers --n 4 --dtype i32 -o few.npy
for call in "sum x.npy" "variance --ddof 1 x.npy" "norm2 --accumulate f64 x.npy" "dot x.npy x.npy" "argmax x.npy" "mean few.npy" "sum h.npy" "variance --accumulate f32 h.npy"; do
    # shellcheck disable=SC2086
    same "$("$weft" --bits $call)" "$(ranks --bits $call)" "$call"
done
for call in "call --paths 70001 --steps 5" "asian-call --paths 9000 --control --antithetic" "call --paths 16384 --steps 4 --sobol 8" "double-digital --paths 5000 --error 0.02"; do
    # shellcheck disable=SC2086
    same "$("$weft" --bits price $call)" "$(ranks --bits price $call)" "price $call"
done
for call in "scan --op sum" "scan --op prod --exclusive --init 2" "sort --descending"; do
    # shellcheck disable=SC2086
    "$weft" $call x.npy -o one.npy && ranks $call x.npy -o many.npy
    cmp one.npy many.npy || { echo "command: $call differs" && failed=1; }
    # shellcheck disable=SC2086
    "$weft" $call h.npy -o one.npy && ranks $call h.npy -o many.npy
    cmp one.npy many.npy || { echo "command: $call of f16 differs" && failed=1; }
done
# Scaling: times vary, but the layout of the output and the drawing do not.
ranks bench --size 100003 --op sum,argmax,xor,dot,scan,sort --plot scaling.svg >bench.txt || failed=1
same "18 18" "$(grep -c '%' bench.txt) $(grep -c 'yes$' bench.txt)" "rows of bench, and those with the same bits"
same "12 1" "$(grep -c '<polyline' scaling.svg) $(grep -c '^</svg>' scaling.svg)" "lines of scaling.svg"
same "3" "$(ranks --json bench --size 5 --op mean | grep -o '"same": true' | wc -l)" "rows of bench --json"
refuses "histogram: --mpi supports only" bench --op histogram
refuses "cannot be created" bench --size 5 --op sum --plot nowhere/y.svg
refuses "cannot be opened" sum nothing.npy
refuses "only reductions, variance" histogram x.npy --bins 4 -o out.npy
refuses "--maturity -1" price call --maturity -1
refuses "each rank reads" sum -
refuses "cannot be created" sort x.npy -o nowhere/y.npy
[ ! -e many.npy.part ] || { echo "command: many.npy.part was left" && failed=1; }
exit $failed
