# WebAssembly: the command, without the names of its functions, and the page for browsers: one file, weft.html, which
# contains the library (docs/guide/web.md).
add_executable(weft_page web/page.c cli/io/npy/npy_header.c)
set_target_properties(weft_page PROPERTIES OUTPUT_NAME page)
target_include_directories(weft_page PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} src)
target_link_options(weft_page PRIVATE -mexec-model=reactor LINKER:--strip-all)
target_link_libraries(weft_page PRIVATE weft_match weft m)
target_link_options(weft_command PRIVATE LINKER:--strip-all)
if(Python3_Interpreter_FOUND)
  set(page ${CMAKE_BINARY_DIR}/weft.html)
  set(parts web/page.py web/page.html web/weft.js tests/golden/digest.txt include/weft.h)
  list(TRANSFORM parts PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${page} DEPENDS weft_page ${parts} VERBATIM
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/web/page.py ${CMAKE_CURRENT_SOURCE_DIR}
      $<TARGET_FILE:weft_page> ${page})
  add_custom_target(wasm_page ALL DEPENDS ${page})
endif()
