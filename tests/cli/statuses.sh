#!/bin/sh
# Tests the exit status: 0 success, 1 the work failed, 2 the call was wrong. There is no other status, and no signal.
. "$(dirname "$0")/check.sh"
cd "$dir" || exit 1
npy x.npy '<f4' '(4,)' 1 2 4 8
npy i.npy '<i4' '(4,)' 1 2 3 4
npy o.npy '<u8' '(3,)' 0 2 4
npy none.npy '<f4' '(0,)'
npy m.npy '<f4' '(2, 2)' 1 2 3 4
printf 'not a .npy file' >text
printf 'a word' >novel.txt

# exits STATUS CALL: checks the status of `weft CALL`, split at spaces.
exits() {
    # shellcheck disable=SC2086
    w $2 >stdout 2>stderr </dev/null
    is "weft $2: exit status ($(head -n 1 stderr))" "$1" $?
    checks=$((checks + 1))
    [ "$1" -eq 0 ] || [ -s stderr ] || failed "weft $2: no message"
}

while IFS='|' read -r status call; do
    case $status in
    '' | \#*) ;;
    *) exits "$status" "$call" ;;
    esac
done <<'TABLE'
# success
0|sum x.npy
0|scan x.npy -o y.npy
0|map x+1 x=x.npy -o y.npy
0|random uniform --n 3 -o y.npy
0|price call --paths 100 --steps 2
0|devices
0|help sum
0|version
# the work failed: files
1|sum missing.npy
1|sum text
1|sum .
1|dot x.npy i.npy
1|dot x.npy o.npy
1|scan x.npy -o no/such/y.npy
1|map x x=missing.npy -o y.npy
1|map x+i32 x=x.npy i32=m.npy -o y.npy
1|histogram missing.npy -o y.npy
1|histogram x.npy --edges i.npy -o y.npy
1|matmul x.npy i.npy -o y.npy
1|fft i.npy -o y.npy
1|convolve x.npy m.npy -o y.npy
1|tridiag 1 2 1 text -o y.npy
1|heat i.npy -o y.npy
1|laplace x.npy -o y.npy
1|select x.npy --flags i.npy -o y.npy
1|segmented_reduce x.npy --offsets x.npy -o y.npy
1|match --words a missing.txt
1|match --words-file missing.txt novel.txt
1|tour missing.npy
1|price call --paths 1000 --plot no/such.svg
1|random uniform --n 3 -o no/such/y.npy
# the work failed: no value for these elements
1|min none.npy
1|mean none.npy
1|map_reduce min i --n 0
1|variance x.npy --ddof 4
1|and x.npy
1|top_k x.npy -o y.npy
1|histogram none.npy -o y.npy
1|tridiag 0 0 0 x.npy -o y.npy
1|price call --paths 100 --steps 2 --error 1e-9
1|laplace --grid 9 --tolerance 0 --sweeps 3
# the call was wrong: command, device, options
2|
2|frobnicate
2|median x.npy
2|sum
2|sum x.npy x.npy
2|dot x.npy
2|dot - -
2|sum x.npy --frob
2|sum x.npy --device gpu
2|sum x.npy --device cpu:v5
2|sum x.npy --device cuda:x
2|sum x.npy --threads many
2|sum x.npy --memory 0
2|sum x.npy --memory 10Q
2|sum x.npy --memory 1
2|sum x.npy --accumulate f32
2|sum i.npy --accumulate f64
2|scan i.npy --accumulate f64 -o y.npy
2|segmented_reduce i.npy --offsets o.npy --accumulate f64 -o y.npy
2|segmented_scan x.npy --offsets o.npy --accumulate i64 -o y.npy
2|scan x.npy
2|scan x.npy --op mean -o y.npy
2|scan i.npy --init 1.5 -o y.npy
2|scan x.npy --json -o -
2|sum - --mpi
2|histogram x.npy --mpi -o y.npy
2|variance x.npy --ddof -1
2|histogram x.npy --bins 0 -o y.npy
2|histogram x.npy --lower 3 --upper 1 -o y.npy
2|histogram x.npy --upper 1 -o y.npy
2|histogram x.npy --lower nan -o y.npy
2|histogram i.npy --lower 1.5 -o y.npy
2|top_k x.npy -k 5 -o y.npy
2|top_k x.npy -k x -o y.npy
2|merge x.npy x.npy
2|search_sorted x.npy x.npy --side up -o y.npy
2|select x.npy -o y.npy
2|select i.npy --lt x -o y.npy
2|sort x.npy --values i.npy -o y.npy
2|argsort x.npy --index i8 -o y.npy
2|matmul x.npy -o y.npy
2|matmul m.npy m.npy --transpose c -o y.npy
2|fft x.npy --frob -o y.npy
2|convolve x.npy x.npy --mode half -o y.npy
2|tridiag 1 2 x.npy -o y.npy
2|heat x.npy --lambda 0
2|heat x.npy --lambda 1e30
2|heat x.npy --steps -1
2|heat x.npy --method euler
2|laplace --grid 2
2|laplace --grid 5 --omega 1
2|laplace --grid 5 --method sor --omega 3
2|recurrence x.npy -o y.npy
2|recurrence x.npy x.npy --init x -o y.npy
2|map x+* x=x.npy -o y.npy
2|map sine(x) x=x.npy -o y.npy
2|map x+y x=x.npy -o y.npy
2|map x x=x.npy y=2 -o y.npy
2|map x x=x.npy x=2 -o y.npy
2|map x x=x.npy --dtype i32 -o y.npy
2|map x x=x.npy --n 3 -o y.npy
2|map i -o y.npy
2|map x x=x.npy
2|map x x=x.npy --memory 1 -o y.npy
2|map_reduce median x x=x.npy
2|map_reduce sum x x=x.npy --accumulate i64
2|map_scan i --n 3 --init x -o y.npy
2|random uniform --n 3
2|random uniform --n x -o y.npy
2|random uniform --n 3 --lower 3 --upper 1 -o y.npy
2|random uniform --n 3 --dtype i32 -o y.npy
2|random normal --n 3 --deviation -1 -o y.npy
2|random exponential --n 3 --rate 0 -o y.npy
2|random bernoulli --n 3 --probability 2 -o y.npy
2|random integers --n 3 --lower 2 --upper 1 -o y.npy
2|random uniform --n 3 --first 9223372036854775807 -o y.npy
2|sobol --n 3 -o y.npy
2|sobol --dimensions 2 --n 3 --dtype u8 -o y.npy
2|price
2|price straddle
2|price call --maturity -1
2|price call --sigma -1
2|price call --barrier up-out
2|price call --paths 1000 --sobol 16
2|match novel.txt
2|match --words a,,b novel.txt
2|verify --every x
2|verify --op median
2|bench --op median
2|bench --size x
2|tune frob
2|tour --n x
2|tour --json
2|devices x
2|version x
2|help frobnicate
2|ladder no-such-topic
TABLE
finish
