# SPDX-License-Identifier: Apache-2.0
"""Runs an Experiment by the schedule of this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.learn.python.learn.estimators.constants import TaskType
from tensorwright.contrib.learn.python.learn.experiment import Experiment
from tensorwright.python.platform import tf_logging as logging

if TYPE_CHECKING:
    from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig
    from tensorwright.contrib.training.python.training.hparam import HParams


__all__ = ["run"]


def run(
    experiment_fn: Callable[..., object],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: RunConfig | None = None,
    hparams: HParams | None = None,
) -> Any:
    """Makes an experiment, calls the method that `schedule` names, and returns its result.

    Args:
        experiment_fn: `f(output_dir)`, or, with `run_config`, `f(run_config, hparams)`.
        output_dir: the folder of the model.
        schedule: a method of Experiment without arguments; None: "train_and_evaluate", in a cluster the one of this
            task: masters train and evaluate, workers train, parameter servers serve.
        run_config: a RunConfig with a `model_dir`.
        hparams: given on.

    Raises:
        ValueError: neither folder nor settings, `hparams` without settings, a folder that is empty or another than that
            of the settings, or a schedule that Experiment does not have.
        TypeError: `experiment_fn` cannot be called or gives no Experiment, or a schedule is no method.

    Example:
        def make(run_config, hparams):
            estimator = tf.contrib.learn.Estimator(model_fn, config=run_config, params=hparams)
            return tf.contrib.learn.Experiment(estimator, train_input, eval_input, train_steps=1000)

        tf.contrib.learn.learn_runner.run(make, run_config=RunConfig(model_dir="/tmp/m"), hparams=hparams)
    """
    if not callable(experiment_fn):
        raise TypeError(f'Experiment builder "{experiment_fn}" is not callable.')
    if run_config is None:
        if hparams is not None:
            raise ValueError("Must set value for run_config when hparams is specified.")
        if not output_dir:
            raise ValueError("Must specify an output directory or use run_config.")
        experiment = experiment_fn(output_dir=output_dir)
    else:
        if not run_config.model_dir:
            raise ValueError("Must specify a model directory `model_dir` in run_config.")  # fmt: skip
        if output_dir is not None and output_dir != run_config.model_dir:
            raise ValueError(
                f"Cannot provide both run_config and output_dir: {run_config.model_dir} "
                f"and {output_dir}"
            )
        experiment = experiment_fn(run_config, hparams)
    if not isinstance(experiment, Experiment):
        raise TypeError(f'Experiment builder did not return an Experiment instance, got {type(experiment)} instead.')  # fmt: skip # noqa: E501
    config = experiment.estimator.config
    name = schedule or _schedule_of(config)
    method = getattr(experiment, name, None)
    if method is None:
        known = [m for m in dir(experiment) if not m.startswith("_")]
        raise ValueError(f'Schedule references non-existent task {name}. Known: {known}')  # fmt: skip # noqa: E501
    if not callable(method):
        raise TypeError(f"Schedule references non-callable member {name}")
    logging.info("Running the experiment by %s.", name)
    return method()


def _schedule_of(config: Any) -> str:
    if not config.cluster_spec or not config.cluster_spec.jobs:
        return "train_and_evaluate"
    task = config.task_type
    if task == TaskType.PS:
        return "run_std_server"
    if task == TaskType.WORKER:
        return "train"
    if task in (TaskType.MASTER, "chief"):
        return "train_and_evaluate"
    if task == "evaluator":
        return "evaluate"
    raise ValueError(f"No default schedule for task type: {task}")
