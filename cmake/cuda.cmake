# libweft_cuda.so, the plugin with the CUDA backend. WEFT_CUDA=AUTO omits it if there is no nvcc.
if(NOT WEFT_CUDA)
  # The command would load the plugin of an earlier configuration.
  file(REMOVE ${CMAKE_BINARY_DIR}/libweft_cuda.so)
  return()
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  # The toolkit's default location is often not in PATH.
  find_program(WEFT_NVCC nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin)
  if(WEFT_NVCC)
    set(CMAKE_CUDA_COMPILER ${WEFT_NVCC})
  endif()
endif()
# weft_local_architectures(OUT): the compute capabilities of the GPUs of this machine, for example 90-real;120-real.
function(weft_local_architectures out)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  list(REMOVE_DUPLICATES capabilities)
  list(TRANSFORM capabilities REPLACE "\\." "")
  list(TRANSFORM capabilities APPEND "-real")
  set(${out} ${capabilities} PARENT_SCOPE)
endfunction()

# Machine code for the GPUs of this machine. Without one: PTX for sm_75, which the driver compiles at first use on any
# GPU from sm_75 on. The preset `release` has machine code for all of them.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  weft_local_architectures(architectures)
  if(NOT architectures)
    set(architectures 75-virtual)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "GPU architectures of the CUDA plugin")
endif()
weft_find_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  weft_left_out(CUDA "the CUDA plugin" nvcc)
  return()
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_FLAGS_RELEASE "-O3")
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)

# ORDER.md 1.1 and 1.2, for device code and host code. Defined once, for all CUDA sources and for formulas that are
# compiled at run time.
set(WEFT_CUDA_STRICT --fmad=false --ftz=false --prec-div=true --prec-sqrt=true)
set(WEFT_CUDA_FLAGS ${WEFT_CUDA_STRICT} -Xcompiler=-ffp-contract=off,-Wall,-Wextra,-fstack-protector-strong)
if(WEFT_WERROR)
  list(APPEND WEFT_CUDA_FLAGS --Werror=all-warnings -Xcompiler=-Werror)
endif()

# Headers included by the kernel of a formula (src/cuda/map/map_text.cu), embedded as text in the plugin.
set(embedded
  arith/arith.h arith/bits.h arith/elementary.h arith/finish.h arith/formats.h arith/halves.h arith/map.h
  arith/map_integers.h arith/map_reals.h core/elementary.h core/order.h cuda/copy_view/view_index.cuh cuda/copy_view/view_length.h
  cuda/map/map_formula.h cuda/map/map_layout.h cuda/map/map_reduce.cuh cuda/map/map_scan.cuh cuda/map/map_values.cuh
  cuda/map/map_views.cuh cuda/reduce/combine.cuh cuda/reduce/extremes.cuh cuda/reduce/finish.cuh
  cuda/reduce/integers.cuh cuda/reduce/reduce_params.h cuda/reduce/sums.cuh cuda/reduce/tree.cuh
  cuda/reduce/unordered.cuh cuda/reduce/variance.cuh cuda/runtime/canonical.cuh cuda/runtime/device.cuh
  cuda/runtime/halves.cuh cuda/runtime/keys.cuh cuda/scan/scan_look_back.cuh cuda/scan/scan_ops.cuh cuda/scan/scan_params.h
  cuda/scan/scan_tiles.cuh formula/formula.def formula/formula.h)
list(TRANSFORM embedded PREPEND src/ OUTPUT_VARIABLE embedded_files)
set(WEFT_NVRTC_EMBEDDED ${CMAKE_BINARY_DIR}/nvrtc_embedded.c)
add_custom_command(OUTPUT ${WEFT_NVRTC_EMBEDDED}
  COMMAND ${CMAKE_COMMAND} -DOUT=${WEFT_NVRTC_EMBEDDED} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR} "-DHEADERS=${embedded}"
    "-DOPTIONS=${WEFT_CUDA_STRICT}" -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS cmake/embed.cmake include/weft.h src/cuda/runtime/nvrtc_std.h ${embedded_files} VERBATIM)

add_library(weft_cuda MODULE ${WEFT_NVRTC_EMBEDDED})
add_subdirectory(src/cuda)
target_include_directories(weft_cuda PRIVATE include src)
target_compile_options(weft_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${WEFT_CUDA_FLAGS}>)
target_link_libraries(weft_cuda PRIVATE ${CMAKE_DL_LIBS})
# The plugin requires only the driver at run time, and exports one symbol.
target_link_options(weft_cuda PRIVATE "LINKER:--exclude-libs,ALL,--as-needed,-z,defs" -static-libgcc -static-libstdc++)
set_target_properties(weft_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static C_VISIBILITY_PRESET hidden)
message(STATUS "weft: the CUDA plugin is built with nvcc ${CMAKE_CUDA_COMPILER_VERSION} for architectures "
  "${CMAKE_CUDA_ARCHITECTURES}")
