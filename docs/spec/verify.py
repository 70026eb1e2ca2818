#!/usr/bin/env python3
"""A second implementation of sum, dot, scan, matmul, random and price, written from ORDER.md alone. It is slow.

    verify.py VERB ARGUMENT...    computes with the arguments of `weft VERB`; prints the result, or writes an array
    verify.py RECEIPT.json        computes what a receipt of `weft receipt` describes. Exit code 0: all bits agree

Numbers in brackets are sections of ORDER.md. The types are f32, f64 and integers. Requires NumPy."""
import argparse
import hashlib
import io
import json
import math
import sys
from functools import partial, reduce
from pathlib import Path
import numpy as np
from verify_arithmetic import (F32, F64, LOW, TYPES, U64, add, add_product, erf, exp, fast_exp, fast_normals, fma,
                               log, pairs, philox, probit, sobol_halves, stored, tree, words)

# --------------------------------------------------------------------------------------------- sum, dot [3, 5]
def reduction(step, o, *arrays):
    a = TYPES.get(o.accumulate, arrays[0].dtype)
    if a.kind != "f":
        return np.sum(math.prod(x.astype(a.kind + "8") for x in arrays), dtype=a.kind + "8")
    return stored(tree(step, a, *(x.ravel("K") for x in arrays)) if arrays[0].size else 0.0, a)

def in_pairs(v):
    """Combines adjacent values level by level; an odd one goes to the next level unchanged [2.4]."""
    while len(v) > 1:
        even = len(v) // 2 * 2
        v = np.concatenate([v[:even:2] + v[1:even:2], v[even:]])
    return v[0]

def op_sum(o, x):
    if o.lanes is None or x.size == 0:
        return reduction(add, o, x)
    a = TYPES.get(o.accumulate, x.dtype)
    rows = np.full((-(-x.size // o.lanes), o.lanes), -0.0, a) # [3.4]
    rows.flat[:x.size] = x.ravel("K")
    return stored(in_pairs(in_pairs(rows)), a)

# ------------------------------------------------------------------------------------------------------- scan [6]
def op_scan(o, x):
    a = TYPES.get(o.accumulate, x.dtype)
    combine, initial = {"sum": (np.add, -0.0 if a.kind == "f" else 0), "prod": (np.multiply, 1)}[o.op]
    groups, values = [], x.ravel("K").astype(a) # in file order
    while len(values):
        v = np.zeros((-(-len(values) // 16), 16), a)
        v.flat[:len(values)] = values
        for w in 1, 2, 4, 8: # v[:, j] becomes G(v, j + 1) [6.2]
            v[:, w:] = combine(v[:, :-w], v[:, w:])
        groups.append((len(values), v))
        values = v[:len(values) // 16, 15]
    p = np.array([initial if o.init is None else o.init], a) # P of the level without elements [6.3]
    for n, v in reversed(groups):
        i, d = np.divmod(np.arange(n + 1), 16)
        p = np.where(d == 0, p[i], combine(p[i], v[np.minimum(i, len(v) - 1), d - 1]))
    if o.exclusive and o.init is None and o.op == "sum":
        p[0] = 0 # [6.4]
    return stored(p[:-1] if o.exclusive else p[1:], a).reshape(x.shape if x.flags.c_contiguous else -1)

# ---------------------------------------------------------------------------------------------------- matmul [13]
def op_matmul(o, a, b):
    shape, result, kind = a.shape[:-1] + b.shape[1:], a.dtype, TYPES.get(o.accumulate, a.dtype)
    a, b = np.atleast_2d(a).astype(kind), (b if b.ndim == 2 else b[:, None]).astype(kind)
    a, b = a.T if "a" in o.transpose else a, b.T if "b" in o.transpose else b
    (m, k), n = a.shape, b.shape[1]
    length, most = (256, 2**18) if m == 1 or n == 1 else (1024, 2**22)
    while length < k and m * n * -(-k // length) > most: # K [13.2]
        length *= 2
    chains = [np.zeros((m, n), kind) for _ in range(max(1, -(-k // length)))]
    for i in range(k):
        chains[i // length] = fma(a[:, i, None], b[i], chains[i // length])
    return stored(pairs(chains), result).reshape((m, n) if len(shape) == 2 else shape) # alpha = 1, beta = 0 [13.3]

# ---------------------------------------------------------------------------------------------------- random [19]
def op_random(o):
    name, n = o.operands[0], int(o.n)
    t = TYPES[o.dtype or {"bernoulli": "u8", "integers": "i64"}.get(name, "f32")]
    i, double = int(o.first) + np.arange(n, dtype=U64), t.itemsize == 8
    w, further = words(i, double, o.stream, o.seed)
    if name == "integers":
        low, high = (int(end if given is None else given) for given, end in
                     ((o.lower, np.iinfo(t).min), (o.upper, np.iinfo(t).max)))
        m, w, further = high - low + 1, w.astype(object), further.astype(object)
        return (low + (m * w + (m * further >> 64) >> (64 if double else 32))).astype(t)
    if name == "bernoulli":
        s = o.probability * 2.0**32
        limit = LOW if o.probability == 1 else math.floor(s)
        return ((w < limit) | ((w == limit) & ((further >> 11).astype(F64) * 2.0**-53 < s - limit))).astype(t)
    if name == "uniform":
        a, b = np.array(o.lower or 0, t), np.array(1 if o.upper is None else o.upper, t)
        u = (w >> 11).astype(F64) * 2.0**-53 if double else ((w >> 8).astype(F64) * 2.0**-24).astype(F32)
        x = fma(b - a, u, a)
        return np.where(x < b, x, np.nextafter(b, t.type(-math.inf)))
    if name in ("normal_fast", "lognormal_fast"): # [19.4]
        z = fast_normals(philox(i // 4, o.stream, o.seed, 7))[i % 4, np.arange(n)]
        z = fma(t.type(o.deviation), z, t.type(o.mean))
        return stored(fast_exp(z) if name == "lognormal_fast" else z, t)
    p = ((w >> 12).astype(F64) + 0.5) * 2.0**-52 if double else (w.astype(F64) + 0.5) * 2.0**-32
    z = -log(p) / o.rate if name == "exponential" else fma(float(o.deviation), probit(p), float(o.mean))
    return stored(exp(z) if name == "lognormal" else z, t)

# ----------------------------------------------------------------------------------------------------- price [21]
def normal_of(o, path, stream, q):
    """Returns normal q of each path [21.2]."""
    if o.fast_normals:
        return fast_normals(philox(path, q // 4, o.seed, 7))[q % 4]
    w = sobol_halves(path, q, o.seed, stream) if o.sobol else philox(path, q // 4, o.seed)[q % 4]
    return probit((w.astype(F64) + 0.5) * 2.0**-32).astype(o.kind)

def payoff(o, b, a, inside, high, low):
    """Returns what the option pays [21.4]: b is the basket after the last step, a the observed value."""
    zero, k, words = b * 0, o.kind.type(o.strike), o.payoff.split("-")
    if o.payoff == "double-digital":
        v = zero + inside
    elif "digital" in words:
        v = zero + (a > k if "call" in words else a < k)
    else:
        p, q = (b, a) if "floating" in words else (a, k)
        v = p - q if "call" in words else q - p
        v = np.where(v < 0, zero, v)
    if o.barrier:
        reached = high >= o.kind.type(o.level) if "up" in o.barrier else low <= o.kind.type(o.level)
        v = np.where(reached == ("in" in o.barrier), v, zero)
    return v

def leg(o, start, sigma, sign, normal):
    """Returns the payoff and the control of each path [21.1 to 21.4, 21.7]. The centres are those of o.start."""
    real, dt, assets = o.kind.type, o.maturity / o.steps, range(len(start))
    drift = [real((o.rate - 0.5 * (v * v)) * dt if o.exact else o.rate * dt) for v in sigma]
    load = [[real(sign * (sigma[i] * math.sqrt(dt) * o.factor[i, j])) for j in assets] for i in assets]
    s0, weights, x = [real(v) for v in start], [real(v) for v in o.weights], [real(0) for _ in assets]
    def basket():
        return reduce(lambda b, i: fma(weights[i], s[i], b), assets[1:], weights[0] * s[0])
    s, total, logs, inside = s0[:], real(0), real(0), True
    high = low = basket()
    for t in range(o.steps):
        z = [normal(t * len(start) + j) for j in assets]
        for i in assets:
            step = drift[i]
            for j in assets[:i + 1]:
                step = fma(load[i][j], z[j], step)
            x[i] = x[i] + step
            s[i] = s0[i] * exp(x[i]).astype(o.kind) if o.exact else fma(s[i], step, s[i])
        b = basket()
        total, logs, high, low = total + b, logs + x[0], np.where(b > high, b, high), np.where(b < low, b, low)
    for i in assets:
        d, width = s[i] - real(o.start[i]), real(o.width * o.start[i])
        inside = inside & (d < width) & (-d < width)
    geometric = s0[0] * exp(logs / real(o.steps)).astype(o.kind)
    extreme = high if ("call" in o.payoff) != ("floating" in o.payoff) else low
    a = {"asian": total / real(o.steps), "geometric": geometric, "lookback": extreme}
    a = next((a[word] for word in o.payoff.split("-") if word in a), b)
    control = payoff(o, b, geometric, inside, high, low) if o.kemna else b
    return payoff(o, b, a, inside, high, low).astype(F64), control.astype(F64)

def expected_control(o):
    """Returns E of 21.7. No value in it is rounded to R."""
    n, v, e = float(o.steps), o.sigma[0], 0.0
    if not o.kemna:
        g = exp(o.rate * o.maturity) if o.exact else 1.0
        for _ in range(0 if o.exact else o.steps):
            g = fma(g, o.rate * (o.maturity / o.steps), g)
        for weight, start in zip(o.weights, o.start):
            e = fma(weight, start * g, e)
        return e
    m = fma(o.rate - 0.5 * (v * v), o.maturity * ((n + 1) / (2 * n)), log(o.start[0]))
    d = v * math.sqrt(o.maturity * (((n + 1) * (2 * n + 1)) / (6 * (n * n))))
    f, sign = exp(m + 0.5 * (d * d)), 1 if o.payoff == "asian-call" else -1
    if d == 0:
        return max(sign * (f - o.strike), 0.0)
    d2 = (m - log(o.strike)) / d
    n1, n2 = (0.5 * (1 + erf(sign * x * np.sqrt(0.5))) for x in (d2 + d, d2))
    return sign * (f * n1 - o.strike * n2)

def estimate(o, legs, stream=0):
    """Returns the price and its standard error [21.5, 21.6, 21.8]. legs: (starts, volatilities, weight)."""
    n, v, u = o.paths // (o.sobol or 1), None, None
    normal = partial(normal_of, o, np.arange(n, dtype=U64), stream)
    for start, sigma, weight in legs:
        for sign in (1, -1) if o.antithetic else (1,):
            w, (pays, controls) = weight / 2 if o.antithetic else weight, leg(o, start, sigma, sign, normal)
            v, u = (w * pays, w * controls) if v is None else (fma(w, pays, v), fma(w, controls, u))
    total = tree(add, F64, v)
    mean = total / n
    s = fma(-total, mean, tree(add_product, F64, v, v))
    if o.control:
        c = tree(add, F64, u) / n
        sc = fma(-tree(add, F64, u), c, tree(add_product, F64, u, u))
        sv = fma(-total, c, tree(add_product, F64, v, u))
        b = sv / sc if sc > 0 else 0.0
        mean, s = fma(-b, c - expected_control(o), mean), fma(-b, sv, s)
    discount = exp(-(o.rate * o.maturity))
    return discount * mean, discount * np.sqrt(max(s, 0.0) / ((n - 1.0) * n))

def value_of(o, legs):
    """Returns the estimate, or that of several scramblings [21.9]."""
    if not o.sobol:
        return estimate(o, legs)
    prices, r, q = [estimate(o, legs, k)[0] for k in range(o.sobol)], float(o.sobol), 0.0
    m = reduce(add, prices, 0.0) / r # sum() of Python is not a plain loop
    for y in prices:
        q = fma(y - m, y - m, q)
    return m, np.sqrt(q / ((r - 1) * r))

def op_price(o):
    o.payoff, o.kind, o.paths, o.steps = o.operands[0], TYPES[o.dtype], int(o.paths), int(o.steps)
    lists = [[float(v) for v in str(x).split(",")] for x in (o.start, o.sigma, o.weights) if x is not None]
    n = max(len(values) for values in lists)
    n = 2 if n == 1 and o.weights is None and o.payoff == "double-digital" else n
    o.start, o.sigma, o.weights = (v * n if len(v) == 1 else v for v in (lists + [[1 / n]])[:3])
    o.exact = (o.scheme or ("euler" if o.payoff == "double-digital" else "exact")) == "exact"
    o.kemna = o.payoff in ("asian-call", "asian-put") and o.exact and not o.barrier and o.weights == [1.0]
    o.factor = np.zeros((n, n))
    for i, j in ((i, j) for i in range(n) for j in range(i + 1)):
        rest = 1.0 if i == j else o.rho
        for k in range(j):
            rest -= o.factor[i, k] * o.factor[j, k]
        o.factor[i, j] = rest / o.factor[j, j] if j < i else math.sqrt(rest)
    price, error = value_of(o, [(o.start, o.sigma, 1.0)])
    result = {"price": price, "standard_error": error, "low": fma(-1.959963984540054, error, price),
              "high": fma(1.959963984540054, error, price)}
    for name, moved in (("delta", 0), ("vega", 1)) if o.greeks else ():
        for i in range(n):
            x = (o.start, o.sigma)[moved][i]
            ends = [[list(o.start), list(o.sigma)] for _ in range(2)]
            ends[0][moved][i], ends[1][moved][i] = x + x / 128, x - x / 128
            s = ends[0][moved][i] - ends[1][moved][i]
            for member, v in zip((name, name + "_error"), value_of(o, [(*ends[0], 1 / s), (*ends[1], -1 / s)])):
                result.setdefault(member, []).append(v)
    return result

# --------------------------------------------------------------------------------------------------- command line
OPERATIONS = { # function, number of arrays, options with their defaults; those without "=" have no argument
    "sum": (op_sum, 1, "accumulate= lanes="), "dot": (partial(reduction, add_product), 2, "accumulate="),
    "scan": (op_scan, 1, "op=sum exclusive init= accumulate= output="),
    "matmul": (op_matmul, 2, "accumulate= transpose=- output="),
    "random": (op_random, 0, "n= lower= upper= mean=0 deviation=1 rate=1 probability=0.5 seed=0 stream=0 first=0 "
               "dtype= output="),
    "price": (op_price, 0, "start=1 sigma=0.1 rho=0.5 weights= strike=1 rate=0.05 maturity=1 width=0.1 barrier= "
              "level= paths=1000000 steps=100 scheme= seed=1 dtype=f64 antithetic control greeks sobol=0 "
              "fast-normals")}
CHOICES = {name: {"choices": text.split()} for name, text in { # of options, and of operands
    "accumulate": "f32 f64 i64 u64", "op": "sum prod", "transpose": "a b ab", "dtype": "f32 f64 i32 i64 u32 u64",
    "scheme": "exact euler", "barrier": "up-out up-in down-out down-in",
    "random": "uniform normal lognormal exponential normal_fast lognormal_fast bernoulli integers",
    "price": "call put digital-call digital-put asian-call asian-put geometric-call geometric-put double-digital "
             "lookback-call lookback-put floating-asian-call floating-asian-put floating-lookback-call "
             "floating-lookback-put"}.items()}

def number(text):
    try:
        return float(text) if set(text) & set(".eEnN") else int(text)
    except ValueError:
        return text

def compute(verb, arguments):
    """Computes the call `weft VERB ARGUMENT...`. Returns the name of the output file, if any, and the result."""
    function, arrays, known = OPERATIONS.get(verb) or sys.exit("expected one of " + ", ".join(OPERATIONS))
    parser = argparse.ArgumentParser(prog=f"verify.py {verb}", allow_abbrev=False)
    parser.add_argument("operands", nargs=arrays or 1, **CHOICES.get(verb, {}))
    for name, equals, default in (word.partition("=") for word in known.split()):
        default = {"default": number(default)} if default else {}
        how = {"type": number, **default, **CHOICES.get(name, {})} if equals else {"action": "store_true"}
        parser.add_argument(*["-o"] * (name == "output"), "--" + name, **how)
    o = parser.parse_intermixed_args(arguments)
    inputs = [np.load(name) for name in o.operands[:arrays]]
    if not all(x.dtype.kind in "iu" or x.dtype in (F32, F64) for x in inputs):
        sys.exit(f"verify.py: {o.operands}: expected arrays of f32, f64 or integers")
    return getattr(o, "output", None), function(o, *inputs)

def members(result):
    """Returns the members of the result in a receipt that ORDER.md defines."""
    if isinstance(result, dict):
        return {name: np.asarray(v, F64).tolist() for name, v in result.items()}
    return {"bits": f"0x{np.asarray(result).view(f'u{result.itemsize}')[()]:0{2 * result.itemsize}x}"}

def digest(array):
    np.save(file := io.BytesIO(), array)
    return hashlib.sha256(file.getvalue()).hexdigest()

def differences(receipt):
    """Yields a sentence for each input, output and value that is not that of the receipt."""
    if receipt["order"] != 3 or receipt["format"]:
        sys.exit("verify.py: expected a receipt of order version 3, all of whose inputs are .npy files")
    for file in receipt["inputs"]:
        if hashlib.sha256(Path(file["file"]).read_bytes()).hexdigest() != file["sha256"]:
            yield f"input {file['file']} differs"
    output, result = compute(receipt["command"], receipt["arguments"])
    if output and [file["sha256"] for file in receipt["outputs"]] != [digest(result)]:
        yield f"output {output} differs"
    for name, v in () if output else members(result).items():
        if v != receipt["result"][name]:
            yield f"{name} differs: {receipt['result'][name]} in the receipt, {v} computed"

def main(words):
    if len(words) == 1 and words[0].endswith(".json"):
        found = "\n".join(differences(json.loads(Path(words[0]).read_text(encoding="utf-8"))))
        print(found or "every bit agrees")
        return bool(found)
    output, result = compute(words[0], words[1:]) if words else sys.exit(__doc__)
    if output:
        np.save(output, result)
    elif not isinstance(result, dict):
        print(result, members(result)["bits"])
    for name, v in result.items() if isinstance(result, dict) else ():
        print(name, *(f"{x} 0x{np.asarray(x).view(U64)[()]:016x}" for x in np.atleast_1d(v)))

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(f"verify.py: {error}")
