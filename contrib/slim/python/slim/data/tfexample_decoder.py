# SPDX-License-Identifier: Apache-2.0
"""Items of Example protos: tensors, images, boxes, words' numbers."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.slim.python.slim.data import data_decoder
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    functional_ops,
    image_ops,
    math_ops,
    parsing_ops,
    sparse_ops,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import ParseSpec
    from tensorwright.python.ops._lookup.lookup_ops_tables import LookupInterface


__all__ = [
    "BoundingBox",
    "Image",
    "ItemHandler",
    "ItemHandlerCallback",
    "LookupTensor",
    "SparseTensor",
    "TFExampleDecoder",
    "Tensor",
]


class ItemHandler(abc.ABC):
    """Makes an item of features.

    Args:
        keys: the features that it needs, a key or several.
    """

    def __init__(self, keys: str | Sequence[str]):
        self._keys = [keys] if isinstance(keys, str) else list(keys)

    @property
    def keys(self) -> list[str]:
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(
        self, keys_to_tensors: Mapping[str, TensorLike | SparseTensor]
    ) -> Any:
        """The item of the features' tensors."""


class ItemHandlerCallback(ItemHandler):
    """An item that a function of the dict of tensors makes."""

    def __init__(self, keys: Any, func: Callable[[dict[str, Any]], Any]):
        super().__init__(keys)
        self._func = func

    def tensors_to_item(
        self, keys_to_tensors: dict[str, ops.Tensor | sparse_tensor.SparseTensor]
    ) -> ops.Tensor | sparse_tensor.SparseTensor:
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes [n, 4] of four features of their sides.

    Args:
        keys: the last parts of the keys, in the order of the columns.
        prefix: the first part.
    """

    def __init__(self, keys: Sequence[str] | None = None, prefix: str = ""):
        keys = ["ymin", "xmin", "ymax", "xmax"] if keys is None else list(keys)
        if len(keys) != 4:
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        self._full_keys = [prefix + k for k in keys]
        super().__init__(self._full_keys)

    def tensors_to_item(
        self, keys_to_tensors: dict[str, ops.Tensor | sparse_tensor.SparseTensor]
    ) -> ops.Tensor:
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            if isinstance(side, sparse_tensor.SparseTensor):
                side = side.values
            sides.append(array_ops.expand_dims(array_ops.reshape(side, [-1]), 0))
        return array_ops.transpose(array_ops.concat(sides, 0))


class Tensor(ItemHandler):
    """A feature as a dense tensor.

    Args:
        tensor_key: the feature's key.
        shape_keys: the features that hold the shape.
        shape: the shape; at most one of both may be given.
        default_value: the value that a sparse feature's missing elements get.
    """

    def __init__(
        self,
        tensor_key: str,
        shape_keys: Sequence[str] | None = None,
        shape: Sequence[int] | None = None,
        default_value: TensorLike = 0,
    ):
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if isinstance(shape_keys, str):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = list(shape_keys or ())
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *self._shape_keys])

    def tensors_to_item(
        self, keys_to_tensors: dict[str, ops.Tensor | sparse_tensor.SparseTensor]
    ) -> ops.Tensor:
        tensor = keys_to_tensors[self._tensor_key]
        shape: Any = self._shape
        if self._shape_keys:
            sizes = []
            for key in self._shape_keys:
                size = keys_to_tensors[key]
                if isinstance(size, sparse_tensor.SparseTensor):
                    size = sparse_ops.sparse_tensor_to_dense(size)
                sizes.append(array_ops.reshape(size, [-1]))
            shape = math_ops.cast(array_ops.concat(sizes, 0), dtypes.int32)
        if isinstance(tensor, sparse_tensor.SparseTensor):
            if shape is not None:
                tensor = sparse_ops.sparse_reshape(tensor, shape)
            default = self._default_value
            if tensor.dtype.base_dtype == dtypes.string and default == 0:
                default = ""
            return sparse_ops.sparse_tensor_to_dense(tensor, default)
        return tensor if shape is None else array_ops.reshape(tensor, shape)


class LookupTensor(Tensor):
    """A feature whose values a table numbers."""

    def __init__(self, tensor_key: str, table: LookupInterface, shape_keys: str | Sequence[str] | None = None, shape: Sequence[int] | None = None, default_value: TensorLike = ""):  # fmt: skip
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(
        self, keys_to_tensors: dict[str, ops.Tensor | sparse_tensor.SparseTensor]
    ) -> ops.Tensor:
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class SparseTensor(ItemHandler):
    """Features of indices and values as a SparseTensor.

    Args:
        indices_key, values_key: their keys, "indices" and "values" by default.
        shape_key: the feature that holds the shape.
        shape: the shape; one of both must be given.
        densify: whether the tensor becomes dense.
        default_value: the value that missing elements get then.
    """

    def __init__(
        self,
        indices_key: str | None = None,
        values_key: str | None = None,
        shape_key: str | None = None,
        shape: Sequence[int] | None = None,
        densify: bool = False,
        default_value: TensorLike = 0,
    ):
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        keys = [self._indices_key, self._values_key]
        super().__init__([*keys, shape_key] if shape_key else keys)

    def tensors_to_item(
        self, keys_to_tensors: dict[str, ops.Tensor | sparse_tensor.SparseTensor]
    ) -> ops.Tensor | sparse_tensor.SparseTensor:
        indices = keys_to_tensors[self._indices_key]
        values = keys_to_tensors[self._values_key]
        shape: Any = self._shape
        if self._shape_key:
            shape = keys_to_tensors[self._shape_key]
            if isinstance(shape, sparse_tensor.SparseTensor):
                shape = sparse_ops.sparse_tensor_to_dense(shape)
        if isinstance(indices, sparse_tensor.SparseTensor):
            indices = indices.values
        if isinstance(values, sparse_tensor.SparseTensor):
            values = values.values
        size = array_ops.shape(values)[0]
        columns = array_ops.reshape(math_ops.cast(indices, dtypes.int64), [size, -1])
        if len(self._shape or ()) == 2 and indices.get_shape().ndims == 1:
            # One column: all are in the first row.
            columns = array_ops.concat([array_ops.zeros_like(columns), columns], 1)
        found = sparse_tensor.SparseTensor(
            columns, values, math_ops.cast(shape, dtypes.int64)
        )
        if not self._densify:
            return found
        return sparse_ops.sparse_tensor_to_dense(found, self._default_value)


class Image(ItemHandler):
    """An encoded image as [height, width, channels], or one for each string.

    Args:
        image_key, format_key: the keys of the bytes and of their format, "image/encoded" and "image/format" by default.
        shape: the shape of the image, as far as it is known.
        channels: how many.
        dtype: the dtype of the pixels: uint8, or uint16 of raw and PNG images.
        repeated: whether the feature has several images.
    """

    def __init__(
        self,
        image_key: str | None = None,
        format_key: str | None = None,
        shape: Sequence[str] | None = None,
        channels: int = 3,
        dtype: DTypeLike = dtypes.uint8,
        repeated: bool = False,
    ):
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape = shape
        self._channels = channels
        self._dtype = dtypes.as_dtype(dtype)
        self._repeated = repeated

    def tensors_to_item(
        self, keys_to_tensors: dict[str, ops.Tensor | sparse_tensor.SparseTensor]
    ) -> ops.Tensor:
        contents: Any = keys_to_tensors[self._image_key]
        kind: Any = keys_to_tensors[self._format_key]
        if not self._repeated:
            return self._decode(contents, kind)
        if isinstance(contents, sparse_tensor.SparseTensor):
            contents = contents.values
        return functional_ops.map_fn(
            lambda one: self._decode(one, kind), contents, dtype=self._dtype
        )

    def _decode(self, contents: ops.Tensor, kind: ops.Tensor) -> ops.Tensor:
        def raw() -> ops.Tensor:
            return parsing_ops.decode_raw(contents, self._dtype)

        def image() -> ops.Tensor:
            # The decoder looks at the bytes for JPEG, PNG, GIF and BMP alike.
            decode = image_ops.decode_png if self._dtype == dtypes.uint16 else image_ops.decode_image  # fmt: skip
            if self._dtype == dtypes.uint16:
                return decode(contents, self._channels, dtypes.uint16)
            return math_ops.cast(decode(contents, self._channels), self._dtype)

        is_raw = math_ops.logical_or(
            math_ops.equal(kind, "raw"), math_ops.equal(kind, "RAW")
        )
        found = control_flow_ops.cond(
            array_ops.reshape(is_raw, []), raw, lambda: image()
        )
        if self._shape is None:
            found.set_shape([None, None, self._channels])
            return found
        return array_ops.reshape(found, self._shape)


class TFExampleDecoder(data_decoder.DataDecoder):
    """Decodes Example protos.

    Args:
        keys_to_features: how features are parsed, by key.
        items_to_handlers: how items are made of them, by name.
    """

    def __init__(
        self,
        keys_to_features: dict[str, ParseSpec],
        items_to_handlers: dict[str, ItemHandler],
    ):
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> list[str]:
        return list(self._items_to_handlers)

    def decode(self, data: TensorLike, items: Sequence[str] | None = None) -> list[Any]:
        """The items of a serialized Example, a string scalar."""
        parsed = parsing_ops.parse_single_example(data, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, parsing_ops.FixedLenFeature):
                parsed[key] = array_ops.reshape(parsed[key], feature.shape)
        outputs = []
        for item in self.list_items() if items is None else items:
            handler = self._items_to_handlers[item]
            outputs.append(
                handler.tensors_to_item({k: parsed[k] for k in handler.keys})
            )
        return outputs
