# The weft command: the public API and the .def lists, nothing else of the library.
add_executable(weft_command
  cli/commands/apply.c
  cli/commands/ascending.c
  cli/bench/bench.c
  cli/tour/closed_form.c
  cli/io/column.c
  cli/commands/convolve.c
  cli/commands/devices.c
  cli/commands/dot.c
  cli/io/drawing.c
  cli/commands/fft.c
  cli/io/file.c
  cli/commands/fold_options.c
  cli/io/foreign.c
  cli/commands/histogram.c
  cli/tour/gnu_rand.c
  cli/ladder/ladder.c
  cli/ladder/ladder_chart.c
  cli/ladder/ladder_machine.c
  cli/ladder/ladder_table.c
  cli/commands/laplace.c
  cli/main.c
  cli/commands/map.c
  cli/io/input.c
  cli/io/kept.c
  cli/commands/match.c
  cli/commands/matmul.c
  cli/commands/matmul_check.c
  cli/bench/measure.c
  cli/commands/merge.c
  cli/nearest.c
  cli/io/npy.c
  cli/io/npy_header.c
  cli/io/npy_write.c
  cli/io/numbers.c
  cli/operations.c
  cli/io/picture.c
  cli/io/plain.c
  cli/commands/price.c
  cli/io/produce.c
  cli/progress.c
  cli/commands/random.c
  cli/ranks.c
  cli/io/sample_file.c
  cli/commands/sobol.c
  cli/commands/recurrence.c
  cli/commands/reduce.c
  cli/commands/run_length.c
  cli/bench/scaling.c
  cli/commands/scan.c
  cli/commands/select.c
  cli/commands/segmented.c
  cli/commands/show.c
  cli/signals.c
  cli/commands/search_sorted.c
  cli/commands/top_k.c
  cli/commands/sort.c
  cli/io/source.c
  cli/commands/sort_runs.c
  cli/io/streamed.c
  cli/tour/tour.c
  cli/tour/tour_price.c
  cli/tour/tour_laplace.c
  cli/tour/tour_match.c
  cli/tour/tour_products.c
  cli/tour/tour_filter.c
  cli/tour/tour_scans.c
  cli/tour/tour_size.c
  cli/tour/tour_sort.c
  cli/tour/tour_sums.c
  cli/tour/tour_table.c
  cli/tour/tour_tridiag.c
  cli/commands/tridiag.c
  cli/bench/tune.c
  cli/bench/tune_check.c
  cli/bench/tune_problems.c
  cli/commands/heat.c
  cli/io/value.c
  cli/commands/variance.c
  cli/verbs.c
  cli/commands/verify.c)
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
set_source_files_properties(cli/io/plain.c PROPERTIES COMPILE_OPTIONS -O2)
