# Bindings for other languages that are compiled: the Fortran module. C++ uses a header only (include/weft.hpp).
include(CheckIncludeFile)

if(WEFT_SANITIZE)
  return()
endif()
weft_find_language(Fortran)
if(NOT WEFT_FORTRAN_BINDING)
  unset(WEFT_FORTRAN_BINDING CACHE) # it may have been installed since
endif()
check_include_file(ISO_Fortran_binding.h WEFT_FORTRAN_BINDING)
if(NOT CMAKE_Fortran_COMPILER OR NOT Python3_Interpreter_FOUND OR NOT WEFT_FORTRAN_BINDING)
  weft_left_out(FORTRAN "the Fortran module" "Fortran compiler, python3 or ISO_Fortran_binding.h")
  return()
endif()

# The module weft_c is generated from weft.h. It calls a function c_NAME if these sources define NAME.
set(WEFT_FORTRAN_SOURCES
  fortran/weft_arrays.f90
  fortran/weft_devices.f90
  fortran/weft_reductions.f90
  fortran/weft_selections.f90
  fortran/weft_orders.f90
  fortran/weft_matrices.f90
  fortran/weft_transforms.f90
  fortran/weft_samples.f90
  fortran/weft_formulas.f90
  fortran/weft_texts.f90
  fortran/weft_views.f90
  fortran/weft.f90)
list(TRANSFORM WEFT_FORTRAN_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
set(interfaces ${CMAKE_CURRENT_SOURCE_DIR}/fortran/interfaces.py)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/weft_c.f90
  COMMAND Python3::Interpreter ${interfaces} ${CMAKE_CURRENT_SOURCE_DIR}/include/weft.h ${WEFT_FORTRAN_SOURCES}
    > ${CMAKE_BINARY_DIR}/weft_c.f90
  DEPENDS ${interfaces} include/weft.h ${WEFT_FORTRAN_SOURCES}
  VERBATIM)
add_library(weft_fortran STATIC ${CMAKE_BINARY_DIR}/weft_c.f90 ${WEFT_FORTRAN_SOURCES} fortran/look.c)
set_target_properties(weft_fortran PROPERTIES Fortran_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/fortran)
target_include_directories(weft_fortran PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/fortran>)
target_link_libraries(weft_fortran PUBLIC weft)
target_compile_options(weft_fortran PRIVATE
  "$<$<AND:$<COMPILE_LANGUAGE:Fortran>,$<Fortran_COMPILER_ID:GNU>>:-std=f2018;-Wall;-Wextra>")
if(WEFT_WERROR)
  target_compile_options(weft_fortran PRIVATE "$<$<COMPILE_LANGUAGE:Fortran>:-Werror>")
endif()

add_executable(example_heat examples/fortran/heat.f90)
set_target_properties(example_heat PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples)
target_link_libraries(example_heat PRIVATE weft_fortran)

# Module files depend on the compiler and its version. With another compiler, users compile the installed sources.
set(WEFT_MODULES ${CMAKE_INSTALL_LIBDIR}/fortran/weft)
install(TARGETS weft_fortran ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(DIRECTORY ${CMAKE_BINARY_DIR}/fortran/ DESTINATION ${WEFT_MODULES} COMPONENT dev FILES_MATCHING PATTERN "*.mod")
install(FILES ${CMAKE_BINARY_DIR}/weft_c.f90 ${WEFT_FORTRAN_SOURCES} fortran/look.c
  DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/fortran COMPONENT dev)
configure_file(cmake/weft-fortran.pc.in weft-fortran.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/weft-fortran.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
