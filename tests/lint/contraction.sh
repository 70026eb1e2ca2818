#!/bin/sh
# Checks that the compilers fuse no multiplication and addition that is not written fma, and that no flag allows it.
# Usage: contraction.sh SOURCE_DIR BUILD_DIR
set -u
build=$2
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# ---- every compile command carries the flag, and none the opposite
commands=$build/compile_commands.json
sources=$(grep -c '"file": ".*/src/.*\.c"' "$commands")
strict=$(grep '"command":' "$commands" | grep -E ' -c [^ ]*/src/[^ ]*\.c"' | grep -c -e '-ffp-contract=off')
[ "$sources" -gt 0 ] && [ "$sources" = "$strict" ] || {
    echo "contraction: $strict of $sources C sources are compiled with -ffp-contract=off" && failed=1
}
loose='-Ofast|fast-math|-funsafe|-fassociative|-freciprocal|-ffinite-math|-fno-signed-zeros|-ffp-contract=(fast|on)|--use_fast_math|--fmad=true'
if grep '"command":' "$commands" | grep -v '/bench/' | grep -E -e "$loose"; then # a peer may do as it likes
    echo "contraction: a flag above loosens arithmetic" && failed=1
fi
if grep -q '\.cu"' "$commands"; then
    cuda=$(grep '"command":' "$commands" | grep '/src/cuda/' | grep -vc -e '--fmad=false')
    [ "$cuda" = 0 ] || { echo "contraction: $cuda CUDA sources are compiled without --fmad=false" && failed=1; }
fi

x87=
case $(uname -m) in
x86_64) march=-march=x86-64-v3 x87=-mfpmath=387 ;;
aarch64) march= ;;
*) march=none ;;
esac
fused='vfn?m(add|sub)|fn?m(add|sub|la|ls)[[:space:]]'
if ! command -v objdump >/dev/null 2>&1 || [ "$march" = none ]; then
    echo "contraction: no objdump for this machine: the check of the machine code is skipped"
    exit $failed
fi

# ---- a canary for each compiler: fused when allowed (so the probe can tell), not fused with our flag
cat >"$work/canary.c" <<'C'
float muladd(float a, float b, float c) { return a * b + c; }
void axpy(double *restrict y, const double *restrict x, double a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
C
for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || { echo "contraction: $compiler is not installed: skipped" && continue; }
    for mode in fast off; do
        # shellcheck disable=SC2086
        $compiler -std=c17 -O3 $march -ffp-contract=$mode -c "$work/canary.c" -o "$work/canary.o" || exit 1
        found=$(objdump -d "$work/canary.o" | grep -cE "$fused")
        case $mode in
        fast) [ "$found" -gt 0 ] || { echo "contraction: $compiler does not fuse even with fast contraction: the probe detects nothing" && failed=1; } ;;
        off) [ "$found" = 0 ] || { echo "contraction: $compiler fuses $found times against -ffp-contract=off" && failed=1; } ;;
        esac
    done
done

# ---- the sources refuse to compile with an option that loosens arithmetic
for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || continue
    options='-Ofast -ffast-math -ffinite-math-only'
    [ $compiler = clang ] || options="$options -funsafe-math-optimizations -freciprocal-math -fno-signed-zeros $x87"
    for option in -O2 $options; do
        expected=refused
        [ "$option" != -O2 ] || expected=compiled
        got=refused
        $compiler "$option" -fsyntax-only -D_GNU_SOURCE -I"$1/src" -I"$1/include" -x c "$1/src/core/fpmode.h" 2>/dev/null &&
            got=compiled
        [ $got = $expected ] || { echo "contraction: $compiler $option: expected $expected, got $got" && failed=1; }
    done
done

# ---- the configuration refuses them too, also those that Clang does not report to the sources
for option in -O2 -Ofast -ffast-math -funsafe-math-optimizations -fassociative-math -freciprocal-math -fno-signed-zeros \
    -fno-honor-nans -ffp-contract=fast $x87; do
    expected="changes bits of results"
    [ "$option" != -O2 ] || expected="Configuring done"
    cmake -S "$1" -B "$work/configured" -G Ninja -DCMAKE_C_FLAGS="$option" -DWEFT_CUDA=OFF >"$work/log" 2>&1 || true
    tr -s "\n " " " <"$work/log" | grep -q "$expected" ||
        { echo "contraction: CMAKE_C_FLAGS=$option: expected '$expected'" && failed=1; }
done

# ---- the library: fused multiply-adds only in functions whose order says fma, in sums of f64 (sum_..._in_f64,
# magnitudes), which compute x + y as fma(x, 1, y), with the same bits, and in conversions of u32 to f32 (load_box_f32),
# for which compilers compute h * 65536 + l, where the product is exact
objdump -d --no-show-raw-insn "$build/libweft.so" | awk -v fused="$fused" '
    /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name) }
    $0 ~ fused { count[name]++ }
    END { for (name in count) print name, count[name] }' >"$work/fused"
[ -s "$work/fused" ] || { echo "contraction: the library contains no fused multiply-add: the probe detects nothing" && failed=1; }
bad=$(grep -vE '^(dot|own_dots|wide_dots_f|matmul_(tile|exact_tile|gemv|finish)|ref_(matmul|exp|log|sin|cos|pow|erf|probit)|horner|exp_of|log_as_sum|power|near_angle|far_angle|sine|cosine|one_element|sum_parts|squares|deviations|differences|uniform|normal|lognormal|exponential|find_prices|find_geometric|paths_f|plain|rows|row_stages|columns|columns_back|product|split|combine_f(32|64)|direct|step_square|step_deviation|step_change|step_f32|step_f64|evaluate_(views_)?f|run_step_f|recurrence_|fma|reduce_line|tridiag|block_[a-z_]+_[234]_f|heat_side|(two|four|eight|many)_pairs|(slot_)?radix_[0-9a-z_]+_f|short_rows_[248]_f|finish_across_f|transforms_across_f|far_stages_f|transform_along_f|last_stages_f|slots_f|(next|final)_stages_[23]_f|single_(f|first_|radix_|large_f)|registers_[0-9]|buffer_(half|[0-9])|run_pass_f|remaining_sweeps_f|pair_sweeps?_f|groups_[0-9a-z]+_f|upper_(forward|inverse|undone)_f|sum_[a-z0-9]+_in_f64|magnitudes_|load_box_f32)' "$work/fused")
[ -z "$bad" ] || { echo "contraction: fused where the order does not say fma:" && echo "$bad" && failed=1; }
[ $failed = 0 ] && echo "contraction: none"
exit $failed
