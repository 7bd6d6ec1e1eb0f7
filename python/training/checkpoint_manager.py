# SPDX-License-Identifier: Apache-2.0
"""CheckpointManager: numbered checkpoints in a folder, of which some are kept."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.training import checkpoint_management as management
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.python.client.session import Session
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import TensorLike
    from tensorwright.python.ops._variables.variables_variable import Variable

_SECONDS_OF_AN_HOUR = 3600


def _session() -> Session:
    session = ops.get_default_session()
    if session is None:
        raise ValueError(
            "CheckpointManager needs a default session: call it in `with tf.Session():`"
        )
    return session


class _OfSaver:
    """A Saver with the methods that the manager calls."""

    def __init__(self, saver: Any):
        self._saver = saver

    def write(self, prefix: str) -> str:
        return self._saver.save(
            _session(), prefix, write_meta_graph=False, write_state=False
        )

    def restore(self, path: str) -> None:
        self._saver.restore(_session(), path)


class CheckpointManager:
    """Saves checkpoints `ckpt-1`, `ckpt-2`, ... in a folder, and deletes old ones.

        with tf.Session() as session:
            manager = tf.train.CheckpointManager(tf.train.Saver(), "/tmp/run", max_to_keep=3)
            session.run(tf.global_variables_initializer())
            manager.restore_or_initialize()
            for _ in range(1000):
                session.run(train)
                manager.save()

    The file "checkpoint" in the folder lists the kept checkpoints, so that another manager,
    or `tf.train.latest_checkpoint`, can go on from there.  Only one thread may use a manager.
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: str | os.PathLike[str],
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Variable | Tensor | None = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], object] | None = None,
        last_checkpoint_step: int | None = None,
    ):
        """Reads the folder's list of checkpoints.

        Args:
            checkpoint: a `tf.train.Saver`, which saves and restores in the default session;
                or an object with `write(prefix)`, which returns the path, and `restore(path)`.
            directory: where checkpoints go; made with the first one.
            max_to_keep: how many; None for all of them.
            keep_checkpoint_every_n_hours: one of so many hours is kept for ever, besides.
            checkpoint_name: what their file names begin with.
            step_counter: an integer tensor [] or variable; needed for an interval.
            checkpoint_interval: steps between two checkpoints; `save` does nothing before.
            init_fn: called by `restore_or_initialize` if there is no checkpoint.
            last_checkpoint_step: where the interval begins; None: with the first `save`.

        Raises ValueError for a `max_to_keep` of 0 or less, and for an interval without
        a counter.
        """
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}"
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._files = (
            checkpoint if hasattr(checkpoint, "write") else _OfSaver(checkpoint)
        )
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._every_hours = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        # Path -> when it was saved, the oldest first; those that may be deleted.
        self._kept: dict[str, float] = {}
        self._preserved = time.time()
        self._latest: str | None = None
        self._read_state()

    def _read_state(self) -> None:
        state = management.get_checkpoint_state(self._directory)
        self._kept = {}
        self._latest = None
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        if state.last_preserved_timestamp:
            self._preserved = state.last_preserved_timestamp
        paths = state.all_model_checkpoint_paths
        # A list that another writer made may lack times: then all checkpoints count as equally old.
        times = list(state.all_model_checkpoint_timestamps) or [0.0] * len(paths)
        self._kept = dict(zip(paths, times, strict=True))

    @property
    def directory(self) -> str:
        """The folder of the checkpoints."""
        return self._directory

    @property
    def checkpoint(self) -> Any:
        """The object that the manager saves and restores, such as a `Saver`."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """Steps between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the latest one; None if there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that are kept for now, the oldest first."""
        return list(self._kept)

    def sync(self) -> None:
        """Reads the folder's list anew, in case another manager saves there too."""
        self._read_state()

    def _current_step(self) -> int | None:
        if self._step_counter is None:
            return None
        return int(_session().run(ops.convert_to_tensor(self._step_counter)))

    def _next_number(self) -> int:
        """One more than the latest's; 1 where that has none."""
        found = re.search(r"-(\d+)$", self._latest or "")
        return int(found[1]) + 1 if found else 1

    def save(
        self,
        checkpoint_number: TensorLike | None = None,
        check_interval: bool = True,
        options: object = None,
    ) -> str | None:
        """Saves a checkpoint, and deletes the oldest ones beyond `max_to_keep`.

        Args:
            checkpoint_number: its number, an integer or an integer tensor []; one more
                than the latest's by default.
            check_interval: False to save also before the interval is over.
            options: given to `write` if it is not None.

        Returns the path; None if it is too early.
        """
        step = self._current_step() if self._interval is not None else None
        if (
            check_interval
            and step is not None
            and self._interval is not None
            and self._last_step is not None
            and step < self._last_step + self._interval
        ):
            return None
        if isinstance(checkpoint_number, compat.integral_types):
            number = int(checkpoint_number)
        elif checkpoint_number is None:
            number = self._next_number()
        else:
            number = int(_session().run(ops.convert_to_tensor(checkpoint_number)))
        extra = {} if options is None else {"options": options}
        path = self._files.write(f"{self._prefix}-{number}", **extra)
        # One that is written again is the youngest.
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        self._last_step = step
        doomed = self._sweep()
        # The list is written before files are deleted: a process that dies in between leaves spare files, not a list of
        # files that are gone.
        management.update_checkpoint_state_internal(
            self._directory,
            path,
            all_model_checkpoint_paths=list(self._kept),
            all_model_checkpoint_timestamps=list(self._kept.values()),
            last_preserved_timestamp=self._preserved,
            # With relative paths, the folder can be moved as a whole.
            save_relative_paths=os.path.isabs(self._directory),
        )
        for old in doomed:
            management.remove_checkpoint(old)
        return path

    def _sweep(self) -> list[str]:
        """Takes the oldest checkpoints off the list, and returns the ones to delete."""
        doomed: list[str] = []
        if self._max_to_keep is None:
            return doomed
        while len(self._kept) > self._max_to_keep:
            path, when = next(iter(self._kept.items()))
            del self._kept[path]
            hours = self._every_hours
            if (
                hours is not None
                and when - self._preserved >= hours * _SECONDS_OF_AN_HOUR
            ):
                self._preserved = when
            else:
                doomed.append(path)
        return doomed

    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint, or calls `init_fn` if there is none.

        Returns the path that was restored; None if there was none.
        """
        if self._latest is not None:
            self._files.restore(self._latest)
            if self._last_step is None:
                self._last_step = self._current_step()
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
            if self._last_step is None:
                self._last_step = self._current_step()
        return None
