# SPDX-License-Identifier: Apache-2.0
"""gpt-2-simple: the README's finetune and generate, of a small network whose weights are drawn: nothing is downloaded."""

import json
import os

import gpt_2_simple as gpt2
import tensorflow as tf
from gpt_2_simple.src import encoder, model

folder = os.path.join("models", "small")
os.makedirs(folder)
symbols = list(encoder.bytes_to_unicode().values())
with open(os.path.join(folder, "encoder.json"), "w") as file:
    json.dump({s: i for i, s in enumerate([*symbols, "<|endoftext|>"])}, file)
with open(os.path.join(folder, "vocab.bpe"), "w", encoding="utf-8") as file:
    file.write("#version: 0.2\n")
sizes = {"n_vocab": 257, "n_ctx": 1024, "n_embd": 16, "n_head": 2, "n_layer": 2}
with open(os.path.join(folder, "hparams.json"), "w") as file:
    json.dump(sizes, file)
with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    hparams = model.default_hparams()
    hparams.override_from_dict(sizes)
    model.model(hparams=hparams, X=tf.constant([[1, 2]]))
    sess.run(tf.compat.v1.global_variables_initializer())
    tf.compat.v1.train.Saver().save(sess, os.path.join(folder, "model.ckpt"))
with open("text.txt", "w") as file:
    file.write("All work and no play makes Jack a dull boy.\n" * 400)

sess = gpt2.start_tf_sess()
gpt2.finetune(
    sess,
    "text.txt",
    model_name="small",
    steps=12,
    learning_rate=0.01,
    sample_every=100,
    sample_length=20,
    save_every=100,
)
assert os.path.exists("checkpoint/run1/counter")
(text,) = gpt2.generate(sess, length=20, return_as_list=True, prefix="All")
assert text.startswith("All") and len(text) > 10, text

events = [os.path.join("checkpoint/run1", n) for n in os.listdir("checkpoint/run1")]
losses = [
    value.simple_value
    for path in events
    if "events" in path
    for event in tf.compat.v1.train.summary_iterator(path)
    for value in event.summary.value
    if value.tag == "loss"
]
assert losses[-1] < losses[0], losses
