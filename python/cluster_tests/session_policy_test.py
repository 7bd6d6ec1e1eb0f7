# SPDX-License-Identifier: Apache-2.0
"""Policies and servers: a server holds to the policy of its config; a session of one takes none."""

import pytest

import tensorwright as tf


@pytest.fixture(scope="module")
def server():
    config = tf.ConfigProto(policy=tf.Policy.sandbox(max_tensor_bytes=4000).to_proto())
    return tf.train.Server({"local": ["localhost:0"]}, config=config)


def test_a_server_refuses_what_its_policy_does_not_allow(server, tmp_path):
    path = tmp_path / "secret"
    path.write_text("nobody may know")
    with tf.Graph().as_default():
        read = tf.read_file(str(path))
        n = tf.placeholder(tf.int32, [])
        total = tf.reduce_sum(tf.fill([n], 1.0))
        with tf.Session(server.target) as session:
            assert session.run(total, {n: 1000}) == 1000
            with pytest.raises(tf.errors.PermissionDeniedError) as caught:
                session.run(read)
            assert "(ReadFile) is not allowed: it touches 'files read'" in str(
                caught.value
            )
            with pytest.raises(tf.errors.ResourceExhaustedError, match="max_tensor"):
                session.run(total, {n: 2000})
            assert session.run(total, {n: 10}) == 10


def test_a_server_takes_no_policy_that_wants_the_same_bits():
    config = tf.ConfigProto(policy=tf.Policy(deterministic=True).to_proto())
    with pytest.raises(tf.errors.InvalidArgumentError, match="of one process"):
        tf.train.Server({"local": ["localhost:0"]}, config=config)


def test_a_session_of_a_server_takes_no_policy(server):
    with tf.Graph().as_default():
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="give it to the server"
        ):
            tf.Session(server.target, policy=tf.Policy.sandbox())
