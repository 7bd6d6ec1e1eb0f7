# SPDX-License-Identifier: Apache-2.0
"""Scaffold, the operations that a session needs around a model; and the makers of sessions."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    Fetches,
    GraphElement,
    SessionLike,
)
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    lookup_ops,
    resources,
    variables,
)
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary
from tensorwright.python.training import saver as training_saver, session_manager as sm

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.client.session import Session
    from tensorwright.python.framework.type_aliases import FeedDict, T
    from tensorwright.python.training._saver.saver_saver import Saver


class Scaffold:
    """Says how a model is initialized, saved and summarized.

    `finalize`, called when the first session is made, takes every part that was not
    given from the graph's collections, or else makes it.
    """

    def __init__(
        self,
        init_op: GraphElement | Sequence[GraphElement] | None = None,
        init_feed_dict: FeedDict | None = None,
        init_fn: Callable[[Scaffold, SessionLike], None] | None = None,
        ready_op: GraphElement | Sequence[GraphElement] | None = None,
        ready_for_local_init_op: GraphElement | Sequence[GraphElement] | None = None,
        local_init_op: GraphElement | Sequence[GraphElement] | None = None,
        summary_op: Fetches | None = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: FeedDict | None = None,
    ):
        """A scaffold.

        Args:
            init_op: gives variables their first values; all global ones by default.
            init_feed_dict: fed to it.
            init_fn: called with scaffold and session, after it.
            ready_op: strings, the names of variables without a value.
            ready_for_local_init_op: the same, for the variables that `local_init_op` needs.
            local_init_op: run in every session: local variables and tables by default.
            summary_op: a serialized summary; all of the collection by default.
            saver: a Saver of all variables by default.
            copy_from_scaffold: a Scaffold from which everything is taken that is not given.
            local_init_feed_dict: fed to `local_init_op`.

        Raises TypeError for a `copy_from_scaffold` that is no Scaffold.
        """
        other = copy_from_scaffold
        if other is not None and not isinstance(other, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(name: str, value: Any) -> Any:
            return getattr(other, name) if value is None and other else value

        self._init_op = given("init_op", init_op)
        self._init_feed_dict = given("init_feed_dict", init_feed_dict)
        self._ready_op = given("ready_op", ready_op)
        self._ready_for_local_init_op = given(
            "ready_for_local_init_op", ready_for_local_init_op
        )
        self._local_init_op = given("local_init_op", local_init_op)
        self._local_init_feed_dict = given("local_init_feed_dict", local_init_feed_dict)
        self._summary_op = given("summary_op", summary_op)
        self._saver = given("saver", saver)
        self._user_init_fn = init_fn
        if init_fn is None and other is not None:
            self._user_init_fn = other._user_init_fn
        self._init_fn = None
        if self._user_init_fn is not None:
            user_init_fn = self._user_init_fn
            self._init_fn = lambda sess: user_init_fn(self, sess)

    def finalize(self) -> Scaffold:
        """Makes what is missing, and finalizes the graph."""
        keys = ops.GraphKeys
        if self._init_op is None:
            self._init_op = Scaffold.get_or_default(
                "init_op", keys.INIT_OP, _default_init_op
            )
        if self._ready_op is None:
            self._ready_op = Scaffold.get_or_default(
                "ready_op", keys.READY_OP, _default_ready_op
            )
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = Scaffold.get_or_default(
                "ready_for_local_init_op",
                keys.READY_FOR_LOCAL_INIT_OP,
                _default_ready_for_local_init_op,
            )
        if self._local_init_op is None:
            self._local_init_op = Scaffold.get_or_default(
                "local_init_op",
                keys.LOCAL_INIT_OP,
                Scaffold.default_local_init_op,
            )
        if self._summary_op is None:
            self._summary_op = Scaffold.get_or_default(
                "summary_op", keys.SUMMARY_OP, summary.merge_all
            )
        if self._saver is None:
            self._saver = Scaffold.get_or_default("saver", keys.SAVERS, _default_saver)
        self._saver.build()
        ops.get_default_graph().finalize()
        logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[SessionLike], None] | None:
        """Takes a session; None if there is none."""
        return self._init_fn

    @property
    def init_op(self) -> GraphElement | Sequence[GraphElement] | None:
        return self._init_op

    @property
    def ready_op(self) -> GraphElement | Sequence[GraphElement] | None:
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> GraphElement | Sequence[GraphElement] | None:
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> GraphElement | Sequence[GraphElement] | None:
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> FeedDict | None:
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Fetches | None:
        return self._summary_op

    @property
    def saver(self) -> Saver | None:
        return self._saver

    @property
    def init_feed_dict(self) -> FeedDict | None:
        return self._init_feed_dict

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], T]
    ) -> T:
        """The one element of a collection; made and added if there is none.

        Raises RuntimeError if there are several.
        """
        elements = ops.get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please '
                f"indicate which one to use by passing it to the tf.Scaffold "
                f"constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        op = default_constructor()
        if op is not None:
            ops.add_to_collection(collection_key, op)
        return op

    @staticmethod
    def default_local_init_op() -> ops.Operation:
        """Initializes local variables, tables and local resources."""
        return control_flow_ops.group(
            variables.local_variables_initializer(),
            lookup_ops.tables_initializer(),
            resources.initialize_resources(resources.local_resources()),
        )


def _default_init_op() -> Any:
    return control_flow_ops.group(
        variables.global_variables_initializer(),
        resources.initialize_resources(resources.shared_resources()),
    )


def _default_ready_op() -> Any:
    return array_ops.concat(
        [
            variables.report_uninitialized_variables(),
            resources.report_uninitialized_resources(),
        ],
        0,
    )


def _default_ready_for_local_init_op() -> Any:
    return array_ops.concat(
        [
            variables.report_uninitialized_variables(variables.global_variables()),
            resources.report_uninitialized_resources(resources.shared_resources()),
        ],
        0,
    )


def _default_saver() -> Any:
    return training_saver.Saver(sharded=True, allow_empty=True)


class SessionCreator(abc.ABC):
    """Makes sessions, as often as one is needed."""

    @abc.abstractmethod
    def create_session(self) -> SessionLike:
        raise NotImplementedError(
            f"create_session is not implemented for {type(self).__name__}."
        )


class ChiefSessionCreator(SessionCreator):
    """Makes sessions for a chief, which restores or initializes the model."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Message | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ):
        """A creator.

        Args:
            scaffold: the operations around the model.
            master: the target of sessions.
            config: the config of sessions.
            checkpoint_dir: where checkpoints are, or
            checkpoint_filename_with_path: the one to restore.
        """
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path
        self._scaffold = scaffold or Scaffold()
        self._session_manager: sm.SessionManager | None = None
        self._master = master
        self._config = config

    def create_session(self) -> Session:
        """A session that is ready."""
        scaffold = self._scaffold
        scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager_of(scaffold)
        checkpoint = {
            "saver": scaffold.saver,
            "checkpoint_dir": self._checkpoint_dir,
            "checkpoint_filename_with_path": self._checkpoint_filename_with_path,
        }
        first_values = {
            key: getattr(scaffold, key)
            for key in ("init_op", "init_feed_dict", "init_fn")
        }
        return self._session_manager.prepare_session(
            self._master, config=self._config, **checkpoint, **first_values
        )


class WorkerSessionCreator(SessionCreator):
    """Makes sessions for a worker, which waits until a chief has made the model ready."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Message | None = None,
        max_wait_secs: float = 30 * 60,
    ):
        """A creator.

        Args:
            scaffold: the operations around the model.
            master: the target of sessions.
            config: the config of sessions.
            max_wait_secs: how long to wait for the chief.
        """
        self._scaffold = scaffold or Scaffold()
        self._session_manager: sm.SessionManager | None = None
        self._master = master
        self._config = config
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Session:
        """A session that is ready."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager_of(self._scaffold)
        return self._session_manager.wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )


def _manager_of(scaffold: Scaffold) -> sm.SessionManager:
    return sm.SessionManager(
        local_init_op=scaffold.local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=ops.get_default_graph(),
    )
