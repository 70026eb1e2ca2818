# What CTest runs. Labels: agreement, oracle, api, threads, lint, mutants, install, cli, gpu,
# languages, examples, emulated.
# With a sanitizer the slow and the textual parts are left out; ThreadSanitizer takes what has threads.
set(tests_dir ${CMAKE_CURRENT_SOURCE_DIR}/tests)
if(WEFT_SANITIZE MATCHES "thread")
  set(sanitized thread)
elseif(WEFT_SANITIZE)
  set(sanitized memory)
else()
  set(sanitized no)
endif()

# ThreadSanitizer sees what orders the threads of OpenMP through LLVM's tool "archer", and must leave
# the uninstrumented libomp itself alone. Without archer every parallel region looks like a race.
if(sanitized STREQUAL thread)
  get_filename_component(omp_dir "${OpenMP_omp_LIBRARY}" REALPATH)
  get_filename_component(omp_dir "${omp_dir}" DIRECTORY)
  find_library(WEFT_ARCHER archer HINTS ${omp_dir})
  if(OpenMP_C_FOUND AND NOT WEFT_ARCHER)
    message(STATUS "weft: the thread tests are left out: no libarcher.so beside libomp")
    return()
  endif()
endif()

# weft_test(NAME LABEL TIMEOUT COMMAND...): one CTest test.
function(weft_test name label timeout)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${timeout}
    ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1;OMP_TOOL_LIBRARIES=${WEFT_ARCHER}")
endfunction()

# weft_program(NAME SOURCES...): a test program that links the library and the test inputs.
function(weft_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE weft_match weft m Threads::Threads)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endfunction()

# ------------------------------------------------------------------------------- agreement
if(TARGET weft_command)
  if(sanitized STREQUAL thread)
    weft_test(agreement_7_threads agreement 1800 weft_command --quiet --device cpu --threads 7 verify --level tiny --every 20)
  elseif(sanitized STREQUAL memory)
    weft_test(agreement_tiny agreement 1800 weft_command --quiet verify --level tiny --every 20)
  else()
    weft_test(agreement_tiny agreement 900 weft_command --quiet verify --level tiny)
    weft_test(agreement_quick agreement 900 weft_command --quiet verify --level quick --every 10)
    weft_test(golden_cpu agreement 900 weft_command --quiet --device cpu verify --golden ${tests_dir}/golden)
  endif()
  if(NOT sanitized STREQUAL thread) # the specification has one thread: nothing to find, at 20 times the cost
    weft_test(golden_ref agreement 900 weft_command --quiet verify --golden ${tests_dir}/golden)
  endif()
endif()

# ---------------------------------------------------------------------------------- oracle
if(NOT sanitized STREQUAL thread)
  foreach(oracle bounds exact histogram laplace map match ordered random recurrence matmul rules scan select segmented transform tridiag sort price)
    weft_program(oracle_${oracle} tests/oracle/${oracle}.c tests/oracle/oracle.c)
    weft_test(oracle_${oracle}_ref oracle 300 oracle_${oracle} ref)
    weft_test(oracle_${oracle}_cpu oracle 300 oracle_${oracle} cpu)
  endforeach()
  include(cmake/tests_elementary.cmake)
endif()

# ------------------------------------------------------------------------------------- api
foreach(api arguments map_arguments match_arguments random_arguments selection_arguments segmented recurrence_arguments matmul_arguments tridiag_arguments sort_arguments transform_arguments price_arguments allocation fpmode concurrency forking order_arguments)
  set(label api)
  if(api STREQUAL concurrency)
    set(label threads)
  elseif(sanitized STREQUAL thread)
    continue()
  endif()
  weft_program(api_${api} tests/api/${api}.c)
  if(api STREQUAL fpmode AND OpenMP_C_FOUND)
    target_link_libraries(api_fpmode PRIVATE OpenMP::OpenMP_C)
  endif()
  weft_test(api_${api} ${label} 180 api_${api} cpu)
  if(sanitized STREQUAL no AND NOT api STREQUAL forking)
    weft_test(api_${api}_ref ${label} 180 api_${api} ref)
  endif()
endforeach()

# ---------------------------------------------- other languages, the command, the GPU
if(NOT sanitized STREQUAL thread)
  include(cmake/tests_languages.cmake)
  include(cmake/tests_cli.cmake OPTIONAL)
  get_property(names DIRECTORY PROPERTY TESTS)
  list(FILTER names INCLUDE REGEX "^cli_")
  if(names)
    set_tests_properties(${names} PROPERTIES LABELS cli TIMEOUT 300)
  endif()
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/first.c AND TARGET example_first)
    weft_test(example_first cli 60 example_first)
    set_tests_properties(example_first PROPERTIES PASS_REGULAR_EXPRESSION "a \\. b = 26, computed on")
  endif()
endif()
if(sanitized STREQUAL no)
  include(cmake/tests_cuda.cmake OPTIONAL)
  include(cmake/tests_emulated.cmake)
endif()

# ------------------------------------------------------------------ lint, mutants, install
if(sanitized STREQUAL no)
  foreach(lint includes header words symbols contraction)
    weft_test(lint_${lint} lint 60 sh ${tests_dir}/lint/${lint}.sh ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  endforeach()
  foreach(part 0 1)
    weft_test(mutants_${part} mutants 3600 sh ${tests_dir}/mutants/run.sh ${CMAKE_CURRENT_SOURCE_DIR} ${part} 2)
  endforeach()
  if(EXISTS ${tests_dir}/install/run.sh)
    weft_test(install install 300 sh ${tests_dir}/install/run.sh ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  endif()
endif()
