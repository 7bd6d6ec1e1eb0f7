# SPDX-License-Identifier: Apache-2.0
"""Ids of combinations of features."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn,
    IdWeightPair,
    LazyBuilder,
)
from tensorwright.python.feature_column._columns.feature_column_categorical import (
    HashedCategoricalColumn,
)
from tensorwright.python.framework import dtypes, sparse_tensor
from tensorwright.python.ops import parsing_ops, sparse_ops


@dataclasses.dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """See `crossed_column`."""

    keys: tuple[str | CategoricalColumn, ...]
    hash_bucket_size: int
    hash_key: int | None

    def _leaves(self) -> list[str | CategoricalColumn]:
        """The keys, with those of crossed columns in their place."""
        leaves: list[str | CategoricalColumn] = []
        for key in self.keys:
            leaves.extend(key._leaves() if isinstance(key, CrossedColumn) else [key])
        return leaves

    @property
    def name(self) -> str:
        names = [k if isinstance(k, str) else k.name for k in self._leaves()]
        return "_X_".join(sorted(names))

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        for key in self.keys:
            if isinstance(key, str):
                spec[key] = parsing_ops.VarLenFeature(dtypes.string)
            else:
                spec.update(key._parse_example_spec)
        return spec

    def _transform_feature(self, inputs: LazyBuilder) -> sparse_tensor.SparseTensor:
        features = []
        for key in self._leaves():
            if isinstance(key, str):
                features.append(inputs.get(key))
                continue
            ids = key._get_sparse_tensors(inputs)
            if ids.weight_tensor is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given "
                    f"column populates weight_tensor. Given column: {key.name}"
                )
            features.append(ids.id_tensor)
        return sparse_ops.sparse_cross_hashed(
            features, num_buckets=self.hash_bucket_size, hash_key=self.hash_key
        )

    @property
    def _num_buckets(self) -> int:
        return self.hash_bucket_size

    def _get_sparse_tensors(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        del weight_collections, trainable  # It has no variables.
        return IdWeightPair(inputs.get(self), None)


def crossed_column(
    keys: Sequence[str | CategoricalColumn],
    hash_bucket_size: int,
    hash_key: int | None = None,
) -> CrossedColumn:
    """Ids of all combinations of a value of each of several features: hash(values) modulo the number of ids.

    An example with features a = [1, 2] and b = [x] has two ids, of (1, x) and (2, x).

    Args:
        keys: two or more: keys of features of strings or integers, or categorical columns.  A crossed column counts as
            its own keys.
        hash_bucket_size: the number of ids; combinations may share one.
        hash_key: the key of the hashes; None: TensorFlow's constant.

    Raises:
        ValueError: there are fewer than two keys or fewer than one id, or a key is of another kind.  That includes a
            column of hashes, whose words would be hashed twice: give its feature's key instead.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}"
        )
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical "
                f"column except categorical_column_with_hash_bucket. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing: "
                "hashing twice makes more collisions. Give the feature's key. "
                f"Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
