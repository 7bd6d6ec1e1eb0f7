# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: factors, least squares, principal components, linear operators, derivatives through them."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(22)
a = rng.normal(size=[6, 4])
symmetric = a.T @ a + np.eye(4)
general = rng.normal(size=[4, 4])
b = rng.normal(size=[6, 2])

m = tf.constant(a)
s, u, v = tf.svd(m)
q, r = tf.qr(m)
e, vectors = tf.self_adjoint_eig(symmetric)
factor = tf.cholesky(symmetric)
lu, order = tf.linalg.lu(general)
sign, log_det = tf.linalg.slogdet(general)
results = {
    "singular": s,
    "rebuilt": tf.reduce_max(tf.abs(tf.matmul(u * s, v, adjoint_b=True) - m)) < 1e-9,
    "qr": tf.abs(tf.matrix_diag_part(r)),
    "eigenvalues": e,
    "cholesky": factor,
    "lu": tf.matrix_diag_part(lu),
    "order": order,
    "log_det": sign * log_det,
    "det": tf.matrix_determinant(general),
    "inverse": tf.matrix_inverse(general),
    "solve": tf.matrix_solve(general, b[:4]),
    "triangular": tf.matrix_triangular_solve(factor, b[:4]),
    "least": tf.matrix_solve_ls(m, b, l2_regularizer=0.1),
    "least slow": tf.matrix_solve_ls(m, b, fast=False),
    "exponential": tf.linalg.expm(general / 4),
    "logarithm": tf.real(tf.linalg.logm(tf.cast(symmetric, tf.complex128))),
    "root": tf.linalg.sqrtm(symmetric),
    "band": tf.matrix_band_part(general, 1, 0),
    "trace": tf.trace(general),
    "norms": tf.stack([tf.norm(m), tf.norm(m, 1), tf.norm(m, np.inf)]),
    "kronecker": tf.linalg.LinearOperatorKronecker(
        [tf.linalg.LinearOperatorFullMatrix(general[:2, :2])] * 2
    ).to_dense(),
    "outer": tf.einsum("i,j->ij", m[0], m[1]),
    "cross": tf.cross(m[:, :3], m[:, 1:]),
    "global": tf.global_norm([m, m]),
    "tridiagonal": tf.linalg.tridiagonal_solve(
        tf.constant([[0.0, 1.0, 1.0], [4.0, 5.0, 6.0], [1.0, 1.0, 0.0]]),
        tf.constant([[1.0], [2.0], [3.0]]),
    ),
}
low_rank = tf.linalg.LinearOperatorLowRankUpdate(
    tf.linalg.LinearOperatorDiag([2.0, 3.0, 4.0], is_positive_definite=True),
    [[1.0], [0.5], [-1.0]],
)
chain = tf.linalg.LinearOperatorComposition(
    [low_rank, tf.linalg.LinearOperatorScaledIdentity(3, 2.0)]
)
toeplitz = tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, -1.0, 0.5])
operators = {
    "low rank": low_rank.solve([[1.0], [2.0], [3.0]]),
    "low rank det": low_rank.determinant(),
    "chain": chain.matmul(tf.eye(3)),
    "chain trace": chain.trace(),
    "toeplitz": toeplitz.matvec([1.0, 2.0, 3.0]),
}
x = tf.placeholder(tf.float64, [4, 4])
positive = tf.matmul(x, x, transpose_b=True) + tf.eye(4, dtype=tf.float64)
likelihood = 2 * tf.reduce_sum(tf.log(tf.matrix_diag_part(tf.cholesky(positive))))
smooth = tf.reduce_sum(tf.sqrt(tf.svd(x, compute_uv=False)))
gradients = {
    "of log det": tf.gradients(likelihood, x)[0],
    "of values": tf.gradients(smooth, x)[0],
    "of inverse": tf.gradients(tf.matrix_inverse(x)[0], x)[0],
}
centred = m - tf.reduce_mean(m, 0)
_, _, axes = tf.svd(centred)
projected = tf.matmul(centred, axes[:, :2])
with tf.Session() as session:
    for name, value in {**results, **operators}.items():
        print(name, *np.ravel(session.run(value)))
    for name, value in gradients.items():
        print(name, *session.run(value, {x: general}).ravel()[:6])
    print("components", *np.abs(session.run(projected)).sum(0))
    vector = session.run(vectors)[:, 0]
    print("eigenvector", *np.abs(vector))
