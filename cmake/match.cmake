# The agreement engine, which the command (`weft verify`) and the tests link.
add_library(weft_match STATIC
  tests/cases/argsort.c
  tests/cases/dot.c
  tests/cases/reduce.c
  tests/cases/scan.c
  tests/cases/sort.c
  tests/cases/variance.c
  tests/golden.c
  tests/inputs.c
  tests/match.c
  tests/memory.c
  tests/targets.c
  tests/walk.c)
target_include_directories(weft_match PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} src)
target_link_libraries(weft_match PUBLIC weft)
