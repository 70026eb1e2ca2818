# Tests of libweft_dist under mpirun, also with more ranks than cores: with the MPI that it was built with and, if
# that is not MPICH and MPICH is available, also with MPICH. Label dist; the tests with 3 ranks or threads and one run of
# the command are daily tests, the others are deep.
if(NOT TARGET weft_dist)
  return()
endif()

# dist_program(NAME DIST MPI SOURCES...): a test program linked with a libweft_dist and its MPI.
function(dist_program name dist mpi)
  weft_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${dist} ${mpi})
endfunction()

# dist_deep(NAME...): these tests are not run daily.
function(dist_deep)
  foreach(test ${ARGN})
    set_tests_properties(dist_${test} PROPERTIES LABELS "dist;deep")
  endforeach()
endfunction()

# dist_test(NAME MPIEXEC RANKS PROGRAM ARGUMENTS...)
function(dist_test name mpiexec ranks)
  weft_test(dist_${name} dist 600 sh ${tests_dir}/dist/run.sh ${mpiexec} ${ranks} ${ARGN})
  set_tests_properties(dist_${name} PROPERTIES PROCESSORS 2)
endfunction()

# dist_tests(SUFFIX MPIEXEC [VARIABLE=VALUE...]): tests that are run with every MPI, on programs dist_*SUFFIX.
function(dist_tests suffix mpiexec)
  foreach(ranks 1 2 3 5 8)
    dist_test(agreement${suffix}_${ranks} ${mpiexec} ${ranks} $<TARGET_FILE:dist_agreement${suffix}> cpu ${ranks})
  endforeach()
  dist_test(faults${suffix} ${mpiexec} 3 $<TARGET_FILE:dist_faults${suffix}> arguments)
  weft_test(dist_death${suffix} dist 600 sh ${tests_dir}/dist/death.sh ${mpiexec} $<TARGET_FILE:dist_faults${suffix}>)
  weft_test(dist_command${suffix} dist 600 sh ${tests_dir}/dist/command.sh ${mpiexec} $<TARGET_FILE:weft_command>)
  foreach(test agreement${suffix}_1 agreement${suffix}_2 agreement${suffix}_3 agreement${suffix}_5 agreement${suffix}_8
      faults${suffix} death${suffix} command${suffix})
    set_tests_properties(dist_${test} PROPERTIES ENVIRONMENT "${ARGN}")
  endforeach()
  dist_deep(agreement${suffix}_1 agreement${suffix}_2 agreement${suffix}_5 agreement${suffix}_8)
endfunction()

set(dist_agreement tests/dist/agreement.c tests/dist/grids.c tests/dist/pencils.c tests/dist/scans.c tests/dist/spectra.c tests/dist/world.c)
set(dist_faults tests/dist/faults.c tests/dist/world.c)
foreach(program dist_agreement dist_faults)
  dist_program(${program} weft_dist MPI::MPI_C ${${program}})
endforeach()
foreach(threads 1 2 3 5)
  weft_test(dist_threads_${threads} dist 600 $<TARGET_FILE:dist_agreement> cpu ${threads} ${threads})
endforeach()
dist_deep(threads_1 threads_2 threads_5)
weft_test(dist_launcher dist 600 sh ${tests_dir}/dist/launcher.sh $<TARGET_FILE:weft_command>)
if(TARGET weft_emulated)
  # Slices in the memory of an emulated GPU (cmake/tests_emulated.cmake).
  dist_test(emulated ${MPIEXEC_EXECUTABLE} 2 $<TARGET_FILE:dist_agreement> cuda 0)
  set_tests_properties(dist_emulated PROPERTIES ENVIRONMENT "WEFT_PLUGIN_DIR=${emulated}" TIMEOUT 600)
  dist_deep(emulated)
endif()
if(TARGET example_random_walk)
  foreach(ranks 1 4)
    dist_test(example_${ranks} ${MPIEXEC_EXECUTABLE} ${ranks} $<TARGET_FILE:example_random_walk> 100003)
  endforeach()
  dist_test(example_planes ${MPIEXEC_EXECUTABLE} 3 $<TARGET_FILE:example_poisson> 20)
  dist_test(example_pencils ${MPIEXEC_EXECUTABLE} 4 $<TARGET_FILE:example_poisson> 21 2)
endif()

# ------------------------------------------------------------------------------------------------------------ MPICH
# patient(MPI): the layer that allows more MPICH ranks than cores.
function(patient mpi)
  add_library(weft_patient MODULE tests/dist/patient.c)
  target_link_libraries(weft_patient PRIVATE ${mpi})
  set_target_properties(weft_patient PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests C_VISIBILITY_PRESET default)
endfunction()

if(MPI_C_HEADER_DIR MATCHES "mpich")
  patient(MPI::MPI_C)
  dist_tests("" ${MPIEXEC_EXECUTABLE} "WEFT_MPI_LAYER=$<TARGET_FILE:weft_patient>")
  return()
endif()
dist_tests("" ${MPIEXEC_EXECUTABLE})

find_program(WEFT_MPICH_COMPILER mpicc.mpich)
find_program(WEFT_MPICH_MPIEXEC mpiexec.mpich)
if(NOT WEFT_MPICH_COMPILER OR NOT WEFT_MPICH_MPIEXEC)
  weft_left_out(MPICH "tests of libweft_dist with MPICH" "mpicc.mpich or mpiexec.mpich")
  return()
endif()
weft_test(dist_launcher_mpich dist 600 sh ${tests_dir}/dist/launcher.sh $<TARGET_FILE:weft_command> ${WEFT_MPICH_MPIEXEC})
execute_process(COMMAND ${WEFT_MPICH_COMPILER} -show OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(words UNIX_COMMAND "${words}")
add_library(weft_mpich INTERFACE)
foreach(word ${words})
  if(word MATCHES "^-I(.*)")
    target_include_directories(weft_mpich SYSTEM INTERFACE ${CMAKE_MATCH_1})
  elseif(word MATCHES "^-[Ll]")
    target_link_libraries(weft_mpich INTERFACE ${word})
  endif()
endforeach()
patient(weft_mpich)

# A library of equal name in its own directory, which must be the first one searched. One of the two is enough for
# tools that read the list of compile commands.
set(mpich ${CMAKE_BINARY_DIR}/tests/mpich)
get_target_property(sources weft_dist SOURCES)
add_library(weft_dist_mpich SHARED ${sources})
target_include_directories(weft_dist_mpich PRIVATE src)
target_link_libraries(weft_dist_mpich PUBLIC weft PRIVATE weft_mpich Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(weft_dist_mpich PROPERTIES OUTPUT_NAME weft_dist LIBRARY_OUTPUT_DIRECTORY ${mpich}
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_COMPILE_COMMANDS OFF)
foreach(program dist_agreement dist_faults)
  dist_program(${program}_mpich weft_dist_mpich weft_mpich ${${program}})
  set_target_properties(${program}_mpich PROPERTIES BUILD_RPATH ${mpich} EXPORT_COMPILE_COMMANDS OFF)
endforeach()
dist_tests(_mpich ${WEFT_MPICH_MPIEXEC} "LD_LIBRARY_PATH=${mpich};WEFT_MPI_LAYER=$<TARGET_FILE:weft_patient>")
dist_deep(command_mpich)
