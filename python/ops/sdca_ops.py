# SPDX-License-Identifier: Apache-2.0
"""Stochastic dual coordinate ascent (Shalev-Shwartz and Zhang, 2013) for linear models."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_sdca_ops
from tensorwright.python.ops.gen_sdca_ops import sdca_fprint, sdca_shrink_l1

__all__ = ["sdca_fprint", "sdca_optimizer", "sdca_shrink_l1"]


def sdca_optimizer(
    sparse_example_indices: Sequence[TensorLike],
    sparse_feature_indices: Sequence[TensorLike],
    sparse_feature_values: Sequence[TensorLike],
    dense_features: Sequence[TensorLike],
    example_weights: TensorLike,
    example_labels: TensorLike,
    sparse_indices: Sequence[TensorLike],
    sparse_weights: Sequence[TensorLike],
    dense_weights: Sequence[TensorLike],
    example_state_data: TensorLike,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    num_inner_iterations: int,
    adaptative: bool = True,
    name: str | None = None,
) -> tuple[ops.Tensor, list[ops.Tensor], list[ops.Tensor]]:
    """Runs one pass of coordinate ascent on the dual of a regularised linear model.

    The model minimises the sum of the examples' losses times their weights, plus l2 / 2 |w|^2 + l1 |w|.  Its weights
    are the caller's, moved towards 0 by l1 / l2 (`sdca_shrink_l1`); a pass returns the numbers to add to them.

    Args:
        sparse_example_indices: per group of sparse features, int64 [entries], the example of each; not decreasing.
        sparse_feature_indices: per group, int64 [entries], the feature of each.
        sparse_feature_values: per group, float32 [entries]; a group without has values of 1.
        dense_features: per dense group, float32 [examples, n].
        example_weights: float32 [examples].
        example_labels: float32 [examples]; 0 or 1 for losses of classes.
        sparse_indices: per sparse group, int64 [m], all features there are.
        sparse_weights: per sparse group, float32 [m], their weights.
        dense_weights: per dense group, float32 [n].
        example_state_data: float32 [examples, 4], the result of the last pass over these examples; zeros at first.
        loss_type: "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss" or "poisson_loss".
        l1: the cost of the weights' sizes.
        l2: the cost of their squares; more than 0.
        num_loss_partitions: how many such ops, each with a part of the data, change the weights at the same time.
        num_inner_iterations: has no effect; a pass is one pass.
        adaptative: whether to draw examples by how far they are from their optimum, some more than once, instead of
            each once.
        name: the op's name.

    Returns:
        out_example_state_data: float32 [examples, 4], dual variable, primal loss, dual loss and weight of each; the losses
            are those before the pass.
        out_delta_sparse_weights: per sparse group, [m].
        out_delta_dense_weights: per dense group, [n].

    Raises:
        InvalidArgumentError: in the run, for a label that the loss does not know, an example index out of range or out
            of order, a feature without a weight, or one that an example has twice.
    """
    return gen_sdca_ops.sdca_optimizer(
        sparse_example_indices, sparse_feature_indices, sparse_feature_values,
        dense_features, example_weights, example_labels, sparse_indices,
        sparse_weights, dense_weights, example_state_data, loss_type, l1, l2,
        num_loss_partitions, num_inner_iterations, adaptative=adaptative, name=name,
    )  # fmt: skip
