# Run by CPack on the files of each Debian package. Puts documents where Debian's policy requires them, once: the
# library's package contains them, and the other packages, which depend on it, contain links. Manual pages are
# compressed.
cmake_minimum_required(VERSION 3.22)
find_program(gzip gzip REQUIRED)

# compress(FILE): replaces FILE by FILE.gz, without its time stamp.
function(compress file)
  execute_process(COMMAND ${gzip} -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# write_documents(DIRECTORY): writes the documents of the library's package.
function(write_documents directory)
  file(MAKE_DIRECTORY ${directory})
  file(COPY_FILE ${CPACK_WEFT_SOURCE}/LICENSE ${directory}/copyright)
  file(COPY_FILE ${CPACK_WEFT_SOURCE}/CHANGELOG.md ${directory}/changelog)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  file(WRITE ${directory}/changelog.Debian "weft (${version}) unstable; urgency=medium\n\n"
    "  * Version ${CPACK_PACKAGE_VERSION}; the changes are in changelog.gz.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  compress(${directory}/changelog)
  compress(${directory}/changelog.Debian)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  if(component STREQUAL "runtime")
    write_documents(${share}/doc/${package})
  else()
    file(MAKE_DIRECTORY ${share}/doc)
    file(CREATE_LINK ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} ${share}/doc/${package} SYMBOLIC)
  endif()
  file(GLOB pages ${share}/man/man*/*.[1-9])
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
endforeach()
