#!/bin/sh
# Builds weft once with each fault of list.txt, except those named cuda-..., and expects the suite, or a test of
# tests/api or tests/dist, to fail. A fault that changes no line, does not compile, or is not detected is an error.
# Usage: run.sh SOURCE_DIR [PART PARTS]: only every PARTS-th fault, beginning with the PART-th (from 0). PARTS programs
# may run at the same time; each builds on its part of the cores.
# After WEFT_MUTANTS_SECONDS (240) the remaining faults are counted but not tried. The start in the list changes from
# day to day.
set -eu
source=$1
part=${2:-0}
parts=${3:-1}
jobs=$((($(nproc) + parts - 1) / parts))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
export WEFT_THREAD_BYTES=4096 # as in CTest
tree=$work/tree
build=$work/build

mkdir "$tree"
for entry in CMakeLists.txt cmake include src verify cli ladder tests bench docs examples; do
    cp -r "$source/$entry" "$tree/$entry"
done
cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Mutant "-DCMAKE_C_FLAGS=-O1 -w" -DWEFT_CUDA=OFF -DWEFT_MPI=AUTO -DWEFT_TESTS=AUTO >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }

# Targets for faults of the kernel of AMX, which is emulated.
amx=
[ "$(uname -m)" != x86_64 ] || amx="weft_amx_emulated oracle_matmul_exact"

# Target for faults of libweft_dist, which is built if there is an MPI library.
dist=
if cmake --build "$build" --target help | grep -q '^dist_agreement: '; then dist=dist_agreement; fi

# Tests of tests/api that faults are tried with.
apis=$(sed -n 's/^api-\([a-z_]*\)-.*/\1/p' "$source/tests/mutants/list.txt" | sort -u)

# shellcheck disable=SC2046,SC2086
compile() { cmake --build "$build" --target weft_command $amx $dist $(printf 'api_%s ' $apis) -j "$jobs" >"$work/log" 2>&1; }

# Succeeds if the suite does not detect the fault. Exit code 1 is a disagreement, any other code above 0 a crash; both
# count as detected. The comparison quickly finds a fault in one backend. A fault in both is found only by the golden
# hashes, which take longer.
agrees() {
    timeout 1500 "$build/weft" --quiet --device cpu verify --level tiny --first >"$work/log" 2>&1 &&
        "$build/weft" --quiet verify --golden "$tree/tests/golden" >"$work/log" 2>&1
}

# soon_noticed OPERATION: succeeds if a comparison of this operation alone detects the fault. The operation is the second
# part of the fault's name. If it is not an operation (exit code 2), the function fails.
soon_noticed() {
    code=0
    timeout 1500 "$build/weft" --quiet --device cpu verify --level tiny --first --op "$1" >"$work/log" 2>&1 || code=$?
    [ "$code" -ne 2 ] || return 1
    [ "$code" -ne 0 ] ||
        ! "$build/weft" --quiet verify --golden "$tree/tests/golden" --op "$1" >"$work/log" 2>&1
}

# api_passes TEST: succeeds if tests/api/TEST.c passes on the CPU and on the specification.
api_passes() {
    timeout 300 "$build/tests/api_$1" cpu >"$work/log" 2>&1 &&
        timeout 300 "$build/tests/api_$1" ref >"$work/log" 2>&1
}

# amx_passes: succeeds if the oracle of exact products finds no error in the emulated kernel.
amx_passes() {
    LD_LIBRARY_PATH="$build/tests/amx_emulated" timeout 300 "$build/tests/oracle_matmul_exact" cpu:amx >"$work/log" 2>&1
}

# dist_passes: succeeds if the tests of libweft_dist pass on four threads. A fault may make a thread wait for the others.
dist_passes() { timeout 60 "$build/tests/dist_agreement" cpu 0 4 >"$work/log" 2>&1; }

# passes NAME: succeeds if no test detects the fault. Faults named api-TEST-... are those of tests/api/TEST.c, those named
# dist-... those of tests/dist, and the others those of the suite.
passes() {
    part_of_name=$(echo "$1" | cut -d - -f 2)
    case $1 in
    api-*) api_passes "$part_of_name" ;;
    amx-*) amx_passes ;;
    dist-*) dist_passes ;;
    *) ! soon_noticed "$part_of_name" && agrees ;;
    esac
}

compile || { cat "$work/log" && exit 1; }
# Checks that a sample of the suite passes without a fault. Other tests run all of it.
timeout 1500 "$build/weft" --quiet --device cpu verify --level tiny --every 20 >"$work/log" 2>&1 ||
    { cat "$work/log" && echo "the suite fails without a fault" && exit 1; }
for api in $apis; do
    api_passes "$api" || { cat "$work/log" && echo "api_$api fails without a fault" && exit 1; }
done

[ -z "$amx" ] || amx_passes || { cat "$work/log" && echo "the emulated kernel of AMX fails without a fault" && exit 1; }
[ -z "$dist" ] || dist_passes || { cat "$work/log" && echo "libweft_dist fails without a fault" && exit 1; }

grep -v -e '^#' -e '^$' -e '^cuda-' "$source/tests/mutants/list.txt" >"$work/list"
count=$(wc -l <"$work/list")
from=$(($(date +%s) / 86400 * 37 % count))
{ tail -n "+$((from + 1))" "$work/list" && head -n "$from" "$work/list"; } >"$work/turn"

started=$(date +%s)
failed=0
number=0
tried=0
left=0
while IFS='|' read -r name file expression; do
    number=$((number + 1))
    [ $(((number - 1) % parts)) -eq "$part" ] || continue
    if [ $(($(date +%s) - started)) -gt "${WEFT_MUTANTS_SECONDS:-240}" ]; then
        left=$((left + 1))
        continue
    fi
    case $name in
    amx-*) [ -n "$amx" ] || continue ;;
    dist-*) [ -n "$dist" ] || continue ;;
    v4-*) grep -q avx512dq /proc/cpuinfo || continue ;; # only CPUs with AVX-512 run this code
    esac
    tried=$((tried + 1))
    cp "$tree/$file" "$work/original"
    sed "$expression" "$work/original" >"$tree/$file"
    if cmp -s "$work/original" "$tree/$file"; then
        echo "$name: the expression changes nothing in $file"
        failed=1
    elif ! compile; then
        echo "$name: does not compile"
        cat "$work/log"
        failed=1
    elif passes "$name"; then
        echo "$name: NOT noticed"
        failed=1
    else
        echo "$name: noticed"
    fi
    cp "$work/original" "$tree/$file"
done <"$work/turn"
echo "$tried faults tried, $left not tried for lack of time"
[ "$tried" -gt 0 ] || { echo "no fault was tried" && exit 1; }
exit $failed
