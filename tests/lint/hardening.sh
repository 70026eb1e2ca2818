#!/bin/sh
# Checks that the installed files have a stack protector, a position-independent command, read-only relocations bound
# at the start, and no empty element in a run path (it means the current directory).
# Usage: hardening.sh SOURCE_DIR BUILD_DIR
set -u
command -v readelf >/dev/null 2>&1 || { echo "hardening: readelf is not installed: skipped" && exit 0; }
failed=0
fails() { echo "hardening: $*" && failed=1; }

# shows FILE READELF_OPTION EXTENDED_REGEX: readelf's output has a line like that.
shows() { LC_ALL=C readelf -W "$2" "$1" | grep -qE "$3"; }

for file in "$2/weft" "$2"/libweft*.so; do
    [ -f "$file" ] || continue
    name=$(basename "$file")
    shows "$file" -l '^ *GNU_RELRO' || fails "$name: no read-only relocations (-z relro)"
    shows "$file" -d 'BIND_NOW|FLAGS_1.*NOW' || fails "$name: bound lazily (-z now is missing)"
    shows "$file" -d 'R(UN)?PATH.*(\[:|::|:\])' && fails "$name: an empty element in its run path"
    # The plugin is built by nvcc; the executor of the ladder switches stacks.
    case $name in libweft_cuda.so | libweft_ladder_*) continue ;; esac
    shows "$file" --dyn-syms '__stack_chk_fail' || fails "$name: no stack protector"
done
shows "$2/weft" -h 'Type: *DYN' || fails "weft: not position-independent"
# musl has no such functions.
if shows "$2/weft" --dyn-syms '@GLIBC'; then
    shows "$2/weft" --dyn-syms '__[a-z]+_chk@' || fails "weft: no _FORTIFY_SOURCE"
fi
[ $failed = 0 ] && echo "hardening: the command and the libraries have it"
exit $failed
