#!/usr/bin/env python3
"""The tables of the manual are what the programs print today.

  tables_test.py WEFT WEFT_OPT [--write]

docs/ops.md is the table of `weft ops`; docs/limits.md that at the end of `weft compare --help`; docs/passes.md the passes and pipelines
of `weft-opt --help`; in docs/cli.md stages and causes of `weft compare --bisect` are rows of tools/weft/BisectionTables.def. --write renews them.
Also: every page under docs/ stands in docs/README.md, and every rationale has a number of its own.
"""
import argparse
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
RENEW = "Renew it with `tests/docs/tables_test.py WEFT WEFT_OPT --write`."
PREFIXES = ("ascend-", "top-", "tpu-", "ppl-", "convert-", "weft-")  # weft-opt has a few passes of MLIR, too


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def ops_page(weft):
    return ("# ONNX operators\n\n`weft ops` prints this table. The columns f32 to int8 say where an operator runs at that precision, measured on "
            "ONNX's own tests of it by\n`tests/ops/op_support.py` (a CI test repeats it): `TPU`; `parts`: on the TPU, decomposed into several ops; "
            "`folded`: computed while compiling; `host`: at\nleast a part runs on the host, inside the same bmodel (`weft convert --no-host` makes "
            "it an error); `refused`: `weft convert` says why, the first reason is in\ncolumn limits. Several words: it depends on attributes, types "
            "and shapes, the most frequent first. Empty: ONNX has no test with that operator alone. Opsets\n`from N` without an end: by the function "
            f"that ONNX's schema gives for the operator.\n{RENEW}\n\n" + output(weft, "ops"))


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
        elif len(match[1]) > own and rows:  # others are options of the program
            rows[-1][3].append(f"`{name}`: {text}")
    page = ("# Passes\n\n`weft-opt --PASS file.mlir` runs a pass; stock `mlir-opt-19` runs it with our plugin:\n\n```sh\n"
            "mlir-opt-19 --load-dialect-plugin=build/lib/WeftPlugin.so --load-pass-plugin=build/lib/WeftPlugin.so \\\n"
            "  --pass-pipeline='builtin.module(weft-compile{precision=f32})' cls.mlir\n```\n\n"
            f"The table is that of `weft-opt --help`. {RENEW}\n\n| kind | name | what | options |\n|---|---|---|---|\n")
    for kind, name, text, options in sorted(row for row in rows if row[1].startswith(PREFIXES)):
        page += f"| {kind} | `{name}` | {text} | {'; '.join(options)} |\n"
    return page


def limits_page(weft):
    """Columns of the help are two or more spaces apart."""
    lines = output(weft, "compare", "--help").split("Limits (", 1)[1].split("\n")[1:]
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip()]
    page = ("# Limits of `weft compare`\n\nWhat each output must reach, and with `--per-layer` what each layer may add, by the precision of the "
            "program. `--limit KEY=VALUE` gives another value for both,\n`--min-cosine` and `--min-sqnr` are short for two of them. [Why "
            f"these](rationale/0019-comparison.md). The table is that of `weft compare --help`. {RENEW}\n\n"
            "| key | " + " | ".join(rows[0][1:]) + " |\n" + "|---" * len(rows[0]) + "|\n")
    for key, kind, *values in rows[1:]:
        sign = {"at least": "≥", "at most": "≤"}[kind]
        page += f"| `{key}` | " + " | ".join(f"{sign} {value}" for value in values[:-1]) + f" | {values[-1]} |\n"
    return page


def manual_page():
    """docs/cli.md with its tables of --bisect made anew."""
    page, source = (DOCS / "cli.md").read_text(), (DOCS.parent / "tools" / "weft" / "BisectionTables.def").read_text()
    for macro, head in (("WEFT_BISECTED_STAGE", "| stage | what is wrong |\n|---|---|\n"), ("WEFT_FAULT_CAUSE", "| cause | what it means |\n|---|---|\n")):
        rows = re.findall(rf'^{macro}\((?!None)\w+, "([^"]+)", "([^"]+)"\)$', source, re.M)
        before, found, behind = page.partition(head)
        if not found or not rows:
            sys.exit(f"FAILED docs/cli.md or BisectionTables.def has no table of {macro}")
        page = before + head + "".join(f"| `{key}` | {text} |\n" for key, text in rows) + re.sub(r"\A(\|.*\n)*", "", behind)
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
    for name, page in (("ops.md", ops_page(args.weft)), ("limits.md", limits_page(args.weft)), ("passes.md", passes_page(args.weft_opt)),
                       ("cli.md", manual_page())):
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
