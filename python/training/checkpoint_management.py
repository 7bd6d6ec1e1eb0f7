# SPDX-License-Identifier: Apache-2.0
"""The file beside checkpoints that lists them, and functions that read it."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable
from typing import Any

from tensorwright.core.protobuf import saver_pb2
from tensorwright.python.framework import errors
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.lib.io import file_io
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training.checkpoint_state_pb2 import CheckpointState
from tensorwright.python.util import compat
from tensorwright.python.util.lazy_protos import text_format


def _state_path(save_dir: PathLike, latest_filename: str | None) -> str:
    return os.path.join(_text(save_dir), latest_filename or "checkpoint")


def _text(path: PathLike) -> str:
    return compat.as_text(os.fspath(path))


def generate_checkpoint_state_proto(
    save_dir: PathLike,
    model_checkpoint_path: PathLike,
    all_model_checkpoint_paths: Iterable[PathLike] | None = None,
    all_model_checkpoint_timestamps: Iterable[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """A `CheckpointState`: the latest checkpoint, and all that are kept, the oldest first.

    Relative paths become relative to `save_dir`.  The latest is added to the list if it is
    not there.  ValueError if there is not a timestamp for each path.
    """
    save_dir = _text(save_dir)
    latest = _text(model_checkpoint_path)
    paths = [_text(p) for p in all_model_checkpoint_paths or ()]
    if latest not in paths:
        paths.append(latest)
    times = list(all_model_checkpoint_timestamps or ())
    if all_model_checkpoint_timestamps and len(times) != len(paths):
        raise ValueError(
            f"{len(times)} timestamps for {len(paths)} checkpoints: {times}, {paths}"
        )
    if not os.path.isabs(save_dir) and "://" not in save_dir:
        paths = [_relative(p, save_dir) for p in paths]
        latest = _relative(latest, save_dir)
    return CheckpointState(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def _relative(path: str, save_dir: str) -> str:
    return path if os.path.isabs(path) else os.path.relpath(path, save_dir)


def update_checkpoint_state(
    save_dir: PathLike,
    model_checkpoint_path: PathLike,
    all_model_checkpoint_paths: Iterable[PathLike] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Iterable[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the `CheckpointState` of `save_dir`; readers see the old one or the new.

    RuntimeError if a checkpoint has the path of that file.
    """
    update_checkpoint_state_internal(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        False,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )


def update_checkpoint_state_internal(
    save_dir: PathLike,
    model_checkpoint_path: PathLike,
    all_model_checkpoint_paths: Iterable[PathLike] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Iterable[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """The same; with `save_relative_paths` the folder may be moved as a whole."""
    save_dir = _text(save_dir)
    state_path = _state_path(save_dir, latest_filename)
    latest = _text(model_checkpoint_path)
    paths = [_text(p) for p in all_model_checkpoint_paths or ()]
    if save_relative_paths:
        # A relative path beside an absolute folder is one inside it; else both start here.
        kept = [
            os.path.relpath(p, save_dir)
            if os.path.isabs(p) or not os.path.isabs(save_dir)
            else p
            for p in (latest, *paths)
        ]
        latest, paths = kept[0], kept[1:]
        if latest not in paths:
            paths.append(latest)
        state = CheckpointState(
            model_checkpoint_path=latest,
            all_model_checkpoint_paths=paths,
            all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
            last_preserved_timestamp=last_preserved_timestamp,
        )
    else:
        state = generate_checkpoint_state_proto(
            save_dir,
            latest,
            paths,
            all_model_checkpoint_timestamps,
            last_preserved_timestamp,
        )
    if state_path == state.model_checkpoint_path:
        raise RuntimeError(
            f"The checkpoint '{state.model_checkpoint_path}' has the path of the file that "
            "lists checkpoints.  Save under another name, or give a latest_filename."
        )
    file_io.atomic_write_string_to_file(state_path, text_format.MessageToString(state))


def get_checkpoint_state(
    checkpoint_dir: PathLike, latest_filename: str | None = None
) -> Any:
    """The `CheckpointState` of a folder, with paths that hold from here; None if there is none."""
    folder = _text(checkpoint_dir)
    path = _state_path(folder, latest_filename)
    try:
        if not file_io.file_exists(path):
            return None
        state = text_format.Parse(file_io.read_file_to_string(path), CheckpointState())
    except (errors.OpError, text_format.ParseError) as error:
        logging.warning("%s: %s", type(error).__name__, error)
        logging.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {path}")
    state.model_checkpoint_path = _from_here(state.model_checkpoint_path, folder)
    for i, kept in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[i] = _from_here(kept, folder)
    return state


def _from_here(path: str, folder: str) -> str:
    if os.path.isabs(path) or "://" in path:
        return path
    return os.path.join(folder, path)


def latest_checkpoint(
    checkpoint_dir: PathLike, latest_filename: str | None = None
) -> str | Any:
    """The path of the latest checkpoint of a folder; None if there is none."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    path = state.model_checkpoint_path
    if checkpoint_exists(path):
        return path
    logging.error("Couldn't match files for checkpoint %s", path)
    return None


def checkpoint_exists(checkpoint_prefix: PathLike) -> bool:
    """Whether a checkpoint of either format has this path."""
    prefix = _text(checkpoint_prefix)
    return bool(
        file_io.get_matching_files(prefix + ".index")
        or file_io.get_matching_files(prefix)
    )


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[PathLike]) -> list[float]:
    """Returns the times when checkpoints were written, in seconds since 1970, without those that are missing."""
    times = []
    for prefix in map(_text, checkpoint_prefixes):
        files = file_io.get_matching_files(prefix + ".index")
        files = files or file_io.get_matching_files(prefix)
        if files:
            times.append(file_io.stat(files[0]).mtime_nsec / 1e9)
    return times


def remove_checkpoint(
    checkpoint_prefix: PathLike,
    checkpoint_format_version: int = saver_pb2.SaverDef.V2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Deletes a checkpoint's files and its meta graph."""
    prefix = _text(checkpoint_prefix)
    _delete_if_there(meta_graph_filename(prefix, meta_graph_suffix))
    if checkpoint_format_version == saver_pb2.SaverDef.V2:
        # Without the index, nothing looks for the other files: it goes first.
        _delete_if_there(prefix + ".index")
        _delete_if_there(prefix + ".data-?????-of-?????")
    else:
        _delete_if_there(prefix)


def _delete_if_there(pattern: str) -> None:
    for path in file_io.get_matching_files(pattern):
        file_io.delete_file(path)


def meta_graph_filename(
    checkpoint_filename: str, meta_graph_suffix: str = "meta"
) -> str:
    """The path of the meta graph that belongs to a checkpoint."""
    # The shards of a V1 checkpoint share one meta graph, named without the pattern of their files.
    base = re.sub(r"-[\d\?]+-of-\d+$", "", checkpoint_filename)
    return f"{base}.{meta_graph_suffix}"


def checkpoints_iterator(
    checkpoint_dir: PathLike,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn=None,
):
    """Gives each latest checkpoint of a folder as it appears, waiting for the next.

    Ends where none came for `timeout` seconds, if `timeout_fn` is None or gives True.
    """
    path = None
    while True:
        new = _wait_for_new_checkpoint(checkpoint_dir, path, timeout)
        if new is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.time()
        path = new
        yield path
        left = start + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)


def _wait_for_new_checkpoint(
    checkpoint_dir: PathLike, last: str | None, timeout: float | None
) -> str | None:
    poll_secs = 1.0
    stop = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(checkpoint_dir)
        if path is not None and path != last:
            return path
        if stop is not None and time.time() + poll_secs > stop:
            return None
        time.sleep(poll_secs)
