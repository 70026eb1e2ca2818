#!/bin/sh
# Tests weft select, partition, unique, run_length: selected elements, output files, and wrong calls.
. "$(dirname "$0")/check.sh"

# keeps EXPECTED PRINTED ARGUMENT...: checks that `weft ARGUMENT... -o Y` prints PRINTED and writes EXPECTED; with -o
# -, the file goes to standard output.
keeps() {
    expected=$1
    printed=$2
    shift 2
    rm -f "$y"
    got=$(w "$@" -o "$y" 2>&1)
    is "weft $*: exit code" 0 $?
    is "weft $*: printed" "$printed" "$got"
    is "weft $*" "$expected" "$(values "$y")"
    w "$@" -o - >"$dir/stdout"
    is "weft $* -o -" same "$(cmp -s "$y" "$dir/stdout" && echo same)"
}

npy "$dir/i4.npy" '<i4' '(6,)' 3 1 4 1 5 -9
npy "$dir/f4.npy" '<f4' '(5,)' 1.5 nan -0.0 0 8
npy "$dir/u1.npy" '|u1' '(2, 2)' 200 100 7 7
npy "$dir/b.npy" '|b1' '(6,)' 1 0 0 1 1 0
npy "$dir/u8.npy" '|u1' '(6,)' 7 0 0 128 255 0
npy "$dir/none.npy" '<f8' '(0,)'

# by comparison
keeps "<i4 (1,) -9" "" select "$dir/i4.npy" --lt 1
keeps "<i4 (3,) 1 1 -9" "" select "$dir/i4.npy" --le 1
keeps "<i4 (2,) 1 1" "" select "$dir/i4.npy" --eq 1
keeps "<i4 (4,) 3 4 5 -9" "" select "$dir/i4.npy" --ne 1
keeps "<i4 (5,) 3 1 4 1 5" "" select "$dir/i4.npy" --ge 1
keeps "<i4 (3,) 3 4 5" "" select "$dir/i4.npy" --gt 1
keeps "<i4 (0,)" "" select "$dir/i4.npy" --gt=2147483647
keeps "<i4 (5,) 3 1 4 1 5" "" select "$dir/i4.npy" --gt -9
keeps "<f4 (2,) -0.0 0.0" "" select "$dir/f4.npy" --eq 0
keeps "<f4 (0,)" "" select "$dir/f4.npy" --eq nan
keeps "<f4 (5,) 1.5 nan -0.0 0.0 8.0" "" select "$dir/f4.npy" --ne nan
keeps "<f4 (2,) 1.5 8.0" "" select "$dir/f4.npy" --gt 0
keeps "|u1 (1,) 200" "" select "$dir/u1.npy" --gt 127
keeps "<f8 (0,)" "" select "$dir/none.npy" --gt 0
keeps "<u8 (3,) 0 2 4" "" select "$dir/i4.npy" --ge 3 --indices
keeps "<i4 (6,) 1 1 -9 3 4 5" 3 partition "$dir/i4.npy" --le 1
keeps "<f8 (0,)" 0 partition "$dir/none.npy" --le 1

# f16 and bf16: the value is rounded to their type
npy "$dir/f2.npy" '<f2' '(5,)' 0.1 nan -0.0 0 2050
npy "$dir/v2.npy" '<V2' '(4,)' 0x3f80 0x7fc0 0x8000 0xbf80
keeps "<f2 (2,) -0.0 0.0" "" select "$dir/f2.npy" --eq 0
keeps "<f2 (1,) 0.0999755859375" "" select "$dir/f2.npy" --eq 0.1
keeps "<u8 (1,) 4" "" select "$dir/f2.npy" --ge 2049.5 --indices
keeps "<f2 (5,) 2050.0 0.0999755859375 nan -0.0 0.0" 1 partition "$dir/f2.npy" --gt 1
keeps "<V2 (3,) 32704 32768 49024" "" select "$dir/v2.npy" --ne 1
refuses 2 "numbers up to 65504" select "$dir/f2.npy" --gt 70000 -o "$y"

# by flags
keeps "<i4 (3,) 3 1 5" "" select "$dir/i4.npy" --flags "$dir/b.npy"
keeps "<i4 (3,) 3 1 5" "" select "$dir/i4.npy" --flags "$dir/u8.npy"
keeps "<u8 (3,) 0 3 4" "" select "$dir/i4.npy" --flags "$dir/b.npy" --indices
keeps "<i4 (6,) 3 1 5 1 4 -9" 3 partition "$dir/i4.npy" --flags "$dir/b.npy"
w select - --flags "$dir/b.npy" -o - <"$dir/i4.npy" >"$dir/stdout"
is "from standard input" "<i4 (3,) 3 1 5" "$(values "$dir/stdout")"

# runs
npy "$dir/runs.npy" '<f4' '(8,)' 0 -0.0 nan nan 2 2 2 0
keeps "<f4 (4,) 0.0 nan 2.0 0.0" "" unique "$dir/runs.npy"
keeps "<f8 (0,)" "" unique "$dir/none.npy"
keeps "|u1 (3,) 200 100 7" "" unique "$dir/u1.npy"
got=$(w run_length "$dir/runs.npy" --values "$y" --lengths "$dir/l.npy" 2>&1)
is "run_length: printed" "" "$got"
is "run_length: values" "<f4 (4,) 0.0 nan 2.0 0.0" "$(values "$y")"
is "run_length: lengths" "<u8 (4,) 2 2 3 1" "$(values "$dir/l.npy")"
w run_length "$dir/runs.npy" --values "$dir/other.npy" --lengths - >"$dir/stdout"
is "run_length: lengths to standard output" "<u8 (4,) 2 2 3 1" "$(values "$dir/stdout")"

# every device of this machine gives an identical file; selected and rejected elements are all elements
for device in ref cpu; do
    for threads in 1 2 7; do
        w select "$root/examples/data/co2.npy" --gt 340 -o "$dir/$device$threads.npy" --device $device --threads $threads
        is "co2 on $device, $threads threads" same "$(cmp "$dir/ref1.npy" "$dir/$device$threads.npy" && echo same)"
    done
done
front=$(w partition "$root/examples/data/co2.npy" --gt 340 -o "$y")
is "partition and select agree" "$front" "$(w --json select "$root/examples/data/co2.npy" --gt 340 -o "$dir/s.npy" |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["count"])')"
is "a partition keeps everything" "$(w max "$root/examples/data/co2.npy")" "$(w max "$y")"

# JSON
json() {
    python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.items())'
}
is "select --json" \
    "('command', 'select') ('file', '$dir/i4.npy') ('output', '$y') ('ge', '3') ('indices', False) ('dtype', 'i32') ('n', 6) ('count', 3) ('device', 'cpu') ('order', $order)" \
    "$(w select "$dir/i4.npy" --ge 3 -o "$y" --json | json)"
is "partition --json" \
    "('command', 'partition') ('file', '$dir/i4.npy') ('output', '$y') ('flags', '$dir/b.npy') ('dtype', 'i32') ('n', 6) ('count', 3) ('device', 'cpu') ('order', $order)" \
    "$(w partition "$dir/i4.npy" --flags "$dir/b.npy" -o "$y" --json | json)"
is "run_length --json" \
    "('command', 'run_length') ('file', '$dir/runs.npy') ('values', '$y') ('lengths', '$dir/l.npy') ('dtype', 'f32') ('n', 8) ('count', 4) ('device', 'cpu') ('order', $order)" \
    "$(w run_length "$dir/runs.npy" --values "$y" --lengths "$dir/l.npy" --json | json)"

# wrong calls
refuses 2 "weft select: 0 conditions given, 1 expected: --flags F.npy, --lt" select "$dir/i4.npy" -o "$y"
refuses 2 "weft partition: 2 conditions given, 1 expected" partition "$dir/i4.npy" --lt 1 --gt 0 -o "$y"
refuses 2 "weft select: option -o Y.npy is required" select "$dir/i4.npy" --lt 1
refuses 2 "weft unique: option -o Y.npy is required" unique "$dir/i4.npy"
refuses 2 "weft select: 2 files given, 1 expected" select "$dir/i4.npy" "$dir/i4.npy" --lt 1 -o "$y"
refuses 2 "weft select: option --lt requires an argument" select "$dir/i4.npy" --lt
refuses 2 "weft partition: unknown option --indices" partition "$dir/i4.npy" --lt 1 --indices -o "$y"
refuses 2 "weft select: --lt 1.5: expected a value of type i32 (-2147483648 to 2147483647), the type of the elements" \
    select "$dir/i4.npy" --lt 1.5 -o "$y"
refuses 2 "weft select: --ge 256: expected a value of type u8 (0 to 255)" select "$dir/u1.npy" --ge 256 -o "$y"
refuses 2 "weft select: -: only one of the two arrays can be read from standard input" select - --flags - -o "$y"
refuses 2 "weft select: --json cannot be combined with" select "$dir/i4.npy" --lt 1 -o - --json
refuses 1 "weft select: $dir/i4.npy has elements of type i32: flags must have type bool or u8" \
    select "$dir/i4.npy" --flags "$dir/i4.npy" -o "$y"
refuses 1 "weft select: $dir/b.npy has 6 flags and $dir/f4.npy has 5 elements: both must have the same length" \
    select "$dir/f4.npy" --flags "$dir/b.npy" -o "$y"
refuses 1 "weft select: $dir/missing.npy: cannot be opened" select "$dir/missing.npy" --lt 1 -o "$y"
refuses 1 "weft select: $dir/missing.npy: cannot be opened" select "$dir/i4.npy" --flags "$dir/missing.npy" -o "$y"
refuses 2 "weft run_length: option --values V.npy is required" run_length "$dir/i4.npy" --lengths "$y"
refuses 2 "weft run_length: option --lengths L.npy is required" run_length "$dir/i4.npy" --values "$y"
refuses 2 "weft run_length: $y: --values and --lengths must name different files" \
    run_length "$dir/i4.npy" --values "$y" --lengths "$y"
refuses 2 "weft run_length: 0 files given, 1 expected" run_length --values "$y" --lengths "$dir/l.npy"

# The output: over its own input. No other file remains, also after failures.
out=$dir/out
mkdir "$out"
cp "$dir/i4.npy" "$out/x.npy"
w select "$out/x.npy" --ge 3 -o "$out/x.npy"
is "over its own input" "<i4 (3,) 3 4 5" "$(values "$out/x.npy")"
refuses 1 "weft select: $out: is a directory" select "$dir/i4.npy" --lt 1 -o "$out"
npy "$dir/big.npy" '<f8' '(100000,)' --append 800000
before=$(values "$out/x.npy")
(trap '' XFSZ && ulimit -f 100 && w partition "$dir/big.npy" --lt 1 -o "$out/x.npy") >"$dir/stdout" 2>"$dir/stderr"
is "a disk that fills up: exit code" 1 $?
is "a disk that fills up" "weft partition: $out/x.npy: cannot be written: File too large" "$(cat "$dir/stderr")"
is "a disk that fills up: printed" "" "$(cat "$dir/stdout")"
is "a disk that fills up: the old file" "$before" "$(values "$out/x.npy")"
is "a disk that fills up: the files" "x.npy" "$(ls -A "$out")"
finish
