#!/bin/sh
# Runs each fuzzer over its stored inputs in tests/fuzz/corpus, and then for some seconds over new ones. An input that
# fails is left in BUILD_DIR; store it in the corpus together with the correction.
# Usage: run.sh SOURCE_DIR BUILD_DIR [SECONDS]
set -eu
corpus=$1/tests/fuzz/corpus
build=$2
seconds=${3:-60}
for fuzzer in "$build"/fuzz_*; do
    name=${fuzzer##*/fuzz_}
    mkdir -p "$build/found/$name"
    echo "fuzz: $name: the stored inputs, then new ones for $seconds s"
    "$fuzzer" -runs=0 -artifact_prefix="$build/$name-" "$corpus/$name" 2>"$build/$name.log" || { tail -n 40 "$build/$name.log" && exit 1; }
    "$fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=10 -artifact_prefix="$build/$name-" \
        "$build/found/$name" "$corpus/$name" 2>"$build/$name.log" || { tail -n 40 "$build/$name.log" && exit 1; }
    tail -n 1 "$build/$name.log"
done
