# SPDX-License-Identifier: Apache-2.0
"""Transforms along any axes against NumPy's."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.ops import gen_spectral_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

# Shape, lengths, axes.
CASES = [
    ([4, 5, 6], [4, 5, 6], [0, 1, 2]),
    ([4, 5, 6], [6, 4], [2, 0]),
    ([4, 5, 6], [4, 6], [-3, -1]),
    ([4, 5, 6], [3, 5], [0, 2]),
    ([70, 3, 70], [3], [1]),
    ([5], [5], [0]),
    ([2, 3, 2, 5, 4], [3, 5, 2], [1, 3, 0]),
    ([3, 1, 4], [1, 4], [1, 2]),
    ([130, 16], [16], [1]),
]


def draw(shape, dtype, seed=0):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(size=shape)
    return x.astype(dtype)


def close(got, want, dtype):
    assert got.dtype == dtype and got.shape == want.shape
    scale = np.abs(want).max(initial=1)
    tolerance = 2e-6 if np.finfo(dtype).eps > 1e-10 else 1e-13
    np.testing.assert_allclose(got, want, atol=scale * tolerance, rtol=0)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("shape, lengths, axes", CASES)
def test_complex(shape, lengths, axes, dtype, known):
    x = draw(shape, dtype)
    for op, reference in (
        (gen_spectral_ops.fftnd, np.fft.fftn),
        (gen_spectral_ops.ifftnd, np.fft.ifftn),
    ):
        got = fed(lambda x: op(x, lengths, axes), x, known=known)
        close(got, reference(x.astype(np.complex128), lengths, axes), dtype)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape, lengths, axes", CASES)
def test_real_transforms_are_numpys(shape, lengths, axes, dtype, known):
    x = draw(shape, dtype)
    complex_ = np.complex64 if dtype == np.float32 else np.complex128
    got = fed(
        lambda x: gen_spectral_ops.rfftnd(x, lengths, axes, Tcomplex=complex_),
        x,
        known=known,
    )
    want = np.fft.rfftn(x.astype(np.float64), lengths, axes)
    close(got, want, complex_)
    back = fed(
        lambda y: gen_spectral_ops.irfftnd(y, lengths, axes, Treal=dtype),
        got,
        known=known,
    )
    close(back, np.fft.irfftn(want, lengths, axes), dtype)


@pytest.mark.parametrize(
    "lengths, axes", [([4, 3], [0, 2]), ([3, 4], [2, 1]), ([5], [1])]
)
def test_gradients(lengths, axes):
    x, c = draw([4, 5, 3], np.float64), draw([4, 5, 3], np.complex128)

    def parts(y):
        return tf.stack([tf.math.real(y), tf.math.imag(y)])

    ops = gen_spectral_ops
    check_gradient(
        lambda x: parts(ops.rfftnd(x, lengths, axes, Tcomplex=tf.complex128)), [x], [0]
    )

    def of_complex(op, **attrs):
        def run(x):
            y = op(tf.complex(x, 2 * x * x), lengths, axes, **attrs)
            return y if attrs else parts(y)

        return run

    check_gradient(of_complex(ops.fftnd), [c.real], [0])
    check_gradient(of_complex(ops.ifftnd), [c.real], [0])
    short = [min(n, 2 * (s - 1)) for n, s in zip(lengths, np.array([4, 5, 3])[axes])]
    lengths = [*lengths[:-1], short[-1]]
    check_gradient(of_complex(ops.irfftnd, Treal=tf.float64), [c.real], [0])


@pytest.mark.parametrize("norm", [None, "backward", "forward", "ortho"])
@pytest.mark.parametrize(
    "lengths, axes",
    [(None, None), (None, [0, 2]), ([6, 7], [0, 2]), ([3, 7], [-1, 0]), ([6, 7, 4], None), ([9, 5], None)],
)  # fmt: skip
def test_public_functions_are_those_of_numpy(norm, lengths, axes):
    x, c = draw([4, 5, 6], np.float64), draw([4, 5, 6], np.complex128)
    if axes is None and lengths is not None:
        places = list(range(3 - len(lengths), 3))
    else:
        places = axes
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        value = x if name == "rfftn" else c
        function = getattr(tf.signal, f"{name}d")
        got = fed(lambda v: function(v, lengths, axes, norm), value)
        want = getattr(np.fft, name)(value, lengths, places, norm)
        close(got, want, want.dtype)


def test_top_level_functions_are_the_ops():
    x = draw([4, 6], np.float32)
    got = fed(lambda x: tf.irfftnd(tf.rfftnd(x, [4, 6], [0, 1]), [4, 6], [0, 1]), x)
    close(got, x, np.float32)
    got = fed(
        lambda x: tf.ifftnd(tf.fftnd(x, [4], [0]), [4], [0]), x.astype(np.complex64)
    )
    close(got, x.astype(np.complex64), np.complex64)


def test_no_elements_and_no_axes():
    fft = gen_spectral_ops.fftnd
    empty = np.zeros([0, 3], np.complex64)
    assert fed(lambda x: fft(x, [3], [1]), empty).shape == (0, 3)
    x = draw([2, 3], np.complex64)
    assert fed(lambda x: fft(x, [0], [1]), x).shape == (2, 0)
    none = np.zeros(0, np.int32)
    np.testing.assert_array_equal(fed(lambda x: fft(x, none, none), x), x)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    "lengths, axes, words",
    [
        ([2, 2], [0], "in both shapes must be equal"),
        ([2], [2], r"axes\[0\] must be in"),
        ([2], [-3], r"axes\[0\] must be in"),
        ([-1], [0], r"fft_length\[0\] must be >= 0"),
        ([2, 2], [0, -2], "axes must be different"),
        ([5], [1], "length of at least 5"),
        ([[2]], [0], "rank 1"),
    ],
)
def test_bad_input(lengths, axes, words, known):
    x = draw([4, 3], np.complex64)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(
            lambda x, n, a: gen_spectral_ops.fftnd(x, n, a),
            x, np.int32(lengths), np.int32(axes), known=known,
        )  # fmt: skip


def test_a_real_transform_needs_as_many_numbers_as_its_length():
    x = draw([4, 3], np.float32)
    for lengths, axes, words in (([5], [1], "at least 5"), ([6, 2], [0, 1], "least 6")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            fed(gen_spectral_ops.rfftnd, x, np.int32(lengths), np.int32(axes))


def test_real_transforms_need_an_axis():
    x = np.zeros([2, 3], np.float32)
    none = np.zeros(0, np.int32)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="an axis"):
        fed(lambda x: gen_spectral_ops.rfftnd(x, none, none), x)


def test_bad_arguments_of_public_functions():
    with pytest.raises(ValueError, match="norm must be"):
        tf.signal.fftnd(np.zeros([2, 2], np.complex64), norm="orthogonal")
    with pytest.raises(ValueError, match="float32 is no dtype"):
        tf.signal.fftnd(np.zeros([2, 2], np.float32))
