#!/usr/bin/env python3
"""What `weft ppl` says when a kernel file is wrong: one line that names it, exit code 2 (1 if a test fails), never a false pass.

  ppl_test.py WEFT
"""
import pathlib
import subprocess
import sys
import tempfile

HEAD = '#include "ppl/ppl.h"\n#include <cstdlib>\n#include <stdexcept>\nusing namespace ppl;\n'
ADD = """
static void add(float wanted) {
  dim4 shape = {1, 4, 1, 8};
  float *x = ppl::rand<float>(&shape, 0.0, 1.0), *y = ppl::malloc<float>(&shape);
  tensor<float> a(shape), b(shape);
  dma::load(a, gtensor<float>(shape, GLOBAL, x));
  tiu::fadd(b, a, 1.0f);
  dma::store(gtensor<float>(shape, GLOBAL, y), b);
  expect(y, &shape, [=](int i) { return wanted == 0 ? double(x[i] + 1.0f) : double(wanted); }, 1e-3, 0);
}
"""
# name, source, arguments, exit code, parts of the output
CASES = [
    ("good", ADD + "__TEST__ void t() { add(0); }", [], 0, ["PASS t", "1 passed, 0 failed"]),
    ("wrong", ADD + "__TEST__ void t() { add(7); }", [], 1, ["FAIL t", "expected 7"]),
    ("infinite", ADD + "__TEST__ void t() { add(INFINITY); }", [], 1, ["expected inf"]),
    ("goes_on", ADD + "__TEST__ void a() { tensor<float> x({1, 1, 1, 0}); }\n__TEST__ void b() { add(0); }", [], 2,
     ["FAIL a", "PASS b", "1 passed, 1 failed", "goes_on.cpp:"]),
    ("exits", "__TEST__ void t() { std::exit(0); }", [], 2, ["test t ended the program"]),
    ("breaks", "__TEST__ void t() { *(volatile int *)16 = 1; }", [], 2, ["test t crashed", "memory that is not its own"]),
    ("throws", "__TEST__ void t() { throw std::runtime_error(\"no\"); }", [], 2, ["t threw an exception: no"]),
    ("no_test", "void t() {}", [], 2, ["has no __TEST__ function"]),
    ("no_output", "__TEST__ void t() { tensor<float> x({1, 1, 1, 8}); tiu::fill(x, 1.0f); }", [], 2, ["writes no global memory"]),
    ("not_cpp", "this is no C++", [], 2, ["does not compile"]),
    ("argument", "__KERNEL__ void k(float *, int) {}\n__TEST__ void t() { k(nullptr); }", [], 2,
     ["argument.cpp:6:", "too few arguments", "does not compile"]),
    ("header", '#include "pl.h"\n__TEST__ void t() {}', [], 2, ["header.cpp:5:", "pl.h", "does not compile"]),
    ("function", "__TEST__ void t() { tensor<float> x({1, 1, 1, 8}); tiu::fad(x, x, x); }", [], 2,
     ["function.cpp:5:", "fad", "does not compile"]),
    ("type", "__TEST__ void t() { tensor<double> x({1, 1, 1, 8}); }", [], 2, ["type.cpp:5:", "not an element type of PPL"]),
    ("nothing", "__TEST__ void t() {}", [], 2, ["writes no global memory"]),
    ("silent", ADD.replace("expect(", "if (wanted > 8) expect(") + "__TEST__ void t() { add(0); }", [], 1,
     ["silent.cpp: test t expects nothing; call expect(pointer, &shape, wanted)"]),
    ("mistyped", ADD + "__TEST__ void doubles() { add(0); }", ["--test", "double"], 2,
     ["mistyped.cpp: no __TEST__ function 'double'; did you mean 'doubles'? there are doubles"]),
    ("kernel", "__KERNEL__ void k() {}\n__TEST__ void t() {}", ["--test", "k"], 2, ["'k'; that is a __KERNEL__, which a test calls"]),
    ("missing", None, [], 2, ["missing.cpp: no such file"]),
    ("unchecked", "__TEST__ void t() { dim4 all = {1, 1, 1, 8}; float *p = ppl::malloc<float>(&all); tensor<float> x(all), y(all);\n"
     "tiu::fadd(y, x, 1.0f); dma::store(gtensor<float>(all, GLOBAL, p), y); expect(p, &all, [](int) { return 1; }); }", ["--no-check"], 0,
     ["PASS t"]),
    ("target", ADD + "__TEST__ void t() { add(0); }", ["--target", "bm9999"], 2, ["no target 'bm9999'; there are bm1684x"]),
    ("interpreted", ADD + "__TEST__ void t() { add(0); }", ["--target", "bm1690"], 0, ["PASS t"]),
]


def main():
    weft, found = sys.argv[1], []
    with tempfile.TemporaryDirectory() as folder:
        for name, source, arguments, code, parts in CASES:
            path = pathlib.Path(folder) / f"{name}.cpp"
            if source is not None:
                path.write_text(HEAD + source + "\n")
            result = subprocess.run([weft, "ppl", "test", str(path), *arguments], capture_output=True, text=True, timeout=120)
            output = result.stdout + result.stderr
            if result.returncode != code:
                found.append(f"{name}: exit code {result.returncode}, must be {code}: {output.strip()[-300:]}")
            found += [f"{name}: the output lacks '{part}': {output.strip()[-300:]}" for part in parts if part not in output]
        # A chip without commands: the functions as recorded, and no bmodel.
        kernel = str(pathlib.Path(folder) / "interpreted.cpp")
        build = [weft, "ppl", "build", kernel, "--target", "bm1690"]
        for arguments, code, part in ([["--mlir"], 0, "ppl.tiu.fadd"], [["-o", f"{folder}/k.bmodel"], 2, "makes no commands for bm1690"]):
            result = subprocess.run([*build, *arguments], capture_output=True, text=True, timeout=120)
            if result.returncode != code or part not in result.stdout + result.stderr:
                found.append(f"build {arguments[0]}: exit code {result.returncode}, must be {code} with '{part}': {result.stderr[-300:]}")
    for line in found:
        print(line)
    print(f"{len(CASES)} cases, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
