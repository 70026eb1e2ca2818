#!/bin/sh
# Checks for errors and warnings that only compilers other than the installed one report: names of GNU attributes that
# the executor's header redefines, which newer headers of libstdc++ use, and two language standards in one command,
# of which nvcc warns. Usage: compilers.sh SOURCE_DIR BUILD_DIR
set -u
failed=0
tell() { echo "compilers: $1" && failed=1; }

attributes='noinline|always_inline|noreturn|unused|aligned|section|const|pure|nothrow|constructor|visibility|packed'
if command -v g++ >/dev/null; then
    redefined=$(g++ -std=c++20 -dM -E -x c++ -include "$1/ladder/executor/cuda_runtime.h" /dev/null |
        grep -E "^#define __($attributes)__ ")
    [ -z "$redefined" ] || tell "ladder/executor/cuda_runtime.h redefines the name of a GNU attribute: $redefined"
fi

twice=$(awk '/"command": *"[^ ]*nvcc/ && gsub(/ -std=/, " -std=") > 1' "$2/compile_commands.json")
[ -z "$twice" ] || tell "commands with more than one -std:
$twice"

[ $failed = 0 ] && echo "compilers: in order"
exit $failed
