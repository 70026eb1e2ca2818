# libweft_dist: weft on arrays that are spread over the ranks of MPI. Built where MPI is found.
set(WEFT_MPI AUTO CACHE STRING "Build libweft_dist: AUTO (when MPI is found), ON, OFF")
if(NOT WEFT_MPI STREQUAL "OFF")
  find_package(MPI COMPONENTS C)
endif()
if(NOT MPI_C_FOUND)
  if(WEFT_MPI STREQUAL "ON")
    message(FATAL_ERROR "weft: WEFT_MPI is ON, and no MPI was found")
  endif()
  message(STATUS "weft: libweft_dist is left out: no MPI")
  return()
endif()

add_library(weft_dist SHARED
  src/dist/agree.c
  src/dist/dist.c
  src/dist/exchange.c
  src/dist/histogram.c
  src/dist/laplace.c
  src/dist/map.c
  src/dist/match.c
  src/dist/random.c
  src/dist/recurrence.c
  src/dist/reduce.c
  src/dist/scan.c
  src/dist/sort.c
  src/dist/tridiag.c)
target_include_directories(weft_dist PRIVATE src)
target_link_libraries(weft_dist PUBLIC weft PRIVATE MPI::MPI_C m)
set_target_properties(weft_dist PROPERTIES EXPORT_NAME weft_dist VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
