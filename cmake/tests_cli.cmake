# The tests of the weft command: tests/cli/*.sh, each given the command. They need Python to write .npy files.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  foreach(test stream values files calls json convolve laplace map random sobol recurrence orders match matmul scan select segmented tridiag heat sort price tune shows complete)
    add_test(NAME cli_${test} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/${test}.sh $<TARGET_FILE:weft_command>)
  endforeach()
  add_library(cli_shim MODULE tests/cli/shim.c)
  target_include_directories(cli_shim PRIVATE include)
  target_link_libraries(cli_shim PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME cli_faults COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/faults.sh
    $<TARGET_FILE:weft_command> $<TARGET_FILE:cli_shim>)
  add_test(NAME cli_example COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/example.sh
    $<TARGET_FILE:weft_command> $<TARGET_FILE:example_first>)
else()
  message(STATUS "weft: the tests of the command are left out: no python3")
endif()
