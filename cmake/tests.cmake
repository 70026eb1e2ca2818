# Tests run by CTest. Labels: agreement, oracle, api, threads, lint, install, cli, gpu, languages, examples, emulated,
# ladder, docs, dist, nvrtc, web; and deep, for tests that are not run daily. With a sanitizer, slow tests and tests of
# texts are omitted, and most of the others are deep; ThreadSanitizer runs the tests that use threads.
set(tests_dir ${CMAKE_CURRENT_SOURCE_DIR}/tests)
if(WEFT_SANITIZE MATCHES "thread")
  set(sanitized thread)
elseif(WEFT_SANITIZE)
  set(sanitized memory)
else()
  set(sanitized no)
endif()

# weft_test(NAME LABEL TIMEOUT COMMAND...): one CTest test. Short inputs are processed by several threads too, on every
# machine (WEFT_THREAD_BYTES).
function(weft_test name label timeout)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${timeout}
    ENVIRONMENT_MODIFICATION WEFT_THREAD_BYTES=set:4096)
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
    foreach(op IN LISTS WEFT_OPERATIONS)
      weft_test(agreement_tiny_${op} agreement 300 weft_command --quiet verify --level tiny --op ${op})
    endforeach()
    weft_test(digest_cpu "agreement;deep" 1800 sh -c "\"$0\" verify --digest | diff - \"$1\"" $<TARGET_FILE:weft_command>
      ${tests_dir}/golden/digest.txt)
    weft_test(agreement_quick "agreement;deep" 3600 weft_command --quiet verify --level quick --every 10)
    weft_test(golden_cpu agreement 900 weft_command --quiet --device cpu verify --golden ${tests_dir}/golden)
  endif()
  if(NOT sanitized STREQUAL thread) # the specification has one thread: nothing to find, at 20 times the cost
    weft_test(golden_ref "agreement;deep" 3600 weft_command --quiet verify --golden ${tests_dir}/golden)
  endif()
endif()

# ---------------------------------------------------------------------------------- oracle
if(NOT sanitized STREQUAL thread)
  file(GLOB oracles RELATIVE ${tests_dir}/oracle CONFIGURE_DEPENDS ${tests_dir}/oracle/*.c)
  list(FILTER oracles EXCLUDE REGEX "^(oracle|elementary.*|exact_sum|exact_states)\.c$") # shared code, and tests_elementary.cmake
  foreach(oracle IN LISTS oracles)
    string(REPLACE .c "" oracle ${oracle})
    weft_program(oracle_${oracle} tests/oracle/${oracle}.c tests/oracle/oracle.c)
    weft_test(oracle_${oracle}_ref oracle 300 oracle_${oracle} ref)
    weft_test(oracle_${oracle}_cpu oracle 300 oracle_${oracle} cpu)
  endforeach()
  include(cmake/tests_elementary.cmake)
endif()

# ----------------------------------------------------------------------------- test vectors
if(TARGET weft_command AND Python3_Interpreter_FOUND AND NOT sanitized STREQUAL thread)
  set(vectors ${Python3_EXECUTABLE} -B ${tests_dir}/vectors/check.py)
  foreach(device cpu ref)
    weft_test(vectors_${device} agreement 300 ${vectors} $<TARGET_FILE:weft_command> ${device})
  endforeach()
  weft_test(vectors_verify docs 600 ${vectors} ${CMAKE_CURRENT_SOURCE_DIR}/docs/spec/verify.py)
  set_tests_properties(vectors_verify PROPERTIES SKIP_RETURN_CODE 77) # without NumPy
endif()

# ------------------------------------------------------------------------------------- api
file(GLOB apis RELATIVE ${tests_dir}/api CONFIGURE_DEPENDS ${tests_dir}/api/*.c)
foreach(api IN LISTS apis)
  string(REPLACE .c "" api ${api})
  set(label api)
  if(api MATCHES "concurrency|cancelling|executor|thread_bytes")
    set(label threads)
  elseif(sanitized STREQUAL thread)
    continue()
  elseif(api MATCHES "small_stack|threads_refused" AND NOT sanitized STREQUAL no) # requires a larger stack; defines its own pthread_create
    continue()
  endif()
  weft_program(api_${api} tests/api/${api}.c)
  if(api MATCHES "allocator|cancelling|concurrency|executor|thread_bytes|threads_refused")
    target_sources(api_${api} PRIVATE tests/every.c)
  elseif(api STREQUAL cgroups) # tests a function that the library does not export
    target_sources(api_cgroups PRIVATE src/cpu/runtime/quota.c)
    target_include_directories(api_cgroups PRIVATE src)
  endif()
  weft_test(api_${api} ${label} 180 api_${api} cpu)
  if(sanitized STREQUAL no AND NOT api MATCHES "forking|cgroups|transform_parts")
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
  if(TARGET weft_ladder_executor)
    ladder_tests()
  endif()
  # Programs of tests/api that also test another device, whose name is their argument.
  set(device_apis allocator broadcasts complex_formulas complex_products convolve_axes exact_arguments formula_reductions
    gather_arguments half_elements half_orders half_products half_reductions half_samples half_sources
    histogram_axes image_filters lanes_paper long_columns matrix_vector medians order_arguments partial row_axes
    scatter_sources segmented selection_arguments sort_arguments sources stacked_products top_k_steps
    transform_lengths transform_parts transpositions)
  include(cmake/tests_cuda.cmake OPTIONAL)
  include(cmake/tests_emulated.cmake)
  include(cmake/tests_executor.cmake)
  include(cmake/tests_amx.cmake)
  include(cmake/tests_dist.cmake)
endif()

# --------------------------------------------------------------------------- lint, install
if(sanitized STREQUAL no)
  foreach(lint includes header generic halves words vocabulary symbols contraction hardening compilers registers machines)
    weft_test(lint_${lint} lint 300 sh ${tests_dir}/lint/${lint}.sh ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  endforeach()
  weft_test(lint_stack "lint;deep" 1800 sh ${tests_dir}/lint/stack.sh ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  if(Python3_Interpreter_FOUND)
    file(GLOB pages_ops CONFIGURE_DEPENDS docs/ops/*.md)
    file(GLOB pages_guide CONFIGURE_DEPENDS README.md docs/guide/*.md docs/dev/*.md docs/spec/*.md)
    foreach(pages ops guide)
      weft_test(docs_${pages} docs 900 ${Python3_EXECUTABLE} ${tests_dir}/docs/run.py ${CMAKE_CURRENT_SOURCE_DIR}
        ${CMAKE_BINARY_DIR} ${pages_${pages}})
    endforeach()
    weft_test(docs_links docs 60 ${Python3_EXECUTABLE} ${tests_dir}/docs/links.py ${CMAKE_CURRENT_SOURCE_DIR})
    weft_test(docs_columns docs 60 ${Python3_EXECUTABLE} -B ${tests_dir}/docs/columns.py ${CMAKE_CURRENT_SOURCE_DIR})
    weft_test(docs_performance docs 60 ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/bench/performance.py --check
      ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(EXISTS ${tests_dir}/install/run.sh)
    weft_test(install install 300 sh ${tests_dir}/install/run.sh ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  endif()
endif()

# ---------------------------------------------------------------- WebAssembly, the page for browsers
if(sanitized STREQUAL no)
  weft_program(web_fma tests/web/fused.c)
  weft_test(web_fma web 60 web_fma)
  weft_test(web_page "web;deep" 3600 sh ${tests_dir}/web/run.sh ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(web_page PROPERTIES SKIP_RETURN_CODE 77)
endif()

# ------------------------------------------------------------ the daily sample with AddressSanitizer
if(sanitized STREQUAL memory)
  get_property(names DIRECTORY PROPERTY TESTS)
  list(FILTER names INCLUDE REGEX "^oracle_.*_ref$|^oracle_matmul_|^api_(fpmode|sources)$|^cli_")
  list(FILTER names EXCLUDE REGEX "^cli_(faults|files|inputs|json|stream)$")
  foreach(name IN LISTS names)
    get_test_property(${name} LABELS label)
    set_tests_properties(${name} PROPERTIES LABELS "${label};deep")
  endforeach()
endif()
