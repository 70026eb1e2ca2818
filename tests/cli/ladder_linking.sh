#!/bin/sh
# Calls a kernel library from a program that is built with gcc alone (ladder/linking.cu): as an object, as a static
# and as a shared library. Usage: ladder_linking.sh CC CXX TRANSLATE
. "$(dirname "$0")/check.sh"
cc=$1 cxx=$2 translate=$3
executor=$root/ladder/executor
linking=$root/ladder/linking
cd "$dir" || exit 1

# compiles FILE.cu NAME: compiles to NAME.o, as nvcc would. A squares.h in this directory takes precedence.
compiles() {
    "$translate" "$1" "$2.cc" &&
        "$cxx" -std=c++20 -fPIC -w -I"$linking" -I"$executor" -include cuda_runtime.h -c "$2.cc" || failed "$1"
}
# The executor replaces the CUDA runtime here.
mkdir executor && cd executor || exit 1
for part in "$executor"/*.cc; do
    "$cxx" -std=c++20 -fPIC -U_FORTIFY_SOURCE -I"$executor" -c "$part" || failed "the executor: $part"
done
ar rcs ../libexecutor.a ./*.o
cd ..
compiles "$linking/squares.cu" squares
"$cc" -std=c11 -pedantic -Wall -Wextra -Werror -I"$linking" -c "$linking/program.c" || failed "program.c"

# links WAY WHAT...: links program.o with these by gcc, and checks the program's output.
links() {
    way=$1
    shift
    "$cc" program.o -L. "$@" -o "with_$way" || failed "linking the $way"
    is "the $way: output" "0 1 4 9 2.25 16 " "$("./with_$way")"
    is "the $way: an error" "program: squares of 1125899906842624 numbers: out of memory" \
        "$("./with_$way" 1125899906842624 2>&1)"
}
runtime="-lexecutor -lstdc++ -lm -ldl"
# shellcheck disable=SC2086
links object squares.o $runtime
ar rcs libsquares_static.a squares.o
# shellcheck disable=SC2086
links static_library -lsquares_static $runtime
"$cxx" -shared squares.o -L. -lexecutor -ldl -o libsquares.so
links shared_library -lsquares -Wl,-rpath,"$dir"

# Without extern "C" the symbol does not exist.
sed 's/^extern "C" {$//; s/^}$//' "$linking/squares.h" >squares.h
compiles "$linking/squares.cu" mangled
# shellcheck disable=SC2086
"$cc" program.o -L. mangled.o $runtime -o with_mangled 2>stderr
checks=$((checks + 1))
grep -q "undefined reference to .squares'" stderr || failed "a C++ name that C finds" "$(cat stderr)"
finish
