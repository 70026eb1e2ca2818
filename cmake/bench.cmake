# OpenBLAS of the system, or that of the Python package scipy-openblas32 in the directory DIR:
# -DWEFT_CBLAS_H=DIR/include -DWEFT_OPENBLAS=DIR/lib/libscipy_openblas.so.
find_path(WEFT_CBLAS_H openblas_config.h
  PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE} openblas ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread)
find_library(WEFT_OPENBLAS openblas)

# weft_link_openblas(TARGET): links OpenBLAS. All names of that package begin with scipy_.
function(weft_link_openblas target)
  if(WEFT_CBLAS_H)
    target_include_directories(${target} SYSTEM PRIVATE ${WEFT_CBLAS_H})
  endif()
  target_link_libraries(${target} PRIVATE ${WEFT_OPENBLAS})
  if(WEFT_OPENBLAS MATCHES "scipy_openblas")
    foreach(name cblas_sdot cblas_ddot cblas_dnrm2 cblas_sgemv cblas_dgemv cblas_sgemm cblas_dgemm sgtsv_ dgtsv_ dpbsv_
        dgbsv_ openblas_set_num_threads openblas_get_config openblas_get_corename)
      target_compile_definitions(${target} PRIVATE ${name}=scipy_${name})
    endforeach()
  endif()
endfunction()

# build/bench_cpu: weft compared with OpenMP simd loops and, if available, with OpenBLAS and the parallel scan of the
# C++ standard library (which requires TBB).
find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
  add_executable(bench_cpu bench/cpu_peers.c bench/cpu_openmp_peer.c)
  target_link_libraries(bench_cpu PRIVATE weft OpenMP::OpenMP_C)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-march=native WEFT_HAS_MARCH_NATIVE)
  # The peer is compiled for this machine only, without WEFT_STRICT_FP.
  set_source_files_properties(bench/cpu_openmp_peer.c PROPERTIES
    COMPILE_OPTIONS "-O3;$<$<BOOL:${WEFT_HAS_MARCH_NATIVE}>:-march=native>;-ffp-contract=fast;$<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>")

  if(WEFT_CBLAS_H AND WEFT_OPENBLAS)
    weft_link_openblas(bench_cpu)
    target_compile_definitions(bench_cpu PRIVATE WEFT_BENCH_OPENBLAS)
    add_executable(bench_cpu_matmul bench/cpu_matmul_peer.c)
    target_link_libraries(bench_cpu_matmul PRIVATE weft)
    weft_link_openblas(bench_cpu_matmul)
  else()
    weft_left_out(PEERS "benchmark rows of OpenBLAS" OpenBLAS)
  endif()

  weft_find_language(CXX)
  if(CMAKE_CXX_COMPILER)
    find_package(TBB QUIET)
  endif()
  if(TBB_FOUND)
    target_sources(bench_cpu PRIVATE bench/cpu_scan_peer.cpp bench/cpu_sort_peer.cpp)
    target_compile_features(bench_cpu PRIVATE cxx_std_17)
    set_source_files_properties(bench/cpu_scan_peer.cpp bench/cpu_sort_peer.cpp PROPERTIES
      COMPILE_OPTIONS "-O3;$<$<BOOL:${WEFT_HAS_MARCH_NATIVE}>:-march=native>")
    target_link_libraries(bench_cpu PRIVATE TBB::tbb)
    target_compile_definitions(bench_cpu PRIVATE WEFT_BENCH_STD_SCAN)
  else()
    weft_left_out(PEERS "benchmark rows of C++17's scan and sort" TBB)
  endif()
endif()

# build/bench_cpu_fft: transforms compared with FFTW.
find_path(WEFT_FFTW_H fftw3.h)
find_library(WEFT_FFTW fftw3)
find_library(WEFT_FFTWF fftw3f)
find_library(WEFT_FFTWL fftw3l)
if(WEFT_FFTW_H AND WEFT_FFTW AND WEFT_FFTWF)
  add_executable(bench_cpu_fft bench/cpu_fft_peers.c)
  target_include_directories(bench_cpu_fft SYSTEM PRIVATE ${WEFT_FFTW_H})
  target_link_libraries(bench_cpu_fft PRIVATE weft ${WEFT_FFTWF} ${WEFT_FFTW} m)
  # build/bench_cpu_fft_accuracy: errors of transforms, weft's and FFTW's.
  if(WEFT_FFTWL)
    add_executable(bench_cpu_fft_accuracy bench/cpu_fft_accuracy.c)
    target_include_directories(bench_cpu_fft_accuracy SYSTEM PRIVATE ${WEFT_FFTW_H})
    target_link_libraries(bench_cpu_fft_accuracy PRIVATE weft ${WEFT_FFTWL} ${WEFT_FFTWF} ${WEFT_FFTW} m)
  endif()
else()
  weft_left_out(PEERS "benchmark of transforms" FFTW)
endif()
include(cmake/bench_cuda.cmake OPTIONAL)

# build/bench_cpu_tridiag, bench_cpu_tridiag_f64 and bench_cpu_block_tridiag: solvers of systems with bands compared with
# the Thomas algorithm and, if available, LAPACK.
if(OpenMP_C_FOUND)
  add_executable(bench_cpu_tridiag bench/cpu_tridiag_peers.c)
  add_executable(bench_cpu_tridiag_f64 bench/cpu_tridiag_peers.c)
  add_executable(bench_cpu_block_tridiag bench/cpu_block_tridiag_peers.c)
  foreach(program tridiag tridiag_f64 block_tridiag)
    target_link_libraries(bench_cpu_${program} PRIVATE weft OpenMP::OpenMP_C)
    target_compile_options(bench_cpu_${program} PRIVATE -O3
      $<$<BOOL:${WEFT_HAS_MARCH_NATIVE}>:-march=native> -ffp-contract=fast)
    if(WEFT_OPENBLAS)
      weft_link_openblas(bench_cpu_${program})
      target_compile_definitions(bench_cpu_${program} PRIVATE WEFT_BENCH_LAPACK)
    endif()
  endforeach()
  target_compile_definitions(bench_cpu_tridiag_f64 PRIVATE WEFT_BENCH_F64)
endif()

# build/bench_cpu_threads: the threads of weft compared with those of OpenMP, idle and under load.
if(OpenMP_C_FOUND)
  add_executable(bench_cpu_threads bench/cpu_threads.c bench/cpu_openmp_peer.c)
  target_link_libraries(bench_cpu_threads PRIVATE weft OpenMP::OpenMP_C)
endif()

# weft_loop_bench(NAME FILE): build/NAME, which compares weft with loops that use OpenMP.
function(weft_loop_bench name file)
  if(NOT OpenMP_C_FOUND)
    return()
  endif()
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE weft OpenMP::OpenMP_C m)
  target_compile_options(${name} PRIVATE -O3 $<$<BOOL:${WEFT_HAS_MARCH_NATIVE}>:-march=native> -ffp-contract=fast)
endfunction()

# build/bench_cpu_levels: the instruction sets of this machine compared with each other.
add_executable(bench_cpu_levels bench/cpu_levels.c)
target_link_libraries(bench_cpu_levels PRIVATE weft)

# build/bench_cpu_mkl: products, transforms and random numbers compared with MKL. -DWEFT_MKL_ROOT=DIR or the variable
# MKLROOT names the directory that contains include/mkl.h and lib/libmkl_rt.so. MKL is not free software, so its absence
# is reported, but not as a part that is left out.
set(WEFT_MKL_ROOT "$ENV{MKLROOT}" CACHE PATH "Directory of MKL, for benchmarks only")
find_path(WEFT_MKL_H mkl.h HINTS ${WEFT_MKL_ROOT} PATH_SUFFIXES include mkl)
find_library(WEFT_MKL NAMES mkl_rt libmkl_rt.so.3 libmkl_rt.so.2 HINTS ${WEFT_MKL_ROOT} PATH_SUFFIXES lib lib/intel64)
if(OpenMP_C_FOUND AND WEFT_MKL_H AND WEFT_MKL)
  weft_loop_bench(bench_cpu_mkl bench/cpu_mkl_peers.c)
  target_include_directories(bench_cpu_mkl SYSTEM PRIVATE ${WEFT_MKL_H})
  target_link_libraries(bench_cpu_mkl PRIVATE ${WEFT_MKL})
else()
  message(STATUS "weft: the benchmark of MKL is not built (WEFT_MKL_ROOT names its directory)")
endif()

# build/bench_cpu_random: weft_random compared with the C library's generator.
weft_loop_bench(bench_cpu_random bench/cpu_random_peers.c)

# build/bench_cpu_rows: rows, histograms, segments, grids, filters and partition compared with loops.
weft_loop_bench(bench_cpu_rows bench/cpu_rows_peers.c)

# build/bench_cpu_axes: reductions, scans and copies of arrays of several dimensions compared with loops.
weft_loop_bench(bench_cpu_axes bench/cpu_axes_peers.c)

# build/bench_cpu_price: weft_price compared with plain loops that use the C library's functions.
add_executable(bench_cpu_price bench/cpu_price_peer.c)
target_link_libraries(bench_cpu_price PRIVATE weft m)
target_compile_options(bench_cpu_price PRIVATE -O3 $<$<BOOL:${WEFT_HAS_MARCH_NATIVE}>:-march=native>)

# build/bench_cpu_heat and bench_cpu_heat_f64: weft_heat compared with the Thomas algorithm.
weft_loop_bench(bench_cpu_heat bench/cpu_heat_peer.c)
weft_loop_bench(bench_cpu_heat_f64 bench/cpu_heat_peer.c)
if(TARGET bench_cpu_heat_f64)
  target_compile_definitions(bench_cpu_heat_f64 PRIVATE WEFT_BENCH_F64)
endif()

# build/bench_ranks: ranks of MPI compared with one process; with NCCL also with CUB's reduce and ncclAllReduce.
if(TARGET weft_dist)
  add_executable(bench_ranks bench/mpi_ranks.c)
  target_include_directories(bench_ranks PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(bench_ranks PRIVATE weft weft_dist MPI::MPI_C)
  if(TARGET weft_nccl)
    target_sources(bench_ranks PRIVATE bench/gpu_ranks_peer.cu)
    target_include_directories(bench_ranks SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS} ${WEFT_NCCL_INCLUDE})
    target_link_libraries(bench_ranks PRIVATE ${WEFT_NCCL_LIBRARY})
    target_compile_definitions(bench_ranks PRIVATE WEFT_BENCH_NCCL)
    set_target_properties(bench_ranks PROPERTIES CUDA_RUNTIME_LIBRARY Static)
    add_dependencies(bench_ranks weft_cuda)
  endif()
endif()
