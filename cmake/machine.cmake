# Refuses machines and options that the sources do not support, each in one sentence.
include(CheckCSourceCompiles)

if(CMAKE_SIZEOF_VOID_P LESS 8 AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  message(FATAL_ERROR "weft: 32-bit machines other than wasm32 are not supported: the sources require __int128 and "
    "addresses of 8 bytes, and the compiler has addresses of ${CMAKE_SIZEOF_VOID_P} bytes")
endif()

unset(WEFT_ROUNDS_EACH_OPERATION CACHE) # the flags of an earlier configuration may have been others
string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${WEFT_STRICT_FP}")
check_c_source_compiles("
#include <float.h>
#if FLT_EVAL_METHOD != 0
#error
#endif
int main(void) { return 0; }" WEFT_ROUNDS_EACH_OPERATION)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT WEFT_ROUNDS_EACH_OPERATION)
  message(FATAL_ERROR "weft: the compiler evaluates f32 or f64 in a wider type (FLT_EVAL_METHOD is not 0), which changes "
    "bits of results: remove options such as -mfpmath=387 from the C flags (${CMAKE_C_FLAGS})")
endif()
