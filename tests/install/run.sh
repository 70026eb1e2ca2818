#!/bin/sh
# Installs weft into a temporary prefix. Builds a program outside the tree with it twice: by pkg-config and by the CMake
# package. Usage: run.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp "$source/examples/first.c" "$source/examples/random_walk.c" "$work"
library=$(dirname "$(find "$work/prefix" -name libweft.so)")

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$library/pkgconfig" # the prefix differs from the configured one
    # shellcheck disable=SC2046
    cc -std=c17 "$work/first.c" $(pkg-config --cflags --libs weft) -o "$work/by_pkgconfig"
    "$work/by_pkgconfig" # its run path contains the library's directory
    if [ -e "$library/libweft_dist.so" ]; then
        # shellcheck disable=SC2046
        mpicc "$source/examples/random_walk.c" $(pkg-config --cflags --libs weft-dist) -o "$work/walk_by_pkgconfig"
        "$work/walk_by_pkgconfig" >/dev/null
    fi
else
    echo "pkg-config is not installed: its half of the test is left out"
fi

# The static library: a program that does not need libweft.so, and no global names but those of weft.
if [ -e "$library/libweft.a" ]; then
    cc -std=c17 -I"$work/prefix/include" "$work/first.c" "$library/libweft.a" -lpthread -ldl -lm -o "$work/by_archive"
    "$work/by_archive"
    if ldd "$work/by_archive" | grep weft; then echo "run.sh: the program needs libweft.so" >&2 && exit 1; fi
    other=$(nm -g --defined-only "$library/libweft.a" | awk 'NF == 3 && $3 !~ /^weft_/ { print $3 }')
    [ -z "$other" ] || { echo "run.sh: libweft.a defines" $other >&2 && exit 1; }
else
    echo "there is no libweft.a: its part of the test is left out"
fi

cat >"$work/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.22)
project(outside C)
find_package(weft 0.1 REQUIRED)
add_executable(by_cmake first.c)
target_link_libraries(by_cmake PRIVATE weft::weft)
if(TARGET weft::weft_static)
  add_executable(by_archive first.c)
  target_link_libraries(by_archive PRIVATE weft::weft_static)
endif()
if(TARGET weft::weft_dist)
  find_package(MPI REQUIRED COMPONENTS C)
  add_executable(walk_by_cmake random_walk.c)
  target_link_libraries(walk_by_cmake PRIVATE weft::weft_dist MPI::MPI_C)
endif()
TEXT
cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/by_cmake"
if [ -e "$library/libweft.a" ]; then "$work/build/by_archive"; fi
if [ -e "$library/libweft_dist.so" ]; then "$work/build/walk_by_cmake" >/dev/null; fi

"$work/prefix/bin/weft" version
if [ -e "$library/weft/libweft_ladder_executor.so" ]; then
    "$work/prefix/bin/weft" --quiet --device cpu ladder reduce --rung shuffles >/dev/null
fi
if [ -e "$library/weft/ladder_learner/libweft_ladder_learner.a" ]; then
    solution=$work/prefix/share/weft/ladder/solutions/vector_add/own.cu
    "$work/prefix/bin/weft" ladder new vector-add/own "$work/own.cu"
    "$work/prefix/bin/weft" --device cpu ladder try "$solution" | grep '^Right'
    ! "$work/prefix/bin/weft" --device cpu ladder try "$work/own.cu" >/dev/null
fi
