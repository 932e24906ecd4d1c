"""Weft: compiler, emulator and runtime for Sophgo TPUs.

    import weft
    weft.convert("cls.onnx", "cls.bmodel", shapes={"x": (1, 3, 48, 192)})
    model = weft.Model("cls.bmodel")
    scores = model(image)
    print(weft.compare("cls.onnx", "cls.bmodel", image)["passed"])
    print(weft.profile("cls.bmodel")["total_cycles"])

`weft.ppl` has kernels written in Python, `weft.zhouyi` the vector functions of
Zhouyi and programs of them, `weft.ascend` the moves of Ascend.
"""

from ._native import WeftError, include_folder
from ._model import Model
from ._calibrate import (Calibration, Precisions, WeftWarning, calibrate,
                         choose_precisions)
from ._convert import Program, convert
from ._tools import compare, explain, info, profile

__version__ = "@WEFT_VERSION@"
__all__ = ["Calibration", "Model", "Precisions", "Program", "WeftError",
           "WeftWarning", "calibrate", "choose_precisions", "compare",
           "convert", "explain", "include_folder", "info", "profile"]
