# Toolchain file for WebAssembly with WASI: cmake -DCMAKE_TOOLCHAIN_FILE=cmake/wasi.cmake (docs/guide/web.md).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(CMAKE_C_COMPILER NAMES clang-19 clang REQUIRED)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(WEFT_WASI_SYSROOT /usr CACHE PATH "Directory with include/wasm32-wasi and lib/wasm32-wasi of wasi-libc")
set(CMAKE_SYSROOT ${WEFT_WASI_SYSROOT})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_WASI_SYSROOT)
# src/wasi/include has the headers that wasi-libc lacks, with functions that fail. No thread can be created.
set(CMAKE_HAVE_LIBC_PTHREAD TRUE)
foreach(emulated SIGNAL PROCESS_CLOCKS GETPID)
  string(TOLOWER ${emulated} library)
  string(REPLACE _ - library ${library})
  string(APPEND CMAKE_C_FLAGS_INIT " -D_WASI_EMULATED_${emulated}")
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -lwasi-emulated-${library}")
endforeach()
string(APPEND CMAKE_C_FLAGS_INIT " -msimd128 -isystem ${CMAKE_CURRENT_LIST_DIR}/../src/wasi/include")
# A stack of 1 MiB, below all other data, so that an overflow is an error and does not change data.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,--stack-first -Wl,-z,stack-size=1048576")
set(CMAKE_EXECUTABLE_SUFFIX_C .wasm)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY) # no libraries of the build machine
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
