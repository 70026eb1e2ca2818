#!/bin/sh
# Tests faults of the library: a device whose bits differ, a device that fails, a file truncated while it is read.
# Usage: faults.sh WEFT SHIM, where SHIM is shim.c as a library.
. "$(dirname "$0")/check.sh"
shim=$2

# AddressSanitizer must be the first preloaded library unless this option disables the check.
export ASAN_OPTIONS="verify_asan_link_order=0:handle_sigbus=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

# faulty VARIABLE=VALUE ARGUMENT...: runs weft with the shim in that environment.
faulty() { env LD_PRELOAD="$shim" "$@" >"$dir/stdout" 2>"$dir/stderr"; }

faulty SHIM_FLIP=none "$weft" --device cpu tour --n 2000
is "a tour without a fault: exit code" 0 $?
faulty SHIM_FLIP=ref "$weft" --device cpu tour --n 2000
is "a tour with a wrong bit: exit code" 1 $?
is "a tour with a wrong bit: verdict" 1 "$(grep -Ec '^Verdict: [0-9]+ of [0-9]+ results DIFFER' "$dir/stdout")"
is "a tour with a wrong bit: the row of sum" 2 "$(grep -Ec '^ *sum .*NO$' "$dir/stdout")"
is "a tour with a wrong bit: the row of dot" 2 "$(grep -Ec '^ *dot .*yes$' "$dir/stdout")"
for device in cpu ref; do
    faulty SHIM_FLIP_SCAN=$device "$weft" --device cpu tour --n 2000
    is "a tour with a wrong bit in a scan on $device: exit code" 1 $?
    is "a tour with a wrong bit in a scan on $device: the row" 1 \
        "$(grep -Ec '^ *running sum, f32 .*NO' "$dir/stdout")"
done
faulty SHIM_FAIL=ref "$weft" --device cpu tour --n 2000
is "a tour with a device that fails: exit code" 1 $?
is "a tour with a device that fails: no verdict" 0 "$(grep -c Verdict "$dir/stdout")"
faulty SHIM_FAIL=cpu "$weft" --device cpu bench --size 100 --op sum --json
is "a bench with a device that fails: exit code" 1 $?
is "a bench with a device that fails: devices measured" 0 \
    "$(python3 -c 'import json, sys; print(len(json.load(sys.stdin)["devices"]))' <"$dir/stdout")"

npy "$dir/cut.npy" '<f4' '(100000,)' --append 400000
faulty "SHIM_CUT=$dir/cut.npy" "$weft" --device cpu sum "$dir/cut.npy"
is "a file cut short while it is read: exit code" 1 $?
is "a file cut short while it is read" "weft: a file in use was truncated or could not be read" \
    "$(cat "$dir/stderr")"
is "a file cut short while it is read: stdout" "" "$(cat "$dir/stdout")"
mkdir "$dir/out"
npy "$dir/cut.npy" '<f4' '(100000,)' --append 400000
faulty "SHIM_CUT=$dir/cut.npy" "$weft" --device cpu scan "$dir/cut.npy" -o "$dir/out/y.npy"
is "a scan of a file cut short: exit code" 1 $?
is "a scan of a file cut short" "weft: a file in use was truncated or could not be read" \
    "$(cat "$dir/stderr")"
is "a scan of a file cut short: what is left" "" "$(ls -A "$dir/out")"
finish
