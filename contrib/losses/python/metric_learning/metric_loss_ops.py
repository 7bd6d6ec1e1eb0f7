# SPDX-License-Identifier: Apache-2.0
"""Losses that bring embeddings of one label together and others apart."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, logging_ops, math_ops, nn_ops

__all__ = [
    "contrastive_loss",
    "lifted_struct_loss",
    "masked_maximum",
    "masked_minimum",
    "npairs_loss",
    "pairwise_distance",
    "triplet_semihard_loss",
]


def pairwise_distance(feature: TensorLike, squared: bool = False) -> ops.Tensor:
    """Distances of all rows of [n, d], [n, n]: 0 of a row and itself, with a gradient of 0 where they are 0."""
    feature = ops.convert_to_tensor(feature)
    norms = math_ops.reduce_sum(math_ops.square(feature), 1)
    cross = math_ops.matmul(feature, feature, transpose_b=True)
    squares = norms[:, None] - 2.0 * cross + norms[None, :]
    n = array_ops.shape(feature)[0]
    apart = 1.0 - array_ops.diag(array_ops.ones([n], feature.dtype))
    squares = math_ops.maximum(squares, 0.0) * apart
    if squared:
        return squares
    # The root's gradient is infinite at 0.
    zero = math_ops.cast(squares <= 0.0, feature.dtype)
    return math_ops.sqrt(squares + zero * 1e-16) * (1.0 - zero)


def masked_maximum(data: ops.Tensor, mask: ops.Tensor, dim: int = 1) -> ops.Tensor:
    """The greatest element along a dimension of those whose mask is 1, the least of all without one; the dimension stays."""
    least = math_ops.reduce_min(data, dim, keep_dims=True)
    return math_ops.reduce_max((data - least) * mask, dim, keep_dims=True) + least


def masked_minimum(data: ops.Tensor, mask: ops.Tensor, dim: int = 1) -> ops.Tensor:
    """The least element along a dimension of those whose mask is 1, the greatest of all without one; the dimension stays."""
    most = math_ops.reduce_max(data, dim, keep_dims=True)
    return math_ops.reduce_min((data - most) * mask, dim, keep_dims=True) + most


def _same(labels: Any, dtype: Any) -> ops.Tensor:
    """[n, n] of 1 where two labels, of [n], are equal."""
    labels = array_ops.reshape(ops.convert_to_tensor(labels), [-1])
    return math_ops.cast(math_ops.equal(labels[:, None], labels[None, :]), dtype)


def contrastive_loss(
    labels: TensorLike,
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    margin: float = 1.0,
) -> ops.Tensor:
    """The mean of y d^2 + (1 - y) max(margin - d, 0)^2 (Hadsell et al. 2006).

    Args:
        labels: [n], 1 for pairs that belong together, else 0.
        embeddings_anchor, embeddings_positive: [n, d], the pairs, whose distances are d.
        margin: how far pairs that do not belong together are to be apart.
    """
    anchor = ops.convert_to_tensor(embeddings_anchor)
    difference = math_ops.squared_difference(anchor, embeddings_positive)
    distance = math_ops.sqrt(math_ops.reduce_sum(difference, 1))
    together = math_ops.cast(labels, distance.dtype)
    near = together * math_ops.square(distance)
    far = (1.0 - together) * math_ops.square(math_ops.maximum(margin - distance, 0.0))
    return math_ops.reduce_mean(near + far, name="contrastive_loss")


def triplet_semihard_loss(
    labels: TensorLike, embeddings: TensorLike, margin: float = 1.0
) -> ops.Tensor:
    """The mean over positive pairs of max(margin + d(a, p) - d(a, n), 0), of squared distances (Schroff et al. 2015).

    The negative n of a pair is the nearest one that is farther from a than p; if there is none, the farthest.

    Args:
        labels: integers [n].
        embeddings: [n, d], which should have length 1.
        margin: by how much negatives are to be farther.
    """
    distances = pairwise_distance(embeddings, squared=True)
    same = _same(labels, distances.dtype)
    other = 1.0 - same
    # [anchor, positive, negative]
    farther = distances[:, None, :] > distances[:, :, None]
    mask = math_ops.cast(farther, distances.dtype) * other[:, None, :]
    spread = array_ops.tile(
        distances[:, None, :], [1, array_ops.shape(distances)[0], 1]
    )
    outside = masked_minimum(spread, mask, 2)[:, :, 0]
    inside = masked_maximum(distances, other)
    found = math_ops.reduce_max(mask, 2) > 0.0
    negative = array_ops.where(found, outside, inside + array_ops.zeros_like(distances))
    positive = same - array_ops.diag(array_ops.diag_part(same))
    loss = math_ops.maximum((margin + distances - negative) * positive, 0.0)
    return math_ops.truediv(
        math_ops.reduce_sum(loss),
        math_ops.reduce_sum(positive),
        name="triplet_semihard_loss",
    )


def npairs_loss(
    labels: TensorLike,
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> ops.Tensor:
    """Cross entropy of the choice of an anchor's positive, by inner products, plus the length of embeddings (Sohn
    2016).

    Args:
        labels: integers [n]; positives of equal labels share the probability.
        embeddings_anchor, embeddings_positive: [n, d].
        reg_lambda: a factor of a quarter of the mean squared lengths.
        print_losses: whether each run prints both parts.
    """
    anchor = ops.convert_to_tensor(embeddings_anchor)
    positive = ops.convert_to_tensor(embeddings_positive)
    lengths = [math_ops.reduce_mean(math_ops.reduce_sum(math_ops.square(e), 1)) for e in (anchor, positive)]  # fmt: skip # noqa: E501
    penalty = 0.25 * reg_lambda * (lengths[0] + lengths[1])
    similarity = math_ops.matmul(anchor, positive, transpose_b=True)
    same = _same(labels, similarity.dtype)
    wanted = same / math_ops.reduce_sum(same, 1, keep_dims=True)
    losses = nn_ops.softmax_cross_entropy_with_logits(labels=wanted, logits=similarity)
    entropy = math_ops.reduce_mean(losses, name="xentropy")
    if print_losses:
        entropy = logging_ops.Print(entropy, ["cross entropy:", entropy, "l2loss:", penalty])  # fmt: skip # noqa: E501
    return penalty + entropy


def lifted_struct_loss(
    labels: TensorLike, embeddings: TensorLike, margin: float = 1.0
) -> ops.Tensor:
    """Half the mean over positive pairs of max(J, 0)^2 (Oh Song et al. 2016).

    J of a pair is its distance and the logarithm of the sum of exp(margin - distance) over all negatives of both.

    Args:
        labels: integers [n].
        embeddings: [n, d].
        margin: how far negatives are to be.
    """
    distances = pairwise_distance(embeddings)
    same = _same(labels, distances.dtype)
    never = array_ops.fill(array_ops.shape(distances), distances.dtype.min / 4)
    far = array_ops.where(same > 0.0, never, margin - distances)
    of_row = math_ops.reduce_logsumexp(far, 1, keep_dims=True)
    both = array_ops.stack([of_row + array_ops.zeros_like(distances), array_ops.transpose(of_row) + array_ops.zeros_like(distances)])  # fmt: skip # noqa: E501
    values = math_ops.reduce_logsumexp(both, 0) + distances
    positive = same - array_ops.diag(array_ops.diag_part(same))
    squares = math_ops.square(math_ops.maximum(values, 0.0)) * positive
    # Each pair is there twice.
    pairs = math_ops.reduce_sum(positive) / 2.0
    return math_ops.truediv(0.25 * math_ops.reduce_sum(squares), pairs, name="liftedstruct_loss")  # fmt: skip # noqa: E501
