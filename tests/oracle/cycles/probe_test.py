"""The cost model against the vendor's encoder library: kernel-level calls with drawn arguments, cycles from its own profile.

usage: probe_test.py <price_commands> [--count N] [--seed S] [--only TEXT]

The library is a black box: it emits commands for a call and prints their cycles; both are compared with ours. What
CostRows.def says was probed must be judged here: each function with each precision (DMA: and in each direction) by at least
FEWEST commands. N is the number of calls per function (default 120).
"""
import argparse
import collections
import ctypes
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "encoder"))
from vendor_encoder import Refused, Variable, VendorEncoder, argument  # noqa: E402

DRAM = 1 << 32
LANES, BANK_BYTES = 64, 1 << 14
# Type codes of the library: number << 1 | is signed.
U8, I8, F16, F32, I16, U16, I32, U32, BF16 = 0, 1, 3, 5, 7, 6, 9, 8, 11
# The vendor computes DMA cycles in single precision, which has 24 bits; the order of its roundings is not known.
SINGLE_PRECISION_FROM = 1 << 19
# Commands that must vouch for a claim: one drawn shape can agree by chance, of one round and one row say.
FEWEST = 4


class ProfilingEncoder(VendorEncoder):
    """The encoder with its profile: cycles of each command that a call emits."""

    def __init__(self, folder):
        super().__init__(folder)
        self.profile_folder = tempfile.TemporaryDirectory()
        self.profile_path = pathlib.Path(self.profile_folder.name) / "compiler_profile_0.txt"

    def _child(self, function, values, out, complaints):
        library = self.library
        os.dup2(complaints, 1)
        os.dup2(complaints, 2)
        library.sg_set_profile_path(self.profile_folder.name.encode() + b"/")
        library.sg_set_profile_dump(True)
        getattr(library, function)(*[argument(value) for value in values])
        library.tpu_get_id_node(self.node)
        library.sg_stas_dump(self.node)
        ctypes.CDLL(None).fflush(None)
        for name in (b"tiu:0:0", b"gdma:0:0"):
            data = self._buffer(name)
            os.write(out, struct.pack("<I", len(data)) + data)
        os._exit(0)

    def profile(self, function, values):
        """-> {engine: (bytes, [cycles])}. Raises Refused."""
        self.profile_path.unlink(missing_ok=True)
        tiu, gdma = self.emit(function, values)
        cycles = {"tiu": [], "dma": []}
        for kind, count in re.findall(r"\|(\w+)\|s:\d+\|b:\d+\|g:\d+\|e:\d+\|t:(\d+)", self.profile_path.read_text()):
            cycles["dma" if kind.startswith("GDMA") else "tiu"].append(int(count))
        return {"tiu": (tiu, cycles["tiu"]), "dma": (gdma, cycles["dma"])}


class Draw:
    """The arguments of one call."""

    def __init__(self, seed):
        r = self.random = random.Random(seed)
        self.n, self.c = r.randint(1, 3), r.choice([r.randint(1, 70), r.randint(1, 200), 64, r.randint(1, 10)])
        self.h = r.choice([1, r.randint(1, 20), r.randint(1, 40)])
        self.w = r.choice([1, r.randint(1, 40), r.randint(1, 130)])
        self.shape = (self.n, self.c, self.h, self.w)
        self.flat = (self.n, self.c, 1, self.w)
        self.image = (self.n, self.c, r.randint(6, 40), r.randint(6, 60))
        self.float = r.choice([F16, F32, BF16])
        self.half = r.choice([F16, BF16])
        self.int = r.choice([I8, U8, I16, U16, I32, U32])
        self.any = r.choice([self.float, self.int])
        self.size = r.choice([I8, F16, F32])  # for DMA, which only moves
        self.first_lane = r.randint(1, 63) if r.randint(0, 3) == 0 else 0

    def __getattr__(self, name):  # i8, small, .. drawn anew each time they are asked for
        r = self.random
        choices = {"i8": lambda: r.choice([I8, U8]), "narrow": lambda: r.choice([I8, U8, I16, U16]),
                   "wide": lambda: r.choice([I16, U16, I32]), "flag": lambda: r.randint(0, 1), "index": lambda: r.choice([U8, U16]),
                   "at": lambda: (self.first_lane << 18) + r.choice([0, 1, 2, 4, 6]) * BANK_BYTES + r.choice([0, 0, 0, 64 * r.randint(0, 10)]),
                   "lane": lambda: (r.randint(0, 63) << 18) + r.choice([0, 1, 2, 4, 6]) * BANK_BYTES,
                   "dram": lambda: DRAM + (r.randint(0, 8) << 24) + r.choice([0, 4 * r.randint(0, 5000)])}
        if name not in choices:
            raise AttributeError(name)
        return choices[name]()

    def upto(self, most):
        return self.random.randint(1, most)

    def stride(self, is_result=False):
        r = self.random
        if r.randint(0, 4) == 0:
            return None
        w = r.choice([1, 1, 1, r.randint(1, 4), r.randint(1, 40), 1 if is_result else 0])
        h = r.choice([self.w * max(w, 1), self.w * max(w, 1) + r.randint(0, 70), r.randint(1, 200)])
        if not is_result and r.randint(0, 6) == 0:
            h = 0
        return r.randint(1, 1000), r.choice([self.h * h + r.randint(1, 10), r.randint(1, 300)]), h, w

    def dma_stride(self, shape, is_local):
        r, (_, c, h, w) = self.random, shape
        if r.randint(0, 2) == 0:
            return None
        ws = r.choice([1, 1, 1, 1, r.randint(1, 8)])
        hs = w * ws + r.choice([0, 0, r.randint(1, 100)])
        cs = h * hs + r.randint(0, 64) if is_local else r.choice([h * hs, h * hs + r.randint(1, 5000), max(20000, h * hs)])
        return cs * (-(-c // LANES) if is_local else c) + r.choice([0, r.randint(0, 1000)]), cs, hs, ws

    def window(self):
        """kernel, padding, stride, dilation"""
        r = self.random
        return [(r.randint(1, 5), r.randint(1, 5)), tuple(r.randint(0, 1) for _ in range(4)), (r.randint(1, 3), r.randint(1, 3)),
                (r.randint(1, 2), r.randint(1, 2))]

    def operand(self, bits=3):
        r = self.random
        return Variable(0, r.randint(1, 5) * BANK_BYTES) if r.randint(0, 1) else Variable(1, bits)


def element(d, *types):
    return [d.at, d.at, d.at, d.shape, d.stride(True), d.stride(), d.stride(), *types]


def element_constant(d, constant, *types):
    return [d.at, d.at, constant, d.shape, d.stride(True), d.stride(), *types]


def integers(d):
    # A sum or product is not narrower than what goes in.
    return d.random.choice([(I32, I32, I32), (I32, I16, I16), (I16, I8, I8), (I8, I8, I8), (I16, I16, I8), (I32, I32, I8)])


def conv(d, *types):
    return [d.at, d.at, d.at, d.at, d.image, None, d.random.choice([64, d.upto(200)]), *d.window(), *types]


def pool(d, *types):
    return [d.at, d.at, d.image, *d.window(), *types]


def roi(d, *types):
    kernel = (d.upto(4), d.upto(4))
    return [d.at, d.at, d.at, d.image, d.upto(60), kernel, *types]


def products(d):
    return [d.upto(140), d.upto(140), d.upto(200)]


def split_products(d):
    """left rows, columns, right columns and the columns per channel of both"""
    return [*products(d), d.random.choice([8, 16, 32, d.upto(30)]), d.random.choice([16, 32, 64, d.upto(100)])]


def vectors(d):
    return [d.at, d.at, d.at, d.upto(300), d.upto(300), d.upto(80), d.upto(80)]


def gather(d):
    return [d.at, d.at, d.at, d.flat]


def dma(d, direction):
    ends = {"S2L": (d.at, d.dram), "L2S": (d.dram, d.at), "L2L": (d.at, d.at), "S2S": (d.dram, d.dram)}[direction]
    return [*ends, d.shape, d.dma_stride(d.shape, direction[2] == "L"), d.dma_stride(d.shape, direction[0] == "L"), d.size]


def dma_transposed(d, direction):
    source = (d.c, d.n, d.h, d.w)
    return [*dma(d, direction)[:4], d.dma_stride(source, direction[0] == "L"), d.size]


def dma_lines(d, direction, *constant):
    ends = {"S2L": (d.at, d.dram), "L2S": (d.dram, d.at), "L2L": (d.at, d.at), "S2S": (d.dram, d.dram)}[direction]
    return [*ends, DRAM + (9 << 24), 0, *constant, (1, *d.shape[1:]), d.upto(100), None, None, None, d.size]


CASES = {
    # convolution, pooling
    "tpu_bdc_fp_conv2d": lambda d: conv(d, d.float, d.float, d.flag, 0),
    "tpu_bdc_int8_sym_quant_conv2d": lambda d: conv(d, d.narrow, I8, I8, I16, d.flag, d.flag, d.flag),
    "tpu_bdc_int8_asym_quant_conv2d": lambda d: [d.at, d.at, d.at, 1, 0, d.image, None, d.upto(200), *d.window(), I32, d.i8, d.i8, I8, 0],
    "tpu_bdc_fp_depthwise2d": lambda d: [d.at, d.at, d.at, d.at, d.image, *d.window(), d.float, d.flag],
    "tpu_bdc_fp_depthwise_for_deconv2d": lambda d: (lambda k, p, _, l: [d.at, d.at, d.at, d.at, d.image, k, (d.flag, d.flag), p, l,
                                                                        d.float, d.float, 0, 1])(*d.window()),
    "tpu_bdc_int8_depthwise2d": lambda d: [d.at, d.at, d.at, d.at, 0, d.image, *d.window(), d.random.choice([I8, U8, I16]), I8, I8, I16,
                                           d.flag, d.flag, d.flag, 0],
    "tpu_bdc_fp_max_pool2d": lambda d: pool(d, d.float, 0),
    "tpu_bdc_fp_avg_pool2d": lambda d: pool(d, d.float, 1),
    "tpu_bdc_int8_max_pool2d": lambda d: pool(d, d.i8, 0),
    "tpu_bdc_fp_roi_max_pool2d": lambda d: roi(d, d.float, 0),
    "tpu_bdc_fp_roi_avg_pool2d": lambda d: roi(d, d.float, 0, 1),
    "tpu_bdc_int8_roi_depthwise2d": lambda d: [d.at, *roi(d, d.random.choice([I32, I16, I8]), I8, I8, 0)],
    # products
    "tpu_bdc_fp32_mm": lambda d: [d.at, d.at, d.at, d.at, *split_products(d), d.flag, d.flag],
    "tpu_bdc_fp32_mm_L_trans": lambda d: [d.at, d.at, d.at, d.at, *split_products(d), d.flag, d.flag],
    "tpu_bdc_int_mm": lambda d: [d.at, d.at, d.at, *split_products(d), I8, I8, 0, 0],
    "tpu_bdc_int8_mm": lambda d: [d.at, d.at, d.at, d.at, *split_products(d), d.narrow, I8, I8, I16, d.flag, d.flag, d.flag, d.flag, d.flag],
    "tpu_bdc_fp_mm": lambda d: [d.at, d.at, d.at, *products(d), F32, d.float, d.flag],
    "tpu_bdc_fp_mm_R_trans": lambda d: [d.at, d.at, d.at, *products(d), F32, d.float],
    "tpu_bdc_fp_mm_all_trans": lambda d: [d.at, d.at, d.at, *products(d), F32, d.float, d.flag],
    "tpu_bdc_int8_zp_mm": lambda d: [d.at, d.at, d.at, 1, *products(d), d.i8, d.i8, d.flag],
    # element arithmetic
    "tpu_bdc_fp_add": lambda d: element(d, d.float),
    "tpu_bdc_fp_sub": lambda d: element(d, d.float),
    "tpu_bdc_fp_mul_C": lambda d: element_constant(d, 3, d.float),
    "tpu_bdc_fp_diff_abs": lambda d: element(d, d.float),
    "tpu_bdc_min": lambda d: element(d, d.any),
    "tpu_bdc_max_C": lambda d: element_constant(d, 3, d.any),
    "tpu_bdc_and": lambda d: element(d, d.int),
    "tpu_bdc_or_C": lambda d: element_constant(d, 3, d.int),
    "tpu_bdc_xor": lambda d: element(d, d.int),
    "tpu_bdc_not": lambda d: [d.at, d.at, d.shape, d.stride(True), d.stride(), d.int],
    "tpu_bdc_abs": lambda d: [d.at, d.at, d.shape, d.stride(True), d.stride(), d.float],
    "tpu_bdc_cpy": lambda d: [d.at, d.at, d.shape, d.stride(True), d.stride(), d.any],
    "tpu_bdc_cast": lambda d: [d.at, d.at, d.shape, d.stride(True), d.stride(), d.any, d.float, 0],
    "tpu_bdc_greater": lambda d: [d.at, d.at, d.at, 1, *element(d)[3:], d.any, d.any],
    "tpu_bdc_less": lambda d: [d.at, d.at, d.at, 1, *element(d)[3:], d.any, d.any],
    "tpu_bdc_equal": lambda d: [d.at, d.at, d.at, 1, *element(d)[3:], d.any, d.any],
    "tpu_bdc_int_add": lambda d: element(d, *integers(d), 0, 0, 1),
    "tpu_bdc_int_sub": lambda d: element(d, *integers(d), 0, 0, 1),
    "tpu_bdc_int_mul": lambda d: element(d, *integers(d), 0, 0, 1),
    "tpu_bdc_arithmetic_shift": lambda d: element(d, I16, I16, d.random.choice([I8, I16]), 0),
    "tpu_bdc_fp32_mac": lambda d: element(d),
    "tpu_bdc_fp32_tunable_div": lambda d: element(d, d.upto(4)),
    # quantisation
    "tpu_bdc_int_requant": lambda d: [d.at, d.at, d.shape, 3, -1, 0, d.narrow, d.wide, 0],
    "tpu_bdc_int_pc_requant": lambda d: [d.at, d.at, d.at, d.shape, d.narrow, d.wide, 0],
    "tpu_bdc_fp32_requant": lambda d: [d.at, d.at, d.shape, 1.5, 0.5, d.narrow, d.wide, 0, 0],
    "tpu_bdc_fp32_dequant": lambda d: [d.at, d.at, d.shape, 3, 1.5, d.narrow, 0],
    "tpu_bdc_int_dequant": lambda d: [d.at, d.at, d.shape, 0, 1, -1, d.random.choice([I16, I32]), d.narrow, 0],
    # across lanes, gather
    "tpu_bdc_cw_trans": lambda d: [d.at, d.at, d.shape, d.any],
    "tpu_bdc_wc_trans": lambda d: [d.at, d.at, d.shape, d.any],
    "tpu_bdc_cpy_cross_npu": lambda d: [d.lane, d.at, d.shape, d.any],
    "tpu_bdc_npu_bcast": lambda d: [d.lane, d.at, (d.n, min(d.c, LANES), d.h, d.w), d.any],
    "tpu_bdc_npu_bcast_from_static": lambda d: [d.at, 64 * d.upto(20), d.upto(64), d.upto(300), d.any],
    "tpu_bdc_npu_distribute_from_static": lambda d: [d.at, 64 * d.upto(20), d.upto(300), d.any],
    "tpu_bdc_w_gather": lambda d: [*gather(d), d.upto(300), d.any, d.index],
    "tpu_bdc_w_scatter": lambda d: [*gather(d), d.upto(300), d.any, d.index],
    "tpu_bdc_hw_gather": lambda d: [d.at, d.at, d.at, d.shape, d.upto(40), d.upto(100), d.any],
    "tpu_bdc_hw_scatter": lambda d: [d.at, d.at, d.at, d.shape, d.upto(40), d.upto(100), d.any],
    "tpu_bdc_batch_bcast_w_gather": lambda d: [*gather(d), d.upto(300), d.any, d.index, d.flag],
    "tpu_bdc_batch_bcast_w_scatter": lambda d: [*gather(d), d.upto(300), d.any, d.index, d.flag],
    "tpu_bdc_batch_bcast_w_mask_select": lambda d: [d.at, d.at, d.at, d.at, d.flat, d.any, U8, d.flag],
    "tpu_bdc_batch_bcast_h_gather": lambda d: [d.at, d.at, d.at, d.shape, d.upto(300), d.any, d.index, d.flag],
    "tpu_bdc_batch_bcast_h_scatter": lambda d: [d.at, d.at, d.at, d.shape, d.upto(300), d.any, d.index, d.flag],
    # special, linear, compare, vectors
    "tpu_bdc_fp_taylor": lambda d: [d.at, d.at, d.at, d.shape, 2 + d.upto(28), d.float],
    "tpu_bdc_fp32_tunable_rsqrt": lambda d: [d.at, d.at, d.shape, d.upto(4)],
    "tpu_bdc_fp_add_bias_sqr": lambda d: [d.at, d.at, d.at, d.shape, d.float],
    "tpu_bdc_fp_sub_C_sqr": lambda d: [d.at, d.at, 3, d.shape, d.float],
    "tpu_bdc_fp_scale_bias": lambda d: [d.at, d.at, d.at, d.at, d.shape, d.float],
    **{f"tpu_bdc_{name}_select": lambda d: [d.at, *(d.operand() for _ in range(4)), d.shape, d.any, d.any] for name in ("greater", "less", "equal")},
    **{f"tpu_bdc_{name}_select": lambda d: [d.at, d.at, *(d.operand() for _ in range(4)), d.shape, d.any, d.any]
       for name in ("maximum_greater", "minimum_less")},
    **{f"tpu_bdc_vc_{name}": lambda d: [*vectors(d), d.int] for name in ("and", "or", "xor", "min", "max")},
    **{f"tpu_bdc_vc_{name}": lambda d: [*vectors(d)[:3], 1, *vectors(d)[3:], d.any, d.any] for name in ("greater", "less", "equal")},
    **{f"tpu_bdc_fp_vc_{name}": lambda d: [*vectors(d), d.float] for name in ("add", "sub", "mul")},
    **{f"tpu_bdc_int_vc_{name}": lambda d: [*vectors(d), I16, I16, I16, 1] for name in ("add", "sub", "mul")},
    "tpu_bdc_fp32_vc_div": lambda d: vectors(d),
    # DMA
    **{f"tpu_gdma_cpy_{way}": lambda d, way=way: dma(d, way) for way in ("S2L", "L2S", "L2L", "S2S")},
    **{f"tpu_gdma_cpy_nc_trans_{way}": lambda d, way=way: dma_transposed(d, way) for way in ("S2L", "L2S", "L2L", "S2S")},
    **{f"tpu_gdma_cpy_cw_trans_{way}": lambda d, way=way: [*dma(d, way)[:3], None, None, d.size] for way in ("S2L", "L2S", "L2L", "S2S")},
    "tpu_gdma_channel_bcast_S2L": lambda d: [d.at, d.dram, d.shape, None, None, d.size],
    "tpu_gdma_channel_bcast_L2L": lambda d: [d.at, d.at, d.shape, None, None, d.size],
    "tpu_gdma_matrix_S2L": lambda d: [d.at, d.dram, d.upto(200), d.upto(200), d.upto(100), 200 + d.upto(200), d.size],
    "tpu_gdma_matrix_L2S": lambda d: [d.dram, d.at, d.upto(200), d.upto(200), d.upto(100), 200 + d.upto(200), d.size],
    "tpu_gdma_matrix_trans_S2L": lambda d: [d.at, d.dram, d.upto(200), d.upto(200), d.upto(100), 200 + d.upto(200), d.size],
    "tpu_gdma_matrix_trans_L2S": lambda d: [d.dram, d.at, d.upto(200), d.upto(200), d.upto(100), 200 + d.upto(200), d.size],
    "tpu_gdma_set_C_local": lambda d: [d.at, 0, d.shape, d.dma_stride(d.shape, True), d.size],
    "tpu_gdma_set_C_system": lambda d: [d.dram, 0, d.shape, d.dma_stride(d.shape, False), d.size],
    "tpu_gdma_system_cpy": lambda d: [d.dram, d.dram, 64 + d.upto(20000), d.size],
    "tpu_gdma_system_bcast": lambda d: [d.dram, d.dram, 64 + d.upto(5000), d.upto(64), d.size],
    "tpu_gdma_mask_select_L2S": lambda d: [d.dram, d.at, d.at, 1, d.shape, d.size, U8],
    "tpu_gdma_nonzero_L2S": lambda d: [d.dram, d.at, d.shape, I8, 0],
    **{f"tpu_gdma_h_gather_{way}": lambda d, way=way: dma_lines(d, way, 0) for way in ("S2L", "L2S", "L2L", "S2S")},
    **{f"tpu_gdma_h_scatter_{way}": lambda d, way=way: dma_lines(d, way) for way in ("S2L", "L2S", "L2L", "S2S")},
}


def price(program, streams):
    """streams: [(engine, bytes)] -> for each the list of [function, cycles, evidence, direction, bytes, precision, kin]"""
    text = "".join(f"{engine} 0x{code.hex()}\n" for engine, code in streams)
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr.strip()
    answers = [[line.split(" ", 6) for line in part.splitlines()] for part in re.findall(r"((?:.+\n)*)\n", done.stdout)]
    assert len(answers) == len(streams), f"{len(answers)} answers to {len(streams)} streams"
    return answers


class Verdict:
    """What came of the calls: faults are lists of lines to print, and any of them fails the test."""

    def __init__(self):
        self.judged = collections.Counter()  # (engine, function, precision, direction)
        self.judged_functions, self.refused = collections.Counter(), collections.Counter()
        self.off_by_one = self.below_a_cycle = 0
        self.wrong, self.miscounted = [], []

    def judge(self, call, engine, lines, cycles):
        """ours and the library's figures for the commands that a call gave one engine"""
        if not cycles:  # the profile leaves out what comes to less than a cycle, which costs us one
            self.below_a_cycle += len(lines)
            self.wrong += [f"{call}: {engine} {name}: {ours} cycles, the library says less than one"
                           for name, ours, *_ in lines if int(ours) != 1]
            return
        if len(lines) != len(cycles):
            self.miscounted.append(f"{call}: {engine}: {len(lines)} commands, but the library's profile has {len(cycles)}")
            return
        for (name, ours, evidence, way, _, precision, kin), theirs in zip(lines, cycles):
            self.judged[engine, name, precision, int(way)] += 1
            if int(ours) == theirs:
                continue
            if engine == "dma" and abs(int(ours) - theirs) == 1 and theirs >= SINGLE_PRECISION_FROM:
                self.off_by_one += 1
                continue
            self.wrong.append(f"{call}: {engine} {name} {precision} ({evidence}, {kin}): {ours} cycles, the library says {theirs}")


def claims(program):
    """(engine, function, precision, direction) that CostRows.def says were probed"""
    lines = subprocess.run([program, "--claims"], capture_output=True, text=True, timeout=20, check=True).stdout.splitlines()
    assert lines, "CostRows.def says that nothing was probed"
    return {(engine, name, precision, int(way)) for engine, name, precision, way in map(str.split, lines)}


def draw_calls(encoder, program, function, options, verdict):
    """Emits, prices and judges the calls of one function."""
    calls, streams = [], []
    for number in range(options.count):
        values = CASES[function](Draw(f"{options.seed} {function} {number}"))
        try:
            emitted = encoder.profile(function, values)
        except Refused:
            verdict.refused[function] += 1
            continue
        for engine, (code, cycles) in emitted.items():
            if not code and cycles:
                verdict.miscounted.append(f"{function}{tuple(values)}: {engine}: no commands, but the profile has {len(cycles)}")
            elif code:
                calls.append((f"{function}{tuple(values)}", engine, cycles))
                streams.append((engine, code))
    before = sum(verdict.judged.values())
    for (call, engine, cycles), lines in zip(calls, price(program, streams)):
        verdict.judge(call, engine, lines, cycles)
    verdict.judged_functions[function] = sum(verdict.judged.values()) - before


def report(verdict, claimed):
    """-> whether all is well"""
    judged = verdict.judged
    print(f"{sum(judged.values())} commands judged: {len({key[:2] for key in judged})} functions, {len(judged)} of function, precision "
          f"and direction; {verdict.off_by_one} off by one through single precision; {verdict.below_a_cycle} below a cycle; "
          f"{len(verdict.wrong)} wrong; {len(verdict.miscounted)} calls with another number of commands; "
          f"{sum(verdict.refused.values())} calls refused")
    for function, count in sorted(verdict.refused.items()):
        print(f"  refused: {function}, {count} calls")
    faults = {
        "wrong": verdict.wrong,
        "another number of commands": verdict.miscounted,
        "no command judged of any call": [f for f, n in verdict.judged_functions.items() if n == 0],
        f"said to be probed, but judged on fewer than {FEWEST} commands": [f"{key}: {judged[key]}" for key in sorted(claimed)
                                                                            if judged[key] < FEWEST],
    }
    for title, lines in faults.items():
        for line in lines[:20]:
            print(f"{title}: {line}")
        if len(lines) > 20:
            print(f"{title}: and {len(lines) - 20} more")
    return not any(faults.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only functions whose name holds this; claims are not checked then")
    options = parser.parse_args()
    functions = [function for function in CASES if options.only in function]
    if not functions:
        raise SystemExit(f"no function has '{options.only}' in its name")
    encoder, verdict = ProfilingEncoder(os.environ["TPU_MLIR_DIR"]), Verdict()
    for function in functions:
        draw_calls(encoder, options.program, function, options, verdict)
    if not report(verdict, set() if options.only else claims(options.program)):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
