# Tests of the executor itself (tests/executor): kernels with faults, which it must report, next to right ones. Label
# ladder.
if(NOT executor)
  return()
endif()

# executor_test(STEM): a program of tests/executor/STEM.cu and the executor.
function(executor_test stem)
  executor_sources(translated ${CMAKE_BINARY_DIR}/tests/executor ${tests_dir}/executor/${stem}.cu)
  set_source_files_properties(${translated} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w;${executor_watch}")
  add_executable(executor_${stem} ${translated})
  executor_options(executor_${stem})
  target_include_directories(executor_${stem} PRIVATE ${tests_dir}/executor)
  set_target_properties(executor_${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  weft_test(executor_${stem} ladder 60 executor_${stem})
endfunction()
executor_test(counts)
executor_test(functions)
executor_test(global)
executor_test(shared)
executor_test(tensor)
