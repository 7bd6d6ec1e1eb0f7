# SPDX-License-Identifier: Apache-2.0
"""bert-tensorflow: the model of modeling.py's docstring, and a few steps of its optimizer."""

import numpy as np
import tensorflow as tf
from bert import modeling, optimization, run_classifier, tokenization

tf.set_random_seed(1)
with open("vocab.txt", "w") as file:
    file.write("\n".join(["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "good"]))
tokenizer = tokenization.FullTokenizer("vocab.txt", do_lower_case=True)
assert tokenizer.tokenize("UNaffable good") == ["un", "##aff", "##able", "good"]
examples = [
    run_classifier.InputExample(guid=str(i), text_a=text, label=label)
    for i, (text, label) in enumerate([("good good", "1"), ("unaffable", "0")] * 4)
]
features = run_classifier.convert_examples_to_features(
    examples, ["0", "1"], 6, tokenizer
)
input_ids = tf.constant([f.input_ids for f in features])
input_mask = tf.constant([f.input_mask for f in features])
token_type_ids = tf.constant([f.segment_ids for f in features])
labels = tf.constant([f.label_id for f in features])

config = modeling.BertConfig(
    vocab_size=7,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
)
model = modeling.BertModel(
    config=config,
    is_training=True,
    input_ids=input_ids,
    input_mask=input_mask,
    token_type_ids=token_type_ids,
)
pooled_output = model.get_pooled_output()
logits = tf.layers.dense(pooled_output, 2)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train_op = optimization.create_optimizer(loss, 1e-3, 200, 10, use_tpu=False)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    assert sess.run(model.get_sequence_output()).shape == (8, 6, 32)
    losses = [sess.run([train_op, loss])[1] for _ in range(60)]
assert np.mean(losses[-5:]) < 0.5 * np.mean(losses[:5]), (losses[0], losses[-1])
