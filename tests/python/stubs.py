#!/usr/bin/env python3
"""The types of weft.ppl.language for editors and mypy, from what it offers.

  stubs.py PYTHON_FOLDER NATIVE_FOLDER [--write]     fails if weft/ppl/language/__init__.pyi is stale
"""
import inspect
import os
import pathlib
import sys

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
import weft.ppl.language as pl  # noqa: E402

HEAD = '''# Made by tests/python/stubs.py PYTHON_FOLDER NATIVE_FOLDER --write; a test fails when it is stale.
import enum
from typing import Any, Optional, Sequence, Union

Shape = Sequence[int]

class dtype:
    name: str
    bits: int
    is_float: bool
    is_signed: bool
    is_pointer: bool
    @property
    def scalar(self) -> "dtype": ...
    def is_floating(self) -> bool: ...
    def is_int(self) -> bool: ...
    def __getattr__(self, name: str) -> Any: ...  # is_fp32() and so on

_Type = dtype

class pointer:
    dtype: _Type
    shape: tuple[int, ...]
    name: str
    def set_dtype(self, kind: Any) -> None: ...
    def __add__(self, elements: int) -> pointer: ...
    def __sub__(self, elements: int) -> pointer: ...

class tensor:
    dtype: _Type
    memory: int
    @property
    def shape(self) -> list[int]: ...
    @property
    def stride(self) -> list[int]: ...
    def view(self, shape: Optional[Shape] = None, stride: Optional[Shape] = None, dtype: Any = None, align_mode: Any = None) -> tensor: ...
    def sub_view(self, shape: Optional[Shape] = None, offset: Optional[Shape] = None, stride: Optional[Shape] = None) -> tensor: ...
    def set_dtype(self, kind: Any) -> None: ...
    def numpy(self) -> Any: ...
    def __getitem__(self, index: Any) -> tensor: ...
    def __setitem__(self, index: Any, value: tensor) -> None: ...  # of t[..] += x
'''
OPERATORS = "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv and rand iand or ror ior xor rxor ixor".split()


def parameters(signature):
    parts = []
    for each in signature.parameters.values():
        star = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(each.kind, "")
        if each.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parts and not any(part.startswith("*") for part in parts):
            parts.append("*")
        default = "" if each.default is inspect.Parameter.empty else " = ..."
        parts.append(f"{star}{each.name}: Any{default}")
    return ", ".join(parts)


def function(name, value, indent=""):
    """A function of Python, or of the catalog, which takes the forms of the manual."""
    own = inspect.isfunction(value)
    text = parameters(inspect.signature(value)) if own else "*args: Any, **kwargs: Any"
    first = "self, " if indent and text else "self" if indent else ""
    lines = [f"{indent}def {name}({first}{text}) -> Any: ..."]
    if not own:
        lines[0] += "  # " + value.__doc__.splitlines()[0]
    return lines


def stub():
    lines = [HEAD.rstrip()]
    lines += [f"    def __{name}__(self, other: Any) -> tensor: ..." for name in OPERATORS]
    lines += [f"    def __{name}__(self) -> tensor: ..." for name in ("neg", "pos", "abs", "invert")]
    lines += ["", "class constexpr: ..."]
    for kind in pl.ENUMERATIONS:
        lines += ["", f"class {kind.__name__}(enum.IntEnum):"] + [f"    {name} = {int(value)}" for name, value in kind.__members__.items()]
    for unit in ("tiu", "dma", "sdma", "hau"):
        lines += ["", f"class _{unit}:"]
        for name in dir(getattr(pl, unit)):
            lines += function(name, getattr(getattr(pl, unit), name), "    ")
        lines.append(f"{unit}: _{unit}")
    lines.append("")
    for name, value in sorted(vars(pl).items()):
        if name.startswith("_") or inspect.ismodule(value) or inspect.isclass(value) or name in ("tiu", "dma", "sdma", "hau", "ENUMERATIONS"):
            continue
        if inspect.isfunction(value):
            lines += function(name, value)
        else:
            lines.append(f"{name}: {type(value).__name__}")
    return "\n".join(lines) + "\n"


def main():
    path = pathlib.Path(sys.argv[1]) / "weft/ppl/language/__init__.pyi"
    if sys.argv[3:] == ["--write"]:
        path.write_text(stub())
    elif not path.exists() or path.read_text() != stub():
        sys.exit(f"{path} is stale; run stubs.py {sys.argv[1]} {sys.argv[2]} --write")


main()
