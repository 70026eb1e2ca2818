# The ladder (ladder/README.md): the sources of the topics, compiled for the executor by g++ and for a GPU by nvcc.
# Both results are libraries that `weft ladder` loads at run time.
set(ladder_dir ${CMAKE_CURRENT_SOURCE_DIR}/ladder)
file(STRINGS ladder/topics.def ladder_topics REGEX "^TOPIC")
list(TRANSFORM ladder_topics REPLACE "TOPIC\\(([a-z_]+),.*" "\\1")
list(TRANSFORM ladder_topics REPLACE "(.+)" "${ladder_dir}/\\1.cu" OUTPUT_VARIABLE ladder_sources)
list(APPEND ladder_sources ${ladder_dir}/linking/squares.cu) # the library called by the topic linking

# Texts that the command prints. Without Python, the command reports that this build has no ladder.
if(Python3_Interpreter_FOUND)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/ladder_text.c
    COMMAND Python3::Interpreter -B ${ladder_dir}/source.py text ${ladder_dir} ${CMAKE_BINARY_DIR}/ladder_text.c
    DEPENDS ladder/source.py ladder/measured.py ladder/topics.def ${ladder_sources} VERBATIM)
  target_sources(weft_command PRIVATE ${CMAKE_BINARY_DIR}/ladder_text.c)
else()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/ladder_text.c CONTENT [[
#include "cli/ladder/ladder_text.h"
const ladder_topic_text LADDER_TOPICS[] = {{0}};
const size_t LADDER_TOPIC_COUNT = 0;
]])
  target_sources(weft_command PRIVATE ${CMAKE_BINARY_DIR}/ladder_text.c)
endif()
target_link_libraries(weft_command PRIVATE ${CMAKE_DL_LIBS})

# ------------------------------------------------------------------------------- a GPU
if(TARGET weft_cuda AND WEFT_GPU_LADDER)
  add_library(weft_ladder_cuda MODULE ladder/climb.cu ${ladder_sources})
  set_target_properties(weft_ladder_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  weft_run_path(weft_ladder_cuda "$ORIGIN" "$ORIGIN/..")
  target_include_directories(weft_ladder_cuda PRIVATE ladder)
  # gcc warns that a variable of CUB's scan may be used before it is initialized.
  target_compile_options(weft_ladder_cuda PRIVATE ${WEFT_CUDA_FLAGS} -Xcompiler=-Wno-maybe-uninitialized)
  target_link_libraries(weft_ladder_cuda PRIVATE weft)
  target_link_options(weft_ladder_cuda PRIVATE "LINKER:--exclude-libs,ALL,--as-needed" -static-libgcc -static-libstdc++)
  install(TARGETS weft_ladder_cuda LIBRARY DESTINATION ${WEFT_PLUGINS} COMPONENT cuda)
endif()

# --------------------------------------------------------------------- the CPU, by the executor
if(NOT executor OR NOT WEFT_LADDER)
  return()
endif()
executor_sources(climber ${CMAKE_BINARY_DIR}/ladder ${ladder_dir}/climb.cu)
executor_sources(climbed ${CMAKE_BINARY_DIR}/ladder ${ladder_sources})
set_source_files_properties(${climbed} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w;${executor_watch}")
executor_library(weft_ladder_executor ${climber} ${climbed})
weft_run_path(weft_ladder_executor "$ORIGIN" "$ORIGIN/..")
target_compile_definitions(weft_ladder_executor PRIVATE WEFT_EXECUTOR)
target_include_directories(weft_ladder_executor PRIVATE ladder ladder/linking)
target_link_libraries(weft_ladder_executor PRIVATE weft)
install(TARGETS weft_ladder_executor LIBRARY DESTINATION ${WEFT_PLUGINS} COMPONENT command)

# ------------------------------------------------------------------------------- tests
# ladder_tests(): tests of the command and of each topic. Called after the test functions are defined.
function(ladder_tests)
  weft_test(ladder_pages ladder 300 ${CMAKE_COMMAND} -DPYTHON=${Python3_EXECUTABLE} -DLADDER=${ladder_dir}
    -DRESULTS=${CMAKE_CURRENT_SOURCE_DIR}/bench/results
    -DPAGES=${CMAKE_CURRENT_SOURCE_DIR}/docs/ladder -DNEW=${CMAKE_BINARY_DIR}/ladder/pages
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/ladder_pages.cmake)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder.sh)
  weft_test(ladder_command ladder 300 sh ${script} $<TARGET_FILE:weft_command>)
  foreach(stem IN LISTS ladder_topics)
    string(REPLACE "_" "-" topic ${stem})
    weft_test(ladder_${stem} ladder 300 sh ${script} $<TARGET_FILE:weft_command> ${topic})
  endforeach()
  weft_test(ladder_linking_ways ladder 300 sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder_linking.sh
    ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${Python3_EXECUTABLE})
endfunction()
