# SPDX-License-Identifier: Apache-2.0
"""The strategy of one device: code is written for several and runs on one."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.data.ops import dataset_ops
from tensorwright.python.distribute import distribute_lib as context
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorwright.python.data.ops import iterator_ops
    from tensorwright.python.data.ops.dataset_ops import Dataset
    from tensorwright.python.framework.type_aliases import T
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["OneDeviceStrategy"]


class OneDeviceStrategy(context.Strategy):
    """Makes variables, and runs the functions of replicas, on one device.

    Args:
        device: its name, such as "/cpu:0".

    Example:
        strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        with strategy.scope():
            iterator = strategy.make_dataset_iterator(dataset)
            loss = strategy.experimental_run(train_step, iterator)
        with tf.Session() as session:
            session.run([iterator.initialize(), tf.global_variables_initializer()])
            session.run(loss)
    """

    def __init__(self, device: str):
        self._device = device

    @property
    def worker_devices(self) -> list[str]:
        return [self._device]

    @property
    def parameter_devices(self) -> list[str]:
        """The devices of variables."""
        return [self._device]

    def non_slot_devices(self, var_list: Sequence[Variable]) -> list[str]:
        """The devices of the variables that an optimizer keeps beside its own."""
        del var_list
        return [self._device]

    @contextlib.contextmanager
    def scope(self) -> Iterator[context.Strategy]:
        """The device, and the strategy in force."""
        with ops.device(self._device), context.entered(self, None):
            yield self

    # --- Input ----------------------------------------------------------------------

    def distribute_dataset(self, dataset_fn: Any) -> Any:
        """Returns the dataset, or the result of a function."""
        return dataset_fn() if callable(dataset_fn) else dataset_fn

    experimental_distribute_dataset = distribute_dataset

    def make_dataset_iterator(self, dataset: Dataset) -> _Iterator:
        """An iterator over a dataset, which `iterator.initialize()` starts."""
        return _Iterator(dataset, self._device)

    def make_input_fn_iterator(
        self, input_fn: Callable[..., object], replication_mode: object = None
    ) -> _Iterator:
        """An iterator over the dataset that a function gives; the function may take a context with the counts."""
        del replication_mode
        takes = inspect.signature(input_fn).parameters
        return self.make_dataset_iterator(cast(Any, input_fn(context.InputContext()) if takes else input_fn()))  # fmt: skip # noqa: E501

    # --- Running --------------------------------------------------------------------

    def call_for_each_replica(
        self, fn: Callable[..., T], *args: Any, **kwargs: Any
    ) -> T:
        """Calls `fn` in a replica, with `args` and `kwargs`, or those that keywords of these names have."""
        if not args and set(kwargs) and set(kwargs) <= {"args", "kwargs"}:
            args, kwargs = tuple(kwargs.get("args") or ()), dict(kwargs.get("kwargs") or {})  # fmt: skip # noqa: E501
        kwargs.pop("run_concurrently", None)
        replica = context.ReplicaContext(self)
        with ops.device(self._device), context.entered(self, replica):
            return fn(*args, **kwargs)

    call_for_each_tower = call_for_each_replica

    def experimental_run_v2(
        self,
        fn: Callable[..., T],
        args: Sequence[object] = (),
        kwargs: object = None,
    ) -> T:
        """Calls `fn(*args, **kwargs)` in a replica, and returns its result."""
        return self.call_for_each_replica(fn, args=args, kwargs=kwargs or {})

    run = experimental_run_v2

    def experimental_run(
        self, fn: Callable[..., T], input_iterator: iterator_ops.Iterator | None = None
    ) -> T:
        """Calls `fn` in a replica with the next element of an iterator, and returns its result."""
        given = () if input_iterator is None else (input_iterator.get_next(),)
        return self.call_for_each_replica(fn, args=given)

    # --- Values ---------------------------------------------------------------------

    def broadcast(self, tensor: T, destinations: object = None) -> T:
        """The tensor."""
        del destinations
        return tensor

    broadcast_to = broadcast

    def reduce(
        self, reduce_op: Any, value: TensorLike, *others: Any, **kwargs: object
    ) -> Any:
        """`value`, of which there is one; with an int `axis`, its sum or mean along that.

        Args:
            reduce_op: SUM or MEAN.
            value: a tensor, or a structure of them.
            others: `axis` or destinations.

        Raises:
            ValueError: another `reduce_op`.
        """
        how = context.reduction(reduce_op)
        axis = kwargs.get("axis", others[0] if others else None)
        if isinstance(axis, bool) or not isinstance(axis, int):
            return value
        function = (
            math_ops.reduce_sum if how is context.ReduceOp.SUM else math_ops.reduce_mean
        )
        return nest.map_structure(lambda v: function(v, axis), value)

    reduce_to = reduce

    def batch_reduce(
        self, reduce_op: object, value_destination_pairs: Iterable[tuple[T, object]]
    ) -> list[T]:
        """The values."""
        return [
            self.reduce(reduce_op, cast(Any, value))
            for value, _ in value_destination_pairs
        ]

    def unwrap(self, value: T) -> list[T]:
        """The values of all replicas, of which there is one."""
        return [value]

    experimental_local_results = unwrap

    def value_container(self, value: T) -> T:
        """The value itself, which is a part of nothing else."""
        return value

    def group(self, value: TensorLike, name: str | None = None) -> ops.Operation:
        """An operation that runs after the value is there."""
        return control_flow_ops.group(*nest.flatten(value), name=name)

    def update(
        self, var: Variable, fn: Callable[..., T], *args: object, **kwargs: object
    ) -> T:
        """Calls `fn(var, *args, **kwargs)` on the variable's device, and returns its result."""
        kwargs.pop("grouped", None)
        with ops.colocate_with(var), context.entered(self, None):
            return fn(var, *args, **kwargs)

    def update_non_slot(
        self,
        colocate_with: object,
        fn: Callable[..., T],
        *args: object,
        **kwargs: object,
    ) -> T:
        """Calls `fn(*args, **kwargs)` on the device, and returns its result."""
        del colocate_with
        kwargs.pop("grouped", None)
        with ops.device(self._device), context.entered(self, None):
            return fn(*args, **kwargs)

    def read_var(self, replica_local_var: Variable) -> ops.Tensor:
        """The value of a variable."""
        return array_ops.identity(replica_local_var)

    def initialize(self) -> list[ops.Operation]:
        """Operations that start the devices: none."""
        return []

    def finalize(self) -> list[ops.Operation]:
        """Operations that stop the devices: none."""
        return []


class _Iterator:
    """An iterator of a dataset on a device."""

    def __init__(self, dataset: Any, device: str):
        with ops.device(device):
            self._iterator = dataset_ops.make_initializable_iterator(dataset)

    def initialize(self) -> list[ops.Operation]:
        """Operations that start it."""
        return [self._iterator.initializer]

    @property
    def initializer(self) -> ops.Operation:
        return self._iterator.initializer

    def get_next(self) -> Any:
        """The next element of each run."""
        return self._iterator.get_next()
