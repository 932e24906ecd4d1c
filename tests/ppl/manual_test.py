"""The complete C++ kernels of the PPL manual, as printed: they give numpy's numbers.

manual_test.py WEFT [--device bmrt] [--only 04,17]: every kernel of manual/ is called by `weft ppl run K.cpp --kernel .. --arg ..` on arrays of an npz file; what
it saves is compared with numpy. Kernels of other chips run in the interpreter, with the emulator only. manual/README.md says how the kernels became files.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "manual"
COMPILER = os.environ.get("CXX", "c++")
RANDOM = np.random.default_rng(21)


def floats(*shape, low=-1.0, high=1.0):
    return RANDOM.uniform(low, high, shape).astype(np.float32)


def integers(dtype, *shape, low=None, high=None):
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min if low is None else low, (limits.max if high is None else high) + 1, shape).astype(dtype)


def bf16(values):
    """Rounded to the nearest bf16, ties to even."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def fp16(values):
    return np.asarray(values, np.float32).astype(np.float16).astype(np.float32)


def saturated(values, dtype):
    limits = np.iinfo(dtype)
    return np.clip(values, limits.min, limits.max).astype(dtype)


def half_to_even(values, shifts):
    """Shift to the left, or to the right (negative) rounding to the nearest, ties to even."""
    return np.rint(values.astype(np.float64) * 2.0**shifts)


class Case:
    """One call: `arguments` are arrays, numbers or texts of --arg, `outputs` what must come out, with tolerances."""

    def __init__(self, kernel, arguments, outputs, chip="bm1684x", rtol=0.0, atol=0.0):
        self.kernel, self.arguments, self.outputs, self.chip, self.rtol, self.atol = kernel, arguments, outputs, chip, rtol, atol


def fp32_div(kernel):
    a, b = floats(1, 64, 32, 16), floats(1, 64, 32, 16, low=0.5, high=4)
    return Case(kernel, {"ptr_dst": "out:fp32[1x64x32x16]", "ptr_src0": a, "ptr_src1": b, "numiter": 3}, {"ptr_dst": a / b}, rtol=1e-6)


def add_quarter(kernel, **more):
    x = fp16(floats(1, 64, 1, 4096, low=-32, high=32))
    return Case(kernel, {"ptr_res": "out:fp16[1x64x1x4096]", "ptr_inp": x, "W": 4096} | more, {"ptr_res": fp16(x + np.float32(0.25))})


def mm2_fp16():
    m, k, n = 200, 300, 260  # the last blocks are smaller on every axis
    left, right = fp16(floats(1, m, 1, k)), fp16(floats(1, k, 1, n))
    wanted = left[0, :, 0].astype(np.float64) @ right[0, :, 0].astype(np.float64)
    # fp32 sums of 300 products up to 1, then rounded to fp16
    return Case("mm2_fp16", {"ptr_res": f"out:[1x{m}x1x{n}]", "ptr_left": left, "ptr_right": right, "M": m, "K": k, "N": n},
                {"ptr_res": wanted.reshape(1, m, 1, n)}, rtol=2**-11, atol=1e-4)


def copied(kernel, out, source, *shape):
    x = floats(*shape)
    return Case(kernel, {out: "out:[" + "x".join(map(str, shape)) + "]", source: x}, {out: x})


def load_transpose():
    x = floats(2, 5, 17, 32)
    return Case("dmaload_nc_trans_fp32", {"ptr_rst": "out:[4x2x16x32]", "ptr_inp": x}, {"ptr_rst": x[:, 1:, 1:].transpose(1, 0, 2, 3)})


def broadcast(kernel, n, c, h, w):
    x = floats(n, 1, h, w)
    return Case(kernel, {"ptr_rst": f"out:[{n}x{c}x{h}x{w}]", "ptr_inp": x}, {"ptr_rst": np.broadcast_to(x, (n, c, h, w))})


def gather_rows(kernel, param, dtype):
    index = integers(np.uint32, 1, 64, 64, 1, low=0, high=127)
    wanted = np.take_along_axis(param, index.astype(np.int64), 2)
    return Case(kernel, {"ptr_output": f"out:{dtype}[1x64x64x64]", "ptr_param": param, "ptr_index": index}, {"ptr_output": wanted})


def scatter_rows():
    before, param = integers(np.int16, 1, 64, 128, 64), integers(np.int16, 1, 64, 20, 64)
    index = np.stack([RANDOM.permutation(128)[:20] for _ in range(64)]).reshape(1, 64, 20, 1).astype(np.uint32)
    wanted = before.copy()
    np.put_along_axis(wanted, index.astype(np.int64), param, 2)
    return Case("scatter_h_l2s_index_global_int16", {"ptr_output": before, "ptr_param": param, "ptr_index": index}, {"ptr_output": wanted})


def reduce(mode, wanted):
    x = floats(1, 1, 1, 8)
    wanted = wanted(x).reshape(1, 1, 1, -1)
    return Case("reduce", {"ptr_out": f"out:[1x1x1x{wanted.size}]", "ptr_in": x, "mode": mode}, {"ptr_out": wanted}, "bm1690", rtol=1e-6)


def mask(*shape):
    x, chosen = bf16(floats(*shape)), integers(np.int32, *shape, low=0, high=1)
    wanted = np.zeros(x.size, np.float32)
    wanted[:chosen.sum()] = x[chosen != 0]
    return Case("MaskSelectL2S_bf16", {"ptr_res": np.zeros(shape, np.float32), "ptr_inp": x, "ptr_mask": chosen}, {"ptr_res": wanted.reshape(shape)})


def positions(kernel, dtype):
    x = integers(dtype, 1, 1, 11, 8, low=0, high=1)
    found = np.flatnonzero(x)
    wanted = np.pad(found, (0, x.size - found.size)).reshape(x.shape)
    return Case(kernel, {"ptr_dst": np.zeros(x.shape, np.int32), "ptr_src": x}, {"ptr_dst": wanted})


def topk_int32(rows):
    x = integers(np.int32, 1, 1, rows, 320)
    # Only bm1690 sorts several rows in a call.
    return Case("topk_int32", {"ptr_dst": f"out:[1x1x{rows}x16]", "ptr_src": x}, {"ptr_dst": -np.sort(-x.astype(np.int64))[..., :16]},
                "bm1684x" if rows == 1 else "bm1690")


def topk_f32(own_index):
    x = np.stack([RANDOM.permutation(320) for _ in range(80)]).reshape(1, 1, 80, 320).astype(np.float32)
    index = integers(np.int32, 1, 1, 80, 320, low=0, high=9999)
    order = np.argsort(x)[..., :80]
    values, places = np.take_along_axis(x, order, 3), np.take_along_axis(index, order, 3) if own_index else order
    arguments = {"ptr_value": "out:[80x80]", "ptr_idx": "out:[80x80]", "ptr_data": x, "K": 80}
    return Case("topk_f32", arguments | ({"ptr_src_idx": index} if own_index else {}), {"ptr_value": values, "ptr_idx": places},
                "bm1690")


def gather_line():
    param, index = bf16(floats(1, 1, 128, 64)), integers(np.uint32, 1, 1, 1, 32, low=0, high=127)
    lines = index.reshape(-1)
    wanted = np.where((lines <= 64)[:, None], param[0, 0, lines], 1)
    return Case("hau_line_gather_bf16", {"ptr_output": "out:[1x1x32x64]", "ptr_param": param, "ptr_index": index},
                {"ptr_output": wanted.reshape(1, 1, 32, 64)})


def absolute():
    x = bf16(floats(1, 64, 32, 16))
    return Case("abs_bf16", {"ptr_res": "out:[1x64x32x16]", "ptr_inp": x}, {"ptr_res": np.abs(x)})


def arith_int():
    a, b = integers(np.int16, 1, 64, 16, 1, low=-90, high=90), integers(np.int16, 1, 64, 16, 1, low=-90, high=90)
    x, shifts = integers(np.int32, 1, 64, 16, 1, low=-2**24, high=2**24), integers(np.int32, 1, 64, 16, 1, low=-20, high=0)
    y = a.astype(np.int64)
    y = 1 - (y + y + 1 - b)
    wanted = saturated((y - 1) * 2 * b, np.int16)
    shape = "[1x64x16x1]"
    return Case("arith_int", {"rst_and": "out:" + shape, "rst_sft": "out:" + shape, "inp_1": a, "inp_2": b, "inp": x, "sft": shifts},
                {"rst_and": wanted, "rst_sft": half_to_even(x, shifts)})


def bitwise_and():
    left, right = integers(np.int8, 1, 64, 32, 16), integers(np.int8, 1, 64, 32, 16)
    shape = "[1x64x32x16]"
    return Case("bitwise_and_c_int8", {"ptr_res1": "out:" + shape, "ptr_res2": "out:" + shape, "ptr_left": left, "ptr_right": right, "scalar_c": 25},
                {"ptr_res1": left, "ptr_res2": left & 25})  # as printed, right is loaded from left's memory


def cast():
    x = floats(2, 8, 16, 32)
    return Case("cast_to_f16", {"ptr_rst": "out:[2x8x16x32]", "ptr_inp": x}, {"ptr_rst": fp16(x)})


def shift(constant):
    x = integers(np.int32, 1, 64, 16, 1, low=-2**30, high=2**30)
    shifts = np.int32(-5) if constant else integers(np.int32, 1, 64, 16, 1, low=-20, high=0)
    name, parameter, value = ("arith_shift_C_int", "ch", -5) if constant else ("arith_shift_int", "ptr_sft", shifts)
    return Case(name, {"ptr_rst": "out:[1x64x16x1]", "ptr_inp": x, parameter: value}, {"ptr_rst": half_to_even(x, shifts)})


def shifts():
    x = integers(np.uint32, 1, 64, 16, 1)
    right, turn = integers(np.int8, 1, 64, 16, 1, low=-20, high=0), integers(np.int8, 1, 64, 16, 1, low=-31, high=31)
    wide, left = x.astype(np.uint64), turn.astype(np.int64) % 32
    rotated = (wide << left.astype(np.uint64) | wide >> (32 - left).astype(np.uint64)) & 0xFFFFFFFF
    outputs = {"ptr_rst0": half_to_even(x, right), "ptr_rst1": wide << np.uint64(2) & 0xFFFFFFFF, "ptr_rst2": rotated}
    return Case("shift_int", {name: "out:[1x64x16x1]" for name in outputs} | {"ptr_inp": x, "ptr_sft0": right, "ptr_sft1": turn}, outputs)


def greater():
    left, right = (fp16(integers(np.int8, 1, 1, 1, 2048, low=-3, high=3)) for _ in range(2))
    return Case("greater_bf16", {"ptr_res": "out:[2048]", "ptr_left": left, "ptr_right": right, "W": 2048}, {"ptr_res": (left > right).astype(np.float32)})


def pairs(h, w, count):
    """Distinct places of a plane as (w, h)."""
    places = RANDOM.permutation(h * w)[:count]
    return np.stack([places % w, places // w], 1).reshape(1, count, 1, 2).astype(np.uint16)


def gather_places():
    param, index = bf16(floats(2, 2, 128, 256)), pairs(128, 256, 64 * 64)
    wanted = param[:, :, index[0, :, 0, 1], index[0, :, 0, 0]].reshape(2, 2, 64, 64)
    return Case("hgather_w_bf16", {"ptr_output": "out:[2x2x64x64]", "ptr_param": param, "ptr_index": index}, {"ptr_output": wanted})


def scatter_places():
    before, param, index = bf16(floats(1, 1, 128, 128)), bf16(floats(1, 1, 32, 64)), pairs(128, 128, 32 * 64)
    wanted = before.copy()
    wanted[0, 0, index[0, :, 0, 1], index[0, :, 0, 0]] = param.reshape(-1)
    return Case("scatter_hw_bf16", {"ptr_output": before, "ptr_param": param, "ptr_index": index}, {"ptr_output": wanted})


def scatter_columns():
    before, param = bf16(floats(64, 64, 1, 256)), bf16(floats(64, 64, 1, 64))
    index = RANDOM.permutation(256)[:64].astype(np.uint8)
    wanted = before.copy()
    wanted[..., index] = param
    return Case("scatter_w_bf16", {"ptr_output": before, "ptr_param": param, "ptr_index": index.reshape(1, 64, 1, 1)}, {"ptr_output": wanted})


def special():
    # Powers of two, so that every step is exact: the square root's exponent is 127 to 132. bm1684x has no frsqrt of bf16.
    x = np.float32(4.0)**-integers(np.int8, 32, 64, 1, 16, low=0, high=5).astype(np.float32)
    root = 1 / np.sqrt(x)
    norm = (root.view(np.uint32) >> 23).astype(np.int16)
    others = norm != 131
    count = others.sum(3, keepdims=True)
    listed = np.argsort(~others, axis=3, kind="stable")
    zeros = 16 - np.floor(np.log2(norm)).astype(np.int64) - 1
    # The rest of a row of positions is unknown.
    listed = np.where(np.arange(16) < count, listed, np.nan)
    outputs = {"ptr_rsqrt_res": root, "ptr_norm_res": norm, "ptr_idx_res": listed, "ptr_cnt_res": count, "ptr_clz_res": zeros,
               "ptr_clo_res": np.zeros(x.shape)}
    return Case("sfu_kernel", {name: f"out:[32x64x1x{value.shape[3]}]" for name, value in outputs.items()} | {"ptr_inp": x}, outputs, "sg2380")


def depthwise():
    x, weight, bias = integers(np.uint8, 10, 10, 33, 33), integers(np.uint8, 1, 10, 3, 3), integers(np.uint32, 1, 10, 1, 1, low=0, high=10000)
    padded = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (1, 1), (1, 2)))
    wanted = sum(padded[:, :, i:i + 33, j:j + 34] * weight[:, :, i:i + 1, j:j + 1] for i in range(3) for j in range(3)) + bias
    return Case("depthwise2d_uint", {"ptr_res": "out:[10x10x33x34]", "ptr_in": x, "ptr_w": weight, "ptr_b": bias}, {"ptr_res": wanted >> 2})


def mm_int32():
    left, right = integers(np.int32, 64, 32, low=-5000, high=5000), integers(np.int32, 32, 96, low=-5000, high=5000)
    wanted = left.astype(np.int64) @ right
    return Case("mm_int32", {"ptr_res": "out:[64x12x1x8]", "ptr_left": left, "ptr_right": right}, {"ptr_res": wanted.reshape(64, 12, 1, 8)})


def mm_fp32():
    m, k, n = 128, 64, 192
    left, right = floats(m, k), floats(k, n)
    return Case("mm_fp32", {"ptr_res": f"out:[{m}x{n // 8}x1x8]", "ptr_left": left, "ptr_right": right, "M": m, "K": k, "N": n},
                {"ptr_res": (left.astype(np.float64) @ right).reshape(m, n // 8, 1, 8)}, atol=1e-5)


def rq0():
    x = integers(np.uint16, 20, 20, 20, 20, low=0, high=400)
    return Case("rq_fp_int8_uint16", {"ptr_output": "out:[20x20x20x20]", "ptr_input": x}, {"ptr_output": saturated(np.trunc(x * 0.5 + 0.5), np.int8)})


def rq1():
    x = integers(np.int16, 200, 20, 20, 20, low=-120, high=120)
    wanted = saturated(x.astype(np.int64) * 10 * 2**5 + 10, np.int16)
    return Case("rq_int_int16_int16", {"ptr_output": "out:[200x20x20x20]", "ptr_input": x}, {"ptr_output": wanted})


def fill_part():
    x = integers(np.int8, 2, 8, 64, 128)
    wanted = x.copy()
    wanted[0, :4, :16, :32] = 66
    return Case("tiuSetC_int8", {"ptr_res": "out:[2x8x64x128]", "ptr_src": x}, {"ptr_res": wanted})


def transpose_cw():
    x = integers(np.int16, 8, 64, 16, 32)
    return Case("cw_trans_int16", {"ptr_res": "out:[8x32x16x64]", "ptr_inp": x}, {"ptr_res": x.transpose(0, 3, 2, 1)})


# By the number of the file; 40 does nothing, as printed.
CASES = {
    "01": lambda: fp32_div("fp32_div"), "02": lambda: add_quarter("add_pipeline"), "03": lambda: add_quarter("add", block_w=128), "04": mm2_fp16,
    "05": lambda: copied("dmaload_fp32", "ptr_dst", "ptr_src", 1, 64, 32, 16), "06": lambda: copied("s2s_fp32", "ptr_rst", "ptr_inp", 1, 2, 16, 16),
    "07": lambda: copied("l2l_fp32", "ptr_rst", "ptr_inp", 1, 64, 16, 1), "08": load_transpose, "09": lambda: broadcast("dmaload_bc_fp32", 1, 64, 16, 1),
    "10": lambda: broadcast("dmaload_bc_L2L_fp32", 22, 62, 23, 14),
    "11": lambda: gather_rows("gather_h_l2l_index_local_int16", integers(np.int16, 1, 64, 128, 64), "int16"),
    "12": lambda: gather_rows("gather_h_l2s_index_local_fp16", fp16(floats(1, 64, 128, 64)), "fp16"), "13": scatter_rows,
    "14": lambda: reduce(4, np.sum), "15": lambda: reduce(0, np.array), "16": lambda: mask(16, 65, 31, 32), "17": lambda: mask(16, 64, 32, 32),
    "18": lambda: positions("dma_nonzero_l2s_int8", np.int8), "19": lambda: positions("dma_nonzero_s2s_int16", np.int16),
    # Without a barrier the last core to write wins; the interpreter runs them in order.
    "20": lambda: reduce(0, lambda x: x[..., 7]), "21": lambda: reduce(0, np.array), "22": lambda: topk_int32(1), "23": lambda: topk_int32(66),
    "24": lambda: topk_f32(False), "25": lambda: topk_f32(True), "26": gather_line, "27": absolute, "28": arith_int, "29": bitwise_and, "30": cast,
    "31": lambda: fp32_div("fp32_tunable_div"), "32": lambda: shift(False), "33": lambda: shift(True), "34": shifts, "35": greater,
    "36": gather_places, "37": scatter_places, "38": scatter_columns, "39": special, "41": depthwise, "42": mm_int32, "43": mm_fp32, "44": rq0,
    "45": rq1, "46": special, "47": fill_part, "48": transpose_cw,
}


class ManualTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        """ppl.h is compiled once, with the options of `weft ppl`."""
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        include, compiled = OPTIONS.weft.parents[1] / "include" / "weft", cls.folder / "ppl" / "ppl.h.gch"
        compiled.parent.mkdir()
        subprocess.run([*COMPILER.split(), "-std=c++17", "-O1", "-fPIC", f"-I{include}", "-x", "c++-header", include / "ppl" / "ppl.h",
                        "-o", compiled], check=True)
        cls.environment = os.environ | {"CXX": f"{COMPILER} -I{cls.folder}"}

    def weft(self, *words):
        return subprocess.run([OPTIONS.weft, "ppl", *map(str, words)], capture_output=True, text=True, timeout=900, env=self.environment)

    def run_case(self, path, case):
        """The arrays that the kernel writes."""
        arrays, words, saved = {}, [], self.folder / "out.npz"
        for name, value in case.arguments.items():
            if isinstance(value, np.ndarray):
                arrays[name] = value
                value = f"{self.folder}/in.npz:{name}"
            words += ["--arg", f"{name}={value}"]
        np.savez(self.folder / "in.npz", **arrays)
        where = ["--device", OPTIONS.device] if case.chip == "bm1684x" else ["--target", case.chip]
        ran = self.weft("run", path, "--kernel", case.kernel, *words, "--save", saved, *where)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return np.load(saved)

    def check(self, path, case):
        got = self.run_case(path, case)
        for name, wanted in case.outputs.items():
            wanted = np.asarray(wanted, np.float64)
            values = got[name].astype(np.float64).reshape(wanted.shape)
            known = ~np.isnan(wanted)
            np.testing.assert_allclose(values[known], wanted[known], case.rtol, case.atol, err_msg=name)

    def test_numbers(self):
        files = sorted(FOLDER.glob("*.cpp"))
        self.assertEqual(len(files), 48)
        self.assertEqual({path.stem[:2] for path in files} - set(CASES), {"40"})
        for path in files:
            number = path.stem[:2]
            if number not in CASES or (OPTIONS.only and number not in OPTIONS.only.split(",")):
                continue
            case = CASES[number]()
            if OPTIONS.device == "emulator" or case.chip == "bm1684x":
                with self.subTest(path.stem):
                    self.check(path, case)

    def test_kernel_without_result(self):
        """Number 40 stops before it calls anything: it compiles, and its call says that nothing is stored."""
        if OPTIONS.only and "40" not in OPTIONS.only.split(","):
            self.skipTest("not among --only")
        path = FOLDER / "40_fconv.cpp"
        ran = self.weft("check", path)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("conv_fp16(fp16 *ptr_res, fp16 *ptr_in, fp16 *ptr_w, float *ptr_b): compiles", ran.stdout)
        memory = [word for name in ("ptr_res", "ptr_in", "ptr_w", "ptr_b") for word in ("--arg", f"{name}=out:[8]")]
        ran = self.weft("run", path, "--kernel", "conv_fp16", *memory)
        self.assertEqual(ran.returncode, 2, ran.stdout + ran.stderr)
        self.assertIn("the program writes no global memory", ran.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--device", default="emulator", choices=["emulator", "bmrt"])
    parser.add_argument("--only", default="", help="numbers of files: 04,17")
    OPTIONS = parser.parse_args()
    unknown = set(filter(None, OPTIONS.only.split(","))) - set(CASES) - {"40"}
    if unknown:
        parser.error(f"--only: no kernel {', '.join(sorted(unknown))}")
    unittest.main(argv=sys.argv[:1])
