#!/usr/bin/env python3
"""Every named choice of a rationale page has the test that pins it, and every such test has its row.

  choices_test.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "rationale" / "0008-two-more-operation-sets.md"
TESTS = ROOT / "tests" / "unit" / "runtime"


def main():
    found = []
    for title in ("Zhouyi", "Ascend"):
        section = PAGE.read_text().split(f"\n### {title}\n")[1].split("\n#")[0]
        rows = set(re.findall(r"^\| `(\w+)` \|", section, re.M))
        path = TESTS / title.lower() / "ChoicesTest.cpp"
        tests = set(re.findall(rf"^TEST\({title}Choices, (\w+)\)", path.read_text(), re.M))
        if not rows:
            found.append(f"{PAGE.name}: no choices of {title}; the page looks different now")
        found += [f"{name} has no test in {path.relative_to(ROOT)}" for name in sorted(rows - tests)]
        found += [f"{name} of {path.relative_to(ROOT)} has no row in {PAGE.name}" for name in sorted(tests - rows)]
    print("\n".join(found) or "every named choice has its test")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
