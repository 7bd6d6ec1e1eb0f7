# SPDX-License-Identifier: Apache-2.0
"""Documents as sequences of numbers: of their words, or of their bytes."""

from __future__ import annotations

import itertools
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tensorwright.contrib.learn.python.learn.preprocessing.categorical_vocabulary import (  # noqa: E501
    CategoricalVocabulary,
)
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.platform import gfile

__all__ = ["ByteProcessor", "VocabularyProcessor", "tokenizer"]

# The first of these kinds that fits at a place makes a word there; everything else separates words.
_WORD = re.compile(
    "|".join(
        (
            r"[A-Z]{2,}(?![a-z])",  # capitals before a name: "HTTP" of "HTTPServer"
            r"[A-Z][a-z]+(?=[A-Z])",  # a name's part before a capital: "Camel" of "CamelCase"
            r"[\w'-]+",  # letters and digits with what joins them: "don't", "3-D"
        )
    )
)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text."""
    return map(_WORD.findall, iterator)


def _filled(values: Iterable[int], length: int, dtype: Any) -> np.ndarray:
    """The first `length` values, and zeros behind them if there are fewer."""
    row = np.zeros(length, dtype)
    for place, value in zip(range(length), values):
        row[place] = value
    return row


class ByteProcessor:
    """Texts as their bytes, cut or filled up with zeros to `max_document_length`."""

    def __init__(self, max_document_length: int):
        self.max_document_length = max_document_length

    def fit(self, x: TensorLike) -> ByteProcessor:
        """Does nothing: bytes need no vocabulary."""
        del x
        return self

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        return self.transform(x)

    def reverse(self, x: Iterable[np.ndarray]) -> Iterator[str]:
        """The texts of byte sequences, without the zeros at their ends."""
        for data in x:
            raw = bytes(np.asarray(data, np.uint8)).rstrip(b"\0")
            yield raw.decode("utf-8", errors="replace")

    def transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        """uint8 [max_document_length] of each text."""
        for document in x:
            raw = document.encode() if isinstance(document, str) else bytes(document)
            yield _filled(raw, self.max_document_length, np.uint8)


class VocabularyProcessor:
    """Turns texts into the numbers of their words, cut or padded with 0 to `max_document_length`.

        processor = VocabularyProcessor(10)
        x = np.array(list(processor.fit_transform(texts)))
        size = len(processor.vocabulary_)

    0 also stands for words that are not in the vocabulary.

    Args:
        max_document_length: how many words of a text count.
        min_frequency: words must come more often than that.
        vocabulary: a CategoricalVocabulary to begin with.
        tokenizer_fn: from an iterator of texts to one of lists of words; None: `tokenizer`.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[list[str]]] | None = None,
    ):
        self._tokenizer = tokenizer if tokenizer_fn is None else tokenizer_fn
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self.max_document_length, self.min_frequency = (
            max_document_length,
            min_frequency,
        )

    def fit(
        self, raw_documents: Iterable[str], unused_y: object = None
    ) -> VocabularyProcessor:
        """Learns the vocabulary of texts; from then on other words are unknown."""
        del unused_y
        vocabulary = self.vocabulary_
        for word in itertools.chain.from_iterable(self._tokenizer(raw_documents)):
            vocabulary.add(word)
        if self.min_frequency > 0:
            vocabulary.trim(self.min_frequency)
        vocabulary.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: object = None
    ) -> Iterator[np.ndarray]:
        """`fit`, then `transform`; goes through the texts twice."""
        texts = list(raw_documents)
        return self.fit(texts, unused_y).transform(texts)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """int64 [max_document_length] of each text."""
        number_of = self.vocabulary_.get
        for words in self._tokenizer(raw_documents):
            yield _filled(map(number_of, words), self.max_document_length, np.int64)

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of numbers, joined by spaces."""
        for document in documents:
            yield " ".join(str(self.vocabulary_.reverse(int(i))) for i in document)

    def save(self, filename: str) -> None:
        """Writes it to a file; the tokenizer must be a function of a module."""
        with gfile.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Reads a processor that `save` wrote.  The file is a pickle: read only files that you trust."""
        with gfile.GFile(filename, "rb") as file:
            return pickle.loads(file.read())
