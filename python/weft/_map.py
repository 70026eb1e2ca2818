"""Formulas over arrays, element by element (docs/map.md). Order of all: ORDER.md 20."""

from __future__ import annotations

from functools import lru_cache
from itertools import count, takewhile
from typing import Any, NamedTuple, Optional, Union

from weft import _contexts as contexts
from weft._native import ffi, lib
from weft._arrays import (
    DTYPES,
    Array,
    Operand,
    Shape,
    accumulator,
    call,
    code_of,
    destination,
    dimensions,
    elements,
    give,
    give_scalar,
    host_value,
    leader,
    operand,
    origin,
    scalar_destination,
)
from weft._reduce import result_dtype
from weft._scan import op_code

_OP_NAMES = takewhile(lambda name: name != "unknown", (ffi.string(lib.weft_op_name(op)).decode() for op in count()))
OPS = {name: op for op, name in enumerate(_OP_NAMES)}
_EVALUATED = (lib.WEFT_F32, lib.WEFT_F64, lib.WEFT_I32, lib.WEFT_I64, lib.WEFT_U32, lib.WEFT_U64)


class _Bound(NamedTuple):
    """What a formula's names stand for."""

    table: Any  # of weft_binding
    keep: list[Any]  # what the table points to
    arrays: list[Operand]
    code: int  # the weft_dtype that the formula is evaluated in
    shape: tuple[int, ...]


def _shape(arrays: dict[str, Operand], shape: Optional[Shape]) -> tuple[int, ...]:
    """The one shape of all arrays; the one asked for, where there are none."""
    if not arrays:
        if shape is None:
            raise ValueError("no array is given; shape= says for how many elements the formula is meant")
        return dimensions(shape, "shape")
    shapes = {name: tuple(x.array.shape) for name, x in arrays.items()}
    first = next(iter(shapes))
    if shape is not None:
        raise ValueError(f"shape is for formulas without arrays; {first} has shape {shapes[first]}")
    for name, other in shapes.items():
        if other != shapes[first]:
            raise ValueError(f"{first} has shape {shapes[first]} and {name} {other}; they must be the same")
    return shapes[first]


def evaluation(codes: set[int], dtype: Any) -> int:
    """The type asked for; else that of the arrays, where they all have one that formulas are evaluated in, else f64."""
    if dtype is not None:
        return accumulator(dtype)
    return codes.pop() if len(codes) == 1 and codes <= set(_EVALUATED) else int(lib.WEFT_F64)


def _bind(values: dict[str, Any], dtype: Any, shape: Optional[Shape]) -> _Bound:
    """A number, or an array of no dimensions in host memory, is a scalar; all else are arrays."""
    given = {name: operand(value, name) for name, value in values.items()}
    arrays = {name: x for name, x in given.items() if x.device or x.array.ndim}
    table, keep = ffi.new("weft_binding[]", len(given)), [*given.values()]
    for binding, (name, x) in zip(table, given.items()):
        keep.append(ffi.new("char[]", name.encode()))
        binding.name, binding.dtype = keep[-1], x.code
        if name in arrays:
            binding.array = ffi.cast("void *", x.pointer)
        else:
            binding.scalar = ffi.cast("void *", x.pointer)
    listed = [*arrays.values()]
    return _Bound(table, keep, listed, evaluation({x.code for x in listed}, dtype), _shape(arrays, shape))


class expr:
    """A formula, compiled once for any number of calls and threads; called with what its names stand for.

    formula  In order of rising precedence, as in C: c ? x : y (both are computed), ||, &&, == !=, < <= > >=, + -, * /,
             unary - + !, and x ^ y, the power, which binds from the right and tighter than a minus before it; ** is
             the same. abs min max floor sqrt fma exp log sin cos pow erf; numbers; i, the element's index; any other
             word is the name of an array or a number
    What is no formula is a ValueError with a caret under the place. The arguments of calls are those of weft.map and
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
            raise ValueError(f"the formula {formula!r} has a NUL in it")
        place = ffi.new("weft_expr **")
        contexts.call(lib.weft_expr_compile, None, formula.replace("**", "^").encode(), place)
        self._compiled = ffi.gc(place[0], lib.weft_expr_free)
        self.formula = formula
        variables = range(lib.weft_expr_variable_count(self._compiled))
        self.names = tuple(ffi.string(lib.weft_expr_variable(self._compiled, at)).decode() for at in variables)

    def __repr__(self) -> str:
        return f"weft.expr({self.formula!r})"

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
        bound = _bind(bindings, dtype, shape)
        result = DTYPES[bound.code]
        on = leader(*bound.arrays) if bound.arrays else origin(out, result)
        y = destination(on, out, result, bound.shape)
        n = elements(bound.shape)
        call(lib.weft_map, on, device, self._compiled, bound.code, n, bound.table, len(bindings), y.pointer)
        return give(y, out)

    def reduce(
        self,
        op: str,
        /,
        *,
        dtype: Any = None,
        accumulate: Any = None,
        shape: Optional[Shape] = None,
        out: Optional[Array] = None,
        device: Optional[str] = None,
        **bindings: Any,
    ) -> Any:
        """As weft.map_reduce of the formula."""
        code = code_of(OPS, op, "op")
        bound = _bind(bindings, dtype, shape)
        result, wide = result_dtype(code, bound.code, accumulate)
        on = leader(*bound.arrays) if bound.arrays else origin(out, result)
        y = scalar_destination(on, out, result)
        call(
            lib.weft_map_reduce,
            on,
            device,
            code,
            self._compiled,
            bound.code,
            wide,
            elements(bound.shape),
            bound.table,
            len(bindings),
            y.pointer,
        )
        return give_scalar(y, out, result)

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
        bound = _bind(bindings, dtype, shape)
        code, wide = op_code(op), accumulator(accumulate)
        result = DTYPES[wide or bound.code]
        on = leader(*bound.arrays) if bound.arrays else origin(out, result)
        y = destination(on, out, result, bound.shape)
        call(
            lib.weft_map_scan,
            on,
            device,
            code,
            lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE,
            self._compiled,
            bound.code,
            wide,
            elements(bound.shape),
            bound.table,
            len(bindings),
            ffi.NULL if init is None else host_value(init, result, "init"),
            y.pointer,
        )
        return give(y, out)


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
    """The formula's value for each element; help(weft.expr) has the language, in which ^ or ** is the power.

    formula   a str, or a weft.expr
    bindings  for each of its names an array or a number; arrays have one shape and any number types
    dtype     that the formula is evaluated in and the result has: float32, float64, int32, int64, uint32 or uint64.
              None: that of the arrays, where they all have one of these, else float64
    shape     of the result, for a formula without arrays
    out       may be one of the arrays, if it has the result's dtype
    Integers wrap, x / y is cut towards zero there, x / 0 is 0, and no floats are taken. A formula's names dtype, shape,
    out and device cannot be bound. Order: ORDER.md 20.

    >>> weft.map("x < 0 ? 0 : sqrt(x)", x=[4.0, -1.0, 2.25])
    array([2. , 0. , 1.5])
    >>> weft.map("2*i + 1", shape=4, dtype=np.int32)
    array([1, 3, 5, 7], dtype=int32)
    """
    return take_formula(formula)(dtype=dtype, shape=shape, out=out, device=device, **bindings)


def map_reduce(
    op: str,
    formula: Union[str, expr],
    /,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    shape: Optional[Shape] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
    **bindings: Any,
) -> Any:
    """The formula's values reduced to one, with the bits of weft.map and then the reduction, but no array in between.

    op           sum, prod, min, max, argmin, argmax, and, or, xor, any, all, count_nonzero, mean, norm1, norm2, norminf
    formula      a str, or a weft.expr
    accumulate   np.float64 accumulates float32 in float64
    out          an array of shape () for the result
    All else as for weft.map; the name accumulate cannot be bound either. Order: ORDER.md 20.

    >>> weft.map_reduce("mean", "a*z**2 + b*z + c", z=[1.0, 2.0, 3.0], a=1, b=2, c=3)
    np.float64(11.666666666666666)
    """
    return take_formula(formula).reduce(
        op, dtype=dtype, accumulate=accumulate, shape=shape, out=out, device=device, **bindings
    )


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
    """The prefix scan of the formula's values, with the bits of weft.map and then weft.scan, but no array in between.

    op           sum, prod, min, max, and for integers and, or, xor
    formula      a str, or a weft.expr
    exclusive    y[i] ends before the value at i
    init         a number joined before everything
    accumulate   the dtype of the result, as the dtype of weft.scan
    out          may be one of the arrays, if that and the result have the dtype that the formula is evaluated in
    All else as for weft.map; the names accumulate, exclusive and init cannot be bound either. Order: ORDER.md 20.

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
