#!/bin/sh
# Tests weft heat: steps computed by hand, its options, and that the output file appears complete or not at all.
. "$(dirname "$0")/check.sh"
v=$dir/v.npy

npy "$dir/line.npy" '<f8' '(3,)' 3 0 0
npy "$dir/rods.npy" '<f8' '(2, 3)' 3 0 0 0 0 6
npy "$dir/plate.npy" '<f4' '(3, 4)' 1 2 3 4 5 6 7 8 9 10 11 12
npy "$dir/space.npy" '<f8' '(2, 3, 4)' $(seq 24)
npy "$dir/many.npy" '<f8' '(2, 2, 3, 4)' $(seq 48)
npy "$dir/ints.npy" '<i4' '(3,)' 1 2 3
npy "$dir/none.npy" '<f8' '(0, 3)'

# 3x - y = 3, -x + 3y - z = 0, -y + 3z = 0
prints '1 steps, largest |u| 1.1428571428571428' heat "$dir/line.npy" -o "$v"
prints 1.7142857142857142 sum "$v"
prints '1 steps, largest |u| 2.2857142857142856' heat "$dir/rods.npy" --dimensions 1
prints '0 steps, largest |u| 12' heat "$dir/plate.npy" --steps 0
prints '2 steps, largest |u| 0' heat "$dir/none.npy" --steps 2 --dimensions 1
# 4x - y = 0, -x + 4y - z = 3, -y + 4z = 0
prints '1 steps, largest |u| 0.8571428571428571' heat "$dir/line.npy" --method crank-nicolson -o "$v"

for options in "line.npy --steps 5" "plate.npy --steps 3 --method crank-nicolson --lambda 0.5,2" "space.npy --steps 2" \
    "many.npy --steps 3 --dimensions 3 --lambda 1,2,3 --method crank-nicolson" "many.npy --steps 3 --dimensions 2"; do
    # shellcheck disable=SC2086
    w heat "$dir/"$options -o - >"$dir/whole.npy" 2>/dev/null
    # shellcheck disable=SC2086
    w --device ref heat "$dir/"$options -o "$v" >/dev/null
    is "the bits of the specification: $options" same "$(cmp -s "$dir/whole.npy" "$v" && echo same)"
done
w heat "$dir/space.npy" --steps 45 -o "$dir/whole.npy" >/dev/null
w heat "$dir/space.npy" --steps 30 -o "$dir/some.npy" >/dev/null
w heat "$dir/some.npy" --steps 15 -o "$v" >/dev/null
is "30 and 15 steps are 45" same "$(cmp -s "$dir/whole.npy" "$v" && echo same)"
is "json" "2 2 7" "$(w --json heat "$dir/many.npy" --dimensions 3 --steps 7 | python3 -c 'import json, sys
j = json.load(sys.stdin)
print(j["batch"], j["batch"], j["steps"])')"

is "a history" 31 "$(w heat "$dir/plate.npy" --steps 30 --history - 2>/dev/null | grep -o '[0-9.]*,[0-9.]*' | wc -l | tr -d ' ')"
if w heat "$dir/space.npy" --png "$dir/p.png" >/dev/null 2>"$dir/stderr"; then
    is "a picture" 89504e470d0a1a0a "$(od -An -tx1 -N8 "$dir/p.png" | tr -d ' \n')"
    refuses 1 'no/such' heat "$dir/plate.npy" --png "$dir/no/such.png"
else
    is "no pictures in this build" 1 "$(grep -c 'libpng was not found' "$dir/stderr")"
fi
refuses 1 'has 1 dimension: a picture' heat "$dir/line.npy" --png "$dir/p.png"
refuses 1 'many.npy: the array has 4 dimensions: --dimensions must give' heat "$dir/many.npy"
refuses 1 'the array has 1 dimension: ' heat "$dir/line.npy" --dimensions 2
refuses 1 '--lambda: 3 numbers given, 2 expected, one for each axis' heat "$dir/plate.npy" --lambda 1,2,3
refuses 2 '--lambda 1e-30: expected a number from 2^-60 to 2^60' heat "$dir/line.npy" --lambda 1e-30
refuses 1 'expected f32 or f64' heat "$dir/ints.npy"
refuses 1 'missing.npy' heat "$dir/missing.npy"
refuses 1 'no/such' heat "$dir/line.npy" -o "$dir/no/such/file.npy"
refuses 2 '0 files given, 1 expected' heat
refuses 2 '--lambda 0: expected a number greater than 0' heat "$dir/line.npy" --lambda 0
refuses 2 '--lambda x: expected a number greater than 0' heat "$dir/line.npy" --lambda 1,x
refuses 2 '--lambda 1e30: expected a number from 2^-60 to 2^60' heat "$dir/line.npy" --lambda 1e30
refuses 2 '--lambda 4: expected a number greater than 0, or one for each of up to 3 axes' heat "$dir/line.npy" --lambda 1,2,3,4
refuses 2 '--method euler: expected backward-euler or crank-nicolson' heat "$dir/line.npy" --method euler
refuses 2 '--dimensions 4: expected an integer' heat "$dir/line.npy" --dimensions 4
refuses 2 '--steps -1' heat "$dir/line.npy" --steps -1
refuses 2 '--json cannot be combined with' heat "$dir/line.npy" --json -o -
finish
