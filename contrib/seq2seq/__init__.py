# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.seq2seq`: decoders of recurrent networks, attention, beam search."""

from tensorwright.contrib.seq2seq.python.ops.attention_wrapper import (
    AttentionMechanism,
    AttentionWrapper,
    AttentionWrapperState,
    BahdanauAttention,
    BahdanauMonotonicAttention,
    LuongAttention,
    LuongMonotonicAttention,
    hardmax,
    monotonic_attention,
    safe_cumprod,
)
from tensorwright.contrib.seq2seq.python.ops.basic_decoder import (
    BasicDecoder,
    BasicDecoderOutput,
)
from tensorwright.contrib.seq2seq.python.ops.beam_search_decoder import (
    BeamSearchDecoder,
    BeamSearchDecoderOutput,
    BeamSearchDecoderState,
    FinalBeamSearchDecoderOutput,
    tile_batch,
)
from tensorwright.contrib.seq2seq.python.ops.beam_search_ops import gather_tree
from tensorwright.contrib.seq2seq.python.ops.decoder import Decoder, dynamic_decode
from tensorwright.contrib.seq2seq.python.ops.helper import (
    CustomHelper,
    GreedyEmbeddingHelper,
    Helper,
    SampleEmbeddingHelper,
    ScheduledEmbeddingTrainingHelper,
    ScheduledOutputTrainingHelper,
    TrainingHelper,
)
from tensorwright.contrib.seq2seq.python.ops.loss import sequence_loss
