"""Data-parallel primitives that give the same bits on every machine.

    >>> import pyweft as weft
    >>> weft.sum(np.array([1.5, -0.25, 3.0], np.float32))
    np.float32(4.25)

Arguments are NumPy arrays of any layout, lists, and arrays of CuPy, PyTorch, JAX and Numba, on a CPU or a GPU, without
copies. A result is an array of the same library as the input. Every function of arrays has the argument `device`, which
never changes a bit of a result. Errors are ValueError, TypeError, MemoryError or weft.Error, with the offending values.

ORDER.md of the sources defines the order of the rounding steps. Each docstring names its section.
"""

import typing as _typing

from pyweft._native import ffi as _ffi
from pyweft._native import lib as _lib
from pyweft import random as random
from pyweft import stream as stream
from pyweft._command import *
from pyweft._contexts import *
from pyweft._dot import *
from pyweft._errors import *
from pyweft._exact import *
from pyweft._heat import *
from pyweft._histogram import *
from pyweft._laplace import *
from pyweft._linear import *
from pyweft._map import *
from pyweft._match import *
from pyweft._ordered import *
from pyweft._price import *
from pyweft._quantiles import *
from pyweft._reduce import *
from pyweft._scan import *
from pyweft._scatter import *
from pyweft._segmented import *
from pyweft._select import *
from pyweft._signals import *
from pyweft._sort import *
from pyweft._take import *
from pyweft._transforms import *
from pyweft._views import *
from pyweft._threadpoolctl import register as _register

__version__: str = _ffi.string(_lib.weft_version()).decode()
order_version: int = _lib.weft_order_version()
_register(__version__)

# Type checkers take the same names from the imports: those in __all__ of each module.
if not _typing.TYPE_CHECKING:
    __all__ = sorted(name for name in globals() if not name.startswith("_"))
