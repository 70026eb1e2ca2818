# What CTest runs. Labels: agreement, oracle, api, threads, lint, mutants, install, cli, gpu.
# With a sanitizer the slow and the textual parts are left out; ThreadSanitizer takes what has threads.
set(tests_dir ${CMAKE_CURRENT_SOURCE_DIR}/tests)
if(WEFT_SANITIZE MATCHES "thread")
  set(sanitized thread)
elseif(WEFT_SANITIZE)
  set(sanitized memory)
else()
  set(sanitized no)
endif()

# weft_test(NAME LABEL TIMEOUT COMMAND...): one CTest test.
function(weft_test name label timeout)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${timeout}
    ENVIRONMENT "TSAN_OPTIONS=suppressions=${tests_dir}/lint/tsan.txt ignore_noninstrumented_modules=1")
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
    weft_test(agreement_7_threads agreement 300 weft_command --quiet --device cpu --threads 7 verify --level tiny)
  elseif(sanitized STREQUAL memory)
    weft_test(agreement_tiny agreement 300 weft_command --quiet verify --level tiny)
  else()
    weft_test(agreement_quick agreement 300 weft_command --quiet verify --level quick)
    weft_test(golden_cpu agreement 60 weft_command --quiet --device cpu verify --golden ${tests_dir}/golden)
  endif()
  weft_test(golden_ref agreement 60 weft_command --quiet verify --golden ${tests_dir}/golden)
endif()

# ---------------------------------------------------------------------------------- oracle
if(NOT sanitized STREQUAL thread)
  foreach(oracle bounds extremes rules)
    weft_program(oracle_${oracle} tests/oracle/${oracle}.c tests/oracle/oracle.c)
    weft_test(oracle_${oracle}_ref oracle 120 oracle_${oracle} ref)
    weft_test(oracle_${oracle}_cpu oracle 120 oracle_${oracle} cpu)
  endforeach()
endif()

# ------------------------------------------------------------------------------------- api
foreach(api arguments allocation fpmode concurrency forking)
  set(label api)
  if(api STREQUAL concurrency)
    set(label threads)
  elseif(sanitized STREQUAL thread)
    continue()
  endif()
  weft_program(api_${api} tests/api/${api}.c)
  weft_test(api_${api} ${label} 180 api_${api} cpu)
  if(sanitized STREQUAL no AND NOT api STREQUAL forking)
    weft_test(api_${api}_ref ${label} 180 api_${api} ref)
  endif()
endforeach()
