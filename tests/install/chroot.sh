#!/bin/sh
# Installs the packages of `./x package` in a new Debian, uses their contents as a user would, and removes them. No
# file may be left. Requires root and a mirror of Debian. Usage: chroot.sh DIRECTORY_OF_PACKAGES [SUITE]
set -eu
packages=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/install/debian.sh"
suite=${2:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
[ "$(id -u)" = 0 ] || { echo "chroot.sh: must be run as root" >&2 && exit 1; }
ls "$packages"/*.deb >/dev/null || { echo "chroot.sh: no packages in $packages; make them with ./x package" >&2 && exit 1; }
work=$(mktemp -d)
name=packages-$suite.$$
root=$chroots/$name
trap 'rm -rf "$work" "${chroots:?}/$name" "${chroots:?}/$name.log"' EXIT INT TERM

quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2 && exit 1; }; }
# Lists all files and links, except the records of apt, dpkg and the linker.
everything() { (cd "$root" && find . -path ./proc -prune -o -path ./var -prune -o -path ./tmp -prune -o \
    -name 'ld.so.cache*' -prune -o \( -type f -o -type l \) -print | LC_ALL=C sort); }

echo "a new Debian $suite"
copy_of "$suite" "$name"
packages "$name" gcc g++ gfortran libc6-dev pkgconf cmake ninja-build libpng16-16 lintian
mkdir "$root/packages" "$root/trial"
cp "$packages"/*.deb "$root/packages"
cp -r "$source/examples" "$root/trial"
everything >"$work/before"

echo "lintian"
inside "$name" sh -c 'lintian --fail-on error --suppress-tags initial-upload-closes-no-bugs /packages/*.deb'

echo "installing: $(cd "$packages" && echo ./*.deb)"
quietly inside "$name" sh -c 'apt-get install -y --no-install-recommends /packages/*.deb'
everything | LC_ALL=C comm -13 "$work/before" - | sed 's/^/  /'

echo "one copy of each document, no run paths"
documents=$(cd "$root/usr/share/doc" && find -- *weft* -type f)
twice=$(echo "$documents" | sed 's,.*/,,' | sort | uniq -d)
[ -z "$twice" ] || { echo "chroot.sh: documents in more than one package: $twice" >&2 && exit 1; }
paths=$(inside "$name" sh -c 'for f in /usr/bin/weft $(find /usr/lib -name "libweft*.so*" -type f); do readelf -d $f; done' |
    grep -E 'RPATH|RUNPATH' || true)
[ -z "$paths" ] || { echo "chroot.sh: run paths: $paths" >&2 && exit 1; }

echo "using: the command, C by pkg-config and by CMake, C++, Fortran"
inside "$name" weft version
inside "$name" weft sum /usr/share/weft/co2.npy --bits
inside "$name" weft --quiet --device cpu verify --level tiny --op sum
inside "$name" weft --quiet --device cpu ladder reduce
cat >"$root/trial/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.22)
project(outside C)
find_package(weft REQUIRED)
add_executable(by_cmake examples/first.c)
target_link_libraries(by_cmake PRIVATE weft::weft)
TEXT
inside "$name" sh -euc 'cd /trial
    cc -std=c17 examples/first.c $(pkg-config --cflags --libs weft) -o by_pkgconfig && ./by_pkgconfig
    cmake -S . -B build -G Ninja >/dev/null && cmake --build build >/dev/null && build/by_cmake
    c++ -std=c++17 examples/cpp/quartiles.cc $(pkg-config --cflags --libs weft) -o quartiles
    echo 1 2 3 4 5 6 7 100 | ./quartiles
    gfortran examples/fortran/heat.f90 $(pkg-config --cflags --libs weft-fortran) -o heat && ./heat'

echo "removing"
quietly inside "$name" sh -c 'apt-get purge -y $(for p in /packages/*.deb; do dpkg-deb --field $p Package; done)'
if inside "$name" weft version 2>/dev/null; then echo "chroot.sh: the command still exists after the removal" >&2 && exit 1; fi
everything >"$work/after"
rm -rf "$root/trial" "$root/packages"
LC_ALL=C comm -3 "$work/before" "$work/after" | grep -vE '^[[:space:]]*\./(trial|packages)/' >"$work/left" || true
[ ! -s "$work/left" ] || { echo "chroot.sh: changed by installation and removal:" >&2 && cat "$work/left" >&2 && exit 1; }
echo "removed completely"
