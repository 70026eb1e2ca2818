#!/bin/sh
# Tests weft laplace: a grid computed by hand, its options, and that the output file appears complete or not at all.
. "$(dirname "$0")/check.sh"

npy "$dir/u.npy" '<f8' '(3, 3, 3)' 0 0 0 0 6 0 0 0 0  0 12 0 18 7 24 0 30 0  0 0 0 0 36 0 0 0 0
npy "$dir/flat.npy" '<f8' '(27,)' $(seq 27)
npy "$dir/ints.npy" '<i4' '(3, 3, 3)' $(seq 27)

prints '1 sweeps, change 2.6943012562182536' laplace "$dir/u.npy" --sweeps 1 -o "$dir/v.npy"
prints 36 max "$dir/v.npy"
prints 147 sum "$dir/v.npy"
prints '0 sweeps, change 0' laplace "$dir/u.npy" --sweeps 0
prints '10 sweeps, change 0.01078417635713169' laplace --grid 64
w laplace --grid 20 --sweeps 7 -o - >"$dir/whole.npy" 2>/dev/null
w --device ref laplace --grid 20 --sweeps 7 -o - >"$dir/ref.npy" 2>/dev/null
is "the bits of the specification" same "$(cmp -s "$dir/whole.npy" "$dir/ref.npy" && echo same)"
w laplace --grid 20 --sweeps 3 -o "$dir/three.npy" >/dev/null
w laplace "$dir/three.npy" --sweeps 4 -o "$dir/seven.npy" >/dev/null
is "3 and 4 sweeps are 7" same "$(cmp -s "$dir/whole.npy" "$dir/seven.npy" && echo same)"
is "a tolerance" "20 sweeps" "$(w laplace --grid 10 --sweeps 1000 --tolerance 0.02 | cut -d, -f1)"
got=$(w laplace --grid 10 --sweeps 20 --tolerance 1e-9 2>"$dir/stderr")
is "a tolerance that is not reached: exit code" 1 $?
is "a tolerance that is not reached" 1 "$(grep -c 'tolerance 1e-09 was not reached' "$dir/stderr")"
is "json" 10 "$(w laplace --grid 10 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["sweeps"])')"

# The function x + 2y + 3z is harmonic: from other values inside, both methods restore it.
npy "$dir/linear.npy" '<f8' '(5, 5, 5)' $(python3 -c 'print(*(x + 2 * y + 3 * z for z in range(5) for y in range(5) for x in range(5)))')
npy "$dir/faces.npy" '<f8' '(5, 5, 5)' $(python3 -c 'print(*((x + 2 * y + 3 * z) * (not (0 < x < 4 and 0 < y < 4 and 0 < z < 4)) for z in range(5) for y in range(5) for x in range(5)))')
prints '0 sweeps, residual 0' laplace "$dir/linear.npy" --method sor --sweeps 0
prints '3 cycles, residual 0' laplace "$dir/linear.npy" --method multigrid --sweeps 3
for method in sor multigrid; do
    w laplace "$dir/faces.npy" --method $method --tolerance 1e-13 -o "$dir/solved.npy" >/dev/null
    is "the exit code of $method" 0 $?
    is "the solution by $method" 0 "$(python3 - "$dir" <<'PYTHON'
import struct, sys
a, b = (struct.unpack("<125d", open(f"{sys.argv[1]}/{name}.npy", "rb").read()[-1000:]) for name in ("linear", "solved"))
print(int(max(abs(x - y) for x, y in zip(a, b)) > 1e-11))
PYTHON
)"
    w laplace --grid 20 --method $method --sweeps 4 -o "$dir/whole.npy" >/dev/null
    w --device ref laplace --grid 20 --method $method --sweeps 4 -o "$dir/ref.npy" >/dev/null
    is "the bits of the specification, $method" same "$(cmp -s "$dir/whole.npy" "$dir/ref.npy" && echo same)"
done
is "few cycles" 1 "$(w laplace --grid 40 --method multigrid --tolerance 1e-5 | awk '{print ($1 < 8)}')"
w laplace --grid 65 --method multigrid --tolerance 1e-30 >/dev/null 2>"$dir/stderr"
is "a tolerance below rounding: exit code" 1 $?
is "a tolerance below rounding" 1 "$(grep -c 'tolerance 1e-30 was not reached, and the iteration does not converge further' "$dir/stderr")"
is "json of cycles" "multigrid 2 True" "$(w laplace --grid 10 --method multigrid --sweeps 2 --json | python3 -c '
import json, sys
o = json.load(sys.stdin)
print(o["method"], o["cycles"], o["residual"] < 0.01)')"
refuses 2 '--method gauss: expected jacobi, sor or multigrid' laplace --grid 5 --method gauss
refuses 2 '--omega 2: expected a number greater than 0 and less than 2' laplace --grid 5 --method sor --omega 2
refuses 2 '--omega requires --method sor or multigrid' laplace --grid 5 --omega 1.5

is "a history" 3 "$(w laplace --grid 10 --sweeps 30 --history - | grep -o '[0-9.]*,[0-9.]*' | wc -l | tr -d ' ')"
if w laplace --grid 10 --slice y=3 --png "$dir/p.png" >/dev/null 2>"$dir/stderr"; then
    is "a picture" 89504e470d0a1a0a "$(od -An -tx1 -N8 "$dir/p.png" | tr -d ' \n')"
    refuses 1 'no/such' laplace --grid 5 --png "$dir/no/such.png"
else
    is "no pictures in this build" 1 "$(grep -c 'libpng was not found' "$dir/stderr")"
fi
refuses 2 '--slice q=1: expected an axis' laplace --grid 5 --png "$dir/p.png" --slice q=1
refuses 2 'has 5 points along x' laplace --grid 5 --png "$dir/p.png" --slice x=5
refuses 2 '--slice requires --png FILE' laplace --grid 5 --slice x=1
refuses 1 'has 1 dimension or is in Fortran order' laplace "$dir/flat.npy"
refuses 1 'expected f32 or f64' laplace "$dir/ints.npy"
refuses 1 'none.npy' laplace "$dir/none.npy"
refuses 2 '0 files given, 1 expected' laplace
refuses 2 '0 expected with --grid' laplace --grid 5 "$dir/u.npy"
refuses 2 '--tolerance -1' laplace --grid 5 --tolerance -1
refuses 2 '--dtype i32' laplace --grid 5 --dtype i32
refuses 2 '--grid' laplace --grid 2
refuses 2 '--sweeps' laplace --grid 5 --sweeps many
refuses 1 'no/such' laplace --grid 5 -o "$dir/no/such/file.npy"
finish
