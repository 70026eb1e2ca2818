#!/bin/sh
# Tests the exercises of the ladder: the solution is right and gets all points for traffic, the starting file is wrong
# but compiles, and so is each faulty solution. Usage: ladder_exercises.sh WEFT EXERCISES EVERY STEM[/NAME]
# EXERCISES is the directory that ladder/source.py has written. One in EVERY faults is tried. With a NAME, only this
# exercise is tried, and what is said about each fault is printed.
. "$(dirname "$0")/check.sh"
made=$2 every=$3 stem=${4%/*}
case $4 in */*) only=${4#*/} ;; *) only= ;; esac
count=0

# tries FILE: prints the line with the verdict.
tries() { w ladder try "$1" 2>&1 | grep -E '^(Right|WRONG|Not run)|^weft' | tail -1; }

# is_wrong WHAT FILE: checks that the file compiles and is found wrong, with the number of elements or with the line of a
# refused call.
is_wrong() {
    checks=$((checks + 1))
    verdict=$(tries "$2")
    case $verdict in
    "WRONG. n = "* | "WRONG. "*.cu:[0-9]*": "*) ;;
    *) failed "$1: expected a wrong result, not: $verdict" ;;
    esac
    [ -z "$only" ] || echo "$1: $verdict"
}

for start in "$made/$stem"/${only:-*}/start.cu; do
    folder=$(dirname "$start")
    name=$stem/$(basename "$folder")
    verdict=$(tries "$made/solutions/$name.cu")
    is "$name: the solution" "Right. Traffic: 10 of 10 points." \
        "$(echo "$verdict" | sed 's/ Hash of the results: [0-9a-f]\{16\}\.//')"
    is_wrong "$name: the starting file" "$start"
    for fault in "$folder"/faults/*.cu; do
        count=$((count + 1))
        [ $((count % every)) -eq 0 ] || continue
        is_wrong "$name: $(basename "$fault" .cu)" "$fault"
    done
done
finish
