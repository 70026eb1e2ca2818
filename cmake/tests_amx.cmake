# Tests of the kernel of AMX (src/cpu/amx): libraries that differ from libweft in this kernel, which here has small blocks
# and computes products of all sizes. "emulated" runs on every x86-64 processor, with tile registers in plain C;
# "tiles" requires AMX.
if(NOT WEFT_FLAGS_v4 OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT TARGET weft_command)
  return()
endif()

# weft_amx_library(VARIANT LEVEL FLAGS DEFINITIONS...): the library, and test agreement_amx_VARIANT.
function(weft_amx_library variant level flags)
  set(directory ${CMAKE_BINARY_DIR}/tests/amx_${variant})
  weft_amx_kernel(weft_amx_kernel_${variant} "${flags}" WEFT_AMX_TEST=${level} ${ARGN})
  set(objects "$<FILTER:$<TARGET_OBJECTS:weft>,EXCLUDE,runtime/levels\\.c|cpu/amx/>")
  add_library(weft_amx_${variant} SHARED src/cpu/runtime/levels.c ${objects}
    $<TARGET_OBJECTS:weft_amx_kernel_${variant}>)
  foreach(compiled IN LISTS WEFT_CPU_LEVELS)
    target_sources(weft_amx_${variant} PRIVATE $<TARGET_OBJECTS:weft_cpu_${compiled}>)
  endforeach()
  target_compile_definitions(weft_amx_${variant} PRIVATE WEFT_AMX_TEST=${level} ${ARGN})
  target_include_directories(weft_amx_${variant} PRIVATE include src)
  target_link_libraries(weft_amx_${variant} PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  target_link_options(weft_amx_${variant} PRIVATE
    LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/weft.map)
  set_target_properties(weft_amx_${variant} PROPERTIES OUTPUT_NAME weft VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} LIBRARY_OUTPUT_DIRECTORY ${directory})
  weft_test(agreement_amx_${variant} agreement 300 weft_command --quiet --device cpu:amx verify --level tiny --op matmul)
  weft_test(oracle_amx_${variant} oracle 300 oracle_matmul_exact cpu:amx)
  set_tests_properties(agreement_amx_${variant} oracle_amx_${variant} PROPERTIES
    ENVIRONMENT "LD_LIBRARY_PATH=${directory}")
endfunction()

weft_amx_library(emulated base "${WEFT_FLAGS_base}" WEFT_EMULATED_AMX)
if(TARGET weft_cpu_amx)
  weft_amx_library(tiles v4 "${WEFT_FLAGS_amx}")
  set_tests_properties(agreement_amx_tiles oracle_amx_tiles PROPERTIES
    SKIP_REGULAR_EXPRESSION "does not support this instruction set")
endif()
