# SPDX-License-Identifier: Apache-2.0
"""Statistics of trees' leaves, as resources that are saved with a graph's variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_tensor_forest_ops, resources
from tensorwright.python.ops.gen_tensor_forest_ops import (
    finalize_tree,
    grow_tree_v4,
    process_input_v4,
)
from tensorwright.python.training import saver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.contrib.tensor_forest.python.forest_hparams import ForestHParams
    from tensorwright.python.framework.type_aliases import TensorLike

__all__ = [
    "FertileStatsVariableSavable",
    "fertile_stats_variable",
    "finalize_tree",
    "grow_tree_v4",
    "process_input_v4",
]


class FertileStatsVariableSavable(saver.BaseSaverBuilder.SaveableObject):
    """Saves and restores statistics: one string, which is empty without `checkpoint_stats`."""

    def __init__(
        self,
        params: ForestHParams,
        stats_handle: ops.Tensor,
        create_op: ops.Operation,
        name: str,
    ):
        self._serialized_params = params.serialized_params_proto
        self._create_op = create_op
        config = gen_tensor_forest_ops.fertile_stats_serialize(
            stats_handle, params=self._serialized_params
        )
        specs = [saver.BaseSaverBuilder.SaveSpec(config, "", name)]
        super().__init__(stats_handle, specs, name)

    def restore(
        self,
        restored_tensors: Sequence[ops.Tensor],
        restored_shapes: Sequence[TensorLike] | None,
    ) -> ops.Operation:
        del restored_shapes
        with ops.control_dependencies([self._create_op]):
            return gen_tensor_forest_ops.fertile_stats_deserialize(
                self.op, restored_tensors[0], params=self._serialized_params
            )


def fertile_stats_variable(
    params: ForestHParams,
    stats_config: TensorLike,
    name: str,
    container: str | None = None,
) -> ops.Tensor:
    """Makes statistics that the graph's savers save and its shared resources initialize.

    Args:
        params: the forest's, with `serialized_params_proto`.
        stats_config: a string scalar, the serialized statistics that they begin with; empty: none.
        name: the name of the resource.
        container: where it is kept.

    Returns:
        Its handle, a resource [].
    """
    with ops.name_scope(name, "FertileStatsVariable") as scope:
        handle = gen_tensor_forest_ops.fertile_stats_resource_handle_op(
            container or "", shared_name=scope.rstrip("/"), name=scope
        )
        create = gen_tensor_forest_ops.create_fertile_stats_variable(
            handle, stats_config, params=params.serialized_params_proto
        )
        is_there = gen_tensor_forest_ops.fertile_stats_is_initialized_op(handle)
        savable = FertileStatsVariableSavable(params, handle, create, handle.name)
        ops.add_to_collection(ops.GraphKeys.SAVEABLE_OBJECTS, savable)
        resources.register_resource(handle, create, is_there)
        return handle
