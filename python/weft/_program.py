"""The program `weft` of the wheel."""

import os
import sys

from ._native import PACKAGE


def main():
    program = PACKAGE / "native" / "bin" / "weft"
    # Where onnxruntime is installed, if it is (compare --reference onnxruntime).
    os.environ.setdefault("WEFT_PYTHON", sys.executable)
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
