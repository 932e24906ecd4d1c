#!/usr/bin/env python3
"""What the tests measured of every function of PPL on BM1684X, on which chips, by what and with which element types of its operands
they ran it, and the lists that `weft ops --ppl` shows.

  states.py WEFT PPL_CASES CATALOG_TESTS [--cases 200] [--write]

A function is `native` or `sequence` if random legal calls of it gave the same bytes on our emulator, on the vendor's runtime
and in the interpreter (PPL_CASES; one command a call, or several). It is `interpreted` if the tests of CATALOG_TESTS that
passed have computed it against a written formula. Every function needs a test that accepts a call and one that rejects one.
Run on the device (emulator and vendor's runtime) are the element types of the first 40 of these calls; by the interpreter alone those of the
tests of CATALOG_TESTS that passed. Without --write the lists in
tools/weft/PplStates.def and PplRuns.def must say just that; the exit code is 1 if they do not, or if a function that has commands differs somewhere.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

LIST = pathlib.Path(__file__).resolve().parents[3] / "tools" / "weft" / "PplStates.def"
RUNS = LIST.with_name("PplRuns.def")
HEAD = ("// What tests/ops/ppl/states.py measured on the first chip; renew it with its --write.\n"
        "// WEFT_PPL_STATE(function, state)\n")
RUNS_HEAD = ("// On which chips and with which element types of each operand passing tests ran each function: `device`, our\n"
             "// emulator and the vendor's runtime, which gave the bytes of the interpreter; `interpreter`, what it alone ran. Made by\n"
             "// tests/ops/ppl/states.py, renew it with its --write.\n"
             "// WEFT_PPL_RUN(function, chip, by, operands: element types)\n")
# Messages between engines compute nothing: their order is all they mean.
ORDER_ONLY = ("send_msg", "wait_msg", "vsdma_initialize", "vsdma_poll")


def run_cases(program, cases):
    result = subprocess.run([program, "--cases", str(cases)], capture_output=True, text=True, timeout=3000)
    if result.returncode not in (0, 1):
        sys.exit(f"states.py: {program} ended with {result.returncode}: {result.stderr.strip()}")
    return {row["name"]: row for row in map(json.loads, result.stdout.splitlines())}


def covered(program):
    """Functions that passing tests have seen accept, reject, compute."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tests.json"
        result = subprocess.run([program, f"--gtest_output=json:{path}"], capture_output=True, timeout=1200)
        if result.returncode not in (0, 1) or not path.exists():
            sys.exit(f"states.py: {program} ended with {result.returncode}")
        report = json.loads(path.read_text())
    seen = {"accepts": set(), "rejects": set(), "computes": set(), "ran": set()}
    for suite in report["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("failures"):
                continue
            for key in test:
                what, _, function = key.partition(":")
                if what in seen:
                    seen[what].add(function)
    return seen


def runs_of(measured, seen):
    """By function, chip and `device` or `interpreter`: the element types of each slot. What the device ran, the interpreter did, too."""
    runs = {}
    for name, result in measured.items():
        if not result["problem"]:
            runs[name.removeprefix("ppl."), result["chip"], "device"] = {slot: set(kinds) for slot, kinds in result["types"].items()}
    for run in sorted(seen):
        function, chip, *operand = run.split(":")
        on_device = runs.get((function, chip, "device"))
        if not operand:
            if on_device is None:
                runs.setdefault((function, chip, "interpreter"), {})
            continue
        slot, kind = operand
        if kind not in (on_device or {}).get(slot, ()):
            runs.setdefault((function, chip, "interpreter"), {}).setdefault(slot, set()).add(kind)
    return runs


def operands_text(slots, kinds_of):
    """"dst src: fp16 fp32, index: uint16": slots with the same types together, in their order."""
    together = {}
    for slot in slots:
        if slot["name"] in kinds_of:
            together.setdefault(" ".join(sorted(kinds_of[slot["name"]])), []).append(slot["name"])
    return ", ".join(f"{' '.join(names)}: {kinds}" for kinds, names in together.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("cases_program")
    parser.add_argument("catalog_tests")
    parser.add_argument("--cases", type=int, default=200, help="random legal calls a function")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = json.loads(subprocess.run([args.weft, "ops", "--ppl", "--json"], capture_output=True, text=True, check=True).stdout)
    measured, seen = run_cases(args.cases_program, args.cases), covered(args.catalog_tests)
    found, states = [], {}
    for row in rows:
        name, short = row["name"], row["name"].removeprefix("ppl.")
        for what in ("accepts", "rejects"):
            # Functions without a rule of their own that any call could break have nothing to reject.
            if short not in seen[what] and (what == "accepts" or row["slots"]):
                found.append(f"{name}: no passing test {what} a call of it")
        result = measured.get(name)
        if result:
            states[short] = result["state"]
            if result["problem"]:
                found.append(f"{name}: {result['problem']}")
        elif short in seen["computes"] or short.endswith(ORDER_ONLY):
            states[short] = "interpreted"
        else:
            states[short] = "untested"
            found.append(f"{name}: has no commands and no passing test computes it")
    runs = runs_of(measured, seen["ran"])
    listed = []  # in the order of the functions and their chips
    for row in rows:
        short = row["name"].removeprefix("ppl.")
        listed += [(short, chip, by, operands_text(row["slots"], runs.pop((short, chip, by))))
                   for chip in row["chips"] for by in ("device", "interpreter") if (short, chip, by) in runs]
    found += [f"ppl.{function}: ran on {chip}, which does not have it" for function, chip, _ in sorted(runs)]
    runs_text = RUNS_HEAD + "".join(f'WEFT_PPL_RUN("{function}", "{chip}", "{by}", "{operands}")\n'
                                    for function, chip, by, operands in listed) + "#undef WEFT_PPL_RUN\n"
    text = HEAD + "".join(f'WEFT_PPL_STATE("{name}", "{state}")\n' for name, state in states.items()) + "#undef WEFT_PPL_STATE\n"
    if args.write:
        LIST.write_text(text)
        RUNS.write_text(runs_text)
    else:
        found += [f"{path.name} is not what was measured; renew it with --write" for path, wanted in ((LIST, text), (RUNS, runs_text))
                  if path.read_text() != wanted]
    counts = {state: list(states.values()).count(state) for state in sorted(set(states.values()))}
    for line in found:
        print(line)
    print(f"{len(states)} functions: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    print(f"{len(states) - len({line.split(':')[0] for line in found})} passed, {len(found)} failed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
