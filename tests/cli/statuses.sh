#!/bin/sh
# Tests the exit status: 0 success, 1 the work failed, 2 the call was wrong. There is no other status, and no signal.
# The test of each operation also checks the status of its errors (`refuses STATUS MESSAGE CALL`). The table contains
# calls that those tests do not contain.
. "$(dirname "$0")/check.sh"
cd "$dir" || exit 1
npy x.npy '<f4' '(4,)' 1 2 4 8
npy i.npy '<i4' '(4,)' 1 2 3 4
npy o.npy '<u8' '(3,)' 0 2 4
npy none.npy '<f4' '(0,)'
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
1|tridiag 1 2 1 text -o y.npy
1|match --words a missing.txt
1|match --words-file missing.txt novel.txt
1|tour missing.npy
# the work failed: no value for these elements
1|min none.npy
1|mean none.npy
1|and x.npy
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
2|sum x.npy --accumulate u8
2|sum i.npy --accumulate f64
2|segmented_reduce i.npy --offsets o.npy --accumulate f64 -o y.npy
2|segmented_scan x.npy --offsets o.npy --accumulate i64 -o y.npy
2|sum - --mpi
2|histogram x.npy --mpi -o y.npy
2|variance x.npy --ddof -1
2|histogram x.npy --upper 1 -o y.npy
2|histogram x.npy --lower nan -o y.npy
2|select i.npy --lt x -o y.npy
2|fft x.npy --frob -o y.npy
2|recurrence x.npy x.npy --init x -o y.npy
2|map x x=x.npy y=2 -o y.npy
2|map x x=x.npy --memory 1 -o y.npy
2|map_reduce median x x=x.npy
2|random uniform --n x -o y.npy
2|random uniform --n 3 --lower 3 --upper 1 -o y.npy
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
