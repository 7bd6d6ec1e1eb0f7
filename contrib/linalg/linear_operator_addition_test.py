# SPDX-License-Identifier: Apache-2.0
"""Sums of linear operators, and operators under their first names."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.linalg import linear_operator_addition as addition

pytestmark = pytest.mark.usefixtures("fresh_graph")

linalg = tf.contrib.linalg


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


def make():
    return {
        "identity": linalg.LinearOperatorIdentity(2),
        "scaled": linalg.LinearOperatorScaledIdentity(2, 3.0),
        "diag": linalg.LinearOperatorDiag([1.0, 5.0]),
        "tril": linalg.LinearOperatorTriL([[1.0, 0.0], [2.0, 3.0]]),
        "full": linalg.LinearOperatorFullMatrix([[1.0, 7.0], [2.0, 3.0]]),
    }


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["identity", "scaled"], linalg.LinearOperatorScaledIdentity),
        (["scaled", "diag", "identity"], linalg.LinearOperatorDiag),
        (["tril", "scaled", "tril"], linalg.LinearOperatorTriL),
        (["full", "diag", "tril", "scaled"], linalg.LinearOperatorFullMatrix),
        (["full"], linalg.LinearOperatorFullMatrix),
    ],
)
def test_sums_are_as_cheap_as_they_can_be(names, kind):
    found = make()
    operators = [found[n] for n in names]
    (total,) = linalg.add_operators(operators, operator_name="total")
    assert type(total) is kind
    got, *parts = run([total.to_dense(), *(o.to_dense() for o in operators)])
    np.testing.assert_allclose(got, sum(parts))


def test_tiers_say_what_is_added():
    found = make()
    tiers = [[addition.AddAndReturnDiag()]]
    left = linalg.add_operators(list(found.values()), addition_tiers=tiers)
    assert [type(o) for o in left] == [linalg.LinearOperatorDiag, linalg.LinearOperatorTriL, linalg.LinearOperatorFullMatrix]  # fmt: skip


def test_hints_are_kept():
    a = linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    (total,) = linalg.add_operators([a, a])
    assert total.is_positive_definite and total.is_non_singular


def test_an_update_of_low_rank():
    base = linalg.LinearOperatorIdentity(3)
    u = np.array([[1.0], [2.0], [0.0]], np.float32)
    update = linalg.LinearOperatorUDVHUpdate(base, u, diag_update=[2.0])
    np.testing.assert_allclose(run(update.to_dense()), np.eye(3) + 2 * u @ u.T, rtol=1e-6)  # fmt: skip
    product = linalg.LinearOperatorComposition([update, base])
    np.testing.assert_allclose(run(product.determinant()), 11.0, rtol=1e-5)


def test_what_is_no_sum_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        linalg.add_operators([])
    with pytest.raises(TypeError):
        linalg.add_operators(make()["diag"])
    with pytest.raises(TypeError):
        linalg.add_operators([1.0])
    with pytest.raises(ValueError, match="shape"):
        linalg.add_operators([linalg.LinearOperatorIdentity(2), linalg.LinearOperatorIdentity(3)])  # fmt: skip
    with pytest.raises(TypeError, match="dtype"):
        linalg.add_operators([linalg.LinearOperatorIdentity(2), linalg.LinearOperatorIdentity(2, dtype=tf.float64)])  # fmt: skip
