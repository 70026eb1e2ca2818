# Protection of programs that read files of unknown origin: position-independent executables, and relocations that are
# resolved at the start and then read-only.
if(WEFT_SHARED)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(LINKER:-z,relro,-z,now)
endif()

# weft_harden(TARGET): enables the stack protector and the checks of the C library's headers. The per-ISA kernels are
# excluded: they parse no input, and their speed matters. _FORTIFY_SOURCE requires optimization; a packager's own
# value is kept. wasi-libc has neither.
function(weft_harden target)
  if(WEFT_SANITIZE OR CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-fstack-protector-strong>)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT "${CMAKE_C_FLAGS} ${WEFT_O_LEVEL}" MATCHES "_FORTIFY_SOURCE|-O0")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
  endif()
endfunction()

# weft_run_path(TARGET PATH...): sets one run path for the build tree and the installation. With two different ones,
# CMake ends that of the build tree in an empty element, which means the current directory. Packages have no run path.
function(weft_run_path target)
  if(CMAKE_SKIP_INSTALL_RPATH)
    return()
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "${ARGN}" BUILD_WITH_INSTALL_RPATH ON)
endfunction()
