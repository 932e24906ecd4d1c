"""Weft: compiler, emulator and runtime for Sophgo TPUs.

    import weft
    weft.convert("cls.onnx", "cls.bmodel", shapes={"x": (1, 3, 48, 192)})
    model = weft.Model("cls.bmodel")
    outputs = model.run(x=image)

`weft.ppl` has kernels written in Python, `weft.zhouyi` the vector functions of
Zhouyi and programs of them, `weft.ascend` the moves of Ascend.
"""

from ._native import WeftError, include_folder
from ._model import Model, Program, convert
from ._calibrate import (Calibration, Precisions, WeftWarning, calibrate,
                         choose_precisions)

__version__ = "@WEFT_VERSION@"
__all__ = ["Calibration", "Model", "Precisions", "Program", "WeftError",
           "WeftWarning", "calibrate", "choose_precisions", "convert", "include_folder"]
