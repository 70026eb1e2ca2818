# libweft_dist: weft on arrays that are distributed over MPI ranks.
find_package(MPI COMPONENTS C)
if(NOT MPI_C_FOUND)
  weft_left_out(MPI "libweft_dist" "MPI library")
  return()
endif()

add_library(weft_dist SHARED
  src/dist/agree.c
  src/dist/blocks_nccl.c
  src/dist/convolve.c
  src/dist/exchange.c
  src/dist/fft.c
  src/dist/forest.c
  src/dist/histogram.c
  src/dist/laplace.c
  src/dist/map.c
  src/dist/match.c
  src/dist/matmul.c
  src/dist/mpi.c
  src/dist/open.c
  src/dist/price.c
  src/dist/random.c
  src/dist/recurrence.c
  src/dist/reduce.c
  src/dist/scan.c
  src/dist/sort.c
  src/dist/threads.c
  src/dist/tridiag.c
  src/dist/tridiag_rows.c)
target_include_directories(weft_dist PRIVATE src)
weft_harden(weft_dist)
weft_run_path(weft_dist "$ORIGIN")
target_link_libraries(weft_dist PUBLIC weft PRIVATE MPI::MPI_C Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(weft_dist PROPERTIES EXPORT_NAME weft_dist VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

# libweft_nccl.so, which libweft_dist loads where all ranks have GPUs: built where NCCL and CUDA's runtime are found.
# Without it blocks go through host memory.
set(WEFT_NCCL AUTO CACHE STRING "Build libweft_nccl for libweft_dist: AUTO (when NCCL is found), ON, OFF")
if(TARGET weft_cuda AND NOT WEFT_NCCL STREQUAL "OFF")
  find_package(CUDAToolkit QUIET)
  find_path(WEFT_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(WEFT_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
endif()
if(WEFT_NCCL_INCLUDE AND WEFT_NCCL_LIBRARY AND TARGET CUDA::cudart_static)
  add_library(weft_nccl MODULE src/dist/nccl.c)
  target_include_directories(weft_nccl PRIVATE include src)
  target_include_directories(weft_nccl SYSTEM PRIVATE ${WEFT_NCCL_INCLUDE})
  target_link_libraries(weft_nccl PRIVATE ${WEFT_NCCL_LIBRARY} CUDA::cudart_static)
  target_link_options(weft_nccl PRIVATE "LINKER:--exclude-libs,ALL")
  weft_harden(weft_nccl)
  weft_run_path(weft_nccl)
  set_target_properties(weft_nccl PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
elseif(TARGET weft_cuda)
  weft_left_out(NCCL "libweft_nccl" NCCL)
endif()
