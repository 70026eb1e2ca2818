#!/bin/sh
# Runs Netlib's test programs of BLAS and LAPACK with the functions of netlib.c, which weft computes: xblat1 (dot, asum,
# nrm2), xblat2 (gemv), xblat3 (gemm) and xlintst (the drivers ptsv and gtsv: symmetric positive definite and general
# tridiagonal systems of 0 to 132 rows, of all 12 types). Each program must call the functions and report no failure.
# Requires Debian's packages libblas-test, liblapack-test and liblapack-dev. WEFT_NETLIB_DEVICE is the device (default:
# cpu). Usage: run.sh SOURCE_DIR BUILD_DIR
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
programs=$(dirname "$(dirname "$(find /usr/lib -path '*/lapack/xlintstd' | head -n 1)")")
[ -x "$programs/blas/xblat1d" ] || { echo "run.sh: libblas-test or liblapack-test is not installed" >&2 && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"
cc -std=c17 -O1 -Wall -Wextra -Werror -shared -fPIC -I"$source/include" -I"$source/tests/netlib" \
    "$source/tests/netlib/netlib.c" -o netlib.so -L"$build" -lweft -llapack -Wl,-rpath,"$build"

# check NAME FUNCTION EXPECTED PROGRAM: runs the program on the file `input`. Its output must contain the line EXPECTED
# (an extended regular expression) and none that reports a failure, and it must have called FUNCTION.
check() {
    rm -f ./*.out
    LD_PRELOAD=$work/netlib.so "$4" <input >output 2>calls || { cat output calls && exit 1; }
    cat ./*.out >>output 2>/dev/null || true
    calls=$(sed -n "s/^weft: $2: \([0-9]*\) calls$/\1/p" calls)
    if [ -z "$calls" ] || ! grep -qE "$3" output || grep -qiE 'fail|suspect|\*\*\*\*\*' output; then
        echo "$1: failed"
        cat output calls
        exit 1
    fi
    echo "$1: $(grep -E "$3" output | head -n 1 | sed 's/^ *//') ($calls calls of $2)"
}

# only TESTED FILE: prints an input file of xblat2 or xblat3 that tests one function and no error exits.
only() {
    sed -E "s/^T( *LOGICAL FLAG, T TO TEST ERROR)/F\1/; s/^([A-Z0-9]+ +)T( PUT F)/\1F\2/; s/^($1 +)F( PUT F)/\1T\2/" "$2"
}

# only_drivers PATH: prints an input file of xlintst that tests the drivers of one kind of matrix.
only_drivers() {
    cat <<TEXT
Linear equations, only drivers of tridiagonal systems
12                     Number of values of M
0 1 2 3 5 10 16 31 33 50 97 132   Values of M (row dimension)
12                     Number of values of N
0 1 2 3 5 10 16 31 33 50 97 132   Values of N (column dimension)
3                      Number of values of NRHS
15 1 2                 Values of NRHS (number of right hand sides; the drivers use the first)
1                      Number of values of NB
1                      Values of NB (the blocksize)
1                      Values of NX (crossover point)
3                      Number of values of RANK
30 50 90               Values of rank (as a % of N)
30.0                   Threshold value of test ratio
F                      Put T to test the LAPACK routines
T                      Put T to test the driver routines
F                      Put T to test the error exits
$1   12               List types on next line if 0 < NTYPES < 12
TEXT
}

for type in s d; do
    upper=$(echo $type | tr sd SD)
    : >input
    for function in dot asum nrm2; do
        check "xblat1$type" $function 'PASS' "$programs/blas/xblat1$type"
    done
    only "${upper}GEMV" "$programs/blas/${type}blat2.in" >input
    check "xblat2$type" gemv "${upper}GEMV +PASSED THE COMPUTATIONAL TESTS" "$programs/blas/xblat2$type"
    only "${upper}GEMM" "$programs/blas/${type}blat3.in" >input
    check "xblat3$type" gemm "${upper}GEMM +PASSED THE COMPUTATIONAL TESTS" "$programs/blas/xblat3$type"
    for path in PT GT; do
        only_drivers "$upper$path" >input
        function=$(echo $path | tr PG pg | tr T t)sv
        check "xlintst$type" "$function" "All tests for $upper$path drivers +passed the threshold" \
            "$programs/lapack/xlintst$type"
    done
done
