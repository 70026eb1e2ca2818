#!/bin/sh
# Counts the instructions of calls on x86-64, at levels v2 (SSE4.2) and v3 (AVX2), and on AArch64 (NEON), under qemu.
# Prints a table of instructions per element: a call's, as the difference between runs with 1 and 3 calls.
# Usage: instructions.sh BUILD_X86_64 BUILD_AARCH64, builds of the same commit (tests/machines/run.sh makes one).
set -eu
x86=$(cd "$1" && pwd) arm=$(cd "$2" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
${CC:-cc} -std=c17 -O2 -fPIC -shared "$source/bench/instructions_plugin.c" -o "$work/plugin.so"
# program COMPILER BUILD: compiles the program for the library of a build.
program() {
    "$1" -std=c17 -D_GNU_SOURCE -O2 -I"$source/include" "$source/bench/cpu_instructions.c" -o "$work/$1" "$2/libweft.so" \
        -Wl,-rpath,"$2" -lm
}
program "${CC:-cc}" "$x86"
program aarch64-linux-gnu-gcc "$arm"

# emulated DEVICE ROW CALLS: runs the program on x86-64, or on AArch64 if the device is neon.
emulated() {
    if [ "$1" = neon ]; then
        qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$work/plugin.so" "$work/aarch64-linux-gnu-gcc" cpu "$2" "$3"
    else
        qemu-x86_64 -cpu max -plugin "$work/plugin.so" "$work/${CC:-cc}" "cpu:$1" "$2" "$3"
    fi
}
# instructions DEVICE ROW CALLS: prints the number of instructions of a run.
instructions() { emulated "$@" 2>&1 >/dev/null | sed -n 's/^instructions //p'; }

echo "| call | elements | v2 | v3 | AArch64 | AArch64 / v2 |"
echo "|---|---|---|---|---|---|"
row=0
while name=$(emulated v2 $row 0 2>/dev/null); do
    elements=${name%% *} line=
    row=$((row + 1))
    [ -n "$name" ] || continue
    for device in v2 v3 neon; do
        line="$line $(instructions $device $((row - 1)) 1) $(instructions $device $((row - 1)) 3)"
    done
    echo "$line" | awk -v name="${name#* }" -v n="$elements" '{
        a = ($2 - $1) / 2 / n; b = ($4 - $3) / 2 / n; c = ($6 - $5) / 2 / n
        printf "| %s | %d | %.2f | %.2f | %.2f | %.2f |\n", name, n, a, b, c, c / a }'
done
