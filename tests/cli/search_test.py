#!/usr/bin/env python3
"""`weft convert -O3` as a user meets it: fewer cycles, the same outputs, the same file again, a cache, errors.

  search_test.py WEFT MODELS_KINDS_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx

WEFT = sys.argv[1]
sys.path.insert(0, sys.argv[2])
import make as kinds  # noqa: E402

# A network whose first program the search improves within a fraction of this.
NETWORK, SECONDS = "shufflenet", 1


def weft(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=250)


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.place = pathlib.Path(cls.folder.name)
        cls.model = cls.place / "m.onnx"
        onnx.save(kinds.make(NETWORK), cls.model)

    def convert(self, name, *flags):
        output = self.place / name
        done = weft("convert", self.model, "--precision", "f16", "-o", output, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return output, done.stderr

    def refused(self, *flags):
        output = self.place / "refused.bmodel"
        done = weft("convert", self.model, "--precision", "f16", "-o", output, *flags)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse(output.exists())
        self.assertEqual(done.stderr.count("weft: error:"), 1, done.stderr)
        return done.stderr

    def cycles(self, bmodel):
        return json.loads(weft("profile", bmodel, "--json").stdout)["total_cycles"]

    def outputs(self, bmodel):
        info = json.loads(weft("info", bmodel, "--json").stdout)["nets"][0]["stages"][0]
        random = np.random.default_rng(5)
        np.savez(self.place / "x.npz",
                 **{one["name"]: random.normal(size=one["shape"]).astype(np.float32) for one in info["inputs"]})
        done = weft("run", bmodel, "-i", self.place / "x.npz", "-o", self.place / "y.npz")
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(np.load(self.place / "y.npz"))

    def test_fewer_cycles_and_the_same_outputs(self):
        plain, _ = self.convert("plain.bmodel")
        searched, said = self.convert("searched.bmodel", "-O3", "--time-limit", SECONDS)
        before, after = self.cycles(plain), self.cycles(searched)
        self.assertLess(after, before)
        self.assertIn(f"{after} cycles instead of {before}", said)
        want, got = self.outputs(plain), self.outputs(searched)
        self.assertEqual(want.keys(), got.keys())
        for name in want:
            self.assertEqual(want[name].tobytes(), got[name].tobytes(), name)

    def test_the_limit_is_work_not_time(self):
        first, _ = self.convert("first.bmodel", "-O3", "--time-limit", SECONDS)
        second, _ = self.convert("second.bmodel", "-O3", "--time-limit", SECONDS)
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_a_cache_gives_the_same_at_once(self):
        cache = self.place / "cache.json"
        flags = ("-O3", "--time-limit", SECONDS, "--search-cache", cache)
        first, said = self.convert("first.bmodel", *flags)
        self.assertIn("-O3 compared", said)
        kept = cache.read_text()
        second, said = self.convert("second.bmodel", *flags)
        self.assertIn("-O3 knows of", said)
        self.assertEqual(first.read_bytes(), second.read_bytes())
        self.assertEqual(kept, cache.read_text())
        cache.chmod(0o400)
        folder = cache.stat()
        self.convert("again.bmodel", *flags)
        self.assertEqual(folder.st_mtime_ns, cache.stat().st_mtime_ns)
        cache.chmod(0o600)
        # More time goes on where the first search ended.
        third, _ = self.convert("third.bmodel", "-O3", "--time-limit", 2 * SECONDS, "--search-cache", cache)
        whole, _ = self.convert("whole.bmodel", "-O3", "--time-limit", 2 * SECONDS)
        self.assertLessEqual(self.cycles(third), self.cycles(first))
        self.assertLessEqual(self.cycles(whole), self.cycles(first))

    def test_another_model_has_an_entry_of_its_own(self):
        cache = self.place / "shared.json"
        flags = ("-O3", "--time-limit", SECONDS, "--search-cache", cache)
        self.convert("one.bmodel", *flags)
        done = weft("convert", self.model, "-o", self.place / "other.bmodel", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(cache.read_text())["programs"]), 2)

    def test_entries_of_others_do_no_harm(self):
        cache = self.place / "edited.json"
        flags = ("-O3", "--time-limit", SECONDS, "--search-cache", cache)
        plain, _ = self.convert("plain.bmodel", *flags)
        entries = json.loads(cache.read_text())
        (entry,) = entries["programs"].values()
        groups = entry["groups"]
        self.assertTrue(groups)
        # Groups that there are in slices that there are not, and such that give other cycles: searched once more.
        for slices in ([1, 1, 1 << 28, 1], [1 << 30] * 4, [1 << 16] * 4, [1, 1, 3, 1]):
            entry["groups"] = [{**group, "slices": slices} for group in groups]
            cache.write_text(json.dumps(entries))
            again, said = self.convert("again.bmodel", *flags)
            self.assertIn("-O3 compared", said)
            self.assertEqual(plain.read_bytes(), again.read_bytes())

    def test_errors(self):
        self.assertIn("-O3", self.refused("--time-limit", "5"))
        self.assertIn("-O3", self.refused("-O2", "--search-cache", self.place / "c.json"))
        self.assertIn("--emit tpu", self.refused("-O3", "--search-cache", self.place / "c.json", "--emit", "tpu"))
        self.assertIn("--time-limit", self.refused("-O3", "--time-limit", "0"))
        self.assertIn("--time-limit", self.refused("-O3", "--time-limit", "nan"))
        self.assertIn("name another file", self.refused("-O3", "--search-cache", self.model))
        self.assertIn("name another file", self.refused("-O3", "--search-cache", self.place / "." / "refused.bmodel"))
        for nothing in ("", "-"):
            self.assertIn("--search-cache", self.refused("-O3", "--search-cache", nothing))
        deep = '{"version": "weft program search 1", "programs": {"a": ' + "[" * 100000 + "]" * 100000 + "}}"
        for text in ("", "[1]", '{"version": "x", "programs": {}}', deep):
            broken = self.place / "broken.json"
            broken.write_text(text)
            self.assertIn("broken.json", self.refused("-O3", "--search-cache", broken))
            self.assertEqual(broken.read_text(), text)
        missing = self.place / "no" / "cache.json"
        self.assertIn("no/cache.json", self.refused("-O3", "--time-limit", "0.01", "--search-cache", missing))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
