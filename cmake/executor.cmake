# The executor: runs CUDA sources on a CPU, compiled as C++. The ladder and the tests of the emulated GPU use it.
if(WEFT_SANITIZE)
  return()
endif()
add_executable(executor_translate ladder/executor/translate.c ladder/executor/translate_file.c)
set_target_properties(executor_translate PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/ladder)
weft_find_language(CXX)
if(NOT Python3_Interpreter_FOUND)
  weft_left_out(LADDER "ladder and emulated GPU" python3)
  return()
elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  weft_left_out(LADDER "ladder and emulated GPU" g++)
  return()
elseif(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|aarch64|arm64)$")
  weft_left_out(LADDER "ladder and emulated GPU" "x86-64 or AArch64 processor")
  return()
endif()
set(executor_dir ${CMAKE_CURRENT_SOURCE_DIR}/ladder/executor)
set(executor_parts bulk.cc fibres.cc global.cc order.cc pipeline.cc proxies.cc requests.cc runtime.cc sites.cc
  tensor_map.cc watch.cc)
# Compiler options for files in which every memory access is reported to executor/watch.cc. Without sra, a vector type
# is accessed as a whole. -g1 is for the lines in the sentences of faults. psabi is a note on parameters with large
# alignments.
set(executor_watch -fsanitize=thread,alignment,bounds --param=tsan-distinguish-volatile=1 -fno-threadsafe-statics
  -fno-optimize-sibling-calls -fno-tree-sra -g1 -gdwarf-4 -Wno-psabi)
list(TRANSFORM executor_parts PREPEND ${executor_dir}/ OUTPUT_VARIABLE executor)

# executor_sources(OUT DIR FILE.cu...): translates each file to C++ in DIR. The runtime's header is included first, as
# by nvcc. Warnings are disabled here, since those of nvcc count for these files.
function(executor_sources out dir)
  set(translated)
  file(MAKE_DIRECTORY ${dir})
  foreach(source ${ARGN})
    get_filename_component(stem ${source} NAME_WE)
    add_custom_command(OUTPUT ${dir}/${stem}.cc
      COMMAND executor_translate ${source} ${dir}/${stem}.cc
      DEPENDS ${source} executor_translate VERBATIM)
    list(APPEND translated ${dir}/${stem}.cc)
  endforeach()
  set_source_files_properties(${translated} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w")
  set(${out} ${translated} PARENT_SCOPE)
endfunction()

# executor_flags(TARGET): compiles translated files. The checked longjmp of _FORTIFY_SOURCE does not support the
# program's own stacks.
function(executor_flags target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE ${executor_dir})
  target_compile_options(${target} PRIVATE ${WEFT_STRICT_FP} -U_FORTIFY_SOURCE -O1 -Wall -Wextra
    $<$<BOOL:${WEFT_WERROR}>:-Werror>)
endfunction()

# executor_options(TARGET): adds the executor to a library or program of translated files.
function(executor_options target)
  executor_flags(${target})
  target_sources(${target} PRIVATE ${executor})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

# executor_library(TARGET FILES...): a library of translated files and the executor, which is loaded at run time.
function(executor_library target)
  add_library(${target} MODULE ${ARGN})
  executor_options(${target})
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
  target_link_options(${target} PRIVATE LINKER:-z,defs)
endfunction()
