# SPDX-License-Identifier: Apache-2.0
"""The interface of model functions: their modes, arguments and results."""

from __future__ import annotations

import collections
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.learn.python.learn.estimators import export_outputs
from tensorwright.python.estimator import model_fn as core_model
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import Fetches, TensorLike
from tensorwright.python.saved_model import signature_constants
from tensorwright.python.training import session_run_hook

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import TensorTree
    from tensorwright.python.training._monitored.scaffold import Scaffold
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["InputFnOps", "ModeKeys", "ModelFnOps"]


class ModeKeys:
    """The modes in which a model is made."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for an unknown mode."""
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")


class InputFnOps(
    collections.namedtuple("InputFnOps", ["features", "labels", "default_inputs"])
):
    """The result of an input function for serving: features, labels, and the tensors that are fed."""


class ModelFnOps(
    collections.namedtuple(
        "ModelFnOps",
        [
            "predictions",
            "loss",
            "train_op",
            "eval_metric_ops",
            "output_alternatives",
            "training_chief_hooks",
            "training_hooks",
            "scaffold",
            "mode",
        ],
    )
):
    """A model.

    Args:
        mode: one of ModeKeys.
        predictions: a tensor or a dict of them.
        loss: a scalar.
        train_op: the operation of a training step.
        eval_metric_ops: (value, update) by name.
        output_alternatives: (problem type, predictions) by the name of a head.
        training_chief_hooks, training_hooks: for training.
        scaffold: around it.

    Raises:
        ValueError: something is absent that the mode needs, or is in another graph than the default one.
        TypeError: a hook of another kind.
    """

    def __new__(
        cls,
        mode: str,
        predictions: TensorTree | None = None,
        loss: TensorLike | None = None,
        train_op: Fetches | None = None,
        eval_metric_ops: Mapping[str, object] | None = None,
        output_alternatives: Mapping[str | None, tuple[int, Mapping[str, ops.Tensor]]]
        | None = None,
        training_chief_hooks: Sequence[SessionRunHook] | None = None,
        training_hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
    ) -> ModelFnOps:
        ModeKeys.validate(mode)
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if loss is not None:
            loss = ops.convert_to_tensor(loss)
        loss = core_model.checked_loss(loss, mode)
        if mode == ModeKeys.INFER and predictions is None:
            raise ValueError("Missing predictions.")
        hooks = [tuple(training_chief_hooks or ()), tuple(training_hooks or ())]
        for hook in (*hooks[0], *hooks[1]):
            if not isinstance(hook, session_run_hook.SessionRunHook):
                raise TypeError(f"All hooks returned from model_fn must be SessionRunHook instances, got {hook}")  # fmt: skip
        return super().__new__(
            cls,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=dict(eval_metric_ops or {}),
            output_alternatives=output_alternatives,
            training_chief_hooks=hooks[0],
            training_hooks=hooks[1],
            scaffold=scaffold,
            mode=mode,
        )

    def estimator_spec(
        self, default_serving_output_alternative_key: str | None = None
    ) -> core_model.EstimatorSpec:
        """The same for an estimator of `tf.estimator`.

        Args:
            default_serving_output_alternative_key: the head whose output is the default one of exports; may be absent
                if there is one head.

        Raises:
            ValueError: several heads and no key, or a key of no head.
        """
        heads = self.output_alternatives
        outputs: dict[str, Any] | None = None
        if heads:
            outputs = {k: export_outputs.output_of(*v) for k, v in heads.items()}
            key = default_serving_output_alternative_key
            if key is None and len(heads) == 1:
                key = next(iter(heads))
            if key not in heads:
                raise ValueError(
                    f"default_serving_output_alternative_key must be one of {sorted(heads)}, "
                    f"got {key!r}"
                )
            default = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            outputs[default] = outputs[key]
        return core_model.EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=self.eval_metric_ops or None,
            export_outputs=outputs,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )
