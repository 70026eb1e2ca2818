"""Writes the C source of pyweft._native from weft.h: bindings.py HEADER OUTPUT.

The header is the only list of functions; cffi reads it less its comments and directives, but for constants. Pointers
to elements that functions take become `void *`, since the package passes buffers of any type. The functions of sources
and sinks that are Python's are in pyweft/_sources.py, the one for progress is in pyweft/_contexts.py.
"""

import re
import sys

import cffi


CALLBACKS = """
extern "Python" ptrdiff_t weft_python_read(void *self, void *to, size_t bytes);
extern "Python" int weft_python_rewind(void *self);
extern "Python" int weft_python_write(void *self, const void *from, size_t bytes);
extern "Python" int weft_python_progress(void *self, uint64_t done, uint64_t total);
"""


def declarations(header: str) -> str:
    """The declarations of weft.h as cffi takes them."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^\s*#(?!define \w+ \d+\s*$).*$", "", text, flags=re.M)
    text = re.sub(r"WEFT_API [^;]*;", lambda found: re.sub(r"\b(uint\d+_t|double) \*", "void *", found[0]), text)
    return text.replace("WEFT_API ", "")


def main() -> None:
    header, output = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        text = file.read()
    builder = cffi.FFI()
    builder.cdef(declarations(text) + CALLBACKS)
    builder.set_source("pyweft._native", "#include <weft.h>")
    builder.emit_c_code(output)


main()
