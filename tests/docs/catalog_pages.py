#!/usr/bin/env python3
"""The pages of docs/ppl, docs/zhouyi and docs/ascend are what the catalog says today, and their examples run.

  catalog_pages.py WEFT ppl|zhouyi|ascend --python FOLDER --native FOLDER [--write]

One page a function (docs/<set>/functions/<name>.md) and the table docs/<set>/README.md, made from `weft ops --<set> --json`.
Examples of PPL are run by `weft ppl run` on the first chip that has the function; on BM1684X the cycles are those of
`weft ppl profile` less those of the same program without it. How C++ and Python call them is read off the headers beside WEFT and
the package in --python. Examples of the other sets are run through Python (the package in
--python with the libraries in --native), and the pages show what they give. --write renews the pages.
"""
import argparse
import importlib
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
STATES = {
    "native": "one command (other calls may need a copy to other lanes first)",
    "sequence": "a sequence of commands",
    "interpreted": "no commands: runs in the interpreter (`weft ppl run --interpret`, or a target that has it)",
    "untested": "not measured",
}
RUN_BY = {"device": "emulator and vendor's runtime against the interpreter", "interpreter": "interpreter alone"}
LANES = {"flexible_width": "from 2 on", "multiple_width": "of whole registers"}
WORDS = {"vector_or_scalar": "vector or number", "tensor_or_scalar": "tensor or number", "flag": "bool", "choice": "word"}


def renew(name):
    rows = "runtime/ascend/Rows.cpp" if name == "ascend" else f"runtime/{name}/rows"
    return (f"Made from the catalog (`{rows}`) by `tests/docs/catalog_pages.py WEFT {name} --write`; a test fails when it is stale.")


def output(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if result.returncode:
        sys.exit(f"catalog_pages.py: {' '.join(command)}: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def slot_row(slot, fallback=None):
    """A row of the table of parameters; `fallback` replaces the default of a choice."""
    kind = WORDS.get(slot["kind"], slot["kind"])
    if slot["memories"]:
        kind += f", {slot['access'].replace('_', ' and ')}, {' or '.join(slot['memories'])} memory"
    values = ", ".join(slot["types"] or slot["choices"])
    if slot["kind"] == "pointer":
        kind += f", {slot['access'].replace('_', ' and ')}"
    if not slot["choices"] and ("low" in slot or "high" in slot):
        values = f"{slot.get('low', '')} to {slot.get('high', '')}"
    if slot["count"]:
        kind = f"{slot['count']} integers"
    default = ""
    if slot["optional"]:
        default = "may be left out" if slot["types"] or slot["kind"] == "mask" else f"{slot['fallback']:g}"
        if slot["choices"]:
            default = fallback or slot["choices"][int(slot["fallback"])]
        elif slot["kind"] == "flag":
            default = "true" if slot["fallback"] else "false"
    return f"| `{slot['name']}` | {kind} | {values} | {default} |\n"


def index_rows(rows, name, cells):
    """The rows of a set's table: the function with a link to its page, then cells(row)."""
    shorts = [row["name"].removeprefix(name + ".") for row in rows]
    return "".join("| " + " | ".join([f"[{short}](functions/{short}.md)", *cells(row)]) + " |\n" for short, row in zip(shorts, rows))


class Ppl:
    """docs/ppl."""

    name = "ppl"

    def __init__(self, args, rows):
        self.rows = rows
        chips = ["bm1684x"] + sorted({chip for row in rows for chip in row["chips"]} - {"bm1684x"})
        self.cycles = self.run_examples(args.weft, chips)
        self.declared = self.declarations(pathlib.Path(args.weft).resolve().parents[1] / "include" / "weft" / "ppl")
        self.language = importlib.import_module("weft.ppl.language")

    @staticmethod
    def declarations(folder):
        """The C++ functions that record a call of each function of the catalog: "rq0(const tensor<T> &dst, ..)"."""
        declared, head = {}, re.compile(r"^(?:inline )?\w+(?:<\w+>)? (\w+)\(((?:[^{};]|\{\})*)\) \{$(.*?)^\}", re.M | re.S)
        for path in sorted(folder.glob("*.h")):
            for name, parameters, body in head.findall(path.read_text()):
                words = re.sub(r",? ?Line at = \{\}", "", " ".join(parameters.split()))
                words = words.replace("detail::Pair", "dim2").replace("detail::Sides", "padding_t").replace("detail::FloatOperand", "Operand")
                words = re.sub(r"detail::IfNumber<\w+> = 0|detail::|(?<=\w)::type", "", re.sub(r"detail::Coded<(\w+)>", r"\1", words))
                for full in dict.fromkeys(re.findall(r'call\("(\w+\.\w+)", at', body)):
                    if name == full.split(".")[1] or full.split(".")[1].startswith(name):
                        declared.setdefault(full, []).append(f"{full.split('.')[0]}::{name}({words})")
        return declared

    def called(self, short):
        """How C++ and Python call a function."""
        text, fill = "", {"width": 100, "subsequent_indent": "    ", "break_long_words": False, "break_on_hyphens": False}
        lines = [textwrap.fill(line + ";", **fill) for line in dict.fromkeys(self.declared.get(short, ()))]
        if lines:
            text += "```cpp\n" + "\n".join(lines) + "\n```\n\n"
        unit, name = short.split(".")
        functions = vars(getattr(self.language, unit))
        # Forms of one function: conv_sym, conv_asym_rq .. of conv.
        base = name.split("_")[0]
        if inspect.isfunction(functions.get(base)):
            name = base
        function = functions[name]
        forms = [form for each in getattr(function, "forms", ()) for form in each if form.row["name"] == short]
        lines = [f"{form.name}({', '.join(map(str, form.parameters))})" for form in forms] or [
            f"pl.{unit}.{name}{inspect.signature(function)}"]
        lines = [re.sub(r"<\w+\.(\w+): \d+>", r"pl.\1", line) for line in lines]
        text += "```python\n" + "\n".join(textwrap.fill(line, **fill) for line in lines) + "\n```\n\n"
        makes = forms and forms[0].writes and "local" in forms[0].row["slots"][0]["memories"]
        return text + (f"In Python, without `{forms[0].parameters[0].name}` it makes the result and returns it.\n\n" if makes else "")

    @staticmethod
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

    def runs_list(self, runs):
        """An item for each chip and what ran it; operands with the same types together."""
        text = ":\n\n"
        for run in runs:
            together = {}
            for slot, kinds in run["types"].items():
                together.setdefault(", ".join(kinds), []).append(f"`{slot}`")
            text += f"* {run['chip']}, {RUN_BY[run['by']]}" + "".join(
                f"{'; ' if number else ': '}{', '.join(slots)} {kinds}" for number, (kinds, slots) in enumerate(together.items())) + "\n"
        return text

    def page(self, row, short):
        text = (f"# {row['name']}\n\n{row['summary']}. PPL manual {row['section']}; kernels call `ppl::{short.replace('.', '::')}`. "
                f"{renew(self.name)}\n\n{self.called(short)}**Meaning**\n\n```\n{row['formula']}\n```\n\n")
        if row["slots"]:
            text += "| parameter | kind | types or values | default |\n|---|---|---|---|\n" + "".join(map(slot_row, row["slots"])) + "\n"
        if row["rules"]:
            text += "**Rules**\n\n" + "".join(f"* {rule}\n" for rule in row["rules"]) + "\n"
        text += f"**Chips**: {', '.join(row['chips']) or 'none of ours'}" + (f"; {row['chip_note']}" if row["chip_note"] else "") + ".\n\n"
        text += f"**On BM1684X**: {STATES[row['state']]}.\n"
        if row["runs"]:
            text += "\n**Run by the tests**" + self.runs_list(row["runs"])
        if row["example"]:
            text += "\n**Example**"
            measured = self.cycles.get(short.replace(".", "_", 1))
            if measured and "bm1684x" in row["chips"]:
                text += f" ({measured[0]} cycles of the TIU and {measured[1]} of the DMA engine by the cycle model)"
            if row["unit"] != "tiu":
                text += "; `a` and `b` are local tensors, `g` a global one, fp32 2x8x5x7"
            text += "\n\n```cpp\n" + row["example"] + "\n```\n"
        return text

    def index(self):
        states = [row["state"] for row in self.rows]
        counts = ", ".join(f"{states.count(state)} {state}" for state in STATES if state in states)
        text = (f"# The functions of PPL\n\n{renew(self.name)} `weft ops --ppl` prints this table. Column BM1684X: what the tests measured ({counts}): `native` and `sequence` gave equal "
                "bytes on our\nemulator, on the vendor's runtime and in the interpreter for 40 random legal calls, `interpreted` was tested against a formula. The page of a function says on which chips and with which element types the tests ran it. Where C++ takes an `Operand` it takes a tensor or a number. Wrappers: [wrappers.md](wrappers.md).\n\n"
                "| function | manual | BM1684X | chips | what |\n|---|---|---|---|---|\n")
        return text + index_rows(self.rows, self.name, lambda row: [row["section"], row["state"], " ".join(row["chips"]), row["summary"]])


class Called:
    """A set whose functions Python calls: examples run here."""

    def __init__(self, args, rows):
        self.module = importlib.import_module(f"weft.{self.name}")
        self.rows = rows

    def function(self, short):
        return f"{self.alias}.{short}{inspect.signature(getattr(self.module, short))}"

    def shown(self, row):
        """What the example gives, as text."""
        import numpy
        names = {self.alias: self.module, "np": numpy}
        try:
            exec(row["example"], names)
        except Exception as error:  # of the catalog's own text: told with the function that has it
            sys.exit(f"catalog_pages.py: the example of {row['name']} fails: {error}")
        result = next((names[name] for name in ("out", "ptr", "acc_ptr") if name in names), None)
        if result is None:
            sys.exit(f"catalog_pages.py: the example of {row['name']} leaves no `out`")
        if not isinstance(result, numpy.ndarray):
            return repr(result)
        table = result.reshape(-1, 4 if result.ndim == 1 else result.shape[-1])
        cells = [[str(value) for value in line] for line in table]
        width = max(len(cell) for line in cells for cell in line)
        return "\n".join(" ".join(cell.rjust(width) for cell in line) for line in cells)

    def example(self, row):
        return f"**Example**\n\n```python\n{row['example']}\n```\n\ngives\n\n```\n{self.shown(row)}\n```\n"

    def head(self, row, short):
        return (f"# {row['name']}\n\n{row['summary'][0].upper()}{row['summary'][1:]}. {renew(self.name)}\n\n"
                f"```python\n{textwrap.fill(self.function(short), 100, subsequent_indent='    ', break_long_words=False)}\n```\n\n"
                f"**Meaning**\n\n```\n{textwrap.fill(row['formula'], 110)}\n```\n\n")

    def parts(self, row):
        text = "| parameter | kind | types or values | default |\n|---|---|---|---|\n" + "".join(
            slot_row(slot, "that of x and y") for slot in row["slots"]) + "\n"
        return text + ("**Rules**\n\n" + "".join(f"* {rule}\n" for rule in row["rules"]) + "\n" if row["rules"] else "")


class Zhouyi(Called):
    """docs/zhouyi."""

    name, alias = "zhouyi", "S"

    @staticmethod
    def lanes(row):
        return next((text for feature, text in LANES.items() if feature in row["features"]), "of one register")

    @staticmethod
    def types(row):
        """A table of what one register of each operand may be."""
        names = [slot["name"] for slot in row["slots"] if slot["kind"] in ("vector", "vector_or_scalar") and not slot["optional"]]
        signed = any(one["out_sign"] for one in row["signatures"])
        heads = names + (["out_sign"] if signed else []) + ["result"]
        text = "| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|\n"
        for one in row["signatures"]:
            cells = one["operands"] + ([one["out_sign"] or "may be left out"] if signed else []) + [one["result"] or "none"]
            text += "| " + " | ".join(cells) + " |\n"
        return text

    def page(self, row, short):
        text = self.head(row, short) + self.parts(row)
        text += f"**Types**, here of one register; lanes: {self.lanes(row)}.\n\n{self.types(row)}\n"
        if row["inactive_lanes"]:
            text += f"**Inactive lanes**: {row['inactive_lanes']}.\n\n"
        return text + self.example(row)

    def index(self):
        text = (f"# Vector functions of Zhouyi\n\n{renew(self.name)} `weft ops --zhouyi` prints the same. In C++ they are methods of\n"
                "`dialects/zhouyi/Builder.h`, in Python functions of `weft.zhouyi` ([python/README.md](../../python/README.md)), in IR ops of the dialect `zhouyi`. "
                "What the document leaves\nopen: [the named choices](../rationale/0008-two-more-operation-sets.md). Programs and their files: [programs.md](programs.md).\n\n"
                "| function | element types | lanes | parameters | inactive lanes | what |\n|---|---|---|---|---|---|\n")

        def cells(row):
            types = dict.fromkeys(one["operands"][-1].split("x")[0] for one in row["signatures"])
            parameters = " ".join(word for word in row["features"] if word not in (*LANES, "scalar"))
            return [" ".join(types), self.lanes(row), parameters, row["inactive_lanes"], row["summary"]]
        return text + index_rows(self.rows, self.name, cells)


class Ascend(Called):
    """docs/ascend."""

    name, alias = "ascend", "A"

    def page(self, row, short):
        return self.head(row, short) + self.parts(row) + f"**Chips**: {', '.join(row['chips'])}.\n\n" + self.example(row)

    def index(self):
        text = (f"# Moves of Ascend\n\n{renew(self.name)} `weft ops --ascend` prints the same. In Python they are functions of\n"
                "`weft.ascend` ([python/README.md](../../python/README.md)), in IR ops of the dialect `ascend`. What the document leaves open: "
                "[the named choices](../rationale/0008-two-more-operation-sets.md).\n\n"
                "| function | elements | what |\n|---|---|---|\n")
        return text + index_rows(self.rows, self.name, lambda row: [" ".join(row["slots"][0]["types"]), row["summary"]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    sets = {kind.name: kind for kind in (Ppl, Zhouyi, Ascend)}
    parser.add_argument("set", choices=sets)
    parser.add_argument("--python", required=True, help="folder of the package weft")
    parser.add_argument("--native", required=True, help="folder with libweft-compiler.so")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    sys.path.insert(0, args.python)
    os.environ["WEFT_NATIVE_DIR"] = args.native
    rows = json.loads(output(args.weft, "ops", f"--{args.set}", "--json"))
    made = sets[args.set](args, rows)
    folder = DOCS / args.set
    pages = {folder / "README.md": made.index()}
    for row in rows:
        short = row["name"].removeprefix(f"{args.set}.")
        pages[folder / "functions" / f"{short}.md"] = made.page(row, short)
    found = [f"{row['name']}: no example" for row in rows if not row["example"]]
    for path in sorted((folder / "functions").glob("*.md")):
        if path not in pages:
            found.append(f"{path.name}: no such function")
    for path, text in pages.items():
        if args.write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            found.append(f"{path.relative_to(DOCS)} is stale; renew it with --write")
    for line in found[:20]:
        print(line)
    print(f"{len(rows)} functions, {len(found)} problems")
    return 1 if found or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
