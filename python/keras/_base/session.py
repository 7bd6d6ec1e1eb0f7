# SPDX-License-Identifier: Apache-2.0
"""The session in which Keras runs, its learning phase, and the values of its variables."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.client.session import Session
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.keras._base import config
from tensorwright.python.ops import array_ops, variables as variables_lib

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.type_aliases import GraphElement


class _State(threading.local):
    def __init__(self) -> None:
        self.session: Any = None


_state = _State()
# Graph -> its learning phase: 0, 1, or the tensor that is fed.
_phases: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
# Session -> the ids of the variables that it has values of.
_initialized: weakref.WeakKeyDictionary[Any, set[int]] = weakref.WeakKeyDictionary()


def get_graph() -> ops.Graph:
    """The graph that layers are built in: the default graph."""
    return ops.get_default_graph()


def _current_session() -> Any:
    """The program's default session if it runs the default graph, else Keras's own, made anew for another graph."""
    graph = ops.get_default_graph()
    session = ops.get_default_session()
    if session is not None and session.graph is graph:
        return session
    if _state.session is None or _state.session.graph is not graph:
        _state.session = Session(graph=graph)
    return _state.session


def get_session() -> SessionInterface:
    """The session in which Keras runs, with every variable of its graph initialized.

    It is the program's default session if there is one (`with tf.Session():`), else Keras's own.
    """
    session = _current_session()
    if not config.is_manual_initialization():
        initialize_variables(session)
    return session


def set_session(session: SessionLike) -> None:
    """Makes Keras run in `session` from now on."""
    _state.session = session


def clear_session() -> None:
    """Forgets Keras's session, the default graph, and how names were counted."""
    ops.reset_default_graph()
    config.reset_uids()
    _state.session = None
    _phases.clear()


def initialize_variables(session: SessionInterface) -> None:
    """Runs the initializer of each variable that `session` has no value of."""
    # A variable lives as long as its graph, and the session holds that: its id stays its own.
    known = _initialized.setdefault(session, set())
    collection = session.graph.get_collection_ref(ops.GraphKeys.GLOBAL_VARIABLES)
    unsure = [v for v in collection if id(v) not in known]
    if not unsure:
        return
    with session.graph.as_default(), ops.init_scope():
        unsure = [v for v in unsure if isinstance(v, variables_lib.Variable)]
        has_value = session.run(
            [variables_lib.is_variable_initialized(v) for v in unsure]
        )
        missing = [v for v, is_there in zip(unsure, has_value) if not is_there]
        if missing:
            session.run(variables_lib.variables_initializer(missing))
    known.update(map(id, unsure))


def learning_phase() -> int | ops.Tensor:
    """1 in training and 0 in inference: a number after `set_learning_phase`, else a bool tensor that is False until fed."""
    graph = ops.get_default_graph()
    if graph not in _phases:
        with graph.control_dependencies(None), ops.name_scope(""):
            _phases[graph] = array_ops.placeholder_with_default(
                False, shape=(), name="keras_learning_phase"
            )
    return _phases[graph]


def set_learning_phase(value: int | bool) -> None:
    """Fixes the learning phase of the default graph.

    Raises:
        ValueError: `value` is neither 0 nor 1.
    """
    if value not in (0, 1):
        raise ValueError(f"set_learning_phase: value must be 0 or 1, got {value!r}")
    _phases[ops.get_default_graph()] = int(value)


@contextlib.contextmanager
def learning_phase_scope(value: int | bool) -> Iterator[None]:
    """Fixes the learning phase inside a with block."""
    graph = ops.get_default_graph()
    before = _phases.get(graph)
    set_learning_phase(value)
    try:
        yield
    finally:
        if before is None:
            del _phases[graph]
        else:
            _phases[graph] = before


def get_value(x: Any) -> Any:
    """The value of a variable as an array."""
    return x.eval(session=get_session())


def batch_get_value(tensors: Iterable[GraphElement]) -> list[Any]:
    """The values of several variables, read in one run."""
    tensors = list(tensors)
    return get_session().run(tensors) if tensors else []


def _setter(variable: Any) -> tuple[Any, Any]:
    """Returns the placeholder to feed and the operation to run that set `variable`; both are made once."""
    found = getattr(variable, "_keras_setter", None)
    if found is None:
        dtype = variable.dtype.base_dtype
        with ops.init_scope():
            fed = array_ops.placeholder(dtype, shape=variable.get_shape())
            found = variable._keras_setter = (fed, variable.assign(fed).op)
    return found


def set_value(x: object, value: object) -> None:
    """Gives the variable `x` the value of an array of its shape."""
    batch_set_value([(x, value)])


def batch_set_value(tuples: Iterable[tuple[Any, Any]]) -> None:
    """Gives variables the values of arrays of their shapes, in one run."""
    feeds, updates = {}, []
    for variable, value in tuples:
        fed, update = _setter(variable)
        feeds[fed] = np.asarray(value, dtype=variable.dtype.base_dtype.as_numpy_dtype)
        updates.append(update)
    if updates:
        get_session().run(updates, feed_dict=feeds)
