#!/bin/sh
# Builds the library and the command for other architectures with Debian's cross compilers, runs `weft verify
# --digest` there under qemu, and compares the hashes of the results with those of x86-64 in tests/golden/digest.txt.
# Prints a line for each architecture. An architecture whose compiler or emulator is not installed is left out.
# WEFT_MACHINES_OPERATIONS: names of the operations to compare (default: all, about an hour on one core).
# WEFT_MACHINES_BUILD: directory of the builds (default: a temporary one).
# WEFT_MACHINES_JOBS: processes that run at once (default: the number of cores).
# Usage: run.sh SOURCE_DIR [ARCHITECTURE...]
set -eu
source=$(cd "$1" && pwd)
shift
golden=$source/tests/golden/digest.txt
jobs=${WEFT_MACHINES_JOBS:-$(getconf _NPROCESSORS_ONLN)}
if [ -n "${WEFT_MACHINES_BUILD:-}" ]; then
    mkdir -p "$WEFT_MACHINES_BUILD"
    builds=$(cd "$WEFT_MACHINES_BUILD" && pwd)
else
    builds=$(mktemp -d)
    trap 'rm -rf "$builds"' EXIT INT TERM
fi

# Name, as CMake and qemu call it, and the prefix of the compiler. The sources require __int128, which 32-bit x86 lacks,
# and read elements as little endian, which s390x is not.
architectures='
aarch64 aarch64-linux-gnu
riscv64 riscv64-linux-gnu
ppc64le powerpc64le-linux-gnu
'
names=$(echo "$architectures" | awk '{ print $1 }')

# require WHAT NAME VALID...: stops if the name is not one of the valid ones.
require() {
    kind=$1 name=$2
    shift 2
    for valid in "$@"; do [ "$valid" != "$name" ] || return 0; done
    echo "run.sh: invalid $kind '$name': expected one of" "$@" >&2
    exit 2
}

# shellcheck disable=SC2086 # a list of names
[ $# -gt 0 ] || set -- $names
# shellcheck disable=SC2086
for name in "$@"; do require architecture "$name" $names; done
all_operations=$(sed -e 1d -e '/^(all)/d' -e 's/ .*//' "$golden")
operations=${WEFT_MACHINES_OPERATIONS:-$all_operations}
# shellcheck disable=SC2086
for name in $operations; do require operation "$name" $all_operations; done

# build ARCHITECTURE PREFIX: builds the library and the command in $builds/ARCHITECTURE.
build() {
    cmake -S "$source" -B "$builds/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
        -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_C_COMPILER="$2-gcc" \
        -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-$1;-L;/usr/$2" -DWEFT_WERROR=ON -DWEFT_CUDA=OFF &&
        cmake --build "$builds/$1" --parallel "$jobs"
}

# digest ARCHITECTURE PREFIX: prints the hashes of the operations, each computed by its own process.
digest() {
    # shellcheck disable=SC2086
    printf '%s\n' $operations | xargs -n 1 -P "$jobs" qemu-"$1" -L "/usr/$2" "$builds/$1/weft" \
        --quiet --device cpu verify --digest --op
}

# compare ARCHITECTURE COMPILER DIGESTS: prints the numbers of operations and cases whose hashes agree, and the
# operations that differ. Fails if there are any.
compare() {
    agreed=0 cases=0 different=
    for operation in $operations; do
        expected=$(grep "^$operation " "$golden")
        if grep -qxF "$expected" "$3"; then
            agreed=$((agreed + 1))
            cases=$((cases + $(echo "$expected" | awk '{ print $2 }')))
        else
            different="$different $operation"
        fi
    done
    emulator=$(qemu-"$1" --version | sed -n 's/^qemu-[^ ]* version \([^ ]*\).*/\1/p')
    echo "$1 ($2, qemu $emulator): $agreed operations, $cases cases agree${different:+; DIFFERENT:$different}"
    [ -z "$different" ]
}

status=0 compared=0
for name in "$@"; do
    prefix=$(echo "$architectures" | sed -n "s/^$name //p")
    log=$builds/$name.log found=$builds/$name.txt
    if ! command -v "$prefix-gcc" >/dev/null || ! command -v "qemu-$name" >/dev/null; then
        echo "$name: left out: $prefix-gcc or qemu-$name is not installed"
        continue
    fi
    compared=$((compared + 1))
    if ! build "$name" "$prefix" >"$log" 2>&1; then
        echo "$name: the build failed:"
        tail -n 40 "$log"
        status=1
        continue
    fi
    digest "$name" "$prefix" >"$found" 2>"$log" || { status=1 && tail -n 20 "$log"; }
    compare "$name" "GCC $("$prefix-gcc" -dumpfullversion)" "$found" || status=1
done
[ $compared -gt 0 ] || { echo "run.sh: nothing was compared" >&2 && exit 1; }
exit $status
