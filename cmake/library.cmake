# libweft: the API, the specification, and the CPU backend compiled once per instruction set.

add_library(weft SHARED
  src/core/api.c
  src/core/backend.c
  src/core/lists.c
  src/ref/array.c
  src/ref/dot.c
  src/ref/reduce.c
  src/ref/ref.c
  src/ref/tree.c
  src/ref/variance.c
  src/cpu/cpu.c)
target_include_directories(weft
  PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE src)
target_link_libraries(weft PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(weft PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
