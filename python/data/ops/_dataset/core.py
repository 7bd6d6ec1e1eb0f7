# SPDX-License-Identifier: Apache-2.0
"""The base of every dataset: its variant, the spec of its elements, iterators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops import iterator_ops, options as options_lib
from tensorwright.python.data.util import structure
from tensorwright.python.framework import dtypes, function, function_graph, ops
from tensorwright.python.ops import gen_dataset_ops, math_ops

if TYPE_CHECKING:
    from typing import NoReturn, Self

    from tensorwright.python.data.ops.dataset_ops import Dataset
    from tensorwright.python.framework.type_aliases import DTypeLike, T, TensorLike

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class DatasetCore:
    """A dataset of the default graph."""

    _variant_tensor: ops.Tensor
    _spec: Any
    _graph: ops.Graph
    _cardinality: int
    _options: options_lib.Options

    if TYPE_CHECKING:
        # Methods of mixins that other mixins call.
        @classmethod
        def zip(
            cls, *args: DatasetCore | Sequence[object], name: str | None = None
        ) -> Dataset: ...
        @classmethod
        def counter(
            cls,
            start: TensorLike = 0,
            step: TensorLike = 1,
            dtype: DTypeLike = ...,
            name: str | None = None,
        ) -> Dataset: ...
        def map(self, map_func: Callable[..., object]) -> Dataset: ...

    @classmethod
    def _from_variant(
        cls,
        variant: ops.Tensor,
        spec: Any,
        inputs: Sequence[DatasetCore] = (),
        cardinality: int = UNKNOWN_CARDINALITY,
    ) -> Any:
        base = next(
            c
            for c in cls.__mro__
            if issubclass(c, DatasetCore) and c.__dict__.get("_IS_PUBLIC")
        )
        result = base.__new__(base)
        result._set(variant, spec, inputs, cardinality)
        return result

    def _set(
        self,
        variant: ops.Tensor,
        spec: Any,
        inputs: Sequence[DatasetCore] = (),
        cardinality: int = UNKNOWN_CARDINALITY,
    ) -> None:
        self._variant_tensor = variant
        self._spec = spec
        self._graph = variant.graph
        self._input_datasets = list(inputs)
        self._cardinality = cardinality
        self._options = options_lib.Options()
        for dataset in inputs:
            self._options = self._options.merge(dataset._options)

    def _derive(
        self,
        op: Callable[..., ops.Tensor],
        *args: Any,
        spec: Any = None,
        cardinality: int = UNKNOWN_CARDINALITY,
        name: str | None = None,
        inputs: Sequence[DatasetCore] = (),
        **attrs: Any,
    ) -> Any:
        """The dataset that `op` makes of this one, with its spec if none is given."""
        spec = self._spec if spec is None else spec
        variant = op(
            self._variant_tensor,
            *args,
            **attrs,
            **iterator_ops.flat_attrs(spec),
            name=name,
        )
        return self._from_variant(variant, spec, [self, *inputs], cardinality)

    # --- What it is ---------------------------------------------------------------

    @property
    def element_spec(self) -> Any:
        """The structure of the elements: `tf.TensorSpec` and the like."""
        return self._spec

    @property
    def output_types(self) -> Any:
        """The dtypes of an element."""
        return structure.legacy_types(self._spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of an element."""
        return structure.legacy_shapes(self._spec)

    @property
    def output_classes(self) -> Any:
        """`tf.Tensor` or `tf.SparseTensor` for each part of an element."""
        return structure.legacy_classes(self._spec)

    def options(self) -> options_lib.Options:
        """The options of this dataset and of those that it is made of."""
        return self._options

    def with_options(
        self, options: options_lib.Options, name: str | None = None
    ) -> Dataset:
        """This dataset with options; they are merged with those it has."""
        merged = self._options.merge(options)
        result = self._derive(
            gen_dataset_ops.options_dataset,
            serialized_options=options_lib.to_proto(merged).SerializeToString(),
            cardinality=self._cardinality,
            name=name,
        )
        result._options = merged
        return result

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} shapes: {self.output_shapes}, "
            f"types: {self.output_types}>"
        )

    def __iter__(self) -> NoReturn:
        raise RuntimeError(
            "A dataset cannot be iterated in Python while graphs are built: use "
            "make_one_shot_iterator() and run what its get_next() returns."
        )

    def __bool__(self) -> bool:
        return True

    # --- Iterators ----------------------------------------------------------------

    def make_one_shot_iterator(self) -> iterator_ops.Iterator:
        """An iterator that begins by itself and goes once through the dataset.

        ValueError: the dataset depends on state, such as a variable or a placeholder;
        for that, use `make_initializable_iterator`.
        """
        if self._graph is not ops.get_default_graph():
            raise ValueError("The dataset is of another graph than the default one.")

        def make_dataset() -> ops.Tensor:
            return self._variant_tensor

        factory = function._DefinedFunction(
            make_dataset, [], [], capture_by_value=True, base_name="OneShotDataset"
        )
        try:
            factory.add_to_graph(ops.get_default_graph())
        except function_graph.CaptureError as error:
            raise ValueError(_why_not_one_shot(error)) from None
        resource = gen_dataset_ops.one_shot_iterator(
            dataset_factory=factory, **iterator_ops.flat_attrs(self._spec)
        )
        return iterator_ops.Iterator._of_spec(resource, None, self._spec)

    def make_initializable_iterator(
        self, shared_name: str | None = None
    ) -> iterator_ops.Iterator:
        """An iterator whose `initializer` must be run before it gives elements."""
        if self._graph is not ops.get_default_graph():
            raise ValueError("The dataset is of another graph than the default one.")
        resource = gen_dataset_ops.iterator_v2(
            container="",
            shared_name=shared_name or "",
            **iterator_ops.flat_attrs(self._spec),
        )
        with ops.colocate_with(resource):
            initializer = gen_dataset_ops.make_iterator(self._variant_tensor, resource)
        return iterator_ops.Iterator._of_spec(resource, initializer, self._spec)

    _make_one_shot_iterator = make_one_shot_iterator
    _make_initializable_iterator = make_initializable_iterator

    def apply(self, transformation_func: Callable[[Self], T]) -> T:
        """`transformation_func(self)`, which must be a dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, DatasetCore):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object, got "
                f"{type(dataset)}."
            )
        return dataset


def determinism(deterministic: bool | None) -> str:
    """The attr of a dataset that may ask for its elements in order, or not, or say nothing."""
    return "default" if deterministic is None else str(bool(deterministic)).lower()


def as_int64(value: Any, name: str) -> ops.Tensor:
    """A scalar int64 tensor."""
    if isinstance(value, ops.Tensor) and value.dtype.base_dtype != dtypes.int64:
        return math_ops.cast(value, dtypes.int64, name=name)
    return ops.convert_to_tensor(value, dtype=dtypes.int64, name=name)


def _why_not_one_shot(error: function_graph.CaptureError) -> str:
    """Names the operation with state, and the dataset that uses it with the line that built it."""
    where = ""
    # The last one is the closest to it.
    for user in reversed(error.users):
        if "Dataset" in user.type:
            where = f" in {user.type} {user.name!r} (defined at {user._defined_at()})"
            break
    return (
        f"Cannot capture {error.op.name!r} by value{where}: {error.op.type} is stateful, "
        "and a one-shot iterator keeps no state: use make_initializable_iterator() and "
        "run its initializer."
    )
