"""Writes the test vectors: all .json files of this folder, from the results of the specification (README.md).

    make.py WEFT"""
import json
import sys
import tempfile
from pathlib import Path

from vectors import run

NAN, INF = "7fc00000", "7f800000"


def seed(dtype, number, *shape):
    """An array of generated elements."""
    return {"type": dtype, "shape": list(shape), "seed": number}


def bits(dtype, words, *shape):
    """An array of given elements. `words` may contain products such as "80000000*300"."""
    listed = []
    for word in words.split():
        word, _, times = word.partition("*")
        listed += [word] * int(times or 1)
    return {"type": dtype, "shape": list(shape) or [len(listed)], "bits": " ".join(listed)}


# Operation: vectors (sections of ORDER.md, call of weft, arrays of the call)
VECTORS = {
    "sum": [
        ("3.1: the empty sum", "sum x.npy", {"x.npy": bits("f32", "", 0)}),
        ("1.6: a sum of negative zeros", "sum x.npy", {"x.npy": bits("f32", "80000000*300")}),
        ("2.3: three elements", "sum x.npy", {"x.npy": bits("f32", "3f800000 33800000 33800000")}),
        *((f"2.1, 2.3: {n} elements of f32, L = 128", "sum x.npy", {"x.npy": seed("f32", n, n)})
          for n in (127, 128, 129, 300)),
        *((f"2.1, 2.3: {n} elements of f64, L = 64", "sum x.npy", {"x.npy": seed("f64", n, n)})
          for n in (63, 64, 65, 300)),
        *((f"2.2, 2.4: {tiles} whole tiles of f32 and one element", "sum x.npy",
           {"x.npy": seed("f32", tiles, 4096 * tiles + 1)}) for tiles in (1, 2, 4, 6)),
        ("2.2, 2.4: 5 tiles of f64", "sum x.npy", {"x.npy": seed("f64", 7, 5 * 2048 - 3)}),
        ("2.1, 3.1: f32 accumulated in f64 has rows of 128 elements", "sum x.npy --accumulate f64",
         {"x.npy": seed("f32", 8, 5000)}),
        *((f"3.4: {n} elements of {t}, {lanes} lanes", f"sum x.npy --lanes {lanes}", {"x.npy": seed(t, n, n)})
          for t, n, lanes in (("f32", 5, 1), ("f32", 4099, 16), ("f64", 1000, 3), ("f64", 9000, 128),
                              ("f64", 100, 128))),
        ("3.4: f32 accumulated in f64", "sum x.npy --lanes 16 --accumulate f64", {"x.npy": seed("f32", 10, 1000)}),
        ("3.1: the elements of a matrix, in file order", "sum x.npy", {"x.npy": seed("f32", 9, 37, 21)}),
        ("1.1: subnormal numbers are kept", "sum x.npy", {"x.npy": bits("f32", "00000001*5 80000003 007fffff")}),
        ("1.1: the sum of finite numbers overflows", "sum x.npy", {"x.npy": bits("f32", "7f7fffff*2")}),
        ("1.3: infinities of both signs", "sum x.npy", {"x.npy": bits("f32", f"3f800000 {INF} ff800000")}),
        ("1.3: a NaN with sign and payload", "sum x.npy", {"x.npy": bits("f32", "3f800000 ffc12345 40000000")}),
        ("1.5: i8, sign-extended to 64 bits", "sum x.npy", {"x.npy": seed("i8", 10, 500)}),
        ("1.5: u64 modulo 2^64", "sum x.npy", {"x.npy": seed("u64", 11, 50)})],
    "dot": [
        ("5: empty arrays", "dot x.npy y.npy", {"x.npy": bits("f64", "", 0), "y.npy": bits("f64", "", 0)}),
        ("1.2, 5: the second product is fused", "dot x.npy y.npy",
         {"x.npy": bits("f32", "bf800000 00000000*127 3f800001"),
          "y.npy": bits("f32", "3f800002 00000000*127 3f800001")}),
        *((f"2, 5: {n} elements of {t}", "dot x.npy y.npy",
           {"x.npy": seed(t, 20 + n, n), "y.npy": seed(t, 21 + n, n)})
          for t, n in (("f32", 129), ("f32", 4097), ("f64", 65), ("f64", 2049 * 3))),
        ("5: f32 accumulated in f64", "dot x.npy y.npy --accumulate f64",
         {"x.npy": seed("f32", 22, 5000), "y.npy": seed("f32", 23, 5000)}),
        ("1.1, 5: the sum of a product and 1 + 2^-23 is next to a tie", "dot x.npy y.npy",
         {"x.npy": bits("f32", "3f800001 00000000*127 39800020"),
          "y.npy": bits("f32", "3f800000 00000000*127 397fffc0")}),
        ("1.1, 5: the sum of a product and 1 + 2^-52 is next to a tie", "dot x.npy y.npy",
         {"x.npy": bits("f64", "3ff0000000000001 0000000000000000*63 3e50000000400000"),
          "y.npy": bits("f64", "3ff0000000000000 0000000000000000*63 3e3fffffff800000")}),
        ("1.1, 5: a product of 2^-1075 is added to 2^-1074", "dot x.npy y.npy",
         {"x.npy": bits("f64", "0000000000000001 0000000000000000*63 1e60000000000000"),
          "y.npy": bits("f64", "3ff0000000000000 0000000000000000*63 1e50000000000000")}),
        ("1.3: the product of 0 and an infinity", "dot x.npy y.npy",
         {"x.npy": bits("f32", "00000000 3f800000"), "y.npy": bits("f32", f"{INF} 3f800000")}),
        ("1.5: i16, in 64 bits", "dot x.npy y.npy",
         {"x.npy": seed("i16", 24, 100), "y.npy": seed("i16", 25, 100)})],
    "scan": [
        *((f"6.2, 6.3: {n} elements of {t}", "scan x.npy -o y.npy", {"x.npy": seed(t, n, n)})
          for t, n in (("f32", 17), ("f32", 40), ("f64", 100), ("f32", 300), ("f32", 5000), ("f64", 70000))),
        ("6.4: exclusive", "scan x.npy --exclusive -o y.npy", {"x.npy": seed("f32", 30, 40)}),
        ("6.3: an initial value", "scan x.npy --init 3 -o y.npy", {"x.npy": seed("f32", 31, 40)}),
        ("6.3: exclusive, an initial value", "scan x.npy --exclusive --init -0.5 -o y.npy",
         {"x.npy": seed("f64", 32, 40)}),
        ("6.4: f32 accumulated in f64", "scan x.npy --accumulate f64 -o y.npy", {"x.npy": seed("f32", 33, 40)}),
        ("6.4: products", "scan x.npy --op prod -o y.npy", {"x.npy": seed("f32", 34, 60)}),
        ("6.4: exclusive products", "scan x.npy --op prod --exclusive -o y.npy", {"x.npy": seed("f64", 35, 40)}),
        ("6.3, 6.4: negative zeros", "scan x.npy -o y.npy", {"x.npy": bits("f32", "80000000*18")}),
        ("6.4: exclusive, negative zeros", "scan x.npy --exclusive -o y.npy",
         {"x.npy": bits("f32", "80000000*18")}),
        ("1.3: a NaN and infinities", "scan x.npy -o y.npy",
         {"x.npy": bits("f32", f"3f800000 {INF} 3f800000 ff800000 3f800000*14 ffc12345 3f800000")}),
        ("6.4: i8 wraps in its own width", "scan x.npy -o y.npy", {"x.npy": seed("i8", 36, 50)}),
        ("6.4: i8 in 64 bits", "scan x.npy --accumulate i64 -o y.npy", {"x.npy": seed("i8", 37, 50)}),
        ("6.4: u32, products", "scan x.npy --op prod -o y.npy", {"x.npy": seed("u32", 38, 30)})],
    "matmul": [
        *((f"13.1: {t}, {m} x {k} x {n}", "matmul a.npy b.npy -o c.npy",
           {"a.npy": seed(t, 40 + m, m, k), "b.npy": seed(t, 41 + m, k, n)})
          for t, m, k, n in (("f32", 2, 3, 2), ("f32", 5, 300, 4), ("f64", 5, 300, 4))),
        *((f"13.2: {t}, {m} x {k} x {n}: {parts}", "matmul a.npy b.npy -o c.npy",
           {"a.npy": seed(t, 50 + m, m, k), "b.npy": seed(t, 51 + m, k, n)})
          for t, m, k, n, parts in (("f32", 3, 1024, 2, "one part"), ("f32", 3, 1025, 2, "two parts of 1024"),
                                    ("f64", 2, 5000, 2, "five parts of 1024"),
                                    ("f32", 1, 256, 3, "one part of 256"),
                                    ("f32", 1, 1300, 3, "six parts of 256"),
                                    ("f64", 3, 700, 1, "three parts of 256"))),
        ("13.2: vectors", "matmul a.npy b.npy -o c.npy",
         {"a.npy": seed("f32", 60, 900), "b.npy": seed("f32", 61, 900, 2)}),
        ("13: transposed operands", "matmul a.npy b.npy --transpose ab -o c.npy",
         {"a.npy": seed("f32", 62, 20, 3), "b.npy": seed("f32", 63, 4, 20)}),
        ("13: f32 computed in f64", "matmul a.npy b.npy --accumulate f64 -o c.npy",
         {"a.npy": seed("f32", 64, 3, 50), "b.npy": seed("f32", 65, 50, 2)}),
        ("13.1: zeros and an infinity", "matmul a.npy b.npy -o c.npy",
         {"a.npy": bits("f32", "80000000 80000000 00000000 3f800000", 2, 2),
          "b.npy": bits("f32", f"3f800000 {INF} 3f800000 40000000", 2, 2)})],
    "random": [
        *((f"19.2: {name}, {t}", f"random {name} --n 20 --dtype {t} --seed 5 -o y.npy", {})
          for name in ("uniform", "normal", "lognormal", "exponential") for t in ("f32", "f64")),
        ("19.1: another stream, far from its beginning", "random uniform --n 9 --seed 81985529216486895 "
         "--stream 12345678901234 --first 1125899906842627 -o y.npy", {}),
        ("19.1: a type of 8 bytes from an odd sample on",
         "random normal --n 9 --first 4294967297 --dtype f64 -o y.npy", {}),
        ("19.2: parameters", "random normal --n 9 --mean 0.3 --deviation 2.7 -o y.npy", {}),
        ("19.2: bounds whose difference rounds", "random uniform --n 40 --lower 0.1 --upper 0.10000003 -o y.npy",
         {}),
        ("19.2: exponential with a rate", "random exponential --n 9 --rate 0.3 --dtype f64 -o y.npy", {}),
        ("19.2: many normal samples: all parts of probit", "random normal --n 5000 --dtype f64 -o y.npy", {}),
        *((f"19.2: bernoulli, probability {p}", f"random bernoulli --n 40 --probability {p} -o y.npy", {})
          for p in ("0.3", "1")),
        *((f"19.3: {t} from {a} to {b}", f"random integers --n 20 --dtype {t} --lower={a} --upper={b} -o y.npy",
           {})
          for t, a, b in (("i64", 1, 6), ("i32", -2147483648, 2147483647), ("u32", 7, 3000000000),
                          ("u64", 0, 18446744073709551615), ("i64", -9223372036854775808, 4611686018427387904))),
        *((f"19.4: {name}", f"random {name} --n 30 --seed 3 --mean 0.5 --deviation 1.5 -o y.npy", {})
          for name in ("normal_fast", "lognormal_fast")),
        ("19.4: lognormal_fast: 0, subnormal numbers and infinities",
         "random lognormal_fast --n 60 --deviation 80 -o y.npy", {})],
    "price": [
        *((f"21.4: {name}", f"price {name} --paths 500 --steps 3 --sigma 0.3 --start 1.02", {})
          for name in ("call", "put", "digital-call", "digital-put", "asian-call", "asian-put", "geometric-call",
                       "geometric-put", "lookback-call", "lookback-put", "floating-asian-call",
                       "floating-asian-put",
                       "floating-lookback-call", "floating-lookback-put", "double-digital")),
        ("21.6: more than one tile of paths", "price call --paths 5000 --steps 2", {}),
        ("21: paths in f32", "price asian-call --paths 500 --steps 5 --dtype f32 --sigma 0.3 --start 1.1", {}),
        ("21.1, 21.3: a basket, Euler's steps",
         "price call --paths 500 --steps 3 --scheme euler --start 1.1,0.9,1.3 "
         "--sigma 0.3,0.2,0.25 --rho 0.3 --weights 0.2,1.5,-0.3", {}),
        *((f"21.4: barrier {kind}",
           f"price call --paths 500 --steps 5 --sigma 0.2 --barrier {kind} --level {level}", {})
          for kind, level in (("up-out", 1.3), ("up-in", 1.2), ("down-out", 0.9), ("down-in", 0.95))),
        ("21.5: antithetic paths", "price put --paths 500 --steps 3 --antithetic", {}),
        ("21.5: deltas and vegas", "price double-digital --paths 500 --steps 3 --greeks", {}),
        ("21.7: the basket as control, f32, Euler's steps",
         "price call --paths 500 --steps 3 --scheme euler --control "
         "--dtype f32 --start 1.1,0.9 --sigma 0.3,0.2", {}),
        ("21.7: the geometric mean as control", "price asian-put --paths 500 --steps 3 --control --sigma 0.3", {}),
        ("21.2: fast normals", "price call --paths 500 --steps 3 --dtype f32 --fast-normals", {}),
        ("21.2, 21.9, 24: Sobol points", "price asian-call --paths 512 --steps 4 --sobol 4", {}),
        ("21.2, 21.9, 24: Sobol points, f32", "price double-digital --paths 512 --steps 2 --sobol 2 --dtype f32",
         {})],
    "reduce": [
        *((f"3.1: prod, {t}", "prod x.npy", {"x.npy": seed(t, 70, 30)}) for t in ("f32", "f64", "i32")),
        ("1.4: min, -0 < +0", "min x.npy", {"x.npy": bits("f32", "00000000 80000000 00000000")}),
        ("1.4: max of a NaN", "max x.npy", {"x.npy": bits("f32", "3f800000 ffc12345 40000000")}),
        ("1.4: argmin, the first of equal elements", "argmin x.npy",
         {"x.npy": bits("f32", "3f800000 80000000 80000000")}),
        *((f"3.3: {name}, {t}", f"{name} x.npy", {"x.npy": seed(t, 71, 4100)})
          for name in ("mean", "norm1", "norm2", "norminf") for t in ("f32", "f64")),
        ("3.3: norm2, scaled by 2^-600", "norm2 x.npy", {"x.npy": bits("f64", "7fe8000000000000*2")}),
        ("3.3: norm2, scaled by 2^600", "norm2 x.npy", {"x.npy": bits("f64", "0000000000000003*5")}),
        *((f"4: variance, {t}", "variance x.npy --ddof 1", {"x.npy": seed(t, 72, 4100)}) for t in ("f32", "f64")),
        ("30: exact sum", "sum x.npy --accumulate exact", {"x.npy": seed("f32", 73, 5000)}),
        ("30: exact dot product", "dot x.npy y.npy --accumulate exact",
         {"x.npy": seed("f64", 74, 500), "y.npy": seed("f64", 75, 500)})],
    "sort": [
        ("17: -0 before +0, NaNs last", "sort x.npy -o y.npy",
         {"x.npy": bits("f32", f"{NAN} 00000000 80000000 ff800000 ffc00001 3f800000 {INF} 00000001 80000001")}),
        ("17: descending, NaNs last", "sort x.npy --descending -o y.npy",
         {"x.npy": bits("f32", f"{NAN} 00000000 80000000 ff800000 ffc00001 3f800000 {INF} 00000001 80000001")}),
        ("17: i8", "sort x.npy -o y.npy", {"x.npy": seed("i8", 80, 100)}),
        ("17: argsort, stable", "argsort x.npy -o i.npy", {"x.npy": bits("u8", "03 01 02 01 03 00 01 02")})],
    "histogram": [
        ("11.2: even bins, f32", "histogram x.npy --bins 7 --lower -3 --upper 3.5 -o y.npy",
         {"x.npy": seed("f32", 90, 500)}),
        ("11.2: even bins, i32", "histogram x.npy --bins 10 --lower -2000000000 --upper 1999999999 -o y.npy",
         {"x.npy": seed("i32", 91, 500)}),
        ("11.1: edges; a NaN is in no bin", "histogram x.npy --edges e.npy -o y.npy",
         {"x.npy": bits("f32", f"{NAN} 00000000 80000000 3f800000 40000000 40400000"),
          "e.npy": bits("f32", "80000000 3f800000 40000000")})],
    "recurrence": [
        *((f"9: {n} elements of {t}", "recurrence s.npy u.npy -o v.npy",
           {"s.npy": seed(t, 100, n), "u.npy": seed(t, 101, n)})
          for t, n in (("f32", 16), ("f64", 40), ("f32", 300))),
        ("9: reverse, an initial value", "recurrence s.npy u.npy --reverse --init 2 -o v.npy",
         {"s.npy": seed("f64", 102, 40), "u.npy": seed("f64", 103, 40)}),
        ("9.2: a product of factors overflows before a factor 0", "recurrence s.npy u.npy -o v.npy",
         {"s.npy": bits("f32", "7f000000*30 00000000 3f800000*9"),
          "u.npy": bits("f32", "00000000*20 3f800000*20")})],
    "fft": [
        *((f"14.4: {n} values of {t}", "fft x.npy -o y.npy", {"x.npy": seed(t, 110, n)})
          for t, n in (("f32", 2), ("f32", 16), ("f64", 64))),
        ("14.4: complex values", "fft x.npy -o y.npy", {"x.npy": bits("complex f32", " ".join(
            f"{v:08x}" for v in (0x3f800000, 0xbf000000, 0x40490fdb, 0x3eaaaaab, 0xc0000000, 0x3dcccccd, 0,
                                 0x41200000)), 4)}),
        ("14.5: real values", "fft x.npy --real -o y.npy", {"x.npy": seed("f32", 111, 64)}),
        ("14.4: inverse", "fft x.npy --inverse -o y.npy", {"x.npy": seed("f64", 112, 32)})],
    "sobol": [
        *((f"24: {t}, scrambling {how}",
           f"sobol --dimensions 6 --n 10 --scramble {how} --seed 9 --dtype {t} -o y.npy", {})
          for t in ("f32", "f64") for how in ("none", "shift", "owen")),
        ("24: far points, the last coordinates",
         "sobol --dimensions 1111 --n 1 --first 123456789012345 --dtype f64 "
         "-o y.npy", {})],
}


def vector(weft, folder, name, call, inputs):
    clauses, _, title = name.partition(": ")
    words = call.split()
    return {"clauses": clauses, "title": title, "call": words, "inputs": inputs,
            "results": run([weft, "--device", "ref"], words, inputs, folder)}


def main(weft):
    with tempfile.TemporaryDirectory() as folder:
        for operation, rows in VECTORS.items():
            lines = [json.dumps(vector(weft, folder, *row)) for row in rows]
            path = Path(__file__).with_name(operation + ".json")
            path.write_text('{"order": 3, "vectors": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
