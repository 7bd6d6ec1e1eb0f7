# SPDX-License-Identifier: Apache-2.0
"""Special functions of one argument against SciPy's."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table
from tensorwright.python.ops import gen_math_ops
from tensorwright.python.testing.op_testing import fed

BESSEL = (np.float16, np.float32, np.float64)
FLOATS = (np.float32, np.float64)


def _entry(name, span, reference=None, dtypes=FLOATS, tolerance=1.0):
    reference = reference or getattr(scipy.special, name)
    op = getattr(gen_math_ops, name)

    def wide(x):
        return reference(x.astype(np.float64))

    return op_table.Entry(name, op, wide, dtypes, span=span, tolerance=tolerance)


def _bessel(name, span, tolerance=1.0):
    reference = getattr(scipy.special, name)
    return _entry(f"bessel_{name}", span, reference, BESSEL, tolerance)


TABLE = [
    _bessel("i0", (-9, 9)),
    _bessel("i0e", (-9, 9)),
    _bessel("i1", (-9, 9)),
    _bessel("i1e", (-9, 9)),
    _bessel("j0", (-30, 30)),
    _bessel("j1", (-30, 30)),
    _bessel("k0", (0.05, 9)),
    _bessel("k0e", (0.05, 9)),
    _bessel("k1", (0.05, 9)),
    _bessel("k1e", (0.05, 9)),
    _bessel("y0", (0.05, 30)),
    _bessel("y1", (0.05, 30)),
    _entry("erfinv", (-0.999, 0.999)),
    _entry("ndtri", (0.0001, 0.9999)),
    _entry("expint", (0.05, 30), scipy.special.expi),
    _entry("spence", (0.01, 30)),
    _entry("dawsn", (-20, 20)),
    _entry("fresnel_cos", (-9, 9), lambda x: scipy.special.fresnel(x)[1], FLOATS, 4),
    _entry("fresnel_sin", (-9, 9), lambda x: scipy.special.fresnel(x)[0], FLOATS, 4),
]
test_values = op_table.values_test(TABLE)
test_gradients = op_table.gradients_test(TABLE)

NAN, INF = np.nan, np.inf
ENDS = {
    "bessel_i0": [(0, 1), (1e4, INF), (-INF, INF), (INF, INF)],
    "bessel_i1": [(0, 0), (1e4, INF), (-INF, -INF), (INF, INF)],
    "bessel_i0e": [(0, 1), (-INF, 0), (INF, 0)],
    "bessel_i1e": [(0, 0), (-INF, 0), (INF, 0)],
    "bessel_j0": [(0, 1), (INF, 0), (-INF, 0)],
    "bessel_j1": [(0, 0), (INF, 0)],
    "bessel_k0": [(0, INF), (-2, INF), (INF, 0), (1e4, 0)],
    "bessel_k1": [(0, INF), (-2, INF), (INF, 0), (1e4, 0)],
    "bessel_k0e": [(0, INF), (-2, INF), (INF, 0)],
    "bessel_k1e": [(0, INF), (-2, INF), (INF, 0)],
    "bessel_y0": [(0, -INF), (-2, -INF), (INF, 0)],
    "bessel_y1": [(0, -INF), (-2, -INF), (INF, 0)],
    "erfinv": [(-1, -INF), (1, INF), (1.5, NAN), (-1.5, NAN), (0, 0)],
    "ndtri": [(0, -INF), (1, INF), (0.5, 0), (-0.1, NAN), (1.1, NAN)],
    "expint": [(0, -INF), (INF, INF), (-1, NAN)],
    "spence": [(0, np.pi**2 / 6), (1, 0), (INF, -INF), (-1, NAN)],
    "dawsn": [(0, 0), (INF, 0), (-INF, 0)],
    "fresnel_cos": [(0, 0), (INF, 0.5), (-INF, -0.5), (1e20, 0.5)],
    "fresnel_sin": [(0, 0), (INF, 0.5), (-INF, -0.5), (1e20, 0.5)],
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ENDS)
def test_ends_of_the_domain(name, dtype):
    x, want = np.array([*ENDS[name], (NAN, NAN)], dtype).T
    got = fed(getattr(gen_math_ops, name), x)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-30)


@pytest.mark.parametrize("name", ["i0e", "i1e", "k0e", "k1e"])
def test_scaled_functions_of_large_arguments(name):
    x = np.array([499.0, 501, 700, 720, 1e5, 1e30])
    got = fed(getattr(gen_math_ops, f"bessel_{name}"), x)
    np.testing.assert_allclose(got, getattr(scipy.special, name)(x), rtol=1e-13)


def test_functions_of_large_arguments_where_the_power_overflows():
    x = np.array([600.0, 705, 712])
    for name in ("i0", "i1"):
        got = fed(getattr(gen_math_ops, f"bessel_{name}"), x)
        want = getattr(scipy.special, f"{name}e")(x) * np.exp(x / 2) * np.exp(x / 2)
        np.testing.assert_allclose(got, want, rtol=1e-12)
    for name in ("k0", "k1"):
        got = fed(getattr(gen_math_ops, f"bessel_{name}"), x)
        np.testing.assert_allclose(got, getattr(scipy.special, name)(x), rtol=1e-12)


@pytest.mark.parametrize("name", ["spence", "dawsn", "fresnel_cos", "fresnel_sin"])
def test_no_jump_where_the_formula_changes(name):
    reference = {
        "fresnel_cos": lambda x: scipy.special.fresnel(x)[1],
        "fresnel_sin": lambda x: scipy.special.fresnel(x)[0],
    }.get(name) or getattr(scipy.special, name)
    for at in (0.5, 1.5, 2.0, 12.0):
        x = np.nextafter([at, at, at], [0, at, 100])
        np.testing.assert_allclose(
            fed(getattr(gen_math_ops, name), x), reference(x), rtol=1e-13
        )


def test_gradients_at_zero_are_the_limits():
    with tf.Session() as session:
        x, one = tf.constant(np.zeros(2)), tf.constant(np.ones(2))
        ops = [gen_math_ops.bessel_i1, gen_math_ops.bessel_i1e, gen_math_ops.bessel_j1]
        for op in ops:
            (slope,) = session.run(tf.gradients(op(x), x))
            np.testing.assert_array_equal(slope, [0.5, 0.5])
        (slope,) = session.run(tf.gradients(gen_math_ops.spence(one), one))
        np.testing.assert_array_equal(slope, [-1, -1])
