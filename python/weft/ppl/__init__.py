"""PPL in Python: kernels for TPUs as Python functions.

    import numpy as np
    from weft import ppl
    import weft.ppl.language as pl

    @ppl.jit
    def double(y, x, n, c, h, w):
        shape = [n, c, h, w]
        t = pl.dma.load(pl.gtensor(shape, pl.GLOBAL, x))
        pl.dma.store(pl.gtensor(shape, pl.GLOBAL, y), t + t)

    x = np.ones((1, 64, 8, 8), np.float32)
    y = np.empty_like(x)
    double[(1,)](y, x, *x.shape)

The manual's `import ppl` and `import ppl.language as pl` do as well.

Environment: CHIP (default bm1684x), MODE (cmodel: Weft's emulator; bmrt: the
vendor's runtime; interpreter).
"""

from ._jit import Kernel, Launch, autotiling, autotune, jit
from ._printed import Printed
from ._profile import Profile
from ._recorder import (OutOfMemory, PplAttributeError, PplError,
                        PplTypeError, PplWarning, chips, nearest)
from ._stepping import Stop
from ._tuning import Candidate, Config

__all__ = ["Candidate", "Config", "Kernel", "Launch", "OutOfMemory",
           "PplAttributeError", "PplError", "PplTypeError", "PplWarning",
           "Printed", "Profile", "Stop", "autotiling", "autotune", "chips",
           "jit"]


def __getattr__(name):
    if name == "language" or name.startswith("__"):
        raise AttributeError(name)  # import looks for it
    raise PplAttributeError(
        f"weft.ppl has no {name}" + nearest(name, __all__)
        + "; it has " + ", ".join(__all__) + ", and weft.ppl.language")
