#!/bin/sh
# Builds the page for browsers with clang for WebAssembly, and tests it with node and, if it is installed, Chromium.
# Skipped, with a message and exit code 77, if clang for wasm32 or node is missing. Usage: run.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1 build=$2
clang=$(command -v clang-19 || command -v clang || echo clang)
if ! echo 'int main(void) { return 0; }' | "$clang" --target=wasm32-wasi --sysroot=/usr -x c - -o /dev/null 2>/dev/null; then
    echo "skipped: $clang, lld, wasi-libc or the runtime library for wasm32 is not installed (docs/guide/web.md)"
    exit 77
fi
for tool in node python3; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not installed" && exit 77; }
done
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || echo "Chromium is not installed: only the page's script is tested, with node"
if ! { cmake -S "$source" -B "$build/wasm" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWEFT_WERROR=ON -DWEFT_CUDA=OFF \
    -DCMAKE_TOOLCHAIN_FILE="$source/cmake/wasi.cmake" && cmake --build "$build/wasm"; } >"$build/wasm.log" 2>&1; then
    tail -n 40 "$build/wasm.log"
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
node "$source/tests/web/page.mjs" "$build/wasm/weft.html" "$build/weft" "$work" ${chromium:+"$chromium"}
