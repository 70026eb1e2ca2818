#!/bin/sh
# weft_generic.h: every function of weft.h with a parameter `weft_dtype dtype` and an array has a macro; every macro
# compiles with the right type tag, and not with a wrong one; the examples compile with it. Usage: generic.sh SOURCE_DIR
set -eu
source=$1
header=$source/include/weft_generic.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# Functions without a macro: those of formulas, of which dtype is the type of the evaluation, and those of sources.
exceptions="weft_map_reduce weft_map_scan weft_map_reduce_source weft_map_scan_source weft_source_memory"

# Names of the functions of weft.h with a parameter `weft_dtype dtype` and a pointer to void.
typed_functions() {
    tr '\n' ' ' <"$source/include/weft.h" | grep -oE 'WEFT_API [^;]*;' | grep 'weft_dtype dtype[,)]' | grep 'void \*' |
        grep -oE 'weft_[a-z_]+\(' | tr -d '('
}

# One line per macro of a function: its name and its parameters.
macros() {
    sed -n ':join; /\\$/{N; s/\\\n */ /; b join;}; s/^#define \(weft_[a-z_]*\)(\([^)]*\)) *(weft_.*/\1 \2/p' "$header"
}

# probe NAME PARAMETERS TAG: a call in which every checked array is of float.
probe() {
    cat <<TEXT
#include "weft_generic.h"
weft_status probe(weft_context *ctx, float *f, weft_lines lines);
weft_status probe(weft_context *ctx, float *f, weft_lines lines) {
    (void)ctx, (void)f, (void)lines;
    return $1($(echo "$2" | awk -v name="$1" -v tag="$3" -v checked=" $(sed -n ':join; /\\$/{N; s/\\\n */ /; b join;}
        s/^#define '"$1"'(.*) *('"$1"')\(.*\)/\1/p' "$header" | grep -o 'WEFT_TAG_[0-9]([^)]*)' | sed 's/.*(//; s/[,)]/ /g' |
        tr '\n' ' ') " '
        {
            count = split($0, parameter, / *, */)
            for (i = 1; i <= count; i++) {
                p = parameter[i]
                if (p == "ctx") given = "ctx"
                else if (p ~ /^(dtype|key_dtype|index)$/) given = tag
                else if (index(checked, " " p " ")) given = "f"
                else if (name ~ /^weft_(tridiag|tridiag_pivot|block_tridiag|pentadiag)$/ && p ~ /^[abcdef]$/) given = "lines"
                else given = "0"
                printf "%s%s", (i > 1 ? ", " : ""), given
            }
        }'));
}
TEXT
}

count=0
macros >"$work/macros"
while read -r name parameters; do
    probe "$name" "$parameters" WEFT_F32 >"$work/right.c"
    probe "$name" "$parameters" WEFT_U64 >"$work/wrong.c"
    cc -std=c17 -pedantic -Wall -Wextra -Werror -I"$source/include" -c "$work/right.c" -o "$work/right.o" || {
        echo "generic: $name does not compile with the right tag" >&2
        exit 1
    }
    if cc -std=c17 -I"$source/include" -c "$work/wrong.c" -o "$work/wrong.o" 2>"$work/said" ||
        ! grep -q 'the type tag differs' "$work/said"; then
        echo "generic: $name compiles with a wrong tag, or fails for another reason:" >&2
        cat "$work/said" >&2
        exit 1
    fi
    count=$((count + 1))
done <"$work/macros"
# shellcheck disable=SC2086
{ cut -d ' ' -f 1 "$work/macros" && printf '%s\n' $exceptions; } | sort >"$work/expected"
typed_functions | sort | diff - "$work/expected" || {
    echo "generic: < is a typed function of weft.h without a macro or an exception, > a macro or an exception without one" >&2
    exit 1
}
for example in "$source"/examples/*.c; do
    ! grep -q '<mpi.h>' "$example" || continue
    cc -std=c17 -Wall -Wextra -Werror -I"$source/include" -include "$header" -c "$example" -o "$work/example.o"
done
echo "generic: $count macros check their type tags"
