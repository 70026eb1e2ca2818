# Operations of src/core/ops.def and their files. Configuration fails if a file is missing.
file(READ src/core/ops.def operations)
string(REGEX MATCHALL "\n(CALL|PRIMITIVE|VIEW)\\([a-z0-9_]+" WEFT_CALLS "${operations}")
string(REGEX MATCHALL "\nREDUCE\\([A-Z0-9_]+, [a-z0-9_]+" WEFT_OPERATIONS "${operations}")
string(REGEX REPLACE "\n(CALL|PRIMITIVE|VIEW)\\(" "" WEFT_CALLS "${WEFT_CALLS}")
string(REGEX REPLACE "\nREDUCE\\([A-Z0-9_]+, " "" WEFT_OPERATIONS "${WEFT_OPERATIONS}")
# Functions that have cases in the agreement suite but no line there.
file(READ verify/composed.def composed)
string(REGEX MATCHALL "\nCOMPOSED\\([a-z0-9_]+" composed "${composed}")
string(REGEX REPLACE "\nCOMPOSED\\(" "" composed "${composed}")
list(APPEND WEFT_OPERATIONS ${WEFT_CALLS} ${composed}) # all names, as in `weft verify --op NAME`
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/core/ops.def verify/composed.def)

# STEM OTHER: the files that STEM does not have of its own are those of OTHER.
set(WEFT_SHARED_FILES
  "variance reduce" "dot reduce" "partition select" "unique run_length" "segmented_reduce segmented"
  "segmented_scan segmented" "reduce_by_key segmented" "scatter gather" "argsort sort" "tridiag_pivot tridiag"
  "map_reduce map" "map_scan map" "pentadiag block_tridiag" "variance_axes reduce_axes"
  "dot_axes reduce_axes" "reduce_lanes reduce"
  "argsort_axis sort_axis" "map_views map" "put_axis take_axis")
# STEM ORACLE: the oracle of STEM is tests/oracle/ORACLE.c.
set(WEFT_SHARED_ORACLES
  "reduce exact" "variance bounds" "dot bounds" "unique select" "run_length select" "top_k ordered" "merge ordered"
  "search_sorted ordered" "fft transform" "convolve transform" "copy_view view_loops" "reduce_axes view_loops" "variance_axes view_loops"
  "dot_axes view_loops"
  "scan_axis view_loops" "sort_axis view_loops" "argsort_axis view_loops" "top_k_axis view_loops"
  "quantile_axis quantiles" "map_views map" "take_axis view_loops" "put_axis view_loops" "convolve2d transform")

# weft_operation_files(PATTERN FILES [EXCEPTIONS...]): sets FILES to the file of each operation. In PATTERN, @ is the
# stem of the operation. EXCEPTIONS are entries like those of WEFT_SHARED_FILES.
function(weft_operation_files pattern files)
  foreach(stem reduce ${WEFT_CALLS})
    foreach(exception "${stem} ${stem}" ${WEFT_SHARED_FILES} ${ARGN})
      if(exception MATCHES "^${stem} (.*)$")
        string(REPLACE "@" "${CMAKE_MATCH_1}" path "${pattern}")
        file(GLOB found ${weft_SOURCE_DIR}/${path})
        if(found)
          break()
        endif()
      endif()
    endforeach()
    if(NOT found)
      string(REPLACE "@" "${stem}" path "${pattern}")
      message(SEND_ERROR "weft: ${path} is missing: src/core/ops.def has the operation ${stem}")
    endif()
    list(APPEND all ${found})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${files} "${all}" PARENT_SCOPE)
endfunction()

# The directories of sources call weft_operation_files themselves.
if(WEFT_TESTS)
  weft_operation_files(docs/ops/@.md checked)
  weft_operation_files(tests/oracle/@.c checked ${WEFT_SHARED_ORACLES})
  foreach(operation IN LISTS WEFT_OPERATIONS)
    if(NOT EXISTS ${weft_SOURCE_DIR}/tests/golden/${operation}.txt)
      message(SEND_ERROR "weft: tests/golden/${operation}.txt is missing: src/core/ops.def or verify/composed.def has this operation")
    endif()
  endforeach()
endif()
