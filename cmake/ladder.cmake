# The ladder (ladder/README.md): the sources of the topics, compiled for the executor by g++ and for a GPU by nvcc.
# Both results are libraries that `weft ladder` loads at run time.
set(ladder_dir ${CMAKE_CURRENT_SOURCE_DIR}/ladder)
file(STRINGS ladder/topics.def ladder_topics REGEX "^TOPIC")
list(TRANSFORM ladder_topics REPLACE "TOPIC\\(([a-z_]+),.*" "\\1")
list(TRANSFORM ladder_topics REPLACE "(.+)" "${ladder_dir}/\\1.cu" OUTPUT_VARIABLE ladder_sources)
list(APPEND ladder_sources ${ladder_dir}/linking/squares.cu) # the library called by the topic linking

# Exercises: source.py writes the check, starting file, solution and faulty solutions of each.
file(GLOB ladder_exercises CONFIGURE_DEPENDS ${ladder_dir}/exercises/*/*.cu ${ladder_dir}/exercises/*/*.faults)
set(ladder_scripts ${ladder_dir}/source.py ${ladder_dir}/measured.py ${ladder_dir}/exercises.py ${ladder_dir}/rung_files.py)
set(exercises_dir ${CMAKE_BINARY_DIR}/ladder/exercises)
foreach(exercise IN LISTS ladder_exercises)
  if(exercise MATCHES "/exercises/([a-z_]+)/([a-z0-9-]+)\\.cu$")
    string(REPLACE "-" "_" name "${CMAKE_MATCH_1}_${CMAKE_MATCH_2}")
    list(APPEND exercise_topics ${CMAKE_MATCH_1})
    list(APPEND ladder_checks ${exercises_dir}/checks/check_${name}.cu)
  endif()
endforeach()
list(REMOVE_DUPLICATES exercise_topics)

# Texts that the command prints. Without Python, the command reports that this build has no ladder.
if(Python3_Interpreter_FOUND)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/ladder_text.c
    COMMAND Python3::Interpreter -B ${ladder_dir}/source.py text ${ladder_dir} ${CMAKE_BINARY_DIR}/ladder_text.c
    DEPENDS ${ladder_scripts} ladder/topics.def ${ladder_sources} ${ladder_exercises} VERBATIM)
  target_sources(weft_command PRIVATE ${CMAKE_BINARY_DIR}/ladder_text.c)
  add_custom_command(OUTPUT ${ladder_checks} ${exercises_dir}/stamp
    COMMAND Python3::Interpreter -B ${ladder_dir}/source.py exercises ${ladder_dir} ${exercises_dir}
    COMMAND ${CMAKE_COMMAND} -E touch ${exercises_dir}/stamp
    DEPENDS ${ladder_scripts} ladder/topics.def ${ladder_sources} ${ladder_exercises} VERBATIM)
  add_custom_target(ladder_exercise_files ALL DEPENDS ${exercises_dir}/stamp)
else()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/ladder_text.c CONTENT [[
#include "cli/ladder/ladder_text.h"
const ladder_topic_text LADDER_TOPICS[] = {{0}};
const size_t LADDER_TOPIC_COUNT = 0;
]])
  target_sources(weft_command PRIVATE ${CMAKE_BINARY_DIR}/ladder_text.c)
endif()
target_sources(weft_command PRIVATE ladder/executor/translate.c)
target_link_libraries(weft_command PRIVATE ${CMAKE_DL_LIBS})
set(WEFT_LEARNER ${CMAKE_BINARY_DIR}/ladder_learner) # what `weft ladder try` compiles with

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
  # The archive that a learner's file is linked with, on a GPU.
  add_library(weft_ladder_learner_cuda STATIC ladder/climb.cu ladder/linking/squares.cu ${ladder_checks})
  set_target_properties(weft_ladder_learner_cuda PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${WEFT_LEARNER})
  target_compile_definitions(weft_ladder_learner_cuda PRIVATE LADDER_LEARNER)
  target_include_directories(weft_ladder_learner_cuda PRIVATE ladder ladder/linking include)
  target_compile_options(weft_ladder_learner_cuda PRIVATE ${WEFT_CUDA_FLAGS} -Xcompiler=-Wno-maybe-uninitialized)
  add_dependencies(weft_ladder_learner_cuda ladder_exercise_files)
  install(TARGETS weft_ladder_learner_cuda ARCHIVE DESTINATION ${WEFT_PLUGINS}/ladder_learner COMPONENT cuda)
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

# ---------------------------------------------------------- files of learners, on the executor
# The archive that a learner's file is linked with, and the headers that it may include.
executor_sources(learner_checks ${CMAKE_BINARY_DIR}/ladder ${ladder_checks})
add_library(weft_ladder_learner STATIC ${climber} ${learner_checks} ${executor_dir}/copies.cc
  ${CMAKE_BINARY_DIR}/ladder/squares.cc)
add_dependencies(weft_ladder_learner ladder_exercise_files)
executor_options(weft_ladder_learner)
set_target_properties(weft_ladder_learner PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${WEFT_LEARNER}
  CXX_VISIBILITY_PRESET hidden)
target_compile_definitions(weft_ladder_learner PRIVATE WEFT_EXECUTOR LADDER_LEARNER)
target_include_directories(weft_ladder_learner PRIVATE ladder ladder/linking include)
file(GLOB_RECURSE executor_headers RELATIVE ${ladder_dir} CONFIGURE_DEPENDS ${executor_dir}/*.h)
list(FILTER executor_headers EXCLUDE REGEX "/(executor|translate)\\.h$")
foreach(header climb.h ladder.h linking/squares.h ${executor_headers})
  configure_file(${ladder_dir}/${header} ${WEFT_LEARNER}/${header} COPYONLY)
endforeach()
configure_file(include/weft.h ${WEFT_LEARNER}/weft.h COPYONLY)
# Options of g++ and, without those that only g++ has, of clang++.
set(options -std=c++20 -O1 -g1 -w -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE ${WEFT_STRICT_FP} ${executor_watch}
  -DWEFT_EXECUTOR "-include cuda_runtime.h" "")
string(JOIN "\n" learner_options ${options})
file(CONFIGURE OUTPUT ${WEFT_LEARNER}/options CONTENT "${learner_options}")
list(FILTER options EXCLUDE REGEX "^-fno-tree-")
list(TRANSFORM options REPLACE "^--param=tsan-" "-mllvm -tsan-")
list(TRANSFORM options REPLACE ",bounds$" ",array-bounds") # the rest of Clang's bounds ends the program
string(JOIN "\n" learner_options ${options})
file(CONFIGURE OUTPUT ${WEFT_LEARNER}/options_clang CONTENT "${learner_options}")
install(TARGETS weft_ladder_learner ARCHIVE DESTINATION ${WEFT_PLUGINS}/ladder_learner COMPONENT command)
install(DIRECTORY ${WEFT_LEARNER} DESTINATION ${WEFT_PLUGINS} COMPONENT command FILES_MATCHING
  PATTERN "*.h" PATTERN "options*")
install(DIRECTORY ${exercises_dir}/solutions DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/ladder COMPONENT command)

# ------------------------------------------------------------------------------- tests
# ladder_tests(): tests of the command and of each topic. Called after the test functions are defined.
function(ladder_tests)
  weft_test(ladder_pages ladder 300 ${CMAKE_COMMAND} -DPYTHON=${Python3_EXECUTABLE} -DLADDER=${ladder_dir}
    -DRESULTS=${CMAKE_CURRENT_SOURCE_DIR}/bench/results
    -DPAGES=${CMAKE_CURRENT_SOURCE_DIR}/docs/ladder -DNEW=${CMAKE_BINARY_DIR}/ladder/pages
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/ladder_pages.cmake)
  if(CMAKE_CXX_COMPILER_VERSION MATCHES "^12\\.") # another version may access memory more or less often
    weft_test(ladder_counts ladder 300 ${Python3_EXECUTABLE} -B ${ladder_dir}/measured.py check
      $<TARGET_FILE:weft_command> ${CMAKE_CURRENT_SOURCE_DIR}/bench/results)
  endif()
  weft_test(docs_ladder docs 300 ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tests/docs/run.py
    ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/docs/ladder/find_a_race.md)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder.sh)
  weft_test(ladder_command ladder 300 sh ${script} $<TARGET_FILE:weft_command>)
  foreach(stem IN LISTS ladder_topics)
    string(REPLACE "_" "-" topic ${stem})
    weft_test(ladder_${stem} ladder 300 sh ${script} $<TARGET_FILE:weft_command> ${topic})
  endforeach()
  foreach(stem IN LISTS exercise_topics)
    set(script sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder_exercises.sh $<TARGET_FILE:weft_command> ${exercises_dir})
    weft_test(ladder_exercises_${stem} ladder 300 ${script} 8 ${stem})
    weft_test(ladder_exercises_all_${stem} "ladder;deep_ladder" 1800 ${script} 1 ${stem})
  endforeach()
  set(script sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder_rung_files.sh $<TARGET_FILE:weft_command>)
  weft_test(ladder_try ladder 300 sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder_try.sh $<TARGET_FILE:weft_command>
    ${exercises_dir})
  weft_test(ladder_rung_files ladder 300 ${script} 23)
  weft_test(ladder_rung_files_all "ladder;deep_ladder" 3600 ${script} 1)
  weft_test(ladder_linking_ways ladder 300 sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder_linking.sh
    ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} $<TARGET_FILE:executor_translate>)
endfunction()
