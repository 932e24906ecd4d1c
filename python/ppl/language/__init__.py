"""weft.ppl.language by the manual's name: importing it gives that module."""

import sys

import weft.ppl.language
from weft.ppl.language import *  # noqa: F401,F403

sys.modules[__name__] = weft.ppl.language
for _unit in ("tiu", "dma", "sdma", "hau"):
    sys.modules[f"{__name__}.{_unit}"] = getattr(weft.ppl.language, _unit)
