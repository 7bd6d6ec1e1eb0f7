# SPDX-License-Identifier: Apache-2.0
"""Sends a server random, truncated and mutated messages of every method, and asks whether it still works.

Usage: ./run tools/dev/cluster_fuzz.py [--calls N] [--seed N]

Needs //core/distributed_runtime:libtensorwright_distributed.so.  The calls are made by the peer's Python, which has gRPC's;
the server is a process of its own.  Prints how the calls ended and what memory the server took; exits with 1 if it died,
or does not serve a session any more.
"""

import argparse
import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

MASTER = (
    "CreateSession ExtendSession PartialRunSetup RunStep CloseSession ListDevices Reset "
    "MakeCallable RunCallable ReleaseCallable NoSuchMethod"
).split()
WORKER = (
    "GetStatus CreateWorkerSession DeleteWorkerSession RegisterGraph DeregisterGraph "
    "RunGraph CleanupGraph CleanupAll RecvTensor Logging Tracing"
).split()
SERVE = """
import sys, tensorwright as tf
server = tf.train.Server.create_local_server()
print("ready", server.target, flush=True)
sys.stdin.read()
"""


def seeds(target: str) -> dict[str, list[bytes]]:
    """A few messages of each method that make sense, of a session that lives."""
    import numpy as np

    import tensorwright as tf
    from tensorwright.core.protobuf import master_pb2, worker_pb2

    found: dict[str, list[bytes]] = {name: [] for name in MASTER + WORKER}

    def add(name: str, **fields) -> None:
        module = worker_pb2 if name in WORKER else master_pb2
        message = getattr(module, f"{name}Request")(**fields)
        found[name].append(message.SerializeToString())

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)], name="loop")
        tf.reduce_sum(x * 2, name="y")
        graph_def = graph.as_graph_def()
    device = "/job:local/replica:0/task:0/device:CPU:0"
    key = f"{device};0000000000000001;{device};edge_1;0:0"
    feed = {"name": "x:0", "tensor": tf.make_tensor_proto(np.ones(600, np.float32))}
    worker = {"session_handle": "fuzzed"}
    add("CreateSession", graph_def=graph_def)
    add("ExtendSession", session_handle="1", graph_def=graph_def)
    add("PartialRunSetup", session_handle="1", feed=["x:0"], fetch=["y:0"])
    add("RunStep", session_handle="1", feed=[feed], fetch=["y:0"], target=["loop"])
    for name in ("CloseSession", "ListDevices"):
        add(name, session_handle="1")
    add("Reset", container=["a"])
    add("MakeCallable", session_handle="1", options={"feed": ["x:0"], "fetch": ["y:0"]})
    add("RunCallable", session_handle="1", handle=1, feed=[feed["tensor"]])
    add("ReleaseCallable", session_handle="1", handle=1)
    add("GetStatus")
    add("CreateWorkerSession", **worker)
    add("DeleteWorkerSession", session_handle="another")
    add("RegisterGraph", graph_def=graph_def, **worker)
    add("DeregisterGraph", graph_handle="graph_0", **worker)
    add("RunGraph", graph_handle="graph_0", step_id=7, **worker)
    send = {"name": key, "tensor": feed["tensor"]}
    add("RunGraph", graph_handle="graph_0", send=[send], recv_key=[key], **worker)
    add("CleanupGraph", step_id=7)
    add("CleanupAll", container=["a"])
    add("RecvTensor", step_id=7, rendezvous_key=key)
    add("Logging", enable_rpc_logging=True, fetch_step_id=[7])
    add("Tracing")
    return found


def mutated(message: bytes, rng: random.Random) -> bytes:
    kind = rng.randrange(6)
    if kind == 0:
        return rng.randbytes(rng.randrange(200))
    if kind == 1:
        return message[: rng.randrange(len(message) + 1)]
    if kind == 2:
        return message
    bytes_ = bytearray(message)
    for _ in range(rng.randrange(1, 5)):
        if not bytes_:
            break
        at = rng.randrange(len(bytes_))
        if kind == 3:
            bytes_[at] = rng.randrange(256)
        elif kind == 4:
            del bytes_[at : at + rng.randrange(1, 10)]
        else:
            bytes_[at:at] = rng.choice(
                [b"\xff" * rng.randrange(1, 10), b"\x80" * 9, bytes_[at : at + 20]]
            )
    return bytes(bytes_)


def send(address: str, file: str, calls: str, seed: str) -> None:
    """Sends the calls; the peer's Python runs this function."""
    import collections

    import grpc

    known = {
        name: [base64.b64decode(m) for m in messages]
        for name, messages in json.loads(pathlib.Path(file).read_text()).items()
    }
    rng = random.Random(int(seed))
    ended: collections.Counter = collections.Counter()
    with grpc.insecure_channel(address) as channel:
        create = channel.unary_unary("/tensorflow.MasterService/CreateSession")
        handle = create(known["CreateSession"][0])[2:18]
        for _ in range(int(calls)):
            name = rng.choice(list(known))
            service = "Worker" if name in WORKER else "Master"
            message = rng.choice(known[name] or [b""])
            message = message.replace(b"\x0a\x011", b"\x0a\x10" + handle, 1)
            metadata = [("tensorwright-runtime", "1")] if rng.random() < 0.9 else []
            call = channel.unary_unary(f"/tensorflow.{service}Service/{name}")
            try:
                call(mutated(message, rng), timeout=0.5, metadata=metadata)
                ended["OK"] += 1
            except grpc.RpcError as error:
                ended[error.code().name] += 1
    print(json.dumps(ended))


def resident_mb(pid: int) -> int:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def main() -> int:
    if sys.argv[1:2] == ["send"]:
        send(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "difftest"))
    import peer_venv

    import tensorwright as tf

    server = subprocess.Popen(
        [sys.executable, "-c", SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    target = server.stdout.readline().split()[1]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        encoded = {
            name: [base64.b64encode(m).decode() for m in messages]
            for name, messages in seeds(target).items()
        }
        json.dump(encoded, file)
        file.flush()
        before = resident_mb(server.pid)
        command = [peer_venv.python(), os.path.abspath(__file__), "send"]
        arguments = [target.removeprefix("grpc://"), file.name]
        subprocess.run(
            [*command, *arguments, str(args.calls), str(args.seed)], check=False
        )
    if server.poll() is not None:
        print(f"the server died: {server.returncode}")
        return 1
    print(f"server: {before} MB before, {resident_mb(server.pid)} MB after")
    config = tf.ConfigProto(operation_timeout_in_ms=20000)
    with tf.Session(target, config=config) as session:
        works = session.run(tf.constant(20) + 1) == 21
    print("the server works" if works else "the server does not work")
    server.kill()
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(main())
