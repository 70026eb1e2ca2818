#!/usr/bin/env python3
"""Inserts the faults of list.txt that are named cuda-... into the CUDA plugin, one at a time. Each must make `weft
verify`, or for names cuda-api-TEST-... the program of tests/api/TEST.c, fail on this GPU.

Usage: gpu.py BUILD [NAME...]

BUILD is a build of this tree. Each fault gets a copy of the sources. Only the objects that depend on the changed file
are compiled there, and they are linked with the other objects of BUILD. As many faults as cores are built at a time. A fault
that changes nothing, does not compile or is not detected is an error. After WEFT_MUTANTS_SECONDS (900) the remaining
faults are counted but not tried. The start in the list changes from day to day."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLUGIN = "libweft_cuda.so"


def read_faults(names):
    lines = (SOURCE / "tests/mutants/list.txt").read_text().splitlines()
    faults = [line.split("|", 2) for line in lines if line.startswith("cuda-")]
    first = int(time.time()) // 86400 * 37 % len(faults)
    turn = faults[first:] + faults[:first]
    return [fault for fault in turn if not names or fault[0] in names]


class Build:
    """The objects of the plugin, with the command and the dependencies of each."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        rules = json.loads(self.ninja("-t", "compdb"))
        self.commands = {rule["output"]: rule["command"] for rule in rules}
        self.objects = [name for name in self.commands if "/weft_cuda.dir/" in name and name.endswith(".o")]
        self.parts = {}
        for line in self.ninja("-t", "deps", *self.objects).splitlines():
            if line and not line.startswith(" "):
                parts = self.parts.setdefault(line.split(":")[0], set())
            elif line.strip():
                parts.add(line.strip())
        self.embedded = self.ninja("-t", "query", "nvrtc_embedded.c")

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.folder, "--quiet", *words], check=True, capture_output=True,
                              text=True).stdout

    def dependents(self, file):
        found = [name for name in self.objects if str(SOURCE / file) in self.parts.get(name, ())]
        embeds = str(SOURCE / file) in self.embedded
        return found + [name for name in self.objects if embeds and "nvrtc_embedded" in name]

    def run(self, command, tree):
        """Runs a command of this build for the sources in `tree`. The build directory may be inside the source tree."""
        command = command.replace("--Werror=all-warnings", "").replace("-Xcompiler=-Werror", "")
        command = command.replace(str(self.folder), "BUILD").replace(str(SOURCE), str(tree))
        command = command.replace("BUILD/nvrtc_embedded", f"{tree}/nvrtc_embedded").replace("BUILD", str(self.folder))
        return subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True, check=False)

    def make(self, fault, work):
        """Builds the plugin with a fault in work/NAME. Returns "" or a sentence on the error."""
        name, file, expression = fault
        tree = work / name
        tree.mkdir(parents=True)
        for folder in ("src", "include", "cmake"):
            shutil.copytree(SOURCE / folder, tree / folder)
        subprocess.run(["sed", "-i", expression, tree / file], check=True)
        if (tree / file).read_bytes() == (SOURCE / file).read_bytes():
            return "changes nothing"
        link = self.commands[PLUGIN].replace(f"-o {PLUGIN}", f"-o {tree / PLUGIN}")
        jobs = []
        for number, output in enumerate(self.dependents(file)):
            made = f"{tree}/{number}.o"
            link = link.replace(f"{output} ", f"{made} ")
            if "nvrtc_embedded" in output:
                jobs.append(self.commands["nvrtc_embedded.c"])
            jobs.append(self.commands[output].replace(f" -o {output}", f" -o {made}").replace(f" -MF {output}",
                                                                                             f" -MF {made}"))
        if not jobs:
            return f"no object depends on {file}"
        for job in [*jobs, link]:
            done = self.run(job, tree)
            if done.returncode != 0:
                return "does not compile: " + (done.stderr or done.stdout)[-400:]
        shutil.rmtree(tree / "src")
        return ""


def verify(build, plugin, compiled, *words, level="tiny"):
    environment = dict(os.environ, WEFT_PLUGIN_DIR=str(plugin), WEFT_NVRTC="1" if compiled else "0")
    command = [build.folder / "weft", "--quiet", "--device", "cuda", "verify", "--level", level, "--first", *words]
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode


def api_test(build, plugin, name):
    environment = dict(os.environ, WEFT_PLUGIN_DIR=str(plugin))
    command = [build.folder / "tests" / f"api_{name}", "cuda"]
    return subprocess.run(command, env=environment, capture_output=True, check=False).returncode


def is_noticed(build, plugin, name):
    """Returns True if verify, or the test that the name states, detects the fault. verify is run for the operation that is the second part of the fault's name,
    if that is one, then for all operations, then with longer arrays. A fault in the sources of compiled formulas is
    detected in a run that compiles all formulas."""
    words = name.split("-")[1:]
    if words[0] == "api":
        return api_test(build, plugin, words[1]) != 0
    if words[0] == "compiled":
        op = words[1] if words[1].startswith("map") else "map_reduce"
        return verify(build, plugin, True, "--every", "50", "--op", op) == 1
    soon = verify(build, plugin, False, "--op", words[0])
    return soon not in (0, 2) or any(verify(build, plugin, False, level=level) not in (0, 2)
                                     for level in ("tiny", "quick"))


def main():
    build = Build(sys.argv[1])
    faults = read_faults(sys.argv[2:])
    work = build.folder / "gpu-mutants"
    shutil.rmtree(work, ignore_errors=True)
    end = time.time() + float(os.environ.get("WEFT_MUTANTS_SECONDS", "900"))
    tried = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        plugins = [(fault[0], pool.submit(build.make, fault, work)) for fault in faults]
        for name, plugin in plugins:
            if time.time() > end:
                plugin.cancel()
                continue
            trouble = plugin.result()
            if not trouble and not is_noticed(build, work / name, name):
                trouble = "NOT noticed"
            tried += 1
            failed += bool(trouble)
            print(f"{name}: {trouble or 'noticed'}", flush=True)
            shutil.rmtree(work / name, ignore_errors=True)
    print(f"{tried} faults tried, {failed} failed, {len(faults) - tried} not tried for lack of time")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
