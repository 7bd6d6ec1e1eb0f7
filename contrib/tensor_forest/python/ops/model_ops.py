# SPDX-License-Identifier: Apache-2.0
"""Trees as resources that are saved with a graph's variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_tensor_forest_ops, resources
from tensorwright.python.ops.gen_tensor_forest_ops import (
    feature_usage_counts,
    traverse_tree_v4,
    tree_average_impurity,
    tree_predictions_v4,
    tree_size,
    update_model_v4,
)
from tensorwright.python.training import saver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.contrib.tensor_forest.python.forest_hparams import ForestHParams
    from tensorwright.python.framework.type_aliases import TensorLike

__all__ = [
    "TreeVariableSavable",
    "feature_usage_counts",
    "traverse_tree_v4",
    "tree_average_impurity",
    "tree_predictions_v4",
    "tree_size",
    "tree_variable",
    "update_model_v4",
]


class TreeVariableSavable(saver.BaseSaverBuilder.SaveableObject):
    """Saves and restores a tree: one string, the serialized model."""

    def __init__(
        self,
        params: ForestHParams,
        tree_handle: ops.Tensor,
        stats_handle: ops.Tensor | None,
        create_op: ops.Operation,
        name: str,
    ):
        del stats_handle  # The statistics are saved by themselves.
        self._serialized_params = params.serialized_params_proto
        self._create_op = create_op
        config = gen_tensor_forest_ops.tree_serialize(tree_handle)
        specs = [saver.BaseSaverBuilder.SaveSpec(config, "", name)]
        super().__init__(tree_handle, specs, name)

    def restore(
        self,
        restored_tensors: Sequence[ops.Tensor],
        restored_shapes: Sequence[TensorLike] | None,
    ) -> ops.Operation:
        del restored_shapes
        with ops.control_dependencies([self._create_op]):
            return gen_tensor_forest_ops.tree_deserialize(
                self.op, restored_tensors[0], params=self._serialized_params
            )


def tree_variable(
    params: ForestHParams,
    tree_config: TensorLike,
    stats_handle: ops.Tensor | None,
    name: str,
    container: str | None = None,
) -> ops.Tensor:
    """Makes a tree that the graph's savers save and its shared resources initialize.

    Args:
        params: the forest's, with `serialized_params_proto`.
        tree_config: a string scalar, the serialized `decision_trees.Model` that it begins with; empty: one leaf.
        stats_handle: the statistics of its leaves.
        name: the name of the resource.
        container: where it is kept.

    Returns:
        Its handle, a resource [].
    """
    with ops.name_scope(name, "TreeVariable") as scope:
        handle = gen_tensor_forest_ops.decision_tree_resource_handle_op(
            container or "", shared_name=scope.rstrip("/"), name=scope
        )
        create = gen_tensor_forest_ops.create_tree_variable(
            handle, tree_config, params=params.serialized_params_proto
        )
        is_there = gen_tensor_forest_ops.tree_is_initialized_op(handle)
        savable = TreeVariableSavable(params, handle, stats_handle, create, handle.name)
        ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, savable)
        resources.register_resource(handle, create, is_there)
        return handle
