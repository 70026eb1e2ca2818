#!/bin/sh
# Tests the files of rungs that `weft ladder new TOPIC/RUNG` writes: each compiles alone, and is right, or wrong if the
# rung is wrong on purpose. Usage: ladder_rung_files.sh WEFT EVERY [TOPIC]: one in EVERY rungs is tried.
. "$(dirname "$0")/check.sh"
every=$2
count=0
for topic in ${3:-$(w ladder | sed -n 's/^  \([a-z0-9-]*\) .* rungs; .*/\1/p')}; do
    stem=$(echo "$topic" | tr - _)
    kinds=$(sed -nE 's|^/\* (Rung\|Faulty rung) ([a-z0-9-]+): .*|\2/\1|p' "$root/ladder/$stem.cu" | tr ' ' _)
    for rung in $kinds; do
        count=$((count + 1))
        [ $((count % every)) -eq 0 ] || continue
        file=$dir/$stem.cu
        rm -f "$file"
        w ladder new "$topic/${rung%/*}" "$file" || failed "$topic/$rung: no file"
        verdict=$(w ladder try "$file" 2>&1 | grep -E '^(Right|WRONG|Not run)')
        checks=$((checks + 1))
        case $rung:$verdict in
        */Rung:Right.* | */Faulty_rung:"WRONG. n = "* | *:"Not run.") ;;
        *) failed "$topic/$rung: $verdict" "$(w ladder try "$file" 2>&1 | grep -E 'error|warning' | head -3)" ;;
        esac
    done
done
finish
