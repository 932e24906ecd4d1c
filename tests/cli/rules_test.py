#!/usr/bin/env python3
"""Every command that the vendor's compiler wrote for the networks of tests/data/cycles keeps the hardware's rules.

  rules_test.py WEFT TEST_DATA_FOLDER

The files hold register fields by name, so the commands are assembled from a listing made of them.
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

WEFT, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
FILES = sorted((DATA / "cycles").glob("*.jsonl.gz"))
# Said by engine, mnemonic and form.
HEAD = {"cmd_short", "cmd_id", "cmd_id_dep", "tsk_typ", "tsk_eu_typ", "cmd_type", "cmd_special_function"}


def listings(path):
    """The commands of a file, a listing for each engine."""
    lines = {"tiu": [], "gdma": []}
    with gzip.open(path, "rt") as file:
        for row in map(json.loads, file):
            engine = "tiu" if row["engine"] == "tiu" else "gdma"
            fields = " ".join(f"{name}={value}" for name, value in row["regs"].items()
                              if name not in HEAD and not name.lower().startswith(("rsvd", "reserve")))
            lines[engine].append(f"{engine} {row['op']} {fields}")
    return lines


def weft(*arguments, text):
    return subprocess.run([WEFT, *map(str, arguments)], input=text.encode(), capture_output=True, timeout=120)


class Rules(unittest.TestCase):
    def test_every_measured_command_keeps_the_rules(self):
        commands = 0
        for path in FILES:
            for engine, lines in listings(path).items():
                with self.subTest(path.name, engine=engine):
                    result = weft("asm", "-", "-o", "-", text="\n".join(lines))
                    self.assertEqual(result.stderr.decode(), "")
                    self.assertTrue(result.stdout)
                    commands += len(lines)
        self.assertGreater(commands, 15000)

    def test_a_command_that_breaks_a_rule_is_refused(self):
        line = listings(FILES[0])["tiu"][0]
        broken = re.sub(r"res0_addr=\d+", "res0_addr=4", line)
        self.assertNotEqual(broken, line)
        result = weft("asm", "-", "-o", "-", text=broken)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr.decode(), r"^weft: error: stdin:1:1: res0_addr is 0x4, must be a multiple of 64")
        self.assertEqual(weft("asm", "-", "--unchecked", "-o", "-", text=broken).returncode, 0)

    def test_info_checks_a_model(self):
        model = DATA / "vendor-bmodels" / "tiny_f32.bmodel"
        result = weft("info", model, "--check", text="")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout.decode(), r"hardware rules: 0 of \d+ commands break one\nraces: 0 waits are missing")
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "broken.bmodel"
            text = weft("disasm", model, text="").stdout.decode()
            moved = re.sub(r"(arith\.max .* res0_addr=0x[0-9a-f]+)0\b", r"\g<1>4", text)
            self.assertNotEqual(moved, text)
            self.assertEqual(weft("asm", "-", "--into", model, "-o", broken, "--unchecked", text=moved).returncode, 0)
            result = weft("info", broken, "--check", text="")
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stdout.decode(), r"hardware rules: \d+ of \d+ commands break one\n"
                             r"  net 'tiny' stage 0 group 0 tiu command \d+ \(arith\.max\): res0_addr is 0x\w+4, must be a")
            result = weft("info", broken, "--check", "--json", text="")
            self.assertEqual(result.returncode, 1)
            self.assertGreater(json.loads(result.stdout)["rules"]["broken"], 0)

    def test_info_checks_the_ends_of_dram_areas(self):
        model = DATA / "vendor-bmodels" / "tiny_f32.bmodel"
        text = weft("disasm", model, text="").stdout.decode()
        # The first store lands at the start of the weights.
        wrong = re.sub(r"dst_start_addr_l32=0x[0-9a-f]+ dst_start_addr_h8=1",
                       "dst_start_addr_l32=0 dst_start_addr_h8=1", text, count=1)
        self.assertNotEqual(wrong, text)
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "broken.bmodel"
            self.assertEqual(weft("asm", "-", "--into", model, "-o", broken, "--unchecked", text=wrong).returncode, 0)
            result = weft("info", broken, "--check", text="")
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stdout.decode(), r"hardware rules: 1 of \d+ commands break one\n"
                             r"  net 'tiny' stage 0 group 0 gdma command \d+ \(dma\.tensor\): dst writes 0x1\w+ to 0x1\w+, in "
                             r"the weights")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
