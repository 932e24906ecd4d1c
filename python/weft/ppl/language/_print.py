"""pl.device_print and pl.breakpoint: the values of tensors at a line of the
kernel.

The line of a device_print records a copy of the tensor to memory of its own, on every device and in
the order of the program; the text is made once the program has run.
"""

from .. import _recorder, _stepping
from .._printed import Copy, Printed
from . import _tensor, _types


def device_print(*values):
    """Prints tensors as they are at this line when the program runs, with texts
    and numbers among them: `pl.device_print("x", x)`. A first text with % is a
    format. launch.printed has the values as arrays."""
    program = _recorder.active()
    if not values:
        raise _recorder.PplTypeError("device_print() of nothing; give tensors, "
                                     "texts and numbers")
    parts = []
    for value in values:
        if isinstance(value, _tensor.pointer):
            raise _recorder.PplTypeError(
                f"device_print of {value!r}; give a tensor: "
                f"pl.gtensor(shape, pl.GLOBAL, {value.name})")
        parts.append(_copy(program, value) if _tensor.is_tensor(value)
                     else value)
    program.printed.append(Printed(
        _recorder.here(), program.get(_recorder.GET_BLOCK_INDEX), parts))


def _copy(program, tensor):
    copy = Copy(tensor.dtype, tensor.shape)
    address = program.print_memory(copy)
    if address is None:
        return copy  # of several cores: this recording counts them
    table = program.table
    number = table.make_tensor(
        table.self, _types.mtype.GLOBAL, tensor.dtype.code,
        _recorder.sizes(tensor.shape), int(_types.align_mode.CONTINUOUS), None,
        address, _recorder.here())
    program.check_recording()
    place = _tensor.tensor(program, number, tensor.dtype, tensor.shape,
                           _types.mtype.GLOBAL)
    name = "dma.store" if tensor.memory == _types.mtype.LOCAL else "dma.move"
    _tensor.call(_recorder.catalog()[name], {"dst": place, "src": tensor})
    return copy


def breakpoint():
    """Stops here: Python's debugger, or the function of kernel.debug(function),
    sees the values of tensors, x.numpy(). PYTHONBREAKPOINT=0 switches it
    off."""
    program = _recorder.active()
    if program.stepper:
        program.stepper.breakpoint(program)
    elif program.restarts and not _stepping.is_off():
        raise _stepping.Restart
