"""The vendor's encoder library (libbackend_bm1684x.so) as an oracle: which bytes does it emit for a kernel-level function?

The library is opened with lazy binding (it has symbols that nothing resolves) and initialised once; every call runs in a forked child,
because an argument that the library refuses ends its process.
"""
import _ctypes
import ctypes
import os
import pathlib
import select
import signal
import struct
import tempfile

GLOBAL_MEMORY_BYTES = 1 << 28  # address space only; nothing is executed
CALL_SECONDS = 20


class Dims4(ctypes.Structure):
    """n, c, h, w; also top, bottom, left, right of a padding."""
    _fields_ = [(axis, ctypes.c_int) for axis in "nchw"]


class Dims2(ctypes.Structure):
    """h, w."""
    _fields_ = [(axis, ctypes.c_int) for axis in "hw"]


class Variable(ctypes.Structure):
    """An operand that is a constant (kind 0) or a tensor (kind 1)."""
    _fields_ = [("kind", ctypes.c_int), ("bits", ctypes.c_uint32)]

    def __repr__(self):
        return f"Variable({self.kind}, {self.bits:#x})"


def argument(value):
    """Python values by their C type: int as 64-bit register, float as C float, tuples of 4 or 2 as pointers to structures."""
    if value is None:
        return ctypes.c_void_p(None)
    if isinstance(value, float):
        return ctypes.c_float(value)
    if isinstance(value, Variable):
        return ctypes.byref(value)
    if isinstance(value, tuple):
        return ctypes.byref((Dims4 if len(value) == 4 else Dims2)(*value))
    return ctypes.c_uint64(int(value) & 0xFFFFFFFFFFFFFFFF)


class Refused(Exception):
    """The library ended its process, or gave nothing."""


class VendorEncoder:
    def __init__(self, folder):
        path = pathlib.Path(folder) / "lib" / "libbackend_bm1684x.so"
        if not path.is_file():
            raise SystemExit(f"the vendor's encoder is missing at '{path}'; run scripts/setup test")
        handle = _ctypes.dlopen(str(path), os.RTLD_LAZY | os.RTLD_GLOBAL)
        self.library = ctypes.CDLL(None, handle=handle)
        self._initialise()

    def _initialise(self):
        library = self.library
        library.cmodel_init.argtypes = [ctypes.c_int, ctypes.c_uint64]
        library.create_cmd_id_node.restype = ctypes.c_void_p
        library.backend_api_get_tpu_inst_size.restype = ctypes.c_uint64
        library.backend_api_get_tpu_inst_data.restype = ctypes.c_void_p
        library.cmodel_init(0, GLOBAL_MEMORY_BYTES)
        library.backend_api_set_core_info(0, 1)
        tiu, gdma, both = (ctypes.c_void_p(library.create_cmd_id_node()) for _ in range(3))
        library.enable_active_mode(True)
        library.set_id_node(both)
        library.set_ts_fe_cmd_id_ptr(gdma, tiu)
        library.load_lookup_tables()
        for node in (tiu, gdma, both):
            library.reset_cmd_id(node)
        library.allow_store_cmd()
        library.forbid_atomic_cmodel()
        library.tpu_set_id_node(both)
        self.node = both

    def _buffer(self, name):
        size = self.library.backend_api_get_tpu_inst_size(name)
        return ctypes.string_at(self.library.backend_api_get_tpu_inst_data(name), size) if size else b""

    def _child(self, function, values, out, complaints):
        os.dup2(complaints, 1)
        os.dup2(complaints, 2)
        getattr(self.library, function)(*[argument(value) for value in values])
        for name in (b"tiu:0:0", b"gdma:0:0"):
            data = self._buffer(name)
            os.write(out, struct.pack("<I", len(data)) + data)  # a few hundred bytes: less than a pipe holds
        os._exit(0)

    def emit(self, function, values):
        """The bytes that the function appends to the TIU and to the GDMA buffer. Raises Refused."""
        reading, writing = os.pipe()
        complaints = tempfile.TemporaryFile()
        child = os.fork()
        if child == 0:
            try:
                self._child(function, values, writing, complaints.fileno())
            finally:
                os._exit(1)
        os.close(writing)
        if not select.select([reading], [], [], CALL_SECONDS)[0]:
            os.kill(child, signal.SIGKILL)
        data = b""
        while part := os.read(reading, 1 << 16):
            data += part
        os.close(reading)
        os.waitpid(child, 0)
        if len(data) < 8:
            complaints.seek(0)
            raise Refused(complaints.read().decode(errors="replace").strip().split("\n")[0] or "no reason given")
        tiu = struct.unpack_from("<I", data)[0]
        return data[4:4 + tiu], data[8 + tiu:]
