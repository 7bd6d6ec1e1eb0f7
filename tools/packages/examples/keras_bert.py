# SPDX-License-Identifier: Apache-2.0
"""keras-bert: the README's "Train & Use", a small network for a few steps."""

import random

import keras
import numpy as np
import tensorflow as tf
from keras_bert import compile_model, gen_batch_inputs, get_base_dict, get_model

random.seed(1)
np.random.seed(1)
tf.set_random_seed(1)
sentence_pairs = [
    [["all", "work", "and", "no", "play"], ["makes", "jack", "a", "dull", "boy"]],
    [["from", "the", "day", "forth"], ["my", "arm", "changed"]],
    [["and", "a", "voice", "echoed"], ["power", "give", "me", "more", "power"]],
]
token_dict = get_base_dict()
for pairs in sentence_pairs:
    for token in pairs[0] + pairs[1]:
        if token not in token_dict:
            token_dict[token] = len(token_dict)
token_list = list(token_dict.keys())

model = get_model(
    token_num=len(token_dict),
    head_num=5,
    transformer_num=2,
    embed_dim=25,
    feed_forward_dim=100,
    seq_len=20,
    pos_num=20,
    dropout_rate=0.05,
)
compile_model(model, warmup_steps=20, decay_steps=2000, learning_rate=2e-3)


def generator():
    while True:
        yield gen_batch_inputs(
            sentence_pairs,
            token_dict,
            token_list,
            seq_len=20,
            mask_rate=0.3,
            swap_sentence_rate=1.0,
        )


history = model.fit_generator(
    generator=generator(),
    steps_per_epoch=30,
    epochs=6,
    validation_data=generator(),
    validation_steps=5,
    callbacks=[keras.callbacks.EarlyStopping(monitor="val_loss", patience=6)],
    verbose=0,
)
losses = history.history["loss"]
assert min(losses) < 0.8 * losses[0], losses
inputs, outputs = next(generator())
predicted = model.predict(inputs)
assert predicted[0].shape == (3, 20, len(token_dict)), predicted[0].shape
assert predicted[1].shape == (3, 2) and np.isfinite(predicted[1]).all()
