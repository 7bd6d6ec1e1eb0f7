# SPDX-License-Identifier: Apache-2.0
"""Checks the arguments of an estimator's constructor and of its methods."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.estimator import run_config, util
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.platform import gfile, tf_logging as logging
from tensorwright.python.training import (
    checkpoint_management,
    device_setter,
    saver as saver_lib,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorwright.python.estimator.run_config import RunConfig
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.type_aliases import T
    from tensorwright.python.training._monitored.scaffold import Scaffold


_MODEL_FN_ARGUMENTS = frozenset(
    {"features", "labels", "mode", "params", "self", "config"}
)


class WarmStartSettings(NamedTuple):
    """The checkpoint from which a model starts if its own folder has none; fields as in `tf.train.warm_start`."""

    ckpt_to_initialize_from: str
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: dict[str, Any] | None = None
    var_name_to_prev_var_name: dict[str, str] | None = None


def with_folder(
    config: RunConfig | None, model_dir: PathLike | None
) -> run_config.RunConfig:
    """A copy of the settings, with a folder."""
    if config is None:
        config = run_config.RunConfig()
        logging.info("Using default config.")
    elif not isinstance(config, run_config.RunConfig):
        raise ValueError(
            f"config must be an instance of `RunConfig`, but provided {config}."
        )
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with "
                f"different values. In constructor: '{model_dir}', in `RunConfig`: "
                f"'{config.model_dir}' "
            )
    folder = model_dir or config.model_dir
    if not folder:
        folder = tempfile.mkdtemp()
        logging.warn("Using temporary folder as model directory: %s", folder)
    return config.replace(model_dir=folder)


def check_model_fn(model_fn: Callable[..., object], params: object) -> None:
    takes = set(util.fn_args(model_fn))
    any_name = util.has_kwargs(model_fn)
    if "features" not in takes and not any_name:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in takes and not any_name:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params "
            f"({params}) is passed to Estimator."
        )
    if params is None and "params" in takes:
        logging.warn(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.",
            model_fn,
        )
    unknown = sorted(takes - _MODEL_FN_ARGUMENTS)
    if unknown:
        raise ValueError(
            f"model_fn ({model_fn}) has following not expected args: {unknown}"
        )


def warm_start_settings(
    given: str | WarmStartSettings | None,
) -> WarmStartSettings | None:
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if not isinstance(given, (str, os.PathLike)):
        raise ValueError(
            "warm_start_from must be a string or a WarmStartSettings, "
            f"instead got {type(given)}"
        )
    folder = os.fspath(given)
    path = checkpoint_management.latest_checkpoint(folder) or folder
    if gfile.Exists(os.path.join(folder, "variables")):
        path = os.path.join(folder, "variables", "variables")
    return WarmStartSettings(ckpt_to_initialize_from=path)


def device_setter_of(config: run_config.RunConfig) -> Callable[[Operation], str] | None:
    if config.num_ps_replicas <= 0:
        return None
    kinds = ("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable")
    kinds += ("MutableHashTableV2", "MutableHashTableOfTensors", "VarHandleOp")
    kinds += ("MutableHashTableOfTensorsV2", "MutableDenseHashTable")
    kinds += ("MutableDenseHashTableV2",)
    worker = f"/job:{config.task_type}/task:{config.task_id}"
    return device_setter.replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=worker,
        merge_devices=True,
        ps_ops=list(kinds),
        cluster=config.cluster_spec,
    )


def limit_checkpoints(graph: ops.Graph, scaffold: Scaffold, config: RunConfig) -> None:
    """Gives a model without a saver one that keeps as many checkpoints as the settings say."""
    if scaffold.saver is None and not graph.get_collection(ops.GraphKeys.SAVERS):
        graph.add_to_collection(
            ops.GraphKeys.SAVERS,
            saver_lib.Saver(
                sharded=True,
                max_to_keep=config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                defer_build=True,
                save_relative_paths=True,
            ),
        )


def check_positive(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {number}")


def checked_list(given: object, name: str, kind: type[T]) -> list[T]:
    found: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given] * (given is not None)  # fmt: skip
    for item in found:
        if not isinstance(item, kind):
            text = "All hooks must be SessionRunHook instances" if name == "hooks" else f"{name} must be a list of {kind.__name__} instances"  # fmt: skip
            raise TypeError(f"{text}, given: {item}")
    return found
