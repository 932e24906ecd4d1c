"""The kernel that stepping_test.py steps through with pdb."""
import sys

import numpy as np
import ppl
import ppl.language as pl


@ppl.jit
def twice(y, x, stops):
    shape = [1, 2, 1, 4]
    t = pl.dma.load(pl.gtensor(shape, pl.GLOBAL, x))
    u = t + t
    if stops:
        pl.breakpoint()
    pl.dma.store(pl.gtensor(shape, pl.GLOBAL, y), u)


x = np.arange(8, dtype=np.float32)
y = np.empty_like(x)
(twice.debug() if sys.argv[1] == "debug" else twice)[(1,)](y, x, sys.argv[1] == "breakpoint")
print("ends", y[:3].tolist())
