#!/bin/sh
# Tests a GPU that is present but unusable: the command prints the reason and computes on the CPU. Usage:
# unusable_gpu.sh WEFT PLUGIN
. "$(dirname "$0")/check.sh"
mkdir "$dir/plugin"
cp "$2" "$dir/plugin/libweft_cuda.so"
export WEFT_PLUGIN_DIR="$dir/plugin"
npy "$dir/x.npy" '<f4' '(3,)' 1 2 4

# run GPU CALL...: runs weft without --device; the output is in $out and $err
run() {
    export WEFT_TEST_GPU="$1"
    shift
    out=$("$weft" "$@" 2>"$dir/stderr")
    status=$?
    err=$(cat "$dir/stderr")
}

# has WHAT TEXT WORDS: checks that TEXT contains WORDS
has() {
    checks=$((checks + 1))
    case $2 in
    *"$3"*) ;;
    *) failed "$1" "  expected: $3" "  got:      $2" ;;
    esac
}

for gpu in code driver; do
    [ $gpu = code ] && why="this build of weft contains no code for cuda:0 (sm_50)" ||
        why="the NVIDIA driver is too old: it supports CUDA 10.0"
    for device in "" "--device auto"; do
        # shellcheck disable=SC2086
        run $gpu $device sum "$dir/x.npy"
        is "$gpu: weft $device sum" "7 0" "$out $status"
        is "$gpu: weft $device sum: stderr" "weft sum: warning: $why; computing on the CPU" "$err"
    done
    run $gpu --quiet sum "$dir/x.npy"
    is "$gpu: weft --quiet sum" "7 " "$out $err"
    run $gpu --device cpu sum "$dir/x.npy"
    is "$gpu: weft --device cpu sum" "7 " "$out $err"
    run $gpu --device cuda sum "$dir/x.npy"
    is "$gpu: weft --device cuda sum" "1 weft sum: $why" "$status $err"
    run $gpu devices
    has "$gpu: weft devices" "$out" ": $why"
    is "$gpu: weft devices: exit status" 0 $status
    run $gpu tour --n 1000
    has "$gpu: weft tour" "$out" "$why"
    has "$gpu: weft tour" "$out" "not one bit differs"
    is "$gpu: weft tour: exit status" 0 $status
    run $gpu bench --size 10 --op sum
    is "$gpu: weft bench: stderr" "0 weft bench: warning: $why; computing on the CPU" "$status $err"
done
run code devices
has "code: weft devices" "$out" "The GPU cannot be used: "
run none sum "$dir/x.npy"
is "none: weft sum" "7 " "$out $err"
run none devices
has "none: weft devices" "$out" "No GPU: an NVIDIA driver is installed on this machine, but there is no GPU"
finish
