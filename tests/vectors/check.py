"""Checks that a program gives the results of the test vectors (README.md), bit for bit.

    check.py WEFT [DEVICE]       the command, on that device (default cpu)
    check.py .../verify.py       docs/spec/verify.py, for its operations. Exit code 77 if NumPy is missing"""
import importlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from vectors import described, run, write_npy


def vectors():
    """Yields each vector with the name of its file."""
    folder = Path(__file__).resolve().parent
    header = (folder.parents[1] / "include/weft.h").read_text(encoding="utf-8")
    order = int(re.search(r"#define WEFT_ORDER_VERSION (\d+)", header)[1])
    for path in sorted(folder.glob("*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        if file["order"] != order:
            sys.exit(f"{path.name}: order version {file['order']}, expected {order}: run make.py")
        for vector in file["vectors"]:
            yield path.name, vector


def verifier(path):
    """Returns verify.py as a module, or None for operations that it does not have."""
    try:
        importlib.import_module("numpy")
    except ImportError:
        print("skipped: NumPy is missing")
        sys.exit(77)
    sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem)


def run_verifier(verify, call, inputs, folder):
    """Computes with verify.py. Returns the results in the form of the vectors."""
    import numpy as np
    os.chdir(folder)
    for name, array in inputs.items():
        write_npy(Path(name), array)
    output, result = verify.compute(call[0], call[1:])
    results = result if isinstance(result, dict) else {output or "value": result}
    names = {np.dtype(code): name for name, code in (("f32", "f4"), ("f64", "f8"), ("i8", "i1"), ("u8", "u1"),
                                                      ("i32", "i4"), ("u32", "u4"), ("i64", "i8"), ("u64", "u8"))}
    for name, v in results.items():
        v = np.asarray(v)
        results[name] = described(names[v.dtype], v.shape, v.ravel().view(f"u{v.itemsize}").tolist())
    return results


def main(program, device="cpu"):
    path = Path(program).resolve()
    verify = verifier(path) if path.suffix == ".py" else None
    checked = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for file, v in vectors():
            if verify and v["call"][0] not in verify.OPERATIONS or verify and "exact" in v["call"]:
                continue
            results = (run_verifier(verify, v["call"], v["inputs"], folder) if verify else
                       run([path, "--device", device], v["call"], v["inputs"], folder))
            checked += 1
            if results != v["results"]:
                failed += 1
                print(f"{file}: {v['clauses']}: {v['title']}: {' '.join(v['call'])}\n  expected: {v['results']}\n"
                      f"  got:      {results}")
        os.chdir("/")
    print(f"{checked} vectors, {failed} differ")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
