#!/bin/sh
# The frames of the CPU kernels have at most WEFT_FRAME_BYTES of cmake/library.cmake, also if Clang compiles them with -O2:
# Clang keeps vectors on the stack that GCC keeps in registers. Builds with -DWEFT_WERROR=ON check all files for their
# own compiler and options. The widest vectors have the largest frames. Usage: stack.sh SOURCE_DIR BUILD_DIR
set -u
command -v clang >/dev/null 2>&1 || { echo "stack: clang is not installed: skipped" && exit 0; }
case $(uname -m) in
x86_64 | amd64) levels="x86-64 x86-64-v4" ;;
*) levels=native ;;
esac
limit=$(sed -n 's/^set(WEFT_FRAME_BYTES \([0-9]*\))$/\1/p' "$1/cmake/library.cmake")
[ -n "$limit" ] || { echo "stack: cmake/library.cmake does not set WEFT_FRAME_BYTES" && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# frames LIMIT FILE...: compiles the files for each level; prints the frames that are larger, and errors.
frames() {
    bytes=$1
    shift
    for level in $levels; do
        for file in "$@"; do echo "$level $file"; done
    done | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 2 sh -c '
        clang -std=c17 -D_GNU_SOURCE -O2 -fPIC -ffp-contract=off -fno-math-errno -fno-trapping-math -march="$2" \
            -DWEFT_LEVEL=lint -I"$1/include" -I"$1/src" -Wframe-larger-than="$0" -c -o /dev/null "$3" 2>&1 |
            sed -n "s/.*\(stack frame size.*\) \[.*/stack: \1, $2/p; s/.*error: /stack: $2: &/p"' "$bytes" "$SOURCE" |
        sort -u
}
SOURCE=$1
frames 1024 "$1/src/cpu/kernels/fft.c" >"$work/probe"
grep -q 'stack frame size' "$work/probe" || { echo "stack: the probe detects nothing" && exit 1; }
frames "$limit" "$1"/src/cpu/kernels/*.c >"$work/found"
cat "$work/found"
[ ! -s "$work/found" ] && echo "stack: no frame of a kernel has more than $limit bytes"
