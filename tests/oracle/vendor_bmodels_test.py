#!/usr/bin/env python3
"""Runs every vendor-compiled bmodel and compares the outputs with the recorded ones, byte for byte.

  vendor_bmodels_test.py WEFT FOLDER emulator|bmrt

The recorded outputs came from the vendor's runtime on the vendor's emulator, so `emulator` proves our loader and emulator,
and `bmrt` proves our driver of that runtime. Both again with a certificate behind the file (weft compare --certify). libbmrt is opened from WEFT_BMRT_LIB; without it the test fails.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

# These take quantized inputs. Their recorded runs fed the float samples cast (not scaled) to the stored type.
QUANTIZED_INPUTS = {"tiny_qio": np.int8, "tiny_qioa": np.int8, "tiny_qiof": np.float16}
EXPECTED_FILES = 18


def differences(found, wanted):
    """One line a difference between two dictionaries of arrays; bytes are compared, so -0 is not 0 and NaN is NaN."""
    if sorted(found) != sorted(wanted):
        return [f"outputs are {sorted(found)}, recorded are {sorted(wanted)}"]
    lines = []
    for name, array in wanted.items():
        other = found[name]
        if other.dtype != array.dtype or other.shape != array.shape:
            lines.append(f"{name} is {other.dtype}{other.shape}, recorded is {array.dtype}{array.shape}")
        elif other.tobytes() != array.tobytes():
            off = np.flatnonzero(other.view(np.uint8).reshape(-1) != array.view(np.uint8).reshape(-1))[0]
            index = off // array.dtype.itemsize
            lines.append(f"{name}: first difference at element {index}: {other.flat[index]!r}, "
                         f"recorded {array.flat[index]!r}; {np.sum(other != array)} of {array.size} differ")
    return lines


def check(weft, bmodel, device, scratch):
    name = bmodel.stem
    model = name.rsplit("_", 1)[0] if not name.startswith("tiny") else "tiny"
    inputs = dict(np.load(bmodel.with_name(f"{model}_input.npz")))
    if name in QUANTIZED_INPUTS:
        inputs = {key: x.astype(QUANTIZED_INPUTS[name]) for key, x in inputs.items()}
    np.savez(scratch / "in.npz", **inputs)
    output = scratch / f"{name}.npz"
    result = subprocess.run([weft, "run", bmodel, "--input", scratch / "in.npz", "--output", output,
                             "--device", device], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    if result.returncode != 0:
        return [f"exit code {result.returncode}: {result.stderr.strip()[-500:]}"]
    if result.stderr.strip():
        return [f"noise on standard error: {result.stderr.strip()[:500]}"]
    recorded = bmodel.with_name(f"{name}_output.npz")
    return differences(dict(np.load(output)), dict(np.load(recorded))) or check_certified(weft, bmodel, device, scratch, recorded)


def check_certified(weft, bmodel, device, scratch, recorded):
    """The same with a certificate behind the file."""
    if bmodel.stem in QUANTIZED_INPUTS:
        return []  # the recorded codes are no reference
    certified, output = scratch / "certified.bmodel", scratch / "certified.npz"
    shutil.copy(bmodel, certified)
    commands = (["compare", "none.onnx", certified, "--reference", recorded, "--certify"], ["run", certified, "--output", output, "--require-certificate"])
    for command in commands:
        result = subprocess.run([weft, *command, "--input", scratch / "in.npz", "--device", device], capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, timeout=120)
        if result.returncode != 0:
            return [f"{command[0]} {' '.join(command[4:])}: exit code {result.returncode}: {result.stderr.strip()[-500:]}{result.stdout[-500:]}"]
    if certified.stat().st_size <= bmodel.stat().st_size:
        return ["the certificate is missing"]
    return differences(dict(np.load(output)), dict(np.load(recorded)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("device", choices=["emulator", "bmrt"])
    args = parser.parse_args()
    library = os.environ.get("WEFT_BMRT_LIB", "")
    if args.device == "bmrt" and not pathlib.Path(library).is_file():
        sys.exit(f"the vendor's runtime is missing at '{library}'; run scripts/setup")
    bmodels = sorted(args.folder.glob("*.bmodel"))
    if len(bmodels) != EXPECTED_FILES:
        sys.exit(f"{len(bmodels)} bmodels in {args.folder}, must be {EXPECTED_FILES}")
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for bmodel in bmodels:
            found = check(args.weft, bmodel, args.device, pathlib.Path(scratch))
            failed += bool(found)
            print(f"{'FAILED' if found else 'equal '} {bmodel.stem}" + "".join(f"\n    {line}" for line in found))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
