#!/bin/sh
# Checks that sources use the field's standard terms: words that were replaced (CONTRIBUTING.md) must not
# return to identifiers, comments, messages or file names.
# Usage: vocabulary.sh SOURCE_DIR
set -u
cd "$1" || exit 1
failed=0
list() {
    find "$@" -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cc' -o -name '*.hpp' -o -name '*.cpp' \
        -o -name '*.def' -o -name '*.f90' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt \) |
        grep -v '^tests/lint/vocabulary.sh$'
}
report() { # report TITLE LINES: prints the lines if there are any
    [ -z "$2" ] || { echo "vocabulary: $1" && echo "$2" && failed=1; }
}

# forbid PATTERN REPLACEMENT DIRECTORIES...: prints the lines and the names of the files that contain a word of the
# pattern in upper or lower case. In identifiers, words are separated by underscores. PERMITTED phrases are ignored.
PERMITTED='in[ _-]place|tak(es|ing) place|last place'
forbid() {
    word="(^|[^A-Za-z])($1)([^A-Za-z]|\$)"
    title="instead of $1: $2"
    shift 2
    # shellcheck disable=SC2046
    report "$title" "$(grep -niE "$word" $(list "$@") | sed -E "s/^([^:]*:[0-9]*:)/\1 /; s/($PERMITTED)//gI" |
        grep -iE ":[0-9]+:.*$word")"
    report "$title (file name)" "$(list "$@" | grep -iE "(^|[^A-Za-z])($word)[^/]*$")"
}

everywhere="include src cli verify ladder tests bench examples fortran cmake"
# shellcheck disable=SC2086
forbid 'rooms?|roomy' 'workspace, capacity' $everywhere
# shellcheck disable=SC2086
forbid 'slabs?' 'k-slice, range of planes' $everywhere
# shellcheck disable=SC2086
forbid 'brings?' 'copy_in, prefetch, load' $everywhere
# shellcheck disable=SC2086
forbid 'behind' 'after' $everywhere
# shellcheck disable=SC2086
forbid 'beside' 'next to, compared with' $everywhere
# shellcheck disable=SC2086
forbid 'likewise' 'the rule itself' $everywhere
# shellcheck disable=SC2086
forbid 'places?' 'position, offset, index, address' $everywhere
# shellcheck disable=SC2086
forbid 'nobody|somebody' 'the component' $everywhere
forbid 'job|[a-z]+_job' 'params' src cli/commands
forbid 'pieces?' 'chunk, part' src cli ladder examples
forbid 'oring|xoring|least_of|least_of_[a-z]+' 'or, xor, min' src
# shellcheck disable=SC2046,SC2086
report "a comment begins with a verb or a noun" \
    "$(grep -nE '(/\*|//|^ *[#!]) *(Of|What|Whether|And|Likewise) ' $(list $everywhere python))"
[ $failed = 0 ] && echo "vocabulary: in order"
exit $failed
