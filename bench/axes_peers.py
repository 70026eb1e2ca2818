"""Times operations on views against NumPy, or against PyTorch and CuPy.

    axes_peers.py [--device cpu|cuda] [--commit NAME] [--small] [--repeat N] [--only KIND] LIBWEFT

LIBWEFT is the path of libweft.so. Prints a table in the format of bench/results, with the bytes that must be moved per
second. take copies vectors of the other axes in random order, take_along the elements of each vector. top selects the 5 largest values of each vector, and argtop also their indices; median and quartiles compute 1 and 3
quantiles. "x - row" and "x - column" are formulas over views of which one is broadcast; "x - transposed" reads one with
its axes exchanged. dot computes the dot products of the vectors of two arrays; "dot with one vector" those of the
vectors of an array with one other. fft transforms complex numbers, whose parts are the last axis.
The times are medians of runs in which the libraries alternate. A second table states the fraction of the speed
of the memory: of a sum of 2^30 bytes for reductions, of a copy of 2^30 bytes for the others. --small divides the first
length by 16.
"""
import argparse
import ctypes
import datetime
import math
import statistics
import time

SUM, MAX, MEAN = 0, 3, 12
F32, F64, DEFAULT = 9, 10, 0
U8, U64, F16 = 5, 8, 12
TYPES = {"u8": (U8, 1), "f16": (F16, 2), "f32": (F32, 4), "f64": (F64, 8), "u64": (U64, 8)}
NUMPY = {"u8": "u1", "f16": "f2", "f32": "f4", "f64": "f8", "u64": "u8"}
DIMENSIONS = 16
K = 5
QUARTILES = [0.25, 0.5, 0.75]
QUANTILES = {"median": [0.5], "quartiles": QUARTILES}
FORMULAS = ("x - row", "x - column", "x - transposed")
TAKES = ("take", "take_along")
DOTS = ("dot", "dot with one vector")


class View(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("dtype", ctypes.c_int), ("dimensions", ctypes.c_size_t),
                ("shape", ctypes.c_size_t * DIMENSIONS), ("stride", ctypes.c_ssize_t * DIMENSIONS),
                ("data", ctypes.c_void_p), ("buffer", ctypes.c_void_p), ("buffer_bytes", ctypes.c_size_t)]


def view_of(dtype, shape, address, strides=None):
    """View of an array, without gaps and in C order unless strides (in bytes) are given."""
    number, size = TYPES[dtype]
    v = View(size=ctypes.sizeof(View), dtype=number, dimensions=len(shape), data=address)
    if strides is None:
        strides = [size * math.prod(shape[k + 1:]) for k in range(len(shape))]
    v.shape[:len(shape)] = shape
    v.stride[:len(shape)] = strides
    return v


class Binding(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("view", ctypes.POINTER(View)), ("dtype", ctypes.c_int),
                ("scalar", ctypes.c_void_p)]


class Weft:
    def __init__(self, path, device):
        self.lib = ctypes.CDLL(path)
        self.lib.weft_last_error.restype = ctypes.c_char_p
        self.lib.weft_last_error.argtypes = [ctypes.c_void_p]
        self.context = ctypes.c_void_p()
        self.check(self.lib.weft_open(ctypes.byref(self.context), device.encode()))

    def check(self, status):
        if status:
            raise SystemExit(self.lib.weft_last_error(self.context).decode())

    def reduce(self, op, x, axes, out):
        numbers = (ctypes.c_int * len(axes))(*axes)
        return lambda: self.check(self.lib.weft_reduce_axes(
            self.context, op, DEFAULT, ctypes.byref(x), ctypes.c_size_t(len(axes)), numbers, ctypes.byref(out)))

    def variance(self, x, axes, out):
        numbers = (ctypes.c_int * len(axes))(*axes)
        return lambda: self.check(self.lib.weft_variance_axes(
            self.context, DEFAULT, ctypes.c_size_t(0), ctypes.byref(x), ctypes.c_size_t(len(axes)), numbers,
            ctypes.byref(out)))

    def dot(self, x, y, axes, out):
        numbers = (ctypes.c_int * len(axes))(*axes)
        return lambda: self.check(self.lib.weft_dot_axes(
            self.context, DEFAULT, ctypes.byref(x), ctypes.byref(y), ctypes.c_size_t(len(axes)), numbers,
            ctypes.byref(out)))

    def fft(self, x, axes, y):
        numbers = (ctypes.c_int * len(axes))(*axes)
        return lambda: self.check(self.lib.weft_fft_axes(
            self.context, 0, ctypes.byref(x), ctypes.c_size_t(len(axes)), numbers, ctypes.byref(y)))

    def scan(self, x, axis, y):
        return lambda: self.check(self.lib.weft_scan_axis(
            self.context, SUM, 0, DEFAULT, ctypes.byref(x), axis, None, ctypes.byref(y)))

    def sort(self, x, axis, y):
        return lambda: self.check(self.lib.weft_sort_axis(self.context, 0, ctypes.byref(x), axis, ctypes.byref(y)))

    def top(self, x, axis, y, indices):
        at = ctypes.byref(indices) if indices else None
        return lambda: self.check(self.lib.weft_top_k_axis(
            self.context, 0, ctypes.byref(x), axis, ctypes.c_size_t(K), ctypes.byref(y), at))

    def quantiles(self, x, axis, q, y):
        numbers = (ctypes.c_double * len(q))(*q)
        return lambda: self.check(self.lib.weft_quantile_axis(
            self.context, 0, ctypes.byref(x), axis, ctypes.c_size_t(len(q)), numbers, ctypes.byref(y)))

    def copy(self, x, y):
        return lambda: self.check(self.lib.weft_copy_view(self.context, ctypes.byref(x), ctypes.byref(y)))

    def subtract(self, x, y, out):
        expr = ctypes.c_void_p()
        self.check(self.lib.weft_expr_compile(self.context, b"x - y", ctypes.byref(expr)))
        bindings = (Binding * 2)(Binding(b"x", ctypes.pointer(x)), Binding(b"y", ctypes.pointer(y)))
        return lambda: self.check(self.lib.weft_map_views(
            self.context, expr, x.dtype, bindings, ctypes.c_size_t(2), ctypes.byref(out)))

    def take(self, x, axis, index, y):
        return lambda: self.check(self.lib.weft_take_axis(
            self.context, 0, ctypes.byref(x), axis, ctypes.byref(index), ctypes.byref(y)))

    def synchronize(self):
        self.check(self.lib.weft_synchronize(self.context))


# ------------------------------------------------------------------------------------- libraries

def largest(library, x, axis, indices):
    """The K largest values along an axis, in order, and their indices, as in NumPy."""
    last = tuple(slice(-K, None) if k == axis else slice(None) for k in range(x.ndim))
    down = tuple(slice(None, None, -1) if k == axis else slice(None) for k in range(x.ndim))
    if not indices:
        return library.sort(library.partition(x, -K, axis)[last], axis)[down]
    at = library.argpartition(x, -K, axis)[last]
    values = library.take_along_axis(x, at, axis)
    order = library.argsort(values, axis)[down]
    return library.take_along_axis(values, order, axis), library.take_along_axis(at, order, axis)


class Cpu:
    """Arrays of NumPy."""
    def __init__(self):
        import numpy
        self.np = numpy
        self.machine = "CPU"
        self.peers = {"NumPy " + numpy.__version__: numpy}

    def array(self, dtype, shape):
        if dtype in ("u8", "f16"):
            return self.np.random.default_rng(1).integers(256, size=shape, dtype="u1").astype(NUMPY[dtype])
        return self.np.random.default_rng(1).random(shape, NUMPY[dtype])

    def indices(self, n, shape):
        return self.np.random.default_rng(2).integers(n, size=shape, dtype="i8")

    def empty(self, dtype, shape):
        return self.np.ones(shape, NUMPY[dtype])

    def address(self, array):
        return array.ctypes.data

    def peer_calls(self, kind, x, y, axes, other):
        np = self.np
        axis = axes[0] if axes else None
        return {name: {
            "sum": lambda: np.sum(x, axis=tuple(axes), out=y), "mean": lambda: np.mean(x, axis=tuple(axes), out=y),
            "max": lambda: np.max(x, axis=tuple(axes), out=y), "variance": lambda: np.var(x, axis=tuple(axes), out=y),
            "scan": lambda: np.cumsum(x, axis=axis, out=y), "transpose": lambda: np.copyto(y, x.T),
            "sort": lambda: np.copyto(y, np.sort(x, axis=axis)),
            "top": lambda: largest(np, x, axis, False), "argtop": lambda: largest(np, x, axis, True),
            "median": lambda: np.median(x, axis=axis), "quartiles": lambda: np.quantile(x, QUARTILES, axis=axis),
            **{formula: lambda: np.subtract(x, other, out=y) for formula in FORMULAS},
            **{dot: lambda: np.vecdot(x, other, axis=axis, out=y) for dot in DOTS},
            "take": lambda: np.take(x, other, axis, out=y, mode="clip"),
            "take_along": lambda: np.copyto(y, np.take_along_axis(x, other, axis)),
            "fft": lambda: np.fft.fftn(x.view(f"c{2 * x.itemsize}")[..., 0], axes=axes),
        }[kind] for name in self.peers}

    def time(self, call, weft):
        begin = time.perf_counter()
        call()
        return time.perf_counter() - begin


class Cuda:
    """Arrays of PyTorch. CuPy gets views of them."""
    def __init__(self):
        import torch
        self.torch = torch
        self.machine = torch.cuda.get_device_name()
        self.peers = {"PyTorch " + torch.__version__: torch}
        try:
            import cupy
            cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream).use()
            self.peers["CuPy " + cupy.__version__] = cupy
        except ImportError:
            pass

    def array(self, dtype, shape):
        if dtype == "u8":
            return self.torch.randint(256, shape, device="cuda", dtype=self.torch.uint8)
        return self.torch.rand(shape, device="cuda", dtype=getattr(self.torch, "float" + dtype[1:]))

    def indices(self, n, shape):
        return self.torch.randint(n, shape, device="cuda")

    def empty(self, dtype, shape):
        name = {"u8": "uint8", "u64": "int64"}.get(dtype, "float" + dtype[1:])
        return self.torch.ones(shape, device="cuda", dtype=getattr(self.torch, name))

    def address(self, array):
        return array.data_ptr()

    def peer_calls(self, kind, x, y, axes, other):
        torch = self.torch
        axis = axes[0] if axes else None
        calls = {}
        for name, library in self.peers.items():
            if library is torch:
                calls[name] = {
                    "sum": lambda: torch.sum(x, dim=axes, out=y), "mean": lambda: torch.mean(x, dim=axes, out=y),
                    "max": lambda: torch.amax(x, dim=axes, out=y),
                    "variance": lambda: torch.var(x, dim=axes, correction=0),
                    "scan": lambda: torch.cumsum(x, dim=axis, out=y), "transpose": lambda: y.copy_(x.T),
                    "sort": lambda: torch.sort(x, dim=axis),
                    "top": lambda: torch.topk(x, K, dim=axis), "argtop": lambda: torch.topk(x, K, dim=axis),
                    "median": lambda: torch.median(x, dim=axis),
                    "quartiles": lambda: torch.quantile(x, torch.tensor(QUARTILES, device="cuda", dtype=x.dtype), dim=axis),
                    **{formula: lambda: torch.sub(x, other, out=y) for formula in FORMULAS},
                    **{dot: lambda: torch.linalg.vecdot(x, other, dim=axis, out=y) for dot in DOTS},
                    "take": lambda: torch.index_select(x, axis, other, out=y),
                    "take_along": lambda: torch.gather(x, axis, other, out=y),
                    "fft": lambda: torch.fft.fftn(torch.view_as_complex(x), dim=axes),
                }[kind]
            else:
                cx, cy, co = library.asarray(x), library.asarray(y), library.asarray(other)
                calls[name] = {
                    "sum": lambda: library.sum(cx, axis=tuple(axes), out=cy),
                    "mean": lambda: library.mean(cx, axis=tuple(axes), out=cy),
                    "max": lambda: library.max(cx, axis=tuple(axes), out=cy),
                    "variance": lambda: library.var(cx, axis=tuple(axes)),
                    "scan": lambda: library.cumsum(cx, axis=axis, out=cy),
                    "transpose": lambda: library.copyto(cy, cx.T), "sort": lambda: library.sort(cx, axis=axis),
                    "top": lambda: largest(library, cx, axis, False),
                    "argtop": lambda: largest(library, cx, axis, True),
                    "median": lambda: library.median(cx, axis=axis),
                    "quartiles": lambda: library.quantile(cx, library.asarray(QUARTILES, cx.dtype), axis=axis),
                    **{formula: lambda: library.subtract(cx, co, cy) for formula in FORMULAS},
                    **{dot: lambda: library.sum(cx * co, axis=axis, out=cy) for dot in DOTS},
                    "take": lambda: library.take(cx, co, axis, out=cy),
                    "take_along": lambda: library.copyto(cy, library.take_along_axis(cx, co, axis)),
                    "fft": lambda: library.fft.fftn(cx.view(f"c{2 * cx.itemsize}")[..., 0], axes=axes),
                }[kind]
        return calls

    def time(self, call, weft):
        """Time of one of several calls in a row, measured by the host between two synchronizations."""
        count = 10
        self.torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            call()
        self.torch.cuda.synchronize()
        return (time.perf_counter() - begin) / count


# ------------------------------------------------------------------------------------------ rows

SQUARE = (2**14, 2**14)
ROWS = [("sum", "f32", shape, [axis]) for shape in ((10**6, 256), (256, 10**6), SQUARE, (2**20, 16))
        for axis in (1, 0)]
ROWS += [("sum", "f32", (512, 512, 512), [1]), ("sum", "f32", (512, 512, 512), [0, 2]),
         ("sum", "f64", SQUARE, [1]), ("sum", "f64", SQUARE, [0]), ("mean", "f32", SQUARE, [1]),
         ("mean", "f32", SQUARE, [0]), ("max", "f32", SQUARE, [0]), ("variance", "f32", (10**6, 256), [1]),
         ("variance", "f32", (10**6, 256), [0]), ("transpose", "f32", SQUARE, []), ("transpose", "f64", SQUARE, []),
         ("transpose", "f32", (2**20, 16), []), ("transpose", "f16", SQUARE, []), ("transpose", "u8", SQUARE, [])]
ROWS += [("scan", "f32", shape, [axis]) for shape in ((10**6, 256), SQUARE, (256, 10**6)) for axis in (1, 0)]
ROWS += [("scan", "f32", (512, 512, 512), [1])]
ROWS += [("sort", "f32", (2**20, 256), [1]), ("sort", "f32", (256, 2**20), [0])]
ROWS += [(kind, "f32", shape, [axis]) for kind in ("top", "argtop")
         for shape, axis in (((2**20, 256), 1), ((2**16, 4096), 1), ((2**11, 2**17), 1), ((16, 2**24), 1),
                             ((256, 2**20), 0))]
ROWS += [(kind, "f32", shape, [axis]) for kind in QUANTILES
         for shape, axis in (((2**18, 256), 1), ((2**14, 4096), 1), ((2**9, 10**5), 1), ((256, 2**18), 0))]
ROWS += [("sum", "f16", shape, [axis]) for shape in ((10**6, 256), SQUARE) for axis in (1, 0)]
ROWS += [(kind, "f32", shape, []) for shape in (SQUARE, (10**6, 256), (256, 10**6)) for kind in FORMULAS]
ROWS += [("x - row", "f16", SQUARE, [])]
ROWS += [(kind, "f32", (2**20, 256), [axis]) for kind in TAKES for axis in (0, 1)]
ROWS += [("dot", "f32", shape, [axis]) for shape in ((2**20, 256), (2**13, 2**14), (256, 2**20), (2**20, 16))
         for axis in (1, 0)]
ROWS += [("dot with one vector", "f32", (2**20, 256), [1]), ("dot", "f16", (2**20, 256), [1])]
ROWS += [("fft", dtype, (2**12, 2**12, 2), axes) for dtype in ("f32", "f64") for axes in ([1], [0], [0, 1])]
ROWS += [("fft", "f32", (512, 512, 512, 2), [0, 1, 2])]
OPS = {"sum": SUM, "mean": MEAN, "max": MAX}
NAMES = {"transpose": "copy_view", "scan": "scan_axis", "sort": "sort_axis", "variance": "reduce_axes",
         "fft": "fft", "top": "top_k_axis", "argtop": "top_k_axis", "median": "quantile_axis", "quartiles": "quantile_axis",
         **{formula: "map" for formula in FORMULAS}, **{kind: "take_axis" for kind in TAKES},
         **{dot: "dot" for dot in DOTS}}


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 and n > 999 else f"10^{len(str(n)) - 1}" \
        if str(n).strip("0") == "1" and n > 999 else str(n)


def median(library, weft, calls, repeat):
    """Medians of the times of calls, which alternate. They run twice first."""
    for call in calls:
        call()
        call()
    times = [[library.time(call, weft) for call in calls] for _ in range(repeat)]
    return [statistics.median(column) for column in zip(*times)]


def speeds(library, weft, repeat, small):
    """Bytes per second of a sum and of a copy of 2^30 bytes, by the fastest library."""
    n = 2**28 // (16 if small else 1)
    x, y, one = library.array("f32", (n,)), library.empty("f32", (n,)), library.empty("f32", ())
    vx, vy = view_of("f32", (n,), library.address(x)), view_of("f32", (n,), library.address(y))
    calls = [weft.reduce(SUM, vx, [0], view_of("f32", (), library.address(one))), weft.copy(vx, vy)]
    copies = [lambda: y.copy_(x)] if hasattr(y, "copy_") else [lambda: library.np.copyto(y, x)]
    times = median(library, weft, calls + copies, repeat)
    return 4 * n / times[0], 8 * n / min(times[1:])


def operand(library, kind, dtype, shape, axes):
    """The second array: what a formula subtracts, or indices."""
    shapes = {"x - row": shape[1:], "x - column": (shape[0], 1), "x - transposed": shape[::-1]}
    if kind in TAKES:
        return library.indices(shape[axes[0]], shape if kind == "take_along" else (shape[axes[0]],))
    shapes |= {"dot": shape, "dot with one vector": [n if k in axes else 1 for k, n in enumerate(shape)]}
    return library.array(dtype, shapes.get(kind, ()))


def row(library, weft, case, repeat, reading, copying, commit):
    """Prints the rows of a case, one for each peer. Returns its row of the second table."""
    kind, dtype, shape, axes = case
    size = TYPES[dtype][1]
    kept = [n for k, n in enumerate(shape) if k not in axes]
    whole = kind in ("scan", "sort", "transpose", "fft", *FORMULAS, *TAKES)
    if kind in ("top", "argtop", *QUANTILES):
        kept = [len(QUANTILES.get(kind, range(K))) if k in axes else n for k, n in enumerate(shape)]
    x = library.array(dtype, shape)
    y = library.empty(dtype, shape[::-1] if kind == "transpose" else shape if whole else kept)
    at = library.empty("u64", kept if kind == "argtop" else ())
    vx = view_of(dtype, shape, library.address(x))
    other = operand(library, kind, dtype, shape, axes)
    if kind in TAKES:
        lengths = shape if kind == "take_along" else [n if k in axes else 1 for k, n in enumerate(shape)]
        call = weft.take(vx, axes[0], view_of("u64", lengths, library.address(other)),
                         view_of(dtype, shape, library.address(y)))
    elif kind in FORMULAS:
        vo = view_of(dtype, other.shape, library.address(other))
        if kind == "x - transposed":
            vo = view_of(dtype, shape, library.address(other), [size, size * shape[0]])
            other = other.T
        call = weft.subtract(vx, vo, view_of(dtype, shape, library.address(y)))
    elif kind == "transpose":
        call = weft.copy(view_of(dtype, shape[::-1], library.address(x), [size, size * shape[1]]),
                         view_of(dtype, shape[::-1], library.address(y)))
    else:
        vy = view_of(dtype, shape if whole else kept, library.address(y))
        indices = view_of("u64", kept, library.address(at)) if kind == "argtop" else None
        call = weft.fft(vx, axes, vy) if kind == "fft" else weft.scan(vx, axes[0], vy) if kind == "scan" \
            else weft.sort(vx, axes[0], vy) if kind == "sort" \
            else weft.top(vx, axes[0], vy, indices) if kind in ("top", "argtop") \
            else weft.quantiles(vx, axes[0], QUANTILES[kind], vy) if kind in QUANTILES \
            else weft.dot(vx, view_of(dtype, other.shape, library.address(other)), axes, vy) if kind in DOTS \
            else weft.variance(vx, axes, vy) if kind == "variance" else weft.reduce(OPS[kind], vx, axes, vy)
    peers = library.peer_calls(kind, x, y, axes, other)
    times = median(library, weft, [call] + list(peers.values()), repeat)
    elements = math.prod(shape)
    moved = elements * size * (2 if whole else 1) + (0 if whole else math.prod(kept) * (size + (8 if kind == "argtop" else 0)))
    moved += math.prod(other.shape) * (8 if kind in TAKES else size) if kind in FORMULAS + TAKES + DOTS else 0
    text = f"{kind} {dtype}" + (f", axis {', '.join(map(str, axes))}" if axes else "")
    lengths, speed = " x ".join(power(n) for n in (shape[:-1] if kind == "fft" else shape)), f"{moved / times[0] / 1e9:.1f} GB/s"
    for name, peer in zip(peers, times[1:]):
        print(f"| {NAMES.get(kind, 'reduce_axes')} | {text} | {lengths} | | {speed} | {name} | "
              f"{moved / peer / 1e9:.1f} GB/s | {peer / times[0]:.2f}x | {library.machine} | "
              f"{datetime.date.today().isoformat()} | {commit} |", flush=True)
    of = moved / times[0] / (copying if whole else reading)
    return f"| {text} | {lengths} | {speed} | {of:.2f} of {'copying' if whole else 'reading'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--commit", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--only", help="rows whose operation and type contain this")
    options = parser.parse_args()
    library = Cuda() if options.device == "cuda" else Cpu()
    weft = Weft(options.library, options.device)
    reading, copying = speeds(library, weft, options.repeat, options.small)
    print(f"Reading {reading / 1e9:.0f} GB/s, copying {copying / 1e9:.0f} GB/s (read and written).\n")
    print("<!-- performance: table -->\n\n"
          "| operation | case | elements | threads | weft | peer | of the peer | ratio | machine | date | commit |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|")
    fractions = []
    for kind, dtype, shape, axes in ROWS:
        if options.only and options.only not in f"{kind} {dtype}":
            continue
        if options.small:
            shape = (shape[0] // 16, *shape[1:])
        fractions.append(row(library, weft, (kind, dtype, shape, axes), options.repeat, reading, copying,
                             options.commit))
    print("\n| case | elements | weft | of the memory |\n|---|---|---|---|", *fractions, sep="\n")


if __name__ == "__main__":
    main()
