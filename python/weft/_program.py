"""The program `weft` of the wheel."""

import os
import sys

from ._native import PACKAGE


def main():
    program = PACKAGE / "native" / "bin" / "weft"
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
