#!/bin/sh
# Makes the Debian packages and the Python wheel for AArch64 with the cross compilers of a Debian, and uses them there
# under qemu. Requires root, a mirror of Debian and PyPI. Usage: arm64.sh DIRECTORY_OF_PACKAGES [SUITE]
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/install/debian.sh"
suite=${2:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
[ "$(id -u)" = 0 ] || { echo "arm64.sh: must be run as root" >&2 && exit 1; }
mkdir -p "$1"
packages=$(cd "$1" && pwd)
name=arm64-$suite
root=$chroots/$name
cross='-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc'
# here COMMAND...: runs the command inside, with its output in $root/log, which is shown if it fails.
here() {
    inside "$name" env build=/build/arm64 cross="$cross" "$@" >"$root/log" 2>&1 || { tail -n 30 "$root/log" >&2 && exit 1; }
}
# emulated COMMAND...: runs a program for AArch64 inside.
emulated() { inside "$name" env LD_LIBRARY_PATH=/build/wheel/pyweft PYTHONPATH=/build/wheel qemu-aarch64 "$@"; }

echo "a Debian $suite with cross compilers"
copy_of "$suite" "$name"
inside "$name" dpkg --add-architecture arm64
packages "$name" gcc-aarch64-linux-gnu g++-aarch64-linux-gnu gfortran-aarch64-linux-gnu libc6-dev \
    libc6-dev-arm64-cross libc6:arm64 libstdc++6:arm64 libgfortran5:arm64 libpng-dev:arm64 libpython3-dev:arm64 \
    qemu-user cmake ninja-build ccache dpkg-dev file pkgconf python3 python3-dev python3-venv

echo "the packages"
# shellcheck disable=SC2016
here sh -euc 'cmake -S /source -B $build -G Ninja $cross -DWEFT_WERROR=ON -DWEFT_CUDA=OFF -DWEFT_LADDER=AUTO \
        -DWEFT_FORTRAN=AUTO -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
        -DCMAKE_Fortran_COMPILER=aarch64-linux-gnu-gfortran -DCMAKE_INSTALL_PREFIX=/usr \
        -DCMAKE_INSTALL_LIBDIR=lib/aarch64-linux-gnu -DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64 \
        -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
        -DCPACK_DEBIAN_PACKAGE_ARCHITECTURE=arm64
    cmake --build $build
    cd $build
    rm -f ./*.deb
    DEB_HOST_ARCH=arm64 cpack --config CPackConfig.cmake'
rm -f "$packages"/*_arm64.deb
cp "$root"/build/arm64/*_arm64.deb "$packages"

echo "the wheel"
[ -x "$chroots/pip/bin/pip" ] || python3 -m venv "$chroots/pip"
python=$(inside "$name" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
fetch() {
    "$chroots/pip/bin/pip" download -q --only-binary=:all: --python-version "$python" -d "$root/build/files" "$@"
}
rm -rf "$root/build/files" "$root/build/wheel"
fetch 'scikit-build-core>=0.10' 'cffi>=1.15'
# shellcheck disable=SC2016
here sh -euc 'python3 -m venv --clear /build/python
    /build/python/bin/pip install -q --no-index --find-links /build/files scikit-build-core cffi
    for option in WEFT_BUILD=$build $(echo " $cross" | sed "s/ -D/ /g"); do
        set -- "$@" "--config-settings=cmake.define.$option"
    done
    rm -f $build/*.whl
    PATH=/build/python/bin:$PATH _PYTHON_HOST_PLATFORM=linux-aarch64 pip wheel --no-deps --no-build-isolation \
        -w $build "$@" /source' sh
rm -f "$packages"/*_aarch64.whl
cp "$root"/build/arm64/*_aarch64.whl "$packages"

echo "using the packages: the command, C, C++, Fortran"
# shellcheck disable=SC2016
here sh -euc 'apt-get install -y --no-install-recommends --reinstall $build/*_arm64.deb
    export PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig
    cd $build
    aarch64-linux-gnu-gcc -std=c17 /source/examples/first.c $(pkg-config --cflags --libs weft) -o first
    aarch64-linux-gnu-g++ -std=c++17 /source/examples/cpp/quartiles.cc $(pkg-config --cflags --libs weft) -o quartiles
    aarch64-linux-gnu-gfortran /source/examples/fortran/heat.f90 $(pkg-config --cflags --libs weft-fortran) -o heat'
emulated /usr/bin/weft version
emulated /usr/bin/weft --quiet --device cpu ladder reduce
for operation in sum sort scan; do
    expected=$(grep "^$operation " "$source/tests/golden/digest.txt")
    printed=$(emulated /usr/bin/weft --quiet --device cpu verify --digest --op $operation | grep "^$operation ")
    [ "$printed" = "$expected" ] || { echo "arm64.sh: expected '$expected', printed '$printed'" >&2 && exit 1; }
    echo "$printed"
done
emulated /build/arm64/first
echo 1 2 3 4 5 6 7 100 | emulated /build/arm64/quartiles
emulated /build/arm64/heat

echo "using the wheel"
fetch --platform manylinux2014_aarch64 --platform manylinux_2_27_aarch64 'numpy>=1.23' 'cffi>=1.15'
for file in "$root"/build/files/*aarch64*.whl "$packages"/*_aarch64.whl "$root"/build/files/pycparser*.whl; do
    python3 -m zipfile -e "$file" "$root/build/wheel"
done
# shellcheck disable=SC2016
here sh -euc 'cd /build && apt-get download "$1:arm64" && dpkg-deb -x "$1"_*_arm64.deb /build/python-arm64' sh \
    "python$python-minimal"
printed=$(emulated "/build/python-arm64/usr/bin/python$python" -c '
import numpy, platform, pyweft
print(platform.machine(), pyweft.sum(numpy.sqrt(numpy.arange(100003.0))).hex())')
echo "$printed"
expected='aarch64 0x1.41b2116f2748ap+24' # as on x86-64
[ "$printed" = "$expected" ] || { echo "arm64.sh: expected '$expected'" >&2 && exit 1; }
