#!/usr/bin/env python3
"""The tables of the manual are what the programs print today.

  tables_test.py WEFT WEFT_OPT [--write]

docs/ops.md is the table of `weft ops`; docs/passes.md the passes and pipelines of `weft-opt --help`. --write renews both.
Also: every page under docs/ stands in docs/README.md, and every rationale has a number of its own.
"""
import argparse
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
RENEW = "Renew it with `tests/docs/tables_test.py WEFT WEFT_OPT --write`."
PREFIXES = ("top-", "tpu-", "convert-", "weft-")  # weft-opt has a few passes of MLIR, too


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def ops_page(weft):
    return ("# ONNX operators\n\n`weft ops` prints this table: operators the importer reads, and from which opset to which. "
            "Column TPU:\n`yes`: it compiles, for float tensors of at most 4 axes (doubles are computed as floats); `folded only`: its value "
            "is computed while\ncompiling, so it must depend on constants and shapes alone; `not yet`: `weft compare` computes it as a reference, "
            "and it compiles\nonly where all its operands are constants. What the chip cannot run is refused by `weft convert` with a line "
            f"that says `unsupported:` and\nnames the node. {RENEW}\n\n" + output(weft, "ops"))


def passes_page(weft_opt):
    """Options of weft-opt that run our passes: '  --name  - text' under 'Passes:' and 'Pass Pipelines:', their options deeper."""
    rows, heading, own = [], "", 0
    for line in output(weft_opt, "--help").split("\n"):
        if match := re.match(r"(\s+)(Passes|Pass Pipelines):$", line):
            heading, own = {"Passes": "pass", "Pass Pipelines": "pipeline"}[match[2]], len(match[1]) + 2
        if line and not line[0].isspace():  # "Generic Options:": those of the program
            heading = ""
        match = heading and re.match(r"(\s+)--([\w-]+)(=<\S+>)?\s+-\s+(.*)", line)
        if not match:
            continue
        name, text = match[2], match[4].replace("|", "\\|")
        if len(match[1]) == own:
            rows.append((heading, name, text, []))
        elif rows:
            rows[-1][3].append(f"`{name}`: {text}")
    page = ("# Passes\n\n`weft-opt --PASS file.mlir` runs a pass; stock `mlir-opt-19` runs it with our plugin:\n\n```sh\n"
            "mlir-opt-19 --load-dialect-plugin=build/lib/WeftPlugin.so --load-pass-plugin=build/lib/WeftPlugin.so \\\n"
            "  --pass-pipeline='builtin.module(weft-compile{precision=f32})' cls.mlir\n```\n\n"
            f"The table is that of `weft-opt --help`. {RENEW}\n\n| kind | name | what | options |\n|---|---|---|---|\n")
    for kind, name, text, options in sorted(row for row in rows if row[1].startswith(PREFIXES)):
        page += f"| {kind} | `{name}` | {text} | {'; '.join(options)} |\n"
    return page


def index_problems():
    index = (DOCS / "README.md").read_text()
    for page in sorted(DOCS.glob("*.md")):
        if page.name != "README.md" and f"({page.name})" not in index:
            yield f"docs/README.md does not list {page.name}"
    numbers = {}
    for page in sorted((DOCS / "rationale").glob("*.md")):
        number = page.name[:4]
        if number in numbers:
            yield f"docs/rationale: {page.name} and {numbers[number]} have the same number"
        numbers[number] = page.name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("weft_opt")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    found = list(index_problems())
    for name, page in (("ops.md", ops_page(args.weft)), ("passes.md", passes_page(args.weft_opt))):
        path = DOCS / name
        if page.count("\n| ") < 10:
            found.append(f"the table for docs/{name} has hardly any rows: the programs print something else now")
        elif args.write:
            path.write_text(page)
        elif not path.exists() or path.read_text() != page:
            found.append(f"docs/{name} is stale; run this test with --write")
    for line in found:
        print(f"FAILED {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
