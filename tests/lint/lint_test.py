#!/usr/bin/env python3
"""Plants one fault at a time into a small tree or its history; scripts/lint must name it, and must accept both without it."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lint"
GOOD_HEADER = "#ifndef WEFT_PASSES_A_H\n#define WEFT_PASSES_A_H\n\nint f(int x);\n\n#endif // WEFT_PASSES_A_H\n"
LONG_BODY = "int f(int x) {\n" + "  ++x;\n" * 90 + "  return x;\n}\n"
GOOD_CLASS = "class A {\npublic:\n" + "  int f(int x) {\n    ++x;\n    return x;\n  }\n" * 40 + "};\n"
PNG = "\udc89PNG\r\n\x1a\n"

# File, content, what lint must say (None: nothing).
FAULTS = [
    ("passes/B.cpp", '#include "codegen/emit/Emit.h"\n', "passes/ must not include codegen"),
    ("runtime/B.cpp", '#include "mlir/IR/Builders.h"\n', "runtime/ must not include mlir"),
    ("dialects/B.td", 'include "frontend/onnx/B.td"\n', "dialects/ must not include frontend"),
    ("codegen/B.cpp", "#include <google/protobuf/message.h>\n", "codegen/ must not include google"),
    ("passes/A.h", GOOD_HEADER.replace("PASSES_A", "OTHER"), "header guard"),
    ("passes/B.cpp", "int   f( int x ){return x;}\n", "not formatted"),
    ("passes/B.cpp", LONG_BODY, "function of 93 lines"),
    ("passes/B.cpp", "namespace a {\n" + LONG_BODY + "} // namespace a\n", "function of 93 lines"),
    ("passes/B.cpp", "struct A {\n  int f(int x) {\n" + "    ++x;\n" * 90 + "    return x;\n  }\n};\n",
     "function of 93 lines"),
    ("passes/B.cpp", "int f(int x,\n      int y) {\n" + "  ++x;\n" * 90 + "  return x;\n}\n", "function of 94 lines"),
    ("docs/b.md", "see /wo" + "rk/main\n", "place of one machine"),
    ("docs/b.md", "see .." + "/shared/x\n", "place of one machine"),
    ("scripts/b.py", "def f(:\n    pass\n", "Python syntax"),
    ("scripts/b", "#!/usr/bin/env bash\nif true; then\n", "shell syntax"),
    ("tools/a.js", "function a() {}\nfunction b() {}\n", None),
    ("tools/a.js", "function a() {}\nasync function a() {}\n", "'a' is already in a.js:1"),
    ("docs/b.md", "line\n" * 1001, "1001 lines"),
    ("docs/b.md", "blank \n", "white space at the end"),
    ("docs/b.md", "no newline", "no newline at the end"),
    ("wheel.whl", "PK\x03\x04\udcff", "not UTF-8 text"),
    ("wheel.whl", "PK\0", "not UTF-8 text"),
    ("docs/b.png", PNG, "not UTF-8 text"),
    ("docs/images/b.png", PNG, None),
    ("docs/images/b.png", "PK\0", "not a PNG file"),
    ("docs/images/b.png", PNG + "\0" * 150_000, "150008 bytes, a picture of the manual at most 150000"),
]

# Message of a commit, what lint must say of it (None: nothing).
MESSAGES = [
    ("[lint] Check the messages of commits\n\nNobody reads 90 columns.\n", None),
    ("[lint] Pass the base\n\nIt was fixed.\n\nSigned-off-by: A <a@b>\n", None),
    ("[lint] " + "Check " * 12 + "it\n\nWhy.\n", "the subject has 81 columns"),
    ("Check the messages\n\nWhy.\n", "must be '[area] Imperative sentence'"),
    ("[lint] check the messages\n\nWhy.\n", "must be '[area] Imperative sentence'"),
    ("[lint] Checks the messages\n\nWhy.\n", "'Checks' is not an imperative"),
    ("[lint] Added a check\n\nWhy.\n", "'Added' is not an imperative"),
    ("[lint] The messages of commits\n\nWhy.\n", "'The' is not an imperative"),
    ("[lint] WIP messages\n\nWhy.\n", "work in progress"),
    ("fixup! [lint] Check the messages\n\nWhy.\n", "work in progress"),
    ("[lint] Check the messages.\n\nWhy.\n", "full stop"),
    ("[lint] Check the messages\n", "no body"),
    ("[lint] Check the messages\n\nSigned-off-by: A <a@b>\n", "no body"),
]


def lint(tree, *options):
    return subprocess.run([sys.executable, tree / "scripts" / "lint", *options], capture_output=True, text=True)


def git(tree, *arguments):
    subprocess.run(["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, capture_output=True)


def make_tree(folder):
    (folder / "scripts").mkdir()
    (folder / "passes").mkdir()
    shutil.copy(SCRIPT, folder / "scripts" / "lint")
    shutil.copy(SCRIPT.parents[1] / ".clang-format", folder)
    (folder / "passes" / "A.h").write_text(GOOD_HEADER)
    (folder / "passes" / "A.cpp").write_text(GOOD_CLASS)
    subprocess.run(["git", "init", "-q", folder], check=True)


def wrongly_judged_messages():
    """One commit with each message behind a base, and a merge."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch)
        make_tree(tree)
        git(tree, "commit", "-q", "--allow-empty", "-m", "anything before the rules")
        git(tree, "tag", "base")
        for message, wanted in MESSAGES:
            git(tree, "checkout", "-q", "base")
            git(tree, "commit", "-q", "--allow-empty", "-m", message)
            result = lint(tree, "--since", "base")
            if result.returncode != (1 if wanted else 0) or (wanted or "") not in result.stdout:
                yield message, result
        git(tree, "checkout", "-q", "-b", "side", "base")
        git(tree, "commit", "-q", "--allow-empty", "-m", MESSAGES[0][0])
        git(tree, "checkout", "-q", "base")
        git(tree, "merge", "-q", "--no-ff", "-m", MESSAGES[1][0], "side")
        result = lint(tree, "--since", "base")
        if result.returncode != 1 or "a merge; rebase" not in result.stdout:
            yield "merge", result


def main():
    failed = 0
    for message, result in wrongly_judged_messages():
        failed += 1
        print(f"FAILED message {message!r}: exit {result.returncode}, got\n{result.stdout}{result.stderr}")
    for name, content, wanted in [(None, None, None)] + FAULTS:
        with tempfile.TemporaryDirectory() as scratch:
            tree = pathlib.Path(scratch)
            make_tree(tree)
            if name:
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_text(content, errors="surrogateescape", newline="")
            result = lint(tree)
        right = wanted in result.stdout and result.returncode == 1 if wanted else result.returncode == 0
        if not right:
            failed += 1
            print(f"FAILED {name}: wanted {wanted!r}, exit {result.returncode}, got\n{result.stdout}{result.stderr}")
    print(f"{len(FAULTS) + 1} trees and {len(MESSAGES) + 1} histories, {failed} judged wrongly")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
