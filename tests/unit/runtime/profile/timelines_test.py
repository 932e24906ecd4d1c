#!/usr/bin/env python3
"""The timeline of `weft profile` against the vendor's, given the vendor's own costs: every start and every end.

  timelines_test.py SIMULATE_COMMANDS TESTS_DATA_CYCLES

The files give `s`, `e` (inclusive) and `t` of each command; ours are half open. Nothing is allowed to differ: the rules
are the vendor's. What our costs make of the totals is tested in tests/unit/runtime/cycles.
"""
import gzip
import json
import pathlib
import subprocess
import sys


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    files = sorted(folder.glob("**/*.jsonl.gz"))
    assert len(files) >= 190, f"{len(files)} timelines in {folder}"
    commands = waits = 0
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        engines = {"tiu": "tiu", "dma": "gdma"}
        text = "".join(f"{engines[row['engine']]} {row['t']} {row['regs']['cmd_id_dep']}\n" for row in rows)
        done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, f"{path.name}: {done.stderr}"
        spans = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
        assert len(spans) == len(rows), f"{path.name}: {len(spans)} spans for {len(rows)} commands"
        for row, (start, end, wait, _) in zip(rows, spans):
            assert (start, end) == (row["s"], row["e"] + 1), \
                f"{path.name}: {row['engine']} {row['regs']['cmd_id']} ({row['op']}) runs {start} to {end}, " \
                f"the vendor says {row['s']} to {row['e'] + 1}"
            waits += wait > 0
        total = max(row["e"] for row in rows) + 1
        critical = sum(end - start for start, end, _, is_critical in spans if is_critical)
        assert critical == total, f"{path.name}: the critical path has {critical} of {total} cycles"
        commands += len(rows)
    assert waits > 1000, f"only {waits} commands wait: the files test nothing"
    print(f"{len(files)} timelines, {commands} commands, {waits} of them wait: every start and end is the vendor's")


main()
