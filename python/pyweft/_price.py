"""Prices of options by Monte Carlo simulation (docs/ops/price.md)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from pyweft import _contexts as contexts
from pyweft._native import ffi, lib
from pyweft._arrays import accumulator, code_of, unsigned

__all__ = ["Valuation", "price"]

_PAYOFFS = {
    "call": lib.WEFT_CALL,
    "put": lib.WEFT_PUT,
    "digital-call": lib.WEFT_DIGITAL_CALL,
    "digital-put": lib.WEFT_DIGITAL_PUT,
    "floating-call": lib.WEFT_FLOATING_CALL,
    "floating-put": lib.WEFT_FLOATING_PUT,
    "corridor": lib.WEFT_CORRIDOR,
}
_OBSERVED = {
    "end": lib.WEFT_OBSERVE_END,
    "mean": lib.WEFT_OBSERVE_MEAN,
    "geometric": lib.WEFT_OBSERVE_GEOMETRIC,
    "highest": lib.WEFT_OBSERVE_HIGHEST,
    "lowest": lib.WEFT_OBSERVE_LOWEST,
}
_BARRIERS = {
    None: lib.WEFT_NO_BARRIER,
    "up-out": lib.WEFT_UP_AND_OUT,
    "up-in": lib.WEFT_UP_AND_IN,
    "down-out": lib.WEFT_DOWN_AND_OUT,
    "down-in": lib.WEFT_DOWN_AND_IN,
}
_SCHEMES = {"exact": lib.WEFT_EXACT, "euler": lib.WEFT_EULER}

EachAsset = Union[float, Sequence[float]]  # a number is for all assets


class Valuation(NamedTuple):
    """Value of an option, estimated by a simulation."""

    price: float
    standard_error: float
    low: float  # the 95 % interval
    high: float
    # A number for each asset; empty without greeks=True.
    delta: tuple[float, ...]
    delta_error: tuple[float, ...]
    vega: tuple[float, ...]
    vega_error: tuple[float, ...]


def _each(assets: int, given: Any, name: str) -> Any:
    """A double for each asset, in memory that C can read; NULL for None."""
    if given is None:
        return ffi.NULL
    numbers = np.asarray(given, np.float64)
    if numbers.shape not in ((), (assets,)):
        raise ValueError(f"{name} has shape {numbers.shape}; it must be a number, or have one for each asset, {assets}")
    return ffi.from_buffer("double[]", np.full(assets, numbers))


def _correlation(assets: int, given: Any) -> Any:
    """The matrix, in memory that C can read; a number is that of each asset with each other."""
    if given is None:
        return ffi.NULL
    matrix = np.array(given, np.float64)
    if matrix.shape == ():
        matrix = np.where(np.eye(assets, dtype=bool), 1.0, matrix)
    if matrix.shape != (assets, assets):
        raise ValueError(f"correlation has shape {matrix.shape}; it must be a number, or ({assets}, {assets})")
    return ffi.from_buffer("double[]", np.ascontiguousarray(matrix))


def price(
    payoff: str,
    *,
    start: EachAsset,
    volatility: EachAsset,
    rate: float,
    maturity: float,
    strike: float = math.nan,
    observed: str = "end",
    barrier: Optional[str] = None,
    level: float = math.nan,
    width: float = math.nan,
    weights: Optional[EachAsset] = None,
    correlation: Any = None,
    scheme: str = "exact",
    steps: int = 100,
    paths: int = 1_000_000,
    seed: int = 1,
    antithetic: bool = False,
    control: bool = False,
    greeks: bool = False,
    scramblings: int = 0,
    fast_normals: bool = False,
    dtype: Any = np.float64,
    device: Optional[str] = None,
) -> Valuation:
    """The price of an option on assets that follow geometric Brownian motions, by Monte Carlo simulation: a NamedTuple
    of price, standard_error, low and high (the 95 % interval), delta, delta_error, vega and vega_error.

    payoff       with A observed of the basket B, the weighted sum of the assets: "call" max(A - strike, 0), "put",
                 "digital-call" 1 if A > strike, "digital-put", "floating-call" max(B - A, 0), "floating-put", and
                 "corridor" 1 if every asset ends within width * start of its start
    start        a number for each of up to 8 assets, as volatility and weights (None: 1 / assets each); a single
                 number applies to all assets
    observed     "end", "mean", "geometric", "highest", "lowest": of B at maturity, or over the ends of the steps
    barrier      "up-out", "up-in", "down-out", "down-in", at level
    correlation  a number, for all pairs, or a matrix; None: the assets are independent
    scheme       "exact" or "euler" steps, of equal length: maturity / steps
    antithetic   a path is the mean of one and its mirror image
    control      a control variate; not with greeks
    greeks       delta and vega of each asset too, which take 4 paths for each asset and path; else they are ()
    scramblings  0: random paths; 2, 4, ..., 1024: paths are Sobol points, of so many independent scramblings
    fast_normals normals as those of weft.random.normal_fast, which take less time; dtype must be float32
    dtype        of the paths: float32 or float64
    One seed gives the same normals in each call; the first paths of a long run are those of a short one.
    Order: ORDER.md 21.

    >>> v = weft.price("call", start=100, volatility=0.2, strike=105, rate=0.05, maturity=1, steps=1, paths=10000)
    >>> v.low < 8.0214 < v.high  # by Black and Scholes
    True
    """
    assets = max(np.size(given) for given in (start, volatility, 1.0 if weights is None else weights))
    lists = {
        "start": _each(assets, start, "start"),
        "volatility": _each(assets, volatility, "volatility"),
        "weights": _each(assets, weights, "weights"),
        "correlation": _correlation(assets, correlation),
    }
    option = {
        "size": ffi.sizeof("weft_option"),
        "payoff": code_of(_PAYOFFS, payoff, "payoff"),
        "observed": code_of(_OBSERVED, observed, "observed"),
        "barrier": code_of(_BARRIERS, barrier, "barrier"),
        "strike": strike,
        "level": level,
        "width": width,
        "rate": rate,
        "maturity": maturity,
        "assets": assets,
        **lists,
    }
    simulation = {
        "size": ffi.sizeof("weft_simulation"),
        "dtype": accumulator(np.dtype(dtype)),
        "scheme": code_of(_SCHEMES, scheme, "scheme"),
        "steps": unsigned(steps, "steps"),
        "paths": unsigned(paths, "paths"),
        "seed": unsigned(seed, "seed"),
        "antithetic": bool(antithetic),
        "control": bool(control),
        "greeks": bool(greeks),
        "scramblings": unsigned(scramblings, "scramblings"),
        "fast_normals": bool(fast_normals),
    }
    found = ffi.new("weft_valuation *", {"size": ffi.sizeof("weft_valuation")})
    contexts.call(
        lib.weft_price, device, ffi.new("weft_option *", option), ffi.new("weft_simulation *", simulation), found
    )
    kept = assets if greeks else 0
    lists_found = (tuple(one[0:kept]) for one in (found.delta, found.delta_error, found.vega, found.vega_error))
    return Valuation(found.price, found.standard_error, found.low, found.high, *lists_found)
