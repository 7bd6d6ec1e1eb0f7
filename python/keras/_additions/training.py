# SPDX-License-Identifier: Apache-2.0
"""`fit`, `evaluate` and `predict` for datasets, iterators and tensors, and the compiling of TensorFlow's optimizers."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from tensorwright.python.keras import _base
from tensorwright.python.keras._additions import extend
from tensorwright.python.keras._additions.batches import Batches, RanOutError, is_input
from tensorwright.python.platform import tf_logging

if TYPE_CHECKING:
    from types import ModuleType


def _source(x: Any, y: Any, weights: Any) -> Any:
    """The source of batches: `x`, or tensors of inputs, targets and weights together."""
    if y is None and weights is None:
        return x
    return (x, y) if weights is None else (x, y, weights)


def _with_targets(batches: Batches, model: Any) -> Any:
    """Returns the batches, without targets for a model whose losses need none."""
    if model.total_loss is None or isinstance(batches._batch, tuple):
        return batches
    return _NoTargets(batches)


class _NoTargets(Batches):
    def __init__(self, batches: Batches):
        self.__dict__.update(batches.__dict__)

    def __iter__(self) -> Any:
        return ((batch, None) for batch in super().__iter__())


def _validation(data: Any, steps: Any, as_arrays: bool) -> tuple[Any, Any]:
    """(validation data, steps) for `fit` of arrays, or of batches."""
    whole = data[0] if isinstance(data, (tuple, list)) and data else data
    if not is_input(whole):
        return data, steps
    batches = Batches(data if is_input(data) else tuple(data), steps)
    return (batches.arrays(), None) if as_arrays else (batches, len(batches))


def _fit(before: Any) -> Any:
    def fit(
        self: Any,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        **kwargs: Any,
    ) -> Any:
        if x is None or not is_input(x):
            if validation_data is not None:
                validation_data, validation_steps = _validation(
                    validation_data, validation_steps, as_arrays=True
                )
            return before(
                self, x, y, batch_size, epochs, verbose, callbacks, validation_split, validation_data, shuffle,
                class_weight, sample_weight, initial_epoch, steps_per_epoch, validation_steps, validation_freq, **kwargs,
            )  # fmt: skip
        if validation_split:
            raise ValueError(
                f"fit: validation_split must be 0 for datasets and tensors, got {validation_split}"
            )
        batches = Batches(_source(x, y, sample_weight), steps_per_epoch, restart=False)
        if validation_data is not None:
            validation_data, validation_steps = _validation(
                validation_data, validation_steps, as_arrays=False
            )
        self._build_from(batches)
        try:
            return self.fit_generator(
                _with_targets(batches, self),
                steps_per_epoch=len(batches),
                epochs=epochs,
                verbose=verbose,
                callbacks=callbacks,
                validation_data=validation_data,
                validation_steps=validation_steps,
                validation_freq=validation_freq,
                class_weight=class_weight,
                workers=0,
                shuffle=False,
                initial_epoch=initial_epoch,
            )
        except RanOutError as error:
            tf_logging.warning("fit ends early: %s", error)
            return self.history

    return fit


def _evaluate(before: Any) -> Any:
    def evaluate(
        self: Any,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: int = 1,
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        **kwargs: Any,
    ) -> Any:
        if x is None or not is_input(x):
            return before(
                self, x, y, batch_size, verbose, sample_weight, steps, callbacks, **kwargs
            )  # fmt: skip
        batches = Batches(_source(x, y, sample_weight), steps)
        self._build_from(batches)
        return self.evaluate_generator(
            _with_targets(batches, self),
            steps=len(batches),
            callbacks=callbacks,
            workers=0,
            verbose=verbose,
        )

    return evaluate


def _mean_losses(before: Any) -> Any:
    """Keras's `evaluate_generator` returns the loss of the last batch: it is to be the mean of all."""
    from keras.callbacks import Callback, CallbackList

    class Losses(Callback):
        def __init__(self) -> None:
            super().__init__()
            self.total, self.size = 0.0, 0

        def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
            del batch
            self.total += float(logs["loss"]) * logs["size"]
            self.size += logs["size"]

    def evaluate_generator(
        self: Any, generator: Any, steps: Any = None, callbacks: Any = None, *args: Any, **kwargs: Any
    ) -> Any:  # fmt: skip
        losses = Losses()
        if isinstance(callbacks, CallbackList):
            callbacks.append(losses)
            given = callbacks
        else:
            given = [*(callbacks or []), losses]
        try:
            found = before(self, generator, steps, given, *args, **kwargs)
        finally:
            if given is callbacks:
                callbacks.callbacks.remove(losses)
        if losses.size == 0:
            return found
        loss = losses.total / losses.size
        return [loss, *found[1:]] if isinstance(found, list) else loss

    return evaluate_generator


def _predict(before: Any) -> Any:
    def predict(
        self: Any,
        x: Any,
        batch_size: int | None = None,
        verbose: int = 0,
        steps: int | None = None,
        callbacks: Any = None,
        **kwargs: Any,
    ) -> Any:
        if not is_input(x):
            return before(self, x, batch_size, verbose, steps, callbacks, **kwargs)
        batches = Batches(x, steps)
        self._build_from(batches)
        return self.predict_generator(
            batches,
            steps=len(batches),
            callbacks=callbacks,
            workers=0,
            verbose=verbose,
        )

    return predict


def _build_from(self: Any, batches: Batches) -> None:
    """Builds a model that has not seen its inputs yet, from the first of the batches."""
    if self.built and getattr(self, "inputs", None):
        return
    batch = next(iter(batches))
    batches._begun = False
    x, y = (batch[0], batch[1]) if isinstance(batch, tuple) else (batch, None)
    self._standardize_user_data(x, y)


def _unseen(before: Any) -> Any:
    """Variables that compiling and training make are no weights: optimizers leave them alone."""

    @functools.wraps(before)
    def call(*args: Any, **kwargs: Any) -> Any:
        with _base.not_trainable():
            return before(*args, **kwargs)

    return call


def _updates(before: Any) -> Any:
    """Corrects the count of a tf.train optimizer: Keras counts each step twice, once by itself and once by the optimizer."""
    del before

    def get_updates(self: Any, loss: Any, params: Any) -> list[Any]:
        gradients = self.optimizer.compute_gradients(loss, var_list=params)
        step = self.optimizer.apply_gradients(gradients, global_step=self.iterations)
        self.updates = [step]
        return self.updates

    return get_updates


# Metric as a program may name it -> as TensorFlow 1.x does; other metrics have the names of their functions.
_SHORT = {"accuracy": "acc", "acc": "acc", "crossentropy": "ce", "ce": "ce"}


def _metric_names(before: Any) -> Any:
    """The names of metrics in logs and results: `acc` for "accuracy", and `mean_absolute_error` for "mae"."""
    from keras import metrics

    del before

    def get_metric_name(metric: Any, weighted: bool = False) -> str:
        if isinstance(metric, str) and metric in _SHORT:
            name = _SHORT[metric]
        else:
            metric = metrics.get(metric)
            name = metric.name if hasattr(metric, "name") else metric.__name__
        return f"weighted_{name}" if weighted else name

    return get_metric_name


def as_tensorflow(training_utils: ModuleType) -> None:
    """Names metrics as TensorFlow 1.x does, where Keras 2.3 keeps the program's text."""
    extend.wrap(training_utils, "get_metric_name", _metric_names)


def install(network: Any, model: Any, optimizers: Any) -> None:
    """Extends Keras's classes Network and Model and its optimizers."""
    extend.wrap(model, "fit", _fit)
    extend.wrap(model, "evaluate", _evaluate)
    extend.wrap(model, "evaluate_generator", _mean_losses)
    extend.wrap(model, "predict", _predict)
    for name in ("compile", "_make_train_function", "_make_test_function"):
        extend.wrap(model, name, _unseen)
    # Keras feeds the learning phase if a layer says that it uses it; plain operations do not say.
    network.uses_learning_phase = property(lambda self: True)
    extend.wrap(optimizers.TFOptimizer, "get_updates", _updates)
    extend.add(model, _build_from=_build_from)
    for value in list(vars(optimizers).values()):
        if isinstance(value, type) and issubclass(value, optimizers.Optimizer):
            if "__init__" in vars(value):
                extend.wrap(value, "__init__", _unseen)
