#!/bin/sh
# Tests weft tridiag and weft tridiag_pivot: systems solved by hand, coefficients as files, rows and numbers, the check,
# and errors.
. "$(dirname "$0")/check.sh"
x=$dir/x.npy

# command_solves COMMAND EXPECTED ARGUMENT...: checks x, to four digits.
command_solves() {
    command=$1 expected=$2
    shift 2
    rm -f "$x"
    got=$(w "$command" -o "$x" "$@" 2>&1)
    is "weft $command $*: exit code" 0 $?
    is "weft $command $*: printed" "" "$got"
    is "weft $command $*" "$expected" "$(python3 -c 'import struct, sys
data = open(sys.argv[1], "rb").read()
end = 10 + int.from_bytes(data[8:10], "little")
letter = "f" if b"<f4" in data[:end] else "d"
print(*("%.4g" % (v[0] + 0.0) for v in struct.iter_unpack("<" + letter, data[end:])))' "$x")"
}

solves() { command_solves tridiag "$@"; }

npy "$dir/a.npy" '<f8' '(3,)' 99 1 2
npy "$dir/b.npy" '<f8' '(3,)' 2 4 8
npy "$dir/c.npy" '<f8' '(3,)' 1 1 99
npy "$dir/d.npy" '<f8' '(3,)' 4 12 28
npy "$dir/two.npy" '<f8' '(2, 3)' 4 12 28 8 24 56
npy "$dir/f4.npy" '<f4' '(3,)' 4 12 28
npy "$dir/i4.npy" '<i4' '(3,)' 4 12 28
npy "$dir/ring.npy" '<f8' '(4,)' 1 1 1 1
npy "$dir/none.npy" '<f8' '(0,)'

# 2x + y = 4, x + 4y + z = 12, 2y + 8z = 28
solves "1 2 3" "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/d.npy"
solves "1 2 3 2 4 6" "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/two.npy"
solves "2.429 5.714 8.429" -- -1 4 -1 "$dir/f4.npy"
solves "0.5 0.5 0.5 0.5" --periodic -- -1 4 -1 "$dir/ring.npy"
solves "" 1 4 1 "$dir/none.npy"
w tridiag 1 4 1 "$dir/d.npy" -o - >"$dir/stdout"
w --device ref tridiag 1 4 1 "$dir/d.npy" -o "$x"
is "the bits of the specification" same "$(cmp -s "$x" "$dir/stdout" && echo same)"
is "--check" 1 "$(w tridiag --check 1 4 1 "$dir/d.npy" | grep -Ec '^residual ([0-9.]+e-1[5-9]|0)$')"
is "--check: the error" 1 "$(w tridiag --check 1 4 1 "$dir/d.npy" | grep -Ec '^error ([0-9.]+e-1[5-9]|0)$')"
is "--check: no warning" "" "$(w tridiag --check 1 4 1 "$dir/d.npy" 2>&1 >/dev/null)"

# The Laplacian with Neumann boundaries, with 2^-40 added in its last row: weakly dominant and not singular.
python3 - "$dir" <<'TEXT'
import struct, sys

def npy(name, values):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(sys.argv[1] + "/" + name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        f.write(struct.pack("<%dd" % len(values), *values))

npy("neumann.npy", [1.0] + [2.0] * 998 + [1 + 2.0**-40])
npy("source.npy", [0.0] * 999 + [2.0**-40])
npy("small.npy", [2.0**-30] * 1000)
npy("ones.npy", [1.0] * 1000)
TEXT
w tridiag --check -o "$x" -- -1 "$dir/neumann.npy" -1 "$dir/source.npy" >"$dir/stdout" 2>"$dir/stderr"
is "Neumann: exit code" 0 $?
is "Neumann: the error of 0.84 %" 1 "$(grep -c '^error 0.0084$' "$dir/stdout")"
is "Neumann: the residual" 1 "$(grep -cE '^residual [0-9.]+e-1[67]$' "$dir/stdout")"
is "Neumann: warnings" 1 "$(grep -c 'warning: the solution is off by about 0.0084' "$dir/stderr")"
w tridiag --check -o "$x" -- 1 "$dir/small.npy" 1 "$dir/ones.npy" >"$dir/stdout" 2>"$dir/stderr"
is "a matrix that needs pivoting: exit code" 0 $?
is "a matrix that needs pivoting: warnings" 2 \
    "$(grep -cE 'warning: the (residual 2.9e-08 exceeds 2.3e-13|solution is off by about 2.9e-07)' "$dir/stderr")"
is "a matrix that needs pivoting: advice" 1 "$(grep -c "use 'weft tridiag_pivot'" "$dir/stderr")"
is "--json" "2 3 True" "$(w --json tridiag --check --periodic 1 4 1 "$dir/two.npy" |
    python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["systems"], j["n"], j["residual"] < 1e-15 and j["error"] < 1e-15)')"

rm -f "$x"
npy "$dir/zero.npy" '<f8' '(2, 3)' 2 4 8 0 4 8
refuses 1 "system 1 has no finite solution without pivoting: row 0" tridiag 1 "$dir/zero.npy" 1 "$dir/two.npy" -o "$x"
is "no file without a solution" "" "$(ls "$x" 2>/dev/null)"
refuses 1 "it must have the shape of" tridiag "$dir/ring.npy" 4 1 "$dir/two.npy" -o "$x"
refuses 1 "both must have the same type" tridiag "$dir/f4.npy" 4 1 "$dir/two.npy" -o "$x"
refuses 1 "expected f32 or f64" tridiag 1 4 1 "$dir/i4.npy" -o "$x"
refuses 1 "missing.npy" tridiag 1 4 1 "$dir/missing.npy" -o "$x"
refuses 2 "3 operands given, 4 expected" tridiag 1 4 1 -o "$x"
refuses 2 "option -o X.npy is required" tridiag 1 4 1 "$dir/d.npy"
refuses 2 "--check cannot be combined with -o -" tridiag --check 1 4 1 "$dir/d.npy" -o -
refuses 2 "unknown option --pivot" tridiag --pivot 1 4 1 "$dir/d.npy" -o "$x"

# With pivoting: 2 x1 = 2, x0 + 2 x2 = 7, x1 + 2 x3 = 9, x2 = 3.
npy "$dir/right.npy" '<f8' '(4,)' 2 7 9 3
command_solves tridiag_pivot "1 1 3 4" 1 0 2 "$dir/right.npy"
command_solves tridiag_pivot "1 2 3 2 4 6" "$dir/a.npy" "$dir/b.npy" "$dir/c.npy" "$dir/two.npy"
command_solves tridiag_pivot "0.5 0.5 0.5 0.5" --periodic -- -1 4 -1 "$dir/ring.npy"
w tridiag_pivot --check -o "$x" -- 1 "$dir/small.npy" 1 "$dir/ones.npy" >"$dir/stdout" 2>"$dir/stderr"
is "pivoting: the residual" 1 "$(grep -cE '^residual [0-9.]+e-1[67]$' "$dir/stdout")"
is "pivoting: no warnings" "" "$(cat "$dir/stderr")"
is "pivoting: --json" "tridiag_pivot 2 3" "$(w --json tridiag_pivot --check 1 4 1 "$dir/two.npy" |
    python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["command"], j["systems"], j["n"])')"
refuses 1 "tridiag_pivot: $dir/two.npy: system 0 has no finite solution: row 1" tridiag_pivot 0 0 0 "$dir/two.npy" -o "$x"
refuses 1 "expected f32 or f64" tridiag_pivot 1 4 1 "$dir/i4.npy" -o "$x"
refuses 2 "3 operands given, 4 expected (a, b, c and d); see 'weft help tridiag_pivot'" tridiag_pivot 1 4 1 -o "$x"
finish
