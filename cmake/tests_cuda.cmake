# Tests of the CUDA backend by itself. Label gpu: they want a GPU, and are skipped without one.
if(NOT TARGET weft_cuda)
  return()
endif()

add_executable(test_no_gpu tests/cuda/no_gpu.c)
target_link_libraries(test_no_gpu PRIVATE weft)
add_dependencies(test_no_gpu weft_cuda)
add_test(NAME cuda.no_gpu COMMAND test_no_gpu)

add_executable(test_gpu_memory tests/cuda/gpu_memory.cu)
target_compile_options(test_gpu_memory PRIVATE ${WEFT_CUDA_FLAGS})
target_link_libraries(test_gpu_memory PRIVATE weft Threads::Threads)
set_target_properties(test_gpu_memory PROPERTIES CUDA_RUNTIME_LIBRARY Static)
add_dependencies(test_gpu_memory weft_cuda)
add_test(NAME cuda.gpu_memory COMMAND test_gpu_memory)
set_tests_properties(cuda.gpu_memory PROPERTIES LABELS gpu RUN_SERIAL ON)

set_tests_properties(cuda.no_gpu cuda.gpu_memory PROPERTIES SKIP_RETURN_CODE 77)
