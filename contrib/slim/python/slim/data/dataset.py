# SPDX-License-Identifier: Apache-2.0
"""Dataset: describes where a data set is, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorwright.contrib.slim.python.slim.data.data_decoder import DataDecoder

    pass

__all__ = ["Dataset"]


class Dataset:
    """Files, a reader and a decoder.

    Args:
        data_sources: patterns of files.
        reader: a class of readers.
        decoder: a DataDecoder.
        num_samples: how many examples there are.
        items_to_descriptions: descriptions of the items.
        **kwargs: further attributes.
    """

    def __init__(
        self,
        data_sources: str | list[str] | tuple[str, ...],
        reader: Callable[..., object],
        decoder: DataDecoder,
        num_samples: int,
        items_to_descriptions: dict[str, str],
        **kwargs: object,
    ):
        kwargs.update(
            data_sources=data_sources,
            reader=reader,
            decoder=decoder,
            num_samples=num_samples,
            items_to_descriptions=items_to_descriptions,
        )
        self.__dict__.update(kwargs)
