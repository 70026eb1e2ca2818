# libweft: the API, the specification, and the CPU backend compiled once per instruction set.

if(WEFT_SHARED)
  add_library(weft SHARED)
else() # WebAssembly
  add_library(weft STATIC)
endif()
target_include_directories(weft
  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_link_libraries(weft PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
weft_harden(weft)

# A call needs at most 128 KiB of stack. A function with a frame of more than 80 KiB leaves too little for its callers.
# Sanitizers and builds without optimization have larger frames.
set(WEFT_FRAME_BYTES 81920)
if(NOT WEFT_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT "${CMAKE_C_FLAGS} ${WEFT_O_LEVEL}" MATCHES "-O0")
  set(WEFT_FRAME_LIMIT -Wframe-larger-than=${WEFT_FRAME_BYTES})
endif()
target_compile_options(weft PRIVATE $<$<COMPILE_LANGUAGE:C>:${WEFT_FRAME_LIMIT}>)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(weft PRIVATE LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/weft.map)
  set_target_properties(weft PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/weft.map)
endif()

# Kernels of the CPU backend, compiled once for each level of src/cpu/runtime/levels.def. No code reads errno or the flags of
# floating-point exceptions after arithmetic. Without these two options, GCC would not vectorize loops over the
# functions of arith/elementary.h. No value depends on the options.
set(WEFT_NO_FP_SIDE_EFFECTS -fno-math-errno -fno-trapping-math)
set(WEFT_FLAGS_base "")
set(WEFT_ALL_CPU_LEVELS base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(WEFT_FLAGS_base -march=x86-64)
  set(WEFT_FLAGS_v2 -march=x86-64-v2)
  set(WEFT_FLAGS_v3 -march=x86-64-v3)
  set(WEFT_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  list(APPEND WEFT_ALL_CPU_LEVELS v2 v3 v4)
endif()
set(WEFT_CPU_LEVELS "${WEFT_ALL_CPU_LEVELS}" CACHE STRING
  "Levels of src/cpu/runtime/levels.def to compile: 'base' and others. One that is left out is like one that the machine lacks")
foreach(directory core formula stream ref cpu cpu/kernels)
  add_subdirectory(src/${directory})
endforeach()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  add_subdirectory(src/wasi)
endif()
if(WEFT_FLAGS_v4)
  include(cmake/amx.cmake)
endif()
