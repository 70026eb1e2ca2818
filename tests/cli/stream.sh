#!/bin/sh
# Tests files that are read in pieces, and pipes: bits identical to those in memory, the limit of --memory, messages
# about interruptions and full disks, and that no temporary file remains.
. "$(dirname "$0")/check.sh"
x=$dir/x.npy
d=$dir/d.npy
k=$dir/k.npy
out=$dir/out
mkdir "$out"
w random normal --n 200001 --seed 1 -o "$x"
w random normal --n 60000 --seed 2 --dtype f64 -o "$d"
w random integers --lower -300 --upper 300 --n 70000 --dtype i32 -o "$k"

# identical elements in the other byte order
python3 - "$d" "$dir/swapped.npy" <<'EOF'
import array, sys
data = open(sys.argv[1], "rb").read()
values = array.array("d", data[128:])
values.byteswap()
open(sys.argv[2], "wb").write(data[:128].replace(b"<f8", b">f8") + values.tobytes())
EOF

# streamed ARGUMENT...: checks that the output with --memory and from a pipe equals that without; the last argument is
# the file.
streamed() {
    expected=$(w --bits "$@")
    is "weft $* --memory 256K" "$expected" "$(w --bits --memory 256K "$@" 2>&1)"
    for last in "$@"; do :; done
    is "weft $* --memory 300001" "$expected" "$(w --bits --memory 300001 "$@" 2>&1)"
}
for file in "$x" "$d" "$k" "$dir/swapped.npy"; do
    for op in sum prod min max argmin argmax any all count_nonzero mean norm1 norm2 norminf variance; do
        streamed "$op" "$file"
    done
    for op in sum argmax mean; do
        is "weft $op - of $file" "$(w --bits "$op" "$file")" "$(w --bits "$op" - <"$file")"
        # shellcheck disable=SC2002 # a pipe, not a file
        is "a pipe to weft $op, of $file" "$(w --bits "$op" "$file")" "$(cat "$file" | w --bits "$op" -)"
    done
done
streamed xor "$k"
streamed sum --accumulate f64 "$x"
streamed dot "$d" "$dir/swapped.npy"
streamed variance --ddof 1 "$x"
for type in f16 bf16; do
    w random normal --n 70001 --seed 6 --dtype $type -o "$dir/$type.npy"
    for op in sum prod min argmax count_nonzero mean norm2 norminf variance; do streamed "$op" "$dir/$type.npy"; done
    streamed mean --accumulate f32 "$dir/$type.npy"
    streamed dot "$dir/$type.npy" "$dir/$type.npy"
done
streamed map_reduce norm1 "a*x + i" a=3 x="$x"
streamed map_reduce argmin "x*y" y="$dir/swapped.npy" x="$d"

# files COMMAND ARGUMENT...: checks that the output file with --memory equals that without, and that no other remains
files() {
    w "$@" -o "$dir/whole.npy"
    w --memory 400K "$@" -o "$out/pieces.npy"
    is "weft --memory 400K $*: exit code" 0 $?
    is "weft --memory 400K $*" same "$(cmp "$dir/whole.npy" "$out/pieces.npy" 2>&1 && echo same)"
    is "weft --memory 400K $*: what is left" pieces.npy "$(ls -A "$out")"
    rm "$out/pieces.npy"
}
for file in "$x" "$d" "$k" "$dir/swapped.npy"; do
    files scan "$file"
    files scan --exclusive --op max "$file"
    files histogram --bins 30 "$file"
    files map "2*x - i" x="$file"
    files map_scan --op max --exclusive "2*x - i" x="$file" --dtype f64
    files sort "$file"
    files sort --descending "$file"
done
for type in f16 bf16; do
    files scan --init 2 "$dir/$type.npy"
    files scan --exclusive --accumulate f32 "$dir/$type.npy"
    files scan --op max "$dir/$type.npy"
    files histogram --bins 30 "$dir/$type.npy"
    files sort "$dir/$type.npy"
done
w random uniform --lower -1 --upper 1 --n 200001 --seed 4 -o "$dir/s.npy"
w random uniform --lower -1 --upper 1 --n 60000 --seed 5 --dtype f64 -o "$dir/sd.npy"
npy "$dir/row.npy" '<f8' '(1, 60000)'
npy "$dir/rows.npy" '<f8' '(200, 300)'
for rows in row rows; do tail -c 480000 "$dir/sd.npy" >>"$dir/$rows.npy"; done
files recurrence "$dir/s.npy" "$x"
files recurrence --init 20 "$dir/sd.npy" "$dir/swapped.npy"
files recurrence --reverse "$dir/sd.npy" "$d"
files recurrence --init -1 "$dir/row.npy" "$dir/row.npy"
files recurrence --init -1 "$dir/rows.npy" "$dir/rows.npy"
files scan --op prod --exclusive --init 2 "$d"
files scan --accumulate f64 "$x"
files map_scan --accumulate f64 --init 3 "a*x + i" a=2 x="$x"
npy "$dir/edges.npy" '<f4' '(4,)' -1 0 0.5 7
files histogram --edges "$dir/edges.npy" "$x"
w map "x < 0.2 ? 0/(x*0) : (x < 0.6 ? 0*x : (x > 2 ? -0.0*x : x))" x="$d" -o "$dir/nan.npy"
files sort "$dir/nan.npy"
files sort --descending "$dir/nan.npy"
# shellcheck disable=SC2002
is "a scan of a pipe to a pipe" same "$(w scan "$x" -o "$dir/whole.npy" && cat "$x" | w scan - -o - | cmp - "$dir/whole.npy" && echo same)"
for rows in sd row rows; do
    w recurrence "$dir/$rows.npy" "$dir/$rows.npy" --init 3 -o "$dir/whole.npy"
    # shellcheck disable=SC2002
    is "a recurrence of a pipe, $rows" same \
        "$(cat "$dir/$rows.npy" | w recurrence "$dir/$rows.npy" - --init 3 -o - | cmp - "$dir/whole.npy" && echo same)"
done

# scatter_reduce: indices of four types for 200001, 60000 and 300 rows; those of u8 are loaded
w random integers --lower -2 --upper 40 --n 200001 --dtype i32 --seed 6 -o "$dir/index.npy"
w random integers --lower 0 --upper 40 --n 60000 --dtype i64 --seed 7 -o "$dir/index64.npy"
npy "$dir/index8.npy" '|u1' '(60000,)'
python3 -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1], "rb").read()[128::8])' "$dir/index64.npy" >>"$dir/index8.npy"
w random integers --lower 0 --upper 9 --n 200 --dtype u32 --seed 8 -o "$dir/index200.npy"
for op in sum mean max; do
    files scatter_reduce --op $op --index "$dir/index.npy" --targets 40 --skip "$x"
    files scatter_reduce --op $op --index "$dir/index64.npy" --targets 41 "$dir/swapped.npy"
    files scatter_reduce --op $op --index "$dir/index8.npy" --targets 41 "$d"
    files scatter_reduce --op $op --index "$dir/index200.npy" --targets 41 "$dir/rows.npy"
done
npy "$dir/init.npy" '<f8' '(41,)' $(seq 41)
files scatter_reduce --init "$dir/init.npy" --index "$dir/index64.npy" --targets 41 "$d"
w scatter_reduce --index "$dir/index64.npy" --targets 41 "$d" -o "$dir/whole.npy"
for index in index64 index8; do
    # shellcheck disable=SC2002
    is "scatter_reduce of a pipe, $index" same \
        "$(cat "$d" | w scatter_reduce - --index "$dir/$index.npy" --targets 41 -o - | cmp - "$dir/whole.npy" && echo same)"
done
# shellcheck disable=SC2002
is "scatter_reduce, indices from a pipe" same \
    "$(cat "$dir/index64.npy" | w scatter_reduce "$d" --index - --targets 41 -o - | cmp - "$dir/whole.npy" && echo same)"

npy "$dir/none.npy" '<f4' '(0,)'
# shellcheck disable=SC2002
is "a recurrence of a pipe of nothing" "<f4 (0,)" \
    "$(cat "$dir/none.npy" | w recurrence - "$dir/none.npy" --init 3 -o "$dir/whole.npy" && values "$dir/whole.npy")"
# shellcheck disable=SC2002
is "a pipe of nothing" 0 "$(cat "$dir/none.npy" | w sum -)"

# ------------------------------------------------------------------------------- refused
for text in 0 -1 12X K 1.5G 99999999999999999999 20000000T ""; do
    refuses 2 "weft: --memory $text: expected a number of bytes such as 512M, with the unit K, M, G, T or none" sum --memory "$text" "$x"
done
refuses 2 "weft sum: --memory 100: 100 bytes of memory for buffers are too few: this call requires at least 32768" sum --memory 100 "$x"
refuses 2 "weft sort: $x: --memory 8192 is too small to merge 196 sorted runs" sort --memory 8K "$x" -o "$out/y.npy"
refuses 1 "weft scan: /dev/full: cannot be written: No space left on device" scan --memory 400K "$x" -o /dev/full
refuses 1 "weft sort: /dev/full: cannot be written: No space left on device" sort --memory 400K "$x" -o /dev/full
head -c 500000 "$x" >"$dir/cut.npy"
refuses 1 "weft scan: $dir/cut.npy: is truncated: 200001 elements of type f32 require 800004 bytes, found 499872" \
    scan --memory 400K "$dir/cut.npy" -o "$out/y.npy"
refuses 1 "weft recurrence: $dir/cut.npy: is truncated: 200001 elements of type f32 require 800004 bytes, found 499872" \
    recurrence --memory 400K "$dir/s.npy" "$dir/cut.npy" -o "$out/y.npy"
# shellcheck disable=SC2002
is "a recurrence whose pipe is closed early" \
    "weft recurrence: -: is truncated: 200001 elements of type f32 require 800004 bytes, found 499872" \
    "$(cat "$dir/cut.npy" | w recurrence "$dir/s.npy" - -o "$out/y.npy" 2>&1)"
refuses 1 "weft recurrence: $dir/sd.npy has the shape (60000,) and $dir/row.npy (1, 60000): both must have the same shape" \
    recurrence --memory 400K "$dir/sd.npy" "$dir/row.npy" -o "$out/y.npy"
refuses 1 "weft scatter_reduce: $dir/cut.npy: is truncated: 200001 elements of type f32 require 800004 bytes, found 499872" \
    scatter_reduce --memory 400K "$dir/cut.npy" --index "$dir/index.npy" --targets 40 -o "$out/y.npy"
first=$(w scatter_reduce "$x" --index "$dir/index.npy" --targets 40 -o "$out/y.npy" 2>&1)
refuses 1 "$first" scatter_reduce --memory 4K "$x" --index "$dir/index.npy" --targets 40 -o "$out/y.npy"
refuses 1 "weft scatter_reduce: $dir/index64.npy has 60000 elements and $x has 200001 rows: both must have the same length" \
    scatter_reduce --memory 400K "$x" --index "$dir/index64.npy" --targets 40 -o "$out/y.npy"
refuses 2 "weft scatter_reduce: --memory 10: 10 bytes of memory for buffers are too few: this call requires at least 16" \
    scatter_reduce --memory 10 "$x" --index "$dir/index.npy" --targets 40 -o "$out/y.npy"
refuses 2 "weft recurrence: --memory 100: 100 bytes of memory for buffers are too few: this call requires at least 81920" \
    recurrence --memory 100 "$dir/s.npy" "$x" -o "$out/y.npy"
# shellcheck disable=SC2002
is "a pipe that is closed early" "weft scan: -: is truncated: 200001 elements of type f32 require 800004 bytes, found 499872" \
    "$(cat "$dir/cut.npy" | w scan - -o "$out/y.npy" 2>&1)"
refuses 1 "$x has shape (200001,) and $d has shape (60000,): only map and map_reduce --axis broadcast them" map_reduce sum "x + y" x="$x" y="$d" --memory 400K
# A file that cannot grow: SIGXFSZ is ignored, so write fails.
(trap '' XFSZ && ulimit -f 100 && w scan --memory 400K "$x" -o "$out/y.npy") 2>"$dir/stderr"
is "a scan on a full disk" "weft scan: $out/y.npy: cannot be written: File too large" "$(cat "$dir/stderr")"
(trap '' XFSZ && ulimit -f 100 && TMPDIR=$out w sort --memory 400K "$x" -o "$dir/y.npy") 2>"$dir/stderr"
is "a sort on a full disk" "weft sort: $x: a temporary file cannot be written (in $out): File too large" "$(cat "$dir/stderr")"
# A disk of 256 KiB, if the kernel permits one: the result does not fit, and no part of it remains.
mkdir "$dir/disk"
on_a_small_disk() {
    unshare --map-root-user --mount sh -c 'disk=$1 && shift && mount -t tmpfs -o size=256k tmpfs "$disk" || exit 77
        "$@"; echo "exit code $?, left: $(ls -A "$disk")"' sh "$dir/disk" "$@"
}
if on_a_small_disk true >/dev/null 2>&1; then
    is "a scan on a disk that is too small" \
        "weft scan: $dir/disk/y.npy: requires 800132 bytes, but its file system has 262144 free
exit code 1, left: " "$(on_a_small_disk "$weft" --device cpu --memory 400K scan "$x" -o "$dir/disk/y.npy" 2>&1)"
    is "a map_scan on a disk that is too small" \
        "weft map_scan: $dir/disk/y.npy: requires 800132 bytes, but its file system has 262144 free
exit code 1, left: " \
        "$(on_a_small_disk "$weft" --device cpu --memory 400K map_scan "2*x" x="$x" -o "$dir/disk/y.npy" 2>&1)"
    is "a sort on a disk that is too small" \
        "weft sort: $x: a temporary file cannot be written (in $dir/disk): requires 800004 bytes, but its file system has 262144 free
exit code 1, left: " \
        "$(TMPDIR=$dir/disk on_a_small_disk "$weft" --device cpu --memory 400K sort "$x" -o "$dir/y.npy" 2>&1)"
else
    echo "left out: a small disk, which may not be mounted here"
fi
is "TMPDIR that is not there" "weft sort: $x: a temporary file cannot be created (in $dir/no): No such file or directory" \
    "$(TMPDIR=$dir/no w sort --memory 400K "$x" -o "$dir/y.npy" 2>&1)"
is "what is left over" "" "$(ls -A "$out")"
is "files left in the directory" "" "$(cd "$dir" && ls -A | grep -e '^y' -e '^weft')"

# --------------------------------------------------------------- interrupted, and its memory
python3 - "$weft" "$x" "$out" <<'EOF' >"$dir/stdout" 2>&1
import os, resource, signal, subprocess, sys, time
weft, x, out = sys.argv[1:]

def default_signals():
    for number in signal.SIGINT, signal.SIGTERM: signal.signal(number, signal.SIG_DFL)

def interrupted(number, arguments):
    child = subprocess.Popen([weft, "--device", "cpu", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, preexec_fn=default_signals)
    child.stdin.write(open(x, "rb").read()[:700000])
    child.stdin.flush()
    time.sleep(1)
    child.send_signal(number)
    printed, said = child.communicate(timeout=60)
    print(child.returncode, len(printed) if "-o" not in arguments else "", said.decode().strip(), os.listdir(out))

interrupted(signal.SIGINT, ["sum", "-"])
interrupted(signal.SIGINT, ["scan", "-", "-o", out + "/y.npy"])
interrupted(signal.SIGTERM, ["map_reduce", "sum", "2*x", "x=-"])
EOF
is "interrupted" "-2 0 weft sum: -: interrupted after 0.7 of 0.8 MB; no result was written []
-2  weft scan: -: interrupted after 0.7 of 0.8 MB; no result was written []
-15 0 weft map_reduce: -: interrupted after 0.7 of 0.8 MB; no result was written []" "$(cat "$dir/stdout")"

# Sanitizers allocate memory of their own.
if ! grep -q -e __asan_init -e __tsan_init "$weft"; then
    w random uniform --n 2e7 -o "$dir/large.npy"
    for command in "sum" "scan -o $dir/y.npy" "sort -o $dir/y.npy"; do
        # shellcheck disable=SC2086 # words
        peak=$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$weft" --device cpu --memory 8M $command "$dir/large.npy")
        is "weft --memory 8M $command of 80 MB: a peak of $peak MiB" small "$([ "$peak" -lt 48 ] && echo small)"
    done
fi
finish
