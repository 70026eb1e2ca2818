#!/bin/sh
# Builds weft once with each fault of list.txt and expects the suite to fail. A fault that changes no
# line, does not compile, or goes unnoticed is an error.
# Usage: run.sh SOURCE_DIR [PART PARTS]: only every PARTS-th fault, beginning with the PART-th (from 0).
# After WEFT_MUTANTS_SECONDS (240) those that are left are counted and left out; where it begins in the list moves on
# from day to day.
set -eu
source=$1
part=${2:-0}
parts=${3:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
tree=$work/tree
build=$work/build

mkdir "$tree"
for entry in CMakeLists.txt cmake include src verify cli ladder tests bench docs examples; do
    cp -r "$source/$entry" "$tree/$entry"
done
cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Mutant "-DCMAKE_C_FLAGS=-O1 -w" -DWEFT_CUDA=OFF >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }

compile() { cmake --build "$build" --target weft_command -j 1 >"$work/log" 2>&1; }

# Exit code 1 is a disagreement; anything else above 0 is a crash, which is noticed just as well. A fault of either side
# is soon seen where the two differ; one that both would have is left to the golden hashes, which take longer.
agrees() {
    timeout 1500 "$build/weft" --quiet --device cpu verify --level tiny --first >"$work/log" 2>&1 &&
        "$build/weft" --quiet verify --golden "$tree/tests/golden" >"$work/log" 2>&1
}

# A fault is first looked for in the operation that its name has in the second place, if that is one.
soon_noticed() {
    code=0
    timeout 1500 "$build/weft" --quiet --device cpu verify --level tiny --first --op "$1" >"$work/log" 2>&1 || code=$?
    [ "$code" -ne 0 ] && [ "$code" -ne 2 ]
}

compile || { cat "$work/log" && exit 1; }
# That all of the suite passes without a fault is what the tests beside this one show; here some of it.
timeout 1500 "$build/weft" --quiet --device cpu verify --level tiny --every 20 >"$work/log" 2>&1 ||
    { cat "$work/log" && echo "the suite fails without any fault" && exit 1; }

grep -v -e '^#' -e '^$' "$source/tests/mutants/list.txt" >"$work/list"
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
    v4-*) grep -q avx512dq /proc/cpuinfo || continue ;; # code that only such machines run
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
    elif soon_noticed "$(echo "$name" | cut -d - -f 2)"; then
        echo "$name: noticed"
    elif agrees; then
        echo "$name: NOT noticed"
        failed=1
    else
        echo "$name: noticed"
    fi
    cp "$work/original" "$tree/$file"
done <"$work/turn"
echo "$tried faults tried, $left left for another day"
[ "$tried" -gt 0 ] || { echo "no fault was tried" && exit 1; }
exit $failed
