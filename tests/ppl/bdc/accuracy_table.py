#!/usr/bin/env python3
"""Writes the errors of tests/ppl/bdc/accuracy.log into docs/ppl/tpu-bdc.md.

  accuracy_table.py            rewrites the table between its two marks
  accuracy_table.py --check    exits 1 if it is not the log's
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOG, PAGE = ROOT / "tests/ppl/bdc/accuracy.log", ROOT / "docs/ppl/tpu-bdc.md"
BEGIN, END = "<!-- errors: begin (accuracy_table.py) -->", "<!-- errors: end -->"
LINE = re.compile(r"(?P<name>.*?) \| (?P<kind>all|range) \[(?P<low>.*?), (?P<high>.*?)\] \| samples (?P<samples>\d+)"
                  r" \| weft max (?P<most>\S+) at (?P<at>\S+) mean (?P<mean>\S+) nearest (?P<nearest>\S+)%"
                  r" \| vendor max (?P<most2>\S+) at (?P<at2>\S+) mean (?P<mean2>\S+) nearest (?P<nearest2>\S+)%")


def number(text):
    value = float(text)
    if value == float("inf"):
        return "inf"
    return f"{value:.3g}" if value < 1e5 else f"{value:.1e}"


def border(text):
    value = float(text)
    if abs(abs(value) - 3.402823e38) < 1e33:
        return "-max" if value < 0 else "max"
    names = {1.175494e-38: "2^-126", 2.350989e-38: "2^-125", 4.25353e37: "2^125", 3.141593: "pi", 0.7071068: "sqrt(1/2)"}
    for known, name in names.items():
        if abs(abs(value) - known) < 1e-5 * known:
            return "-" * (value < 0) + name
    return f"{value:.6g}"


def table():
    rows = ["| function | x | arguments | largest error | of x = | mean | nearest | vendor: largest | mean | nearest |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    for line in LOG.read_text().splitlines():
        match = LINE.fullmatch(line)
        if not match:
            sys.exit(f"{LOG.name}: cannot read: {line}")
        m = match.groupdict()
        whole = m["kind"] == "all"
        bold = "**" if whole else ""
        rows.append(f"| {bold}{m['name']}{bold} | {border(m['low'])} to {border(m['high'])} | {int(m['samples']):,} | "
                    f"{bold}{number(m['most'])}{bold} | {m['at']} | {number(m['mean'])} | {m['nearest']} % | "
                    f"{number(m['most2'])} | {number(m['mean2'])} | {m['nearest2']} % |")
    return "\n".join(rows)


def main():
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    wanted = head + BEGIN + "\n" + table() + "\n" + END + rest.split(END)[1]
    if "--check" in sys.argv[1:]:
        if text != wanted:
            sys.exit(f"{PAGE.relative_to(ROOT)}: the table is not that of the log; run {pathlib.Path(__file__).name}")
        return
    PAGE.write_text(wanted)


if __name__ == "__main__":
    main()
