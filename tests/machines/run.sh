#!/bin/sh
# Builds the library and the command for other architectures with Debian's cross compilers, runs `weft verify
# --digest` there under qemu, and compares the hashes of the results with those in tests/golden/digest.txt. WebAssembly
# (wasm32) is compiled by clang and run by wasmtime (wasi.py). x86-64 is compiled by gcc and clang, with several options
# (x86_64-gcc-O0), and for each level of instruction sets (x86_64-gcc-v3). Prints a line for each. An architecture whose
# compiler or emulator is not installed is left out.
# WEFT_MACHINES_OPERATIONS: names of the operations to compare (default: all, several hours on one core).
# WEFT_MACHINES_BUILD: directory of the builds (default: a temporary one).
# WEFT_MACHINES_JOBS: processes that run at once (default: the number of cores).
# WEFT_MACHINES_RESULTS: file in which the operations that agree are recorded (tests/machines/results.txt), in place of
# their older lines. The sources must be committed. tests/machines/table.sh prints the table of the file.
# WEFT_MACHINES_PYTHON: the Python with the package wasmtime (default: python3).
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

python=${WEFT_MACHINES_PYTHON:-python3}

# Name, as CMake and qemu call it, and the prefix of the compiler or, for wasm32, its target; or the compiler of x86-64,
# and its options or the level of instruction sets. s390x is big-endian.
architectures='
aarch64 aarch64-linux-gnu
riscv64 riscv64-linux-gnu
ppc64le powerpc64le-linux-gnu
s390x s390x-linux-gnu
wasm32 wasm32-wasi
x86_64-gcc-base gcc
x86_64-gcc-v2 gcc
x86_64-gcc-v3 gcc
x86_64-gcc-v4 gcc
x86_64-gcc-O0 gcc
x86_64-gcc-O1 gcc
x86_64-gcc-O2 gcc
x86_64-gcc-lto gcc
x86_64-clang-O0 clang
x86_64-clang-O1 clang
x86_64-clang-O2 clang
x86_64-clang-O3 clang
x86_64-clang-lto clang
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

# missing ARCHITECTURE PREFIX: prints what is not installed.
missing() {
    if [ "$1" = wasm32 ]; then
        clang=$(command -v clang-19 || command -v clang || echo clang)
        if ! echo 'int main(void) { return 0; }' | "$clang" --target="$2" --sysroot=/usr -x c - -o /dev/null 2>/dev/null; then
            echo "$clang with lld, wasi-libc and its runtime library for wasm32"
        elif ! "$python" -c 'import wasmtime' 2>/dev/null; then
            echo "the package wasmtime of $python"
        fi
    elif [ "$1" != "${1#x86_64-}" ]; then
        if ! command -v "$2" >/dev/null || [ "$(uname -m)" != x86_64 ]; then echo "$2, on x86-64,"; fi
    elif ! command -v "$2-gcc" >/dev/null || ! command -v "qemu-$1" >/dev/null; then
        echo "$2-gcc or qemu-$1"
    fi
}

# variant NAME: prints the options of CMake for a variant of x86-64.
variant() {
    case ${1##*-} in
    O?) echo "-DWEFT_O_LEVEL=-${1##*-} -DWEFT_CPU_LEVELS=base;v3" ;;
    lto) echo "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DWEFT_CPU_LEVELS=base;v3" ;;
    base) echo "-DWEFT_CPU_LEVELS=base" ;;
    *) echo "-DWEFT_CPU_LEVELS=base;${1##*-}" ;;
    esac
}

# compiler ARCHITECTURE PREFIX, emulator ARCHITECTURE: print name and version, with a hyphen between.
compiler() {
    if [ "$1" = wasm32 ]; then
        sed -n 's/^set(CMAKE_C_COMPILER_VERSION "\(.*\)")/Clang-\1/p' "$builds/$1"/CMakeFiles/*/CMakeCCompiler.cmake
    elif [ "$2" = clang ]; then
        echo "Clang-$(clang -dumpversion)"
    elif [ "$2" = gcc ]; then
        echo "GCC-$(gcc -dumpfullversion)"
    else
        echo "GCC-$("$2-gcc" -dumpfullversion)"
    fi
}
emulator() {
    if [ "$1" != "${1#x86_64-}" ]; then
        echo hardware
    elif [ "$1" = wasm32 ]; then
        "$python" "$source/tests/machines/wasi.py" --version | tr ' ' -
    else
        qemu-"$1" --version | sed -n 's/^qemu-[^ ]* version \([^ ]*\).*/qemu-\1/p'
    fi
}

# build ARCHITECTURE PREFIX: builds the library and the command in $builds/ARCHITECTURE, and the script emulate there,
# which runs a program.
build() {
    mkdir -p "$builds/$1"
    if [ "$1" = wasm32 ]; then
        program=weft.wasm
        echo "exec '$python' '$source/tests/machines/wasi.py' \"\$@\"" >"$builds/$1/emulate"
        set -- "$1" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/wasi.cmake" -DWEFT_WERROR=ON
    elif [ "$1" != "${1#x86_64-}" ]; then
        program=weft
        echo 'exec "$@"' >"$builds/$1/emulate"
        # shellcheck disable=SC2046
        set -- "$1" -DCMAKE_C_COMPILER="$2" $(variant "$1")
    else
        program=weft
        echo "exec qemu-$1 -L /usr/$2 \"\$@\"" >"$builds/$1/emulate"
        set -- "$1" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_C_COMPILER="$2-gcc" -DWEFT_WERROR=ON
    fi
    name=$1
    shift
    cmake -S "$source" -B "$builds/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" \
        -DCMAKE_CROSSCOMPILING_EMULATOR="sh;$builds/$name/emulate" -DWEFT_CUDA=OFF &&
        cmake --build "$builds/$name" --parallel "$jobs"
}

# digest ARCHITECTURE: writes the hash of each operation, computed by its own process, and the CPU time of the process
# to $builds/ARCHITECTURE/digest/OPERATION. Those that an earlier run computed with the same build are kept.
digest() {
    mkdir -p "$builds/$1/digest"
    # shellcheck disable=SC2016,SC2086 # the inner shell has the parameters; a list of names
    printf '%s\n' $operations | xargs -n 1 -P "$jobs" sh -c '
        to=$1/digest/$3
        [ ! "$to" -nt "$2" ] || exit 0
        sh "$1/emulate" "$2" --quiet --device cpu verify --digest --op "$3" >"$to.new" || exit
        times >>"$to.new"
        mv "$to.new" "$to"' digest "$builds/$1" "$builds/$1/$program"
}

# record ARCHITECTURE COMPILER EMULATOR OPERATION CASES HASH: records an operation in $WEFT_MACHINES_RESULTS.
record() {
    seconds=$(awk 'END { split($1, t, /[ms]/); print int(60 * t[1] + t[2] + 0.5) }' "$builds/$1/digest/$4")
    older=$(grep -v "^$1 $4 " "$WEFT_MACHINES_RESULTS" 2>/dev/null || true)
    {
        [ -z "$older" ] || printf '%s\n' "$older"
        echo "$1 $4 $5 $(echo "$6" | cut -c 1-16) $seconds $2 $3 $commit $(date -u +%Y-%m-%d)"
    } | LC_ALL=C sort >"$WEFT_MACHINES_RESULTS.new"
    mv "$WEFT_MACHINES_RESULTS.new" "$WEFT_MACHINES_RESULTS"
}

# compare ARCHITECTURE COMPILER EMULATOR: prints the numbers of operations and cases whose hashes agree, and the operations that
# differ or were not computed. Fails if there are any.
compare() {
    agreed=0 cases=0 different='' absent=''
    for operation in $operations; do
        expected=$(grep "^$operation " "$golden")
        if [ ! -e "$builds/$1/digest/$operation" ]; then
            absent="$absent $operation"
        elif grep -qxF "$expected" "$builds/$1/digest/$operation"; then
            agreed=$((agreed + 1))
            cases=$((cases + $(echo "$expected" | awk '{ print $2 }')))
            # shellcheck disable=SC2046 # name, number of cases and hash
            [ -z "$commit" ] || record "$1" "$2" "$3" $(echo "$expected" | awk '{ print $1, $2, $4 }')
        else
            different="$different $operation"
        fi
    done
    echo "$1 ($(echo "$2, $3" | tr - ' ')): $agreed operations, $cases cases agree${different:+; DIFFERENT:$different}${absent:+; not computed:$absent}"
    [ -z "$different$absent" ]
}

commit=
if [ -n "${WEFT_MACHINES_RESULTS:-}" ]; then
    git -C "$source" diff --quiet HEAD -- CMakeLists.txt cmake include src verify cli tests/golden/digest.txt ||
        { echo "run.sh: the sources are not committed, which WEFT_MACHINES_RESULTS requires" >&2 && exit 2; }
    commit=$(git -C "$source" rev-parse --short=12 HEAD)
fi
status=0 compared=0
for name in "$@"; do
    prefix=$(echo "$architectures" | sed -n "s/^$name //p")
    log=$builds/$name.log
    absent=$(missing "$name" "$prefix")
    if [ -n "$absent" ]; then
        echo "$name: left out: $absent is not installed"
        continue
    fi
    compared=$((compared + 1))
    if ! build "$name" "$prefix" >"$log" 2>&1; then
        echo "$name: the build failed:"
        tail -n 40 "$log"
        status=1
        continue
    fi
    digest "$name" 2>"$log" || { status=1 && tail -n 20 "$log"; }
    compare "$name" "$(compiler "$name" "$prefix")" "$(emulator "$name")" || status=1
done
[ $compared -gt 0 ] || { echo "run.sh: nothing was compared" >&2 && exit 1; }
exit $status
