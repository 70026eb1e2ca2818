# libweft: the API, the specification, and the CPU backend compiled once per instruction set.

add_library(weft SHARED
  src/core/api.c
  src/core/api_histogram.c
  src/core/api_convolve.c
  src/core/api_laplace.c
  src/core/api_run_length.c
  src/core/api_select.c
  src/core/api_segmented.c
  src/core/api_recurrence.c
  src/core/api_merge.c
  src/core/api_price.c
  src/core/api_search_sorted.c
  src/core/api_top_k.c
  src/core/api_matmul.c
  src/core/api_tridiag.c
  src/core/api_heat.c
  src/core/api_sort.c
  src/core/api_random.c
  src/core/api_sobol.c
  src/core/api_match.c
  src/core/api_map.c
  src/core/backend.c
  src/core/check.c
  src/core/context.c
  src/formula/expr.c
  src/core/lists.c
  src/core/parts.c
  src/core/tune.c
  src/stream/buffers.c
  src/stream/channel.c
  src/stream/fold.c
  src/stream/histogram.c
  src/stream/map.c
  src/stream/match.c
  src/stream/pieces.c
  src/stream/recurrence.c
  src/stream/reduce.c
  src/stream/results.c
  src/stream/scan.c
  src/stream/transfer.c
  src/ref/argsort.c
  src/ref/array.c
  src/ref/convolve.c
  src/ref/dot.c
  src/ref/elementary.c
  src/ref/histogram.c
  src/ref/fft.c
  src/ref/laplace.c
  src/ref/laplace_solve.c
  src/ref/partition.c
  src/ref/price.c
  src/ref/philox.c
  src/ref/random.c
  src/ref/sobol.c
  src/ref/recurrence.c
  src/ref/merge.c
  src/ref/matmul.c
  src/ref/reduce.c
  src/ref/ref.c
  src/ref/run_length.c
  src/ref/scan.c
  src/ref/select.c
  src/ref/segmented.c
  src/ref/search_sorted.c
  src/ref/top_k.c
  src/ref/total_order.c
  src/ref/sort.c
  src/ref/match.c
  src/ref/tree.c
  src/ref/unique.c
  src/ref/twiddle.c
  src/ref/tridiag.c
  src/ref/heat.c
  src/ref/variance.c
  src/ref/map.c
  src/cpu/convolve.c
  src/cpu/cpu.c
  src/cpu/histogram.c
  src/cpu/fft.c
  src/cpu/laplace.c
  src/cpu/laplace_solve.c
  src/cpu/levels.c
  src/cpu/machine.c
  src/cpu/parallel.c
  src/cpu/map.c
  src/cpu/recurrence.c
  src/cpu/merge.c
  src/cpu/price.c
  src/cpu/matmul.c
  src/cpu/random.c
  src/cpu/sobol.c
  src/cpu/reduce.c
  src/cpu/relay.c
  src/cpu/run.c
  src/cpu/run_length.c
  src/cpu/scan.c
  src/cpu/select.c
  src/cpu/selection_parts.c
  src/cpu/segmented.c
  src/cpu/segments.c
  src/cpu/search_sorted.c
  src/cpu/top_k.c
  src/cpu/transform_run.c
  src/cpu/transform_tables.c
  src/cpu/tune.c
  src/cpu/tridiag.c
  src/cpu/heat.c
  src/cpu/sort.c
  src/cpu/match.c
  src/cpu/sort_passes.c
  src/cpu/sort_buckets.c)
target_include_directories(weft
  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_link_libraries(weft PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
weft_harden(weft)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(weft PRIVATE LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/weft.map)
  set_target_properties(weft PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/weft.map)
endif()

# The kernels of the CPU backend, once for each level of src/cpu/levels.def. Nothing here reads errno or the flags of
# floating-point exceptions after arithmetic; without these two options GCC leaves loops over the functions of
# arith/elementary.h scalar for their sake. No value depends on them.
set(WEFT_NO_FP_SIDE_EFFECTS -fno-math-errno -fno-trapping-math)
set(WEFT_FLAGS_base "")
set(WEFT_ALL_CPU_LEVELS base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(WEFT_FLAGS_base -march=x86-64)
  set(WEFT_FLAGS_v2 -march=x86-64-v2)
  set(WEFT_FLAGS_v3 -march=x86-64-v3)
  set(WEFT_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  list(APPEND WEFT_ALL_CPU_LEVELS v2 v3 v4)
endif()
set(WEFT_CPU_LEVELS "${WEFT_ALL_CPU_LEVELS}" CACHE STRING
  "Levels of src/cpu/levels.def to compile: 'base' and others. One that is left out is like one that the machine lacks")
foreach(level IN LISTS WEFT_ALL_CPU_LEVELS)
  if(NOT level IN_LIST WEFT_CPU_LEVELS)
    continue()
  endif()
  add_library(weft_cpu_${level} OBJECT
    src/cpu/kernels/extremes.c
    src/cpu/kernels/folds.c
    src/cpu/kernels/filters.c
    src/cpu/kernels/histograms.c
    src/cpu/kernels/integers.c
    src/cpu/kernels/maps.c
    src/cpu/kernels/matmuls.c
    src/cpu/kernels/prices.c
    src/cpu/kernels/products.c
    src/cpu/kernels/samples.c
    src/cpu/kernels/sobols.c
    src/cpu/kernels/recurrences.c
    src/cpu/kernels/relaxations.c
    src/cpu/kernels/scans.c
    src/cpu/kernels/selections.c
    src/cpu/kernels/searches.c
    src/cpu/kernels/stencils.c
    src/cpu/kernels/sorts.c
    src/cpu/kernels/sort_vectors.c
    src/cpu/kernels/matches.c
    src/cpu/kernels/sums.c
    src/cpu/kernels/transforms.c
    src/cpu/kernels/tridiags.c)
  target_include_directories(weft_cpu_${level} PRIVATE include src)
  target_compile_definitions(weft_cpu_${level} PRIVATE WEFT_LEVEL=${level})
  target_compile_options(weft_cpu_${level} PRIVATE ${WEFT_NO_FP_SIDE_EFFECTS} ${WEFT_FLAGS_${level}})
  target_sources(weft PRIVATE $<TARGET_OBJECTS:weft_cpu_${level}>)
endforeach()
