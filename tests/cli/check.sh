# shellcheck shell=sh
# Sourced by the tests of the command, whose first argument is the command: sets up $weft, $dir (an empty directory that
# is removed at the end), $y (a file in it that does not exist) and the checks below. A test ends with `finish`.
set -u
weft=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../.." && pwd)
order=$(sed -n 's/#define WEFT_ORDER_VERSION //p' "$root/include/weft.h")
dir=$(mktemp -d) || exit 1
y=$dir/result.npy
trap 'rm -rf "$dir"' EXIT
checks=0
failures=0

# Use the CPU by default: these tests are about the command, not the devices.
w() { "$weft" --device cpu "$@"; }
npy() { python3 "$tests/npy.py" "$@" || exit 1; }

# values FILE: prints type, shape and values of a .npy file in one line, complex ones as two numbers, read without weft.
values() {
    python3 -c 'import ast, struct, sys
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x93NUMPY\1\0", data[:8]
end = 10 + int.from_bytes(data[8:10], "little")
assert end % 64 == 0 and data[end - 1] == 10, end
header = ast.literal_eval(data[10:end].decode())
assert list(header) == ["descr", "fortran_order", "shape"] and not header["fortran_order"], header
letter = dict(i1="b", i2="h", i4="i", i8="q", u1="B", u2="H", u4="I", u8="Q", f2="e", f4="f", f8="d", V2="H", c8="2f", c16="2d")[header["descr"][1:]]
count = 1
for dimension in header["shape"]: count *= dimension
print(header["descr"], header["shape"], *(part for v in struct.iter_unpack("<" + letter, data[end:]) for part in v))
assert len(data) == end + count * struct.calcsize(letter), len(data)' "$1"
}

failed() {
    failures=$((failures + 1))
    printf 'FAILED '
    printf '%s\n' "$@"
}

# is WHAT EXPECTED GOT: checks that GOT equals EXPECTED.
is() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || failed "$1" "  expected: $2" "  got:      $3"
}

# prints EXPECTED ARGUMENT...: checks that `weft ARGUMENT...` succeeds, prints EXPECTED, and nothing on stderr.
prints() {
    expected=$1
    shift
    got=$(w "$@" 2>"$dir/stderr")
    is "weft $*: exit code" 0 $?
    is "weft $*" "$expected" "$got"
    is "weft $*: stderr" "" "$(cat "$dir/stderr")"
}

# gives EXPECTED COMMAND ARGUMENT...: checks that `weft COMMAND ARGUMENT... -o $y` prints nothing and writes the array
# EXPECTED (as printed by `values`), and that -o - writes the same bytes to standard output.
gives() {
    expected=$1
    shift
    rm -f "$y"
    got=$(w "$@" -o "$y" 2>&1)
    is "weft $*: exit code" 0 $?
    is "weft $*: printed" "" "$got"
    is "weft $*" "$expected" "$(values "$y")"
    w "$@" -o - >"$dir/stdout"
    is "weft $* -o -" same "$(cmp -s "$y" "$dir/stdout" && echo same)"
}

# refuses CODE MESSAGE ARGUMENT...: checks that it fails with the code, with one line on stderr that contains the
# message, and with nothing on stdout.
refuses() {
    code=$1 message=$2
    shift 2
    got=$(w "$@" 2>"$dir/stderr")
    is "weft $*: exit code" "$code" $?
    is "weft $*: stdout" "" "$got"
    is "weft $*: lines on stderr" 1 "$(wc -l <"$dir/stderr" | tr -d ' ')"
    checks=$((checks + 1))
    case $(cat "$dir/stderr") in
    *"$message"*) ;;
    *) failed "weft $*: message" "  expected: $message" "  got:      $(cat "$dir/stderr")" ;;
    esac
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
    exit
}
