# SPDX-License-Identifier: Apache-2.0
"""Documents as sequences of numbers: of their words, or of their bytes."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tensorwright.contrib.learn.python.learn.preprocessing.categorical_vocabulary import (  # noqa: E501
    CategoricalVocabulary,
)
from tensorwright.python.platform import gfile

__all__ = ["ByteProcessor", "VocabularyProcessor", "tokenizer"]

# A number or word with what may be inside: "don't", "e-mail", "3.5"; else one sign that is no space.
_TOKEN = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text."""
    for value in iterator:
        yield _TOKEN.findall(value)


class ByteProcessor:
    """Texts as their bytes, cut or filled up with zeros to `max_document_length`."""

    def __init__(self, max_document_length: int):
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> ByteProcessor:
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
            found = np.zeros(self.max_document_length, np.uint8)
            kept = np.frombuffer(raw, np.uint8)[: self.max_document_length]
            found[: kept.size] = kept
            yield found


class VocabularyProcessor:
    """Texts as the numbers of their words, cut or filled up with 0 to `max_document_length`.

        processor = VocabularyProcessor(10)
        x = np.array(list(processor.fit_transform(texts)))
        size = len(processor.vocabulary_)

    0 stands for what is not in the vocabulary, too.

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
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> VocabularyProcessor:
        """Learns the vocabulary of texts; from then on other words are unknown."""
        del unused_y
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(
        self, raw_documents: Iterable[str], unused_y: Any = None
    ) -> Iterator[np.ndarray]:
        """`fit`, then `transform`; goes through the texts twice."""
        raw_documents = list(raw_documents)
        self.fit(raw_documents, unused_y)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """int64 [max_document_length] of each text."""
        for tokens in self._tokenizer(raw_documents):
            found = np.zeros(self.max_document_length, np.int64)
            for i, token in enumerate(tokens[: self.max_document_length]):
                found[i] = self.vocabulary_.get(token)
            yield found

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The words of numbers, joined by spaces."""
        for document in documents:
            yield " ".join(self.vocabulary_.reverse(int(i)) for i in document)

    def save(self, filename: str) -> None:
        """Writes it to a file; the tokenizer must be a function of a module."""
        with gfile.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """What `save` wrote.  It is a pickle: read files that you trust only."""
        with gfile.GFile(filename, "rb") as file:
            return pickle.loads(file.read())
