# SPDX-License-Identifier: Apache-2.0
"""The resources and operations of one tree of a forest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.tensor_forest.proto import (
    tensor_forest_params_pb2 as _params_proto,
)
from tensorwright.contrib.tensor_forest.python.forest_hparams import (
    ForestHParams,
    build_params_proto,
)
from tensorwright.contrib.tensor_forest.python.ops import (
    data_ops,
    model_ops,
    stats_ops,
)
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    variable_scope,
    variables as tf_variables,
)

if TYPE_CHECKING:
    from tensorwright.python.framework import sparse_tensor
    from tensorwright.python.framework.type_aliases import TensorLike

__all__ = [
    "ForestVariables",
    "RandomTreeGraphs",
    "TreeTrainingVariables",
    "TreeVariables",
    "get_epoch_variable",
]


def get_epoch_variable() -> TensorLike:
    """The variable in which `limit_epochs` counts, [1], or [0] if there is none."""
    for variable in tf_variables.local_variables():
        if "limit_epochs/epoch" in variable.op.name:
            return array_ops.reshape(variable, [1])
    return [0]


def _serialize(params: ForestHParams) -> None:
    """Makes the parameters' message, unless the caller has made one."""
    if not isinstance(
        getattr(params, "params_proto", None), _params_proto.TensorForestParams
    ):
        params.params_proto = build_params_proto(params)
    params.serialized_params_proto = params.params_proto.SerializeToString()


class TreeVariables:
    """The resources of one tree: `tree` and, in training, `stats`, the statistics of its leaves.

    Args:
        params: the forest's.
        tree_num: the number of the tree.
        training: whether it will grow.
        tree_config, tree_stat: serialized, what both begin with; empty: one leaf without examples.
    """

    def __init__(
        self,
        params: ForestHParams,
        tree_num: int,
        training: bool,
        tree_config: TensorLike = "",
        tree_stat: TensorLike = "",
    ):
        _serialize(params)
        self.stats: ops.Tensor | None = None
        if training:
            self.stats = stats_ops.fertile_stats_variable(
                params, tree_stat, self.get_tree_name("stats", tree_num)
            )
        self.tree = model_ops.tree_variable(
            params, tree_config, self.stats, self.get_tree_name("tree", tree_num)
        )

    def get_tree_name(self, name: str, num: int) -> str:
        return f"{name}-{num}"


# The name until TensorFlow 1.4.
TreeTrainingVariables = TreeVariables


class ForestVariables:
    """The resources of all trees, a sequence of TreeVariables.

    Args:
        params: the forest's.
        device_assigner: a device function, which places each tree.
        training: whether the trees will grow.
        tree_variables_class: makes the resources of a tree.
        tree_configs, tree_stats: what each tree begins with, and its statistics.
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Callable[[ops.Operation], str] | str | None,
        training: bool = True,
        tree_variables_class: Callable[..., TreeVariables] = TreeVariables,
        tree_configs: Sequence[TensorLike] | None = None,
        tree_stats: Sequence[TensorLike] | None = None,
    ):
        self.variables: list[TreeVariables] = []
        self.device_dummies: list[Any] = []
        for name, given in (("tree_configs", tree_configs), ("tree_stats", tree_stats)):
            if given is not None and len(given) != params.num_trees:
                raise ValueError(
                    f"{name} must have num_trees = {params.num_trees} elements, got {len(given)}"
                )
        with ops.device(device_assigner):
            for i in range(params.num_trees):
                dummy = variable_scope.get_variable(f"device_dummy_{i}", shape=[0])
                self.device_dummies.append(dummy)
        for i in range(params.num_trees):
            given = {}
            if tree_configs is not None:
                given["tree_config"] = tree_configs[i]
            if tree_stats is not None:
                given["tree_stat"] = tree_stats[i]
            with ops.device(self.device_dummies[i].device):
                made = tree_variables_class(params, i, training, **given)
            self.variables.append(made)

    def __setitem__(self, t: int, val: TreeVariables) -> None:
        self.variables[t] = val

    def __getitem__(self, t: int) -> TreeVariables:
        return self.variables[t]


class RandomTreeGraphs:
    """The operations of one tree.

    Args:
        variables: its resources.
        params: the forest's.
        tree_num: its number.
    """

    def __init__(self, variables: TreeVariables, params: ForestHParams, tree_num: int):
        self.variables = variables
        self.params = params
        self.tree_num = tree_num

    def _examples(
        self,
        input_data: TensorLike | None,
        sparse_features: sparse_tensor.SparseTensor | None,
    ) -> tuple[TensorLike, TensorLike, TensorLike, TensorLike]:
        data: TensorLike = [] if input_data is None else input_data
        if sparse_features is None:
            return data, array_ops.zeros([0], dtypes.int64), [], array_ops.zeros([0], dtypes.int64)  # fmt: skip # noqa: E501
        return (
            data,
            sparse_features.indices,
            sparse_features.values,
            sparse_features.dense_shape,
        )

    def training_graph(
        self,
        input_data: TensorLike | None,
        input_labels: TensorLike,
        random_seed: int,
        data_spec: data_ops.TensorForestDataSpec,
        sparse_features: sparse_tensor.SparseTensor | None = None,
        input_weights: TensorLike | None = None,
    ) -> ops.Operation:
        """An operation that trains the tree with a batch, and splits the leaves that have seen enough.

        Args:
            input_data: float [n, features], or None; and
            sparse_features: of that shape, or None.
            input_labels: float [n], classes, or [n, num_outputs] of a regression.
            random_seed: by which candidates are drawn; 0: another one in every run.
            data_spec: the kinds of columns.
            input_weights: float [n], or None, which is 1.

        Raises:
            ValueError: the tree was made for inference.
        """
        if self.variables.stats is None:
            raise ValueError(
                f"tree {self.tree_num} was made with training=False and cannot grow"
            )
        weights: TensorLike = [] if input_weights is None else input_weights
        examples = self._examples(input_data, sparse_features)
        spec = data_spec.SerializeToString()
        params = self.params.serialized_params_proto
        leaf_ids = model_ops.traverse_tree_v4(
            self.variables.tree, *examples, input_spec=spec, params=params
        )
        update_model = model_ops.update_model_v4(
            self.variables.tree, leaf_ids, input_labels, weights, params=params
        )
        finished_nodes = stats_ops.process_input_v4(
            self.variables.tree,
            self.variables.stats,
            *examples,
            input_labels,
            weights,
            leaf_ids,
            random_seed=random_seed,
            input_spec=spec,
            params=params,
        )
        with ops.control_dependencies([update_model]):
            return stats_ops.grow_tree_v4(
                self.variables.tree, self.variables.stats, finished_nodes, params=params
            )

    def inference_graph(
        self,
        input_data: TensorLike | None,
        data_spec: data_ops.TensorForestDataSpec,
        sparse_features: sparse_tensor.SparseTensor | None = None,
    ) -> tuple[ops.Tensor, ops.Tensor]:
        """Returns predictions, float [n, num_outputs], and the serialized TreePath of each example, [n].

        The predictions are probabilities of classes, or the outputs of a regression; paths are empty without
        `inference_tree_paths`.
        """
        return model_ops.tree_predictions_v4(
            self.variables.tree,
            *self._examples(input_data, sparse_features),
            input_spec=data_spec.SerializeToString(),
            params=self.params.serialized_params_proto,
        )

    def size(self) -> ops.Tensor:
        """How many nodes the tree has: int32 []."""
        return model_ops.tree_size(self.variables.tree)

    def average_impurity(self) -> ops.Tensor:
        """The mean of the leaves' Gini impurities times the weights of their examples: float []."""
        return model_ops.tree_average_impurity(self.variables.tree)

    def feature_usage_counts(self) -> ops.Tensor:
        """How many nodes test each feature: int32 [num_features]."""
        counts = model_ops.feature_usage_counts(
            self.variables.tree, params=self.params.serialized_params_proto
        )
        counts.set_shape([self.params.num_features])
        return counts
