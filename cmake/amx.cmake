# The kernel of level "amx" (src/cpu/runtime/levels.c); the other kernels of this level are those of v4. Compilers that do
# not know the instructions leave it out.
include(CheckCSourceCompiles)
if(v4 IN_LIST WEFT_ALL_CPU_LEVELS AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(WEFT_FLAGS_amx ${WEFT_FLAGS_v4} -mamx-tile -mamx-int8)
  list(JOIN WEFT_FLAGS_amx " " CMAKE_REQUIRED_FLAGS)
  check_c_source_compiles("#include <immintrin.h>
    int main(void) { _tile_zero(0); _tile_dpbssd(0, 1, 2); _tile_release(); return 0; }" WEFT_COMPILES_AMX)
  unset(CMAKE_REQUIRED_FLAGS)
endif()

# weft_amx_kernel(NAME FLAGS DEFINITIONS): an object library.
function(weft_amx_kernel name flags)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/src/cpu/amx/matmul.c)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE ${ARGN})
  target_compile_options(${name} PRIVATE ${WEFT_NO_FP_SIDE_EFFECTS} ${flags})
endfunction()

if(WEFT_COMPILES_AMX AND v4 IN_LIST WEFT_CPU_LEVELS)
  weft_amx_kernel(weft_cpu_amx "${WEFT_FLAGS_amx}")
  target_sources(weft PRIVATE $<TARGET_OBJECTS:weft_cpu_amx>)
endif()
