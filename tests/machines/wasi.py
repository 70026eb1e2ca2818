"""Runs a program for WebAssembly with WASI, with the wasmtime package of PyPI.

The program sees the current directory, and by absolute paths the directories of the arguments that are such paths.
Usage: wasi.py PROGRAM.wasm [ARGUMENT...]
       wasi.py --version
"""
import importlib.metadata
import os
import sys

import wasmtime


def directories(arguments):
    """Returns the directories that the program sees, with the names by which it finds them."""
    found = {".": "."}
    for argument in arguments:
        path = argument.partition("=")[2] or argument
        if os.path.isabs(path):
            folder = path if os.path.isdir(path) else os.path.dirname(path)
            found[folder] = folder
    return found


def run(program, arguments):
    """Runs the program and returns its exit code. Its machine code is kept in wasmtime's cache."""
    config = wasmtime.Config()
    config.cache = True
    engine = wasmtime.Engine(config)
    wasi = wasmtime.WasiConfig()
    wasi.argv = [os.path.basename(program).removesuffix(".wasm"), *arguments]
    wasi.inherit_env()
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    for folder, name in directories(arguments).items():
        if os.path.isdir(folder):
            wasi.preopen_dir(folder, name)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, program))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        return end.code
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        print("wasmtime", importlib.metadata.version("wasmtime"))
    else:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
