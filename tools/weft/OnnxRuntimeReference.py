"""What ONNX Runtime gives for an ONNX model: the child process of `weft compare --reference onnxruntime`.

  OnnxRuntimeReference.py FOLDER MODEL

Reads requests from stdin, a line of JSON in ASCII each, and answers each with such a line on stdout; arrays go through files in FOLDER, which is
removed at the end, also where weft ends before.

  {"layers": BOOL, "outputs": [NAME, ..]}  -> {"version": TEXT} (no names: the model's own outputs); then
  {"inputs": [NAME, ..], "empty": [NAME, ..]}  -> {"values": [[NAME, IS_OUTPUT], ..]}: arrays 0.. of inputs.npz to arrays 0.. of outputs.npz

A problem is {"missing": MODULE, "problem": TEXT} or {"problem": TEXT}. Files and names are never looked for in one another: names of ONNX hold
any character. Nothing but NumPy and ONNX Runtime is needed: what has to be read and changed in a model is done on its protobuf bytes.
"""
import json
import mmap
import os
import re
import select
import shutil
import sys
import threading

# ONNX's numbers of types that NumPy lacks, by what ONNX Runtime calls them.
NARROW = {"tensor(bfloat16)": 16, "tensor(float8e4m3fn)": 17, "tensor(float8e4m3fnuz)": 18, "tensor(float8e5m2)": 19,
          "tensor(float8e5m2fnuz)": 20, "tensor(uint4)": 21, "tensor(int4)": 22}
# Types of values that are compared; of strings those of outputs, which are written as the file of a program's outputs has them.
COMPARED = re.compile(r"(optional\()?(seq\()?tensor\((?!string)")
STRINGS = re.compile(r"(optional\()?tensor\(string\)")
PLAIN = re.compile(r"tensor\((?!string)")  # what an OrtValue holds
FLOAT, INT32 = 1, 6
GRAPH, NODE, INITIALIZER, OUTPUT = 7, 1, 5, 12  # fields of ModelProto and GraphProto


class Problem(Exception):
    """What the user can do something about."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data, at, end):
    """(number, value) of a protobuf message; messages, texts and bytes as (begin, end)."""
    while at < end:
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            value, at = (at, at + size), at + size
        else:
            value, at = None, at + {1: 8, 5: 4}[kind]
        yield key >> 3, value


def text(data, place):
    return data[place[0]:place[1]].decode()


class Model:
    """What is read from the bytes of a model."""

    def __init__(self, path):
        self.values = []   # that nodes give, in their order
        self.outputs = []
        self.external = False  # there are files beside the model
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for number, place in fields(data, 0, len(data)):
                if number == GRAPH:
                    self.read_graph(data, place)

    def read_graph(self, data, place):
        for number, inner in fields(data, *place):
            if number == NODE:
                node = list(fields(data, *inner))
                if ("Constant",) != tuple(text(data, where) for what, where in node if what == 4):
                    self.values += [text(data, where) for what, where in node if what == 2]
                self.read_constants(data, [where for what, where in node if what == 5])
            elif number == OUTPUT:
                self.outputs += [text(data, where) for what, where in fields(data, *inner) if what == 1]
            elif number == INITIALIZER:
                self.read_tensor(data, inner)

    def read_constants(self, data, attributes):
        """Tensors of attributes, and of the graphs in them."""
        for attribute in attributes:
            for number, place in fields(data, *attribute):
                if number in (5, 10):
                    self.read_tensor(data, place)
                elif number in (6, 11):
                    for what, inner in fields(data, *place):
                        if what == INITIALIZER:
                            self.read_tensor(data, inner)
                        elif what == NODE:
                            self.read_constants(data, [where for part, where in fields(data, *inner) if part == 5])

    def read_tensor(self, data, place):
        self.external |= any(number == 13 for number, _ in fields(data, *place))


def message(number, *contents):
    """A field of bytes, text or a message."""
    data = b"".join(part.encode() if isinstance(part, str) else part for part in contents)
    size, prefix = len(data), bytearray([number << 3 | 2])
    while size > 127:
        prefix.append(size & 127 | 128)
        size >>= 7
    return bytes(prefix) + bytes([size]) + data


def in_utf8(path):
    """None for a path that is not; Python may take it for any encoding."""
    try:
        return os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        return None


def cast(value, result, kind):
    attribute = message(5, message(1, "to"), bytes([3 << 3, kind, 0xA0, 1, 2]))  # i; 20: type INT
    return message(NODE, message(1, value), message(2, result), message(4, "Cast"), attribute)


class Runtime:
    """A session, and what becomes of its outputs."""

    def __init__(self, path, with_layers, wanted, folder):
        os.environ["TMPDIR"] = folder  # ONNX Runtime leaves a file there
        import numpy
        import onnxruntime
        self.numpy, self.onnxruntime, self.folder = numpy, onnxruntime, folder
        onnxruntime.disable_telemetry_events()
        onnxruntime.set_default_logger_severity(3)
        # Outputs of the session: name, and as which value of the model.
        if with_layers or wanted:
            model = self.read(path)
            outputs = wanted or list(dict.fromkeys(model.outputs))
            inner = [name for name in dict.fromkeys(model.values if with_layers else wanted) if name and name not in set(model.outputs)]
            self.session = self.open_with(path, model, b"".join(message(OUTPUT, message(1, name)) for name in inner))
        else:
            self.session, model = self.open_file(path), None
            outputs = [output.name for output in self.session.get_outputs()]
        self.outputs, self.is_part = set(outputs), bool(wanted)
        self.values = {output.name: output.name for output in self.session.get_outputs()
                       if (COMPARED.match(output.type) and with_layers)
                       or (output.name in self.outputs and (COMPARED.match(output.type) or STRINGS.match(output.type)))}
        narrow = {output.name: output.type for output in self.session.get_outputs() if output.name in self.values and output.type in NARROW}
        if narrow:
            self.widen(path, model or self.read(path), narrow)

    def read(self, path):
        try:
            return Model(path)
        except (OSError, ValueError, IndexError, KeyError, TypeError, RecursionError):
            self.open_file(path)  # says more about it
            raise Problem("it is no protobuf file of an ONNX model; leave --per-layer out") from None

    def widen(self, path, model, narrow):
        """Opens the model once more with casts behind values of types that NumPy lacks."""
        taken = set(model.values) | set(self.values)
        suffix, added = "_in_numpy", b""
        while any(name + suffix in taken for name in narrow):
            suffix += "_"
        for name, kind in narrow.items():
            wide = INT32 if "int" in kind else FLOAT
            added += cast(name, name + suffix, wide) + message(OUTPUT, message(1, name + suffix))
        inner = [name for name in self.values if name not in set(model.outputs) and name not in narrow]
        added += b"".join(message(OUTPUT, message(1, name)) for name in inner)
        self.session = self.open_with(path, model, added)
        self.values = {name + suffix if name in narrow else name: name for name in self.values}

    def open_with(self, path, model, added):
        """A copy of the model with more in its graph: of a message that comes twice, protobuf joins the parts."""
        end = message(GRAPH, added)
        if os.path.getsize(path) + len(end) > 2**31 - 1:
            raise Problem("it is too large for a copy in which all values are outputs (protobuf ends at 2 GiB); keep its weights in "
                          "files of their own (external data), or leave --per-layer out")
        if model.external:
            # The bytes, as they are few: ONNX Runtime leaves a model's folder for no file and no link.
            with open(path, "rb") as file:
                return self.open(file.read() + end, home=os.path.dirname(os.path.abspath(path)))
        target = os.path.join(self.folder, "model.onnx")
        shutil.copyfile(path, target)
        with open(target, "ab") as file:
            file.write(end)
        return self.open_file(target)

    def open_file(self, path):
        """ONNX Runtime takes names that are UTF-8; what has another is opened as bytes."""
        name = in_utf8(path)
        if name is not None:
            return self.open(name)
        try:
            with open(path, "rb") as file:
                model = file.read()
        except OSError as error:
            raise Problem(f"cannot open: {error.strerror}") from None
        return self.open(model, home=os.path.dirname(os.path.abspath(path)))

    def open(self, model, home=None):
        """A path or bytes; `home`: where files beside the model are."""
        options = self.onnxruntime.SessionOptions()
        options.graph_optimization_level = self.onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # the graph as it is written
        options.use_deterministic_compute = True
        if home:
            options.add_session_config_entry("session.model_external_initializers_file_folder_path",
                                             in_utf8(home) or f"/proc/self/fd/{os.open(home, os.O_RDONLY)}")
        try:
            return self.onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # its exceptions have no base of their own
            what = str(error).replace(os.path.join(self.folder, "model.onnx"), "the copy with all values as outputs")
            raise Problem(f"ONNX Runtime {self.onnxruntime.__version__} refuses the model: {what}") from error

    def value_of(self, array, kind):
        """`array` as an input of type `kind`; of narrow floats it has the values or the bits."""
        numpy, make = self.numpy, self.onnxruntime.OrtValue
        if kind == "tensor(bfloat16)" and array.dtype == numpy.float32:
            bits = (numpy.ascontiguousarray(array).view(numpy.uint32) >> 16).astype(numpy.uint16)
            return make.ortvalue_from_numpy_with_onnx_type(bits.reshape(array.shape), NARROW[kind])
        if kind and STRINGS.match(kind):
            return self.texts(array)
        if kind in NARROW and array.dtype == numpy.uint8:
            return make.ortvalue_from_numpy_with_onnx_type(array, NARROW[kind])
        return make.ortvalue_from_numpy(array)

    def texts(self, array):
        """Strings of their bytes, the last axis of `array`, with zeros behind."""
        texts = [row.tobytes().rstrip(b"\0").decode() for row in array.reshape(-1, array.shape[-1])]
        result = self.numpy.empty(len(texts), object)
        result[:] = texts
        return result.reshape(array.shape[:-1])

    def structured(self, arrays, empty):
        """Inputs that are sequences, of the arrays "S[0]", "S[1]" .. by name, and optionals; None is one without a value."""
        feeds = {}
        for value in self.session.get_inputs():
            if value.type.startswith("tensor(") or value.name in arrays:
                continue
            items = []
            while (name := f"{value.name}[{len(items)}]") in arrays:
                items.append(arrays[name])
            feeds[value.name] = None if value.type.startswith("optional(") and not items and value.name not in empty else items
        return feeds

    def results(self, feeds):
        """(value, name, array) of each tensor; of a sequence S the names are "S[0]", "S[1]" .."""
        if all(PLAIN.match(value.type) for value in self.session.get_inputs() + self.session.get_outputs()):
            results = self.session.run_with_ort_values(list(self.values), feeds)
            return [(name, name, value.numpy()) for name, value in zip(self.values.values(), results) if value.has_value()]
        given = []
        for name, value in zip(self.values.values(), self.session.run(list(self.values), feeds)):
            items = [(f"{name}[{i}]", item) for i, item in enumerate(value)] if isinstance(value, list) else [(name, value)]
            given += [(name, item, array.astype(str) if array.dtype == object else array) for item, array in items if array is not None]
        return given

    def run(self, names, empty):
        kinds = {value.name: value.type for value in self.session.get_inputs() + self.session.get_overridable_initializers()}
        unread = sorted({value.name for value in self.session.get_inputs() if value.type.startswith("tensor(")} - set(names))
        if unread and self.is_part:
            raise Problem(f"ONNX Runtime wants all inputs of the model, also {', '.join(map(repr, unread))}, of which the part that was converted "
                          "reads nothing; leave --reference out, or give a file")
        try:
            with self.numpy.load(os.path.join(self.folder, "inputs.npz")) as arrays:
                arrays = {name: arrays[str(index)] for index, name in enumerate(names)}
            lists = self.structured(arrays, empty)
            parts = {f"{name}[{i}]" for name, items in lists.items() for i in range(len(items or []))}
            feeds = {name: self.value_of(array, kinds.get(name)) for name, array in arrays.items() if name not in parts}
            given = self.results(feeds | lists)
        except Exception as error:
            raise Problem(f"ONNX Runtime {self.onnxruntime.__version__} cannot run the model: {error}") from error
        self.numpy.savez(os.path.join(self.folder, "outputs.npz"), **{str(index): array for index, (*_, array) in enumerate(given)})
        return [[item, name in self.outputs] for name, item, _ in given]


def answer(requests, folder, model):
    first = json.loads(next(requests, "null"))
    if first is None:
        return
    try:
        runtime = Runtime(model, first["layers"], first["outputs"], folder)
    except ImportError as error:
        yield {"missing": error.name or "onnxruntime", "problem": str(error)}
        return
    yield {"version": runtime.onnxruntime.__version__}
    for line in requests:
        request = json.loads(line)
        yield {"values": runtime.run(request["inputs"], request["empty"])}


def end_with_weft(folder):
    """Ends this process with the other one, also in the middle of a long run."""
    poll = select.poll()
    poll.register(0, select.POLLRDHUP)
    poll.poll()
    for _ in range(100):  # a run may put files into it meanwhile
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            break
    os._exit(1)


def main():
    folder, model = sys.argv[1:3]
    # What a library prints is no answer.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    threading.Thread(target=end_with_weft, args=[folder], daemon=True).start()
    try:
        try:
            for reply in answer(iter(sys.stdin.buffer.readline, b""), folder, model):
                print(json.dumps(reply), file=answers, flush=True)
        except Problem as problem:
            said = str(problem).encode("utf-8", "replace").decode("utf-8")  # names of files may be anything
            print(json.dumps({"problem": said}), file=answers, flush=True)
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
