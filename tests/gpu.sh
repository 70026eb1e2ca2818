#!/bin/sh
# Runs all tests of the CUDA backend on a machine with a GPU, and prints a short table at the end.
# Usage: gpu.sh BUILD_DIR [SECTION...], sections: agreement programs sanitizers mutants ladder bench (default: all)
# shellcheck disable=SC2317 # step calls the functions
set -u
build=$1
shift
sections=${*:-agreement programs sanitizers mutants ladder bench}
log=$build/gpu-test
table=$log/summary.txt
mkdir -p "$log"
: >"$table"

# step NAME COMMAND...: runs the command with its output in its own log file, and adds a line to the table.
step() {
    name=$1
    shift
    started=$(date +%s)
    if "$@" >"$log/$name.log" 2>&1; then verdict=ok; else
        verdict=FAILED
        tail -n 25 "$log/$name.log"
    fi
    printf '%-28s %-7s %5d s   %s\n' "$name" "$verdict" "$(($(date +%s) - started))" \
        "$(grep -v '^ *$' "$log/$name.log" | tail -n 1 | cut -c 1-90)" | tee -a "$table"
}

# With several host threads, racecheck reports "a failure to track a kernel launch" of its own as a hazard. It takes ten
# times as long as the others.
sanitizer() {
    every=40
    [ "$1" != racecheck ] || every=400
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/weft" --quiet --threads 1 verify --level tiny --every $every \
        --jobs 1 --device cuda
}

# The ladder makes calls that a device refuses, and checks the returned errors. So a refused call is not an error here.
# The rung thousand-launches of scan also counts the wrong launches of a kernel with a race, which racecheck skips.
ladder_sanitizer() {
    options=
    [ "$1" != memcheck ] || options="--report-api-errors no"
    [ "$1" != racecheck ] || options="--kernel-name-exclude kernel_substring=scan_with_one_barrier"
    # shellcheck disable=SC2086
    compute-sanitizer --tool "$1" $options --error-exitcode 9 "$build/weft" --device cuda ladder --all --n 5003
}

for section in $sections; do
    case $section in
    agreement)
        step verify "$build/weft" --quiet verify --level quick
        for op in map map_reduce map_scan; do # compiled at run time, 0.3 seconds each
            step "verify-compiled-$op" env WEFT_NVRTC=1 "$build/weft" --quiet --device cuda verify --level tiny --every 50 --op $op
        done
        ;;
    programs) step programs ctest --test-dir "$build" -L gpu --output-on-failure ;;
    sanitizers)
        for tool in memcheck racecheck synccheck initcheck; do step "$tool" sanitizer "$tool" & done
        wait
        ;;
    mutants) step mutants python3 tests/mutants/gpu.py "$build" ;;
    ladder)
        step ladder "$build/weft" --device cuda ladder --all
        step ladder-exercises "$build/weft" --device cuda ladder grade "$build/ladder/exercises/solutions"
        for tool in memcheck racecheck synccheck initcheck; do step "ladder-$tool" ladder_sanitizer "$tool" & done
        wait
        ;;
    bench)
        for program in "$build"/bench_gpu*; do
            name=$(basename "$program")
            step "$name" "$program"
            cat "$log/$name.log"
        done
        ;;
    *)
        echo "gpu.sh: invalid section '$section': expected one of agreement programs sanitizers mutants ladder bench" >&2
        exit 2
        ;;
    esac
done
echo
cat "$table"
! grep -q FAILED "$table"
