# SPDX-License-Identifier: Apache-2.0
"""A program with flags, tf.app.run, a supervisor, and a summary of its own; started as programs of the time were."""

import os
import sys
import tempfile

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("steps", 6, "How many steps to train.")
flags.DEFINE_float("rate", 0.1, "The learning rate.", lower_bound=0.0)
flags.DEFINE_string("folder", "", "Where to save.")
flags.DEFINE_bool("verbose", False, "Whether to say more.")
flags.DEFINE_enum("optimizer", "sgd", ["sgd", "momentum"], "Which optimizer.")
flags.DEFINE_list("tags", [], "Names, by commas.")
FLAGS = flags.FLAGS


def optimizer():
    if FLAGS.optimizer == "momentum":
        return tf.train.MomentumOptimizer(FLAGS.rate, 0.5)
    return tf.train.GradientDescentOptimizer(FLAGS.rate)


def train(folder):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", initializer=[3.0, -3.0])
        average = tf.train.ExponentialMovingAverage(0.8, step)
        loss = tf.reduce_mean(tf.square(v - 1.0))
        update = optimizer().minimize(loss, step)
        with tf.control_dependencies([update]):
            update = average.apply([v])
        supervisor = tf.train.Supervisor(
            logdir=folder,
            global_step=step,
            save_model_secs=0,
            summary_op=None,
        )
        with supervisor.managed_session() as session:
            print("from", session.run(step))
            while not supervisor.should_stop() and session.run(step) < FLAGS.steps:
                value, _ = session.run([loss, update])
                if FLAGS.verbose:
                    print("loss", value)
            supervisor.saver.save(session, supervisor.save_path, step)
            print("v", *session.run(v), "average", *session.run(average.average(v)))


def main(argv):
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("rest", *argv[1:])
    print("flags", FLAGS.steps, FLAGS.rate, FLAGS.optimizer, *FLAGS.tags)
    folder = FLAGS.folder or tempfile.mkdtemp()
    train(folder)
    FLAGS.steps += 3
    train(folder)
    print("latest", os.path.basename(tf.train.latest_checkpoint(folder)))
    for name, shape in tf.train.list_variables(folder):
        print("saved", name, *shape)


if __name__ == "__main__":
    try:
        tf.app.run(
            main,
            argv=[
                sys.argv[0],
                "--steps=4",
                "--verbose",
                "--optimizer",
                "momentum",
                "--tags=a,b",
                "left",
            ],
        )
    except SystemExit as end:
        print("ended", end.code)
