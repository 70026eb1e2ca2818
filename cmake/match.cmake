# The agreement engine, which the command (`weft verify`) and the tests link.
add_library(weft_match STATIC
  tests/cases/convolve.c
  tests/cases/argsort.c
  tests/cases/dot.c
  tests/cases/histogram.c
  tests/cases/fft.c
  tests/cases/laplace.c
  tests/cases/random.c
  tests/cases/sobol.c
  tests/cases/recurrence.c
  tests/cases/match.c
  tests/cases/map.c
  tests/cases/merge.c
  tests/cases/price.c
  tests/cases/matmul.c
  tests/cases/reduce.c
  tests/cases/run_length.c
  tests/cases/scan.c
  tests/cases/select.c
  tests/cases/segmented.c
  tests/cases/search_sorted.c
  tests/cases/top_k.c
  tests/cases/tridiag.c
  tests/cases/heat.c
  tests/cases/sort.c
  tests/cases/variance.c
  tests/golden.c
  tests/inputs.c
  tests/match.c
  tests/memory.c
  tests/sorted.c
  tests/targets.c
  tests/walk.c)
target_include_directories(weft_match PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} src)
weft_harden(weft_match)
target_link_libraries(weft_match PUBLIC weft Threads::Threads)
