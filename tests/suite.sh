# The parts of `./x test`; x sources this file. It defines how parts are run and counted, which parts are deep, and
# which inputs each of them depends on.
# shellcheck shell=sh disable=SC2034,SC2154 # x sets or uses some of the variables

# ------------------------------------------------------------------------------ running and counting

# begin_tally: forgets the results of an earlier run.
begin_tally() {
    tally=$PWD/$build/tally
    rm -rf "$tally"
    mkdir -p "$tally"
    : >"$tally/counts"
    : >"$tally/left_out"
    : >"$tally/failures"
}

# count PASSED FAILED SKIPPED: adds to the numbers of tests.
count() { echo "$1 $2 $3" >>"$tally/counts"; }

# leave_out PART REASON: records a part that cannot run here. In CI this is a failure.
leave_out() { echo "$1: $2" >>"$tally/left_out"; }

# check NAME COMMAND...: runs one check and prints its output and its time. Sets check_passed to yes or no.
check() {
    check_name=$1
    shift
    say "$check_name"
    check_started=$(date +%s)
    check_passed=yes
    ("$@") || check_passed=no
    if [ $check_passed = yes ]; then count 1 0 0; else
        count 0 1 0
        echo "$check_name" >>"$tally/failures"
    fi
    say "$check_name: $(($(date +%s) - check_started)) s"
}

# run_ctest PRESET ARGUMENTS...: runs and counts the tests of one build.
run_ctest() {
    ctest_preset=$1
    shift
    ctest_results=$tally/ctest.xml
    rm -f "$ctest_results"
    ctest --preset "$ctest_preset" -j "$(cores)" --output-junit "$ctest_results" "$@" || true
    [ -e "$ctest_results" ] || {
        count 0 1 0
        echo "ctest of preset $ctest_preset" >>"$tally/failures"
        return 0
    }
    ctest_total=$(junit_count tests)
    [ "$ctest_total" -gt 0 ] || {
        count 0 1 0
        echo "ctest of preset $ctest_preset: no tests found" >>"$tally/failures"
    }
    ctest_failed=$(junit_count failures)
    ctest_skipped=$(($(junit_count skipped) + $(junit_count disabled)))
    count $((ctest_total - ctest_failed - ctest_skipped)) "$ctest_failed" "$ctest_skipped"
    sed -n 's/.*<testcase name="\([^"]*\)".*status="fail".*/\1/p' "$ctest_results" >>"$tally/failures"
}

# junit_count ATTRIBUTE: prints this attribute of the test suite in ctest's results.
junit_count() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$ctest_results" | head -n 1; }

# end_tally: prints the parts left out, the failures, and the totals. Fails if a test failed, and in CI (the variable CI
# is set) also if a part was left out.
end_tally() {
    [ ! -e "$build/left_out.txt" ] || sed 's/$/ (not built)/' "$build/left_out.txt" >>"$tally/left_out"
    if [ -s "$tally/left_out" ]; then
        say "left out:"
        sort -u "$tally/left_out" | sed 's/^/   /' >&2
    fi
    if [ -s "$tally/failures" ]; then
        say "failed:"
        sed 's/^/   /' "$tally/failures" >&2
    fi
    if [ -n "${CI:-}" ] && [ -s "$tally/left_out" ]; then
        say "error: in CI no part may be left out"
        count 0 1 0
    fi
    awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' \
        "$tally/counts"
}

# ------------------------------------------------------------------------------------- the deep parts

DEEP_PARTS="agreement ladder tidy memory threads undefined faults cuda generations netlib fuzz packages compilers"
DEEP_PARTS="$DEEP_PARTS machines site"

# deep_inputs PART: prints the files and directories on which the result of the part depends, as pathspecs of git.
deep_inputs() {
    echo ':!tests/verified.txt' ':!tests/machines/results.txt'
    builds="x CMakeLists.txt CMakePresets.json cmake"
    case $1 in
    agreement) echo "$builds" include src verify cli tests ;;
    ladder) echo "$builds" include ladder cli/ladder tests/cli ;;
    tidy) echo "$builds" .clang-tidy include src cli ;;
    memory | threads | undefined) echo "$builds" include src verify cli tests examples ;;
    faults) echo "$builds" include src verify cli tests ;;
    cuda) echo "$builds" include src tests/cuda bench ladder ;;
    generations) echo "$builds" include src tests/cuda ;;
    netlib) echo "$builds" include src tests/netlib ;;
    fuzz) echo "$builds" include src verify cli tests/fuzz ;;
    packages) echo "$builds" include src verify cli tests/install examples fortran ladder ;;
    compilers) echo "$builds" include src verify cli tests ladder examples ;;
    machines) echo "$builds" include src verify cli tests/machines tests/golden/digest.txt ;;
    site) echo x docs site README.md CHANGELOG.md CONTRIBUTING.md include examples ladder bench/results ;;
    esac
}

# deep_stamp PART: prints a hash of the part's inputs, which must be committed.
deep_stamp() {
    # shellcheck disable=SC2046
    git ls-files --stage -- $(deep_inputs "$1") | sha256sum | cut -c 1-16
}
