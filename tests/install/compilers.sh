#!/bin/sh
# Builds weft with each supported compiler, with warnings as errors, in a Debian that has it. Compares the results of
# the library with the specification. Requires root and a mirror of Debian. WEFT_COMPILERS_OPTIONS: more options for
# CMake.
# Usage: compilers.sh [NAME...]
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/install/debian.sh"

# Name, suite, packages. "none" has neither a C++ compiler nor Python; "newest" is the highest version of the suite.
compilers='
gcc-11        bookworm gcc-11 g++-11 python3
gcc-12        bookworm gcc-12 g++-12 python3
gcc-13        trixie   gcc-13 g++-13 python3
gcc-14        trixie   gcc-14 g++-14 python3
gcc-newest    sid      gcc g++ python3
clang-14      bookworm clang-14
clang-15      bookworm clang-15
clang-16      bookworm clang-16
clang-17      trixie   clang-17
clang-19      trixie   clang-19
clang-newest  sid      clang
none-12       bookworm gcc
none-14       trixie   gcc
cuda-12       bookworm gcc-12 g++-12
cuda-13       trixie   gcc-14 g++-14
'
names=$(echo "$compilers" | awk '{ print $1 }')
for name in "$@"; do
    echo "$names" | grep -qxF -e "$name" || { echo "compilers.sh: invalid name '$name': expected one of" $names >&2 && exit 2; }
done
[ "$(id -u)" = 0 ] || { echo "compilers.sh: must be run as root" >&2 && exit 1; }

# prepare NAME SUITE PACKAGE...: makes $chroots/NAME with the packages that every build requires, and these packages.
prepare() {
    copy_of "$2" "$1" || return 1
    prepared=$1
    shift 2
    packages "$prepared" libc6-dev libpng-dev cmake ninja-build ccache "$@"
}

# options NAME: prints the options of CMake that select the compiler and the parts to build.
options() {
    case $1 in
    cuda-*) echo -DWEFT_CUDA=ON -DWEFT_GPU_LADDER=ON -DCMAKE_CUDA_COMPILER=/build/nvcc/bin/nvcc \
        -DCMAKE_CUDA_ARCHITECTURES=75-virtual ;;
    *) echo -DWEFT_CUDA=OFF -DWEFT_TESTS=AUTO -DWEFT_LADDER=AUTO -DWEFT_EXAMPLES=AUTO ;;
    esac
    case $1 in
    clang-newest) echo -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ ;;
    clang-*) echo "-DCMAKE_C_COMPILER=$1 -DCMAKE_CXX_COMPILER=clang++-${1#clang-}" ;;
    gcc-newest | none-*) ;;
    gcc-*) echo "-DCMAKE_C_COMPILER=$1 -DCMAKE_CXX_COMPILER=g++-${1#gcc-}" ;;
    cuda-12) echo -DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12 -DCMAKE_CUDA_HOST_COMPILER=g++-12 ;;
    cuda-13) echo -DCMAKE_C_COMPILER=gcc-14 -DCMAKE_CXX_COMPILER=g++-14 -DCMAKE_CUDA_HOST_COMPILER=g++-14 ;;
    esac
}

# try NAME ROOT OPTION...: builds and verifies with this compiler in $chroots/ROOT, with these options of CMake.
try() {
    tried=$1 try_root=$2
    shift 2
    # shellcheck disable=SC2016
    inside "$try_root" sh -euc 'build=/build/$1
        shift
        mkdir -p "$build"
        cmake -S /source -B "$build" -G Ninja -DWEFT_WERROR=ON -DCMAKE_C_COMPILER_LAUNCHER=ccache \
            -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
        cd "$build"
        case $build in */cuda-*) exec ninja libweft_cuda.so libweft_ladder_cuda.so ;; esac # requires a GPU to run
        ninja
        ./weft --quiet --device cpu verify --level tiny --every 10
        if [ -e libweft_ladder_executor.so ]; then ./weft --quiet --device cpu ladder reduce; fi
        if [ -e tests/emulated/libweft_cuda.so ]; then
            WEFT_PLUGIN_DIR=$PWD/tests/emulated ./weft --quiet --device cuda verify --jobs 1 --level tiny --every 40 --op sum
        fi' sh "$tried" "$@" >"$chroots/$tried.log" 2>&1
}

# unpack_wheels NAME WHEEL...: unpacks the wheels and their dependencies into /build/wheels of $chroots/NAME.
unpack_wheels() {
    unpacked=$chroots/$1/build
    shift
    [ -x "$chroots/pip/bin/pip" ] || python3 -m venv "$chroots/pip" || return 1
    rm -rf "$unpacked/files" "$unpacked/wheels"
    "$chroots/pip/bin/pip" download -q -d "$unpacked/files" "$@" || return 1
    for file in "$unpacked"/files/*.whl; do python3 -m zipfile -e "$file" "$unpacked/wheels" || return 1; done
}

# install_nvcc NAME cuda-12|cuda-13: installs a toolkit into /build/nvcc of $chroots/NAME. The wheels of CUDA 13 are
# complete. Those of CUDA 12 lack nvcc itself, which is in Debian 13's package; the glibc there is too new for its
# headers.
install_nvcc() {
    [ ! -x "$chroots/$1/build/nvcc/bin/nvcc" ] || return 0
    if [ "$2" = cuda-13 ]; then
        unpack_wheels "$1" nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-nvrtc || return 1
        find "$chroots/$1/build/wheels/nvidia/cu13" -path '*/bin/*' -type f -exec chmod +x {} +
        ln -sfn wheels/nvidia/cu13 "$chroots/$1/build/nvcc"
        return
    fi
    unpack_wheels "$1" nvidia-cuda-nvcc-cu12==12.4.131 nvidia-cuda-runtime-cu12==12.4.127 \
        nvidia-cuda-cccl-cu12==12.9.27 nvidia-cuda-nvrtc-cu12==12.4.127 || return 1
    # shellcheck disable=SC2016
    inside "$1" sh -euc 'wheels=/build/wheels/nvidia
        sed -n "1s/bookworm.*/trixie non-free/p" /etc/apt/sources.list >/etc/apt/sources.list.d/trixie.list
        apt-get update -q
        cd /build && apt-get download -q nvidia-cuda-toolkit/trixie
        rm /etc/apt/sources.list.d/trixie.list
        dpkg-deb -x nvidia-cuda-toolkit_*.deb /build/debian
        rm -rf nvcc.new
        mkdir -p nvcc.new/bin nvcc.new/lib64 nvcc.new/nvvm
        cd nvcc.new
        for part in debian/usr/bin debian/usr/lib/nvidia-cuda-toolkit/bin; do
            find "/build/$part" -maxdepth 1 -type f ! -name nvcc.profile ! -name gcc ! -name g++ -exec cp -t bin {} +
        done
        cp /build/debian/usr/lib/nvidia-cuda-toolkit/bin/nvcc bin/nvcc
        cp -r /build/debian/usr/lib/nvidia-cuda-toolkit/bin/crt bin/
        cp -r $wheels/*/include .
        cp -r $wheels/cuda_runtime/lib/. lib64
        cp -r $wheels/cuda_nvcc/nvvm/libdevice nvvm
        printf "%s\n" "TOP = \$(_HERE_)/.." "NVVMIR_LIBRARY_DIR = \$(TOP)/nvvm/libdevice" "PATH += \$(_HERE_):" \
            "INCLUDES += -I\$(TOP)/include \$(_SPACE_)" "LIBRARIES =+ \$(_SPACE_) -L\$(TOP)/lib64" >bin/nvcc.profile
        chmod +x bin/*
        # The wheel of the runtime contains only the shared library, which is linked in place of the static one.
        echo "INPUT(-l:libcudart.so.12)" >lib64/libcudart_static.a
        ar rc lib64/libcudadevrt.a
        mv /build/nvcc.new /build/nvcc' >"$chroots/$1.log" 2>&1
}

status=0
table=$(mktemp)
trap 'rm -f "$table"' EXIT INT TERM
# tell NAME VERDICT SECONDS: adds a row to the table.
tell() { printf '%-14s %-10s %6s s\n' "$@" | tee -a "$table"; }
for name in ${*:-$names}; do
    start=$(date +%s)
    line=$(echo "$compilers" | grep "^$name ")
    suite=$(echo "$line" | awk '{ print $2 }')
    wanted=$(echo "$line" | awk '{ $1 = $2 = ""; print }')
    case $name in none-*) root=$suite-bare ;; cuda-*) root=$suite-$name ;; *) root=$suite-compilers ;; esac
    # shellcheck disable=SC2046,SC2086
    if ! prepare "$root" "$suite" $wanted || { [ "$name" != "${name#cuda-}" ] && ! install_nvcc "$root" "$name"; }; then
        verdict="no chroot"
        status=1
    elif try "$name" "$root" $(options "$name") ${WEFT_COMPILERS_OPTIONS:-}; then
        verdict=ok
    else
        grep -E 'error|FAILED|Error|warning' "$chroots/$name.log" | head -n 20
        verdict=FAILED
        status=1
    fi
    tell "$name" "$verdict" $(($(date +%s) - start))
done
echo && cat "$table"
exit $status
