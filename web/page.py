"""Writes the page weft.html: page.html with the compressed module, the worker's script and the printed digest in it.

Usage: page.py SOURCE_DIR MODULE.wasm OUTPUT.html
"""
import base64
import gzip
import re
import sys
from pathlib import Path


def page(source, module):
    """Returns the text of the page."""
    header = (source / "include/weft.h").read_text(encoding="utf-8")
    numbers = re.findall(r"#define WEFT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    printed = (source / "tests/golden/digest.txt").read_text(encoding="utf-8")
    parts = {
        "VERSION": ".".join(numbers),
        "ORDER": re.match(r"order (\d+)", printed)[1],
        "MODULE": base64.b64encode(gzip.compress(module.read_bytes(), mtime=0)).decode("ascii"),
        "PRINTED": printed,
        "WORKER": (source / "web/weft.js").read_text(encoding="utf-8"),
    }
    template = (source / "web/page.html").read_text(encoding="utf-8")
    return re.sub("@([A-Z]+)@", lambda name: parts[name[1]], template)


if __name__ == "__main__":
    Path(sys.argv[3]).write_text(page(Path(sys.argv[1]), Path(sys.argv[2])), encoding="utf-8")
