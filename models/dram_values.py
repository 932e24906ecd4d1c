#!/usr/bin/env python3
"""The intermediates that the public networks leave in DRAM, and why (scripts/bench --dram).

  dram_values.py WEFT DIR [--networks REGEX] [--precisions int8,f16,f32] [--write]

Converts the networks of models/cycles.py and asks `weft explain`. DIR keeps models and bmodels. Prints the tables; --write puts them into
docs/dram-values.md instead.
"""
import argparse
import json
import pathlib
import sys

import cycles

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "dram-values.md"
HEAD = """# Intermediates in DRAM

What the public networks of `scripts/bench --cycles` store and load again between groups of layers, as `weft explain` says it; [explain.md](explain.md) tells what the words mean. Bytes are
those written; each reader loads them once more. `scripts/bench --dram --write` renews this page.
"""


def explained(program, name, entry, precision, folder):
    """What `weft explain` says of one network."""
    bmodel = folder / f"{name}_{precision}.bmodel"
    table = ["--calibration", cycles.DATA / "tables" / f"{name}.table"] if precision == "int8" else []
    cycles.call(program, "convert", cycles.model_file(entry, folder), "-o", bmodel, "--precision", precision, *table, *cycles.shape_flags(entry))
    return json.loads(cycles.call(program, "explain", bmodel, "--json"))


def cause_of(record):
    """The word of the cause; there may be none."""
    return record["cause"]["cause"] if record["cause"] else "-"


def summary(reports):
    """A row a network and precision."""
    lines = ["| network | precision | groups | outside | values | bytes | most of it |", "|-|-|-|-|-|-|-|"]
    for (name, precision), report in reports.items():
        groups = sum(step["operations"] > 0 for step in report["steps"])
        totals = report["dram_totals"]
        most = ", ".join(f"`{row['reason']}` `{row['cause'] or '-'}` {row['bytes']:,}" for row in totals[:2])
        lines.append(f"| {name} | {precision} | {groups} | {len(report['steps']) - groups} | {len(report['dram_values'])} | "
                     f"{sum(row['bytes'] for row in totals):,} | {most} |")
    return lines


def by_reason(reports):
    """A row a reason and cause, with values and bytes at each precision."""
    precisions = list(dict.fromkeys(precision for _, precision in reports))
    sums = {}
    for (_, precision), report in reports.items():
        for value in report["dram_values"]:
            found = sums.setdefault((value["reason"], cause_of(value)), {name: [0, 0] for name in precisions})[precision]
            found[0] += 1
            found[1] += value["bytes"]
    rows = sorted(sums.items(), key=lambda item: -sum(bytes_ for _, bytes_ in item[1].values()))
    lines = ["| reason | cause | " + " | ".join(precisions) + " |", "|-|-|" + "-|" * len(precisions)]
    for (reason, cause), figures in rows:
        cells = [f"{bytes_:,} in {values}" if values else "-" for values, bytes_ in figures.values()]
        lines.append(f"| `{reason}` | `{cause}` | " + " | ".join(cells) + " |")
    totals = [[sum(figures[name][i] for figures in sums.values()) for i in (0, 1)] for name in precisions]
    lines.append("| together | | " + " | ".join(f"{bytes_:,} in {values}" for values, bytes_ in totals) + " |")
    return lines


def each_value(reports):
    """A row a value."""
    lines = ["| network | precision | value | type and shape | bytes | reason | cause |", "|-|-|-|-|-|-|-|"]
    for (name, precision), report in reports.items():
        for value in report["dram_values"]:
            nodes = value["nodes"]
            label = f"`{value['name']}`" if value["name"] else f"(of `{nodes[0]}`)" if nodes else "-"
            cause = value["cause"]
            text = f"{cause['text']} (`{cause['nodes'][0]}`)" if cause and cause["nodes"] else cause["text"] if cause else "-"
            shape = "x".join(map(str, value["shape"]))
            lines.append(f"| {name} | {precision} | {label} | {value['type']} {shape} | {value['bytes']:,} | `{value['reason']}` | {text} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--networks", metavar="REGEX", default="")
    parser.add_argument("--precisions", default="int8,f16,f32")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.write and (arguments.networks or arguments.precisions != parser.get_default("precisions")):
        parser.error("--write is for all networks and precisions")
    arguments.group = "public"
    arguments.dir.mkdir(parents=True, exist_ok=True)
    reports = {(name, precision): explained(arguments.weft, name, entry, precision, arguments.dir)
               for name, entry in cycles.networks(arguments).items() for precision in arguments.precisions.split(",")}
    parts = [("## By network", summary(reports)), ("## By reason", by_reason(reports)), ("## Each value", each_value(reports))]
    text = "\n".join(f"{title}\n\n" + "\n".join(lines) + "\n" for title, lines in parts)
    if arguments.write:
        PAGE.write_text(HEAD + "\n" + text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
