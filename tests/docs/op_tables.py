#!/usr/bin/env python3
"""The op tables of docs/architecture.md are what the dialects define today.

  op_tables.py LLVM_TBLGEN INCLUDE_DIR .. [--write]   (those of MLIR and of the build)

A table stands between `<!-- ops: top -->` and `<!-- end -->`; it is made from the .td files of dialects/top. --write renews all.
Also: an op that no pass, importer or tool makes says so in its description (`kByHand`), and no other op does.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
DIALECTS = ("top", "tpu", "ppl", "zhouyi", "ascend")
MAKERS = ("frontend", "passes", "codegen", "tools", "dialects")
BY_HAND = "Written by hand"


def records(tblgen, includes, path):
    folders = [word for folder in [*includes, ROOT] for word in ("-I", folder)]
    out = subprocess.run([tblgen, "--dump-json", *folders, path], capture_output=True, text=True, check=True, timeout=60).stdout
    return json.loads(out)


def ops_of(dialect, tblgen, includes):
    """Ops by file and, within a file, in the order of their definition."""
    ops = {}
    for path in sorted((ROOT / "dialects" / dialect).glob("*.td")):
        made = records(tblgen, includes, path)
        defined = re.findall(r"^def (\w+)", path.read_text(), re.M)
        for name in (name for name in defined if name in made["!instanceof"].get("Op", ())):
            ops[name] = (made[name], made)
    return ops


def marked(record, made, name):
    """The name of an argument, with `?` if it may be missing and `..` if there may be several."""
    kinds = made[record["def"]]["!superclasses"]
    if "Optional" in kinds or ("OptionalAttr" in kinds or "UnitAttr" in kinds or "DefaultValuedAttr" in kinds):
        return name + "?"
    return name + ".." if "Variadic" in kinds else name


def row(op, made):
    operands, attributes = [], []
    for record, name in op["arguments"]["args"]:
        is_attribute = "AttrConstraint" in made[record["def"]]["!superclasses"]
        (attributes if is_attribute else operands).append(marked(record, made, name))
    dialect = made[op["opDialect"]["def"]]["name"]
    return f"| `{dialect}.{op['opName']}` | {', '.join(operands)} | {', '.join(attributes)} | {op['summary']} |\n"


def table(ops):
    return "| op | operands | attributes (`?`: may be missing) | meaning |\n|---|---|---|---|\n" + "".join(row(op, made) for op, made in ops.values())


def is_made(dialect, kind, sources):
    """Whether code makes the op: by its full name, or by the short one in a file that uses the dialect's namespace."""
    making = r"(?:[cC]reate\w*|replaceOpWithNewOp|\bmake\w*|\badd\w*)<(?:weft::)?"
    return any(re.search(rf"{making}{dialect}::{kind}\b", text) or
               f"using namespace weft::{dialect};" in text and re.search(rf"{making}{kind}\b", text) for text in sources)


def producer_problems(dialect, ops, sources):
    for name, (op, _) in ops.items():
        made, says_by_hand = is_made(dialect, name.split("_", 1)[1], sources), BY_HAND in op["description"]
        if not made and not says_by_hand:
            yield f"{dialect}.{op['opName']} is made by no pass, importer or tool: remove it, or say in its description '{BY_HAND}: ..'"
        if made and says_by_hand:
            yield f"{dialect}.{op['opName']} is made by code, but its description says '{BY_HAND}'"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tblgen")
    parser.add_argument("includes", nargs="+", metavar="INCLUDE_DIR")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    sources = [path.read_text() for folder in MAKERS for path in sorted((ROOT / folder).rglob("*.cpp"))]
    page, found = PAGE.read_text(), []
    for dialect in DIALECTS:
        ops = ops_of(dialect, args.tblgen, args.includes)
        found += producer_problems(dialect, ops, sources)
        begin, end = f"<!-- ops: {dialect} -->\n\n", "\n<!-- end -->"
        if page.count(begin) != 1:
            found.append(f"{PAGE.name} has no table of the {dialect} dialect")
            continue
        start = page.index(begin) + len(begin)
        stop = page.index(end, start)
        if page[start:stop] != table(ops) and not args.write:
            found.append(f"the table of the {dialect} dialect in {PAGE.name} is stale; run this test with --write")
        page = page[:start] + table(ops) + page[stop:]
    if args.write:
        PAGE.write_text(page)
    for line in found:
        print(f"FAILED {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
