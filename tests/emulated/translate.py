"""Writes a .cu file as C++ for the emulated GPU: a launch kernel<<<shape>>>(...) becomes a call.

Usage: translate.py IN.cu OUT.cc
"""

import re
import sys

# A kernel's name, with its template arguments (which may have some of their own).
KERNEL = r"(\w+(?:<[^<>;]*(?:<[^<>;]*>[^<>;]*)*>)?)"
LAUNCH = re.compile(KERNEL + r"\s*<<<(.*?)>>>\(", re.DOTALL)


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = LAUNCH.sub(r"emulated::launch(emulated::geometry(\2), \1, ", file.read())
    if "<<<" in text:
        sys.exit(f"{source}: there is a launch that this script does not understand")
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'#line 1 "{source}"\n{text}')


main()
