#!/usr/bin/env python3
"""Every command and option of Weft that docs/from-tpu-mlir.md names is in `weft COMMAND --help`.

  vendor_table_test.py WEFT

A word in backticks of a row's last cell that begins with `weft` names a command and options of it; one that begins with a dash is an option of
the command in the head of its column. No last cell is empty.
"""
import functools
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "from-tpu-mlir.md"


@functools.lru_cache(maxsize=None)
def help_of(weft, *command):
    """The help of a command; None if there is no such command."""
    done = subprocess.run([weft, *command, "--help"], capture_output=True, text=True, timeout=60)
    # Of an unknown command that of the program is shown.
    return done.stdout if f"Usage: weft {' '.join(command)} " in done.stdout else None


def named(cell, default):
    """Commands and the options that belong to them."""
    for code in re.findall(r"`([^`]+)`", cell):
        words = re.sub(r"'[^']*'", "", code).split()
        if words and words[0] == "weft":
            count = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
            command, options = words[1:count], words[count:]
        elif words and words[0].startswith("-") and default:
            command, options = default, words
        else:
            continue
        # `-O0` is -O; a word behind an option is its value.
        yield tuple(command), [re.match(r"--[\w-]+|-\w", word)[0] for word in options if word.startswith("-")]


def problems_of(weft, cell, default):
    for command, options in named(cell, default):
        text = help_of(weft, *command)
        if not command or text is None:
            yield f"there is no command 'weft {' '.join(command)}'"
            continue
        for option in options:
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text):
                yield f"weft {' '.join(command)} has no option {option}"


def main():
    weft, found, rows, default = sys.argv[1], [], 0, ()
    lines = PAGE.read_text().splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("| ") or line.startswith("|---"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        last = cells[-1]
        if lines[number + 1].startswith("|---"):
            default = tuple(re.sub("`", "", last).split()[1:]) if last.startswith("`weft") else ()
            continue
        rows += 1
        if len(cells) != 3 or not cells[0] or not last:
            found.append(f"{PAGE.name}:{number + 1}: the row has not three cells, or its first or last is empty")
        found += [f"{PAGE.name}:{number + 1}: {text}" for text in problems_of(weft, last, default)]
    print("\n".join(found) or f"{rows} rows name what is there")
    return 1 if found or rows < 80 else 0


if __name__ == "__main__":
    sys.exit(main())
