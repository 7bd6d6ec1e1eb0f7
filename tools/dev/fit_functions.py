# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials and quotients of polynomials of core/kernels/lib/cwise_ops_simd*.

Prints each table, its largest error in units of the type's precision, and that of the
table in the source.  Least squares at 60 digits are made minimax by Lawson's
reweighting: where the error is large, the weight grows.

    python tools/dev/fit_functions.py [--check] [name...]

With --check it fails if a table in the source is off by more than the fit is: by 5 % and
0.02 units, for the digits that the source rounds its table to.
"""

import argparse
import dataclasses
import decimal
import pathlib
import re
import sys
from collections.abc import Callable
from decimal import Decimal as D

ROOT = pathlib.Path(__file__).resolve().parents[2] / "core/kernels/lib"
DIGITS = 60
POINTS = 160
ROUNDS = 120

# ---- Functions ----------------------------------------------------------------------


def pi() -> D:
    """Computes pi by Machin's formula."""

    def arctan_of_inverse(n: int) -> D:
        total, power, k = D(0), D(1) / n, 0
        while abs(power) > D(10) ** -(decimal.getcontext().prec + 5):
            total += power / (2 * k + 1) * (-1) ** k
            power /= n * n
            k += 1
        return total

    return 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))


def series(first: D, ratio: Callable[[int], D]) -> D:
    """The sum of terms of which the k-th is the one before times ratio(k)."""
    total = term = first
    k = 1
    while abs(term) > abs(total) * D(10) ** -decimal.getcontext().prec:
        term *= ratio(k)
        total += term
        k += 1
    return total


def erf(x: D) -> D:
    """2 / sqrt(pi) e^(-x^2) sum of 2^k x^(2k+1) / (1 3 5 ...): no cancellation."""
    z = 2 * x * x
    return 2 / pi().sqrt() * (-x * x).exp() * series(x, lambda k: z / (2 * k + 1))


def scaled_erfc(x: D) -> D:
    """erfc(x) e^(x^2), with as many more digits as 1 - erf(x) loses."""
    with decimal.localcontext() as context:
        context.prec = DIGITS + int(x * x / D("2.3")) + 10
        value = (1 - erf(x)) * (x * x).exp()
    return +value


def tan(x: D) -> D:
    z = x * x
    sine = series(x, lambda k: -z / (2 * k * (2 * k + 1)))
    cosine = series(D(1), lambda k: -z / (2 * k * (2 * k - 1)))
    return sine / cosine


def tanh(x: D) -> D:
    e = (2 * x).exp()
    return (e - 1) / (e + 1)


def exp_after_line(r: D) -> D:
    """(e^r - 1 - r) / r^2."""
    return series(D("0.5"), lambda k: r / (k + 2))


# ---- Fits ---------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Fit:
    """Describes a function to approximate: `function(x)` by P(argument(x)) / Q(argument(x))."""

    low: str  # Limits of x, from which `argument` and `function` are computed.
    high: str
    argument: Callable[[D], D]
    function: Callable[[D], D]
    # The error of the result, relative to it, that an error of 1 in `function` makes.
    weight: Callable[[D], D]
    p: int  # Degrees.
    q: int
    bits: int  # The bits of the type.


def relative(function: Callable[[D], D]) -> Callable[[D], D]:
    return lambda x: 1 / function(x)


def _erf_over_x(x: D) -> D:
    return erf(x) / x


def _tanh_over_x(x: D) -> D:
    return tanh(x) / x


def _erfc_over_t(x: D) -> D:
    return scaled_erfc(x) * (x + 2)


def _tan_rest(r: D) -> D:
    return (tan(r) - r) / r**3


def _square(x: D) -> D:
    return x * x


def _inverse(x: D) -> D:
    return 1 / (x + 2)


QUARTER_PI = "0.78539816339744830961566"
HALF_LN2 = "0.34657359027997265470862"
FITS = {
    "kErfFloat": Fit(
        "1e-9", "3.95", _square, _erf_over_x, relative(_erf_over_x), 6, 4, 24
    ),
    "kErf": Fit("1e-9", "1", _square, _erf_over_x, relative(_erf_over_x), 6, 5, 53),
    "kErfcFloat": Fit(
        "0.4", "10.2", _inverse, _erfc_over_t, relative(_erfc_over_t), 4, 3, 24
    ),
    "kErfc": Fit(
        "0.9", "27.5", _inverse, _erfc_over_t, relative(_erfc_over_t), 10, 8, 53
    ),
    "kTanFloat": Fit(
        "1e-9", QUARTER_PI, _square, _tan_rest, lambda r: r**3 / tan(r), 2, 2, 24
    ),
    "kTan": Fit(
        "1e-9", QUARTER_PI, _square, _tan_rest, lambda r: r**3 / tan(r), 4, 4, 53
    ),
    "kTanhFloat": Fit(
        "1e-9", "9.02", _square, _tanh_over_x, relative(_tanh_over_x), 5, 4, 24
    ),
    "kExpFloat": Fit(
        "-" + HALF_LN2,
        HALF_LN2,
        lambda r: r,
        exp_after_line,
        lambda r: r * r / r.exp(),
        4,
        0,
        24,
    ),
}


def solve(a: list[list[D]], b: list[D]) -> list[D]:
    """a x = b, of a symmetric positive matrix."""
    n = len(b)
    rows = [[*row, value] for row, value in zip(a, b, strict=True)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            if factor:
                rows[r] = [
                    x - factor * y for x, y in zip(rows[r], rows[i], strict=True)
                ]
    x = [D(0)] * n
    for i in reversed(range(n)):
        rest = sum((rows[i][j] * x[j] for j in range(i + 1, n)), D(0))
        x[i] = (rows[i][n] - rest) / rows[i][i]
    return x


def polynomial(table: list[D], x: D) -> D:
    y = D(0)
    for c in reversed(table):
        y = y * x + c
    return y


@dataclasses.dataclass
class Sample:
    t: D
    f: D
    w: D


def samples(fit: Fit) -> list[Sample]:
    """Dense towards both ends, as extrema of the error are."""
    low, high = D(fit.low), D(fit.high)
    found = []
    for k in range(POINTS):
        angle = pi() * (2 * k + 1) / (2 * POINTS)
        cosine = series(D(1), lambda j: -angle * angle / (2 * j * (2 * j - 1)))
        x = (low + high) / 2 - (high - low) / 2 * cosine
        found.append(Sample(fit.argument(x), fit.function(x), fit.weight(x)))
    return found


def errors(points: list[Sample], p: list[D], q: list[D]) -> list[D]:
    return [
        abs(polynomial(p, s.t) / polynomial(q, s.t) - s.f) * abs(s.w) for s in points
    ]


def run(fit: Fit, points: list[Sample]) -> tuple[list[D], list[D]]:
    """The tables of P and Q, lowest power first; Q starts with 1."""
    size = fit.p + 1 + fit.q
    lawson = [D(1)] * len(points)
    below = [D(1)] * len(points)  # Q of the round before.
    rows = []
    for s in points:
        powers = [D(1)]
        for _ in range(max(fit.p, fit.q)):
            powers.append(powers[-1] * s.t)
        rows.append(powers[: fit.p + 1] + [-s.f * x for x in powers[1 : fit.q + 1]])
    best = None
    for _ in range(ROUNDS):
        a = [[D(0)] * size for _ in range(size)]
        b = [D(0)] * size
        for s, row, weight, q in zip(points, rows, lawson, below, strict=True):
            w = weight * (s.w / q) ** 2
            for i in range(size):
                wi = w * row[i]
                b[i] += wi * s.f
                for j in range(i + 1):
                    a[i][j] += wi * row[j]
        for i in range(size):
            for j in range(i):
                a[j][i] = a[i][j]
        x = solve(a, b)
        p, q = x[: fit.p + 1], [D(1), *x[fit.p + 1 :]]
        off = errors(points, p, q)
        if best is None or max(off) < best[0]:
            best = (max(off), p, q)
        below = [polynomial(q, s.t) for s in points]
        total = sum(w * e for w, e in zip(lawson, off, strict=True))
        lawson = [w * e / total * len(off) for w, e in zip(lawson, off, strict=True)]
    return best[1], best[2]


Tables = tuple[list[D], list[D]]


# ---- The source ---------------------------------------------------------------------


def tables_of_source() -> dict[str, Tables]:
    """P and Q by the name of their fit, lowest power first."""
    found = {}
    text = (ROOT / "cwise_ops_simd_special.cc").read_text()
    for name, values in re.findall(r"(k\w+[PQ])\[\] = \{([^}]*)\}", text):
        found[name] = numbers(values)
    text = (ROOT / "cwise_ops_simd-inl.h").read_text()
    for function in "Exp", "Tanh":
        body = text.split(f"V {function}OfFloats(")[1].split("\n}\n")[0]
        for name in "pq":
            # Horner's scheme, highest power first.
            found[f"k{function}Float{name.upper()}"] = numbers(
                ",".join(
                    re.findall(
                        rf"\b{name} = hn::\w+\((?:d|{name}, \w, hn::Set\(d), (-?\d[^f]*)f",
                        body,
                    )
                )
            )[::-1]
        found[f"k{function}FloatQ"].insert(0, D(1))
    return {name: (found[name + "P"], found[name + "Q"]) for name in FITS}


def numbers(text: str) -> list[D]:
    return [D(v) for v in re.findall(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?", text)]


def show(name: str, table: list[D], bits: int) -> str:
    digits = 12 if bits == 24 else 22
    with decimal.localcontext() as context:
        context.prec = digits
        return f"{name}: " + ", ".join(str(+c) for c in table)


def compare(name: str, ours: Tables) -> tuple[Tables, D, D]:
    """A fit of that name, its largest error and that of `ours`, in units."""
    with decimal.localcontext() as context:
        context.prec = DIGITS
        fit = FITS[name]
        points = samples(fit)
        tables = run(fit, points)
        unit = D(2) ** -fit.bits
        return (
            tables,
            max(errors(points, *tables)) / unit,
            max(errors(points, *ours)) / unit,
        )


def is_as_near(least: D, ours: D) -> bool:
    return ours <= least * D("1.05") + D("0.02")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", choices=[*FITS, []])
    args = parser.parse_args()
    source = tables_of_source()
    bad = 0
    for name in args.names or FITS:
        (p, q), least, ours = compare(name, source[name])
        print(show(name + "P", p, FITS[name].bits))
        print(show(name + "Q", q, FITS[name].bits))
        print(f"  error {least:.4g} units; the source's {ours:.4g}", flush=True)
        bad += args.check and not is_as_near(least, ours)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
