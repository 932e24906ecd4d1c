#!/usr/bin/env python3
"""The types of weft.ppl.language for editors and mypy, from what it offers.

  stubs.py PYTHON_FOLDER NATIVE_FOLDER [--write]     fails if weft/ppl/language/__init__.pyi is stale, or if a stub that is written by
                                                     hand names what is not there or leaves out what is
"""
import ast
import inspect
import os
import pathlib
import re
import sys

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
import weft  # noqa: E402
import weft.ppl  # noqa: E402
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
    def description(self) -> Any: ...  # type, memory, layout, lane, shape and strides as the compiler has them
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


# Classes of which the stubs have all public methods; others are more than their users need.
WHOLE = (weft.ppl.Kernel, weft.ppl.Launch, weft.ppl.Stop, weft.ppl.Profile, pl.tensor, pl.pointer)


def sets_attribute(kind, name):
    """Whether the code of a class of ours assigns to an attribute of its objects."""
    return any(re.search(rf'\bself\.{name}\b|"{name}"\]', inspect.getsource(each)) for each in kind.__mro__ if each.__module__.startswith("weft"))


def compare_class(stated, kind):
    names = {}
    for each in stated.body:
        if isinstance(each, ast.AnnAssign):
            names[each.target.id] = hasattr(kind, each.target.id) or sets_attribute(kind, each.target.id)
        elif isinstance(each, ast.FunctionDef) and each.name != "__getattr__":  # of names that are made, as is_fp32
            names[each.name] = hasattr(kind, each.name)
    problems = [f"{stated.name} has no {name}" for name, is_there in names.items() if not is_there]
    if kind in WHOLE:
        problems += [f"{stated.name}.{name} is missing" for name, value in vars(kind).items()
                     if name[0] != "_" and (inspect.isfunction(value) or isinstance(value, property)) and name not in names]
    return problems


def compare(path, module):
    """What a stub says otherwise than its module, a text each."""
    stated, problems = ast.parse(path.read_text()).body, []
    classes = {each.name: each for each in stated if isinstance(each, ast.ClassDef)}
    functions = {each.name: each for each in stated if isinstance(each, ast.FunctionDef) and not each.decorator_list}
    names = classes.keys() | {each.name for each in stated if isinstance(each, ast.FunctionDef)}
    for name in sorted(name for name in names if name[0] != "_"):
        if not hasattr(module, name):
            problems.append(f"{name} is not there")
        elif name in classes:
            problems += compare_class(classes[name], getattr(module, name))
        elif name in functions:
            given = functions[name].args
            told = [each.arg for each in (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg) if each]
            parameters = inspect.signature(getattr(module, name)).parameters
            taken = [each.name for each in parameters.values()]
            if taken[-1:] != told[-1:] and any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
                taken = taken[:-1] + told[len(taken) - 1:]  # the stub names what goes on to others
            if told != taken:
                problems.append(f"{name} takes {taken}, not {told}")
    problems += [f"{name} is missing" for name in getattr(module, "__all__", ()) if name not in names and not inspect.ismodule(getattr(module, name))]
    return [f"{path}: {problem}" for problem in problems]


def main():
    folder = pathlib.Path(sys.argv[1])
    path = folder / "weft/ppl/language/__init__.pyi"
    if sys.argv[3:] == ["--write"]:
        path.write_text(stub())
    problems = [problem for module in (weft, weft.ppl, pl)
                for problem in compare(folder / module.__name__.replace(".", "/") / "__init__.pyi", module)]
    if path.read_text() != stub():
        problems.append(f"{path} is stale; run stubs.py {sys.argv[1]} {sys.argv[2]} --write")
    if problems:
        sys.exit("\n".join(problems))


main()
