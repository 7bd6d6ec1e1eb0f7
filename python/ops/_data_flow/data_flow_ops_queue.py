# SPDX-License-Identifier: Apache-2.0
"""Queues: one run puts elements in, and another takes them out; a run that cannot go on waits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tensorwright.python.framework import (
    dtypes as dtypes_module,
    random_seed,
    tensor_shape,
)
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike
from tensorwright.python.ops import gen_data_flow_ops
from tensorwright.python.ops._data_flow.data_flow_ops_queue_base import (
    QueueBase,
    as_name_list,
    as_shape_list,
    as_type_list,
)


class FIFOQueue(QueueBase):
    """A queue that gives its elements in the order in which they came."""

    def __init__(
        self,
        capacity: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: ShapeLike | Sequence[ShapeLike] = None,
        names: str | Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ):
        """A new queue.

        Args:
            capacity: how many elements fit; negative: any number.
            dtypes: the dtypes of the components.
            shapes: the shapes of the components, known in full; None: any.
            names: the names of the components.
            shared_name: queues of this name, of one session, are one queue.
            name: the op's name.
        """
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, dtypes)
        names = as_name_list(names, dtypes)
        handle = gen_data_flow_ops._fifo_queue_v2(
            component_types=dtypes,
            shapes=shapes or [],
            capacity=capacity,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(dtypes, shapes, names, handle)


class RandomShuffleQueue(QueueBase):
    """A queue that gives its elements in random order."""

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: ShapeLike | Sequence[ShapeLike] = None,
        names: str | Sequence[str] | None = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ):
        """A new queue.

        Args:
            capacity: how many elements fit; negative: any number.
            min_after_dequeue: how many it keeps back, to choose from, until it is
                closed.
            dtypes: the dtypes of the components.
            shapes: the shapes of the components, known in full; None: any.
            names: the names of the components.
            seed: with the graph's, decides on the order.
            shared_name: queues of this name, of one session, are one queue.
            name: the op's name.
        """
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, dtypes)
        names = as_name_list(names, dtypes)
        graph_seed, op_seed = random_seed.get_seed(seed)
        if graph_seed is None and op_seed is None:
            graph_seed = op_seed = 0
        elif seed is None and shared_name is not None:
            # Ops that share the queue are at different places of their graphs, so the place does not count.
            text = f"{graph_seed}{shared_name}".encode()
            op_seed = int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF
        assert graph_seed is not None and op_seed is not None
        handle = gen_data_flow_ops._random_shuffle_queue_v2(
            component_types=dtypes,
            shapes=shapes or [],
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=graph_seed,
            seed2=op_seed,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(dtypes, shapes, names, handle)


class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue whose elements differ in size.

    `dequeue_many` and `dequeue_up_to` pad with zeros, or empty strings: in a dimension
    of unknown size, components get the largest size among those taken together.
    """

    def __init__(
        self,
        capacity: int,
        dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: ShapeLike | Sequence[ShapeLike],
        names: str | Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ):
        """A new queue.

        Args:
            capacity: the greatest number of elements; negative: any number.
            dtypes: the dtypes of the components.
            shapes: the shapes of the components; their ranks are known, sizes may be None.
            names: the names of the components.
            shared_name: queues of this name, of one session, are one queue.
            name: the op's name.

        Raises:
            ValueError: if a rank is not known, or there are not as many shapes as
                dtypes.
        """
        dtypes = as_type_list(dtypes)
        shapes = as_shape_list(shapes, dtypes, unknown_dim_allowed=True)
        if shapes is None:
            raise ValueError("A PaddingFIFOQueue must have shapes, got None")
        names = as_name_list(names, dtypes)
        handle = gen_data_flow_ops._padding_fifo_queue_v2(
            component_types=dtypes,
            shapes=shapes,
            capacity=capacity,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(dtypes, shapes, names, handle)


class PriorityQueue(QueueBase):
    """A queue that gives the element with the smallest priority first.

    The priority, an int64 scalar, is the first component: it is enqueued and
    dequeued with the others.  Among equal priorities, the element that came first is given.
    """

    def __init__(
        self,
        capacity: int,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: ShapeLike | Sequence[ShapeLike] = None,
        names: str | Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ):
        """A new queue.

        Args:
            capacity: how many elements fit; negative: any number.
            types: the dtypes of the components behind the priority; may be none.
            shapes: the shapes of these, known in full; None: any.
            names: the names of all components, the priority's first.
            shared_name: queues of this name, of one session, are one queue.
            name: the op's name.
        """
        types = as_type_list(types)
        shapes = as_shape_list(shapes, types)
        handle = gen_data_flow_ops._priority_queue_v2(
            component_types=types,
            shapes=shapes or [],
            capacity=capacity,
            shared_name=shared_name or "",
            name=name,
        )
        dtypes = [dtypes_module.int64, *types]
        names = as_name_list(names, dtypes)
        scalar = tensor_shape.TensorShape([])
        if shapes is None and types:
            shapes = [tensor_shape.unknown_shape()] * len(types)
        super().__init__(dtypes, [scalar, *(shapes or [])], names, handle)
