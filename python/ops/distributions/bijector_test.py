# SPDX-License-Identifier: Apache-2.0
"""Bijectors: methods that follow from a subclass's own, Jacobians of events, remembered and refused values."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops.distributions import bijector, identity_bijector

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


class _Exp(bijector.Bijector):
    """Y = exp(X), whose derivative is known as a function of Y."""

    def __init__(self):
        super().__init__(forward_min_event_ndims=0, name="exp")

    def _forward(self, x):
        return tf.exp(x)

    def _inverse(self, y):
        return tf.log(y)

    def _inverse_log_det_jacobian(self, y):
        return -tf.log(y)


class _Scale(bijector.Bijector):
    """Y = A X of vectors; its Jacobian is the same everywhere."""

    def __init__(self, matrix):
        self.matrix = tf.constant(matrix)
        super().__init__(
            [self.matrix],
            is_constant_jacobian=True,
            forward_min_event_ndims=1,
            dtype=tf.float64,
        )

    def _forward(self, x):
        return tf.tensordot(x, self.matrix, [[-1], [1]])

    def _forward_log_det_jacobian(self, x):
        return tf.log(tf.abs(self.matrix[0, 0] * self.matrix[1, 1]))


class _Duplicate(bijector.Bijector):
    """[n] -> [2 n]: an event of another shape."""

    def __init__(self):
        super().__init__(inverse_min_event_ndims=1)

    def _forward_event_shape(self, shape):
        return shape[:-1].concatenate(2 * shape[-1].value)

    def _forward_event_shape_tensor(self, shape):
        return tf.concat([shape[:-1], 2 * shape[-1:]], 0)


def test_each_direction_follows_from_the_other():
    x = np.random.RandomState(0).normal(size=[2, 3, 4])
    y = np.exp(x)
    ours = _Exp()
    np.testing.assert_allclose(_run(ours.forward(x)), y)
    np.testing.assert_allclose(_run(ours.inverse(y)), x, atol=1e-12)
    for ndims in range(4):
        expected = x.sum(axis=tuple(range(3 - ndims, 3)))
        forward = ours.forward_log_det_jacobian(x, ndims)
        inverse = ours.inverse_log_det_jacobian(y, ndims)
        np.testing.assert_allclose(_run(forward), expected, atol=1e-12)
        np.testing.assert_allclose(_run(inverse), -expected, atol=1e-12)


def test_a_constant_jacobian_counts_once_for_each_event_of_the_least_rank():
    matrix = np.array([[2.0, 0.0], [1.0, -3.0]])
    x = np.random.RandomState(1).normal(size=[5, 4, 3, 2])
    ours = _Scale(matrix)
    np.testing.assert_allclose(_run(ours.forward(x)), x @ matrix.T)
    for ndims, count in ((1, 1), (2, 3), (3, 12), (4, 60)):
        got = _run(ours.forward_log_det_jacobian(x, ndims))
        # The Jacobian determinant of a linear map is the determinant of its matrix.
        assert got == pytest.approx(count * np.log(abs(np.linalg.det(matrix))))


def test_what_was_mapped_is_not_mapped_back():
    ours = _Exp()
    x = tf.constant([1e-30, 300.0])
    y = ours.forward(x)
    assert ours.inverse(y) is x and ours.forward(x) is y
    jacobian = ours.inverse_log_det_jacobian(y, 1)
    assert ours.inverse_log_det_jacobian(y, 1) is jacobian
    assert ours.inverse_log_det_jacobian(y, 0) is not jacobian
    assert y.op.name.startswith("exp/forward/")


def test_identity():
    ours = identity_bijector.Identity()
    x = tf.constant([[1.0, 2.0]])
    assert ours.forward(x) is x and ours.inverse(x) is x
    assert _run(ours.forward_log_det_jacobian(x, 2)) == 0
    assert _run(ours.inverse_log_det_jacobian(x, 0)) == 0
    assert ours.is_constant_jacobian and ours.name == "identity"
    assert ours.forward_event_shape([2, 3]).as_list() == [2, 3]
    assert _run(ours.inverse_event_shape_tensor([2, 3])).tolist() == [2, 3]


def test_events_may_change_their_shape():
    ours = _Duplicate()
    assert ours.name == "duplicate" and ours.forward_min_event_ndims == 1
    assert ours.forward_event_shape([5, 3]).as_list() == [5, 6]
    assert _run(ours.forward_event_shape_tensor([5, 3])).tolist() == [5, 6]


def test_mistakes():
    for ndims in (0, 1.5, 2):
        with pytest.raises(
            ValueError, match=r"event_ndims must be an int in \[1, rank"
        ):
            _Scale(np.eye(2)).forward_log_det_jacobian(np.ones(2), ndims)
    with pytest.raises(TypeError, match="must be float64, got float32"):
        _Scale(np.eye(2)).forward(tf.ones([2]))
    with pytest.raises(NotImplementedError, match="inverse is not"):
        _Scale(np.eye(2)).inverse(np.ones(2))
    with pytest.raises(NotImplementedError, match="inverse_log_det_jacobian"):
        _Duplicate().forward_log_det_jacobian(np.ones(2), 1)
    with pytest.raises(ValueError, match="is needed"):
        bijector.Bijector()
    with pytest.raises(ValueError, match="int >= 0, got -1"):
        bijector.Bijector(forward_min_event_ndims=-1)
    with pytest.raises(ValueError, match=r"graph_parents\[0\]"):
        bijector.Bijector([1.0], forward_min_event_ndims=0)
