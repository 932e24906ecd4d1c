#!/usr/bin/env python3
"""`weft profile` as a user meets it: text, JSON, the page, and errors.

  profile_test.py WEFT TEST_DATA_FOLDER PROFILE_DOCUMENT

Costs are tested elsewhere; this asks whether the outputs are complete, agree with each other and with `weft info`, and
whether the page stands alone. Where Node.js is at hand the page's script also runs, on a document of stand-ins.
"""
import html.parser
import json
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import bad_files as bad
from json_schema import COUNT, FLAG, REAL, TEXT, keys, mismatches

WEFT, DATA, DOCUMENT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
VENDOR = sorted((DATA / "vendor-bmodels").glob("*.bmodel"))
HARNESS = pathlib.Path(__file__).resolve().parent / "profile_page_harness.js"

ENGINE = {"commands": COUNT, "busy_cycles": COUNT, "busy_share": REAL, "wait_cycles": COUNT, "critical_cycles": COUNT}
# Every key, none may be missing or new: docs list the same (test_documented).
SCHEMA = {
    "file": TEXT, "chip": TEXT, "net": TEXT, "stage": COUNT, "stages": COUNT, "groups": COUNT, "total_cycles": COUNT,
    "cycles_per_second": COUNT, "seconds": REAL, "seconds_with_host": REAL, "engines": {"tiu": ENGINE, "gdma": ENGINE}, "overlap_cycles": COUNT,
    "dram": {"read_bytes": COUNT, "write_bytes": COUNT, "bytes_per_cycle": REAL, "peak_bytes_per_cycle": REAL, "load_bytes_per_cycle": REAL},
    "macs": {"total": COUNT, "utilisation": REAL,
             "types": [{"type": TEXT, "macs": COUNT, "peak_macs_per_cycle": COUNT, "utilisation": REAL}]},
    "roofline": {"compute_cycles": REAL, "dram_cycles": REAL, "bound_cycles": REAL, "bound_by": TEXT, "achieved": REAL},
    "extrapolated": {"commands": COUNT, "cycles": COUNT, "probed_cycles": COUNT, "share": REAL,
                     "kin": [{"mnemonic": TEXT, "kin": TEXT, "evidence": TEXT, "commands": COUNT, "cycles": COUNT}]},
    "local_memory": {"lane_bytes": COUNT, "bank_bytes": COUNT, "peak_bytes": COUNT, "mean_bytes": REAL,
                     "bank_shared_cycles": COUNT,
                     "banks": [{"peak_bytes": COUNT, "mean_bytes": REAL, "shared_cycles": COUNT}]},
    "host": {"sub_nets": COUNT, "from_chip_bytes": COUNT, "to_chip_bytes": COUNT, "seconds": REAL,
             "operations": [{"kernel": TEXT, "node": TEXT, "reason": TEXT, "from_chip_bytes": COUNT, "to_chip_bytes": COUNT, "seconds": REAL}]},
    "instructions": [{"engine": TEXT, "mnemonic": TEXT, "commands": COUNT, "cycles": COUNT, "share": REAL,
                      "critical_cycles": COUNT, "extrapolated_cycles": COUNT, "macs": COUNT, "dram_read_bytes": COUNT,
                      "dram_write_bytes": COUNT}],
    "debug_map": FLAG, "origin": TEXT,
    "slow_transfers": [{"nodes": [TEXT], "direction": TEXT, "commands": COUNT, "bytes": COUNT, "cycles": COUNT,
                        "full_rate_cycles": COUNT, "reason": TEXT}],
    "nodes": [{"nodes": [TEXT], "op_types": [TEXT], "source": TEXT, "commands": COUNT, "tiu_cycles": COUNT, "gdma_cycles": COUNT,
               "critical_cycles": COUNT, "critical_share": REAL, "wait_cycles": COUNT, "extrapolated_cycles": COUNT, "macs": COUNT,
               "dram_read_bytes": COUNT, "dram_write_bytes": COUNT, "engine": TEXT, "compute_cycles": REAL, "dram_cycles": REAL, "bound_by": TEXT, "bound_cycles": REAL,
               "achieved": REAL}],
}
# A line's work has no bound if it neither multiplies nor moves data of DRAM; a node has no text.
NULLABLE = ("bound_by", "source")

# Three blocks of a product whose operand is doubled: DMA, element arithmetic and a matrix product on lines of their own.
KERNEL = '''#include "ppl/ppl.h"
using namespace ppl;
__TEST__ void doubled() {
  dim4 left = {1, 192, 1, 64}, right = {1, 64, 1, 96}, out = {1, 192, 1, 96};
  fp16 *a = ppl::rand<fp16>(&left, -1, 1), *b = ppl::rand<fp16>(&right, -1, 1), *c = ppl::malloc<fp16>(&out);
  tensor<fp16> r(right);
  dma::load(r, gtensor<fp16>(right, GLOBAL, b));
  for (int i = 0; i < 192; i += 64) {
    enable_pipeline();
    tensor<fp16> l({1, 64, 1, 64}), y({1, 64, 1, 96});
    dma::load(l, gtensor<fp16>(left, GLOBAL, a).sub_view({1, 64, 1, 64}, {0, i, 0, 0}));
    tiu::fadd(l, l, l);
    tiu::fmm2(y, l, r);
    dma::store(gtensor<fp16>(out, GLOBAL, c).sub_view({1, 64, 1, 96}, {0, i, 0, 0}), y);
  }
}
'''


def weft(*arguments, file_limit=None):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          restore_signals=file_limit is None, preexec_fn=limit if file_limit is not None else None)


class Page(html.parser.HTMLParser):
    """Elements that load something, and the scripts."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.scripts, self.open, self.inside = [], [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        self.loads += [f"{tag} {name}" for name in names if name in ("src", "href", "data", "action", "srcset")]
        if tag in ("link", "iframe", "object", "embed", "img", "base"):
            self.loads.append(tag)
        if tag not in ("meta", "input", "br", "link", "img"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")
            self.inside = True

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


class ProfileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = pathlib.Path(self.folder.name)

    def json_of(self, model, *options):
        result = weft("profile", model, "--json", *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""), model)
        return json.loads(result.stdout)

    def converted(self):
        """conv_0 and relu_0, which the compiler fuses, with a debug map."""
        model = bad.write(self.place, bad.small())
        self.assertEqual(weft("convert", model, "-o", self.place / "small.bmodel").returncode, 0)
        return self.place / "small.bmodel"

    def check_sums(self, report):
        engines = report["engines"]
        self.assertEqual(sum(engine["critical_cycles"] for engine in engines.values()), report["total_cycles"])
        self.assertEqual(sum(row["critical_cycles"] for row in report["instructions"]), report["total_cycles"])
        for name, engine in engines.items():
            rows = [row for row in report["instructions"] if row["engine"] == name]
            self.assertEqual(sum(row["cycles"] for row in rows), engine["busy_cycles"])
            self.assertEqual(sum(row["commands"] for row in rows), engine["commands"])
        self.assertAlmostEqual(report["seconds"], report["total_cycles"] / report["cycles_per_second"])
        roof = report["roofline"]
        self.assertEqual(roof["bound_cycles"], max(roof["compute_cycles"], roof["dram_cycles"]))
        self.assertLessEqual(roof["achieved"], 1)
        self.assertEqual(len(report["local_memory"]["banks"]), 16)

    def test_vendor_files(self):
        self.assertEqual(len(VENDOR), 18)
        for model in VENDOR:
            with self.subTest(model.name):
                report = self.json_of(model)
                self.assertEqual(mismatches(SCHEMA, report, "profile", NULLABLE), [])
                self.check_sums(report)
                self.assertEqual((report["debug_map"], report["nodes"]), (False, []))
                info = json.loads(weft("info", model, "--json").stdout)["nets"][0]["stages"][0]
                self.assertEqual({key: report["dram"][key] for key in ("read_bytes", "write_bytes")}, info["dram"])
                # Without the end commands.
                self.assertEqual({name: engine["commands"] + report["groups"] for name, engine in
                                  report["engines"].items()}, info["commands"])

    def test_totals_are_the_vendor_compilers(self):
        # What it predicted for the files that it made: cycles, DRAM bytes each way.
        for name, total, reads, writes in (("F32", 101132, 619992, 816), ("F16", 101556, 513860, 9632), ("INT8", 53360, 844644, 27860)):
            report = self.json_of(DATA / "vendor-bmodels" / f"ppocr_cls_{name}.bmodel")
            self.assertEqual((report["total_cycles"], report["dram"]["read_bytes"], report["dram"]["write_bytes"]), (total, reads, writes))
            self.assertEqual(report["extrapolated"]["commands"], 0)

    def test_a_function_that_no_timeline_shows(self):
        """The ReLU of a file made an absolute difference, whose price only the encoder library confirms."""
        file = DATA / "vendor-bmodels" / "tiny_f32.bmodel"
        listing = weft("disasm", file).stdout
        self.assertEqual(listing.count("arith.max"), 1)
        (self.place / "rare.s").write_text(listing.replace("arith.max", "arith.fsubabs"))
        self.assertEqual(weft("asm", self.place / "rare.s", "--into", file, "-o", self.place / "rare.bmodel").returncode, 0)
        found = self.json_of(self.place / "rare.bmodel")["extrapolated"]
        self.assertEqual([(row["mnemonic"], row["kin"], row["evidence"], row["commands"]) for row in found["kin"]],
                         [("arith.fsubabs", "arith.sub fp32", "probed", 1)])
        self.assertEqual((found["commands"], found["probed_cycles"]), (1, found["cycles"]))
        self.assertGreater(found["cycles"], 0)

    def test_nodes(self):
        report = self.json_of(self.converted())
        self.assertEqual(mismatches(SCHEMA, report, "profile", NULLABLE), [])
        self.check_sums(report)
        self.assertTrue(report["debug_map"])
        rows = {tuple(row["nodes"]): row for row in report["nodes"]}
        fused = rows[("conv_0", "relu_0")]
        self.assertEqual((fused["op_types"], fused["source"]), (["Conv", "Relu"], None))
        self.assertEqual(fused["macs"], 4 * 8 * 8 * 3 * 9)
        self.assertEqual(report["macs"]["total"], fused["macs"])
        for key in ("tiu_cycles", "gdma_cycles"):
            engine = report["engines"][key.split("_")[0]]
            self.assertEqual(sum(row[key] for row in report["nodes"]), engine["busy_cycles"])
        self.assertEqual(sum(row["critical_cycles"] for row in report["nodes"]), report["total_cycles"])
        costs = [row["critical_cycles"] for row in report["nodes"]]
        self.assertEqual(costs, sorted(costs, reverse=True))

    def test_text(self):
        text = weft("profile", VENDOR[0]).stdout
        report = self.json_of(VENDOR[0])
        self.assertRegex(text, rf"total +{report['total_cycles']} cycles")
        self.assertIn(report["instructions"][0]["mnemonic"], text)
        self.assertIn("no debug map", text)
        self.assertIn("conv_0 + relu_0 (Conv + Relu)", weft("profile", self.converted()).stdout)
        self.assertLessEqual(max(map(len, text.splitlines()[1:])), 140)

    def check_page(self, model):
        return self.check_page_of(self.json_of(model), "profile", model)

    def check_page_of(self, report, *command):
        page = self.place / "page.html"
        result = weft(*command, "--html", page)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("total", result.stdout)
        text = page.read_text(encoding="utf-8")
        parsed = Page(text)
        self.assertEqual((parsed.loads, parsed.open), ([], []))
        self.assertIsNone(re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]|@import|url\(|fetch\(|XMLHttpRequest|import\(", text))
        content, script = parsed.scripts
        content = json.loads(content)["profile"]
        self.assertEqual(content["report"], report)
        for name in ("tiu", "gdma"):
            self.assertEqual({len(column) for column in content[name].values()},
                             {content["report"]["engines"][name]["commands"]})
            ends = sum(content[name]["gap"]) + sum(content[name]["cycles"])
            self.assertLessEqual(ends, content["report"]["total_cycles"])
        self.assertGreater(len(content["live"]["begin"]), 0)
        self.assertNotIn("tables.js", text)
        self.assertIn("getContext", script)
        if node := shutil.which("node"):
            run = subprocess.run([node, HARNESS, page], capture_output=True, text=True, timeout=120)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        return text

    def test_page(self):
        for name in ("tiny_INT8", "rich_F32", "ppocr_cls_F16"):
            with self.subTest(name):
                self.check_page(DATA / "vendor-bmodels" / f"{name}.bmodel")

    def test_page_with_nodes(self):
        self.assertIn("conv_0", self.check_page(self.converted()))

    def kernel(self):
        path = self.place / "doubled.cpp"
        path.write_text(KERNEL)
        return path

    def test_lines_of_a_kernel(self):
        kernel = self.kernel()
        result = weft("ppl", "profile", kernel, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        [row] = json.loads(result.stdout)
        report = row["profile"]
        self.assertEqual(mismatches(SCHEMA, report, "profile", NULLABLE), [])
        self.check_sums(report)
        self.assertEqual((report["origin"], report["total_cycles"]), ("lines", row["cycles"]))
        self.assertLess(row["cycles"], row["serial_cycles"])
        lines = {line["nodes"][0]: line for line in report["nodes"]}
        source = KERNEL.splitlines()
        self.assertEqual({name: (line["source"], line["op_types"]) for name, line in lines.items()},
                         {f"doubled.cpp:{n}": (source[n - 1].strip(), []) for n in (7, 11, 12, 13, 14)})
        kinds = {name.split(":")[1]: (line["engine"], line["bound_by"], line["commands"]) for name, line in lines.items()}
        self.assertEqual(kinds, {"7": ("gdma", "dram", 1), "11": ("gdma", "dram", 3), "12": ("tiu", None, 3),
                                 "13": ("tiu", "compute", 3), "14": ("gdma", "dram", 3)})
        # 192 x 64 x 96 multiply-accumulates at 8192 a cycle of f16; nothing is faster than its bound.
        self.assertEqual(lines["doubled.cpp:13"]["macs"], 192 * 64 * 96)
        self.assertEqual(lines["doubled.cpp:13"]["bound_cycles"], 192 * 64 * 96 / 8192)
        for line in lines.values():
            self.assertLessEqual(line["achieved"], 1)
            self.assertEqual(line["achieved"] > 0, line["bound_by"] is not None)
            self.assertAlmostEqual(line["achieved"] * max(line["tiu_cycles"], line["gdma_cycles"]), line["bound_cycles"])

    def test_text_of_a_kernel(self):
        text = weft("ppl", "profile", self.kernel()).stdout
        self.assertIn("lines of source", text)
        self.assertNotIn("ONNX", text)
        row = next(line for line in text.splitlines() if "doubled.cpp:13" in line)
        self.assertRegex(row, r"MAC +\d+ % +\|.*[#=].*\|  doubled.cpp:13  tiu::fmm2\(y, l, r\);")
        self.assertLessEqual(max(map(len, text.splitlines()[3:])), 160)

    def test_page_of_a_kernel(self):
        kernel = self.kernel()
        report = json.loads(weft("ppl", "profile", kernel, "--json").stdout)[0]["profile"]
        page = self.check_page_of(report, "ppl", "profile", kernel)
        self.assertIn("tiu::fmm2(y, l, r);", page)
        # What is built has no source in it.
        self.assertEqual(weft("ppl", "build", kernel, "-o", self.place / "built.bmodel").returncode, 0)
        built = self.json_of(self.place / "built.bmodel")
        self.assertEqual((built["origin"], [row["nodes"] for row in built["nodes"]]), ("nodes", [[]]))
        self.assertNotIn(b"doubled.cpp", (self.place / "built.bmodel").read_bytes())

    def test_page_of_one_kernel(self):
        kernel, page = self.kernel(), self.place / "page.html"
        kernel.write_text(KERNEL + KERNEL[KERNEL.index("__TEST__"):].replace("doubled", "again"))
        self.assert_error(weft("ppl", "profile", kernel, "--html", page), "has 2 __TEST__ functions, the page of --html shows one; choose it with")
        self.assert_error(weft("ppl", "profile", kernel, "--test", "again", "--html", "-", "--json"), "--json and --html - both write to")
        self.assert_error(weft("ppl", "profile", kernel, "--test", "again", "--html", kernel), "--html would overwrite the kernel")
        self.assertTrue(weft("ppl", "profile", kernel, "--test", "again", "--html", "-").stdout.startswith("<!doctype html>"))

    def test_page_on_stdout(self):
        result = weft("profile", VENDOR[0], "--html", "-")
        self.assertTrue(result.stdout.startswith("<!doctype html>") and result.stdout.rstrip().endswith("</html>"))

    def assert_error(self, result, says):
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, rf"\Aweft: error: [^\n]*{says}[^\n]*[^.\n]\n\Z")

    def test_errors(self):
        page = self.place / "page.html"
        cut = bad.write(self.place, VENDOR[0].read_bytes()[:5000], "cut.bmodel")
        noise = bad.write(self.place, b"\x11" * 4096, "noise.bmodel")
        self.assert_error(weft("profile", self.place / "none.bmodel", "--html", page), "none.bmodel")
        self.assert_error(weft("profile", cut, "--html", page), "cut.bmodel")
        self.assert_error(weft("profile", noise, "--html", page), "noise.bmodel")
        self.assert_error(weft("profile", VENDOR[0], "--net", "nope", "--html", page), "there is no net 'nope'")
        self.assert_error(weft("profile", VENDOR[0], "--stage", "1", "--html", page), "there is no stage 1")
        self.assert_error(weft("profile", VENDOR[0], "--stage", "x", "--html", page), "--stage")
        self.assert_error(weft("profile", VENDOR[0], "--html", self.place / "none" / "page.html"), "page.html")
        self.assert_error(weft("profile", VENDOR[0], "--html", self.place), str(self.place))
        self.assert_error(weft("profile"), "bmodel")
        self.assertEqual({path.name for path in self.place.iterdir()}, {"cut.bmodel", "noise.bmodel"})

    def test_options_that_contradict(self):
        model = self.place / "own.bmodel"
        model.write_bytes(VENDOR[0].read_bytes())
        link = self.place / "link.html"
        link.symlink_to(model)
        self.assert_error(weft("profile", model, "--json", "--html", "-"), "--json and --html - both write to")
        self.assert_error(weft("profile", model, "--html", model), "own.bmodel: --html would overwrite the model")
        self.assert_error(weft("profile", model, "--html", link), "link.html: --html would overwrite the model")
        self.assertEqual(model.read_bytes(), VENDOR[0].read_bytes())
        for option in ("--html", "--net"):
            self.assert_error(weft("profile", model, option, ""), f"{option}: the value is empty")
        for stage in ("-1", "99999999999999999999", "4294967296"):
            result = weft("profile", model, f"--stage={stage}")
            self.assert_error(result, "--stage")
            self.assertNotIn("there is no stage", result.stderr)

    def test_full_disk_leaves_the_old_page(self):
        page = self.place / "page.html"
        page.write_text("old")
        result = weft("profile", VENDOR[0], "--html", page, file_limit=20000)
        self.assert_error(result, "page.html")
        self.assertEqual([path.name for path in self.place.iterdir()], ["page.html"])
        self.assertEqual(page.read_text(), "old")

    def test_documented(self):
        """Every key of the schema stands in the document, in code font."""
        text = DOCUMENT.read_text(encoding="utf-8")

        self.assertEqual({key for key in keys(SCHEMA) if f"`{key}`" not in text}, set())


unittest.main(argv=sys.argv[:1])
