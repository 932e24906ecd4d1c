#!/usr/bin/env python3
"""The figures of the kernel library are those that the cycle model gives today, and reach what is asked of them.

  library_figures.py WEFT BUILT [--only NAME] [--write]

examples/kernels/KERNEL/figures.json lists the tests of a kernel that give a figure. A row has
  test        the __TEST__ that is profiled
  sizes       what it computes, for the table
  macs8, macs16, macs32   multiply-accumulates by operand width: a product as text, "512 * 2048 * 1024"
  bytes       what must cross DRAM at least: inputs and outputs once, in the types that they are stored in
  least_use   the share of the bound that is asked, 0 to 1, or
  most_cycles the cycles that are allowed
The bound is the larger of both: MACs at the rates of the unit, bytes at that of tensor loads, 54.02 a cycle, both as `weft ppl profile --json` has them
(loads of matrices have 58, so that a kernel that does little else can show 107 %). "Of peak" is the use if DRAM gave all bytes of its interface, as
`weft ppl profile` reckons. The table in
examples/kernels/README.md and the row of each page between its marks are made of them; --write renews both. BUILT has the kernels as CMake compiled them.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "kernels"
WIDTHS = {"macs8": ("i8",), "macs16": ("f16", "bf16"), "macs32": ("f32",)}
MOST_USE = 58 / 54
HEAD = "| kernel | sizes | cycles | bound | by | use | of peak |\n|---|---|---|---|---|---|---|\n"
BEGIN, END = "<!-- figures -->\n", "<!-- end -->\n"


def number(text):
    """The value of "2 * (512 + 3)"; nothing but numbers and + - * / ( )."""
    if not re.fullmatch(r"[\d+\-*/() ]+", str(text)):
        sys.exit(f"FAILED {text!r} is no product")
    return eval(str(text), {"__builtins__": {}})


def bound(figure, profile, rate):
    """Cycles that no kernel can beat at this rate of DRAM, and why."""
    peaks = {kind["type"]: kind["peak_macs_per_cycle"] for kind in profile["macs"]["types"]}
    compute = 0
    for key, names in WIDTHS.items():
        if key in figure:
            compute += number(figure[key]) / next(peaks[name] for name in names if name in peaks)
    transfer = number(figure["bytes"]) / profile["dram"][rate]
    return (compute, "MAC") if compute > transfer else (transfer, "DRAM")


def profile(weft, library):
    ran = subprocess.run([weft, "ppl", "profile", library, "--json"], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"FAILED {library.stem}: {ran.stderr}")
    return {test["test"]: test["profile"] for test in json.loads(ran.stdout)}


def rows(kernel, figures, profiles):
    """The lines of a kernel's table, and what is wrong with its figures."""
    lines, wrong = "", []
    for figure in figures:
        if figure["test"] not in profiles:
            wrong.append(f"{kernel} has no test {figure['test']} to profile")
            continue
        of_test = profiles[figure["test"]]
        taken = of_test["total_cycles"]
        least, by = bound(figure, of_test, "load_bytes_per_cycle")
        peak, _ = bound(figure, of_test, "peak_bytes_per_cycle")
        lines += f"| [{kernel}]({kernel}/README.md) | {figure['sizes']} | {taken:,} | {least:,.0f} | {by} | {least / taken:.1%} | {peak / taken:.1%} |\n"
        if least / taken > MOST_USE:
            wrong.append(f"{figure['test']} takes {taken} cycles, the bound is {least:.0f}: the row of figures.json is wrong")
        if not {"least_use", "most_cycles"} & set(figure):
            wrong.append(f"{figure['test']} may take any number of cycles; its row of figures.json needs least_use or most_cycles")
        if "least_use" in figure and least / taken < figure["least_use"]:
            wrong.append(f"{figure['test']} uses {least / taken:.1%} of its bound, {figure['least_use']:.0%} are asked")
        if "most_cycles" in figure and taken > figure["most_cycles"]:
            wrong.append(f"{figure['test']} takes {taken} cycles, {figure['most_cycles']} are allowed")
    return lines, wrong


def renewed(page, lines):
    """`page` with its table made of `lines`; None if it has no place for one."""
    before, found, rest = page.partition(BEGIN)
    inside, closed, behind = rest.partition(END)
    return before + BEGIN + HEAD + lines + END + behind if found and closed else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("built", type=pathlib.Path)
    parser.add_argument("--only", default="", help="check one kernel and its page, not the table of all")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found, table, pages = [], "", {}
    for path in sorted(LIBRARY.glob("*/figures.json")):
        kernel = path.parent.name
        if args.only not in ("", kernel):
            continue
        figures = json.loads(path.read_text())
        lines, wrong = rows(kernel, figures, profile(args.weft, args.built / f"{kernel}.so"))
        found += wrong
        table += lines
        pages[path.parent / "README.md"] = lines.replace(f"({kernel}/README.md)", f"({kernel}.cpp)")
    if not args.only:
        pages[LIBRARY / "README.md"] = table
    for path, lines in pages.items():
        old = path.read_text()
        new = renewed(old, lines)
        name = path.relative_to(LIBRARY.parents[1])
        if new is None:
            found.append(f"{name} has no {BEGIN.strip()} .. {END.strip()}")
        elif args.write:
            path.write_text(new)
        elif new != old:
            found.append(f"{name} is stale; run this test with --write")
    if not table:
        found.append("no kernel has a figure")
    print(table, end="")
    for line in found:
        print(f"FAILED {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
