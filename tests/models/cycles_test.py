#!/usr/bin/env python3
"""Predicted cycles of the benchmark's networks: no geometric mean may rise by more than 1 % over the recorded baseline.

  cycles_test.py WEFT FOLDER

models/cycles.py does the work; its judgement is tried on made-up figures first, its rates on programs.
"""
import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "models"))
import cycles  # noqa: E402: the folder above must come first

BASELINE = {"a": {"f16": 1000}, "b": {"f16": 1000}}


def row(network, ours, host_operations=0, expected=None, bound=None):
    return {"network": network, "precision": "f16", "ours": ours, "host_operations": host_operations, "expected": expected, "bound": bound}


WEFT, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
TYPES = {"int8": "i8", "f16": "f16", "bf16": "bf16", "f32": "f32"}  # as the profile names them


class Floor(unittest.TestCase):
    PROFILE = {"dram": {"peak_bytes_per_cycle": 10}}

    def test_is_of_the_precision_that_was_asked_for(self):
        network = {"macs": 2**20, "parameters": 2000}
        for precision, floor in {"int8": 200, "f16": 400, "bf16": 400, "f32": 1024}.items():
            self.assertEqual(cycles.floor_of(network, precision, self.PROFILE), floor, precision)
        # Not of what the program computes in.
        for types in ([], [{"type": "f32", "macs": 2**20, "peak_macs_per_cycle": 1024}]):
            self.assertEqual(cycles.floor_of({"macs": 2**20, "parameters": 0}, "int8", {**self.PROFILE, "macs": {"types": types}}), 64)

    def test_peaks_are_those_of_the_tool(self):
        name = "gemm_rows"
        entry = json.loads((cycles.DATA / "vendor.json").read_text())["networks"][name]
        WORK.mkdir(parents=True, exist_ok=True)
        self.assertEqual(set(TYPES), set(cycles.PEAK_MACS))
        for precision, kind in TYPES.items():
            bmodel = WORK / f"peak_{precision}.bmodel"
            cycles.call(WEFT, "convert", cycles.model_file(entry, WORK), "-o", bmodel, *cycles.convert_flags(name, entry, precision))
            types = json.loads(cycles.call(WEFT, "profile", bmodel, "--json"))["macs"]["types"]
            self.assertEqual({each["type"]: each["peak_macs_per_cycle"] for each in types}, {kind: cycles.PEAK_MACS[precision]})


class Judgement(unittest.TestCase):
    def judged(self, *rows, baseline=None):
        return cycles.judge("public f16", list(rows), BASELINE if baseline is None else baseline)

    def test_equal(self):
        self.assertEqual(self.judged(row("a", 1000), row("b", 1000)), (True, "public f16: +0.00% in geometric mean of 2 networks"))

    def test_rise_below_the_limit(self):
        self.assertTrue(self.judged(row("a", 1009), row("b", 1009))[0])

    def test_rise_of_one_made_up_for_by_another(self):
        passed, text = self.judged(row("a", 1100), row("b", 900))
        self.assertTrue(passed)
        self.assertIn("a +10.00%; b -10.00%", text)

    def test_rise_above_the_limit(self):
        passed, text = self.judged(row("a", 1000), row("b", 1030))
        self.assertFalse(passed)
        self.assertIn("+1.49%", text)
        self.assertIn("b +3.00%", text)
        self.assertIn("--renew", text)

    def test_fall(self):
        passed, text = self.judged(row("a", 900), row("b", 1000))
        self.assertTrue(passed)
        self.assertIn("Faster: renew the baseline", text)

    def test_new_network(self):
        passed, text = self.judged(row("a", 1000), row("c", 5))
        self.assertTrue(passed)
        self.assertIn("New: c", text)

    def test_no_baseline(self):
        self.assertFalse(self.judged(row("a", 1000), baseline={})[0])

    def test_to_the_host(self):
        passed, text = self.judged(row("a", 10, host_operations=1), row("b", 1000))
        self.assertFalse(passed)
        self.assertIn("a now computes on the host", text)

    def test_always_on_the_host(self):
        self.assertTrue(self.judged(row("a", 1000), row("c", 10, host_operations=1))[0])

    def test_a_known_network_that_does_not_convert(self):
        failure = {"network": "b", "precision": "f16", "message": "unsupported"}
        groups = {"a": "layouts", "b": "layouts", "c": "layouts"}
        self.assertEqual(cycles.check([row("a", 1000)], [failure], groups, BASELINE), 1)
        self.assertEqual(cycles.check([row("a", 1000)], [failure | {"network": "c"}], groups, BASELINE), 0)

    def test_int8_slower_than_half(self):
        rows = [row("a", 1000), row("b", 1000), row("a", 1000) | {"precision": "int8"}]
        self.assertEqual(cycles.judge_int8(rows), (True, "INT8 takes at most F16's cycles in 1 of 1 networks"))
        rows.append(row("b", 1001) | {"precision": "int8"})
        self.assertEqual(cycles.judge_int8(rows), (False, "INT8 takes at most F16's cycles in 1 of 2 networks; not in b 1.001"))

    def test_what_the_search_expected(self):
        near = [row("a", 1000, expected=950)] * 9
        self.assertEqual(cycles.judge_expected([*near, row("b", 10), row("c", 1000, expected=700)]), (
            True, "expected by the search for groups: within 10% of the profile in 9 of 10 networks that are groups alone; not c f16 0.70"))
        self.assertFalse(cycles.judge_expected([*near, *[row("c", 1000, expected=1200)] * 2])[0])

    def test_a_program_below_its_bound_fails(self):
        passed, text = cycles.judge_bound([row("a", 1000, bound=1000), row("b", 400, bound=100), row("c", 10)])
        self.assertTrue(passed)
        self.assertIn("geometric mean 2.00 of 2 programs, at most 4.00 (b f16)", text)
        passed, text = cycles.judge_bound([row("a", 1000, bound=1000), row("b", 99, bound=100)])
        self.assertFalse(passed)
        self.assertIn("below the bound: b f16 0.990", text)
        self.assertEqual(cycles.check([row("a", 1000, bound=1001)], [], {"a": "public"}, BASELINE), 1)


if __name__ == "__main__":
    tried = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    command = [sys.executable, ROOT / "models" / "cycles.py", WEFT, WORK, "--check"]
    sys.exit(1 if subprocess.run(command).returncode != 0 or not tried.wasSuccessful() else 0)
