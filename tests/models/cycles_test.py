#!/usr/bin/env python3
"""Predicted cycles of the benchmark's networks: no geometric mean may rise by more than 1 % over the recorded baseline.

  cycles_test.py WEFT FOLDER

models/cycles.py does the work; its judgement is tried on made-up figures first.
"""
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


class Floor(unittest.TestCase):
    PROFILE = {"macs": {"types": [{"peak_macs_per_cycle": 0}, {"peak_macs_per_cycle": 100}]}, "dram": {"load_bytes_per_cycle": 10}}

    def test_rates_are_those_of_the_profile(self):
        self.assertEqual(cycles.floor_of({"macs": 5000, "parameters": 100}, "f16", self.PROFILE), 50)
        self.assertEqual(cycles.floor_of({"macs": 5000, "parameters": 400}, "f16", self.PROFILE), 80)
        self.assertEqual(cycles.floor_of({"macs": 5000, "parameters": 400}, "int8", self.PROFILE), 50)

    def test_a_program_without_products(self):
        self.assertEqual(cycles.floor_of({"macs": 5000, "parameters": 100}, "f32", {**self.PROFILE, "macs": {"types": []}}), 40)


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
    weft, folder = sys.argv[1:3]
    tried = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Judgement))
    command = [sys.executable, ROOT / "models" / "cycles.py", weft, folder, "--check"]
    sys.exit(1 if subprocess.run(command).returncode != 0 or not tried.wasSuccessful() else 0)
