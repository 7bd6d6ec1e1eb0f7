# SPDX-License-Identifier: Apache-2.0
"""Results are the same if bits, shapes and dtypes are, and a NaN hides no difference."""

import numpy as np
import pytest

from tensorwright.tools.opcheck import sameness, signature as sig, wire

_NAN = float("nan")


def _arrays(*values, enum=sig.FLOAT):
    return [wire.encode(np.array(v, sig.numpy_type(enum)), enum) for v in values]


@pytest.mark.parametrize(
    ("a", "b", "same", "difference"),
    [
        ([1, 2], [1, 2], True, 0),
        ([1, 2], [1, 2.5], False, 0.5),
        ([1, _NAN], [1, _NAN], True, 0),
        ([1, _NAN], [1, 2], False, np.inf),
        ([1, 2], [1, _NAN], False, np.inf),
        ([_NAN, 2], [_NAN, 3], False, 1),
        ([np.inf, 1], [np.inf, 1], True, 0),
        ([np.inf, 1], [-np.inf, 1], False, np.inf),
        ([np.inf, 1], [5, 1], False, np.inf),
        ([1, 2], [[1, 2]], False, np.inf),
        ([], [], True, 0),
    ],
)
def test_floats_are_the_same_but_for_the_bits_of_a_nan(a, b, same, difference):
    assert sameness.same(_arrays(a), _arrays(b)) == same
    assert sameness.difference(_arrays(a), _arrays(b)) == difference


def test_each_part_of_a_complex_number_counts():
    pairs = [([_NAN + 1j], True), ([_NAN + 2j], False), ([1 + 1j], False)]
    for other, same in pairs:
        a, b = (_arrays(v, enum=sig.COMPLEX64) for v in ([_NAN + 1j], other))
        assert sameness.same(a, b) == same


def test_two_dtypes_of_the_same_bits_differ():
    a, b = _arrays([0, 0]), _arrays([0, 0], enum=sig.INT32)
    assert not sameness.same(a, b)
    assert sameness.difference(a, b) == np.inf


def test_one_result_too_many_is_refused():
    with pytest.raises(ValueError):
        sameness.same(_arrays([1]), _arrays([1], [2]))


@pytest.mark.parametrize(
    ("static", "shape", "compatible"),
    [
        (None, (2, 3), True),
        ([None, 3], (2, 3), True),
        ([2, 3], (2, 3), True),
        ([2, 4], (2, 3), False),
        ([2], (2, 3), False),
    ],
)
def test_promised_shapes(static, shape, compatible):
    assert sameness.compatible(static, shape) == compatible
