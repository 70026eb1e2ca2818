# shellcheck shell=sh
# Sourced by the tests of the command, whose first argument is the command: sets up $weft, $dir (an empty
# directory that goes away) and the checks below. A test ends with `finish`.
set -u
weft=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
checks=0
failures=0

# The CPU, unless a test says otherwise: these tests are about the command, not the devices.
w() { "$weft" --device cpu "$@"; }
npy() { python3 "$tests/npy.py" "$@" || exit 1; }

failed() {
    failures=$((failures + 1))
    printf 'FAILED '
    printf '%s\n' "$@"
}

# is WHAT EXPECTED GOT
is() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || failed "$1" "  expected: $2" "  got:      $3"
}

# prints EXPECTED ARGUMENT...: `weft ARGUMENT...` succeeds, prints that and nothing on stderr.
prints() {
    expected=$1
    shift
    got=$(w "$@" 2>"$dir/stderr")
    is "weft $*: exit code" 0 $?
    is "weft $*" "$expected" "$got"
    is "weft $*: stderr" "" "$(cat "$dir/stderr")"
}

# refuses CODE MESSAGE ARGUMENT...: it fails with the code, one line on stderr that contains the message,
# and nothing on stdout.
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
