"""Converts a .cu file to C++ for the executor. A launch kernel<<<shape>>>(...) becomes a call, and dynamic shared memory
a pointer. __device__ before a variable becomes WEFT_DEVICE_VARIABLE.

Usage: translate.py IN.cu OUT.cc
"""

import re
import sys

# The name of a kernel, with its template arguments, which may themselves have template arguments.
KERNEL = r"(\w+(?:<[^<>;]*(?:<[^<>;]*>[^<>;]*)*>)?)"
COMMENT = r"/\*.*?\*/"
LAUNCH = re.compile(COMMENT + "|" + KERNEL + r"\s*<<<(.*?)>>>\((\s*\))?", re.DOTALL)
DYNAMIC = re.compile(r"extern __shared__ (?:__align__\(\d+\) )?([\w ]+) (\w+)\[\];")
VARIABLE = re.compile(r"^(static )?__device__ (?=[^(){}]*;)", re.MULTILINE)


def call(launch):
    kernel, shape, empty = launch.groups()
    if not kernel:
        return launch[0]  # a comment
    if "<" not in kernel:  # the compiler deduces template arguments from the call
        kernel = f"[=](auto... arguments) {{ {kernel}(arguments...); }}"
    return f"emulated::launch(emulated::geometry({shape}), {kernel}" + (")" if empty else ", ")


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = LAUNCH.sub(call, file.read())
    text = DYNAMIC.sub(r"\n#define \2 ((\1 *)emulated::dynamic_shared())\n", text)
    text = VARIABLE.sub(r"\1WEFT_DEVICE_VARIABLE ", text)
    if "<<<" in re.sub(COMMENT, "", text, flags=re.DOTALL):
        sys.exit(f"{source}: there is a launch that this script does not understand")
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'#line 1 "{source}"\n{text}')


main()
