#!/bin/sh
# Tests weft block_tridiag and weft pentadiag: systems solved by hand, coefficients as files, rows and numbers, errors.
. "$(dirname "$0")/check.sh"
x=$dir/x.npy

# solves EXPECTED ARGUMENT...: checks x, to four digits.
solves() {
    expected=$1
    shift
    rm -f "$x"
    got=$(w "$@" -o "$x" 2>&1)
    is "weft $*: exit code" 0 $?
    is "weft $*: printed" "" "$got"
    is "weft $*" "$expected" "$(values "$x" | python3 -c 'print(*("%.4g" % float(v) for v in input().split(") ")[1].split()))')"
}

# Two block rows: (2 1; 0 4) and (1 0; 1 2) on the diagonal, the identity next to it. x = 1 2, 3 4.
npy "$dir/a.npy" '<f8' '(2, 2, 2)' 99 99 99 99 1 0 0 1
npy "$dir/b.npy" '<f8' '(2, 2, 2)' 2 1 0 4 1 0 1 2
npy "$dir/c.npy" '<f8' '(2, 2, 2)' 1 0 0 1 99 99 99 99
npy "$dir/d.npy" '<f8' '(2, 2)' 7 12 4 13
npy "$dir/two.npy" '<f8' '(2, 2, 2)' 7 12 4 13 14 24 8 26
npy "$dir/one.npy" '<f8' '(2, 2)' 1 0 0 1
npy "$dir/swap.npy" '<f8' '(2, 2)' 0 4 4 0
npy "$dir/ring.npy" '<f8' '(3, 2)' 6 6 6 6 6 6
npy "$dir/f4.npy" '<f4' '(2, 2)' 7 12 4 13
npy "$dir/i4.npy" '<i4' '(2, 2)' 7 12 4 13
npy "$dir/wide.npy" '<f8' '(2, 5)' 1 2 3 4 5 6 7 8 9 10
npy "$dir/flat.npy" '<f8' '(4,)' 1 2 3 4
gives "<f8 (2, 2) 1.0 2.0 3.0 4.0" block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/d.npy"
gives "<f8 (2, 2, 2) 1.0 2.0 3.0 4.0 2.0 4.0 6.0 8.0" \
    block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/two.npy"
solves "1 1 1 1 1 1" \
    block_tridiag --periodic "$dir/one.npy" "$dir/swap.npy" "$dir/one.npy" "$dir/ring.npy"
w --device ref block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/two.npy" -o "$x"
w block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/two.npy" -o "$y"
is "the bits of the specification" same "$(cmp -s "$x" "$y" && echo same)"
is "--json" "2 2 2 False" \
    "$(w --json block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/two.npy" -o "$y" |
        python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["systems"], j["n"], j["block"], j["periodic"])')"

rm -f "$y"
npy "$dir/singular.npy" '<f8' '(2, 2)' 1 1 1 1
npy "$dir/zero.npy" '<f8' '(2, 2)' 0 0 0 0
refuses 1 "system 0 has no finite solution without pivoting: block row 0" \
    block_tridiag "$dir/zero.npy" "$dir/singular.npy" "$dir/zero.npy" "$dir/d.npy" -o "$y"
is "no file without a solution" "" "$(ls "$y" 2>/dev/null)"
refuses 1 "its shape must be that of" block_tridiag "$dir/flat.npy" "$dir/b.npy" "$dir/c.npy" "$dir/d.npy" -o "$y"
refuses 1 "both must have the same type" block_tridiag "$dir/f4.npy" "$dir/b.npy" "$dir/c.npy" "$dir/d.npy" -o "$y"
refuses 1 "expected f32 or f64" block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/i4.npy" -o "$y"
refuses 1 "blocks of k = 2, 3 or 4 rows" block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/wide.npy" -o "$y"
refuses 1 "blocks of k = 2, 3 or 4 rows" block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/flat.npy" -o "$y"
refuses 1 "missing.npy" block_tridiag "$dir/a.npy" "$dir/missing.npy" "$dir/c.npy" "$dir/d.npy" -o "$y"
refuses 2 "3 operands given, 4 expected (a, b, c and d)" block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/d.npy" -o "$y"
refuses 2 "option -o X.npy is required" block_tridiag "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/d.npy"

# x = 1 2 3 with the diagonal 2 and 1 everywhere else: sums of 6 and x.
npy "$dir/p.npy" '<f8' '(3,)' 7 8 9
npy "$dir/rows.npy" '<f8' '(2, 3)' 7 8 9 14 16 18
npy "$dir/coefficients.npy" '<f8' '(3,)' 1 1 1
npy "$dir/all.npy" '<f8' '(2, 3)' 2 2 2 2 2 2
npy "$dir/p6.npy" '<f8' '(6,)' 8 8 8 8 8 8
solves "1 2 3" pentadiag 1 1 2 1 1 "$dir/p.npy"
solves "1 2 3 2 4 6" pentadiag 1 "$dir/coefficients.npy" "$dir/all.npy" 1 1 "$dir/rows.npy"
solves "1 1 1 1 1 1" pentadiag --periodic 1 1 4 1 1 "$dir/p6.npy"
refuses 1 "row 0" pentadiag 0 1 1 1 0 "$dir/p.npy" -o "$y"
refuses 1 "a periodic system must have an even number of rows, not 3" \
    pentadiag --periodic 1 1 2 1 1 "$dir/p.npy" -o "$y"
refuses 1 "its shape must be that of" pentadiag 1 "$dir/p6.npy" 2 1 1 "$dir/p.npy" -o "$y"
refuses 2 "5 operands given, 6 expected (e, a, b, c, f and d)" pentadiag 1 1 2 1 "$dir/p.npy" -o "$y"
finish
