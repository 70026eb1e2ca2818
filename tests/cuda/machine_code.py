"""Scans the machine code of the CUDA plugin, and its PTX, for instructions that change bits of results (ORDER.md 1.2).

machine_code.py PLUGIN CUOBJDUMP

In PTX, every operation on floating-point values names its rounding (.rn), because ptxas fuses a multiplication and an
addition without one; operations that flush subnormal values and approximations occur only in kernels that correct them;
and fma only in kernels whose order says so. ptxas may add a fused operation only to kernels that have an fma, a
division or a square root in PTX. A name in the lists of such kernels that no function has is a fault too. Prints a
line for each architecture in the plugin. Machine code of one architecture takes several minutes.
"""

import collections
import re
import subprocess
import sys

# Kernels whose order says fma, as `name` or `name<first template argument`. Each matches a function of the plugin.
FUSED = r"""
    across_kernel add_left along_kernel arrays_kernel axes_kernel<axes_deviations axes_kernel<axes_dot
    axes_kernel<axes_rescaled_squares axis_kernel block_base block_expand block_kernel block_link block_reduce
    block_short block_team chirp_kernel columns_back_kernel columns_kernel combine_columns_kernel combine_kernel
    direct_kernel exact_kernel filter_kernel finish_kernel fixed_kernel fixed_radices_kernel full_kernel heat_pass
    lines_kernel long_rows map_kernel map_of_row matmul_kernel mixed_rows_kernel normal_table_kernel pairs_kernel
    parts_kernel phases_kernel planes_kernel price_kernel product_kernel quantile_of_word random_kernel ring_rows
    row_kernel rows_kernel short_kernel short_rows short_rows_kernel single_kernel split_rows_kernel table_kernel
    tile_kernel tile_rows_kernel together_kernel tree_kernel<deviations tree_kernel<differences tree_kernel<products
    tree_kernel<rescaled_squares tree_kernel<squares tridiag_\w+ variance_kernel whole_kernel
"""
# Kernels that compute an exact result from an approximation.
CORRECTED = r"block_\w+ price_kernel quantile_of_word random_kernel tridiag_\w+"

ROUNDED = re.compile(r"\b(add|sub|mul|fma|mad|div|sqrt|rcp)((?:\.[a-z]+)*)\.(f16|f16x2|bf16|bf16x2|f32|f32x2|f64)\b")
APPROXIMATE = re.compile(r"\b(ex2|lg2|sin|cos|tanh|rsqrt|rcp|div|sqrt)\S*\.approx\S*|\b(ex2|lg2|sin|cos|tanh|rsqrt)\.\S+")
PTX_FUNCTION = re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.(?:entry|func)\b.*?(\w+)\s*\(\s*$")
SASS_FUNCTION = re.compile(r"^\s*Function : (\S+)")
SASS_FUSED = re.compile(r"\b([FDH]FMA2?)\S*\s+(.*)")
SASS_APPROXIMATE = re.compile(r"\bMUFU\.(EX2|LG2|SIN|COS|TANH)\b")
ARCHITECTURE = re.compile(r"^arch = (\S+)")


def pattern(names: str) -> re.Pattern[str]:
    return re.compile("(?:" + "|".join(names.split()) + r")\b")


def demangled(names: list[str]) -> dict[str, str]:
    """Maps each name to the function's name and its template arguments, without namespaces and the return type."""
    text = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True, check=True).stdout
    short = [re.sub(r"\((?!anonymous).*", "", re.sub(r"\(anonymous namespace\)::|^void ", "", line))
             for line in text.splitlines()]
    return {name: re.sub(r"^[\w:]*::(?=\w+(<|$))", "", line) for name, line in zip(names, short)}


def read(plugin: str, cuobjdump: str, option: str) -> dict[tuple[str, str], dict[str, str]]:
    """Kinds of instructions of each function, by architecture and name, with an example of each kind."""
    is_ptx = option == "-ptx"
    functions: dict[tuple[str, str], dict[str, str]] = collections.defaultdict(dict)
    architecture, has = "", dict[str, str]()
    with subprocess.Popen([cuobjdump, option, plugin], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if found := ARCHITECTURE.match(line):
                architecture = found[1]
            elif found := (PTX_FUNCTION if is_ptx else SASS_FUNCTION).match(line):
                has = functions[architecture, found[1]]
            else:
                (scan_ptx if is_ptx else scan_sass)(line.strip(), has)
    return functions


def scan_ptx(line: str, has: dict[str, str]) -> None:
    if found := APPROXIMATE.search(line):
        # Divisions of integers use an approximation of f32 without .ftz, and correct it.
        has.setdefault("approximation" if found[0] != "rcp.approx.f32" else "division", line)
    elif found := ROUNDED.search(line):
        operation, modifiers, _ = found.groups()
        if ".rn" not in modifiers or operation == "mad" or ".ftz" in modifiers or ".sat" in modifiers:
            has.setdefault("loose", line)
        has.setdefault({"fma": "fma", "div": "division", "sqrt": "division", "rcp": "division"}.get(operation, ""), line)


def scan_sass(line: str, has: dict[str, str]) -> None:
    if found := SASS_APPROXIMATE.search(line):
        has.setdefault("approximation", line)
    # A product with zero moves a constant.
    elif (found := SASS_FUSED.search(line)) and "RZ, RZ" not in found[2]:
        has.setdefault("fma", line)


def main(plugin: str, cuobjdump: str) -> int:
    ptx, sass = read(plugin, cuobjdump, "-ptx"), read(plugin, cuobjdump, "-sass")
    if not ptx:
        sys.exit(f"machine_code: {plugin} contains no PTX")
    names = demangled(sorted({name for _, name in [*ptx, *sass]}))
    fused, corrected = pattern(FUSED), pattern(CORRECTED)
    said = {names[name] for (_, name), has in ptx.items() if {"fma", "division"} & has.keys()}
    faults = []
    for (architecture, name), has in ptx.items():
        for kind, allowed in (("loose", None), ("fma", fused), ("approximation", corrected)):
            if kind in has and not (allowed and allowed.match(names[name])):
                faults.append(f"PTX of {architecture}, {names[name]}: {kind}: {has[kind]}")
    for (architecture, name), has in sass.items():
        for kind in ("fma", "approximation"):
            if kind in has and (kind != "fma" or names[name] not in said):
                faults.append(f"{architecture}, {names[name]}: {kind}: {has[kind]}")
    for kind, functions in (("PTX", ptx), ("machine code", sass)):
        for architecture, number in sorted(collections.Counter(a for a, _ in functions).items()):
            with_fma = sum("fma" in has for (a, _), has in functions.items() if a == architecture)
            print(f"{architecture:8} {kind:12} {number:5} functions, {with_fma:5} with fused operations")
    listed = dict.fromkeys([*FUSED.split(), *CORRECTED.split()])
    absent = [name for name in listed if not any(map(pattern(name).match, names.values()))]
    if absent:
        faults.append(f"no function is named {', '.join(absent)}: remove it from the list")
    if not any("fma" in has for has in ptx.values()):
        faults.append("no PTX contains fma: the scan detects nothing")
    print(*sorted(faults)[:30], sep="\n") if faults else print("machine_code: nothing that the order does not say")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
