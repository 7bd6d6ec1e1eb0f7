# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training by collectives: every process has all variables, and MPI makes the mean of gradients.

Two lines make a program of one process one of many, as users of Horovod know it:

    import tensorwright.cluster.mpi as hvd
    hvd.init()
    ...
    optimizer = hvd.DistributedOptimizer(tf.train.AdamOptimizer(1e-3 * hvd.size()))
    hooks = [hvd.BroadcastGlobalVariablesHook(0)]
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session: ...

    mpirun -np 4 python program.py

All processes build the same graph.  The MPI is the system's; nothing here brings one.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import weakref
from typing import TYPE_CHECKING, Any

import tensorwright as tf
from tensorwright.python.framework import cluster_library, errors, load_library, ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    SessionLike,
    ShapeLike,
    TensorLike,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorwright.python.training.coordinator import Coordinator


_FILE = "libtensorwright_mpi.so"
# The group of all processes.
_WORLD = 1

_lock = threading.Lock()
_ops: Any = None
_core: ctypes.CDLL | None = None
_world: tuple[int, int, int, int] | None = None
_keys: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


def _library() -> Any:
    """The wrappers of the ops; loads the library, and MPI with it, without starting that."""
    global _ops, _core
    with _lock:
        if _ops is None:
            places = cluster_library.places_of(_FILE, "TENSORWRIGHT_MPI_LIBRARY", "mpi")
            found = [place for place in places if place.exists()]
            if not found:
                raise errors.NotFoundError(
                    None,
                    None,
                    f"Collectives need {_FILE}, which is not part of this installation: "
                    "install tensorwright-cluster, or build "
                    f"//core/distributed_runtime/mpi:{_FILE}. Looked at: "
                    + ", ".join(map(str, places)),
                )
            # Its plug-ins look for MPI's functions among those of the whole process.
            ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
            _ops = load_library.load_op_library(str(found[0]))
            _core = ctypes.CDLL(str(found[0]))
        return _ops


# ---------------------------------------------------------------------------------------------------------------------
# The processes.


def init() -> None:
    """Starts MPI; once is enough, again does nothing.  A program that mpirun did not start is a world of one.

    Raises:
        NotFoundError: if the library, or the system's MPI, is not there.
        FailedPreconditionError: if it was shut down.
    """
    global _world
    if _world is not None:
        return
    try:
        _library()
    except OSError as error:
        raise errors.NotFoundError(
            None, None, f"Collectives need Open MPI 4 (Debian: libopenmpi3): {error}"
        ) from None
    assert _core is not None
    values = (ctypes.c_int * 4)()
    words = ctypes.create_string_buffer(1024)
    start = _core.TensorwrightMpiStart
    start.restype = ctypes.c_bool
    if not start(values, words, len(words)):
        raise errors.FailedPreconditionError(None, None, words.value.decode())
    _world = tuple(values)  # type: ignore[assignment]
    atexit.register(shutdown)


def shutdown() -> None:
    """Ends MPI, for all processes: collectives that wait fail with UnavailableError.

    The end of a program does it.
    """
    global _world
    if _world is not None:
        _world = None
        assert _core is not None
        _core.TensorwrightMpiStop()


def is_initialized() -> bool:
    return _world is not None


def _of_world(index: int) -> int:
    if _world is None:
        raise ValueError("tensorwright.cluster.mpi: init() has not been called")
    return _world[index]


def rank() -> int:
    """This process's number, from 0; ValueError before init(), here as below."""
    return _of_world(0)


def size() -> int:
    """How many processes there are."""
    return _of_world(1)


def local_rank() -> int:
    """This process's number among those of its machine."""
    return _of_world(2)


def local_size() -> int:
    """How many processes there are on this machine."""
    return _of_world(3)


# ---------------------------------------------------------------------------------------------------------------------
# The ops, as later TensorFlow's collective_ops has them.


def all_reduce(
    t: TensorLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    merge_op: str = "Add",
    final_op: str = "Id",
    subdiv_offsets: Sequence[int] = (0,),
    communication_hint: str = "auto",
    timeout: float = 0,
) -> tf.Tensor:
    """Merges `t` [...] of all members of a group elementwise: [...].

    Args:
        t: bfloat16, half, float, double, int32 or int64.
        group_size, group_key: the group: as many processes as name the key.
        instance_key: which collective of the group it is: equal in all members.
        merge_op: "Add", "Mul", "Min" or "Max".
        final_op: "Id", or "Div": by group_size.
        subdiv_offsets, communication_hint: taken for the sake of programs; MPI chooses its way.
        timeout: seconds until it fails with DeadlineExceededError; 0 for none.
    """
    return _library().collective_reduce(
        t,
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        merge_op=merge_op,
        final_op=final_op,
        subdiv_offsets=list(subdiv_offsets),
        communication_hint=communication_hint,
        timeout_seconds=timeout,
    )


def all_gather(
    t: TensorLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
    timeout: float = 0,
) -> tf.Tensor:
    """`t` [n, ...] of all members by rank, [n * group_size, ...]; arguments as for all_reduce."""
    return _library().collective_gather(
        t,
        shape=[0],
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        communication_hint=communication_hint,
        timeout_seconds=timeout,
    )


def broadcast_send(
    t: TensorLike,
    shape: ShapeLike,
    dtype: DTypeLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
    timeout: float = 0,
) -> tf.Tensor:
    """Gives `t`, of `shape` and `dtype`, to all other members, and returns it; arguments as for all_reduce."""
    if group_size <= 1:
        raise ValueError(f"broadcast_send: group_size must be > 1, got {group_size}")
    t = tf.convert_to_tensor(t)
    if t.dtype != tf.as_dtype(dtype):
        raise ValueError(f"broadcast_send: t must be {dtype}, got {t.dtype}")
    return _library().collective_bcast_send(
        t,
        shape=tf.TensorShape(shape),
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        communication_hint=communication_hint,
        timeout_seconds=timeout,
    )


def broadcast_recv(
    shape: ShapeLike,
    dtype: DTypeLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
    timeout: float = 0,
) -> tf.Tensor:
    """Returns the tensor of another member's broadcast_send, of `shape` and `dtype`; arguments as for all_reduce."""
    if group_size <= 1:
        raise ValueError(f"broadcast_recv: group_size must be > 1, got {group_size}")
    return _library().collective_bcast_recv(
        shape=tf.TensorShape(shape),
        T=tf.as_dtype(dtype),
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        communication_hint=communication_hint,
        timeout_seconds=timeout,
    )


@ops.RegisterGradient("CollectiveReduce")
def _collective_reduce_grad(op: ops.Operation, grad: tf.Tensor) -> list[Any]:
    """y_m = sum_k x_k in each member m, so d/dx_k = sum_m dy_m: another all-reduce; likewise for means."""
    merge = op.get_attr("merge_op")
    if merge != b"Add":
        raise LookupError(
            f"CollectiveReduce: there is a gradient of merge_op='Add' only, got {merge!r}"
        )
    return [
        all_reduce(
            grad,
            op.get_attr("group_size"),
            op.get_attr("group_key"),
            _next_key(),
            final_op=op.get_attr("final_op").decode(),
        )
    ]


ops.NotDifferentiable("CollectiveGather")
ops.NotDifferentiable("CollectiveBcastSend")
ops.NotDifferentiable("CollectiveBcastRecv")


# ---------------------------------------------------------------------------------------------------------------------
# Among all processes.


def _next_key() -> int:
    """A key for a collective of this graph: equal in all processes, as they build the same graph."""
    graph = ops.get_default_graph()
    with _lock:
        # Below are those that programs choose themselves.
        _keys[graph] = _keys.get(graph, 1 << 30) + 1
        return _keys[graph]


def allreduce(
    tensor: TensorLike, average: bool = True, name: str | None = None
) -> tf.Tensor | tf.IndexedSlices:
    """The mean of `tensor` [...] over all processes, or the sum; of IndexedSlices all rows of all of them.

    The order in which collectives run does not matter, and those that are ready together become one, up to
    TENSORWRIGHT_MPI_FUSE_BYTES (64 MiB).
    """
    if isinstance(tensor, tf.IndexedSlices):
        with tf.name_scope(name, "allreduce"):
            values = allgather(tensor.values)
            if average:
                values = values / tf.cast(size(), values.dtype)
            return tf.IndexedSlices(
                values, allgather(tensor.indices), tensor.dense_shape
            )
    with tf.name_scope(name, "allreduce", [tensor]):
        final = "Div" if average else "Id"
        return all_reduce(tensor, size(), _WORLD, _next_key(), final_op=final)


def allgather(tensor: TensorLike, name: str | None = None) -> tf.Tensor:
    """`tensor` [n, ...] of all processes by rank, [sum of n, ...]; n may be another one in each."""
    with tf.name_scope(name, "allgather", [tensor]):
        tensor = tf.convert_to_tensor(tensor)
        if size() == 1:
            return tf.identity(tensor)
        shape = tf.shape(tensor)
        rows = shape[:1]
        counts = all_gather(rows, size(), _WORLD, _next_key())
        most = tf.reduce_max(counts)
        filler = tf.zeros(tf.concat([most - rows, shape[1:]], 0), tensor.dtype)
        padded = tf.concat([tensor, filler], 0)
        gathered = all_gather(padded, size(), _WORLD, _next_key())
        real = tf.reshape(tf.sequence_mask(counts, most), [-1])
        gathered = tf.boolean_mask(gathered, real)
        gathered.set_shape([None, *tensor.shape.as_list()[1:]])
        return gathered


def broadcast(tensor: TensorLike, root_rank: int, name: str | None = None) -> tf.Tensor:
    """`tensor` of the process `root_rank`, in all of them; its shape must be known."""
    if not 0 <= root_rank < size():
        raise ValueError(
            f"broadcast: root_rank must be in [0, {size()}), got {root_rank}"
        )
    with tf.name_scope(name, "broadcast", [tensor]):
        tensor = tf.convert_to_tensor(tensor)
        if size() == 1:
            return tf.identity(tensor)
        if not tensor.shape.is_fully_defined():
            raise ValueError(
                f"broadcast: the shape of tensor must be known, got {tensor.shape}"
            )
        key = _next_key()
        if rank() == root_rank:
            return broadcast_send(
                tensor, tensor.shape, tensor.dtype, size(), _WORLD, key
            )
        return broadcast_recv(tensor.shape, tensor.dtype, size(), _WORLD, key)


# Types that broadcasts do not take -> one that they do, and that holds them.
_WIDER = {
    tf.bfloat16: tf.float32,
    tf.int8: tf.int32,
    tf.int16: tf.int32,
    tf.uint8: tf.int32,
    tf.uint16: tf.int32,
}


def broadcast_variables(
    variables: Iterable[tf.Variable], root_rank: int
) -> tf.Operation:
    """An op that gives each of `variables` the value that it has in the process `root_rank`."""
    assigned = []
    for variable in variables:
        value = tf.convert_to_tensor(variable)
        dtype = value.dtype.base_dtype
        sent = broadcast(tf.cast(value, _WIDER.get(dtype, dtype)), root_rank)
        assigned.append(variable.assign(tf.cast(sent, dtype)))
    return tf.group(*assigned)


def broadcast_global_variables(root_rank: int) -> tf.Operation:
    """broadcast_variables of all of tf.global_variables()."""
    return broadcast_variables(tf.global_variables(), root_rank)


class BroadcastGlobalVariablesHook(tf.train.SessionRunHook):
    """After a session is made, all processes have the variables of `root_rank`: initialized or restored there."""

    def __init__(self, root_rank: int):
        self._root_rank = root_rank
        self._op: tf.Operation | None = None

    def begin(self) -> None:
        if self._op is None or self._op.graph is not tf.get_default_graph():
            self._op = broadcast_global_variables(self._root_rank)

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        assert self._op is not None, "begin() makes it"
        session.run(self._op)


class DistributedOptimizer(tf.train.Optimizer):
    """`optimizer`, with the mean of all processes' gradients in the place of this one's.

    Each gradient's all-reduce begins when the gradient is there, while the others are still computed.

    Args:
        optimizer: a tf.train.Optimizer.
        name: the name of its ops.
        use_locking: as of any Optimizer; `optimizer` has its own.
        sparse_as_dense: make IndexedSlices dense first, which is faster where most rows have a gradient.
    """

    def __init__(
        self,
        optimizer: tf.train.Optimizer,
        name: str | None = None,
        use_locking: bool = False,
        sparse_as_dense: bool = False,
    ):
        super().__init__(use_locking, name or f"Distributed{type(optimizer).__name__}")
        self._optimizer = optimizer
        self._sparse_as_dense = sparse_as_dense

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """As the optimizer's, of all processes."""
        pairs = self._optimizer.compute_gradients(*args, **kwargs)
        if size() == 1:
            return pairs
        with tf.name_scope(f"{self._name}_allreduce"):
            return [(self._mean(grad), variable) for grad, variable in pairs]

    def _mean(self, grad: Any) -> Any:
        if grad is None:
            return None
        if self._sparse_as_dense and isinstance(grad, tf.IndexedSlices):
            grad = tf.convert_to_tensor(grad)
        return allreduce(grad)

    def apply_gradients(self, *args: Any, **kwargs: Any) -> tf.Operation:
        return self._optimizer.apply_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: object, **kwargs: object) -> list[str]:
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self, *args: object, **kwargs: object) -> list[tf.Variable]:
        return self._optimizer.variables(*args, **kwargs)
