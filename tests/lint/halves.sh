#!/bin/sh
# Every function of weft.h with a parameter `weft_dtype dtype` and an array, or with a source, is called in
# tests/api/half_table.c with f16 and bf16, and docs/guide/halves.md lists those that take these types and those that do
# not. Usage: halves.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# Functions without a row: those of formulas, of which dtype is the type of the evaluation, and one that opens a source.
exceptions="weft_map weft_map_reduce weft_map_scan weft_map_views weft_map_reduce_axes weft_view_of weft_source_memory
weft_map_source weft_map_reduce_source weft_map_scan_source"

rows() { grep -oE "$1\(weft_[a-z_]+" "$source/tests/api/half_table.c" | sed 's/.*(//' | sort; }
# listed HEADING: names in the section of the page with this heading
listed() {
    sed -n "/^## $1\$/,/^## /p" "$source/docs/guide/halves.md" | grep -oE '`weft_[a-z_]+`' | tr -d '`' | sort
}

tr '\n' ' ' <"$source/include/weft.h" | grep -oE 'WEFT_API [^;]*;' >"$work/declared"
{
    grep 'weft_dtype dtype[,)]' "$work/declared" | grep -E 'void \*|weft_lines'
    grep 'const weft_source \*' "$work/declared"
} | grep -oE 'weft_[a-z_]+\(' | tr -d '(' | sort >"$work/functions"
for name in $exceptions; do sed -i "/^$name\$/d" "$work/functions"; done
rows TAKES >"$work/takes"
rows REFUSES >"$work/refuses"
sort "$work/takes" "$work/refuses" >"$work/rows"
failed=0
diff "$work/functions" "$work/rows" || { echo "halves: weft.h and tests/api/half_table.c differ" && failed=1; }
listed "Functions that take them" >"$work/page"
diff "$work/takes" "$work/page" || { echo "halves: the functions that take f16 differ from the page" && failed=1; }
listed "Functions that do not" >"$work/page"
diff "$work/refuses" "$work/page" || { echo "halves: the functions that refuse f16 differ from the page" && failed=1; }
[ $failed = 0 ] && echo "halves: $(wc -l <"$work/rows") functions are listed"
exit $failed
