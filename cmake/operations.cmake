# Operations of src/core/ops.def, and a check at configuration that the files of each operation exist.
file(READ src/core/ops.def operations)
string(REGEX MATCHALL "\nCALL\\([a-z0-9_]+" WEFT_CALLS "${operations}")
string(REGEX MATCHALL "\nREDUCE\\([A-Z0-9_]+, [a-z0-9_]+" WEFT_OPERATIONS "${operations}")
string(REGEX REPLACE "\nCALL\\(" "" WEFT_CALLS "${WEFT_CALLS}")
string(REGEX REPLACE "\nREDUCE\\([A-Z0-9_]+, " "" WEFT_OPERATIONS "${WEFT_OPERATIONS}")
list(APPEND WEFT_OPERATIONS ${WEFT_CALLS}) # all names, as in `weft NAME`
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/core/ops.def)

# Files of each operation. @ is the stem of the operation.
set(operation_files src/core/api_@.c src/ref/@.c src/cpu/@.c src/cuda/*/@.cu verify/cases/@.c cli/commands/@.c)
if(WEFT_TESTS)
  list(APPEND operation_files tests/oracle/@.c docs/ops/@.md)
endif()

# Exceptions: STEM OTHER: a file that STEM lacks is the file of OTHER.
set(operations_within
  "variance reduce" "dot reduce" "partition select" "unique run_length" "segmented_reduce segmented"
  "segmented_scan segmented" "reduce_by_key segmented" "argsort sort" "map_reduce map" "map_scan map")
# STEM ORACLE: the oracle of STEM is tests/oracle/ORACLE.c.
set(operations_with_oracle
  "reduce exact" "variance bounds" "dot bounds" "unique select" "run_length select" "top_k ordered" "merge ordered"
  "search_sorted ordered" "fft transform" "convolve transform")

# weft_operation_file(STEM PATTERN FOUND): sets FOUND to the files that PATTERN names for STEM.
function(weft_operation_file stem pattern found)
  string(REPLACE "@" "${stem}" path "${pattern}")
  file(GLOB files ${path})
  set(${found} "${files}" PARENT_SCOPE)
endfunction()

foreach(stem reduce ${WEFT_CALLS})
  foreach(pattern IN LISTS operation_files)
    set(exceptions ${operations_within})
    if(pattern MATCHES "oracle")
      list(APPEND exceptions ${operations_with_oracle})
    endif()
    weft_operation_file(${stem} ${pattern} found)
    foreach(exception IN LISTS exceptions)
      if(NOT found AND exception MATCHES "^${stem} (.*)$")
        weft_operation_file(${CMAKE_MATCH_1} ${pattern} found)
      endif()
    endforeach()
    if(NOT found)
      string(REPLACE "@" "${stem}" path "${pattern}")
      message(SEND_ERROR "weft: ${path} is missing: src/core/ops.def has the operation ${stem}")
    endif()
  endforeach()
endforeach()
if(WEFT_TESTS)
  foreach(operation IN LISTS WEFT_OPERATIONS)
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/tests/golden/${operation}.txt)
      message(SEND_ERROR "weft: tests/golden/${operation}.txt is missing: src/core/ops.def has this operation")
    endif()
  endforeach()
endif()
