# SPDX-License-Identifier: Apache-2.0
"""Names of tf.contrib.eager in a program of graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.eager.python import metrics as metrics
from tensorwright.contrib.eager.python.function import defun
from tensorwright.python.client import device_lib
from tensorwright.python.framework import ops
from tensorwright.python.framework.framework_lib import executing_eagerly
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    resource_variable_ops,
    script_ops,
    variable_scope,
)
from tensorwright.python.ops.custom_gradient import custom_gradient
from tensorwright.python.ops.template import make_template
from tensorwright.python.training import optimizer, saver as tf_saver

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = [
    "EagerVariableStore",
    "Saver",
    "TensorSpec",
    "Variable",
    "custom_gradient",
    "defun",
    "executing_eagerly",
    "function",
    "get_optimizer_variables",
    "in_eager_mode",
    "list_devices",
    "make_template",
    "num_gpus",
    "py_func",
]

Variable = resource_variable_ops.ResourceVariable
function = defun
in_eager_mode = executing_eagerly


class _Value(np.ndarray):
    """An array with the method by which programs ask an eager tensor for its value."""

    def numpy(self) -> Any:
        """The value as NumPy has it."""
        array = np.asarray(self)
        return array[()] if array.ndim == 0 else array


def py_func(
    func: Callable[..., object],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    name: str | None = None,
) -> Any:
    """Calls a Python function on the values of tensors, in every run, as `tf.py_func` does.

    The function gets arrays that have the method `numpy()`, where TensorFlow has eager tensors; no gradient goes through
    it.

    Args:
        func: a function of as many arrays as `inp` has.
        inp: tensors.
        Tout: the dtype of the result, or a list of them.
        name: the op's name.
    """

    def call(*values: Any) -> Any:
        return func(*(np.asarray(v).view(_Value) for v in values))

    return script_ops.py_func(call, inp, Tout, name=name)


def get_optimizer_variables(opt: optimizer.Optimizer) -> list[Any]:
    """The variables that an optimizer keeps in the current graph."""
    return opt.variables()


def list_devices() -> list[str]:
    """The names of the devices of this process."""
    return [d.name for d in device_lib.list_local_devices()]


def num_gpus() -> int:
    """How many GPUs this process may use."""
    return sum(d.device_type == "GPU" for d in device_lib.list_local_devices())


class Saver:
    """Saves and restores variables in the default session.

    Args:
        var_list: variables, or a dict of them by their names in checkpoints.
        max_to_keep, keep_checkpoint_every_n_hours: as in `tf.train.Saver`.

    `save` and `restore` raise ValueError without a default session.
    """

    def __init__(
        self,
        var_list: Mapping[str, Variable] | Sequence[Variable],
        max_to_keep: int = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
    ):
        self._saver = tf_saver.Saver(
            var_list,
            max_to_keep=max_to_keep,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
        )

    @staticmethod
    def _session() -> Any:
        session = ops.get_default_session()
        if session is None:
            raise ValueError("tf.contrib.eager.Saver needs a default session")
        return session

    def save(self, file_prefix: str, global_step: Variable | int | None = None) -> str:
        """Writes a checkpoint; returns its path."""
        return self._saver.save(self._session(), file_prefix, global_step=global_step)

    def restore(self, file_prefix: str) -> None:
        """Reads one."""
        self._saver.restore(self._session(), file_prefix)


class EagerVariableStore:
    """Finds again the variables that a layer function made: `with store.as_default()`, the second time they are reused."""

    def __init__(self) -> None:
        self._scope: Any = None
        self._made: list[Any] = []

    @contextlib.contextmanager
    def as_default(self) -> Iterator[None]:
        """Makes or finds the variables of the functions that are called inside."""
        graph = ops.get_default_graph()
        before = len(graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES))
        scope = variable_scope.get_variable_scope()
        with variable_scope.variable_scope(
            scope, reuse=variable_scope.AUTO_REUSE, auxiliary_name_scope=False
        ):
            yield
        self._made += graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)[before:]

    def variables(self) -> list[Variable]:
        """All of them, by name."""
        return sorted(self._made, key=lambda v: v.name)

    def trainable_variables(self) -> list[Variable]:
        """Returns the variables that are trained."""
        trained = ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES)
        return [v for v in self.variables() if any(v is t for t in trained)]

    def non_trainable_variables(self) -> list[Variable]:
        """Returns the variables that are not trained."""
        trained = self.trainable_variables()
        return [v for v in self.variables() if not any(v is t for t in trained)]
