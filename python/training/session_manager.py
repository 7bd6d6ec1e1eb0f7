# SPDX-License-Identifier: Apache-2.0
"""SessionManager: sessions whose variables have values, from a checkpoint or an init op."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.client import session
from tensorwright.python.framework import errors, ops
from tensorwright.python.framework.type_aliases import GraphElement, SessionLike
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import checkpoint_management

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.framework.type_aliases import FeedDict, Fetches
    from tensorwright.python.training._saver.saver_saver import Saver


class SessionManager:
    """Makes sessions, and sees to it that the model in them is ready.

    Ready means that `ready_op` gives an empty tensor: it lists, as strings, the
    variables that have no value.  A chief calls `prepare_session`, which restores or
    initializes; others call `wait_for_session`.

    Example:
        manager = SessionManager(ready_op=tf.report_uninitialized_variables())
        session = manager.prepare_session("", init_op=init, saver=saver, checkpoint_dir=d)
    """

    def __init__(
        self,
        local_init_op: Fetches | None = None,
        ready_op: Fetches | None = None,
        ready_for_local_init_op: Fetches | None = None,
        graph: ops.Graph | None = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Message | None = None,
        local_init_feed_dict: FeedDict | None = None,
    ):
        """A manager for one graph.

        Args:
            local_init_op: run in every new session, once it is ready for that.
            ready_op: lists variables without a value; None: always ready.
            ready_for_local_init_op: the same, for what `local_init_op` needs.
            graph: the graph of the sessions; the default graph if not given.
            recovery_wait_secs: between two looks at a model that others make ready, at most.
            local_init_run_options: RunOptions of `local_init_op`.
            local_init_feed_dict: its feeds.

        Raises ValueError for `ready_for_local_init_op` without `local_init_op`.
        """
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a "
                f"local_init_op , ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = ops.get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    def _restore_checkpoint(
        self,
        master: str,
        saver: Any,
        checkpoint_dir: str | None,
        checkpoint_filename_with_path: str | None,
        wait_for_checkpoint: bool,
        max_wait_secs: float,
        config: Message | None,
    ) -> tuple[session.Session, bool]:
        """A session, and whether a checkpoint was loaded into it."""
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        sess = session.Session(master, graph=self._graph, config=config)
        try:
            if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
                return sess, False
            if checkpoint_filename_with_path:
                saver.restore(sess, checkpoint_filename_with_path)
                return sess, True
            assert checkpoint_dir is not None
            end = time.monotonic() + max_wait_secs
            while True:
                state = checkpoint_management.get_checkpoint_state(checkpoint_dir)
                if state and state.model_checkpoint_path:
                    break
                if not wait_for_checkpoint or time.monotonic() >= end:
                    return sess, False
                logging.info("Waiting for checkpoint to be available.")
                time.sleep(self._recovery_wait_secs)
            saver.restore(sess, state.model_checkpoint_path)
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
            return sess, True
        except BaseException:
            sess.close()
            raise

    def prepare_session(
        self,
        master: str,
        init_op: GraphElement | Sequence[GraphElement] | None = None,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Message | None = None,
        init_feed_dict: FeedDict | None = None,
        init_fn: Callable[[SessionLike], object] | None = None,
    ) -> session.Session:
        """A session with a ready model: restored if there is a checkpoint, else initialized.

        Args:
            master: the target of the session.
            init_op: run if there is no checkpoint.
            saver: restores.
            checkpoint_dir: where checkpoints are, or
            checkpoint_filename_with_path: the one to restore; ValueError for both.
            wait_for_checkpoint: wait until there is one.
            max_wait_secs: so long at most.
            config: the config of the session.
            init_feed_dict: fed to `init_op`.
            init_fn: called with the session, after `init_op`.

        Raises RuntimeError if the model is not ready then.
        """
        sess, is_loaded = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        try:
            if not is_loaded:
                if init_op is None and not init_fn and self._local_init_op is None:
                    raise RuntimeError(
                        "Model is not initialized and no init_op or init_fn or "
                        "local_init_op was given"
                    )
                if init_op is not None:
                    sess.run(init_op, feed_dict=init_feed_dict)
                if init_fn:
                    init_fn(sess)
            done, message = self._try_run_local_init_op(sess)
            if not done:
                raise RuntimeError(
                    "Init operations did not make model ready for local_init.  "
                    f"Init op: {_name_of(init_op)}, init fn: {init_fn}, error: {message}"
                )
            is_ready, message = self._model_ready(sess)
            if not is_ready:
                raise RuntimeError(
                    "Init operations did not make model ready.  "
                    f"Init op: {_name_of(init_op)}, init fn: {init_fn}, "
                    f"local_init_op: {_name_of(self._local_init_op)}, error: {message}"
                )
        except BaseException:
            _safe_close(sess)
            raise
        return sess

    def recover_session(
        self,
        master: str,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Message | None = None,
    ) -> tuple[session.Session, bool]:
        """A session, and whether a checkpoint made its model ready.

        Arguments as in `prepare_session`.
        """
        sess, is_loaded = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        done, message = self._try_run_local_init_op(sess)
        if not is_loaded:
            return sess, False
        path = checkpoint_dir or checkpoint_filename_with_path
        if not done:
            logging.info(
                "Restoring model from %s did not make model ready for local init: %s",
                path,
                message,
            )
            return sess, False
        is_ready, message = self._model_ready(sess)
        if not is_ready:
            logging.info(
                "Restoring model from %s did not make model ready: %s", path, message
            )
            return sess, False
        logging.info("Restored model from %s", path)
        return sess, True

    def wait_for_session(
        self,
        master: str,
        config: Message | None = None,
        max_wait_secs: float = float("Inf"),
    ) -> session.Session:
        """A session with a model that another has made ready.

        Args:
            master: the target of the session.
            config: the config of the session.
            max_wait_secs: how long to wait.

        Raises DeadlineExceededError if the model is not ready then.
        """
        end = time.monotonic() + (
            float("Inf") if max_wait_secs is None else max_wait_secs
        )
        # Most wait for a chief that has just been started too: the first looks follow soon.
        pause = min(0.2, self._recovery_wait_secs)
        while True:
            sess = session.Session(master, graph=self._graph, config=config)
            try:
                done, local_message = self._try_run_local_init_op(sess)
                ready_message = None
                if done:
                    is_ready, ready_message = self._model_ready(sess)
                    if is_ready:
                        return sess
            except BaseException:
                _safe_close(sess)
                raise
            _safe_close(sess)
            if time.monotonic() + pause > end:
                raise errors.DeadlineExceededError(
                    None,
                    None,
                    f"Session was not ready after waiting {max_wait_secs} secs.",
                )
            logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, "
                "ready: %s",
                local_message,
                ready_message,
            )
            time.sleep(pause)
            pause = min(2 * pause, self._recovery_wait_secs)

    def _model_ready(self, sess: Any) -> tuple[bool, str | None]:
        return _ready(self._ready_op, sess, "Model not ready")

    def _try_run_local_init_op(self, sess: Any) -> tuple[bool, str | None]:
        if self._local_init_op is None:
            return True, None
        is_ready, message = _ready(
            self._ready_for_local_init_op, sess, "Model not ready for local init"
        )
        if not is_ready:
            return False, message
        logging.info("Running local_init_op.")
        sess.run(
            self._local_init_op,
            feed_dict=self._local_init_feed_dict,
            options=self._local_init_run_options,
        )
        logging.info("Done running local_init_op.")
        return True, None


def _name_of(op: Any) -> str:
    return "None" if op is None else getattr(op, "name", str(op))


def _safe_close(sess: Any) -> None:
    """Closes a session; an error in this is ignored, for the session did not work."""
    try:
        sess.close()
    except errors.OpError:
        pass


def _ready(op: Any, sess: Any, what: str) -> tuple[bool, str | None]:
    """Whether `op` lists nothing, and what it lists."""
    if op is None:
        return True, None
    try:
        missing = sess.run(op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            logging.warning("%s : error [%s]", what, error)
            raise
        return False, str(error)
    if missing is None or missing.dtype == np.int32 or np.size(missing) == 0:
        return True, None
    names = ", ".join(n.decode() for n in np.ravel(missing))
    return False, f"Variables not initialized: {names}"
