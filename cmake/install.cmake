# `cmake --install`: header, libraries, command, man page, completions, and two ways to find them.
include(CMakePackageConfigHelpers)

set_target_properties(weft PROPERTIES EXPORT_NAME weft)
install(TARGETS weft EXPORT weft-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/weft.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS weft_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET weft_cuda)
  # A plugin is found beside libweft.so.
  install(TARGETS weft_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

install(FILES docs/weft.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/weft.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME weft)
install(FILES completions/_weft DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/weft.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY examples/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/weft FILES_MATCHING PATTERN "*.npy")

configure_file(cmake/weft.pc.in weft.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION ${package_dir})
file(WRITE ${CMAKE_BINARY_DIR}/weft-config.cmake "include(\${CMAKE_CURRENT_LIST_DIR}/weft-targets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weft-config.cmake ${CMAKE_BINARY_DIR}/weft-config-version.cmake
  DESTINATION ${package_dir})
