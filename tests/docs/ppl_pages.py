#!/usr/bin/env python3
"""The pages of docs/ppl are what the catalog says today, and their examples run.

  ppl_pages.py WEFT [--write]

One page a function (docs/ppl/functions/<name>.md) and the table docs/ppl/README.md, made from `weft ops --ppl --json`. Each
example is run by `weft ppl run` on the first chip that has the function; on BM1684X its cycles are those of
`weft ppl profile` less those of the same program without it. --write renews the pages.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "ppl"
RENEW = "Made from the catalog (`runtime/ppl/rows`) by `tests/docs/ppl_pages.py WEFT --write`; a test fails when it is stale."
STATES = {
    "native": "one command (other calls may need a copy to other lanes first)",
    "sequence": "a sequence of commands",
    "interpreted": "no commands: runs in the interpreter (`weft ppl run --interpret`, or a target that has it)",
    "untested": "not measured",
}


def output(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if result.returncode:
        sys.exit(f"ppl_pages.py: {' '.join(command)}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def run_examples(weft, chips):
    """Runs every example; cycles by function on the chip that has commands."""
    cycles = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, chip in enumerate(chips):
            source = pathlib.Path(folder) / f"{chip}.cpp"
            text = output(weft, "ops", "--ppl", "--examples", chip)
            if "__TEST__" not in text:
                continue
            source.write_text(text)
            output(weft, "ppl", "run", str(source), "--target", chip)
            if number:  # the first chip is the one that Weft makes commands for
                continue
            source.write_text(text + text[text.index("__TEST__"):].split("{\n", 1)[0].split(" example_")[0]
                              + " example_nothing() {" + text.split("() {", 1)[1].split("{\n", 1)[0]
                              + "  dma::store(g, a);\n}\n")
            rows = {row["test"]: row for row in json.loads(output(weft, "ppl", "profile", str(source), "--json"))}
            nothing = rows["example_nothing"]
            for test, row in rows.items():
                cycles[test.removeprefix("example_")] = tuple(row[key] - nothing[key] for key in ("tiu_cycles", "gdma_cycles"))
    return cycles


def slot_row(slot):
    kind = slot["kind"].replace("_scalar", "_number").replace("_", " ")
    if slot["memories"]:
        kind += f", {slot['access'].replace('_', ' and ')}, {' or '.join(slot['memories'])} memory"
    values = ", ".join(slot.get("types", []) or slot.get("choices", []))
    if "low" in slot or "high" in slot:
        values = f"{slot.get('low', '')} to {slot.get('high', '')}"
    if slot["count"]:
        kind = f"{slot['count']} integers"
    default = ""
    if slot["optional"]:
        default = "may be left out" if slot["memories"] else f"{slot.get('fallback', 0):g}"
        if slot.get("choices"):
            default = slot["choices"][int(slot["fallback"])]
        elif slot["kind"] == "flag":
            default = "true" if slot["fallback"] else "false"
    return f"| `{slot['name']}` | {kind} | {values} | {default} |\n"


def page(row, cycles):
    short = row["name"].removeprefix("ppl.")
    text = f"# {row['name']}\n\n{row['summary']}. PPL manual {row['section']}; kernels call `ppl::{short.replace('.', '::')}`. {RENEW}\n\n"
    text += "**Meaning**\n\n```\n" + row["formula"] + "\n```\n\n"
    if row["slots"]:
        text += "| parameter | kind | types or values | default |\n|---|---|---|---|\n" + "".join(map(slot_row, row["slots"])) + "\n"
    if row["rules"]:
        text += "**Rules**\n\n" + "".join(f"* {rule}\n" for rule in row["rules"]) + "\n"
    text += f"**Chips**: {', '.join(row['chips']) or 'none of ours'}" + (f"; {row['chip_note']}" if row["chip_note"] else "") + ".\n\n"
    text += f"**On BM1684X**: {STATES[row['state']]}.\n"
    if row["example"]:
        text += "\n**Example**"
        measured = cycles.get(short.replace(".", "_", 1))
        if measured and "bm1684x" in row["chips"]:
            text += f" ({measured[0]} cycles of the TIU and {measured[1]} of the DMA engine by the cycle model)"
        if row["unit"] != "tiu":
            text += "; `a` and `b` are local tensors, `g` a global one, fp32 2x8x5x7"
        text += "\n\n```cpp\n" + row["example"] + "\n```\n"
    return text


def index(rows):
    states = [row["state"] for row in rows]
    counts = ", ".join(f"{states.count(state)} {state}" for state in STATES if state in states)
    text = (f"# The functions of PPL\n\n{RENEW} `weft ops --ppl` prints this table. Column BM1684X: what the tests measured ({counts}): `native` and `sequence` gave equal "
            "bytes on our\nemulator, on the vendor's runtime and in the interpreter for 40 random legal calls, `interpreted` was tested against a formula. Wrappers: [wrappers.md](wrappers.md).\n\n"
            "| function | manual | BM1684X | chips | what |\n|---|---|---|---|---|\n")
    for row in rows:
        short = row["name"].removeprefix("ppl.")
        text += f"| [{short}](functions/{short}.md) | {row['section']} | {row['state']} | {' '.join(row['chips'])} | {row['summary']} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = json.loads(output(args.weft, "ops", "--ppl", "--json"))
    chips = ["bm1684x"] + sorted({chip for row in rows for chip in row["chips"]} - {"bm1684x"})
    cycles = run_examples(args.weft, chips)
    pages = {FOLDER / "README.md": index(rows)}
    for row in rows:
        pages[FOLDER / "functions" / (row["name"].removeprefix("ppl.") + ".md")] = page(row, cycles)
    found = [f"{row['name']}: no example" for row in rows if not row["example"]]
    for path in sorted((FOLDER / "functions").glob("*.md")):
        if path not in pages:
            found.append(f"{path.name}: no such function")
    for path, text in pages.items():
        if args.write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            found.append(f"{path.relative_to(FOLDER.parent)} is stale; renew it with --write")
    for line in found[:20]:
        print(line)
    print(f"{len(rows)} functions, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
