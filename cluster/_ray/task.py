# SPDX-License-Identifier: Apache-2.0
"""Task: the actor that is one task of a cluster, in a process of its own that Ray starts, places and starts again."""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any

import ray

import tensorwright as tf
from tensorwright.cluster._ray.context import Context, Reports
from tensorwright.cluster._ray.records import Place

# A call that may be made again: another task died, not this one.
_LOST = (
    tf.errors.AbortedError,
    tf.errors.UnavailableError,
    tf.errors.CancelledError,
)


class Task:
    """One task.  `run` occupies a thread of its own; the other methods answer while it does."""

    def __init__(self, job: str, index: int):
        self._job, self._index = job, index
        self._server: tf.train.Server | None = None
        self._cluster: tf.train.ClusterSpec | None = None
        self._held: socket.socket | None = None
        self._reports = Reports()

    # Ray writes it before each line that the process prints.
    def __repr__(self) -> str:
        return f"{self._job} {self._index}"

    def where(self, port: int = 0) -> Place:
        """Returns the place of this process; `port` is held for its server, or a free one if it is 0 or taken."""
        if self._held is None:
            self._held = _hold(port)
        return Place(
            node=ray.get_runtime_context().get_node_id(),
            ip=ray.util.get_node_ip_address(),
            port=self._held.getsockname()[1],
            pid=os.getpid(),
            logs=tuple(map(_log_of, (1, 2))),
        )

    def _join(self, cluster: dict[str, list[str]], serve: bool) -> None:
        """Becomes the task of `cluster`; with `serve` its server begins, unless it runs."""
        self._cluster = tf.train.ClusterSpec(cluster)
        task = {"type": self._job, "index": self._index}
        os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
        if self._held is not None:
            self._held.close()
        if serve and self._server is None:
            self._server = tf.train.Server(
                self._cluster, job_name=self._job, task_index=self._index
            )

    def run(
        self,
        cluster: dict[str, list[str]],
        serve: bool,
        function: Callable[[Context], object] | None,
        checkpoint_dir: str | None,
        attempt: int,
    ) -> tuple[str, Any]:
        """Joins `cluster`, with a server if `serve`; calls `function`, or serves for ever where there is none.

        Returns:
            ("done", what the function returned), ("lost", why) if another task's death ended it, and ("failed", a
            traceback) if it failed.
        """
        try:
            self._join(cluster, serve)
        except tf.errors.OpError as error:
            return "failed", f"{self}: its server did not start: {error}"
        if function is None:
            assert self._server is not None
            self._server.join()
            return "done", None
        assert self._cluster is not None
        context = Context(
            job=self._job,
            index=self._index,
            cluster=self._cluster,
            server=self._server,
            checkpoint_dir=checkpoint_dir,
            attempt=attempt,
            _reports=self._reports,
        )
        try:
            # Each call gets an empty default graph.
            with tf.Graph().as_default():
                return "done", function(context)
        except _LOST as error:
            why = str(error).splitlines()[0]
            if self._server is None:
                # Only the program itself could stop its server, so it begins anew in another process.
                print(f"{self}: {why}", file=sys.stderr, flush=True)
                os._exit(1)
            return "lost", why
        except BaseException:
            return "failed", traceback.format_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()

    def progress(self) -> dict[str, Any]:
        """Returns the progress that the function reported."""
        return self._reports.get()

    def read_log(self, path: str, offset: int, most: int) -> tuple[bytes, int]:
        """Up to `most` bytes of a log from `offset` on (its last ones where `offset` is negative), and what is next."""
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = max(0, size - most) if offset < 0 else min(offset, size)
            file.seek(start)
            text = file.read(most)
            return text, start + len(text)
        return b"", max(offset, 0)


def _hold(port: int) -> socket.socket:
    """A socket that keeps a port free; not listening, so a server may take it as soon as it is closed."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        held.bind(("", port))
    except OSError:
        held.bind(("", 0))
    return held


def _log_of(descriptor: int) -> str:
    """The file that a descriptor of this process writes, which Ray opened."""
    return os.readlink(f"/proc/self/fd/{descriptor}")


class Program:
    """A function that runs a Python file as the main program; the file finds its task in TF_CONFIG."""

    def __init__(self, path: str, arguments: list[str]):
        self._path, self._arguments = os.path.abspath(path), arguments

    def __call__(self, context: Context) -> None:
        sys.argv = [self._path, *self._arguments]
        sys.path.insert(0, os.path.dirname(self._path))
        try:
            runpy.run_path(self._path, run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                raise RuntimeError(
                    f"{self._path} ended with status {end.code}"
                ) from end
