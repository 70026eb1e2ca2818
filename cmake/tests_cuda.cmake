# Tests of the CUDA backend alone. Label gpu: they require a GPU and are skipped without one.
if(NOT TARGET weft_cuda)
  return()
endif()

add_executable(test_no_gpu tests/cuda/no_gpu.c)
target_link_libraries(test_no_gpu PRIVATE weft)
add_dependencies(test_no_gpu weft_cuda)
add_test(NAME cuda.no_gpu COMMAND test_no_gpu)
set_tests_properties(cuda.no_gpu PROPERTIES SKIP_RETURN_CODE 77)

# Compiles formulas through libnvrtc, which does not require a GPU. Label nvrtc.
add_executable(test_nvrtc_formulas tests/cuda/nvrtc_formulas.cu src/cuda/map/map_text.cu src/cuda/runtime/library.cu
  src/cuda/runtime/nvrtc.cu ${WEFT_NVRTC_EMBEDDED})
target_include_directories(test_nvrtc_formulas PRIVATE include src)
target_compile_options(test_nvrtc_formulas PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${WEFT_CUDA_FLAGS}>)
target_link_libraries(test_nvrtc_formulas PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(test_nvrtc_formulas PROPERTIES CUDA_RUNTIME_LIBRARY Static)
add_dependencies(test_nvrtc_formulas weft_cuda) # contains the embedded texts
add_test(NAME cuda.nvrtc_formulas COMMAND test_nvrtc_formulas)
set_tests_properties(cuda.nvrtc_formulas PROPERTIES LABELS nvrtc SKIP_RETURN_CODE 77 TIMEOUT 900)

# Scans the machine code and the PTX of the plugin with cuobjdump, which not every toolkit contains.
get_filename_component(toolkit ${CMAKE_CUDA_COMPILER} DIRECTORY)
find_program(WEFT_CUOBJDUMP cuobjdump HINTS ${toolkit})
if(WEFT_CUOBJDUMP AND Python3_Interpreter_FOUND)
  set(machine_code ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/tests/cuda/machine_code.py)
  add_test(NAME cuda.machine_code COMMAND ${machine_code} $<TARGET_FILE:weft_cuda> ${WEFT_CUOBJDUMP})
  set_tests_properties(cuda.machine_code PROPERTIES TIMEOUT 7200)
  add_library(loose_code MODULE tests/cuda/loose_code.cu)
  target_compile_options(loose_code PRIVATE ${WEFT_CUDA_FLAGS})
  add_test(NAME cuda.machine_code_finds COMMAND ${machine_code} $<TARGET_FILE:loose_code> ${WEFT_CUOBJDUMP})
  set_tests_properties(cuda.machine_code_finds PROPERTIES FAIL_REGULAR_EXPRESSION "accepted|map_kernel"
    PASS_REGULAR_EXPRESSION "refused_flush: loose.*refused_fused: fma.*refused_loose: loose.*refused_sine: approximation.*no function is named across_kernel, add_left")
endif()

if(NOT WEFT_GPU_TESTS)
  return()
endif()
foreach(program gpu_elementary gpu_fft gpu_heat gpu_large gpu_map gpu_matmul gpu_memory gpu_normals gpu_recurrence gpu_scan gpu_sort gpu_stream gpu_tridiag)
  add_executable(test_${program} tests/cuda/${program}.cu)
  target_include_directories(test_${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_options(test_${program} PRIVATE ${WEFT_CUDA_FLAGS})
  target_link_libraries(test_${program} PRIVATE weft Threads::Threads)
  set_target_properties(test_${program} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  add_dependencies(test_${program} weft_cuda)
  add_test(NAME cuda.${program} COMMAND test_${program})
  set_tests_properties(cuda.${program} PROPERTIES LABELS gpu RUN_SERIAL ON SKIP_RETURN_CODE 77)
endforeach()
foreach(api ${device_apis})
  add_test(NAME cuda.api_${api} COMMAND sh -c "\"$1\" devices | grep -q ^cuda || exit 77; exec \"$2\" cuda" sh
    $<TARGET_FILE:weft_command> $<TARGET_FILE:api_${api}>)
  set_tests_properties(cuda.api_${api} PROPERTIES LABELS gpu RUN_SERIAL ON SKIP_RETURN_CODE 77)
endforeach()
# Exact products without cuBLASLt.
add_test(NAME cuda.gpu_matmul_without_library COMMAND test_gpu_matmul)
set_tests_properties(cuda.gpu_matmul_without_library PROPERTIES LABELS gpu RUN_SERIAL ON SKIP_RETURN_CODE 77
  ENVIRONMENT WEFT_CUBLASLT=0)
