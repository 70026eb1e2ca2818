"""The arithmetic of docs/spec/verify.py: fma, the tree, the elementary functions, and the words of random numbers.

Numbers in brackets are sections of ORDER.md. The lists of constants that it refers to, src/core/elementary.h and
src/core/sobol.def, are read from this source tree. NumPy rounds + - * / and sqrt as IEEE 754 requires."""
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

F32, F64, I64, U64 = (np.dtype(name) for name in ("f4", "f8", "i8", "u8"))
TYPES = {"f32": F32, "f64": F64, "u8": np.dtype("u1"), "i32": np.dtype("i4"), "u32": np.dtype("u4"), "i64": I64,
         "u64": U64}
CORE = Path(__file__).resolve().parents[2] / "src" / "core"
LOW = 0xffffffff
np.seterr(all="ignore")

# ------------------------------------------------------------------------------------------------ arithmetic [1]
def two_sum(a, b):
    """Returns a + b, rounded, and the error of the rounding (D. Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)

def round_to_odd(s, error):
    """Returns s + error, rounded to odd. Rounding that to fewer bits is like rounding the exact sum once."""
    bits = s.view(I64)
    inexact = np.isfinite(s) & (error != 0) & (bits % 2 == 0)
    return np.where(inexact, bits + np.where((error > 0) == (s > 0), 1, -1), bits).view(F64)

def fma_slow(x, y, z):
    """Returns the fma of f64, by rational numbers."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        return exact.numerator / exact.denominator if exact else x * y + z
    except OverflowError:
        return math.inf if exact > 0 else -math.inf

def fma(x, y, z):
    """Returns x y + z, rounded once: in f32 if an argument is an array of f32, else in f64."""
    single = any(getattr(v, "dtype", None) == F32 for v in (x, y, z))
    shape = np.broadcast_shapes(*(np.shape(v) for v in (x, y, z)))
    x, y, z = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, F64)) for v in (x, y, z)))
    p = x * y
    if single: # the product of two f32 is exact in f64
        return round_to_odd(*two_sum(p, z)).astype(F32).reshape(shape)[()]
    xh, yh = (134217729 * v - (134217729 * v - v) for v in (x, y)) # T. Dekker: p + low = x y
    low = (x - xh) * (y - yh) - (((p - xh * yh) - (x - xh) * yh) - xh * (y - yh))
    th, tl = two_sum(z, low) # S. Boldo, G. Melquiond, IEEE Trans. Computers 57, 2008
    vh, vl = two_sum(p, th)
    result = vh + round_to_odd(*two_sum(tl, vl))
    largest = np.maximum(np.maximum(abs(x), abs(y)), np.maximum(abs(p), abs(z)))
    for i in zip(*np.nonzero(~((abs(p) >= 2.0**-900) & (largest <= 2.0**900)))): # a step above may be inexact
        result[i] = fma_slow(float(x[i]), float(y[i]), float(z[i]))
    return result.reshape(shape)[()]

def stored(x, dtype):
    """Returns x in the type of the result, with one NaN [1.3]."""
    x = np.asarray(x).astype(dtype)
    return np.where(np.isnan(x), np.array(math.nan, dtype), x) if dtype.kind == "f" else x

# ------------------------------------------------------------------------------------------------------ tree [2]
def pairs(values):
    """Combines adjacent pairs, level by level [2.4]."""
    while len(values) > 1:
        values = [a + b for a, b in zip(values[::2], values[1::2])] + values[len(values) // 2 * 2:]
    return values[0]

def tree(step, a, *arrays):
    """Reduces arrays of n >= 1 elements by the tree, with identity -0.0 and accumulators of type a."""
    lanes, n = 64 if arrays[0].itemsize == 8 else 128, len(arrays[0])
    rows = np.zeros((len(arrays), -(-n // (32 * lanes)) * 32 * lanes), a)
    rows[:, :n] = arrays
    rows = rows.reshape(len(arrays), -1, 32, lanes)
    present = (np.arange(rows[0].size) < n).reshape(rows[0].shape)
    lane = np.full((rows.shape[1], lanes), -0.0, a)
    for i in range(32):
        lane = np.where(present[:, i], step(lane, *rows[:, :, i]), lane)
    while lanes > 1:
        lanes //= 2
        lane = lane[:, :lanes] + lane[:, lanes:]
    return pairs(list(lane[:, 0]))

def add(lane, x):
    return lane + x

def add_product(lane, x, y):
    return fma(x, y, lane)

# --------------------------------------------------------------------------------------- elementary functions [18]
def constants():
    """Yields the constants of elementary.h: (name without WEFT_, number or list)."""
    text = re.sub(r"\\\n", " ", (CORE / "elementary.h").read_text(encoding="utf-8"))
    for name, body in re.findall(r"#define WEFT_(\w+) (.*)", text):
        numbers = [float.fromhex(v) if "x" in v else float(v)
                   for v in re.findall(r"-?(?:0x[\da-f.]+p[+-]?\d+|\d+\.\d+)", body)]
        yield name, numbers[0] if len(numbers) == 1 else numbers

C = dict(constants())

def horner(name, x):
    v = C[name][0]
    for coefficient in C[name][1:]:
        v = fma(v, x, coefficient)
    return v

def pair(a, b):
    """Returns sum(a, b) of 18.1."""
    s = a + b
    return s, (a - s) + b

def exp(x):
    x = np.asarray(x, F64)
    n = fma(x, C["LOG2_E"], C["ROUNDER"]) - C["ROUNDER"]
    r, r1 = pair(fma(n, -C["LN2_HIGH"], x), fma(n, -C["LN2_LOW"], 0.0))
    s, s1 = pair(1.0, r)
    power = np.clip(np.nan_to_num(n), -2000, 2000).astype("i4")
    v = np.ldexp(s + (s1 + fma(r1, s, r * r * horner("EXP_Q", r))), power)
    return np.where(x < C["EXP_LEAST"], 0.0, np.where(x > C["EXP_GREATEST"], math.inf, v))

def log(x):
    m, n = np.frexp(np.asarray(x, F64))
    small = m < C["SQRT_HALF"]
    f, n = np.where(small, 2 * m, m) - 1, (n - small).astype(F64)
    s = f / (2 + f)
    z = s * s
    h, h1 = pair(n * C["LN2_HIGH"], f)
    v = h + fma(-f / 2, f, fma(s, fma(z, horner("LOG_Q", z), (f / 2) * f), fma(n, C["LN2_LOW"], h1)))
    return np.where(x == 0, -math.inf, np.where(x == math.inf, x, np.where(x < 0, math.nan, v)))

def erf(x):
    a = np.minimum(abs(x), C["ERF_GREATEST"])
    return np.copysign(np.where(a < 1, fma(horner("ERF_P", a * a), a, a), 1 - exp(horner("ERF_G", a - 1))), x)

def probit(p):
    q, r = abs(p - 0.5), np.sqrt(-log(np.where(p < 0.5, p, 1 - p)))
    z = q * q
    v = C["PROBIT_MIDDLE"] * C["PROBIT_MIDDLE"] - z
    size = fma(q, C["SQRT_2PI_HIGH"], q * fma(z, horner("PROBIT_A", v) / horner("PROBIT_B", v), C["SQRT_2PI_LOW"]))
    near = fma(r, C["SQRT_2"], -(horner("PROBIT_C", r - 1.6) / horner("PROBIT_D", r - 1.6)))
    far = fma(r, C["SQRT_2"], -(horner("PROBIT_E", r - 5) / horner("PROBIT_F", r - 5)))
    size = np.where(q <= C["PROBIT_MIDDLE"], size, np.where(r <= 5, near, far))
    return np.where(p < 0.5, -size, size)

# ------------------------------------------------------------------------------------------------ words [19.1, 24]
def philox(block, stream, seed, rounds=10):
    """Returns an array of the four words of each block, as u64."""
    block, stream = np.atleast_1d(np.asarray(block, U64)), np.atleast_1d(np.asarray(stream, U64))
    c, k = [block & LOW, block >> 32, stream & LOW, stream >> 32], [seed & LOW, seed >> 32]
    for _ in range(rounds):
        p, q = c[0] * 0xd2511f53, c[2] * 0xcd9e8d57
        c = [(q >> 32) ^ c[1] ^ k[0], q & LOW, (p >> 32) ^ c[3] ^ k[1], p & LOW]
        k = [(k[0] + 0x9e3779b9) & LOW, (k[1] + 0xbb67ae85) & LOW]
    return np.array(np.broadcast_arrays(*c))

def words(i, double, stream, seed):
    """Returns the words W and V of samples i of a type of 8 bytes (double) or less [19.1]."""
    w, v = philox(i // 2 if double else i // 4, stream, seed), philox(2**63 + i, stream, seed)
    at = np.arange(len(i))
    w = w[i % 2 * 2, at] + (w[i % 2 * 2 + 1, at] << 32) if double else w[i % 4, at]
    return w, v[0] + (v[1] << 32)

def reversed_bits(x):
    for shift, mask in (1, 0x55555555), (2, 0x33333333), (4, 0x0f0f0f0f), (8, 0x00ff00ff), (16, 0x0000ffff):
        x = x >> shift & mask | (x & mask) << shift
    return x

def directions(j):
    """Returns the direction numbers of coordinate j [24.1]."""
    if j == 0:
        return [1 << 63 - k for k in range(64)]
    entries = re.findall(r"^DIRECTIONS\((.*)\)", (CORE / "sobol.def").read_text(encoding="utf-8"), re.M)
    s, inner, *m = (int(number) for number in entries[j - 1].split(","))
    v = [m[k] << 63 - k for k in range(s)]
    for k in range(s, 64):
        v.append(v[k - s] ^ v[k - s] >> s)
        for i in range(1, s):
            v[k] ^= v[k - i] * (inner >> s - 1 - i & 1)
    return v

def sobol_halves(point, j, seed, stream):
    """Returns the upper half of the word of coordinate j of each point, with Owen's scrambling [24.2, 24.3]."""
    w = np.zeros(len(point), U64)
    for k, direction in enumerate(directions(j)):
        w ^= np.where((point ^ point >> 1) >> k & 1, U64.type(direction), U64.type(0))
    (f, a, _, _), y = philox(2**62 + j, stream, seed), reversed_bits(w >> 32)
    y = y ^ (0x3d20adea * y & LOW)
    y = (y + a & LOW) * (f | 1) & LOW
    y = y ^ (0x05526c56 * y & LOW)
    return reversed_bits(y ^ (0x53a22864 * y & LOW))

# ------------------------------------------------------------------------------------------- fast normals [19.4]
def fast_normals(c):
    """Returns the z of samples 0 to 3 of each block c."""
    z = np.empty(c.shape, F32)
    for j in 0, 2:
        v, w = c[j].astype(F32), c[j + 1]
        m, e = np.frexp(fma(v, C["FAST_SHRINK"], 2.0**-33))
        h, n = m - np.float32(1), -e.astype(I64)
        d = (2**23 * n - (2.0**24 * h.astype(F64)).astype(I64)).astype(F32)
        r = np.sqrt(fma(h, horner("FAST_LOG", h), d))
        x = fma(((w << 34).view(I64) >> 34).astype(F32), 2.0**-30, 2.0**-31)
        both = r * horner("FAST_COS", x * x), r * (x * horner("FAST_SIN", x * x))
        for i in 0, 1:
            z[j + i] = np.where(w >> 30 & 1, both[1 - i], both[i])
            z[j + i] = np.where(w >> 31 & 1, -z[j + i], z[j + i])
    return z

def fast_exp(y):
    y = np.clip(y, np.float32(C["FAST_EXP_LEAST"]), np.float32(C["FAST_EXP_GREATEST"]))
    m = fma(y, C["FAST_LOG2_E"], C["FAST_ROUNDER"]) - np.float32(C["FAST_ROUNDER"])
    f = fma(m, -C["FAST_LN2_LOW"], fma(m, -C["FAST_LN2_HIGH"], y))
    return np.ldexp(horner("FAST_EXP", f).astype(F64), m.astype("i4")).astype(F32)
