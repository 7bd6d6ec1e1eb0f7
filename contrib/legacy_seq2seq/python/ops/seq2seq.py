# SPDX-License-Identifier: Apache-2.0
"""Sequence to sequence models (Sutskever et al. 2014, Bahdanau et al. 2014): re-exports, no code."""

from tensorwright.contrib.legacy_seq2seq.python.ops._attention import (
    attention_decoder as attention_decoder,
    embedding_attention_decoder as embedding_attention_decoder,
    embedding_attention_seq2seq as embedding_attention_seq2seq,
)
from tensorwright.contrib.legacy_seq2seq.python.ops._decoders import (
    _extract_argmax_and_embed as _extract_argmax_and_embed,
    basic_rnn_seq2seq as basic_rnn_seq2seq,
    embedding_rnn_decoder as embedding_rnn_decoder,
    embedding_rnn_seq2seq as embedding_rnn_seq2seq,
    embedding_tied_rnn_seq2seq as embedding_tied_rnn_seq2seq,
    one2many_rnn_seq2seq as one2many_rnn_seq2seq,
    rnn_decoder as rnn_decoder,
    tied_rnn_seq2seq as tied_rnn_seq2seq,
)
from tensorwright.contrib.legacy_seq2seq.python.ops._losses import (
    model_with_buckets as model_with_buckets,
    sequence_loss as sequence_loss,
    sequence_loss_by_example as sequence_loss_by_example,
)
