#!/bin/sh
# Everything that guards the CUDA backend, on a machine with a GPU; a short table comes last.
# Usage: gpu.sh BUILD_DIR [SECTION...], sections: agreement programs sanitizers mutants ladder bench (default: all)
# shellcheck disable=SC2317 # functions are called through step
set -u
build=$1
shift
sections=${*:-agreement programs sanitizers mutants ladder bench}
log=$build/gpu-test
table=$log/summary.txt
mkdir -p "$log"
: >"$table"

# step NAME COMMAND...: runs it with its output in a log file of its own; one line in the table.
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

sanitizer() {
    compute-sanitizer --tool "$1" --error-exitcode 9 "$build/weft" --quiet verify --level tiny --every 40 --device cuda
}

# The ladder asks for what a device refuses, and looks at the answer: to be refused is no error here.
ladder_sanitizer() {
    refusals=
    [ "$1" != memcheck ] || refusals="--report-api-errors no"
    # shellcheck disable=SC2086
    compute-sanitizer --tool "$1" $refusals --error-exitcode 9 "$build/weft" --device cuda ladder --all --n 5003
}

# Faults that are put into the plugin one at a time and must make `weft verify` fail; tests/mutants/gpu.txt lists
# them as NAME|FILE|SED EXPRESSION. Plugins are built side by side.
build_mutant() {
    name=${1%%|*}
    rest=${1#*|}
    tree=$log/mutants/$name
    mkdir -p "$tree"
    cp -r CMakeLists.txt cmake include src cli tests bench docs completions examples fortran ladder "$tree"
    sed -i "${rest#*|}" "$tree/${rest%%|*}"
    cmp -s "${rest%%|*}" "$tree/${rest%%|*}" && echo "$name changes nothing" && return
    cmake -S "$tree" -B "$tree/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=native \
        -DBUILD_TESTING=OFF -DWEFT_PEERS=OFF >"$tree/log" 2>&1
    cmake --build "$tree/build" --target weft_cuda >>"$tree/log" 2>&1 || echo "$name does not compile"
}

build_mutants() {
    rm -rf "$log/mutants"
    grep -v '^#' tests/mutants/gpu.txt | {
        running=0
        while IFS= read -r line; do
            build_mutant "$line" &
            running=$((running + 1))
            [ $((running % 6)) -ne 0 ] || wait
        done
        wait
    }
    [ "$(find "$log/mutants" -name libweft_cuda.so | wc -l)" = "$(grep -vc '^#' tests/mutants/gpu.txt)" ]
}

# A fault of what compiled formulas are made of shows where all of them are compiled.
noticed() {
    plugin=$log/mutants/$1/build
    compiled=0
    case $1 in
    compiled-map-*) compiled=1 && set -- --op map --every 50 ;;
    compiled-*) compiled=1 && set -- --op map_reduce --every 50 ;;
    *) set -- ;;
    esac
    WEFT_NVRTC=$compiled WEFT_PLUGIN_DIR=$plugin "$build/weft" --quiet verify --level tiny --device cuda "$@"
    status=$?
    echo "verify exits with $status"
    [ "$status" = 1 ]
}

for section in $sections; do
    case $section in
    agreement)
        step verify "$build/weft" --quiet verify --level quick
        for op in map map_reduce map_scan; do # compiled at run time, a third of a second each
            step "verify-compiled-$op" env WEFT_NVRTC=1 "$build/weft" --quiet --device cuda verify --level tiny --every 50 --op $op
        done
        ;;
    programs) step programs ctest --test-dir "$build" -L gpu --output-on-failure ;;
    sanitizers)
        for tool in memcheck racecheck synccheck initcheck; do step "$tool" sanitizer "$tool" & done
        wait
        ;;
    mutants)
        step mutants-built build_mutants
        for tree in "$log"/mutants/*/; do step "mutant-$(basename "$tree")" noticed "$(basename "$tree")"; done
        ;;
    ladder)
        step ladder "$build/weft" --device cuda ladder --all
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
        echo "gpu.sh: there is no section '$section'" >&2
        exit 2
        ;;
    esac
done
echo
cat "$table"
! grep -q FAILED "$table"
