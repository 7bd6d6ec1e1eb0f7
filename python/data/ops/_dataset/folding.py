# SPDX-License-Identifier: Apache-2.0
"""Methods that go through a dataset with a state, or to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.data.ops import iterator_ops
from tensorwright.python.data.ops._dataset.core import DatasetCore
from tensorwright.python.data.ops._dataset.transforms import common_shape, with_shape
from tensorwright.python.data.ops.structured_function import StructuredFunction
from tensorwright.python.data.util import nest, structure
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops import gen_dataset_ops

if TYPE_CHECKING:
    from typing import NoReturn

    from tensorwright.python.data.ops.dataset_ops import Dataset


class FoldingMixin(DatasetCore):
    """A state goes from element to element; a dataset becomes tensors."""

    def scan(
        self,
        initial_state: TensorTree,
        scan_func: Callable[..., object],
        name: str | None = None,
    ) -> Dataset:
        """Passes a state from element to element, and returns a dataset of the values that `scan_func` makes.

        Args:
            initial_state: a structure of values that can be converted to tensors.
            scan_func: a function of a state and an element.  It returns a pair: the next
                state, of the same structure and dtypes, and an element of the result.
        """
        f = _StateFunction(scan_func, initial_state, self._spec, "scan", _first_of_pair)
        return self._derive(
            gen_dataset_ops.scan_dataset, f.initial_state, f.captured, f=f.definition,
            preserve_cardinality=True, spec=f.output_spec[1], name=name,
        )  # fmt: skip

    def reduce(
        self,
        initial_state: TensorTree,
        reduce_func: Callable[..., object],
        name: str | None = None,
    ) -> Any:
        """Returns the last state, a structure of tensors.

        Args:
            initial_state: a structure of values that can be converted to tensors: the
                result if there are no elements.
            reduce_func: a function of a state and an element that returns the next state, of the same structure
                and dtypes.
        """
        f = _StateFunction(
            reduce_func, initial_state, self._spec, "reduce", lambda spec: spec
        )
        flat = gen_dataset_ops.reduce_dataset(
            self._variant_tensor, f.initial_state, f.captured, f=f.definition,
            name=name, **iterator_ops.flat_attrs(f.state_spec),
        )  # fmt: skip
        return structure.from_tensor_list(f.state_spec, iterator_ops.as_list(flat))

    def get_single_element(self, name: str | None = None) -> Any:
        """Returns the only element, a structure of tensors.

        In the run, no element or more than one raises InvalidArgumentError.
        """
        flat = gen_dataset_ops.dataset_to_single_element(
            self._variant_tensor, name=name, **iterator_ops.flat_attrs(self._spec)
        )
        return structure.from_tensor_list(self._spec, iterator_ops.as_list(flat))

    def cardinality(self, name: str | None = None) -> ops.Tensor:
        """Returns the number of elements, int64, if it is known without counting.

        If not, returns `tf.data.experimental.UNKNOWN_CARDINALITY` or `INFINITE_CARDINALITY`.
        """
        return gen_dataset_ops.dataset_cardinality(self._variant_tensor, name=name)

    def as_numpy_iterator(self) -> NoReturn:
        """RuntimeError: elements are tensors of a graph, which a session runs."""
        raise RuntimeError(
            "as_numpy_iterator() is not supported while graphs are built: run what "
            "make_one_shot_iterator().get_next() returns."
        )


class _StateFunction(StructuredFunction):
    """A function of a state and an element that returns the next state.

    The function is made again until its states fit: a state whose shape is less known than
    the one that it was made for makes `state_spec` less specific.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        initial_state: Any,
        spec: Any,
        what: str,
        state_of: Callable[[Any], Any],
    ):
        initial = structure.normalize_element(initial_state)
        self.state_spec = structure.type_spec_from_value(initial)
        self.initial_state = structure.to_tensor_list(self.state_spec, initial)
        while True:
            try:
                super().__init__(func, (self.state_spec, spec), what)
            except (TypeError, ValueError) as error:
                if type(error) not in (TypeError, ValueError):
                    raise
                raise type(error)(
                    f"{error} (in the function of Dataset.{what}, whose state is "
                    f"{structure.legacy_types(self.state_spec)}, as initial_state, and "
                    f"whose element is {structure.legacy_types(spec)})"
                ) from error
            weaker = _weaker(self.state_spec, state_of(self.output_spec), what)
            if repr(weaker) == repr(self.state_spec):
                return
            self.state_spec = weaker


def _first_of_pair(spec: Any) -> Any:
    if not isinstance(spec, tuple) or len(spec) != 2:
        raise TypeError(
            "The scan function must return a pair comprising the new state and the output "
            f"value, got {spec}."
        )
    return spec[0]


def _weaker(old: Any, new: Any, what: str) -> Any:
    """Returns the spec that two specs of a state have in common; TypeError if more than their shapes differ."""
    nest.assert_same_structure(old, new)
    leaves = []
    for a, b in zip(nest.flatten(old), nest.flatten(new), strict=True):
        if type(a) is not type(b) or a.dtype != b.dtype:
            raise TypeError(
                f"The element types for the new state of `{what}` must match the initial "
                f"state. Expected {structure.legacy_types(old)}; got "
                f"{structure.legacy_types(new)}."
            )
        leaves.append(with_shape(a, common_shape(a.shape, b.shape)))
    return nest.pack_sequence_as(old, leaves)
