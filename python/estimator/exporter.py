# SPDX-License-Identifier: Apache-2.0
"""Exporters: `train_and_evaluate` calls them with each evaluated model."""

from __future__ import annotations

import abc
import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from tensorwright.python.estimator import util
from tensorwright.python.platform import gfile, tf_logging as logging
from tensorwright.python.summary import summary_iterator
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.python.estimator.estimator import Estimator
    from tensorwright.python.estimator.export.export import ServingInputReceiver

__all__ = ["BestExporter", "Exporter", "FinalExporter", "LatestExporter"]


class Exporter(abc.ABC):
    """Exports models; of one name among the exporters of an EvalSpec."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name, which is that of the folder of its exports too."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, float],
        is_the_final_export: bool,
    ) -> bytes | str | None:
        """Exports a checkpoint of an estimator.

        Args:
            estimator: the model.
            export_path: the folder of exports.
            checkpoint_path: the checkpoint that was evaluated.
            eval_result: the result of `evaluate`.
            is_the_final_export: whether training has ended.

        Returns:
            The folder of the export; None if it makes none.
        """


class _SavedModelExporter(Exporter):
    """Writes SavedModels."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[[], Any] | None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
    ):
        if not name:
            raise ValueError('"name" argument is required.')
        if not callable(serving_input_receiver_fn):
            raise TypeError(
                f"serving_input_receiver_fn must be callable, got {serving_input_receiver_fn!r}"
            )
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self) -> str:
        return self._name

    def _write(self, estimator: Any, export_path: Any, checkpoint_path: Any) -> Any:
        return estimator.export_savedmodel(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_SavedModelExporter):
    """Exports the model once, at the end.

    Args:
        name: the name of the folder of the export.
        serving_input_receiver_fn, assets_extra, as_text: as in `Estimator.export_savedmodel`.
    """

    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, float],
        is_the_final_export: bool,
    ) -> bytes | str | None:
        del eval_result
        if not is_the_final_export:
            return None
        logging.info("Performing the final export in the end of training.")
        return self._write(estimator, export_path, checkpoint_path)


class LatestExporter(_SavedModelExporter):
    """Exports the model after each evaluation, and removes old exports.

    Args:
        name: the name of the folder of exports.
        serving_input_receiver_fn, assets_extra, as_text: as in `Estimator.export_savedmodel`.
        exports_to_keep: how many; None: all.

    Raises:
        ValueError: `exports_to_keep` that are not positive.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Callable[..., object],
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._exports_to_keep = _checked_count(exports_to_keep)

    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, float],
        is_the_final_export: bool,
    ) -> bytes | str | None:
        del eval_result, is_the_final_export
        made = self._write(estimator, export_path, checkpoint_path)
        _remove_old_exports(export_path, self._exports_to_keep)
        return made


class Comparison(Protocol):
    """A function that says whether the second of two results is better."""

    def __call__(
        self, best_eval_result: dict[str, float], current_eval_result: dict[str, float]
    ) -> bool: ...


def _loss_smaller(
    best_eval_result: dict[str, Any], current_eval_result: dict[str, Any]
) -> bool:
    """Whether the loss of the second is less.

    Raises:
        ValueError: a result has no loss.
    """
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError(
                f"best_eval_result cannot be empty or no loss is found in it: {result}"
            )
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestExporter(_SavedModelExporter):
    """Exports a model that is better than all before it, those of earlier runs among them.

    Args:
        name: the name of the folder of exports.
        serving_input_receiver_fn, assets_extra, as_text: as in `Estimator.export_savedmodel`.
        event_file_pattern: the event files of earlier evaluations, below the model's folder; None: none.
        compare_fn: `f(best_eval_result, current_eval_result)`: whether the second is better.
        exports_to_keep: how many; None: all.

    Raises:
        ValueError: a function with other arguments, or `exports_to_keep` that are not positive.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Callable[[], ServingInputReceiver] | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Comparison = _loss_smaller,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        if not {"best_eval_result", "current_eval_result"} <= set(util.fn_args(compare_fn)):  # fmt: skip
            raise ValueError(
                "compare_fn must include best_eval_result and current_eval_result "
                f"arguments, got {inspect.signature(compare_fn)}"
            )
        self._compare_fn = compare_fn
        self._event_file_pattern = event_file_pattern
        self._exports_to_keep = _checked_count(exports_to_keep)
        self._best: dict[str, Any] | None = None
        self._model_dir: str | None = None

    def export(
        self,
        estimator: Estimator,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, float],
        is_the_final_export: bool,
    ) -> bytes | str | None:
        del is_the_final_export
        if self._model_dir != estimator.model_dir:
            self._model_dir = estimator.model_dir
            self._best = self._best_of_before(estimator.model_dir, eval_result)
        if self._best is not None and not self._compare_fn(
            best_eval_result=self._best, current_eval_result=eval_result
        ):
            return None
        logging.info("Performing best model export.")
        self._best = eval_result
        made = self._write(estimator, export_path, checkpoint_path)
        _remove_old_exports(export_path, self._exports_to_keep)
        return made

    def _best_of_before(self, folder: str, now: dict[str, Any]) -> Any:
        """The best result of event files, but for that of this evaluation."""
        if not self._event_file_pattern:
            return None
        best = None
        for path in gfile.Glob(os.path.join(folder, self._event_file_pattern)):
            for event in summary_iterator.summary_iterator(compat.as_str(path)):
                values = event.summary.value if event.HasField("summary") else ()
                found = {v.tag: v.simple_value for v in values if v.HasField("simple_value")}  # fmt: skip
                if not found or event.step == int(now.get("global_step", -1)):
                    continue
                if best is None or self._compare_fn(
                    best_eval_result=best, current_eval_result=found
                ):
                    best = found
        return best


def _checked_count(count: int | None) -> int | None:
    if count is not None and count <= 0:
        raise ValueError("`exports_to_keep`, if provided, must be a positive number.")
    return count


def _remove_old_exports(folder: Any, keep: int | None) -> None:
    if keep is None or not gfile.IsDirectory(folder):
        return
    names = [compat.as_str(name).rstrip("/") for name in gfile.ListDirectory(folder)]
    for name in sorted((n for n in names if n.isdigit()), key=int)[:-keep]:
        path = os.path.join(compat.as_str_any(folder), name)
        logging.info("Removing the old export %s", path)
        gfile.DeleteRecursively(path)
