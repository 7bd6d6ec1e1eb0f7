# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.crf`: linear-chain conditional random fields."""

from tensorwright.contrib.crf.python.ops.crf import (
    CrfForwardRnnCell,
    crf_binary_score,
    crf_log_likelihood,
    crf_log_norm,
    crf_sequence_score,
    crf_unary_score,
    viterbi_decode,
)
from tensorwright.contrib.crf.python.ops.crf_decode import (
    CrfDecodeBackwardRnnCell,
    CrfDecodeForwardRnnCell,
    crf_decode,
    crf_multitag_sequence_score,
)
