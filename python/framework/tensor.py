# SPDX-License-Identifier: Apache-2.0
"""Tensor: a symbolic handle on one output of an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import default_stack, errors_impl
from tensorwright.python.framework.type_aliases import FeedDict

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.tensor_operators import TensorOperators
    from tensorwright.python.ops._variables.variables_variable import Variable
else:
    TensorOperators = object


class _TensorLike:
    """Marks classes that stand for a tensor in argument checks."""


class Tensor(_pywrap.TensorCore, _TensorLike, TensorOperators):
    """The value that one output of an `Operation` will have in a run.

    Holds no value: `Session.run(tensor)` or `tensor.eval()` computes it.  From
    the core come `op`, `value_index`, `dtype`, `graph`, `name`, `shape`,
    `get_shape()`, `set_shape(shape)` and `consumers()`.
    """

    # Filled by python/ops through _override_operator.
    OVERLOADABLE_OPERATORS = {
        "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__",
        "__div__", "__rdiv__", "__truediv__", "__rtruediv__", "__floordiv__",
        "__rfloordiv__", "__mod__", "__rmod__", "__lt__", "__le__", "__gt__",
        "__ge__", "__ne__", "__eq__", "__and__", "__rand__", "__or__", "__ror__",
        "__xor__", "__rxor__", "__getitem__", "__pow__", "__rpow__", "__invert__",
        "__neg__", "__abs__", "__matmul__", "__rmatmul__",
    }  # fmt: skip

    # `array * tensor` is our __rmul__, not an elementwise object product.
    __array_priority__ = 100

    @staticmethod
    def _override_operator(operator: str, func: Callable[..., Any]) -> None:
        """Makes `func` the implementation of an overloadable operator."""
        present = vars(Tensor).get(operator)
        if present is not None and not hasattr(present, "_loads_ops"):
            raise ValueError(
                f"operator {operator} cannot be overwritten again on class Tensor."
            )
        if operator not in Tensor.OVERLOADABLE_OPERATORS:
            raise ValueError(f"{operator} is no operator that a Tensor can be given")
        setattr(Tensor, operator, func)

    @property
    def _shape(self):
        return self.shape

    @_shape.setter
    def _shape(self, value):
        self.set_shape(value)

    @property
    def _dtype(self):
        return self.dtype

    @property
    def _op(self):
        return self.op

    @property
    def device(self) -> str:
        """The device asked for its operation, or ""."""
        return self.op.device

    @property
    def ndim(self) -> int | None:
        return self.shape.ndims

    def _rank(self) -> int | None:
        return self.shape.ndims

    def _shape_as_list(self) -> list[int | None] | None:
        shape = self.shape
        return None if shape.ndims is None else shape.as_list()

    def _shape_tuple(self) -> tuple | None:
        return self.shape._dims

    def _as_node_def_input(self) -> str:
        name = self.op.name
        return name if self.value_index == 0 else f"{name}:{self.value_index}"

    def __str__(self) -> str:
        shape = self.shape
        shape = f", shape={shape}" if shape.ndims is not None else ""
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __copy__(self) -> "Tensor":
        return self

    def __deepcopy__(self, memo: object) -> "Tensor":
        raise TypeError(f"{self!r} belongs to its graph and cannot be copied")

    def __reduce__(self):
        raise TypeError(f"{self!r} belongs to its graph and cannot be pickled")

    def __iter__(self):
        raise errors_impl.OperatorNotAllowedInGraphError(
            "'Tensor' object is not iterable."
        )

    def __len__(self):
        raise TypeError(
            f"{self.name}: a Tensor of a graph has no len(); its sizes are in `shape`"
        )

    def __bool__(self):
        raise errors_impl.OperatorNotAllowedInGraphError(
            "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not "
            "None:` instead of `if t:` to test if a tensor is defined, and use "
            "TensorFlow ops such as tf.cond to execute subgraphs conditioned on the "
            "value of a tensor."
        )

    __nonzero__ = __bool__

    def __array__(self, dtype: object = None, copy: object = None):
        raise NotImplementedError(
            f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array."
        )

    def eval(
        self, feed_dict: FeedDict | None = None, session: SessionInterface | None = None
    ) -> Any:
        """Runs the graph and returns this tensor's value as a NumPy array.

        `session` is the default session where it is not given.
        """
        session = default_stack.session_for(
            session, self.graph, "evaluate tensor", "eval"
        )
        return session.run(self, feed_dict)

    def ref(self) -> "_Reference":
        """A hashable object that stands for this tensor."""
        return _Reference(self)

    experimental_ref = ref


class _Reference:
    """Refers to a tensor, and is equal to other references to the same object."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any):
        self._wrapped = wrapped

    def deref(self) -> Any:
        return self._wrapped

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


_tensor_like_types: tuple[type, ...] = (Tensor,)


def is_dense_tensor_like(t: object) -> TypeIs[Tensor | Variable]:
    """True for tensors and for the classes registered as such."""
    return isinstance(t, _tensor_like_types)


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Registers a class with `name` and `dtype` properties as tensor-like."""
    global _tensor_like_types
    for member in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, member, None), property):
            raise TypeError(
                f"Type {tensor_type.__name__} does not define a `{member}` property"
            )
    _tensor_like_types = (*_tensor_like_types, tensor_type)
