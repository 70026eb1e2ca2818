#!/bin/sh
# The Python package on a machine with a GPU that reaches no package index: no wheel is built there.
#   python_gpu.sh tree BUILD [VERSION]   makes BUILD/python-tree: the package, its binding, and cffi (from PyPI) for
#                                        CPython VERSION (3.12). Needs pip, cffi, a C compiler and Python's headers
#   python_gpu.sh test BUILD [WORDS...]  puts BUILD's libweft.so, libweft_cuda.so and command, which may have been built
#                                        elsewhere, into it; then runs the tests of GPU arrays by pytest, which gets
#                                        WORDS, and times arrays of CuPy compared with CuPy
# PYTHON names the interpreter (python3).
set -eu
fail() { echo "python_gpu.sh: $1" >&2 && exit 2; }
verb=${1-}
[ -d "${2-}" ] || fail "usage: python_gpu.sh tree|test BUILD [...]"
build=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/.."
tree=$build/python-tree
python=${PYTHON:-python3}

# The binding keeps to the stable ABI, so that it serves any version from 3.9 on; cffi's own does not.
make_tree() {
    "$python" -c 'import cffi' || fail "$python has no cffi; pip install cffi"
    rm -rf "$tree"
    mkdir -p "$tree/pyweft"
    "$python" python/bindings.py include/weft.h "$tree/_native.c"
    cc -O2 -shared -fPIC -Iinclude "-I$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
        "$tree/_native.c" -o "$tree/pyweft/_native.abi3.so" "-L$build" -lweft -Wl,-rpath,"\$ORIGIN"
    "$python" -m pip install -q --disable-pip-version-check --target "$tree" --only-binary :all: \
        --implementation cp --python-version "${1:-3.12}" cffi
}

run_tests() {
    [ -f "$tree/pyweft/_native.abi3.so" ] || fail "there is no $tree; python_gpu.sh tree makes it"
    cp python/pyweft/*.py* "$tree/pyweft"
    cp "$build/libweft.so" "$tree/pyweft/$(readlink "$build/libweft.so")"
    cp "$build/libweft_cuda.so" "$tree/pyweft"
    cp "$build/weft" "$tree/pyweft/weft-command"
    export PYTHONPATH="$tree${PYTHONPATH:+:$PYTHONPATH}" WEFT_PYTHON_GPU=1
    "$python" -m pytest -q -rs -p no:cacheprovider python/tests/test_gpu_arrays.py "$@"
    "$python" python/bench/compare_cupy.py
}

case $verb in
tree) make_tree "$@" ;;
test) run_tests "$@" ;;
*) fail "there is no '$verb'" ;;
esac
