# Tests of the weft command: tests/cli/*.sh, each of which gets the path of the command. They use Python to write .npy
# files.
if(Python3_Interpreter_FOUND)
  file(GLOB tests RELATIVE ${tests_dir}/cli CONFIGURE_DEPENDS ${tests_dir}/cli/*.sh)
  list(REMOVE_ITEM tests check.sh) # functions of the others
  list(REMOVE_ITEM tests faults.sh example.sh unusable_gpu.sh) # other arguments
  list(FILTER tests EXCLUDE REGEX "^ladder")
  foreach(test IN LISTS tests)
    string(REPLACE .sh "" test ${test})
    add_test(NAME cli_${test} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/${test}.sh $<TARGET_FILE:weft_command>)
  endforeach()
  add_library(cli_shim MODULE tests/cli/shim.c)
  target_include_directories(cli_shim PRIVATE include)
  target_link_libraries(cli_shim PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME cli_faults COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/faults.sh
    $<TARGET_FILE:weft_command> $<TARGET_FILE:cli_shim>)
  if(TARGET example_first)
    weft_program(cli_tour_sizes tests/cli/tour_sizes.c cli/tour/tour_size.c)
  weft_test(cli_tour_sizes cli 30 cli_tour_sizes)
  weft_program(cli_sha256 tests/cli/sha256_answers.c)
  weft_test(cli_sha256 cli 30 cli_sha256)
  add_library(cli_unusable_gpu MODULE tests/cli/unusable_gpu.c)
  target_include_directories(cli_unusable_gpu PRIVATE include src)
  add_test(NAME cli_unusable_gpu COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/unusable_gpu.sh
    $<TARGET_FILE:weft_command> $<TARGET_FILE:cli_unusable_gpu>)
  add_test(NAME cli_example COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/example.sh
      $<TARGET_FILE:weft_command> $<TARGET_FILE:example_first>)
  endif()
else()
  weft_left_out(TESTS "tests of the command" python3)
endif()
