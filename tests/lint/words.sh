#!/bin/sh
# Checks that the sources contain no TODO, that file names are unique, that each operation is documented, and that no
# file has more than 650 lines of 120 columns. A lesson of the ladder has at most 850 lines of 76 columns, which are fewer
# characters. Exceptions to the limit: the public header and the table of direction numbers.
# Usage: words.sh SOURCE_DIR
set -u
cd "$1" || exit 1
failed=0
tell() { echo "$1" && failed=1; }
sources=$(find include src verify cli ladder tests bench examples cmake x CMakeLists.txt -type f \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cc' -o -name '*.def' -o -name '*.cmake' -o -name '*.sh' \
    -o -name x -o -name CMakeLists.txt \) | grep -v '^tests/lint/words.sh$')

# shellcheck disable=SC2086
left=$(grep -nE '\b(TODO|FIXME|XXX|HACK)\b' $sources)
[ -z "$left" ] || tell "words: marks of unfinished work:
$left"

# File names are unique, except those of an operation, which each directory may contain once.
stems="tune tree extremes integers sums dot exact segmented laplace_solve elementary philox $(sed -nE 's/^(CALL|PRIMITIVE|VIEW|COMPOSED)\(([a-z0-9_]+)[,)].*/\2/p' src/core/ops.def verify/composed.def) reduce"
allowed=$(printf '%s\n' $stems | sed 's/.*/^&(_body)?\\.(c|h|cu|cuh)$/' | paste -sd '|')
twice=$(find include src verify cli tests bench examples -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cc' \) |
    sed 's,.*/,,' | sort | uniq -d | grep -vE "$allowed")
[ -z "$twice" ] || tell "words: file names that occur more than once: $twice"

drawers=$(find include src verify cli tests bench examples -type f | grep -E '/(utils?|misc|common|helpers?)\.[a-z]+$')
[ -z "$drawers" ] || tell "words: file names that do not state the contents: $drawers"

for file in $sources; do
    lines=$(wc -l <"$file")
    case $file in ladder/*/*) most=650 ;; ladder/*.cu) most=850 ;; *) most=650 ;; esac
    [ "$lines" -le $most ] || [ "$file" = include/weft.h ] || [ "$file" = src/core/sobol.def ] || tell "words: $file has $lines lines; expected at most $most"
done

for op in $(sed -n 's/^REDUCE([A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' src/core/ops.def); do
    grep -qw "$op" docs/ops/reduce.md || tell "words: docs/ops/reduce.md does not mention $op"
done
for stem in $(sed -nE 's/^(CALL|PRIMITIVE|VIEW)\(([a-z0-9_]+)[,)].*/\2/p' src/core/ops.def); do
    grep -qE "^# (.*[ ,])?$stem(,.*)?$" docs/*/*.md || tell "words: no page in docs/ has $stem in its title"
    [ -f "src/ref/$stem.c" ] || grep -qE "definition of .*weft_$stem\b" src/ref/*.c || tell "words: src/ref does not define $stem"
done
for function in $(tr '\n' ' ' <include/weft.h | grep -oE 'weft_status weft_[a-z0-9_]+\([^)]*weft_view[^)]*\)' |
    sed -E 's/^weft_status ([a-z0-9_]+).*/\1/'); do
    grep -qw "$function" verify/cases/*.c || tell "words: verify/cases has no case of views of $function"
done
grep -q "version $(sed -n 's/#define WEFT_ORDER_VERSION //p' include/weft.h)$" docs/spec/ORDER.md ||
    tell "words: the title of docs/spec/ORDER.md does not contain the order version of weft.h"
for file in tests/golden/*.txt; do
    grep -q "^order $(sed -n 's/#define WEFT_ORDER_VERSION //p' include/weft.h) " "$file" ||
        tell "words: $file does not have the order version of weft.h"
done
# Each fault is a sed expression, which must change its file. tests/mutants/run.sh runs only a sample of them daily, and
# those of the plugin need a GPU.
still=$(grep -v -e '^#' -e '^$' tests/mutants/list.txt | while IFS='|' read -r name file expression; do
    { [ -f "$file" ] && ! sed "$expression" "$file" | cmp -s - "$file"; } || echo "$name"
done)
[ -z "$still" ] || tell "words: faults whose expression does not change the file: $still"
[ $failed = 0 ] && echo "words: in order"
exit $failed
