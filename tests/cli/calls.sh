#!/bin/sh
# Tests the command line: options and their order, help, wrong calls, an output that cannot be written.
. "$(dirname "$0")/check.sh"
x=$dir/x.npy
npy "$x" '<f4' '(3,)' 1 2 4

# global options before and after the command, in both spellings; w adds --device cpu at the front
prints "7 0x40e00000" --bits sum "$x"
prints "7 0x40e00000" sum --bits "$x"
prints "7 0x40e00000" sum "$x" --bits
prints 7 --device=ref --threads=2 sum "$x"
prints 7 sum --threads 2 "$x" --device ref --quiet
prints 7 sum -- "$x"
prints 7 -- sum "$x"
is "no --device" 7 "$("$weft" sum "$x")"
cp "$x" "$dir/--bits"
is "a file whose name is an option" 7 "$(cd "$dir" && w sum -- --bits)"
prints 1.5555556 variance --ddof=0 "$x"
prints 2.3333333 variance "$x" --ddof 1

# wrong calls
refuses 2 "weft: unknown command 'smu'; did you mean 'sum'?" smu "$x"
refuses 2 "did you mean 'count_nonzero'?" count_nonzeros "$x"
refuses 2 "did you mean 'devices'?" device
refuses 2 "unknown command 'frobnicate'; 'weft help' lists the commands" frobnicate
refuses 2 "unknown command ''" ""
refuses 2 "did you mean 'mean'?" help maen
refuses 2 "weft sum: 0 files given, 1 expected" sum
refuses 2 "weft sum: 2 files given, 1 expected" sum "$x" "$x"
refuses 2 "weft dot: 1 file given, 2 expected" dot "$x"
refuses 2 "only one of the two arrays can be read from standard input" dot - -
refuses 2 "weft sum: unknown option --frobnicate" sum "$x" --frobnicate
refuses 2 "weft: unknown option --frobnicate" --frobnicate sum "$x"
refuses 2 "weft sum: unknown option -x" sum "$x" -x
refuses 2 "weft sum: unknown option --ddof" sum "$x" --ddof 1
refuses 2 "weft tour: option --quick=1 does not accept an argument" tour --quick=1
refuses 2 "weft sum: --accumulate i64: expected f32, f64 or exact" sum "$x" --accumulate i64
refuses 2 "weft max: --accumulate exact: max of f32 cannot accumulate in exact: only sum, mean, norm1, norm2, variance and dot of f32 and f64 can" max "$x" --accumulate exact
refuses 2 "weft sum: option --accumulate requires an argument" sum "$x" --accumulate
refuses 2 "weft: option --threads requires an argument" sum "$x" --threads
refuses 2 "weft: option --device requires an argument" --device
for number in -1 4097 99999999999999999999 1.5 2x x "" " 1"; do
    refuses 2 "weft: --threads $number: expected an integer from 0 to 4096" sum "$x" --threads "$number"
done
refuses 2 "weft variance: --ddof -1: expected an integer from 0 to" variance "$x" --ddof -1
refuses 2 "weft: --device gpu: expected one of auto, cpu, cpu:base, cpu:v2 to cpu:v4, cpu:amx, cuda, cuda:N, ref" sum "$x" --device gpu
refuses 2 "weft: --device : expected one of auto" sum "$x" --device ""
for device in cpu:v5 cpu:v9 cpu: cpux cuda: cuda:x cuda:1x ref:1 auto:1 GPU "cpu "; do
    refuses 2 "weft: --device $device: expected one of auto" sum "$x" --device "$device"
done
# shellcheck disable=SC2013
for level in $(sed -n 's/^LEVEL(\([a-z0-9]*\),.*/\1/p' "$root/src/cpu/runtime/levels.def"); do # valid, even if not supported here
    w sum "$x" --device "cpu:$level" >/dev/null 2>&1
    is "--device cpu:$level is no wrong call" yes "$([ $? -lt 2 ] && echo yes)"
done
refuses 1 "weft sum: " sum "$x" --device cuda:77
refuses 2 "weft version: unexpected argument x" version x
refuses 2 "weft devices: unexpected argument x" devices x
refuses 2 "weft bench: --op frob: unknown operation" bench --op frob
refuses 2 "weft bench: --op : unknown operation" bench --op sum,
refuses 2 "weft bench: --size 0: expected an integer from 1 to" bench --size 0
refuses 2 "weft tour: --n 10: expected an integer from 1000 to" tour --n 10
refuses 2 "weft tour: --json: not supported by the tour" tour --json
refuses 1 "weft tour: $dir/missing.npy: cannot be opened" tour "$dir/missing.npy"
w >"$dir/stdout" 2>"$dir/stderr"
is "no command: exit code" 2 $?
is "no command: stdout" "" "$(cat "$dir/stdout")"

# --mpi without a loadable libweft_dist.so: an empty file hides any installed one
mkdir "$dir/no_dist"
: >"$dir/no_dist/libweft_dist.so.0"
for call in "sum $x" "variance $x" "dot $x $x" "scan $x -o $dir/y.npy" "sort $x -o $dir/y.npy" "price call" "bench --op sum"; do
    # shellcheck disable=SC2086
    LD_LIBRARY_PATH=$dir/no_dist w --mpi $call >"$dir/stdout" 2>"$dir/stderr"
    is "--mpi without MPI: $call: exit code" 1 $?
    is "--mpi without MPI: $call: lines on stderr" 1 "$(wc -l <"$dir/stderr" | tr -d ' ')"
    is "--mpi without MPI: $call" "weft ${call%% *}: --mpi: weft was built without MPI" "$(cut -d, -f1 "$dir/stderr")"
done

# help and version
prints "$(w help)" --help
prints "$(w help)" -h
for verb in $(w help --list); do
    prints "$(w help "$verb")" "$verb" --help
    case $(w help "$verb") in
    "Usage: weft $verb"*Example*"weft $verb"* | "Usage: weft version"* | "Usage: weft help "*) ;;
    *) failed "the help of $verb has no example" ;;
    esac
    case $(w help) in
    *"  $verb "*) ;;
    *) failed "$verb is not in 'weft help'" ;;
    esac
done
is "weft version" "weft" "$(w version | cut -d' ' -f1)"
prints "$(w version)" --version
number=$(sed -n 's/#define WEFT_VERSION_[A-Z]* //p' "$root/include/weft.h" | paste -sd.)
prints "weft $number, order version $order" version

# an output that cannot be written, and one that is closed
w sum "$x" >/dev/full 2>"$dir/stderr"
is "a full disk: exit code" 1 $?
is "a full disk" "weft sum: standard output: No space left on device" "$(cat "$dir/stderr")"
w sum "$x" >&- 2>"$dir/stderr"
is "a closed output: exit code" 1 $?
w help >/dev/full 2>"$dir/stderr"
is "help to a full disk: exit code" 1 $?

# a locale must not change the decimal point into a comma
for locale in C C.UTF-8 de_DE.UTF-8 $(locale -a 2>/dev/null | head -n 20); do
    is "locale $locale" 2.3333333 "$(LC_ALL=$locale w mean "$x")"
done
finish
