"""VendorFormulas.h against the vendor's library: is what ours is compared with what the library computes?

vendor_test.py VALUES: VALUES is the program ppl_bdc_vendor_values. The library's own functions run on its emulator, called from
outside, on the arguments that the errors are measured with.
"""
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "oracle" / "encoder"))
from vendor_encoder import VendorEncoder, argument  # noqa: E402

VALUES = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
COLUMNS, BLOCKS = 4096, 4
DST, SRC, WORK0, WORK1, COEFF, TABLE = 0, 0x8000, 0x10000, 0x18000, 0x20000, 0x20400
LOADERS = {"exp": "exp", "expm1": "exp", "log": "log", "log1p": "log", "logx": "log", "sin": "sin", "cos": "cos", "tan": "tan",
           "cot": "tan", "arcsin": "arcsin", "arccos": "arcsin"}


class VendorMachine:
    """Calls the library's functions, which its emulator executes at once."""

    def __init__(self):
        self.library = VendorEncoder(os.environ["TPU_MLIR_DIR"]).library
        self.library.use_atomic_cmodel()
        self.library.get_local_mem.restype = ctypes.c_void_p
        memory = ctypes.cast(ctypes.c_void_p(self.library.get_local_mem(0)), ctypes.POINTER(ctypes.c_uint64))[0]
        self.lane = np.ctypeslib.as_array((ctypes.c_float * 65536).from_address(memory))

    def call(self, function, *values):
        getattr(self.library, function)(*[argument(value) for value in values])

    def run(self, name, numbers):
        """`name` as in Functions.cpp: "fp32_logx, x = 2"."""
        base, parameter = re.fullmatch(r"(\w+)(?:, .*?([0-9.]+))?", name).groups()
        kind, shape = base.removeprefix("fp32_"), (1, 1, 1, len(numbers))
        self.lane[SRC // 4:SRC // 4 + len(numbers)] = numbers
        if kind in LOADERS:
            self.call(f"tpu_bdc_load_fp32_{LOADERS[kind]}_coeff", COEFF)
            works = (WORK0, WORK1, COEFF, TABLE) if kind in ("exp", "expm1") else (WORK0, COEFF)
            values = (DST, SRC, *works, shape, *([float(parameter)] if kind == "logx" else []))
        else:
            strides = (None, None) if "reciprocal" in kind else ()
            values = (DST, SRC, shape, *strides, int(parameter))
        self.call("tpu_bdc_" + base, *values)
        return self.lane[DST // 4:DST // 4 + len(numbers)].copy()


class VendorTest(unittest.TestCase):

    def test_formulas(self):
        machine = VendorMachine()
        names = subprocess.run([VALUES], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
        self.assertGreaterEqual(len(names), 25)
        for name in names:
            with self.subTest(name):
                count = COLUMNS * BLOCKS
                raw = subprocess.run([VALUES, name, str(count)], check=True, capture_output=True).stdout
                numbers = np.frombuffer(raw, np.float32)
                arguments, wanted = numbers[:count], numbers[count:]
                got = np.concatenate([machine.run(name, part) for part in np.split(arguments, BLOCKS)])
                wrong = np.nonzero((got.view(np.uint32) != wanted.view(np.uint32)) & ~(np.isnan(got) & np.isnan(wanted)))[0]
                first = "" if not len(wrong) else (f": the library gives {got[wrong[0]]!r} for {arguments[wrong[0]]!r}, the "
                                                   f"formula {wanted[wrong[0]]!r}")
                self.assertEqual(len(wrong), 0, f"{len(wrong)} of {count} values differ{first}")


if __name__ == "__main__":
    unittest.main()
