# `cmake --install`: headers, libraries, command, man page, completions, and two ways to find them.
# Components are the packages of cmake/package.cmake: runtime, cuda, dev, command.
include(CMakePackageConfigHelpers)

set_target_properties(weft PROPERTIES EXPORT_NAME weft)
install(TARGETS weft EXPORT weft-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  NAMELINK_COMPONENT dev)
install(FILES include/weft.h include/weft_generic.h include/weft.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(TARGETS weft_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
if(TARGET weft_dist)
  # The command finds it next to libweft.so.
  install(TARGETS weft_dist EXPORT weft-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dist
    NAMELINK_COMPONENT dev)
  install(FILES include/weft_dist.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
endif()
if(TARGET weft_nccl)
  # libweft_dist finds it in its own directory.
  install(TARGETS weft_nccl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dist)
endif()
if(TARGET weft_cuda)
  install(TARGETS weft_cuda LIBRARY DESTINATION ${WEFT_PLUGINS} COMPONENT cuda)
endif()

if(TARGET weft_pages)
  set(pages ${CMAKE_BINARY_DIR}/pages)
  install(FILES ${pages}/weft.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES ${pages}/weft.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME weft
    COMPONENT command)
  set(WEFT_ZSH_FUNCTIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh finds completions")
  install(FILES ${pages}/_weft DESTINATION ${WEFT_ZSH_FUNCTIONS} COMPONENT command)
  install(FILES ${pages}/weft.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
endif()
install(DIRECTORY examples/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/weft COMPONENT command
  FILES_MATCHING PATTERN "*.npy")

# Paths in the .pc files are relative to their own location, since `cmake --install --prefix` may use another prefix
# than was configured.
file(RELATIVE_PATH include_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
# If the library's directory is not searched by the loader, it is the run path of programs.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(run_path_by_pkgconfig " -Wl,-rpath,\${libdir}")
endif()
configure_file(cmake/weft.pc.in weft.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
if(TARGET weft_dist)
  configure_file(cmake/weft-dist.pc.in weft-dist.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/weft-dist.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION ${package_dir} COMPONENT dev)
file(WRITE ${CMAKE_BINARY_DIR}/weft-config.cmake "include(\${CMAKE_CURRENT_LIST_DIR}/weft-targets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weft-config.cmake ${CMAKE_BINARY_DIR}/weft-config-version.cmake
  DESTINATION ${package_dir} COMPONENT dev)
