# SPDX-License-Identifier: Apache-2.0
"""Helpers of BasicDecoder: they sample from a step's outputs, and choose the next step's inputs."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    embedding_ops,
    math_ops,
    rnn,
    tensor_array_ops,
)
from tensorwright.python.ops.distributions import bernoulli, categorical
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.tensor_shape import TensorShape


class Helper(abc.ABC):
    """Tells a BasicDecoder how to begin, how to sample, and how to go on."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> ops.Tensor:
        """The number of sequences, a scalar."""

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of the result of `sample`, without the batch."""
        return tensor_shape.TensorShape([])

    @property
    def sample_ids_dtype(self) -> dtypes.DType:
        return dtypes.int32

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> tuple:
        """(finished [batch], first inputs)."""

    @abc.abstractmethod
    def sample(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> ops.Tensor:
        """Ids [batch] of the outputs of a step."""

    @abc.abstractmethod
    def next_inputs(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple:
        """(finished [batch], inputs of the next step, state)."""


class CustomHelper(Helper):
    """A helper of three functions.

    Args:
        initialize_fn: () -> (finished, first inputs).
        sample_fn: (time, outputs, state) -> ids.
        next_inputs_fn: (time, outputs, state, sample_ids) -> (finished, next inputs, state).
    """

    def __init__(
        self, initialize_fn: Callable, sample_fn: Callable, next_inputs_fn: Callable
    ):
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Any = None

    @property
    def batch_size(self) -> ops.Tensor:
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple:
        with ops.name_scope(name, "CustomHelperInitialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = array_ops.size(finished)
        return finished, inputs

    def sample(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> ops.Tensor:
        with ops.name_scope(name, "CustomHelperSample", [time]):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple:
        with ops.name_scope(name, "CustomHelperNextInputs", [time]):
            return self._next_inputs_fn(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


def _steps(inputs: Any) -> Any:
    """[time, ...] as a TensorArray of its steps."""
    array = tensor_array_ops.TensorArray(
        inputs.dtype,
        size=array_ops.shape(inputs)[0],
        element_shape=inputs.get_shape()[1:],
    )
    return array.unstack(inputs)


class TrainingHelper(Helper):
    """Feeds the given inputs; ids are the largest of the outputs.

    Args:
        inputs: [batch, time, ...], or a structure of such.
        sequence_length: [batch] int32.
        time_major: whether inputs are [time, batch, ...].
        name: the name of the name scope.

    Raises:
        ValueError: where `sequence_length` is no vector.
    """

    def __init__(
        self,
        inputs: TensorTree,
        sequence_length: TensorLike,
        time_major: bool = False,
        name: str | None = None,
    ):
        with ops.name_scope(name, "TrainingHelper"):
            inputs = nest.map_structure(ops.convert_to_tensor, inputs)
            if not time_major:
                inputs = nest.map_structure(rnn._transpose_batch_time, inputs)
            self._input_tas = nest.map_structure(_steps, inputs)
            self._sequence_length = ops.convert_to_tensor(
                sequence_length, dtype=dtypes.int32, name="sequence_length"
            )
            if self._sequence_length.get_shape().ndims != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._sequence_length.get_shape()}"
                )
            self._zero_inputs = nest.map_structure(
                lambda x: array_ops.zeros_like(x[0]), inputs
            )
            self._batch_size = array_ops.size(self._sequence_length)

    @property
    def batch_size(self) -> Tensor:
        return self._batch_size

    def _read(self, finished: Any, time: Any) -> Any:
        """The inputs at `time`, zeros where all have ended."""

        def read() -> Any:
            return nest.map_structure(lambda array: array.read(time), self._input_tas)

        ended = math_ops.reduce_all(finished)
        values = control_flow_ops.cond(
            ended,
            lambda: nest.flatten(self._zero_inputs),
            lambda: nest.flatten(read()),
        )
        values = values if isinstance(values, (list, tuple)) else [values]
        return nest.pack_sequence_as(self._zero_inputs, list(values))

    def initialize(self, name: str | None = None) -> tuple:
        with ops.name_scope(name, "TrainingHelperInitialize"):
            finished = math_ops.equal(0, self._sequence_length)
            return finished, self._read(finished, 0)

    def sample(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> ops.Tensor:
        del state
        with ops.name_scope(name, "TrainingHelperSample", [time, outputs]):
            return math_ops.cast(math_ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        sample_ids: TensorLike | None = None,
        name: str | None = None,
    ) -> tuple:
        del outputs, sample_ids
        with ops.name_scope(name, "TrainingHelperNextInputs", [time]):
            finished = time + 1 >= self._sequence_length
            return finished, self._read(finished, time + 1), state


def _probability(value: Any) -> ops.Tensor:
    """A scalar, or a vector of the batch; ValueError where it is more."""
    p = ops.convert_to_tensor(value, name="sampling_probability")
    if p.get_shape().ndims not in (0, 1):
        raise ValueError(
            f"sampling_probability must be either a scalar or a vector. saw shape: "
            f"{p.get_shape()}"
        )
    return p


def _coins(probability: ops.Tensor, batch_size: Any, seed: Any) -> ops.Tensor:
    """[batch] booleans."""
    tossed = bernoulli.Bernoulli(probs=probability, dtype=dtypes.bool)
    shape = [] if probability.get_shape().ndims else batch_size
    return tossed.sample(sample_shape=shape, seed=seed)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds the given inputs, or with a probability the vector of an id drawn from the outputs (Bengio et al. 2015).

    Args:
        inputs, sequence_length, time_major, name: as in TrainingHelper.
        embedding: f(ids) or the table of vectors.
        sampling_probability: a scalar, or [batch].
        seed: the seed of the ids.
        scheduling_seed: the seed of the choice.

    Ids of steps that are not sampled are -1.
    """

    def __init__(
        self,
        inputs: TensorTree,
        sequence_length: TensorLike,
        embedding: TensorLike,
        sampling_probability: TensorLike,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ):
        with ops.name_scope(name, "ScheduledEmbeddingSamplingWrapper"):
            self._embedding_fn = _embedding_function(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs, sequence_length, time_major)

    def sample(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> Tensor:
        del state
        with ops.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time]):
            drawn = categorical.Categorical(logits=outputs).sample(seed=self._seed)
            chosen = _coins(
                self._sampling_probability, self.batch_size, self._scheduling_seed
            )
            drawn = math_ops.cast(drawn, dtypes.int32)
            return array_ops.where(chosen, drawn, -array_ops.ones_like(drawn))

    def next_inputs(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        sample_ids: Any = None,
        name: str | None = None,
    ) -> tuple:
        with ops.name_scope(name, "ScheduledEmbeddingTrainingHelperNext", [time]):
            finished, given, state = super().next_inputs(time, outputs, state)
            ids = math_ops.maximum(sample_ids, 0)
            vectors = self._embedding_fn(ids)
            return finished, array_ops.where(sample_ids > -1, vectors, given), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Feeds the given inputs, or with a probability the outputs of the step before.

    Args:
        inputs, sequence_length, time_major, name: as in TrainingHelper.
        sampling_probability: a scalar, or [batch].
        seed: the seed of the choice.
        next_input_layer: a layer that makes inputs of outputs; the outputs themselves if absent.
        auxiliary_inputs: [batch, time, n], further inputs of every step, beside both.

    Ids are booleans: whether the next step gets outputs.
    """

    def __init__(
        self,
        inputs: TensorTree,
        sequence_length: TensorLike,
        sampling_probability: TensorLike,
        time_major: bool = False,
        seed: int | None = None,
        next_input_layer: Callable | None = None,
        auxiliary_inputs: TensorTree | None = None,
        name: str | None = None,
    ):
        with ops.name_scope(name, "ScheduledOutputTrainingHelper"):
            self._sampling_probability = _probability(sampling_probability)
            self._seed = seed
            if next_input_layer is not None and not callable(next_input_layer):
                raise TypeError(
                    f"next_input_layer must be a Layer, received: {next_input_layer}"
                )
            self._next_input_layer = next_input_layer
            self._auxiliary_tas: Any = None
            if auxiliary_inputs is not None:
                auxiliary = nest.map_structure(ops.convert_to_tensor, auxiliary_inputs)
                inputs = nest.map_structure(
                    lambda x, more: array_ops.concat([x, more], -1), inputs, auxiliary
                )
                if not time_major:
                    auxiliary = nest.map_structure(rnn._transpose_batch_time, auxiliary)
                self._auxiliary_tas = nest.map_structure(_steps, auxiliary)
            super().__init__(inputs, sequence_length, time_major)

    @property
    def sample_ids_dtype(self) -> dtypes.DType:
        return dtypes.bool

    def sample(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> Tensor:
        del outputs, state
        with ops.name_scope(name, "ScheduledOutputTrainingHelperSample", [time]):
            return _coins(self._sampling_probability, self.batch_size, self._seed)

    def next_inputs(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        sample_ids: Any = None,
        name: str | None = None,
    ) -> tuple:
        with ops.name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time]):
            finished, given, state = super().next_inputs(time, outputs, state)
            layer = self._next_input_layer
            made = outputs if layer is None else layer(outputs)

            def sampled() -> list:
                own = made
                if self._auxiliary_tas is not None:
                    own = nest.map_structure(
                        lambda x, array: array_ops.concat(
                            [x, array.read(time + 1)], -1
                        ),
                        own,
                        self._auxiliary_tas,
                    )
                chosen = nest.map_structure(
                    lambda new, old: array_ops.where(sample_ids, new, old), own, given
                )
                return nest.flatten(chosen)

            # Behind the last step there are no further inputs to read.
            nothing = math_ops.logical_or(
                math_ops.reduce_all(finished),
                math_ops.logical_not(math_ops.reduce_any(sample_ids)),
            )
            values = control_flow_ops.cond(
                nothing, lambda: nest.flatten(given), sampled
            )
            values = values if isinstance(values, (list, tuple)) else [values]
            return finished, nest.pack_sequence_as(given, list(values)), state


def _embedding_function(embedding: Any) -> Callable:
    if callable(embedding):
        return embedding
    return lambda ids: embedding_ops.embedding_lookup(embedding, ids)


class GreedyEmbeddingHelper(Helper):
    """Feeds the vector of the most likely id, until that is `end_token`.

    Args:
        embedding: f(ids) or the table of vectors.
        start_tokens: [batch] int32, the ids of the first inputs.
        end_token: an int32 scalar.

    Raises:
        ValueError: where `start_tokens` is no vector, or `end_token` no scalar.
    """

    def __init__(
        self, embedding: TensorLike, start_tokens: TensorLike, end_token: TensorLike
    ):
        self._embedding_fn = _embedding_function(embedding)
        self._start_tokens = ops.convert_to_tensor(
            start_tokens, dtype=dtypes.int32, name="start_tokens"
        )
        self._end_token = ops.convert_to_tensor(
            end_token, dtype=dtypes.int32, name="end_token"
        )
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = array_ops.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self) -> Tensor:
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple:
        finished = array_ops.zeros_like(self._start_tokens, dtype=dtypes.bool)
        return finished, self._start_inputs

    def sample(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> ops.Tensor:
        del time, state
        if not isinstance(outputs, ops.Tensor):
            raise TypeError(
                f"Expected outputs to be a single Tensor, got: {type(outputs)}"
            )
        return math_ops.cast(math_ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        sample_ids: TensorLike,
        name: str | None = None,
    ) -> tuple:
        del time, outputs
        finished = math_ops.equal(sample_ids, self._end_token)
        inputs = control_flow_ops.cond(
            math_ops.reduce_all(finished),
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """GreedyEmbeddingHelper that draws ids by the probabilities of the logits, with `seed`."""

    def __init__(
        self,
        embedding: TensorLike,
        start_tokens: TensorLike,
        end_token: TensorLike,
        seed: int | None = None,
    ):
        super().__init__(embedding, start_tokens, end_token)
        self._seed = seed

    def sample(
        self,
        time: ops.Tensor,
        outputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> ops.Tensor:
        del time, state
        if not isinstance(outputs, ops.Tensor):
            raise TypeError(
                f"Expected outputs to be a single Tensor, got: {type(outputs)}"
            )
        drawn = categorical.Categorical(logits=outputs).sample(seed=self._seed)
        return math_ops.cast(drawn, dtypes.int32)
