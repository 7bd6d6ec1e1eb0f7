# SPDX-License-Identifier: Apache-2.0
"""QuantizedRelu, QuantizedRelu6 and QuantizedReluX against their formulas in NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    INTEGERS,
    RANGES,
    codes,
    integers,
    limits,
    one_code,
)
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

F32 = np.float32
TYPES = ["quint8", "qint32"]


def all_codes(name, shape):
    """Codes over the whole range of the type, both ends among them."""
    low, high = limits(name)
    n = int(np.prod(shape))
    spread = np.linspace(low, high, n).round() if n > 1 else np.full(n, high)
    return spread.astype(INTEGERS[name]).reshape(shape)


def clamped(x, ends, name, ceiling):
    """Codes kept between those of 0 and of the ceiling."""
    low, high = limits(name)
    bounds = [0.0] if ceiling is None else [0.0, ceiling]
    bounds = [np.clip(one_code(b, *ends, name), low, high) for b in bounds]
    x = np.maximum(x, bounds[0])
    return x if ceiling is None else np.minimum(x, bounds[1])


def run(op, x, name, ends, *ceiling, known=False):
    """(codes, min, max) of the op."""
    out, low, high = fed(
        lambda x, *rest: op(x, *rest, out_type=getattr(tf, name)),
        codes(x, name),
        *(F32(c) for c in ceiling),
        *(F32(e) for e in ends),
        known=known,
    )
    return integers(out), low, high


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("ends", RANGES)
@pytest.mark.parametrize("name", TYPES)
def test_activations(name, ends, known):
    for shape in ([], [1], [257], [2, 0], [3, 5, 7], [16_411]):
        x = all_codes(name, shape)
        for op, ceiling in [
            (gen_nn_ops.quantized_relu, None),
            (gen_nn_ops.quantized_relu6, 6.0),
        ]:
            got, *range_ = run(op, x, name, ends, known=known)
            np.testing.assert_array_equal(got, clamped(x, ends, name, ceiling))
            assert tuple(range_) == tuple(F32(ends))
    for ceiling in (0.0, 1.5, 1e6, -1.0):
        got, *range_ = run(tf.nn.quantized_relu_x, x, name, ends, ceiling, known=known)
        np.testing.assert_array_equal(got, clamped(x, ends, name, ceiling))
        assert tuple(range_) == tuple(F32(ends))


def test_every_number_in_a_range_of_no_width_is_the_lowest_code():
    x = all_codes("quint8", [256])
    got, *_ = run(gen_nn_ops.quantized_relu, x, "quint8", (1, 1))
    np.testing.assert_array_equal(got, x)
    got, *_ = run(gen_nn_ops.quantized_relu6, x, "quint8", (1, 1))
    np.testing.assert_array_equal(got, np.zeros(256))


@pytest.mark.parametrize("ends", [(np.nan, 1), (-1, np.nan)])
def test_every_number_in_a_nan_range_is_the_lowest_code(ends):
    got, *range_ = run(
        gen_nn_ops.quantized_relu6, all_codes("quint8", [256]), "quint8", ends
    )
    np.testing.assert_array_equal(got, np.zeros(256))
    np.testing.assert_array_equal(range_, F32(ends))


def test_ranges_are_scalars():
    x = all_codes("quint8", [4])
    for op in (gen_nn_ops.quantized_relu, gen_nn_ops.quantized_relu6):
        for ends in [([0.0], 1.0), (0.0, [1.0, 2.0])]:
            with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
                run(op, x, "quint8", ends)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
        run(gen_nn_ops.quantized_relu_x, x, "quint8", (0, 1), [6.0])


def test_there_is_no_kernel_between_types():
    with pytest.raises((tf.errors.NotFoundError, tf.errors.InvalidArgumentError)):
        fed(
            lambda x: gen_nn_ops.quantized_relu(x, -1.0, 1.0, out_type=tf.quint8),
            codes(all_codes("qint16", [4]), "qint16"),
        )
