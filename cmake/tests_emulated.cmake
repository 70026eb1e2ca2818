# The CUDA code of all operations, compiled as C++ and run on a CPU (tests/emulated): runs the agreement suite against a
# plugin that requires neither nvcc nor a GPU. Label emulated.
if(NOT executor)
  return()
endif()

set(emulated ${CMAKE_BINARY_DIR}/tests/emulated)
file(GLOB emulated_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/*/*.cu)
# tests/emulated/absent.cc and compiler.cc replace these: scans and recurrences by bulk copies, and calls of NVIDIA's libraries.
list(FILTER emulated_sources EXCLUDE REGEX "/(scan_bulk|recurrence_bulk|cublaslt|compiled|library|nvrtc)\\.cu$")
executor_sources(translated ${emulated} ${emulated_sources})
# A header with a kernel. The sources that include it find the translated one first.
set(compact cuda/select/compact.cuh)
file(MAKE_DIRECTORY ${emulated}/cuda/select)
add_custom_command(OUTPUT ${emulated}/${compact}
  COMMAND executor_translate ${CMAKE_CURRENT_SOURCE_DIR}/src/${compact} ${emulated}/${compact}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${compact} executor_translate VERBATIM)
list(APPEND translated ${emulated}/${compact})
# The executor checks every memory access: tests/emulated/device.cc ends a test that has a fault.
set_source_files_properties(${translated} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w;${executor_watch}")
# Only select.cu and run_length.cu know the kernels that compact.cu launches.
set_source_files_properties(${emulated}/compact.cc PROPERTIES COMPILE_DEFINITIONS cudaLaunchKernel=launch_compaction)
# weft_emulated has the code for sm_90; weft_emulated_older has that for GPUs without FP64 tensor cores and reductions
# over a warp, in the files in which it differs.
set(by_generation ${translated})
list(FILTER by_generation INCLUDE REGEX "/(matmul_f|heads|segmented|exact)")
list(REMOVE_ITEM translated ${by_generation})
add_library(weft_emulated_common OBJECT ${translated} tests/emulated/device.cc tests/emulated/absent.cc
  tests/emulated/compiler.cc)
executor_flags(weft_emulated_common)
set_target_properties(weft_emulated_common PROPERTIES POSITION_INDEPENDENT_CODE ON)
foreach(target weft_emulated weft_emulated_older)
  executor_library(${target} ${by_generation} $<TARGET_OBJECTS:weft_emulated_common>)
  target_link_libraries(${target} PRIVATE weft)
endforeach()
add_dependencies(weft_emulated_older weft_emulated) # it uses the same translated files
set_target_properties(weft_emulated PROPERTIES OUTPUT_NAME weft_cuda LIBRARY_OUTPUT_DIRECTORY ${emulated})
set_target_properties(weft_emulated_older PROPERTIES OUTPUT_NAME weft_cuda LIBRARY_OUTPUT_DIRECTORY ${emulated}/older)
foreach(target weft_emulated_common weft_emulated weft_emulated_older)
  target_compile_definitions(${target} PRIVATE __CUDACC__ "STAGING_BYTES=((size_t)1<<18)"
    "EXACT_BYTES=((size_t)1<<18)" "EXACT_TERMS_F32=(uint64_t)96" "EXACT_TERMS_F64=(uint64_t)160"
    "EXACT_TERMS_HALF=(uint64_t)128" "EXACT_PART=(1<<10)"
    "PAIRS_FROM=((uint64_t)300)" "AXES_BYTES=((size_t)1<<12)" "AXES_KEPT=((uint64_t)50)" "SORT_MERGED=((size_t)5000)"
    "SORT_MERGE_BYTES=((size_t)1<<17)" "COUNTING_LEAST_8=((size_t)200)" "COUNTING_LEAST_16=((size_t)1<<16)"
    "BUCKETS_LEAST_4=((size_t)1<<16)" "BUCKETS_LEAST_8=((size_t)1<<16)"
    "TOP_K_ONE_BY_ONE=((size_t)3000)" "TOP_K_ORDER_BYTES=((size_t)1<<16)"
    "VIEWS_ELEMENTS=((uint64_t)1<<9)"
    "LANE_THREADS=32" "LANE_BLOCKS_MAX=4" "LANE_LAST_BYTES=128"
    "ROW_SHORT=((size_t)20)" "ROW_LONG=((size_t)40)" "QUANTILE_SHORT=600" "QUANTILES_AT_ONCE=3" "QUANTILE_SORTED_BYTES=((size_t)1<<16)")
  target_include_directories(${target} PRIVATE tests/emulated include src)
  # Formulas that are compiled while the tests run are libraries, which call the executor.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default)
  if(target STREQUAL "weft_emulated_older")
    target_compile_definitions(${target} PRIVATE __CUDA_ARCH__=700)
  else()
    target_compile_definitions(${target} PRIVATE __CUDA_ARCH__=900)
  endif()
endforeach()
string(JOIN " " emulated_compiler ${CMAKE_CXX_COMPILER} -shared -fPIC -O1 -w -std=c++20 ${WEFT_STRICT_FP}
  -U_FORTIFY_SOURCE -D__CUDACC__ -D__CUDA_ARCH__=900 -include cuda_runtime.h -I${executor_dir}
  -I${CMAKE_CURRENT_SOURCE_DIR}/tests/emulated -I${CMAKE_CURRENT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR}/src)
set_source_files_properties(tests/emulated/compiler.cc PROPERTIES
  COMPILE_DEFINITIONS "WEFT_EMULATED_COMPILER=\"${emulated_compiler}\"")

# emulated_test(OPERATION EVERY): one case in EVERY. The threads of a block, and the blocks, run in random order.
# Formulas are interpreted.
function(emulated_test operation every)
  weft_test(emulated_${operation} emulated 300 weft_command --quiet --device cuda verify --jobs 1 --level tiny --every ${every} --op ${operation})
  set_tests_properties(emulated_${operation} PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated};WEFT_EMULATED_SEED=1")
endfunction()
foreach(operation sum prod min max argmin argmax and or xor any all count_nonzero mean norm1 norm2 norminf dot variance)
  emulated_test(${operation} 1)
endforeach()
emulated_test(price 2)
emulated_test(random 2)
emulated_test(sobol 4)
emulated_test(match 5)
emulated_test(tridiag 40)
emulated_test(tridiag_pivot 40)
emulated_test(block_tridiag 3)
emulated_test(pentadiag 1)
emulated_test(heat 32)
emulated_test(fft 5)
emulated_test(convolve 20)
emulated_test(laplace 500)
emulated_test(matmul 60)
emulated_test(gather 2)
emulated_test(scatter 2)
emulated_test(map 4)
emulated_test(map_reduce 6)
emulated_test(map_scan 20)
emulated_test(map_views 5)
emulated_test(scan 20)
emulated_test(sort 50)
emulated_test(argsort 60)
emulated_test(top_k 150)
emulated_test(select 20)
emulated_test(partition 20)
emulated_test(unique 20)
emulated_test(run_length 20)
emulated_test(scatter_reduce 30)
emulated_test(search_sorted 3)
emulated_test(recurrence 3)
emulated_test(segmented_reduce 20)
emulated_test(segmented_scan 20)
emulated_test(reduce_by_key 20)
emulated_test(copy_view 5)
emulated_test(reduce_lanes 1)
emulated_test(reduce_axes 30)
emulated_test(variance_axes 30)
emulated_test(dot_axes 30)
emulated_test(sort_axis 5)
emulated_test(argsort_axis 5)
emulated_test(top_k_axis 5)
emulated_test(quantile_axis 5)
emulated_test(take_axis 5)
emulated_test(put_axis 5)
emulated_test(convolve2d 40)
emulated_test(map_reduce_axes 40)
emulated_test(recurrence_axis 3)
emulated_test(histogram_axis 60)
emulated_test(fft_axes 8)
emulated_test(convolve_axis 8)
emulated_test(matmul_stack 200)
emulated_test(matmul_complex 400)
foreach(operation IN LISTS WEFT_OPERATIONS)
  if(NOT TEST emulated_${operation})
    emulated_test(${operation} 10)
  endif()
endforeach()
foreach(operation sum dot matmul segmented_reduce segmented_scan)
  weft_test(emulated_older_${operation} emulated 300 weft_command --quiet --device cuda verify --jobs 1 --level tiny --every 100 --op ${operation})
  set_tests_properties(emulated_older_${operation} PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated}/older;WEFT_EMULATED_SEED=1")
endforeach()
# Compiles these formulas, which takes the compiler about a second each.
foreach(operation map map_reduce map_scan map_views)
  weft_test(emulated_${operation}_compiled "emulated;deep" 600 weft_command --quiet --device cuda verify --jobs 1 --level tiny --every 900 --op ${operation})
  set_tests_properties(emulated_${operation}_compiled PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated};WEFT_NVRTC=1")
endforeach()
# These run in a fixed order.
foreach(api ${device_apis})
  weft_test(emulated_${api} emulated 300 api_${api} cuda)
  set_tests_properties(emulated_${api} PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated}")
endforeach()
foreach(oracle exact_sum exact_states)
  if(TARGET oracle_${oracle})
    weft_test(emulated_${oracle}_oracle emulated 300 oracle_${oracle} cuda)
    set_tests_properties(emulated_${oracle}_oracle PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated}")
  endif()
endforeach()
if(TARGET oracle_exact_sum) # takes minutes
  set_tests_properties(emulated_exact_sum_oracle PROPERTIES LABELS "emulated;deep")
endif()
# Every variant of laplace and matmul (docs/guide/tune.md).
weft_test(emulated_tune emulated 600 weft_command --quiet --device cuda tune --list --check --every 600)
weft_test(emulated_api_tune emulated 600 api_tune cuda)
set_tests_properties(emulated_tune emulated_api_tune PROPERTIES ENVIRONMENT
  "WEFT_PLUGIN_DIR=${emulated};XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/tests/cache")
foreach(oracle gather laplace_solve match reduce_lanes tridiag_pivot)
  weft_test(emulated_${oracle}_oracle emulated 300 oracle_${oracle} cuda)
  set_tests_properties(emulated_${oracle}_oracle PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated}")
endforeach()
