"""Formulas over arrays, element by element (docs/ops/map.md). Order of all: ORDER.md 20."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, count, takewhile
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from pyweft import _contexts as contexts
from pyweft._native import ffi, lib
from pyweft._arrays import (
    BOOL,
    DTYPES,
    F16,
    FLAG,
    HOST,
    WITH_COMPLEX,
    Array,
    Operand,
    Parts,
    Shape,
    accumulator,
    argument,
    call,
    check_number,
    code_of,
    destination,
    dimensions,
    elements,
    give,
    host_value,
    is_contiguous,
    origin,
    shape_of,
)
from pyweft._calls import entry, give_result, give_scalar, input_of, leading, result_for, scalar_entry
from pyweft._errors import exception
from pyweft._reduction import COMPLEX_OF, real_dtype, reduction_of_values, result_code
from pyweft._scan import op_code
from pyweft._views import axes_of, parts_at, reduced_shape, view_at, view_of, with_parts

__all__ = ["expr", "map", "map_reduce", "map_scan"]

_OP_NAMES = takewhile(lambda name: name != "unknown", (ffi.string(lib.weft_op_name(op)).decode() for op in count()))
OPS = {name: op for op, name in enumerate(_OP_NAMES)}
_INTEGERS = {lib.WEFT_I32, lib.WEFT_I64, lib.WEFT_U32, lib.WEFT_U64}
_NULL = ffi.NULL
_F64 = lib.WEFT_F64
_EVALUATED = {lib.WEFT_F32, _F64, *_INTEGERS}
_VIEW = ffi.typeof("weft_view *")
_Axis = Union[None, int, tuple[int, ...]]
_CELLS = {float: (_F64, ffi.typeof("double *")), int: (lib.WEFT_I64, ffi.typeof("int64_t *"))}


@lru_cache(maxsize=256)
def _c_string(name: str) -> Any:
    return ffi.new("char[]", name.encode())


def _shape(arrays: dict[str, Any], shape: Optional[Shape]) -> tuple[int, ...]:
    """The one shape of all arrays; the one asked for, where there are none."""
    if not arrays:
        if shape is None:
            raise ValueError("no array is given; shape= is required")
        return dimensions(shape, "shape")
    first = next(iter(arrays))
    wanted: tuple[int, ...] = arrays[first].shape
    if shape is not None:
        raise ValueError(f"shape cannot be combined with arrays; {first} has shape {wanted}")
    for name, x in arrays.items():
        if x.shape != wanted:
            raise ValueError(f"{first} has shape {wanted} and {name} {x.shape}; they must be the same")
    return wanted


def _joined(x: tuple[int, ...], y: tuple[int, ...]) -> Optional[tuple[int, ...]]:
    """The shape to which two shapes are broadcast; None if there is none."""
    if len(x) < len(y):
        x, y = y, x
    joined = list(x)
    for k in range(-len(y), 0):
        if x[k] == 1:
            joined[k] = y[k]
        elif y[k] not in (1, x[k]):
            return None
    return tuple(joined)


def _broadcast(arrays: dict[str, Any], out: Any) -> tuple[int, ...]:
    """The shape to which all arrays are broadcast: that of `out`, if there is one."""
    of: tuple[int, ...] = ()
    for x in arrays.values():
        joined = of if x.shape == of else _joined(of, x.shape)
        if joined is None:
            raise _refusal(arrays)
        of = joined
    wanted = shape_of(out, of)
    if wanted != of and wanted != _joined(of, wanted):
        raise ValueError(f"out has shape {wanted}; it must be {of}, or a shape to which {of} can be broadcast")
    return wanted


def _refusal(arrays: dict[str, Any]) -> ValueError:
    """The error for arrays that cannot be broadcast, which names the first two of them."""
    name, x, other, y = next(
        (name, x.shape, other, y.shape)
        for (name, x), (other, y) in combinations(arrays.items(), 2)
        if _joined(x.shape, y.shape) is None
    )
    return ValueError(f"{name} has shape {x} and {other} {y}; they cannot be broadcast to one shape")


def _plain_shape(arrays: dict[str, Any], shape: Optional[Shape], out: Any) -> Optional[tuple[int, ...]]:
    """The shape of the values if weft_map can compute them: all arrays, and `out`, are contiguous and have it."""
    if shape is not None or (not arrays and out is None):
        of = _shape(arrays, shape)
    else:
        of = shape_of(next(iter(arrays.values()), out), ())
        for x in arrays.values():
            if x.shape != of or not is_contiguous(x):
                return None
    return of if out is None or (type(out) is np.ndarray and out.shape == of and out.flags.c_contiguous) else None


def _values_shape(arrays: dict[str, Any], shape: Optional[Shape], out: Any) -> tuple[int, ...]:
    """The shape of the values of a formula of views."""
    return _shape(arrays, shape) if shape is not None or (not arrays and out is None) else _broadcast(arrays, out)


def evaluation(codes: set[int], dtype: Any) -> int:
    """The type asked for; else that of the arrays, where they all have one that formulas are evaluated in, else f64."""
    if dtype is not None:
        return accumulator(dtype)
    return codes.pop() if len(codes) == 1 and codes <= _EVALUATED else int(_F64)


def stored(codes: set[int], dtype: Any) -> int:
    """The type asked for, or evaluation() of the arrays, for a result, which may be of float16 too."""
    is_half = codes == {lib.WEFT_F16} if dtype is None else np.dtype(dtype) == F16
    return int(lib.WEFT_F16) if is_half else evaluation(codes, dtype)


def check_scalars(scalars: dict[str, Any], code: int) -> None:
    """Raises ValueError for a whole number that the integer type which a formula is evaluated in does not have."""
    for name, number in scalars.items() if code in _INTEGERS else ():
        if not isinstance(number, float):
            check_number(number, DTYPES[code], name)


class _Bound(NamedTuple):
    """The operands of a formula."""

    rows: list[Any]  # the weft_binding of each name
    arrays: dict[str, Any]
    codes: set[int]  # the weft_dtypes of the arrays, those of complex numbers too
    scalars: dict[str, Any]
    complex_names: tuple[str, ...]
    on: Optional[Operand]


def _bind(values: dict[str, Any], strided: bool = False) -> _Bound:
    """Takes the values of a formula's names.

    A number, or an array without dimensions in host memory, is a scalar; any other value is an array. For functions
    of views (strided), arrays may have any strides, and if there are none, those without dimensions are returned."""
    rows: list[Any] = []
    complex_names: list[str] = []
    arrays, codes, scalars = {}, set(), {}
    points, point_codes = {}, set()
    on: Optional[Operand] = None
    on_point: Optional[Operand] = None
    for name, value in values.items():
        if type(value) in _CELLS and abs(value) < 2**63:  # saves a NumPy array
            code, cell = _CELLS[type(value)]
            scalars[name] = value
            rows.append((_c_string(name), code, _NULL, ffi.new(cell, value)))
            continue
        x, pointer, code, on_x = input_of(value, name, WITH_COMPLEX, strided)
        if type(code) is Parts:
            complex_names.append(name)
        if x.ndim or (on_x is not None and on_x.device):
            arrays[name] = x
            codes.add(code)
            rows.append((_c_string(name), code, pointer, _NULL))
            on = leading(on, on_x)
        else:
            scalars[name] = x.item()
            rows.append((_c_string(name), code, _NULL, pointer))
            if strided and hasattr(value, "ndim"):
                points[name] = x
                point_codes.add(code)
                on_point = leading(on_point, on_x)
    if points and not arrays:
        arrays, codes, on = points, point_codes, on_point
    return _Bound(rows, arrays, codes, scalars, tuple(complex_names), on)


def _type_of(bound: _Bound, dtype: Any, type_of: Any = evaluation) -> int:
    """The weft_dtype in which a formula of real numbers is evaluated, or that of the result, which type_of chooses
    (evaluation or stored)."""
    code: int = type_of(bound.codes, dtype)
    if code in _INTEGERS:
        check_scalars(bound.scalars, code)
    return code


def _type_of_parts(bound: _Bound, dtype: Any, is_complex: bool) -> int:
    """The weft_dtype in which a formula of complex numbers is evaluated; `dtype` is that of the values."""
    if dtype is not None:
        return accumulator(real_dtype(dtype, is_complex))
    codes = {int(code) for code in bound.codes}
    return int(lib.WEFT_F32) if codes in ({lib.WEFT_F32}, {lib.WEFT_F16}) else int(_F64)


def _with_views(rows: list[Any], arrays: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The views of arrays, and the weft_view_binding of each of the rows of _bind(), which points to them."""
    read = iter(arrays.values())
    views, bindings = [], []
    for name, kind, pointer, number in rows:
        view = _NULL
        if pointer is not _NULL:
            at = parts_at if type(kind) is Parts else view_at
            view = ffi.new(_VIEW, at(pointer, next(read), kind))
            views.append(view)
        bindings.append((name, view, kind, number))
    return views, bindings


def _of_shape(shape: tuple[int, ...]) -> Operand:
    """An operand that only has a shape."""
    y = Operand()
    y.array = np.broadcast_to(0, shape)
    return y


class expr:
    """A formula, compiled once for any number of calls and threads. Called with the values of its names.

    formula  In order of rising precedence, as in C: c ? x : y (both are computed), ||, &&, == !=, < <= > >=, + -, * /,
             unary - + !, and x ^ y, the power, which binds from the right and tighter than a minus before it; ** is
             the same. abs min max floor sqrt fma exp log sin cos pow erf; numbers; i, the element's index; any other
             word is the name of an array or a number. For complex numbers + - * / ^, ==, !=, ?: with a real condition,
             abs, exp; re, im, conj, and complex(x, y)
    An invalid formula raises ValueError, with a caret under the error. The arguments of calls are those of weft.map and
    weft.map_reduce. Each operation rounds once: a*b + c twice, fma(a, b, c) once. Order: ORDER.md 20.

    >>> f = weft.expr("a*z^2 + b")
    >>> f.names
    ('a', 'z', 'b')
    >>> f(z=[1.0, 2.0, 3.0], a=10, b=1)
    array([11., 41., 91.])
    >>> f.reduce("sum", z=[1.0, 2.0, 3.0], a=10, b=1)
    np.float64(143.0)
    """

    def __init__(self, formula: str, /) -> None:
        if not isinstance(formula, str):
            raise TypeError(f"the formula is a {type(formula).__name__}; it must be a str")
        if "\0" in formula:
            raise ValueError(f"the formula {formula!r} contains a NUL")
        self.formula = formula
        self._compiled = self._compile(())
        self._is_complex = bool(lib.weft_expr_is_complex(self._compiled))
        self._compiled_of: dict[tuple[str, ...], Any] = {(): self._compiled}  # by the names of complex operands
        variables = range(lib.weft_expr_variable_count(self._compiled))
        self.names = tuple(ffi.string(lib.weft_expr_variable(self._compiled, at)).decode() for at in variables)

    def _compile(self, complex_names: tuple[str, ...]) -> Any:
        """Compiles the formula for complex operands of these names."""
        place = ffi.new("weft_expr **")
        names = [_c_string(name) for name in complex_names]
        text = self.formula.replace("**", "^").encode()
        contexts.call(lib.weft_expr_compile_complex, None, text, names, len(names), place)
        return ffi.gc(place[0], lib.weft_expr_free)

    def _compile_for(self, complex_names: tuple[str, ...]) -> Any:
        """The compiled formula of operands of which those of these names are complex."""
        compiled = self._compiled_of.get(complex_names)
        if compiled is None:
            compiled = self._compiled_of[complex_names] = self._compile(complex_names)
        return compiled

    def __repr__(self) -> str:
        return f"weft.expr({self.formula!r})"

    def __reduce__(self) -> tuple[type[expr], tuple[str]]:
        """Copies, and what is unpickled, are compiled anew from the formula."""
        return type(self), (self.formula,)

    def __call__(
        self,
        /,
        *,
        dtype: Any = None,
        shape: Optional[Shape] = None,
        out: Optional[Array] = None,
        device: Optional[str] = None,
        **bindings: Any,
    ) -> Any:
        """As weft.map of the formula."""
        if dtype is not None and np.dtype(dtype) == BOOL:
            return self._truths(bindings, shape, out, device)
        bound = _bind(bindings, strided=shape is None)
        if bound.complex_names or self._is_complex:
            return self._map_complex(bound, dtype, shape, out, device)
        rows, arrays, on = bound.rows, bound.arrays, bound.on
        code = _type_of(bound, dtype, stored)
        of = _plain_shape(arrays, shape, out)
        if of is None:
            return self._map_views(self._compiled, code, bound, DTYPES[code], shape, out, device)
        y, target = result_for(on, out, DTYPES[code], of)
        run, context = entry(lib.weft_map, on, device)
        status = run(context, self._compiled, code, elements(of), rows, len(rows), target)
        if status:
            raise exception(status, context)
        return give_result(y, out)

    def _map_complex(
        self, bound: _Bound, dtype: Any, shape: Optional[Shape], out: Optional[Array], device: Optional[str]
    ) -> Any:
        """As weft.map of the formula, whose operands or values are complex."""
        compiled = self._compile_for(bound.complex_names)
        is_complex = bool(lib.weft_expr_is_complex(compiled))
        code = _type_of_parts(bound, dtype, is_complex)
        result = COMPLEX_OF[DTYPES[code]] if is_complex else DTYPES[code]
        return self._map_views(compiled, code, bound, result, shape, out, device)

    def _map_views(
        self,
        compiled: Any,
        code: int,
        bound: _Bound,
        result: Any,
        shape: Optional[Shape],
        out: Optional[Array],
        device: Optional[str],
    ) -> Any:
        """As weft.map of the formula, compiled for what _bind returned."""
        arrays = bound.arrays
        of = _values_shape(arrays, shape, out)
        views, bindings = _with_views(bound.rows, arrays)
        leads = bound.on or (None if views else origin(out, result, strided=True)) or HOST
        y = destination(leads, out, result, of, strided=True, in_place=True, inputs=[*arrays.values()])
        y.code = code
        call(lib.weft_map_views, leads, device, compiled, code, bindings, len(bindings), with_parts(y))
        return give(y, out)

    def _truths(
        self, bindings: dict[str, Any], shape: Optional[Shape], out: Optional[Array], device: Optional[str]
    ) -> Any:
        """map() with dtype=bool: the values, in a temporary array, and then the reduction "any" of each of them."""
        bound = _bind(bindings, strided=True)
        _, arrays, _, _, complex_names, on = bound
        if lib.weft_expr_is_complex(self._compile_for(bound.complex_names)):
            raise TypeError("dtype is bool, but the values of the formula are complex")
        code = _type_of_parts(bound, None, False) if complex_names else _type_of(bound, None)
        plain = shape is not None or (not arrays and out is None)
        of = _shape(arrays, shape) if plain else _broadcast(arrays, out)
        leads = on or (None if arrays else origin(out, BOOL, strided=True)) or HOST
        values = destination(leads, None, DTYPES[code], of)
        self(dtype=DTYPES[code], out=argument(values), device=device, **bindings)
        y = destination(leads, out, BOOL, of, strided=True, inputs=[])
        call(lib.weft_reduce_axes, leads, device, lib.WEFT_ANY, 0, view_of(values, code), 0, [], view_of(y, FLAG))
        return give(y, out)

    def reduce(
        self,
        op: str,
        /,
        *,
        axis: _Axis = None,
        keepdims: bool = False,
        dtype: Any = None,
        accumulate: Any = None,
        shape: Optional[Shape] = None,
        out: Optional[Array] = None,
        device: Optional[str] = None,
        **bindings: Any,
    ) -> Any:
        """As weft.map_reduce of the formula."""
        which = code_of(OPS, op, "op")
        bound = _bind(bindings, strided=axis is not None or keepdims)
        if axis is not None or keepdims or bound.complex_names or self._is_complex:
            return self._reduce_axes(which, axis, keepdims, dtype, accumulate, shape, out, device, bound)
        rows, arrays, on = bound.rows, bound.arrays, bound.on
        code = _type_of(bound, dtype)
        of = _shape(arrays, shape)
        _, result, wide = reduction_of_values(which, code, accumulate)
        on = on if shape is None else origin(out, result)
        run, context, y = scalar_entry(lib.weft_map_reduce, on, device, out, result)
        status = run(context, which, self._compiled, code, wide, elements(of), rows, len(rows), y[1])
        if status:
            raise exception(status, context)
        return give_scalar(y, out, result)

    def _reduce_axes(
        self,
        which: int,
        axis: _Axis,
        keepdims: bool,
        dtype: Any,
        accumulate: Any,
        shape: Optional[Shape],
        out: Optional[Array],
        device: Optional[str],
        bound: _Bound,
    ) -> Any:
        """As weft.map_reduce of the formula along axes. Of the array of its values there are parts at a time."""
        arrays = bound.arrays
        compiled = self._compile_for(bound.complex_names)
        is_complex = bool(lib.weft_expr_is_complex(compiled))
        if is_complex or bound.complex_names:
            code = _type_of_parts(bound, dtype, is_complex)
        else:
            code = _type_of(bound, dtype)
        if is_complex and which not in (lib.WEFT_SUM, lib.WEFT_MEAN):
            op = ffi.string(lib.weft_op_name(which)).decode()
            raise TypeError(f"the values of the formula are complex; of these there are sum and mean, not {op}")
        if axis is None and not keepdims:
            of = _shape(arrays, shape)
        else:
            of = dimensions(shape, "shape") if shape is not None else _broadcast(arrays, None)
        axes = axes_of(axis, _of_shape(of))
        if not isinstance(accumulate, str) or accumulate != "exact":
            accumulate = real_dtype(accumulate, is_complex)
        _, result, wide = reduction_of_values(which, code, accumulate)
        result = COMPLEX_OF[result] if is_complex else result
        views, bindings = _with_views(bound.rows, arrays)
        leads = bound.on or (None if views else origin(out, result, strided=True)) or HOST
        to = reduced_shape(_of_shape(of), axes, keepdims)
        y = destination(leads, out, result, to, strided=True, inputs=[*arrays.values()])
        y.code = result_code(which, code, wide)
        call(
            lib.weft_map_reduce_axes,
            *(leads, device, which, compiled, code, wide, len(of), of),
            *(bindings, len(bindings), len(axes), axes, with_parts(y)),
        )
        return give(y, out)

    def scan(
        self,
        op: str,
        /,
        *,
        exclusive: bool = False,
        init: Any = None,
        dtype: Any = None,
        accumulate: Any = None,
        shape: Optional[Shape] = None,
        out: Optional[Array] = None,
        device: Optional[str] = None,
        **bindings: Any,
    ) -> Any:
        """As weft.map_scan of the formula."""
        bound = _bind(bindings)
        if bound.complex_names or self._is_complex:
            what = bound.complex_names[0] if bound.complex_names else "the formula"
            raise TypeError(f"{what} is complex; map_scan takes real numbers")
        rows, arrays, on = bound.rows, bound.arrays, bound.on
        code = _type_of(bound, dtype)
        of = _shape(arrays, shape)
        which, wide = op_code(op), accumulator(accumulate)
        result = DTYPES[wide or code]
        on = on if shape is None else origin(out, result)
        y, target = result_for(on, out, result, of)
        kind, first = lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE, host_value(init, result, "init")
        run, context = entry(lib.weft_map_scan, on, device)
        status = run(context, which, kind, self._compiled, code, wide, elements(of), rows, len(rows), first, target)
        if status:
            raise exception(status, context)
        return give_result(y, out)


_compiled = lru_cache(maxsize=256)(expr)


def take_formula(formula: Union[str, expr]) -> expr:
    if isinstance(formula, str):
        return _compiled(formula)
    return formula if isinstance(formula, expr) else expr(formula)  # which refuses it


def map(
    formula: Union[str, expr],
    /,
    *,
    dtype: Any = None,
    shape: Optional[Shape] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
    **bindings: Any,
) -> Any:
    """Computes the formula for each element. help(weft.expr) describes the language, in which ^ or ** is the power.

    formula   a str, or a weft.expr
    bindings  for each of its names an array or a number; arrays have any strides and number types, float16 and complex
              ones too, and are broadcast to one shape
    dtype     that the formula is evaluated in and the result has: float32, float64, int32, int64, uint32 or uint64;
              float16: the formula is evaluated in float32, and each value of the result rounded once. None: that of
              the arrays, where they all have one of these, else float64. bool: False where the value of dtype=None
              (of float16: in float64) is 0; those values are stored in a temporary array.
              Complex values: complex64 or complex128; None: complex64 if all arrays are complex64 or float32, or
              float16, else complex128
    shape     of the result, for a formula without arrays
    out       of any strides; the arrays are broadcast to its shape. It may be one of the arrays, if it has the
              result's dtype, but on a GPU no complex one
    Integers wrap, x / y is cut towards zero there, x / 0 is 0, and no floats are taken. A formula's names dtype, shape,
    out and device cannot be bound. In the formula, i numbers the elements of the result in C order. The real and the
    imaginary part of complex values are two formulas. Order: ORDER.md 20 and 32.

    >>> weft.map("x < 0 ? 0 : sqrt(x)", x=[4.0, -1.0, 2.25])
    array([2. , 0. , 1.5])
    >>> weft.map("x < 1 || x > 3", x=[0.5, 2.0, 4.0], dtype=bool)
    array([ True, False,  True])
    >>> weft.map("2*i + 1", shape=4, dtype=np.int32)
    array([1, 3, 5, 7], dtype=int32)
    >>> weft.map("10*x + y", x=np.array([[1], [2]]), y=np.array([3, 4, 5]))
    array([[13, 14, 15],
           [23, 24, 25]])
    >>> weft.map("z*complex(cos(t), sin(t)) + 1", z=[2j, 1.0], t=0.0)
    array([1.+2.j, 2.+0.j])
    """
    return take_formula(formula)(dtype=dtype, shape=shape, out=out, device=device, **bindings)


def map_reduce(
    op: str,
    formula: Union[str, expr],
    /,
    *,
    axis: _Axis = None,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Any = None,
    shape: Optional[Shape] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
    **bindings: Any,
) -> Any:
    """Reduces the values of a formula, with the bits of weft.map followed by the reduction, without the array between.

    op           sum, prod, min, max, argmin, argmax, and, or, xor, any, all, count_nonzero, mean, norm1, norm2, norminf;
                 of complex values sum and mean
    formula      a str, or a weft.expr
    accumulate   np.float64 accumulates float32 in float64, and np.complex128 complex64; "exact" computes sum, mean, norm1
                 and norm2 of the values exactly and rounds once
    axis         an axis of the values, or a tuple of them; None: all, and arrays must have one shape. With axis= or
                 keepdims=True arrays may have any strides, and are broadcast as by weft.map
    keepdims     the result has length 1 along these axes
    out          an array of the result's shape and dtype
    All else as for weft.map; the names accumulate, axis and keepdims cannot be bound either. Order: ORDER.md 20, 32.

    >>> weft.map_reduce("mean", "a*z**2 + b*z + c", z=[1.0, 2.0, 3.0], a=1, b=2, c=3)
    np.float64(11.666666666666666)
    >>> weft.map_reduce("sum", "(x - y)^2", axis=1, x=[[1.0, 2.0], [3.0, 4.0]], y=[1.0, 1.0])
    array([ 1., 13.])
    """
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims, "accumulate": accumulate}
    return take_formula(formula).reduce(op, dtype=dtype, shape=shape, out=out, device=device, **options, **bindings)


def map_scan(
    op: str,
    formula: Union[str, expr],
    /,
    *,
    exclusive: bool = False,
    init: Any = None,
    dtype: Any = None,
    accumulate: Any = None,
    shape: Optional[Shape] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
    **bindings: Any,
) -> Any:
    """Scans the values of a formula, with the bits of weft.map followed by weft.scan, without the array between.

    op           sum, prod, min, max, and for integers and, or, xor
    formula      a str, or a weft.expr
    exclusive    y[i] ends before the value at i
    init         a number combined before the first value
    accumulate   the dtype of the result, as the dtype of weft.scan
    out          may be one of the arrays, if that and the result have the dtype that the formula is evaluated in
    All else as for weft.map, except that arrays must have one shape; the names accumulate, exclusive and init cannot
    be bound either. Order: ORDER.md 20.

    >>> weft.map_scan("sum", "max(x, 0)", x=[1.0, -5.0, 2.5])
    array([1. , 1. , 3.5])
    """
    return take_formula(formula).scan(
        op,
        exclusive=exclusive,
        init=init,
        dtype=dtype,
        accumulate=accumulate,
        shape=shape,
        out=out,
        device=device,
        **bindings,
    )
