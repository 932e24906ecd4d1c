#!/usr/bin/env python3
"""What `weft ppl` says when a kernel file is wrong: one line that names it, exit code 2 (1 if a test fails), never a false pass.

  ppl_test.py WEFT
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

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
    ("printed", "__TEST__ void t() { tensor<float> x({1, 1, 1, 8}); print(\"x\", x); }", [], 2,
     ["printed.cpp:5:", "print() takes numbers and texts; of a tensor print to_string(x)"]),
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
    # Minutes if each store were compared with all those of the other blocks.
    ("interleaved", """__TEST__ void t() {
  const int rounds = 3000;
  dim4 all = {1, 64, 8 * rounds, 1}, part = {1, 64, 1, 1};
  set_block_num(8);
  float *p = ppl::malloc<float>(&all);
  gtensor<float> out(all, GLOBAL, p);
  tensor<float> x(part);
  tiu::fill(x, 1.0f);
  for (int i = 0; i < rounds; ++i)
    dma::store(out.sub_view(part, {0, 0, get_block_index() * rounds + i, 0}), x);
  expect(p, &all, [](int64_t) { return 1; });
}""", ["--target", "bm1690"], 0, ["PASS t"]),
    ("interpreted", ADD + "__TEST__ void t() { add(0); }", ["--target", "bm1690"], 0, ["PASS t"]),
]

# Kernels that flags call: the words behind `weft ppl run`, exit code, parts of what is said.
CALLED = """__KERNEL__ void scale(float *out, const float *in, int n, bool twice) {
  dim4 s = {1, 1, 1, n};
  tensor<float> x, y;
  dma::load(x, gtensor<float>(s, GLOBAL, in));
  tiu::fmul(y, x, twice ? 2.0f : 1.0f);
  dma::store(gtensor<float>(s, GLOBAL, out), y);
}
"""
MEMORY = ["--arg", "out=out:[8]", "--arg", "in=rand:fp32[8]"]
CALLS = [
    ("run", [*MEMORY, "--arg", "n=8", "--arg", "twice=true"], 0, ["scale: ran, 1 outputs"]),
    ("check", [], 0, ["scale(float *out, const float *in, int n, bool twice): compiles; to check its calls add --kernel scale --arg out="]),
    ("run", [], 2, ["or by a call: weft ppl run", "--kernel scale --arg out=out:[1x64x1x128]", "--arg n=NUMBER"]),
    ("run", ["--kernel", "skale"], 2, ["has no kernel 'skale' for --kernel; there are scale"]),
    ("run", MEMORY, 2, ["--arg: parameter 'n' of scale(", "has no value; add --arg n=NUMBER"]),
    ("run", ["--arg", "m=8"], 2, ["--arg m=8: the kernel has no such parameter: scale("]),
    ("run", ["--arg", "n"], 2, ["--arg n: is NAME=VALUE; memory is FILE.npz:ARRAY"]),
    ("run", ["--arg", "n=8", "--arg", "n=9"], 2, ["--arg n=9: the parameter has a value already"]),
    ("run", ["--arg", "n=many"], 2, ["--arg n=many: neither memory nor a number; memory is"]),
    ("run", ["--arg", "out=out:[8x]"], 2, ["--arg out=out:[8x]: memory is TYPE[SHAPE] with one to four sizes"]),
    ("run", ["--arg", "in=no.npz:x"], 2, ["--arg in=no.npz:x: ", "no.npz"]),
    ("run", ["--arg", "out=out:[8]", "--arg", "in=rand:[8]", "--arg", "n=010", "--arg", "twice=0"], 2, ["calls.cpp:8: ", "1x1x1x10 fp32"]),
    ("run", [*MEMORY, "--arg", "n=0x8"], 2, ["--arg n=0x8: neither memory nor a number"]),
    ("run", [*MEMORY, "--arg", "n=1e999"], 2, ["--arg n=1e999: neither memory nor a number"]),
    ("run", [*MEMORY, "--arg", "n=0.5", "--arg", "twice=true"], 2, ["--arg n=0.5: the parameter takes whole numbers"]),
    ("run", [*MEMORY, "--arg", "n=8", "--arg", "twice=2"], 2, ["--arg twice=2: the parameter takes numbers from 0 to 1"]),
    ("run", ["--arg", "out=8", *MEMORY[2:], "--arg", "n=8", "--arg", "twice=0"], 2, ["--arg out=8: the parameter is a pointer and takes memory"]),
    ("run", ["--arg", "out=out:fp16[8]", *MEMORY[2:], "--arg", "n=8", "--arg", "twice=0"], 2, ["the parameter points to fp32, not to fp16"]),
    ("run", [*MEMORY, "--arg", "n=out:[8]", "--arg", "twice=0"], 2, ["--arg n=out:[8]: the parameter is a number"]),
    ("run", [*MEMORY, "--arg", "n=9", "--arg", "twice=0"], 2, ["calls.cpp:8: ", "allocate more or take a smaller shape"]),
    ("run", ["--html", "p.html"], 2, ["--html is for weft ppl profile, not for run; leave it out"]),
    ("run", ["--json"], 2, ["--json is for weft ppl profile, not for run"]),
    ("profile", ["--save", "y.npz"], 2, ["--save is for weft ppl run, not for profile"]),
    ("profile", ["--mlir"], 2, ["--mlir is for weft ppl build, not for profile"]),
    ("check", ["--output", "x.bmodel"], 2, ["--output is for weft ppl build, not for check"]),
    ("profile", ["--no-check"], 2, ["--no-check is for weft ppl test, check, not for profile"]),
    ("test", ["--serial"], 2, ["--serial is for weft ppl build, run, check, not for test"]),
    ("test", ["--kernel", "scale"], 2, ["test is about __TEST__ functions"]),
]
def check_no_kernel(weft, folder):
    """What is wrong with files that are no kernel at all."""
    found = []
    for name, source, part in (("bare", "", "bare.cpp: includes no ppl/ppl.h; a kernel begins with #include"),
                               ("plain", "int main() { return 0; }", "plain.cpp: includes no ppl/ppl.h"), ("folder", None, "folder.cpp: is a folder; give a file in it")):
        path = pathlib.Path(folder) / f"{name}.cpp"
        path.mkdir() if source is None else path.write_text(source)
        for action in ("check", "test"):
            result = subprocess.run([weft, "ppl", action, str(path)], capture_output=True, text=True, timeout=120)
            if result.returncode != 2 or part not in result.stderr or "kernel.so" in result.stderr:
                found.append(f"{action} {name}: exit code {result.returncode}, must be 2 with '{part}': {result.stderr[-300:]}")
    return found


# One mistake, of which more lines of the kernel suffer: it is said once.
FOLLOWED = {
    "chain": """__KERNEL__ void chain(float *out) {
  dim4 s = {1, 64, 1, 8};
  tensor<int16> x(s);
  tensor<int16> a, b, c;
  tiu::fill(x, 1);
  tiu::norm(a, x);
  tiu::sub(b, a, 1, 0, RM_UP, false);
  tiu::add(c, b, b);
  dma::store(gtensor<int16>(s, GLOBAL, static_cast<void *>(out)), c);
}
""",
    "sizes": """__KERNEL__ void sizes(float *out) {
  dim4 s = {1, 64, 1, -5};
  gtensor<float> g(s, GLOBAL, out);
  tensor<float> a(s), b(s);
  tensor<float> c(s);
  tiu::fill(a, 1.0f);
  tiu::fadd(c, a, b);
  dma::store(g, c);
}
""",
}


def check_followed(weft, folder):
    """What is wrong with FOLLOWED."""
    found = []
    for name, source in FOLLOWED.items():
        path = pathlib.Path(folder) / f"{name}.cpp"
        path.write_text(HEAD + source)
        result = subprocess.run([weft, "ppl", "check", str(path), "--arg", "out=out:[512]"], capture_output=True, text=True, timeout=120)
        lines = [line for line in result.stderr.splitlines() if "error: " in line]
        if result.returncode != 2 or not 1 <= len(lines) <= (2 if name == "sizes" else 1):
            found.append(f"{name}: exit code {result.returncode}, must be 2; {len(lines)} errors: {result.stderr[-900:]}")
    return found


# Kernels that a call breaks: flags, parts of what is said.
READS = """__KERNEL__ void first(float *out, float *in) {
  dim4 s = {1, 1, 1, 8};
  tensor<float> x(s);
  dma::load(x, gtensor<float>(s, GLOBAL, in));
  tiu::fmul(x, x, in[0]);
  dma::store(gtensor<float>(s, GLOBAL, out), x);
}
"""
STRUCTURES = """typedef dim4 sizes;
__KERNEL__ void made(float *out, dim4 s) { tensor<float> x(s); }
__KERNEL__ void listed(float *out, std::vector<int> s) { tensor<float> x({1, 1, 1, s[0]}); }
__KERNEL__ void renamed(float *out, sizes s) { tensor<float> x(s); }
"""
BROKEN = [
    ("made", STRUCTURES, ["out=out:[8]", "s=4", "--kernel", "made"],
     ["--arg: parameter 's' of made(float *out, dim4 s) is neither a pointer nor a number; write a __TEST__ function"]),
    ("checked", STRUCTURES, ["no=1"], ["checked.cpp: has several kernels"]),
    ("listed", STRUCTURES, ["out=out:[8]", "--kernel", "listed"], ["parameter 's' of listed(", "is neither a pointer nor a number"]),
    ("renamed", STRUCTURES, ["out=out:[8]", "s=4", "--kernel", "renamed"], ["--arg s=4: the parameter is neither a pointer nor a number"]),
    ("divides", "__KERNEL__ void halves(float *out, int n) { tensor<float> x({1, 1, 1, 8 / n}); tiu::fill(x, 1.0f); }", ["out=out:[8]", "n=0"],
     ["divides.cpp: kernel halves crashed before its first call: an integer was divided by zero"]),
    ("exits", "__KERNEL__ void leaves(float *out) { std::exit(0); }", ["out=out:[8]"], ["exits.cpp: kernel leaves ended the program"]),
    ("throws", "__KERNEL__ void fails(float *out) { throw std::runtime_error(\"no\"); }", ["out=out:[8]"],
     ["throws.cpp: kernel fails threw an exception: no"]),
    ("empty", "", ["out=out:[8]"], ["empty.cpp: has no __KERNEL__ function"]),
    ("reads", READS, ["in=rand:[8]", "out=out:[8]"],
     ["reads.cpp:8: kernel first crashed after this call: it read or wrote an element of device memory", "dma::load", "as a parameter"]),
]


def check_broken(weft, folder):
    """What is wrong with BROKEN."""
    found = []
    for name, source, arguments, parts in BROKEN:
        path = pathlib.Path(folder) / f"{name}.cpp"
        path.write_text(HEAD + source)
        words = [word for argument in arguments for word in (("--arg", argument) if "=" in argument else (argument,))]
        result = subprocess.run([weft, "ppl", "check", str(path), *words], capture_output=True, text=True, timeout=120)
        if result.returncode != 2:
            found.append(f"{name}: exit code {result.returncode}, must be 2: {result.stderr[-300:]}")
        found += [f"{name}: the output lacks '{part}': {result.stderr[-500:]}" for part in parts if part not in result.stderr]
        if "weft_ppl_driver" in result.stderr or "debugger" in result.stderr and "divided" not in result.stderr:
            found.append(f"{name}: {result.stderr[-500:]}")
    return found


# A fault that arrays of zeros hide: the factor is never written.
FACTORED = """__KERNEL__ void product(int8 *out, int8 *in) {
  dim4 s = {1, 1, 1, 8};
  tensor<int8> x(s), factor(s), y(s);
  dma::load(x, gtensor<int8>(s, GLOBAL, in));
  tiu::mul(y, x, factor, 0, RM_HALF_UP, true);
  dma::store(gtensor<int8>(s, GLOBAL, out), y);
}
"""


def check_arrays(weft, folder):
    """What is wrong with the check of a kernel that gets an array: it must see the array, not zeros."""
    kernel, found = pathlib.Path(folder) / "product.cpp", []
    kernel.write_text(HEAD + FACTORED)
    for name, value, code, part in (("ones", 1, 2, "product.cpp:9: ppl::tiu::mul: src1 reads 8 of 8 elements"), ("zeros", 0, 0, "")):
        np.savez(f"{folder}/{name}.npz", x=np.full((1, 1, 1, 8), value, np.int8))
        for action in (["check"], ["run", "--check"]):
            words = [weft, "ppl", action[0], str(kernel), *action[1:], "--arg", f"in={folder}/{name}.npz:x", "--arg", "out=out:int8[8]"]
            result = subprocess.run(words, capture_output=True, text=True, timeout=120)
            if result.returncode != code or part not in result.stderr:
                found.append(f"{action} {name}: exit code {result.returncode}, must be {code} with '{part}': {result.stderr[-300:]}")
    return found


def check_refused_arrays(weft, folder):
    """What is wrong with arrays of what no tensor holds."""
    kernel, found = pathlib.Path(folder) / "product.cpp", []
    np.savez(f"{folder}/other.npz", text=np.array(["a", "b"] * 4), complex=np.full(8, 1 + 2j), small=np.full(8, 1 + 2j, np.complex64))
    np.save(f"{folder}/text.npy", np.array([b"a"] * 8))
    for array, part in (("other.npz:text", "strings"), ("other.npz:complex", "complex numbers"), ("other.npz:small", "complex numbers"), ("text.npy", "strings")):
        result = subprocess.run([weft, "ppl", "run", str(kernel), "--arg", f"in={folder}/{array}", "--arg", "out=out:[8]"], capture_output=True, text=True,
                                timeout=120)
        if result.returncode != 2 or f"the array is of {part}; give real numbers" not in result.stderr:
            found.append(f"{array}: exit code {result.returncode}, must be 2: {result.stderr[-300:]}")
    return found


def check_long_arrays(weft, folder):
    """What is wrong with arrays of 64 bits, whose elements are not all doubles, for parameters of other integers."""
    kernel, found = pathlib.Path(folder) / "moved.cpp", []
    kernel.write_text(HEAD + "__KERNEL__ void moved(uint32 *out, uint32 *in) {\n  dim4 s = {1, 1, 1, 2};\n"
                      "  dma::move(gtensor<uint32>(s, GLOBAL, out), gtensor<uint32>(s, GLOBAL, in));\n}\n")
    for name, values, kind, refused in (("fits", [0, 2**32 - 1], np.int64, ""), ("unsigned", [7, 2**32 - 1], np.uint64, ""), ("negative", [0, -1], np.int64, "-1"),
                                        ("large", [1, 2**32], np.int64, "4294967296"), ("exact", [0, 2**53 + 1], np.int64, "9007199254740993"),
                                        ("largest", [0, 2**64 - 1], np.uint64, "18446744073709551615")):
        np.savez(f"{folder}/{name}.npz", x=np.array(values, kind))
        result = subprocess.run([weft, "ppl", "run", str(kernel), "--arg", f"in={folder}/{name}.npz:x", "--arg", "out=out:uint32[2]",
                                 "--save", f"{folder}/moved.npz"], capture_output=True, text=True, timeout=120)
        if refused:
            part = f"element 1 of the array is {refused}, the parameter points to uint32"
            if result.returncode != 2 or part not in result.stderr:
                found.append(f"{name}: exit code {result.returncode}, must be 2 with '{part}': {result.stderr[-300:]}")
        elif result.returncode or np.load(f"{folder}/moved.npz")["out"].ravel().tolist() != values:
            found.append(f"{name}: exit code {result.returncode}, or other values: {result.stderr[-300:]}")
    return found


def check_infinite_arrays(weft, folder):
    """What is wrong with numbers that a float has not, which would become infinite, and with infinities, which it has."""
    kernel, found = pathlib.Path(folder) / "halves.cpp", []
    kernel.write_text(HEAD + "__KERNEL__ void halves(fp16 *out, fp16 *in) {\n  dim4 s = {1, 1, 1, 2};\n"
                      "  dma::move(gtensor<fp16>(s, GLOBAL, out), gtensor<fp16>(s, GLOBAL, in));\n}\n")
    for name, values, kind, code in (("long", [0, 2**40], np.int64, 2), ("double", [0, 1e6], np.float64, 2), ("infinite", [0, np.inf], np.float32, 0)):
        np.savez(f"{folder}/{name}.npz", x=np.array(values, kind))
        result = subprocess.run([weft, "ppl", "run", str(kernel), "--arg", f"in={folder}/{name}.npz:x", "--arg", "out=out:[2]"], capture_output=True, text=True,
                                timeout=120)
        part = "element 1 of the array is 1" if code else ""
        if result.returncode != code or part not in result.stderr:
            found.append(f"{name}: exit code {result.returncode}, must be {code} with '{part}': {result.stderr[-300:]}")
    return found


def check_calls(weft, folder):
    """What is wrong with CALLS."""
    found, path = [], pathlib.Path(folder) / "calls.cpp"
    path.write_text(HEAD.replace("ppl/ppl.h", "ppl.h") + CALLED)
    for action, arguments, code, parts in CALLS:
        result = subprocess.run([weft, "ppl", action, str(path), *arguments], capture_output=True, text=True, timeout=120)
        output = result.stdout + result.stderr
        if result.returncode != code:
            found.append(f"{action} {arguments}: exit code {result.returncode}, must be {code}: {output.strip()[-300:]}")
        found += [f"{action} {arguments}: the output lacks '{part}': {output.strip()[-300:]}" for part in parts if part not in output]
    return found


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
        found += check_calls(weft, folder) + check_broken(weft, folder) + check_followed(weft, folder) + check_no_kernel(weft, folder) + check_arrays(weft, folder) + check_refused_arrays(weft, folder) + check_long_arrays(weft, folder) + check_infinite_arrays(weft, folder)
        # A chip without commands: the functions as recorded, and no bmodel.
        kernel = str(pathlib.Path(folder) / "interpreted.cpp")
        build = [weft, "ppl", "build", kernel, "--target", "bm1690"]
        for arguments, code, part in ([["--mlir"], 0, "ppl.tiu.fadd"], [["-o", f"{folder}/k.bmodel"], 2, "makes no commands for bm1690"]):
            result = subprocess.run([*build, *arguments], capture_output=True, text=True, timeout=120)
            if result.returncode != code or part not in result.stdout + result.stderr:
                found.append(f"build {arguments[0]}: exit code {result.returncode}, must be {code} with '{part}': {result.stderr[-300:]}")
    for line in found:
        print(line)
    print(f"{len(CASES) + len(CALLS) + len(BROKEN)} cases, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
