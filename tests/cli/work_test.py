#!/usr/bin/env python3
"""Files that ask for more work than any program are refused when they are loaded; what is allowed ends at a time limit.

  work_test.py WEFT TEST_DATA_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

WEFT, DATA = sys.argv[1], pathlib.Path(sys.argv[2]) / "vendor-bmodels"
# Of a loaded machine; the runs themselves would take minutes to for ever.
SOON = 20


def listing(sizes, count):
    """`count` additions to local memory of n, c, h, w elements, all of them at one place."""
    shape = " ".join(f"res0_{axis}={size}" for axis, size in zip("nchw", sizes))
    return "".join(f"tiu id={i + 1} arith.add opd1_const=1 tsk_opd_num=2 res0_prec=fp32 opd0_prec=fp32 opd1_prec=fp32 opd0_sign=1 "
                   f"opd1_sign=1 {shape} res0_addr=0x4000 opd1_addr=fp32(1.5) res0_str=free opd0_str=free\n"
                   for i in range(count)) + f"tiu id={count + 1} sys.end\n"


STORE = ("net 'tiny' stage 0 group 0 gdma\ngdma id=1 dep={} dma.tensor stride_enable=1 nchw_copy=1 src_data_format=fp32 src_nsize=1 "
         "src_csize=3 src_hsize=16 src_wsize=16 src_start_addr_l32=0x8004000 src_nstride=256 src_cstride=256 src_hstride=16 src_wstride=1 "
         "dst_start_addr_h8=1 dst_start_addr_l32=0x3000 dst_nstride=768 dst_cstride=256 dst_hstride=16 dst_wstride=1\ngdma id=2 dma.sys\n")


class Work(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def weft(self, *arguments, text=None, code=0):
        run = subprocess.run([WEFT, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stderr

    def bmodel(self, sizes, count):
        """A file with the commands in place of tiny's; those of 16 elements are assembled, since weft asm refuses the others, too."""
        path, raw = self.folder / "work.bmodel", self.folder / "raw.bin"
        words = []
        for shape in ((1, 1, 4, 4), sizes):
            self.weft("asm", "-", "--engine", "tiu", "-o", raw, "--unchecked", text=listing(shape, count))
            words.append(raw.read_bytes())
        self.weft("asm", "-", "--into", DATA / "tiny_f32.bmodel", "-o", path, "--unchecked",
                  text="net 'tiny' stage 0 group 0 tiu\n" + listing((1, 1, 4, 4), count) + STORE.format(count))
        content = path.read_bytes()
        self.assertEqual(content.count(words[0]), 1)
        path.write_bytes(content.replace(*words))
        return path

    def run_model(self, path, *options, code):
        output, begin = self.folder / "y.npz", time.monotonic()
        error = self.weft("run", path, "--input", DATA / "tiny_input.npz", "--output", output, *options, code=code)
        self.assertLess(time.monotonic() - begin, SOON)
        self.assertEqual(output.exists(), code == 0)
        return error

    def test_what_no_compiler_writes_is_refused(self):
        for sizes in ((1, 1, 65535, 65535), (1, 65535, 65535, 65535), (65535, 65535, 65535, 65535)):
            error = self.run_model(self.bmodel(sizes, 3), code=2)
            self.assertRegex(error, r"^weft: error: .*work\.bmodel: net 'tiny': stage 0: groups\[0\]: tiu command 0 \(byte 0 of the blob\): it "
                                    r"writes \d+ bytes into a memory of 16777216, some of them again and again .*; no compiler does that\n$")

    def test_all_of_local_memory_at_once_is_fine(self):
        self.run_model(self.bmodel((1, 64, 64, 1024), 2), code=0)

    def test_a_time_limit_ends_a_run_on_the_emulator(self):
        path = self.bmodel((1, 64, 512, 512), 2000)
        error = self.run_model(path, "--time-limit", "0.3", code=2)
        self.assertRegex(error, r"^weft: error: .*work\.bmodel: group 0, tiu command \d+ \(arith\.add\): the run did not end within the "
                                r"time limit of 0\.3 s; give a longer one if that is expected\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
