#!/bin/sh
# libweft.so exports what the header declares, parts for libweft_dist.so (src/core/parts.h), and nothing else; and
# libweft_dist.so what its own header declares. Usage: symbols.sh SOURCE_DIR BUILD_DIR
set -u
command -v nm >/dev/null 2>&1 || { echo "symbols: nm is not installed: skipped" && exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
# The absolute symbol (A) is the name of the symbols' version.
nm -D --defined-only "$2/libweft.so" | grep -v '@WEFT_PARTS' | awk '$2 != "A" {print $NF}' | sed 's/@.*//' | sort -u >"$work/exported"
grep -E '^WEFT_API' "$1/include/weft.h" | grep -oE 'weft_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared"
failed=0
diff "$work/declared" "$work/exported" || { echo "symbols: declared (<) and exported (>) differ" && failed=1; }
[ -s "$work/exported" ] || { echo "symbols: nothing is exported" && failed=1; }
if [ -f "$2/libweft_dist.so" ]; then
    nm -D --defined-only "$2/libweft_dist.so" | awk '$2 != "A" {print $NF}' | sort -u >"$work/exported_dist"
    grep -E '^WEFT_API' "$1/include/weft_dist.h" | grep -oE 'weft_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/declared_dist"
    diff "$work/declared_dist" "$work/exported_dist" ||
        { echo "symbols: libweft_dist: declared (<) and exported (>) differ" && failed=1; }
fi
if [ -f "$2/libweft_cuda.so" ]; then
    plugin=$(nm -D --defined-only "$2/libweft_cuda.so" | awk '{print $NF}' | tr '\n' ' ')
    [ "$plugin" = "weft_backend_cuda " ] || { echo "symbols: the plugin exports $plugin" && failed=1; }
fi
[ $failed = 0 ] && echo "symbols: $(wc -l <"$work/exported"), each declared"
exit $failed
