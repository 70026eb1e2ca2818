#!/bin/sh
# Runs one program of examples/ on small data and looks at what it says. Usage: run.sh NAME DIRECTORY_OF_PROGRAMS
set -eu
name=$1
programs=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
export ASAN_OPTIONS=detect_leaks=0 # a program that gives up leaves its memory to the system

# says TEXT: the program's output is TEXT, line by line.
says() {
    printf '%s\n' "$1" >"$work/wanted"
    diff "$work/wanted" "$work/said" || { echo "$name: wanted (<) and said (>) differ" && exit 1; }
}
# run ARGUMENTS...: what the program prints goes to $work/said.
run() { "$programs/example_$name" "$@" >"$work/said"; }
# refuses ARGUMENTS...: the program fails, and says why in one line.
refuses() {
    if "$programs/example_$name" "$@" >/dev/null 2>"$work/errors" </dev/null; then echo "$name $*: no error" && exit 1; fi
    [ "$(wc -l <"$work/errors")" = 1 ] || { cat "$work/errors" && exit 1; }
}

case $name in
mean)
    run 1000003
    tail -n 1 "$work/said" >"$work/last" && mv "$work/last" "$work/said"
    says "weft's bits are the same: yes"
    refuses 0
    ;;
moving_average)
    printf '%s\n' 1 2 3 4.5 -1 0.25 | run 3
    says "2
3.166666667
2.166666667
1.25"
    refuses 3
    ;;
smooth_signal)
    run
    says "50 values, 11 taps, transforms of 56 values
 0  0.00000 -> 0.24722
 7  0.18000 -> 0.54111
14  0.36000 -> 0.47111
21  0.54000 -> 0.42889
28  0.72000 -> 0.58111
35  0.90000 -> 0.53889
42  0.08000 -> 0.44111
49  0.26000 -> 0.23778
relative difference from the sums of products: less than 1e-6"
    ;;
kmers)
    printf '>one\nACGTACGT\nacg\n>two\nNNACGNTTTT\n' | run 3 3
    says "12 words of 3 letters, 5 different
ACG 4
CGT 2
GTA 2"
    printf 'AC\n' | run 32
    says "0 words of 32 letters, 0 different"
    refuses 33
    ;;
least_squares)
    printf '%s\n' '0 1' '1 0' '2 3' '3 10' '-1 6' | run 2
    says "5 points: +1 x^0 -3 x^1 +2 x^2"
    printf '%s\n' '0 1' '0 2' | run 0
    says "2 points: +1.5 x^0"
    refuses 2
    ;;
audio_filter)
    run "$work/before.wav" "$work/after.wav"
    says "  440 Hz: 0.400 before, 0.400 after
 9000 Hz: 0.400 before, 0.000 after"
    [ "$(wc -c <"$work/after.wav")" = 88244 ]
    refuses
    ;;
job_system)
    run 1000003
    says "-18.6235962 on the threads of weft
-18.6235962 on those of the program, in 4 tasks"
    refuses 0
    ;;
timeline)
    refuses "$work/none.svg" cpu 1000
    refuses "$work/none.svg" none
    refuses
    [ ! -e "$work/none.svg" ]
    ;;
sort_log)
    printf '%s\n' '2026-11-21T17:05:33 b' '  more of b' '2026-11-21 17:05:32 a' '2026-11-21T17:05:33 c' \
        '2025-12-31T23:59:59 first' | run
    says "2025-12-31T23:59:59 first
2026-11-21 17:05:32 a
2026-11-21T17:05:33 b
  more of b
2026-11-21T17:05:33 c"
    ;;
charge)
    run 10000 16
    says "10000 particles of total charge 3332, 16 x 16 cells of total charge 3332
The total charge is conserved: yes
The best device, 1 plain thread and 7 threads give the same bits: yes"
    refuses 0
    refuses 10 1
    ;;
messages)
    run 300 4000
    says "300 nodes, 4300 edges: 1189 of 2400 outputs are positive, the first node has 0 0.0241462 0 0.0225938 0.25184 0.289426 0.146075 0
The best device, 1 plain thread and 7 threads give the same bits: yes"
    run 1 0
    refuses 0
    ;;
heat_movie)
    run "$work" 3
    [ "$(cut -d';' -f1 "$work/said")" = "3 frames of 96 x 96" ]
    [ "$(find "$work" -name 'heat00[012].png' -size +0 | wc -l)" = 3 ]
    refuses
    refuses "$work/nowhere"
    ;;
equalise)
    "$programs/example_heat_movie" "$work" 2 >"$work/said"
    run "$work/heat001.png" "$work/even.png"
    says "96 x 96 pixels, greys 0 to 255 become 0 to 255"
    cmp -s "$work/heat001.png" "$work/even.png" && exit 1
    run "$work/even.png" "$work/twice.png"
    refuses "$work/none.png" "$work/even.png"
    ;;
heat)
    run
    sed 's/ on .*//' "$work/said" >"$work/line" && mv "$work/line" "$work/said" # whatever the device
    says "largest error after 200 steps:  2.0E-06, computed"
    ;;
quartiles)
    printf '%s\n' 1 2 3 4 5 6 7 100 | run
    says "8 numbers, mean 16, quartiles 3, 5, 7
far above: 100"
    refuses
    ;;
*) echo "run.sh: there is no example $name" && exit 2 ;;
esac
echo "$name: as wanted"
