#!/bin/sh
# No MMX register occurs in the libraries: MMX registers are those of x87, so code that writes one without emms
# turns the caller's long double into NaN. Usage: registers.sh SOURCE_DIR BUILD_DIR
set -u
case $(uname -m) in
x86_64 | amd64) ;;
*) echo "registers: this machine has no MMX: skipped" && exit 0 ;;
esac
command -v objdump >/dev/null 2>&1 || { echo "registers: objdump is not installed: skipped" && exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
failed=0
for file in "$2/libweft.so" "$2/libweft_dist.so"; do
    [ -f "$file" ] || continue
    objdump -d --no-show-raw-insn "$file" >"$work/code" || exit 1
    grep -q '%xmm0' "$work/code" || { echo "registers: $(basename "$file"): no %xmm0: the probe detects nothing" && failed=1; }
    awk -v file="$(basename "$file")" '
        /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name) }
        /%mm[0-7]/ && !(name in seen) { seen[name] = 1; print "registers: " file ": MMX in " name }
        END { for (name in seen) exit 1 }' "$work/code" || failed=1
done
[ $failed = 0 ] && echo "registers: no MMX"
exit $failed
