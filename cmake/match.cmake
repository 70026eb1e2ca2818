# The agreement engine, which the command (`weft verify`) and the tests link.
add_library(weft_match STATIC
  verify/cases/convolve.c
  verify/cases/argsort.c
  verify/cases/dot.c
  verify/cases/histogram.c
  verify/cases/fft.c
  verify/cases/laplace.c
  verify/cases/random.c
  verify/cases/sobol.c
  verify/cases/recurrence.c
  verify/cases/match.c
  verify/cases/map.c
  verify/cases/merge.c
  verify/cases/price.c
  verify/cases/matmul.c
  verify/cases/reduce.c
  verify/cases/run_length.c
  verify/cases/scan.c
  verify/cases/select.c
  verify/cases/segmented.c
  verify/cases/search_sorted.c
  verify/cases/top_k.c
  verify/cases/tridiag.c
  verify/cases/heat.c
  verify/cases/sort.c
  verify/cases/variance.c
  verify/golden.c
  verify/inputs.c
  verify/match.c
  verify/memory.c
  verify/sorted.c
  verify/targets.c
  verify/walk.c)
target_include_directories(weft_match PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} src)
weft_harden(weft_match)
target_link_libraries(weft_match PUBLIC weft Threads::Threads)
