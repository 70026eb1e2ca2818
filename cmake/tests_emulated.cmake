# The CUDA code of some operations, compiled as C++ and run on a CPU (tests/emulated): the agreement suite against a
# plugin that needs neither nvcc nor a GPU. Label emulated. WEFT_EMULATED_SEED runs threads and blocks in random order.
find_package(Python3 COMPONENTS Interpreter)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" OR
   NOT Python3_Interpreter_FOUND)
  message(STATUS "weft: the tests of an emulated GPU are left out: they want g++ on x86-64, and python3")
  return()
endif()

set(emulated ${CMAKE_BINARY_DIR}/tests/emulated)
file(MAKE_DIRECTORY ${emulated})
foreach(stem arrays call cuda dot extremes integers map match price random reduce scratch sums variance)
  add_custom_command(OUTPUT ${emulated}/${stem}.cc
    COMMAND Python3::Interpreter ${tests_dir}/emulated/translate.py
      ${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/${stem}.cu ${emulated}/${stem}.cc
    DEPENDS src/cuda/${stem}.cu tests/emulated/translate.py VERBATIM)
  list(APPEND translated ${emulated}/${stem}.cc)
endforeach()
# Like nvcc, with the runtime's header before anything else. It is nvcc whose warnings count for these.
set_source_files_properties(${translated} PROPERTIES COMPILE_OPTIONS "-include;cuda_runtime.h;-w")

add_library(weft_emulated MODULE ${translated} tests/emulated/device.cc tests/emulated/fibres.cc)
set_target_properties(weft_emulated PROPERTIES OUTPUT_NAME weft_cuda LIBRARY_OUTPUT_DIRECTORY ${emulated}
  CXX_VISIBILITY_PRESET hidden)
target_compile_features(weft_emulated PRIVATE cxx_std_20)
target_compile_definitions(weft_emulated PRIVATE __CUDACC__ __CUDA_ARCH__=900)
target_include_directories(weft_emulated PRIVATE tests/emulated include src)
# The checked longjmp of _FORTIFY_SOURCE does not know stacks of the program's own.
target_compile_options(weft_emulated PRIVATE ${WEFT_STRICT_FP} -U_FORTIFY_SOURCE -O1 -Wall -Wextra
  $<$<BOOL:${WEFT_WERROR}>:-Werror>)
target_link_libraries(weft_emulated PRIVATE ${CMAKE_DL_LIBS})
target_link_options(weft_emulated PRIVATE LINKER:-z,defs)

# emulated_test(OPERATION EVERY [SEED]): one case in EVERY; with a seed, in random order.
function(emulated_test operation every)
  set(name emulated_${operation})
  set(environment "WEFT_PLUGIN_DIR=${emulated}")
  if(ARGC GREATER 2)
    set(name ${name}_any_order)
    list(APPEND environment "WEFT_EMULATED_SEED=${ARGV2}")
  endif()
  weft_test(${name} emulated 120 weft_command --quiet --device cuda verify --level tiny --every ${every} --op ${operation})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
endfunction()
foreach(operation sum mean norm2 xor argmin dot variance random price)
  emulated_test(${operation} 1)
endforeach()
emulated_test(match 2)
emulated_test(map 4)
emulated_test(map_reduce 6)
foreach(operation sum argmin dot price match map_reduce)
  emulated_test(${operation} 20 1)
endforeach()
