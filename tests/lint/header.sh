#!/bin/sh
# Checks that each public header compiles alone without a warning: weft.h, weft_generic.h and weft_dist.h as C17 and as
# C++, weft.hpp as C++17 and later. Usage: header.sh SOURCE_DIR
set -u
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
printf '#include "weft.h"\n#include "weft.h"\nint main(void) { return WEFT_OK; }\n' >"$work/user.c"
cp "$work/user.c" "$work/user.cc"
sed s/weft.h/weft_dist.h/ "$work/user.c" >"$work/dist.c"
cp "$work/dist.c" "$work/dist.cc"
sed s/weft.h/weft_generic.h/ "$work/user.c" >"$work/generic.c"
cp "$work/generic.c" "$work/generic.cc"

try() {
    command -v "$1" >/dev/null 2>&1 || { echo "header: $1 is not installed: skipped" && return; }
    "$@" -pedantic -Wall -Wextra -Wconversion -Wundef -Werror -I"$source/include" -fsyntax-only || failed=1
}
source=$1
try cc -std=c17 -Wstrict-prototypes "$work/user.c"
try clang -std=c17 -Wstrict-prototypes "$work/user.c"
try cc -std=c17 -Wstrict-prototypes "$work/dist.c"
try cc -std=c11 "$work/generic.c"
try clang -std=c17 "$work/generic.c"
try g++ -std=c++20 "$work/generic.cc"
try g++ -std=c++20 "$work/dist.cc"
try g++ -std=c++98 -Wno-long-long "$work/user.cc"
try g++ -std=c++20 "$work/user.cc"
try clang++ -std=c++17 "$work/user.cc"
try g++ -std=c++20 "$source/tests/cpp/wrappers.cc"
try clang++ -std=c++17 "$source/tests/cpp/wrappers.cc"
[ $failed = 0 ] && echo "headers: compile alone"
exit $failed
