#!/bin/sh
# Tests weft recurrence: values known by hand, its options, rows, and errors.
. "$(dirname "$0")/check.sh"
v=$y

npy "$dir/s.npy" '<f8' '(4,)' 0.5 2 -1 3
npy "$dir/u.npy" '<f8' '(4,)' 1 2 3 4
npy "$dir/s4.npy" '<f4' '(2, 2)' 0.5 2 -1 3
npy "$dir/u4.npy" '<f4' '(2, 2)' 1 2 3 4
npy "$dir/row.npy" '<f4' '(4,)' 1 2 3 4

# one row: forward, reverse, with an initial value
gives "<f8 (4,) 1.0 4.0 -1.0 1.0" recurrence "$dir/s.npy" "$dir/u.npy"
gives "<f8 (4,) 1.0 0.0 -1.0 4.0" recurrence "$dir/s.npy" "$dir/u.npy" --reverse
gives "<f8 (4,) 3.0 8.0 -5.0 -11.0" recurrence "$dir/s.npy" "$dir/u.npy" --init 4
gives "<f8 (4,) 4.0 6.0 2.0 1.0" recurrence "$dir/s.npy" "$dir/u.npy" --reverse --init=-1
gives "<f8 (4,) nan nan nan nan" recurrence "$dir/s.npy" "$dir/u.npy" --init nan

# independent rows
gives "<f4 (2, 2) 1.0 4.0 3.0 13.0" recurrence "$dir/s4.npy" "$dir/u4.npy"
gives "<f4 (2, 2) 2.0 2.0 -1.0 4.0" recurrence "$dir/s4.npy" "$dir/u4.npy" --reverse
gives "<f4 (2, 2) 6.0 14.0 -7.0 -17.0" recurrence "$dir/s4.npy" "$dir/u4.npy" --init 10
npy "$dir/a.npy" '<f4' '(0, 3)'
gives "<f4 (0, 3)" recurrence "$dir/a.npy" "$dir/a.npy" --init 3
npy "$dir/a.npy" '<f4' '(3, 0)'
gives "<f4 (3, 0)" recurrence "$dir/a.npy" "$dir/a.npy" --init 3
npy "$dir/a.npy" '<f8' '()' 2.5
gives "<f8 () 12.5" recurrence "$dir/a.npy" "$dir/a.npy" --init 4
npy "$dir/a.npy" '<f4' '(1, 2, 2)' 0.5 2 -1 3
gives "<f4 (1, 2, 2) 0.5 3.0 -1.0 0.0" recurrence "$dir/a.npy" "$dir/a.npy"
npy "$dir/a.npy" '>f8' '(4,)' 0.5 2 -1 3
gives "<f8 (4,) 1.0 4.0 -1.0 1.0" recurrence "$dir/a.npy" "$dir/u.npy"

# output over an input, in a pipe, on every device and number of threads
cp "$dir/u.npy" "$dir/both.npy"
w recurrence "$dir/s.npy" "$dir/both.npy" -o "$dir/both.npy"
is "over its own input" "<f8 (4,) 1.0 4.0 -1.0 1.0" "$(values "$dir/both.npy")"
w recurrence "$dir/s.npy" - -o - <"$dir/u.npy" >"$dir/piped"
is "u from standard input" "<f8 (4,) 1.0 4.0 -1.0 1.0" "$(values "$dir/piped")"
npy "$dir/long.npy" '<f8' '(100000,)' --append 800000
w scan "$root/examples/data/co2.npy" --op max -o "$dir/co2.npy"
for device in ref cpu; do
    for threads in 1 2 7; do
        w recurrence "$dir/co2.npy" "$root/examples/data/co2.npy" -o "$dir/$device$threads.npy" --device $device \
            --threads $threads
        is "co2 on $device, $threads threads" same "$(cmp "$dir/ref1.npy" "$dir/$device$threads.npy" && echo same)"
    done
done
got=$(w recurrence "$dir/s4.npy" "$dir/u4.npy" --reverse -o "$v" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "--json" "recurrence $dir/s4.npy $dir/u4.npy $v True f32 2 2 cpu $order" "$got"

# along an axis
npy "$dir/decay.npy" '<f8' '(1, 1)' 0.5
npy "$dir/columns.npy" '<f8' '(3, 2)' 1 10 2 20 3 30
npy "$dir/u4d.npy" '<f8' '(2, 2)' 1 2 3 4
npy "$dir/turned.npy" '<f8' '(3, 2)' 1 2 3 10 20 30 --order True
w recurrence "$dir/decay.npy" "$dir/columns.npy" --axis 0 -o "$v"
is "--axis 0" "<f8 (3, 2) 1.0 10.0 2.5 25.0 4.25 42.5" "$(values "$v")"
w recurrence "$dir/decay.npy" "$dir/turned.npy" --axis -2 -o "$v"
is "--axis -2, Fortran order" "<f8 (3, 2) 1.0 10.0 2.5 25.0 4.25 42.5" "$(values "$v")"
w recurrence "$dir/decay.npy" "$dir/columns.npy" --axis 1 --reverse --init 4 -o "$v"
is "--axis 1 --reverse --init" "<f8 (3, 2) 7.0 12.0 13.0 22.0 19.0 32.0" "$(values "$v")"
got=$(w recurrence "$dir/decay.npy" "$dir/columns.npy" --axis 0 -o "$v" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "--axis --json" "recurrence $dir/decay.npy $dir/columns.npy $v f64 1 0 False f64 cpu $order" "$got"

# errors
rm -f "$v"
refuses 2 "weft recurrence: --axis 0,1: expected an integer" recurrence "$dir/decay.npy" "$dir/columns.npy" --axis 0,1 -o "$v"
refuses 2 "weft recurrence: --axis 2: axis 2 is out of range: the result has 2 dimensions, shape (3, 2)" \
    recurrence "$dir/decay.npy" "$dir/columns.npy" --axis 2 -o "$v"
refuses 2 "$dir/columns.npy has shape (3, 2) and $dir/u4d.npy has shape (2, 2): they cannot be broadcast" \
    recurrence "$dir/columns.npy" "$dir/u4d.npy" --axis 0 -o "$v"
npy "$dir/i4.npy" '<i4' '(4,)' 1 2 3 4
npy "$dir/fortran.npy" '<f4' '(2, 2)' 1 2 3 4 --order True
refuses 1 "recurrence requires f32 or f64 elements, not i32" recurrence "$dir/i4.npy" "$dir/i4.npy" -o "$v"
refuses 1 "s.npy has elements of type f64 and $dir/row.npy of type f32: both must have the same type" \
    recurrence "$dir/s.npy" "$dir/row.npy" -o "$v"
refuses 1 "s4.npy has the shape (2, 2) and $dir/row.npy (4,): both must have the same shape" \
    recurrence "$dir/s4.npy" "$dir/row.npy" -o "$v"
refuses 1 "is in Fortran order: expected C order" recurrence "$dir/fortran.npy" "$dir/u4.npy" -o "$v"
refuses 2 "--init 1e39: expected a value of type f32 (numbers up to" recurrence "$dir/s4.npy" "$dir/u4.npy" --init 1e39 -o "$v"
refuses 2 "weft recurrence: $dir/s.npy: option -o V.npy is required" recurrence "$dir/s.npy" "$dir/u.npy"
refuses 2 "weft recurrence: 1 file given, 2 expected" recurrence "$dir/s.npy" -o "$v"
refuses 2 "weft recurrence: 3 files given, 2 expected" recurrence "$dir/s.npy" "$dir/u.npy" "$dir/u.npy" -o "$v"
refuses 2 "only one of the two arrays can be read from standard input" recurrence - - -o "$v"
refuses 2 "weft recurrence: --json cannot be combined with" recurrence "$dir/s.npy" "$dir/u.npy" -o - --json
refuses 1 "weft recurrence: $dir/missing.npy: cannot be opened" recurrence "$dir/s.npy" "$dir/missing.npy" -o "$v"
is "what is left of refused calls" "" "$(ls "$v" 2>/dev/null)"
finish
