# SPDX-License-Identifier: Apache-2.0
"""MonitoredTrainingSession with hooks: stops at a step, logs, saves, and goes on."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
tf.logging.set_verbosity(tf.logging.ERROR)


class Losses(tf.train.SessionRunHook):
    def __init__(self, loss):
        self.loss, self.seen = loss, []

    def before_run(self, context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, context, values):
        self.seen.append(float(values.results))


def run(last):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", initializer=[2.0, -1.0])
        loss = tf.reduce_sum(tf.square(v - [0.5, 0.5]))
        tf.summary.scalar("loss", loss)
        train = tf.train.AdagradOptimizer(0.5).minimize(loss, step)
        hook = Losses(loss)
        hooks = [
            tf.train.StopAtStepHook(last_step=last),
            hook,
            tf.train.NanTensorHook(loss),
        ]
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder,
            hooks=hooks,
            save_summaries_steps=2,
            log_step_count_steps=None,
        ) as session:
            print("from", session.run(step))
            while not session.should_stop():
                session.run(train)
        return hook.seen


print("losses", *run(6))
print("losses", *run(10))
names = [name for name in os.listdir(folder) if "tfevents" in name]
events = [
    e for n in sorted(names) for e in tf.train.summary_iterator(os.path.join(folder, n))
]
steps = sorted(
    {e.step for e in events if any(v.tag == "loss" for v in e.summary.value)}
)
print("checkpoint", os.path.basename(tf.train.latest_checkpoint(folder)))
print("summaries", len(steps) > 3)
