"""Kinds of arrays: those of NumPy, and those of other libraries. A result is of the kind of the input.

An array in host memory is processed as a NumPy array that shares its memory. An array in GPU memory is processed in
place, by its address, on its device and stream.
"""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from typing import Any, Callable, NamedTuple, Optional


class Kind(NamedTuple):
    """How arrays of one library are made and given back."""

    name: str
    # An uninitialised array of (shape, NumPy dtype) on GPU number `index`; None: the kind is in host memory.
    empty: Optional[Callable[[tuple[int, ...], Any, int], Any]]
    # Converts a NumPy array, or an array that `empty` returned, to the result for the caller.
    give: Callable[[Any], Any]
    # The address of the stream that the library works on; None: CUDA's default stream.
    stream: Callable[[int], Optional[int]] = lambda index: None
    # Waits until an array in GPU memory is computed, where its library works on streams that it does not tell.
    wait: Callable[[Any], Any] = lambda array: None
    # A contiguous copy in another NumPy dtype of an array in GPU memory, on the library's stream.
    cast: Callable[[Any, Any], Any] = lambda array, dtype: _module("cupy").asarray(array).astype(dtype)
    # The address in GPU memory of an array that `empty` or `cast` returned.
    address: Callable[[Any], int] = lambda array: int(array.__cuda_array_interface__["data"][0])


def _module(name: str) -> Any:
    """A module of the library that an array is of, or of CuPy, which makes arrays for others."""
    module = sys.modules.get(name)
    if module is None:
        try:
            module = importlib.import_module(name)
        except ImportError as missing:
            raise TypeError(f"arrays of this kind require {name.partition('.')[0]}: {missing}") from missing
    return module


def _same(array: Any) -> Any:
    return array


def _numpy_give(array: Any) -> Any:
    return array if array.ndim else array[()]


NUMPY = Kind("NumPy", None, _numpy_give)

# ------------------------------------------------------------------------------ in host memory


def _torch_give(array: Any) -> Any:
    return _module("torch").from_numpy(array)


def _jax_give(array: Any) -> Any:
    return _module("jax.numpy").asarray(array)


HOST_KINDS = {
    "torch": Kind("PyTorch", None, _torch_give),
    "jax": Kind("JAX", None, _jax_give),
    "jaxlib": Kind("JAX", None, _jax_give),
}

# ------------------------------------------------------------------------------- in GPU memory


def _cupy_empty(shape: tuple[int, ...], dtype: Any, index: int) -> Any:
    cupy = _module("cupy")
    with cupy.cuda.Device(index):
        return cupy.empty(shape, dtype)


def _cupy_stream(index: int) -> Optional[int]:
    stream: int = _module("cupy").cuda.get_current_stream().ptr
    return stream


def _cupy_address(array: Any) -> int:
    address: int = array.data.ptr
    return address


@lru_cache(maxsize=None)
def _torch_dtype(dtype: Any) -> Any:
    return getattr(_module("torch"), dtype.name)


def _torch_empty(shape: tuple[int, ...], dtype: Any, index: int) -> Any:
    return _module("torch").empty(shape, dtype=_torch_dtype(dtype), device=f"cuda:{index}")


def _torch_cast(array: Any, dtype: Any) -> Any:
    return array.to(_torch_dtype(dtype))


def _torch_address(array: Any) -> int:
    address: int = array.data_ptr()
    return address


def _torch_stream(index: int) -> Optional[int]:
    stream: int = _module("torch").cuda.current_stream(index).cuda_stream
    return stream


def _numba_empty(shape: tuple[int, ...], dtype: Any, index: int) -> Any:
    cuda = _module("numba.cuda")
    with cuda.gpus[index]:
        return cuda.device_array(shape, dtype)


def _jax_gpu_give(array: Any) -> Any:
    return _module("jax.dlpack").from_dlpack(array)


_CUPY = Kind("CuPy", _cupy_empty, _same, _cupy_stream, address=_cupy_address)
# JAX's arrays cannot be written, so its results are made by CuPy and handed over; so are those of unknown libraries.
_JAX = Kind(
    "JAX", _cupy_empty, _jax_gpu_give, _cupy_stream, lambda array: array.block_until_ready(), address=_cupy_address
)

GPU_KINDS = {
    "cupy": _CUPY,
    "torch": Kind("PyTorch", _torch_empty, _same, _torch_stream, cast=_torch_cast, address=_torch_address),
    "numba": Kind("Numba", _numba_empty, _same),
    "jax": _JAX,
    "jaxlib": _JAX,
}


def library(x: Any) -> str:
    """The name of the library that an array is of."""
    return type(x).__module__.partition(".")[0]


def host_kind(x: Any) -> Kind:
    return HOST_KINDS.get(library(x), NUMPY)


def gpu_kind(x: Any) -> Kind:
    return GPU_KINDS.get(library(x), _CUPY)


def cupy_view(x: Any) -> Any:
    """The CuPy array that shares the memory of one that has DLPack alone."""
    return _module("cupy").from_dlpack(x)
