# CUDA code of some operations, compiled as C++ and run on a CPU (tests/emulated): runs the agreement suite against a
# plugin that requires neither nvcc nor a GPU. Label emulated. WEFT_EMULATED_SEED runs threads and blocks in random
# order.
if(NOT executor)
  return()
endif()

set(emulated ${CMAKE_BINARY_DIR}/tests/emulated)
foreach(stem arrays axes_deviations axes_dots axes_extremes axes_integers axes_sums axis_sums axis_unordered block_tridiag block_tridiag_kernels block_tridiag_staged call convolve convolve2d convolve_blocks
    convolve_direct convolve_passes copy_view cuda dot exact extremes fft fft_chirp fft_fixed fft_fixed_radices fft_pass fft_passes fft_radices fft_real fft_rows fft_whole gather heads heat histogram integers laplace laplace_solve map
    map_compiled map_scan map_text map_views match matmul matmul_epilogue matmul_exact matmul_exact_kernels matmul_exact_planes matmul_f32 matmul_f64 matmul_vector merge price
    published random recurrence recurrence_kernels reduce reduce_axes reduce_lanes scan scan_axis scan_sums scan_totals scan_unordered scatter_products scatter_reduce scatter_sums search_sorted
    scatter_unordered scratch segmented segmented_exact segmented_means segmented_products segmented_sums segmented_unordered sobol sort sort_axis
    sums transfer transforms tridiag tridiag_call tridiag_fused tridiag_long tridiag_pivot tridiag_pivot_kernels
    quantile_axis take_axis top_k_axis tune variance device_views)
  file(GLOB source ${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/*/${stem}.cu)
  list(APPEND emulated_sources ${source})
endforeach()
executor_sources(translated ${emulated} ${emulated_sources})
# The executor checks every memory access: tests/emulated/device.cc ends a test that has a fault.
set_source_files_properties(${translated} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w;${executor_watch}")
# Tensor cores and reductions over a warp are not emulated: this is the code for GPUs without them.
list(TRANSFORM emulated_sources REPLACE ".*/(.*)\\.cu" "${emulated}/\\1.cc" OUTPUT_VARIABLE for_older_gpus)
list(FILTER for_older_gpus INCLUDE REGEX "/(matmul_f|heads|segmented|exact)")
set_source_files_properties(${for_older_gpus} PROPERTIES COMPILE_OPTIONS
  "-include;cuda_runtime.h;-w;${executor_watch};-U__CUDA_ARCH__;-D__CUDA_ARCH__=700")
executor_library(weft_emulated ${translated} tests/emulated/device.cc tests/emulated/absent.cc tests/emulated/compiler.cc
  tests/emulated/radix_sort.cc tests/emulated/top_k.cc)
set_target_properties(weft_emulated PROPERTIES OUTPUT_NAME weft_cuda LIBRARY_OUTPUT_DIRECTORY ${emulated})
target_compile_definitions(weft_emulated PRIVATE __CUDACC__ __CUDA_ARCH__=900 "STAGING_BYTES=((size_t)1<<18)"
  "EXACT_BYTES=((size_t)1<<18)" "EXACT_TERMS_F32=(uint64_t)96" "EXACT_TERMS_F64=(uint64_t)160"
  "EXACT_TERMS_HALF=(uint64_t)128" "EXACT_PART=(1<<10)"
  "PAIRS_FROM=((uint64_t)300)" "AXES_BYTES=((size_t)1<<12)" "AXES_KEPT=((uint64_t)50)" "SORT_MERGED=((size_t)5000)"
  "SORT_MERGE_BYTES=((size_t)1<<17)"
  "TOP_K_ONE_BY_ONE=((size_t)3000)" "TOP_K_ORDER_BYTES=((size_t)1<<16)"
  "VIEWS_ELEMENTS=((uint64_t)1<<9)"
  "LANE_THREADS=32" "LANE_BLOCKS_MAX=4" "LANE_LAST_BYTES=128"
  "ROW_SHORT=((size_t)20)" "ROW_LONG=((size_t)40)" "QUANTILE_SHORT=600" "QUANTILES_AT_ONCE=3" "QUANTILE_SORTED_BYTES=((size_t)1<<16)")
target_include_directories(weft_emulated PRIVATE tests/emulated include src)
target_link_libraries(weft_emulated PRIVATE weft)
# Formulas that are compiled while the tests run are libraries, which call the executor.
set_target_properties(weft_emulated PROPERTIES CXX_VISIBILITY_PRESET default)
string(JOIN " " emulated_compiler ${CMAKE_CXX_COMPILER} -shared -fPIC -O1 -w -std=c++20 ${WEFT_STRICT_FP}
  -U_FORTIFY_SOURCE -D__CUDACC__ -D__CUDA_ARCH__=900 -include cuda_runtime.h -I${executor_dir}
  -I${CMAKE_CURRENT_SOURCE_DIR}/tests/emulated -I${CMAKE_CURRENT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR}/src)
set_source_files_properties(tests/emulated/compiler.cc PROPERTIES
  COMPILE_DEFINITIONS "WEFT_EMULATED_COMPILER=\"${emulated_compiler}\"")

# emulated_test(OPERATION EVERY [SEED]): one case in EVERY; with a seed, in random order. Formulas are interpreted.
function(emulated_test operation every)
  set(name emulated_${operation})
  set(environment "WEFT_PLUGIN_DIR=${emulated}")
  if(ARGC GREATER 2)
    set(name ${name}_any_order)
    list(APPEND environment "WEFT_EMULATED_SEED=${ARGV2}")
  endif()
  weft_test(${name} emulated 300 weft_command --quiet --device cuda verify --jobs 1 --level tiny --every ${every} --op ${operation})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
endfunction()
foreach(operation sum mean norm2 xor argmin argmax max norminf dot variance)
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
emulated_test(histogram 10)
emulated_test(merge 10)
emulated_test(map 4)
emulated_test(map_reduce 6)
emulated_test(map_scan 20)
emulated_test(map_views 5)
emulated_test(scan 20)
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
emulated_test(scan_axis 10)
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
# Compiles these formulas, which takes the compiler about a second each.
foreach(operation map map_reduce map_scan map_views)
  weft_test(emulated_${operation}_compiled "emulated;deep" 600 weft_command --quiet --device cuda verify --jobs 1 --level tiny --every 900 --op ${operation})
  set_tests_properties(emulated_${operation}_compiled PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated};WEFT_NVRTC=1")
endforeach()
foreach(operation sum argmin dot price match map_reduce histogram merge segmented_reduce gather scatter take_axis put_axis)
  emulated_test(${operation} 20 1)
endforeach()
foreach(api ${device_apis})
  weft_test(emulated_${api} emulated 300 api_${api} cuda)
  set_tests_properties(emulated_${api} PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated}")
endforeach()
foreach(operation tridiag tridiag_pivot block_tridiag heat fft convolve convolve2d matmul scan map_scan recurrence)
  emulated_test(${operation} 100 1)
endforeach()
emulated_test(laplace 2000 1)
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
