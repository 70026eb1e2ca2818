# The weft command: the public API and the .def lists, nothing else of the library.
add_executable(weft_command
  cli/apply.c
  cli/ascending.c
  cli/bench.c
  cli/closed_form.c
  cli/column.c
  cli/convolve.c
  cli/devices.c
  cli/dot.c
  cli/drawing.c
  cli/fft.c
  cli/file.c
  cli/fold_options.c
  cli/foreign.c
  cli/histogram.c
  cli/gnu_rand.c
  cli/ladder.c
  cli/ladder_chart.c
  cli/ladder_machine.c
  cli/ladder_table.c
  cli/laplace.c
  cli/main.c
  cli/map.c
  cli/input.c
  cli/kept.c
  cli/match.c
  cli/matmul.c
  cli/matmul_check.c
  cli/measure.c
  cli/merge.c
  cli/nearest.c
  cli/npy.c
  cli/npy_header.c
  cli/npy_write.c
  cli/numbers.c
  cli/operations.c
  cli/picture.c
  cli/plain.c
  cli/price.c
  cli/produce.c
  cli/progress.c
  cli/random.c
  cli/ranks.c
  cli/sample_file.c
  cli/sobol.c
  cli/recurrence.c
  cli/reduce.c
  cli/run_length.c
  cli/scaling.c
  cli/scan.c
  cli/select.c
  cli/segmented.c
  cli/show.c
  cli/signals.c
  cli/search_sorted.c
  cli/top_k.c
  cli/sort.c
  cli/source.c
  cli/sort_runs.c
  cli/streamed.c
  cli/tour.c
  cli/tour_price.c
  cli/tour_laplace.c
  cli/tour_match.c
  cli/tour_products.c
  cli/tour_filter.c
  cli/tour_scans.c
  cli/tour_size.c
  cli/tour_sort.c
  cli/tour_sums.c
  cli/tour_table.c
  cli/tour_tridiag.c
  cli/tridiag.c
  cli/tune.c
  cli/tune_check.c
  cli/tune_problems.c
  cli/heat.c
  cli/value.c
  cli/variance.c
  cli/verbs.c
  cli/verify.c)
set_target_properties(weft_command PROPERTIES OUTPUT_NAME weft)
weft_run_path(weft_command "$ORIGIN" "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
target_include_directories(weft_command PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} src)
weft_harden(weft_command)
target_compile_definitions(weft_command PRIVATE WEFT_SOURCE_DATA="${CMAKE_CURRENT_SOURCE_DIR}/examples/data")
target_link_libraries(weft_command PRIVATE weft weft_match m ${CMAKE_DL_LIBS})
find_package(PNG)
if(PNG_FOUND)
  target_link_libraries(weft_command PRIVATE PNG::PNG)
  target_compile_definitions(weft_command PRIVATE WEFT_PNG)
else()
  weft_left_out(PNG "pictures of the command" libpng)
endif()
# The loops that the tour compares with are what a program has that was compiled with `cc -O2`.
set_source_files_properties(cli/plain.c PROPERTIES COMPILE_OPTIONS -O2)
