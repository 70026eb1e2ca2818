# libweft.a: the objects of libweft.so, linked to one object in which only the public functions are global. So the names
# of internal functions cannot clash with those of a program. Left out where there is no GNU objcopy, and from builds
# with sanitizers, whose library a program without them cannot link.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_OBJCOPY OR WEFT_SANITIZE)
  return()
endif()
set(objects $<TARGET_OBJECTS:weft>)
foreach(level IN LISTS WEFT_CPU_LEVELS ITEMS amx)
  if(TARGET weft_cpu_${level})
    list(APPEND objects $<TARGET_OBJECTS:weft_cpu_${level}>)
  endif()
endforeach()
set(object ${CMAKE_BINARY_DIR}/libweft_static.o)
add_custom_command(OUTPUT ${object}
  COMMAND ${CMAKE_LINKER} -r -o ${object} ${objects}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${object}
  DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
add_library(weft_static STATIC ${object})
set_target_properties(weft_static PROPERTIES OUTPUT_NAME weft LINKER_LANGUAGE C)
target_include_directories(weft_static INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(weft_static INTERFACE pthread ${CMAKE_DL_LIBS} m)
install(TARGETS weft_static EXPORT weft-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
