# SPDX-License-Identifier: Apache-2.0
"""Names for what functions accept: `TensorLike`, `DTypeLike`, `ShapeLike`, ...

For annotations alone.  A type checker sees the unions.  In a running program each name is `Any`, so importing this
module costs nothing and cannot close an import cycle.

Instances of classes that programs register with `register_tensor_conversion_function` become tensors too.  No union
can name these; one with `__array__` is an array to type checkers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import ParamSpec, TypeAlias, TypeVar

    import numpy as np
    import numpy.typing as npt
    from google.protobuf.message import Message

    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )
    from tensorwright.python.framework.device import DeviceSpec
    from tensorwright.python.framework.dimension import Dimension
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.indexed_slices import IndexedSlices
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.tensor_shape import TensorShape
    from tensorwright.python.framework.type_spec import TypeSpec
    from tensorwright.python.ops._parsing.parsing_ops_features import (
        FixedLenFeature,
        FixedLenSequenceFeature,
        SparseFeature,
        VarLenFeature,
    )
    from tensorwright.python.ops._variables.variable_scope_scope import VariableScope
    from tensorwright.python.ops._variables.variable_scope_store import _ReuseMode
    from tensorwright.python.ops._variables.variables_partitioned import (
        PartitionedVariable,
    )
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.ops.init_ops import Initializer
    from tensorwright.python.ops.tensor_array_ops import TensorArray
    from tensorwright.python.training._monitored.wrapped_sessions import WrappedSession
    from tensorwright.python.training.monitored_session import _MonitoredSession
    from tensorwright.python.training.optimizer import Optimizer

    # Generic functions use these: the type of a value, and what a function takes.
    T = TypeVar("T")
    P = ParamSpec("P")

    # A function that a decorator is given, and returns.
    F = TypeVar("F", bound=Callable[..., object])

    # A proto, for functions that return one of the class that they are given.
    MessageT = TypeVar("MessageT", bound=Message)

    # Values that `json.dumps` writes.
    JsonValue: TypeAlias = (
        str | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
    )

    # Values that `tf.convert_to_tensor` converts, and lists of them of any depth.
    TensorLike: TypeAlias = (
        Tensor
        | Variable
        | PartitionedVariable
        | IndexedSlices
        | TensorShape
        | Dimension
        | npt.ArrayLike
        | Sequence["TensorLike"]
    )

    # Values that `tf.as_dtype` converts: a name, an enum value, a type of Python or NumPy.
    DTypeLike: TypeAlias = DType | np.dtype[Any] | type | str | int

    # One size of a shape; None where it is not known.
    SizeLike: TypeAlias = int | Dimension | np.integer[Any] | None

    # Values that `tf.TensorShape` converts; None for a shape of unknown rank.
    ShapeLike: TypeAlias = TensorShape | Message | Iterable[SizeLike] | SizeLike

    # One int for every dimension, or one each: strides, dilations, windows.
    Ints: TypeAlias = int | Sequence[int]

    # "SAME", "VALID", or what to add at both ends of each dimension.
    PaddingLike: TypeAlias = str | Sequence[Sequence[int]]

    # Tensors in nested lists, tuples and dicts.
    TensorTree: TypeAlias = (
        TensorLike
        | SparseTensor
        | TensorArray
        | Sequence["TensorTree"]
        | Mapping[Any, "TensorTree"]
    )

    # The same nest of dtypes, of shapes, of sizes.
    DTypeTree: TypeAlias = DTypeLike | Sequence["DTypeTree"] | Mapping[Any, "DTypeTree"]
    ShapeTree: TypeAlias = (
        ShapeLike | TypeSpec | Sequence["ShapeTree"] | Mapping[Any, "ShapeTree"]
    )
    SizeTree: TypeAlias = int | TensorShape | Sequence["SizeTree"]

    # The same nest of specs, and of the classes of its values (`tf.Tensor`, `tf.SparseTensor`).
    SpecTree: TypeAlias = TypeSpec | Sequence["SpecTree"] | Mapping[Any, "SpecTree"]
    TypeTree: TypeAlias = type | Sequence["TypeTree"] | Mapping[Any, "TypeTree"]

    # Makers of a variable's first value: f(shape, dtype, partition_info), an initializer's class, or the value itself.
    InitializerLike: TypeAlias = (
        Initializer | type[Initializer] | Callable[..., Any] | TensorLike
    )

    # The name of a variable scope, a scope to enter again, or None for the function's own name.
    ScopeLike: TypeAlias = str | VariableScope | None

    # Sessions, monitored ones, and what wraps a session while hooks run.
    SessionLike: TypeAlias = SessionInterface | WrappedSession | _MonitoredSession

    # Estimators' optimizers: one, its class, its name, or a function that makes it.
    OptimizerLike: TypeAlias = Optimizer | type[Optimizer] | str | Callable[..., object]

    # True, False, None to inherit, or tf.AUTO_REUSE.
    ReuseLike: TypeAlias = bool | _ReuseMode | None

    # The collections to add something to, or one of them.
    CollectionNames: TypeAlias = str | Iterable[str]

    # For `tf.device`: a name, a merged spec, or a function of the operation.
    DeviceLike: TypeAlias = str | DeviceSpec | Callable[[Operation], Any] | None

    # Values by which `graph.as_graph_element` finds an element.
    GraphElement: TypeAlias = Tensor | Operation | Variable | SparseTensor | str

    # Values that `session.run` can fetch: elements, in nested lists, tuples and dicts.
    Fetches: TypeAlias = (
        GraphElement
        | PartitionedVariable
        | IndexedSlices
        | Sequence["Fetches"]
        | Mapping[Any, "Fetches"]
    )

    # How `tf.parse_example` parses a feature.
    ParseSpec: TypeAlias = (
        FixedLenFeature | FixedLenSequenceFeature | SparseFeature | VarLenFeature
    )

    # Features by their names; by columns, if they are transformed already.
    FeaturesLike: TypeAlias = (
        Mapping[str, TensorLike | SparseTensor]
        | Mapping[FeatureColumn, TensorLike | SparseTensor]
        | Mapping[str | FeatureColumn, TensorLike | SparseTensor]
    )

    # Pairs as those of `optimizer.compute_gradients`.
    GradsAndVars: TypeAlias = Iterable[tuple[Tensor | IndexedSlices | None, Variable]]

    # Feeds of `session.run`: tensors (their names, variables, sparse tensors) -> values.
    # `Any`, because a Mapping of a union takes no dict of one of its members.
    FeedDict: TypeAlias = Mapping[Any, TensorLike | Sequence[Any]]

    PathLike: TypeAlias = str | bytes | os.PathLike[Any]
else:
    TensorLike = DTypeLike = SizeLike = ShapeLike = Ints = PaddingLike = Any
    TensorTree = DTypeTree = ShapeTree = SizeTree = SpecTree = TypeTree = Any
    InitializerLike = CollectionNames = DeviceLike = PathLike = ReuseLike = Any
    ScopeLike = SessionLike = OptimizerLike = Any
    GraphElement = Fetches = FeedDict = JsonValue = Any
    T = P = F = MessageT = ParseSpec = FeaturesLike = GradsAndVars = Any
