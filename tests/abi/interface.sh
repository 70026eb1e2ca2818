#!/bin/sh
# Checks that the interface of compiled programs has not changed: the declarations of weft.h, and the symbols, their version and
# the SONAME of libweft.so, are those of tests/abi/interface.txt. Usage: interface.sh SOURCE_DIR BUILD_DIR [--record]
set -eu
source=$1
library=$2/libweft.so
frozen=$source/tests/abi/interface.txt
for tool in nm readelf; do
    command -v $tool >/dev/null 2>&1 || { echo "interface: $tool is not here: left out" && exit 0; }
done
now=$(mktemp)
trap 'rm -f "$now"' EXIT INT TERM

# One line for each function, type, member of a struct and enumerator of the header.
declarations() {
    awk '
        { text = text " " $0 }
        /^#/ { text = substr(text, 1, length(text) - length($0) - 1) }
        END {
            while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//)) # comments
                text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
            gsub(/extern "C" \{/, "", text)
            gsub(/[ \t]+/, " ", text)
            while ((end = index(text, ";")) > 0) { # a declaration ends with ; and one with braces after them
                if (index(substr(text, 1, end), "{") > 0) {
                    end = index(text, "}")
                    end += index(substr(text, end), ";") - 1
                }
                declaration = substr(text, 1, end)
                text = substr(text, end + 1)
                sub(/^ /, "", declaration)
                if (index(declaration, "{") > 0) list(declaration)
                else print declaration
            }
        }
        function list(declaration, head, body, parts, n, i) {
            head = substr(declaration, 9, index(declaration, "{") - 10)
            body = substr(declaration, index(declaration, "{") + 1)
            sub(/\}.*/, "", body)
            n = split(body, parts, head ~ /^enum/ ? "," : ";")
            for (i = 1; i <= n; i++) {
                gsub(/^ | $/, "", parts[i])
                if (parts[i] != "") print head (head ~ /^struct/ ? " " i : "") ": " parts[i]
            }
        }' "$source/include/weft.h"
}

{
    readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/soname \1/p'
    nm -D --defined-only "$library" | grep -v '@WEFT_PARTS' | awk '$2 != "A" { sub(/@@/, " ", $3); print "symbol " $3 }'
    declarations | sed 's/^WEFT_API //'
} | LC_ALL=C sort >"$now"
if [ "${3:-}" = --record ]; then
    cp "$now" "$frozen"
    echo "interface: $(wc -l <"$frozen") lines written to tests/abi/interface.txt"
    exit 0
fi
if cmp -s "$frozen" "$now"; then
    echo "interface: its $(wc -l <"$now") lines are as recorded"
    exit 0
fi
diff "$frozen" "$now" || true
cat <<'TEXT'
interface: what programs are compiled against has changed: recorded (<), now (>).
  Lines only added: programs that were compiled before still run. Run `./x abi`, commit tests/abi/interface.txt with
  the change, and say in CHANGELOG.md what is new.
  Lines removed or changed: they do not. Take the change back; or, if it must be, raise the minor version (before 1.0;
  then the major version), SOVERSION in cmake/library.cmake and the version in cmake/weft.map, and then do the same.
TEXT
exit 1
