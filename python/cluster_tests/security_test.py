# SPDX-License-Identifier: Apache-2.0
"""Servers check the token and TLS, limit the size of requests, and survive clients that are gone."""

import contextlib
import datetime
import os
import socket
import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.cluster_tests.processes import Cluster, start
from tensorwright.python.framework import errors

pytestmark = pytest.mark.usefixtures("fresh_graph")

PREFIX = "TENSORWRIGHT_CLUSTER_"


@pytest.fixture
def as_client(monkeypatch):
    """Sets the variables of clusters in the environment of this process, a client."""

    def set_variables(**variables):
        for name in list(os.environ):
            if name.startswith(PREFIX) and name != f"{PREFIX}LIBRARY":
                monkeypatch.delenv(name)
        for name, value in variables.items():
            monkeypatch.setenv(PREFIX + name, str(value))

    set_variables()
    return set_variables


def _variables(**variables):
    return {PREFIX + name: str(value) for name, value in variables.items()}


def _run_one(target, seconds=60):
    config = tf.ConfigProto(operation_timeout_in_ms=int(seconds * 1000))
    with tf.Session(target, config=config) as session:
        return session.run(tf.constant(1))


def test_a_call_without_the_token_is_refused(as_client):
    with Cluster(ps=1, workers=1, **_variables(TOKEN="of this test")) as cluster:
        for token in ("", "of another", "of this tesT", "of this test "):
            as_client(TOKEN=token)
            with pytest.raises(errors.UnauthenticatedError) as caught:
                _run_one(cluster.target(0))
            # The message hides the server's devices and token.
            assert caught.value.message == "This server needs a token"
            with pytest.raises(errors.UnauthenticatedError):
                tf.Session.reset(cluster.target(0))
        as_client(TOKEN="of this test")
        assert _run_one(cluster.target(0)) == 1


# TLS ---------------------------------------------------------------------------------------------------------


class _Authority:
    """Signs certificates, and writes them to files."""

    def __init__(self, folder, name):
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec

        self._folder, self._name = folder, name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        certificate = self._sign(self._subject, self._key, is_authority=True)
        self.ca = self._write("ca.pem", certificate)

    def _sign(self, subject, key, is_authority):
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes

        now = datetime.datetime.now(datetime.UTC)
        day = datetime.timedelta(days=1)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
            .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
        )
        if not is_authority:
            names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def _write(self, file, certificate):
        from cryptography.hazmat.primitives.serialization import Encoding

        path = self._folder / f"{self._name}_{file}"
        path.write_bytes(certificate.public_bytes(Encoding.PEM))
        return path

    def issue(self, name):
        """Issues a key, and returns the environment of a process of that name."""
        from cryptography import x509
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        certificate = self._sign(subject, key, is_authority=False)
        path = self._folder / f"{self._name}_{name}.key"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return {
            "TLS_CA": self.ca,
            "TLS_CERT": self._write(f"{name}.pem", certificate),
            "TLS_KEY": path,
        }


@pytest.fixture(scope="module")
def authorities(tmp_path_factory):
    pytest.importorskip("cryptography")
    folder = tmp_path_factory.mktemp("certificates")
    return _Authority(folder, "ours"), _Authority(folder, "theirs")


def _is_shut_out(target):
    """No answer comes to this process."""
    with pytest.raises((errors.DeadlineExceededError, errors.UnavailableError)):
        _run_one(target, seconds=1)
    return True


def test_processes_with_certificates_of_one_authority_make_a_cluster(
    authorities, as_client
):
    ours, theirs = authorities
    with Cluster(ps=1, workers=1, **_variables(**ours.issue("server"))) as cluster:
        target = cluster.target(0)
        as_client(**ours.issue("client"))
        with tf.device("/job:ps/task:0"):
            x = tf.range(100000)
        with tf.device("/job:worker/task:0"):
            y = tf.reduce_sum(x + 1)
        with tf.Session(target) as session:
            assert session.run(y) == np.arange(1, 100001).sum(dtype=np.int32)
        # Without TLS, without a certificate, with one of another authority.
        as_client()
        assert _is_shut_out(target)
        as_client(TLS_CA=ours.ca)
        assert _is_shut_out(target)
        as_client(**{**theirs.issue("client"), "TLS_CA": ours.ca})
        assert _is_shut_out(target)


def test_a_server_of_another_authority_is_not_believed(authorities, as_client):
    ours, theirs = authorities
    with Cluster(ps=1, workers=1, **_variables(**theirs.issue("server"))) as cluster:
        as_client(**ours.issue("client"))
        assert _is_shut_out(cluster.target(0))
        as_client(**theirs.issue("client"), TLS_NAME="another.name")
        assert _is_shut_out(cluster.target(0))
        as_client(**theirs.issue("client"), TLS_NAME="localhost")
        assert _run_one(cluster.target(0)) == 1


def test_clients_need_no_certificate_if_the_servers_say_so(authorities, as_client):
    ours, _ = authorities
    server = {**ours.issue("server"), "TLS_CLIENTS": "any", "TOKEN": "secret"}
    with Cluster(ps=1, workers=1, **_variables(**server)) as cluster:
        as_client(TLS_CA=ours.ca, TOKEN="secret")
        assert _run_one(cluster.target(0)) == 1
        as_client(TLS_CA=ours.ca)
        with pytest.raises(errors.UnauthenticatedError):
            _run_one(cluster.target(0))


def test_what_is_heard_on_the_wire_is_encrypted(authorities, as_client):
    ours, _ = authorities
    heard = []

    def pass_on(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                heard.append(data)
                sink.sendall(data)

    with (
        Cluster(ps=1, workers=1, **_variables(**ours.issue("server"))) as cluster,
        socket.create_server(("127.0.0.1", 0)) as listener,
    ):
        port = int(cluster.workers[0].rpartition(":")[2])

        def forward():
            with contextlib.suppress(OSError):
                while True:
                    near, _ = listener.accept()
                    far = socket.create_connection(("127.0.0.1", port))
                    for pair in ((near, far), (far, near)):
                        threading.Thread(target=pass_on, args=pair, daemon=True).start()

        threading.Thread(target=forward, daemon=True).start()
        as_client(**ours.issue("client"))
        text = tf.constant("something that nobody else should read")
        with tf.Session(f"grpc://localhost:{listener.getsockname()[1]}") as session:
            assert session.run(text) == b"something that nobody else should read"
    assert sum(map(len, heard)) > 1000
    assert b"nobody else" not in b"".join(heard)
    assert b"tensorflow.MasterService" not in b"".join(heard)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"TLS_CERT": None}, "belong together"),
        ({"TLS_KEY": None}, "belong together"),
        ({"TLS_CA": None}, "belong together"),
        ({"TLS_CERT": None, "TLS_KEY": None}, "certificate of its own"),
        ({"TLS_CA": "/no/such/file"}, "TENSORWRIGHT_CLUSTER_TLS_CA"),
        ({"TLS_CLIENTS": "some"}, "'certified' or 'any'"),
    ],
)
def test_half_a_certificate_is_refused(authorities, as_client, wrong, message):
    variables = {**authorities[0].issue("server"), **wrong}
    as_client(**{k: v for k, v in variables.items() if v is not None})
    with pytest.raises(errors.OpError, match=message):
        tf.train.Server.create_local_server()


# Limits ------------------------------------------------------------------------------------------------------


def test_a_message_over_the_limit_is_an_error_to_its_client_only(as_client):
    with Cluster(ps=1, workers=1, **_variables(MAX_MESSAGE_BYTES=100000)) as cluster:
        x = tf.placeholder(tf.float32, [None])
        y = tf.reduce_sum(x)
        with tf.Session(cluster.target(0)) as session:
            assert session.run(y, {x: np.ones(1000)}) == 1000
            with pytest.raises(errors.OpError):
                session.run(y, {x: np.ones(100000)})
            assert session.run(y, {x: np.ones(10)}) == 10


def _add_constants(n):
    for _ in range(n):
        last = tf.constant(1)
    return last


def test_a_graph_over_the_limit_is_refused_and_so_is_one_that_grows(as_client):
    as_client(MAX_GRAPH_NODES=50)
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        assert session.run(_add_constants(40)) == 1
        last = _add_constants(20)
        with pytest.raises(errors.ResourceExhaustedError, match="60 nodes"):
            session.run(last)
    with tf.Session(server.target) as session:
        with pytest.raises(errors.ResourceExhaustedError, match="50 nodes"):
            session.run(last)
    with tf.Graph().as_default():
        assert _run_one(server.target) == 1
    server.stop()


def test_sessions_over_the_limit_are_refused_until_others_end(as_client):
    as_client(MAX_SESSIONS=3)
    server = tf.train.Server.create_local_server()
    x = tf.constant(1)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            session = stack.enter_context(tf.Session(server.target))
            assert session.run(x) == 1
        with tf.Session(server.target) as one_more:
            with pytest.raises(errors.ResourceExhaustedError, match="3 sessions"):
                one_more.run(x)
        session.close()
        with tf.Session(server.target) as one_more:
            assert one_more.run(x) == 1
    server.stop()


@pytest.mark.parametrize(
    "name", "MAX_MESSAGE_BYTES MAX_GRAPH_NODES MAX_SESSIONS LOST_SECONDS".split()
)
def test_a_limit_that_is_no_number_is_refused(as_client, name):
    for value in ("many", "-1"):
        as_client(**{name: value})
        with pytest.raises(errors.InvalidArgumentError, match=name):
            tf.train.Server.create_local_server()


# Clients that are gone ---------------------------------------------------------------------------------------

ASK = """
    import sys, time
    import tensorwright as tf
    with tf.device("/job:ps/task:0"):
        x = tf.constant(1)
    with tf.device("/job:worker/task:0"):
        y = x + 1
    session = tf.Session(sys.argv[1])
    assert session.run(y) == 2
    print("ready", flush=True)
    if sys.argv[2] == "wait":
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
        session.run(queue.dequeue())
    time.sleep(1000)
"""


def _wait_until(true, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.1)
    return False


def _takes_a_session(target):
    try:
        with tf.Graph().as_default():
            return _run_one(target) == 1
    except errors.ResourceExhaustedError:
        return False


def test_sessions_of_clients_that_died_are_ended(as_client):
    limits = _variables(MAX_SESSIONS=2, LOST_SECONDS=1)
    with Cluster(ps=1, workers=1, **limits) as cluster:
        clients = [start(ASK, cluster.target(0), what) for what in ("sleep", "wait")]
        for client in clients:
            assert client.stdout.readline() == "ready\n"
        # Clients keep their sessions as long as they live.
        time.sleep(2)
        assert not _takes_a_session(cluster.target(0))
        for client in clients:
            client.kill()
            client.wait()
            client.stdout.close()
        assert _wait_until(lambda: _takes_a_session(cluster.target(0)))


def test_sessions_of_masters_that_died_are_ended_at_their_workers(as_client):
    limits = _variables(MAX_SESSIONS=2, LOST_SECONDS=1)
    with Cluster(ps=1, workers=1, **limits) as cluster:
        # More often than the parameter server has room for.
        for _ in range(4):
            client = start(ASK, cluster.target(0), "wait")
            assert client.stdout.readline() == "ready\n"
            cluster.kill("worker", 0)
            client.kill()
            client.wait()
            client.stdout.close()
            cluster.start("worker", 0)
            cluster.wait("worker", 0)
            assert _wait_until(lambda: _takes_a_session(cluster.target(0)))
