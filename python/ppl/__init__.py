"""The name that the PPL manual imports: `import ppl`, `import ppl.language as
pl`. Everything in it is weft.ppl's, the same objects."""

from weft.ppl import *  # noqa: F401,F403
from weft.ppl import __all__, __getattr__, language  # noqa: F401
