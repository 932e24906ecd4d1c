#!/usr/bin/env python3
"""Builds the wheel of Weft from a build folder, with the standard library alone.

  weft_wheel.py BUILD OUTPUT      writes OUTPUT/weft-VERSION-py3-none-PLATFORM.whl

As a build backend (PEP 517) it takes the build folder from WEFT_BUILD_DIR, else ../build.
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# What every Linux that Python runs on has.
SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so(\.\d+)*$")


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(\s*\w+\s+VERSION\s+([\d.]+)", text, re.IGNORECASE).group(1)


def project():
    """Name, requirements and so on, from pyproject.toml, which has one line a field."""
    text = (HERE / "pyproject.toml").read_text()

    def field(name):
        return re.search(rf"^{name} = (.+)$", text, re.MULTILINE).group(1)

    return {"description": field("description").strip('"'), "python": field("requires-python").strip('"'),
            "dependencies": re.findall(r'"([^"]+)"', field("dependencies"))}


def needed_libraries(path):
    """Shared libraries that a program or library loads and that not every Linux has: name to path."""
    lines = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout.splitlines()
    found = {}
    for line in lines:
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match and not SYSTEM.match(match.group(1)):
            found[match.group(1)] = pathlib.Path(match.group(2))
    return found


def stripped(source, folder):
    """A copy without symbols that nobody needs to run it."""
    copy = pathlib.Path(folder) / source.name
    shutil.copy(source, copy)
    if shutil.which("strip"):
        subprocess.run(["strip", "--strip-unneeded", copy], check=True)
    return copy


def contents(build, folder):
    """Path in the wheel to path here."""
    files = {}
    for package in ("ppl", "weft"):
        for path in sorted((HERE / package).rglob("*")):
            if path.suffix in (".py", ".pyi") or path.name == "py.typed":
                files[path.relative_to(HERE).as_posix()] = path
    binaries = {"lib/libweft.so": build / "lib/libweft.so", "lib/libweft-compiler.so": build / "lib/libweft-compiler.so",
                "bin/weft": build / "bin/weft"}
    for name, path in binaries.items():
        if not path.exists():
            raise SystemExit(f"weft_wheel: {path} is missing; run scripts/build, or build the targets weft, WeftShared and WeftCompilerShared")
        files[f"weft/native/{name}"] = stripped(path, folder)
        for library, where in needed_libraries(path).items():
            files[f"weft/native/lib/{library}"] = where
    headers = sorted((build / "include/weft/ppl").glob("*.h"))
    if not (build / "include/weft/ppl/dma_rows.h").exists():
        raise SystemExit(f"weft_wheel: {build} has no kernel headers; run scripts/build, or build the target PplHeaders")
    for path in headers:
        files[f"weft/native/include/weft/ppl/{path.name}"] = path
    for path in sorted((build / "include/weft").glob("ppl*.h")):  # the names that the vendor's manual includes
        files[f"weft/native/include/weft/{path.name}"] = path
    for path in ("runtime/capi/weft.h", "runtime/capi/weft.hpp", "tools/capi/weft-compiler.h"):
        files[f"weft/native/include/{pathlib.Path(path).name}"] = ROOT / path
    return files


def metadata(release):
    facts = project()
    lines = ["Metadata-Version: 2.1", "Name: weft", f"Version: {release}", f"Summary: {facts['description']}",
             "License: Apache-2.0", f"Requires-Python: {facts['python']}"]
    return "\n".join(lines + [f"Requires-Dist: {name}" for name in facts["dependencies"]]) + "\n"


def build_into(build, output):
    """The wheel's file name."""
    release = version()
    platform = re.sub(r"[.-]", "_", sysconfig.get_platform())
    tag = f"py3-none-{platform}"
    info = f"weft-{release}.dist-info"
    name = f"weft-{release}-{tag}.whl"
    record = []
    # A wheel appears complete or not at all.
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(dir=output) as beside:
        files = contents(pathlib.Path(build).resolve(), folder)
        unfinished = pathlib.Path(beside) / name
        wheel = zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED)

        def add(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path, (2024, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")

        for path, source in files.items():
            data = source.read_bytes()
            if path == "weft/__init__.py":
                data = data.replace(b"@WEFT_VERSION@", release.encode())
            add(path, data, 0o755 if "/bin/" in path else 0o644)
        add(f"{info}/METADATA", metadata(release).encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: weft\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        add(f"{info}/entry_points.txt", b"[console_scripts]\nweft = weft._program:main\n")
        record.append(f"{info}/RECORD,,")
        wheel.writestr(f"{info}/RECORD", "\n".join(record) + "\n")
        wheel.close()
        unfinished.replace(pathlib.Path(output) / name)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return build_into(os.environ.get("WEFT_BUILD_DIR", ROOT / "build"), wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the wheel needs a build of Weft; there is no source distribution")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    pathlib.Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    print(build_into(sys.argv[1], sys.argv[2]))
