# The parts of weft. Library and command are always built. Each other part has an option: OFF, AUTO (built if all its
# requirements are found) or ON (an error if something is missing). `./x` sets these options for its verbs.
set(WEFT_CUDA AUTO CACHE STRING "The CUDA plugin: AUTO (when nvcc is found), ON, OFF")
foreach(part
    "EXAMPLES;the programs of examples/"
    "FORTRAN;the Fortran module (needs a Fortran compiler and Python)"
    "MPI;libweft_dist, for arrays that are distributed over MPI ranks"
    "LADDER;the teaching kernels of `weft ladder` for the executor (need g++ and Python)"
    "GPU_LADDER;the teaching kernels for a GPU (with WEFT_CUDA)"
    "TESTS;the test programs, also for the other parts that are built"
    "GPU_TESTS;the test programs that need a GPU (with WEFT_CUDA and WEFT_TESTS)"
    "BENCH;the benchmarks against other libraries")
  list(POP_FRONT part name)
  set(WEFT_${name} OFF CACHE STRING "Build ${part}: OFF, AUTO, ON")
endforeach()

# weft_left_out(PART WHAT MISSING): records that WHAT is not built although PART was requested, because MISSING was
# not found. Fails if PART is ON.
function(weft_left_out part what missing)
  if("${WEFT_${part}}" STREQUAL "ON")
    message(SEND_ERROR "weft: WEFT_${part} is ON, but ${what} cannot be built: ${missing} was not found")
  endif()
  set_property(GLOBAL APPEND PROPERTY WEFT_LEFT_OUT "${what} (no ${missing})")
endfunction()

# weft_find_language(LANGUAGE): enables LANGUAGE if there is a compiler. If the compiler was missing in an earlier
# configuration, it is searched for again.
include(CheckLanguage)
macro(weft_find_language language)
  if(NOT CMAKE_${language}_COMPILER)
    unset(CMAKE_${language}_COMPILER CACHE)
  endif()
  check_language(${language})
  if(CMAKE_${language}_COMPILER)
    enable_language(${language})
  endif()
endmacro()

# weft_report_left_out(): prints one line about everything that was left out, and writes the list to left_out.txt for
# `./x test`.
function(weft_report_left_out)
  get_property(left_out GLOBAL PROPERTY WEFT_LEFT_OUT)
  list(REMOVE_DUPLICATES left_out)
  string(JOIN "\n" lines ${left_out} "")
  file(WRITE ${CMAKE_BINARY_DIR}/left_out.txt "${lines}")
  if(left_out)
    string(JOIN ", " line ${left_out})
    message(STATUS "weft: left out: ${line}")
  endif()
endfunction()
