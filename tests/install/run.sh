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

cat >"$work/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.22)
project(outside C)
find_package(weft 0.1 REQUIRED)
add_executable(by_cmake first.c)
target_link_libraries(by_cmake PRIVATE weft::weft)
if(TARGET weft::weft_dist)
  find_package(MPI REQUIRED COMPONENTS C)
  add_executable(walk_by_cmake random_walk.c)
  target_link_libraries(walk_by_cmake PRIVATE weft::weft_dist MPI::MPI_C)
endif()
TEXT
cmake -S "$work" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/by_cmake"
if [ -e "$library/libweft_dist.so" ]; then "$work/build/walk_by_cmake" >/dev/null; fi

"$work/prefix/bin/weft" version
if [ -e "$library/weft/libweft_ladder_executor.so" ]; then
    "$work/prefix/bin/weft" --quiet --device cpu ladder reduce --rung shuffles >/dev/null
fi
