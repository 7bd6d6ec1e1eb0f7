# SPDX-License-Identifier: Apache-2.0
"""The sessions of an estimator, for a model of the graph at hand: one that trains, one that measures, one that predicts.

A model is an EstimatorSpec, or the ModelFnOps of tf.contrib.learn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import (
    estimator_results as results_lib,
    estimator_settings as settings,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary
from tensorwright.python.training import (
    basic_session_run_hooks as hooks_lib,
    checkpoint_management,
    checkpoint_utils,
    evaluation,
    monitored_session,
)

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.estimator.run_config import RunConfig
    from tensorwright.python.training._monitored.scaffold import Scaffold
    from tensorwright.python.training.session_run_hook import SessionRunHook


def trained_steps(model_dir: str) -> int:
    """Returns the count of steps in the latest checkpoint of a folder, 0 without one."""
    path = checkpoint_management.latest_checkpoint(model_dir)
    if path is None:
        return 0
    try:
        return int(checkpoint_utils.load_variable(path, ops.GraphKeys.GLOBAL_STEP))
    except (ValueError, KeyError):
        return 0


def train(
    model: Any,
    step: TensorLike,
    config: RunConfig,
    model_dir: str,
    session_config: ConfigProto | None,
    hooks: Sequence[SessionRunHook],
    listeners: Sequence[object] = (),
) -> Any:
    """Trains until the input or a hook ends it; returns the last loss, None without a step.

    Args:
        model: has a training operation, its loss, hooks and a scaffold.
        step: the count of steps.
        config: a RunConfig, which says how often checkpoints and summaries are written.
        model_dir: where they are; training goes on from the latest checkpoint there.
        session_config: a ConfigProto.
        hooks: called before those of the model.
        listeners: CheckpointSaverListeners.

    Raises:
        ValueError: there are listeners, and no checkpoints.
    """
    graph = ops.get_default_graph()
    _summarize_loss(graph, model.loss)
    scaffold = model.scaffold or monitored_session.Scaffold()
    settings.limit_checkpoints(graph, scaffold, config)
    report = {"loss": model.loss, "step": step}
    every = config.log_step_count_steps
    worker_hooks = [
        *hooks,
        hooks_lib.NanTensorHook(model.loss),
        *([hooks_lib.LoggingTensorHook(report, every)] if every else []),
        *model.training_hooks,
    ]
    chief_hooks = list(model.training_chief_hooks)
    saver = _saver_hook(worker_hooks, chief_hooks, config, model_dir, scaffold)
    if listeners:
        if saver is None:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. "
                "Please set one of the RunConfig.save_checkpoints_steps or "
                "RunConfig.save_checkpoints_secs."
            )
        saver._listeners.extend(listeners)
    loss = None
    with monitored_session.MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief,
        checkpoint_dir=model_dir,
        scaffold=scaffold,
        hooks=worker_hooks,
        chief_only_hooks=chief_hooks,
        save_checkpoint_secs=0,  # The saver's hook does that.
        save_summaries_steps=config.save_summary_steps,
        config=session_config,
        log_step_count_steps=config.log_step_count_steps,
    ) as session:
        while not session.should_stop():
            _, loss = session.run([model.train_op, model.loss])
    if loss is None:
        logging.warn(
            "Training with estimator made no steps. Perhaps input is empty or misspecified."
        )
    else:
        logging.info("Loss for final step: %s.", loss)
    return loss


def _summarize_loss(graph: ops.Graph, loss: ops.Tensor) -> None:
    if loss not in graph.get_collection(ops.GraphKeys.LOSSES):
        graph.add_to_collection(ops.GraphKeys.LOSSES, loss)
    summaries = graph.get_collection(ops.GraphKeys.SUMMARIES)
    if not any(x.op.name == "loss" for x in summaries):
        summary.scalar("loss", loss)


def _saver_hook(
    hooks: list[Any], chief_hooks: list[Any], config: Any, model_dir: str, scaffold: Any
) -> Any:
    """The hook that saves checkpoints, added to the chief's if there is none and `config` wants it; or None."""
    for hook in (*hooks, *chief_hooks):
        if isinstance(hook, hooks_lib.CheckpointSaverHook):
            return hook
    secs, steps = config.save_checkpoints_secs, config.save_checkpoints_steps
    if not (secs or steps):
        return None
    chief_hooks.append(
        hooks_lib.CheckpointSaverHook(
            model_dir, save_secs=secs, save_steps=steps, scaffold=scaffold
        )
    )
    return chief_hooks[-1]


def evaluate(
    scaffold: Scaffold,
    metrics: Mapping[str, object],
    step: TensorLike,
    config: RunConfig,
    session_config: ConfigProto | None,
    checkpoint_path: str | None,
    hooks: Sequence[SessionRunHook],
) -> dict[str, Any]:
    """Measures a model until the input or a hook ends it; returns the values by name.

    Args:
        scaffold: that of the model.
        metrics: (value, update operation) by name.
        step: the count of steps, which becomes "global_step" of the values.
        config: a RunConfig, which says where the session runs.
        session_config: a ConfigProto.
        checkpoint_path: None: the model is measured as it is initialized.
        hooks: called around the runs.
    """
    update, values = results_lib.update_and_values(metrics, step)
    return evaluation._evaluate_once(
        checkpoint_path,
        master=config.evaluation_master,
        scaffold=scaffold,
        eval_ops=update,
        final_ops=values,
        hooks=list(hooks),
        config=session_config,
    )


def prediction_session(
    scaffold: Scaffold,
    checkpoint_path: str | None,
    session_config: ConfigProto | None,
    hooks: Sequence[SessionRunHook],
    master: str = "",
) -> monitored_session.MonitoredSession:
    """The session in which a model predicts; a generator enters it when the graph is no longer the default one.

    Args:
        scaffold: that of the model.
        checkpoint_path: None: the model is used as it is initialized.
        session_config: a ConfigProto.
        hooks: called around the runs.
        master: the target.
    """
    return monitored_session.MonitoredSession(
        session_creator=monitored_session.ChiefSessionCreator(
            checkpoint_filename_with_path=checkpoint_path,
            master=master,
            scaffold=scaffold,
            config=session_config,
        ),
        hooks=hooks,
    )
