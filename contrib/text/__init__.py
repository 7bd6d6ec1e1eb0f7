# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.text`: pairs of words near each other."""

from tensorwright.contrib.text.python.ops.skip_gram_ops import (
    skip_gram_sample,
    skip_gram_sample_with_text_vocab,
)
