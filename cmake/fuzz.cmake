# The fuzzers of tests/fuzz, by clang's libFuzzer: preset `fuzz`, run by tests/fuzz/run.sh.
# weft_fuzzer(NAME SOURCES...)
function(weft_fuzzer name)
  add_executable(fuzz_${name} tests/fuzz/fuzz_${name}.c ${ARGN})
  target_include_directories(fuzz_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} include src)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_${name} PRIVATE weft)
endfunction()

weft_fuzzer(exact_state)
weft_fuzzer(formula)
weft_fuzzer(npy_header cli/io/npy/npy_header.c)
weft_fuzzer(view)
