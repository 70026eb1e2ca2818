# Tests of the CUDA backend by itself. Label gpu: they want a GPU, and are skipped without one.
if(NOT TARGET weft_cuda)
  return()
endif()

add_executable(test_no_gpu tests/cuda/no_gpu.c)
target_link_libraries(test_no_gpu PRIVATE weft)
add_dependencies(test_no_gpu weft_cuda)
add_test(NAME cuda.no_gpu COMMAND test_no_gpu)

foreach(program gpu_memory gpu_recurrence gpu_scan gpu_tridiag gpu_sort)
  add_executable(test_${program} tests/cuda/${program}.cu)
  target_include_directories(test_${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_options(test_${program} PRIVATE ${WEFT_CUDA_FLAGS})
  target_link_libraries(test_${program} PRIVATE weft Threads::Threads)
  set_target_properties(test_${program} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  add_dependencies(test_${program} weft_cuda)
  add_test(NAME cuda.${program} COMMAND test_${program})
  set_tests_properties(cuda.${program} PROPERTIES LABELS gpu RUN_SERIAL ON)
endforeach()

set_tests_properties(cuda.no_gpu cuda.gpu_memory cuda.gpu_recurrence cuda.gpu_scan cuda.gpu_tridiag cuda.gpu_sort PROPERTIES SKIP_RETURN_CODE 77)
