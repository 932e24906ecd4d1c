"""What the program `weft` tells of files as JSON, as dicts."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy

from . import _calibrate, _native
from ._model import Model
from ._native import WeftError
from ._part import Part


def _said(stderr, what):
    """The texts of lines `weft: WHAT: text`."""
    start = f"weft: {what}: "
    return [line[len(start):] for line in stderr.splitlines()
            if line.startswith(start)]


def _run(arguments, files):
    """The JSON that `weft` prints. What it compares or checks may have failed;
    everything else that goes wrong is a WeftError."""
    command = [str(_native.find_program()), *map(os.fsdecode, arguments),
               "--json"]
    # Where onnxruntime is installed, if it is.
    environment = {"WEFT_PYTHON": sys.executable, **os.environ}
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment)
    stderr = done.stderr.decode("utf-8", "replace")
    if done.returncode in (0, 1):
        with contextlib.suppress(ValueError):
            result = json.loads(done.stdout)
            for line in _said(stderr, "warning"):
                _calibrate.warn(files.in_words(line))
            return files.in_python(result)
    lines = _said(stderr, "error") or [stderr.strip() or "weft ended with code "
                                       f"{done.returncode} and said nothing"]
    raise WeftError(files.in_words("\n".join(lines)))


class _Files:
    """Paths for what the program reads: bytes and arrays become files of a
    temporary folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.named = {}  # what the user calls these files
        self.samples = {}  # their numbers, by path

    def in_words(self, text):
        """A text without the paths of these files."""
        for path, number in self.samples.items():
            text = text.replace(path, f"sample {number}")
        for path, name in self.named.items():
            text = text.replace(path, name)
        return text

    def in_python(self, told):
        """JSON with the numbers of samples in place of their paths."""
        if isinstance(told, dict):
            return {key: self.in_python(one) for key, one in told.items()}
        if isinstance(told, list):
            return [self.in_python(one) for one in told]
        if not isinstance(told, str):
            return told
        number = self.samples.get(told)
        return self.in_words(told) if number is None else number

    def path(self, source, name):
        """Of a path, bytes or a Model."""
        if isinstance(source, Model):
            source = source.source
        if isinstance(source, (bytes, bytearray)):
            file = self.folder / name
            file.write_bytes(source)
            self.named[str(file)] = "<bytes>"
            return file
        if not _native.is_path(source):
            raise WeftError(f"{type(source).__name__} is no {name}; give the "
                            "path of a file, bytes or a Model")
        return _not_an_option(source)

    def arrays(self, arrays, name):
        """An npz archive of a dict."""
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        with _archive(file) as archive:
            for key, array in arrays.items():
                archive(key, array)
        return file


@contextlib.contextmanager
def _archive(path):
    """A function that writes an array under a name; unlike numpy.savez it takes
    every name, also those of savez's own parameters."""
    with zipfile.ZipFile(path, "w") as file:
        def add(name, array):
            with file.open(name + ".npy", "w", force_zip64=True) as member:
                numpy.lib.format.write_array(member, numpy.asanyarray(array),
                                             allow_pickle=False)
        yield add


def _not_an_option(path):
    """A path that the program takes for one, and not for stdin."""
    path = os.fsdecode(path)
    return os.path.join(os.curdir, path) if path[:1] == "-" else path


def _flags(**values):
    """`name=value` as options; None and False: left out, a dict: KEY=VALUE."""
    for name, value in values.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif isinstance(value, dict):
            for key, one in value.items():
                yield f"{option}={key}={one}"
        elif value is not None and value is not False:
            text = os.fsdecode(value) if _native.is_path(value) else value
            yield f"{option}={text}"


@contextlib.contextmanager
def _files():
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        yield _Files(folder)


def info(program, *, check=False):
    """What is in a bmodel or a .zyp program, a path, bytes or a Model: nets, tensors
    (`type`, `shape`, `bytes`), sizes, commands, DRAM traffic of a run in bytes.
    The object of `weft info --json` (docs/cli.md has its keys).

    `check`: also `rules` and `races`, whether every command keeps the
    hardware's rules and waits where it must. Raises WeftError for a file that
    is none.
    """
    with _files() as files:
        return _run(["info", files.path(program, "program"),
                     *_flags(check=check)], files)


def profile(program, *, net=None, stage=None, html=None):
    """Where the cycles of a bmodel, a path, bytes or a Model, go, predicted without a
    run: `total_cycles`, `seconds`, engines, instructions, ONNX nodes, DRAM in
    bytes, local memory. The object of `weft profile --json` (docs/profile.md).

    `net`, `stage`: which, if there are several. `html`: path of a page with the
    timeline that is written, too.
    """
    with _files() as files:
        return _run(["profile", files.path(program, "program"),
                     *_flags(net=net, stage=stage, html=html)], files)


def explain(program, *, net=None, stage=None):
    """Why a bmodel, a path, bytes or a Model, is as it is: groups of layers, values in
    DRAM, choices with their prices. The object of `weft explain --json`
    (docs/explain.md). A WeftError for files without a debug map."""
    with _files() as files:
        return _run(["explain", files.path(program, "program"),
                     *_flags(net=net, stage=stage)], files)


def _sample_dicts(data, model):
    """Dicts of arrays, one for each sample."""
    # Of several stages an array's shape does not tell how many samples it is.
    inputs = model.inputs if len(model.stages) == 1 else None
    items, _ = _calibrate.items(data)
    for item in items:
        if not isinstance(item, dict) and len(model.inputs) == 1:
            item = {next(iter(model.inputs)): item}
        if inputs is None and isinstance(item, dict):
            yield {name: numpy.asarray(array) for name, array in item.items()}
        else:
            for sample in _calibrate.samples(item, inputs or model.inputs,
                                             strict=False):
                yield dict(zip(model.inputs, sample))


def _data_flags(data, program, net, files):
    """--input for one sample, --data for several; and how many there are."""
    if _native.is_path(data):
        path = _not_an_option(data)
        return [f"{'--data' if os.path.isdir(path) else '--input'}={path}"]
    count = 0
    for count, sample in enumerate(
            _sample_dicts(data, Model(program, net=net)), 1):
        path = files.arrays(sample, f"samples/{count - 1:06}.npz")
        files.samples[str(path)] = count - 1
    if not count:
        raise WeftError("no samples: the data are empty; give at least one")
    return [f"--input={path}" if count == 1 else f"--data={path.parent}"]


def compare(model, program, data, *, reference=None, per_layer=False,
            bisect=False, reproducer=None, html=None, certify=False,
            limits=None, layer_limits=None, constant_inputs=False, task=None,
            min_agreement=None, labels=None, ctc_blank=None, no_limits=False,
            bind=None, plugins=(), inputs=None, outputs=None,
            calibration=None, net=None,
            device="emulator", bmrt_library=None):
    """How near a program (a path, or what `convert` returned) is to the ONNX
    file `model`, or to another program given as that. A program may be a Model,
    too. The object of
    `weft compare --json` (docs/cli.md has its keys): `passed` says whether all
    limits hold, `outputs` has `cosine`, `sqnr_db`, `max_error`, ... of each
    output. A comparison that fails is no exception; what cannot be compared is
    a WeftError.

    `data`: one sample or several: an array for a program of one input, a dict
    of arrays by input name, an iterable of either, a function that returns one
    of these, or the path of an .npz file or of a folder of them. An array is a
    sample, several one after the other along the first axis, or a stack of
    samples. Of several the object has `samples` and figures over all, and names
    one by its number from 0 (of a folder by its path).
    `reference`: "onnxruntime", the path of an .npz file, or a dict of arrays by
    ONNX value name.
    `per_layer`: also `layers`, the values inside. `bisect`: also `bisection`,
    what is wrong and why; `reproducer`: a path for the nodes that are wrong.
    `html`: path of a page that is written. `certify`: a program that passes
    gets a certificate in its file.
    `limits`, `layer_limits`: dicts in place of the limits of docs/limits.md,
    {"cosine": 0.98}. `constant_inputs`: samples of one number are meant.
    `task` ("top1", "detection", "ctc", ...), `min_agreement`, `labels` (a path;
    samples that are no files are called 000000, 000001, ..), `ctc_blank`, `no_limits`: as those options of `weft compare`.
    `bind`, `plugins`, `inputs`, `outputs`: as for the conversion, where the
    program does not tell them; `calibration`: the path of its table, or the Calibration, where that is too long to lie in the program.
    """
    if certify and isinstance(getattr(program, "source", program),
                              (bytes, bytearray)):
        raise WeftError("certify writes into the program's file; give its path "
                        "in place of bytes")
    with _files() as files, _calibrate.table_path(calibration) as table:
        path = files.path(program, "program")
        if isinstance(reference, dict):
            reference = files.arrays(reference, "reference.npz")
        arguments = ["compare", files.path(model, "model"), path,
                     *_data_flags(data, path, net, files)]
        part = Part(bind=bind, plugins=plugins, inputs=inputs, outputs=outputs)
        arguments += [
            f"--bind={name}={files.arrays({name: array}, f'{at}.npz')}"
            for at, (name, array) in enumerate(part.constants.items())]
        arguments += [f"--{option}={name}" for option, names in (
            ("inputs", part.inputs), ("outputs", part.outputs))
            for name in names]
        arguments += [f"--plugin={os.fsdecode(plugin)}"
                      for plugin in part.plugins]
        return _run(arguments + list(_flags(
            reference=reference, per_layer=per_layer, bisect=bisect,
            reproducer=reproducer, html=html, certify=certify, limit=limits,
            layer_limit=layer_limits, constant_inputs=constant_inputs,
            task=task, min_agreement=min_agreement, labels=labels,
            ctc_blank=ctc_blank, no_limits=no_limits, calibration=table,
            net=net, device=device, bmrt_lib=bmrt_library)), files)
