#!/usr/bin/env python3
"""`weft disasm | weft asm` gives every byte back; listings can be edited and written by hand; faults say where they are.

  asm_test.py WEFT TEST_DATA_FOLDER COMMAND_LINE_DOCUMENT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

WEFT, DATA, DOCUMENT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
BMODELS = sorted((DATA / "vendor-bmodels").glob("*.bmodel"))
TINY = DATA / "vendor-bmodels" / "tiny_f32.bmodel"
RELOC = DATA / "vendor-bmodels" / "tiny_io_reloc.bmodel"


def weft(*arguments, text=None, fails=False):
    """stdout as bytes; with `fails` the one error line."""
    result = subprocess.run([WEFT, *map(str, arguments)], input=text, capture_output=True, timeout=120)
    if not fails:
        assert result.returncode == 0, result.stderr.decode()
        return result.stdout
    assert result.returncode == 2, (result.returncode, result.stdout, result.stderr)
    return result.stderr.decode()


class Asm(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)

    def tearDown(self):
        self.holder.cleanup()

    def listing(self, bmodel, edit=lambda text: text):
        """The edited listing of a bmodel, as a file."""
        path = self.folder / "x.s"
        path.write_text(edit(weft("disasm", bmodel).decode()))
        return path

    def test_every_vendor_bmodel_comes_back_byte_for_byte(self):
        self.assertEqual(len(BMODELS), 18)
        for bmodel in BMODELS:
            with self.subTest(bmodel.name):
                # Wrong commands first, so that the bytes must come from the listing.
                blank = self.folder / "blank.bmodel"
                text = weft("disasm", bmodel)
                zeroed = re.sub(rb" (res0_addr|dst_start_addr_l32)=0x[0-9a-f]+", rb"", text)
                self.assertNotEqual(zeroed, text)
                weft("asm", "-", "--into", bmodel, "-o", blank, "--unchecked", text=zeroed)
                self.assertNotEqual(blank.read_bytes(), bmodel.read_bytes())
                again = weft("asm", "-", "--into", blank, "-o", "-", text=text)
                self.assertEqual(again, bmodel.read_bytes())

    def test_our_own_bmodels_come_back_and_keep_the_rules(self):
        """With debug map and comments, in every float precision; without a debug map too."""
        for name in ("global_pools", "batch_norm", "max_pool_ceil", "reduce_mean_last", "softmax_12", "transpose"):
            for options in (["f32"], ["f16"], ["bf16"], ["f32", "--strip"]):
                with self.subTest(name, options=options):
                    bmodel = self.folder / "own.bmodel"
                    weft("convert", DATA / "onnx" / f"{name}.onnx", "--precision", *options, "-o", bmodel)
                    text = weft("disasm", bmodel)
                    self.assertEqual(b"; node '" in text, "--strip" not in options)
                    self.assertEqual(weft("asm", "-", "--into", bmodel, "-o", "-", text=text), bmodel.read_bytes())
                    self.assertIn(b"hardware rules: 0 of", weft("info", bmodel, "--check"))

    def test_raw_buffers_round_trip(self):
        for engine in ("tiu", "gdma"):
            raw = weft("asm", self.listing(TINY), "--engine", engine, "-o", "-")
            file = self.folder / "raw.bin"
            file.write_bytes(raw)
            text = weft("disasm", "--raw", engine, file)
            self.assertEqual(text.count(b"\n"), len(re.findall(rb"(?m)^%s id=" % engine.encode(), text)))
            self.assertEqual(weft("asm", "-", "-o", "-", text=text), raw)
            self.assertIn(b'"mnemonic"', weft("disasm", "--raw", engine, "--json", "-", text=raw))

    def run_tiny(self, bmodel):
        output = self.folder / "y.npz"
        weft("run", bmodel, "--input", DATA / "vendor-bmodels" / "tiny_input.npz", "--output", output)
        with np.load(output) as arrays:
            return {name: arrays[name].tobytes() for name in arrays}

    def test_streams_may_grow_and_shrink(self):
        """A nop before the TIU's end command, ids left to the assembler; then without it again."""
        longer, shorter = self.folder / "longer.bmodel", self.folder / "shorter.bmodel"
        nop = self.listing(TINY, lambda text: re.sub(r"  tiu id=\d+ dep=0 sys.end", "  tiu sys.nop\n  tiu sys.end", text))
        weft("asm", nop, "--into", TINY, "-o", longer)
        text = weft("disasm", longer).decode()
        self.assertRegex(text, r"tiu id=(\d+) dep=0 sys.nop SYSID\n  tiu id=\d+ dep=0 sys.end")
        self.assertEqual(self.run_tiny(longer), self.run_tiny(TINY))
        weft("asm", self.listing(TINY), "--into", longer, "-o", shorter)
        self.assertEqual(weft("disasm", shorter), weft("disasm", TINY))
        self.assertEqual(self.run_tiny(shorter), self.run_tiny(TINY))

    def test_an_edit_changes_what_runs(self):
        relu_off = self.listing(TINY, lambda text: text.replace("arith.max", "arith.min"))
        other = self.folder / "other.bmodel"
        weft("asm", relu_off, "--into", TINY, "-o", other)
        self.assertNotEqual(self.run_tiny(other), self.run_tiny(TINY))

    def test_hand_written_listing(self):
        """Ids, dependencies, forms and defaults may be left out."""
        text = b"""; y = x + 1.5, 64 channels of 16
tiu arith.add opd1_const=1 tsk_opd_num=2 res0_prec=fp32 opd0_prec=fp32 opd1_prec=fp32 opd0_sign=1 opd1_sign=1 res0_n=1 \
res0_c=64 res0_h=1 res0_w=16 res0_addr=0x4000 opd1_addr=fp32(1.5)
tiu sys.end
"""
        raw = weft("asm", "-", "-o", "-", text=text)
        self.assertEqual(len(raw), 64 + 16)
        listing = weft("disasm", "--raw", "tiu", "-", text=raw).decode().splitlines()
        self.assertTrue(listing[0].startswith("tiu id=1 dep=0 arith.add sAR opd1_const=1"), listing[0])
        self.assertIn("opd1_addr=0x3fc00000", listing[0])
        self.assertEqual(listing[1], "tiu id=2 dep=0 sys.end SYSID")

    def test_the_documented_kernel(self):
        """It computes what the document says, in a stream of another length than before."""
        lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("    net 'tiny' stage 0 group 0 tiu"))
        end = next(i for i in range(begin, len(lines)) if not lines[i].startswith("    "))
        bmodel, output = self.folder / "kernel.bmodel", self.folder / "y.npz"
        weft("asm", "-", "--into", TINY, "-o", bmodel, text="\n".join(lines[begin:end]).encode())
        self.assertGreater(bmodel.stat().st_size, TINY.stat().st_size)
        self.assertIn(b"hardware rules: 0 of", weft("info", bmodel, "--check"))
        inputs = DATA / "vendor-bmodels" / "tiny_input.npz"
        weft("run", bmodel, "--input", inputs, "--output", output)
        with np.load(inputs) as arrays:
            wanted = arrays["x"] + np.float32(1.5)
        with np.load(output) as arrays:
            self.assertEqual(arrays["y_Relu"][:, :3].tobytes(), wanted.tobytes())
            self.assertFalse(arrays["y_Relu"][:, 3:].any())

    def check_fault(self, text, says, *options):
        self.assertRegex(weft("asm", "-", *options, "-o", self.folder / "y", text=text.encode(), fails=True), says)
        self.assertFalse((self.folder / "y").exists())

    def test_faults_name_line_and_column(self):
        self.check_fault("tiu sys.nop\n  tiu sys.nap\n", r"^weft: error: stdin:2:7: 'sys\.nap': .*nearest is 'sys\.nop'\n$")
        self.check_fault("tiu x\ntiu y\n", r"(?s)^weft: error: stdin:1:5: .*\nweft: error: stdin:2:5: [^\n]*\n$")
        self.check_fault("tiu x\n" * 30, r"stdin: 10 more faults\n$")
        self.check_fault("tiu sys.nop\ngdma dma.sys\n", r"stdin:2:1: a command of gdma in a section of tiu")
        self.check_fault("net 'a' stage 0 group 0\n", r"stdin:1:1: a heading is net 'NAME' stage S group G tiu or gdma")
        self.check_fault("", r"stdin: the listing has no commands")
        self.check_fault("gdma dma.sys\n", r"the listing has no tiu commands", "--engine", "tiu")
        self.check_fault("tiu id=1048575 sys.nop\ntiu sys.end\n", r"stdin:2:1: .* ids end at 1048575")

    def test_faults_of_a_listing_for_a_bmodel(self):
        into = ["--into", TINY]
        text = weft("disasm", TINY).decode()
        self.check_fault("tiu sys.end\n", r"stdin:1: a command without a heading", *into)
        self.check_fault(text.replace("net 'tiny'", "net 'tony'"),
                         r"""stdin:1: the model has no section "net 'tony' stage 0 .*nearest is "net 'tiny' stage 0""", *into)
        self.check_fault(text + text, r"stdin:\d+: the section is already in line 1\n", *into)
        self.check_fault(re.sub(r"tiu id=1 dep=\d+", "tiu id=1 dep=99", text), r"the engines wait for each other", *into)
        self.check_fault("net 'tiny' stage 0 group 0 tiu\n", r"has no commands", *into)
        reloc = weft("disasm", RELOC).decode()
        self.check_fault(re.sub(r"(?m)^  gdma id=\d+ (.*dma\.sys )", r"  gdma dma.sys.nop\n  gdma \1", reloc),
                         r"address patches point at its gdma commands", "--into", RELOC)

    def test_an_empty_listing_is_no_listing_of_a_bmodel(self):
        """What a disasm that failed leaves in a pipe."""
        for text in ("", "\n \n", "; nothing\n", "; net 'tiny' stage 0 group 0 tiu\r  tiu sys.end\r"):
            self.check_fault(text, r"^weft: error: stdin: the listing has no commands; .*\n$", "--into", TINY)

    def test_options_of_raw_buffers_are_none_of_a_bmodel(self):
        text = weft("disasm", TINY).decode()
        self.check_fault(text, r"--into", "--into", TINY, "--engine", "tiu")
        self.check_fault(text, r"--into", "--into", TINY, "--target", "bm1684x")

    def test_the_listing_is_not_overwritten(self):
        listing, bmodel = self.listing(TINY), self.folder / "x.bmodel"
        text = listing.read_bytes()
        says = r"x\.s: --output would overwrite the listing; name another file"
        self.assertRegex(weft("asm", listing, "--engine", "tiu", "-o", listing, fails=True), says)
        self.assertRegex(weft("asm", listing, "--into", TINY, "-o", self.folder / "." / "x.s", fails=True), says)
        self.assertEqual(listing.read_bytes(), text)
        bmodel.write_bytes(TINY.read_bytes())
        self.assertRegex(weft("asm", listing, "--into", bmodel, "-o", bmodel, fails=True),
                         r"x\.bmodel: --output would overwrite the file of --into; name another file")
        self.assertEqual(bmodel.read_bytes(), TINY.read_bytes())

    def test_inputs_without_end(self):
        huge = self.folder / "huge.s"
        with huge.open("wb") as file:
            file.truncate(2 ** 30 + 1)
        says = r"too long, at most 1073741824 bytes are read"
        self.assertRegex(weft("asm", huge, "-o", self.folder / "y", fails=True), r"huge\.s: " + says)
        self.assertRegex(weft("disasm", "--raw", "tiu", "/dev/zero", fails=True), r"/dev/zero: " + says)

    def test_a_fault_of_the_program_names_the_model(self):
        """Floats have no bits to and, which only the run shows."""
        bmodel = self.folder / "faulty.bmodel"
        text = weft("disasm", TINY).replace(b"arith.max", b"arith.and")
        weft("asm", "-", "--into", TINY, "-o", bmodel, "--unchecked", text=text)
        error = weft("run", bmodel, "--input", DATA / "vendor-bmodels" / "tiny_input.npz", "-o", self.folder / "y.npz", fails=True)
        self.assertRegex(error, r"^weft: error: [^ ]*/faulty\.bmodel: [^\n]*arith\.and[^\n]*\n$")

    def test_run_does_not_overwrite_its_inputs(self):
        bmodel, arrays = self.folder / "x.bmodel", self.folder / "x.npz"
        bmodel.write_bytes(TINY.read_bytes())
        arrays.write_bytes((DATA / "vendor-bmodels" / "tiny_input.npz").read_bytes())
        for path, what in ((bmodel, "the model"), (arrays, "an input")):
            before = path.read_bytes()
            self.assertIn(f"{path}: --output would overwrite {what}; name another file",
                          weft("run", bmodel, "-i", arrays, "-o", path, fails=True))
            self.assertEqual(path.read_bytes(), before)

    def test_faults_of_raw_buffers(self):
        self.assertRegex(weft("disasm", "--raw", "tiu", "-", text=b"\0" * 20, fails=True),
                         r"^weft: error: stdin: byte 0, tiu command 0: command is cut off\n$")
        self.assertRegex(weft("disasm", self.folder, "--raw", "gdma", fails=True), r"cannot read: Is a directory")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
