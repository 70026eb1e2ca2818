# The executor: runs CUDA sources on a CPU, compiled as C++. The ladder and the tests of the emulated GPU use it.
if(WEFT_SANITIZE)
  return()
endif()
weft_find_language(CXX)
if(NOT Python3_Interpreter_FOUND)
  weft_left_out(LADDER "ladder and emulated GPU" python3)
  return()
elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  weft_left_out(LADDER "ladder and emulated GPU" g++)
  return()
elseif(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  weft_left_out(LADDER "ladder and emulated GPU" "x86-64 processor")
  return()
endif()
set(executor_dir ${CMAKE_CURRENT_SOURCE_DIR}/ladder/executor)
# Compiler options for files in which every memory access is reported to executor/watch.cc.
set(executor_watch -fsanitize=thread -fno-threadsafe-statics)
set(executor ${executor_dir}/fibres.cc ${executor_dir}/runtime.cc ${executor_dir}/watch.cc)

# executor_sources(OUT DIR FILE.cu...): translates each file to C++ in DIR. The runtime's header is included first, as
# by nvcc. Warnings are disabled here, since those of nvcc count for these files.
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
# checked longjmp of _FORTIFY_SOURCE does not support the program's own stacks.
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
