# SPDX-License-Identifier: Apache-2.0
"""Skip grams (Mikolov et al. 2013): tokens and labels that stand near them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, random_seed
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_contrib_ops,
    lookup_ops,
    math_ops,
    random_ops,
)
from tensorwright.python.platform import gfile
from tensorwright.python.training import input as input_ops

if TYPE_CHECKING:
    from tensorwright.python.ops._lookup.lookup_ops_tables import LookupInterface


def _frequent(
    tokens: ops.Tensor,
    table: Any,
    min_count: Any,
    subsampling: float | None,
    corpus_size: Any,
    seed: int | None,
) -> ops.Tensor:
    """`tokens` less those that are too rare, and some of those that are frequent."""
    if table is None:
        return tokens
    counts = table.lookup(tokens)
    if min_count is not None:
        enough = counts >= math_ops.cast(min_count, counts.dtype)
        tokens = array_ops.boolean_mask(tokens, enough)
        counts = array_ops.boolean_mask(counts, enough)
    if subsampling is None:
        return tokens
    if not 0 <= subsampling <= 1:
        raise ValueError(
            f"Invalid vocab_subsampling={subsampling} - it should be within range [0, 1]."
        )
    # A word that is more than its share of the corpus stays with probability sqrt(1 / r) + 1 / r.
    share = math_ops.cast(counts, dtypes.float64) / (
        subsampling * math_ops.cast(corpus_size, dtypes.float64)
    )
    keep = (math_ops.sqrt(share) + 1.0) / share
    drawn = random_ops.random_uniform(
        array_ops.shape(keep), dtype=dtypes.float64, seed=seed
    )
    return array_ops.boolean_mask(tokens, drawn < keep)


def skip_gram_sample(
    input_tensor: TensorLike,
    min_skips: TensorLike = 1,
    max_skips: TensorLike = 5,
    start: TensorLike = 0,
    limit: TensorLike = -1,
    emit_self_as_target: TensorLike = False,
    vocab_freq_table: LookupInterface | None = None,
    vocab_min_count: TensorLike | None = None,
    vocab_subsampling: float | None = None,
    corpus_size: TensorLike | None = None,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple:
    """Pairs of a token and a label at most so many places from it, a number drawn for each token.

    Args:
        input_tensor: [n] tokens: strings or integers.
        min_skips, max_skips: between these the number is drawn; int32 scalars.
        start, limit: only tokens from `start` on, `limit` of them or all if that is negative; int32 scalars.
        emit_self_as_target: whether a token is a label of its own.
        vocab_freq_table: a lookup table of how frequent tokens are.
        vocab_min_count: tokens that are less frequent are left out.
        vocab_subsampling: the share of the corpus above which tokens are left out at random.
        corpus_size: the sum of frequencies; needed with that.
        batch_size: if given, pairs come from a queue in batches of this size.
        batch_capacity: the capacity of the queue, 100 batches if absent.
        seed: the seed of the numbers.
        name: the name of the name scope.

    Returns:
        (tokens, labels), vectors of one length.

    Raises:
        ValueError: for arguments that do not go together.
    """
    if vocab_freq_table is None and (
        vocab_min_count is not None or vocab_subsampling is not None
    ):
        raise ValueError(
            "vocab_freq_table is not provided, but vocab_min_count or vocab_subsampling "
            "is, which need it"
        )
    if (vocab_subsampling is None) != (corpus_size is None):
        raise ValueError(
            "vocab_subsampling and corpus_size must be given together, got "
            f"{vocab_subsampling} and {corpus_size}"
        )
    if batch_size is None and batch_capacity is not None:
        raise ValueError("batch_capacity needs a batch_size")
    with ops.name_scope(name, "skip_gram_sample", [input_tensor]):
        tokens = _frequent(
            ops.convert_to_tensor(input_tensor),
            vocab_freq_table,
            vocab_min_count,
            vocab_subsampling,
            corpus_size,
            seed,
        )
        seed1, seed2 = random_seed.get_seed(seed)
        tokens, labels = gen_contrib_ops.skip_gram_generate_candidates(
            input_tensor=tokens,
            min_skips=min_skips,
            max_skips=max_skips,
            start=start,
            limit=limit,
            emit_self_as_target=emit_self_as_target,
            seed=seed1 or 0,
            seed2=seed2 or 0,
        )
        if batch_size is None:
            return tokens, labels
        batched = input_ops.batch(
            [tokens, labels],
            batch_size,
            capacity=batch_capacity or 100 * batch_size,
            enqueue_many=True,
        )
        return tuple(batched)


def _sum_of_counts(path: str, delimiter: str, index: int, kind: Any, least: Any) -> Any:
    total = 0
    with gfile.GFile(path, "r") as file:
        for line in csv.reader(file.read().splitlines(), delimiter=delimiter):
            count = kind(line[index])
            if least is None or count >= least:
                total += count
    return total


def skip_gram_sample_with_text_vocab(
    input_tensor: TensorLike,
    vocab_freq_file: str,
    vocab_token_index: int = 0,
    vocab_token_dtype: DTypeLike = dtypes.string,
    vocab_freq_index: int = 1,
    vocab_freq_dtype: DTypeLike = dtypes.float64,
    vocab_delimiter: str = ",",
    vocab_min_count: Any = 0,
    vocab_subsampling: float | None = None,
    min_skips: TensorLike = 1,
    max_skips: TensorLike = 5,
    start: TensorLike = 0,
    limit: TensorLike = -1,
    emit_self_as_target: TensorLike = False,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> tuple:
    """skip_gram_sample with the frequencies of a text file, a line for each token; tokens that are not there go.

    Args:
        vocab_freq_file: the path.
        vocab_token_index, vocab_freq_index: columns of tokens and frequencies, from 0.
        vocab_token_dtype, vocab_freq_dtype: their dtypes.
        vocab_delimiter: the text between columns.

    The other arguments are those of `skip_gram_sample`.

    Raises:
        ValueError: for columns that are negative or equal.
    """
    if vocab_token_index < 0 or vocab_freq_index < 0:
        raise ValueError(
            f"Invalid vocab_token_index={vocab_token_index} or "
            f"vocab_freq_index={vocab_freq_index}: must be >= 0"
        )
    if vocab_token_index == vocab_freq_index:
        raise ValueError(
            "vocab_token_index and vocab_freq_index should be different, but are both "
            f"{vocab_token_index}"
        )
    freq_dtype = dtypes.as_dtype(vocab_freq_dtype)
    corpus_size = None
    if vocab_subsampling is not None:
        kind = float if freq_dtype.is_floating else int
        corpus_size = _sum_of_counts(
            vocab_freq_file, vocab_delimiter, vocab_freq_index, kind, vocab_min_count
        )
    table = lookup_ops.HashTable(
        lookup_ops.TextFileInitializer(
            filename=vocab_freq_file,
            key_dtype=vocab_token_dtype,
            key_index=vocab_token_index,
            value_dtype=freq_dtype,
            value_index=vocab_freq_index,
            delimiter=vocab_delimiter,
        ),
        # Below any count that is asked for.
        default_value=(vocab_min_count or 0) - 1,
    )
    return skip_gram_sample(
        input_tensor,
        min_skips=min_skips,
        max_skips=max_skips,
        start=start,
        limit=limit,
        emit_self_as_target=emit_self_as_target,
        vocab_freq_table=table,
        vocab_min_count=vocab_min_count or 0,
        vocab_subsampling=vocab_subsampling,
        corpus_size=corpus_size,
        batch_size=batch_size,
        batch_capacity=batch_capacity,
        seed=seed,
        name=name,
    )
