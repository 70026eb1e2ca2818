#!/bin/sh
# Checks that sources use the field's standard terms: words that were replaced (CONTRIBUTING.md) must not
# return to identifiers, comments or messages.
# Usage: vocabulary.sh SOURCE_DIR
set -u
cd "$1" || exit 1
failed=0
list() {
    find "$@" -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cc' -o -name '*.hpp' -o -name '*.cpp' \
        -o -name '*.def' -o -name '*.f90' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \) |
        grep -v '^tests/lint/vocabulary.sh$'
}

# forbid PATTERN REPLACEMENT FILES...: prints the lines of the files that contain the words. In identifiers, words are
# separated by underscores.
forbid() {
    pattern=$1
    instead=$2
    shift 2
    found=$(grep -nE "(^|[^A-Za-z])($pattern)([^A-Za-z]|$)" "$@" | grep -vE 'left behind|in[ _]place|git-|https?://' || true)
    [ -z "$found" ] || { echo "vocabulary: instead of $pattern: $instead" && echo "$found" && failed=1; }
}

# shellcheck disable=SC2046
forbid 'rooms?|room_[a-z_]+' 'workspace, capacity' $(list include src cli verify ladder tests bench examples fortran cmake)
# shellcheck disable=SC2046
forbid 'slabs?' 'k-slice, range of planes' $(list include src cli verify ladder tests bench examples fortran cmake)
# shellcheck disable=SC2046
forbid 'brings?' 'copy_in, prefetch, load' $(list include src cli verify ladder tests bench examples fortran cmake)
# shellcheck disable=SC2046
forbid 'behind' 'after' $(list include src cli verify ladder tests bench examples fortran cmake)
# shellcheck disable=SC2046
forbid 'beside' 'next to, compared with' $(list include src cli verify ladder tests bench examples fortran cmake)
# shellcheck disable=SC2046
forbid 'likewise' 'the rule itself' $(list include src cli verify ladder tests bench examples fortran cmake)
# shellcheck disable=SC2046
forbid '(new|[a-z]+)_job' 'params' $(list src)
# shellcheck disable=SC2046
forbid 'pieces?' 'chunk, part' $(list src/core src/cpu src/cuda src/stream src/formula src/arith src/ref)
# shellcheck disable=SC2046
forbid 'oring|xoring|least_of|least_of_[a-z]+' 'or, xor, min' $(list src/cpu src/cuda src/core src/arith)
# shellcheck disable=SC2046
begun=$(list include src cli verify ladder tests bench examples cmake | xargs grep -nE '^ *(/\*|//) (Of|What|Whether|And|Likewise) ' || true)
[ -z "$begun" ] || { echo "vocabulary: a comment begins with a verb or a noun:" && echo "$begun" && failed=1; }
[ $failed = 0 ] && echo "vocabulary: in order"
exit $failed
