# Writes a C file that contains the headers of a formula's kernel (src/cuda/map/map_text.cu), for the run-time
# compiler. cmake -DOUT=FILE -DSOURCE=DIR -DHEADERS=NAME;... -DOPTIONS=OPTION;... -P embed.cmake
set(text "/* Made by cmake/embed.cmake. */\n")
set(names "")
set(headers "")
set(count 0)
# embed(FILE NAMES...): embeds one text, under each name by which it is included.
macro(embed file)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const char text_${count}[] = {${bytes}0};\n")
  foreach(name ${ARGN})
    string(APPEND names "\"${name}\", ")
    string(APPEND headers "text_${count}, ")
  endforeach()
  math(EXPR count "${count} + 1")
endmacro()

embed(${SOURCE}/src/cuda/runtime/nvrtc_std.h stddef.h stdint.h stdbool.h string.h math.h)
embed(${SOURCE}/include/weft.h weft.h)
foreach(name ${HEADERS})
  embed(${SOURCE}/src/${name} ${name})
endforeach()
string(REPLACE ";" "\", \"" options "${OPTIONS}")
string(APPEND text "static const char *const names[] = {${names}};
static const char *const headers[] = {${headers}};
static const char *const options[] = {\"${options}\"};
extern const struct nvrtc_embedded {
    int header_count, option_count;
    const char *const *names, *const *headers, *const *options;
} weft_nvrtc_embedded;
const struct nvrtc_embedded weft_nvrtc_embedded = {sizeof names / sizeof *names, sizeof options / sizeof *options,
                                                   names, headers, options};
")
file(WRITE ${OUT} "${text}")
