# The tests of the weft command: tests/cli/*.sh, each given the command. They need Python to write .npy files.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  foreach(test values files calls json shows complete)
    add_test(NAME cli_${test} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/${test}.sh $<TARGET_FILE:weft_command>)
  endforeach()
  add_test(NAME cli_example COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/example.sh
    $<TARGET_FILE:weft_command> $<TARGET_FILE:example_first>)
else()
  message(STATUS "weft: the tests of the command are left out: no python3")
endif()
