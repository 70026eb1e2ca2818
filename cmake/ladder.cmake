# The ladder (ladder/README.md): the topics' sources, compiled for the executor by g++ and for a GPU by nvcc. Both are
# libraries that `weft ladder` loads when it runs.
find_package(Python3 COMPONENTS Interpreter)
set(ladder_dir ${CMAKE_CURRENT_SOURCE_DIR}/ladder)
set(executor_dir ${ladder_dir}/executor)
file(STRINGS ladder/topics.def ladder_topics REGEX "^TOPIC")
list(TRANSFORM ladder_topics REPLACE "TOPIC\\(([a-z_]+),.*" "\\1")
list(TRANSFORM ladder_topics REPLACE "(.+)" "${ladder_dir}/\\1.cu" OUTPUT_VARIABLE ladder_sources)
list(APPEND ladder_sources ${ladder_dir}/linking/squares.cu) # the library that topic linking calls

# What the command shows of them. Without Python it says that this build has no ladder.
if(Python3_Interpreter_FOUND)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/ladder_text.c
    COMMAND Python3::Interpreter -B ${ladder_dir}/source.py text ${ladder_dir} ${CMAKE_BINARY_DIR}/ladder_text.c
    DEPENDS ladder/source.py ladder/measured.py ladder/topics.def ${ladder_sources} VERBATIM)
  target_sources(weft_command PRIVATE ${CMAKE_BINARY_DIR}/ladder_text.c)
else()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/ladder_text.c CONTENT [[
#include "cli/ladder_text.h"
const ladder_topic_text LADDER_TOPICS[] = {{0}};
const size_t LADDER_TOPIC_COUNT = 0;
]])
  target_sources(weft_command PRIVATE ${CMAKE_BINARY_DIR}/ladder_text.c)
endif()
target_link_libraries(weft_command PRIVATE ${CMAKE_DL_LIBS})

# ------------------------------------------------------------------------------- a GPU
if(TARGET weft_cuda)
  add_library(weft_ladder_cuda MODULE ladder/climb.cu ${ladder_sources})
  set_target_properties(weft_ladder_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static INSTALL_RPATH "$ORIGIN")
  set_property(TARGET weft_ladder_cuda PROPERTY CUDA_STANDARD) # CMake 3.25 knows no C++20 of nvcc: by its option
  target_include_directories(weft_ladder_cuda PRIVATE ladder)
  # gcc takes a variable of CUB's scan for one that may be used before it is set.
  target_compile_options(weft_ladder_cuda PRIVATE ${WEFT_CUDA_FLAGS} -std=c++20 -Xcompiler=-Wno-maybe-uninitialized)
  target_link_libraries(weft_ladder_cuda PRIVATE weft)
  target_link_options(weft_ladder_cuda PRIVATE "LINKER:--exclude-libs,ALL,--as-needed" -static-libgcc -static-libstdc++)
  install(TARGETS weft_ladder_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda)
endif()

# -------------------------------------------------------------------------- the executor
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
endif()
if(WEFT_SANITIZE OR NOT Python3_Interpreter_FOUND OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR
   NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  message(STATUS "weft: the ladder's executor is left out: it wants g++ on x86-64, python3, and no sanitizer")
  return()
endif()
# With these options of a file the compiler tells executor/watch.cc of every access to memory.
set(executor_watch -fsanitize=thread -fno-threadsafe-statics)
set(executor ${executor_dir}/fibres.cc ${executor_dir}/runtime.cc ${executor_dir}/watch.cc)

# executor_sources(OUT DIR FILE.cu...): each file as C++, in DIR. Like nvcc, with the runtime's header before anything
# else. It is nvcc whose warnings count for these.
function(executor_sources out dir)
  file(MAKE_DIRECTORY ${dir})
  foreach(source ${ARGN})
    get_filename_component(stem ${source} NAME_WE)
    add_custom_command(OUTPUT ${dir}/${stem}.cc
      COMMAND Python3::Interpreter ${executor_dir}/translate.py ${source} ${dir}/${stem}.cc
      DEPENDS ${source} ${executor_dir}/translate.py VERBATIM)
    list(APPEND translated ${dir}/${stem}.cc)
  endforeach()
  set_source_files_properties(${translated} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w")
  set(${out} ${translated} PARENT_SCOPE)
endfunction()

# executor_library(TARGET FILES...): a library of translated files and the executor, which is loaded at run time. The
# checked longjmp of _FORTIFY_SOURCE does not know stacks of the program's own.
function(executor_library target)
  add_library(${target} MODULE ${ARGN} ${executor})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE ${executor_dir})
  target_compile_options(${target} PRIVATE ${WEFT_STRICT_FP} -U_FORTIFY_SOURCE -O1 -Wall -Wextra
    $<$<BOOL:${WEFT_WERROR}>:-Werror>)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE LINKER:-z,defs)
endfunction()

executor_sources(climber ${CMAKE_BINARY_DIR}/ladder ${ladder_dir}/climb.cu)
executor_sources(climbed ${CMAKE_BINARY_DIR}/ladder ${ladder_sources})
set_source_files_properties(${climbed} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w;${executor_watch}")
executor_library(weft_ladder_executor ${climber} ${climbed})
set_target_properties(weft_ladder_executor PROPERTIES INSTALL_RPATH "$ORIGIN")
target_compile_definitions(weft_ladder_executor PRIVATE WEFT_EXECUTOR)
target_include_directories(weft_ladder_executor PRIVATE ladder ladder/linking)
target_link_libraries(weft_ladder_executor PRIVATE weft)
install(TARGETS weft_ladder_executor LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT command)

# ------------------------------------------------------------------------------- tests
# ladder_tests(): the command, then each topic. Called where tests are known.
function(ladder_tests)
  weft_test(ladder_pages ladder 60 ${CMAKE_COMMAND} -DPYTHON=${Python3_EXECUTABLE} -DLADDER=${ladder_dir}
    -DRESULTS=${CMAKE_CURRENT_SOURCE_DIR}/bench/results
    -DPAGES=${CMAKE_CURRENT_SOURCE_DIR}/docs/ladder -DNEW=${CMAKE_BINARY_DIR}/ladder/pages
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/ladder_pages.cmake)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder.sh)
  weft_test(ladder_command ladder 60 sh ${script} $<TARGET_FILE:weft_command>)
  foreach(stem IN LISTS ladder_topics)
    string(REPLACE "_" "-" topic ${stem})
    weft_test(ladder_${stem} ladder 60 sh ${script} $<TARGET_FILE:weft_command> ${topic})
  endforeach()
  weft_test(ladder_linking_ways ladder 60 sh ${CMAKE_CURRENT_SOURCE_DIR}/tests/cli/ladder_linking.sh
    ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${Python3_EXECUTABLE})
endfunction()
