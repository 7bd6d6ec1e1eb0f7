# SPDX-License-Identifier: Apache-2.0
"""Seconds to save and restore a model, here and in TensorFlow, one after the other.

Usage: ./run benchmarks/checkpoints.py [FOLDER]

FOLDER is where checkpoints go, by default one for temporary files.  Medians of 5; between the saves `dd` writes
as many bytes there, without waiting for the disk either.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

# Variables, floats in each, devices that save at the same time.
CASES = {
    "1 GB, one file": (16, 1 << 24, 1),
    "1 GB, four shards": (16, 1 << 24, 4),
    "10,000 variables of 100 B": (10_000, 25, 1),
}
REPEATS = 5


def measure(name: str, folder: str) -> None:
    """Prints the times of one library, a case a line."""
    if name == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import tensorwright as tf
    for number, size, devices in CASES.values():
        with tf.Graph().as_default():
            for i in range(number):
                with tf.device(f"/cpu:{i % devices}" if devices > 1 else None):
                    tf.Variable(tf.ones([size]), name=f"v{i}")
            saver = tf.train.Saver(sharded=devices > 1)
            config = tf.ConfigProto(device_count={"CPU": devices})
            with tf.Session(config=config) as session:
                session.run(tf.global_variables_initializer())
                save, restore, raw = [], [], []
                for _ in range(REPEATS):
                    for file in os.listdir(folder):
                        os.unlink(os.path.join(folder, file))
                    start = time.perf_counter()
                    path = os.path.join(folder, "model")
                    saver.save(session, path, write_meta_graph=False, write_state=False)
                    save.append(time.perf_counter() - start)
                    start = time.perf_counter()
                    saver.restore(session, path)
                    restore.append(time.perf_counter() - start)
                    raw.append(dd(folder, 4 * number * size))
        print(*map(statistics.median, (save, restore, raw)), flush=True)


def times_of(python: str, name: str, folder: str) -> list[list[float]]:
    """Seconds of a save, a restore and dd, by case."""
    command = [python, os.path.abspath(__file__), "--measure", name, folder]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [[float(t) for t in line.split()] for line in out.splitlines()]


def dd(folder: str, size: int) -> float:
    path = os.path.join(folder, "dd")
    block = min(size, 1 << 20)
    start = time.perf_counter()
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={path}", f"bs={block}", f"count={size // block}"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    took = time.perf_counter() - start
    os.unlink(path)
    return took


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
        return
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools" / "difftest"))
    import peer_venv

    with tempfile.TemporaryDirectory(
        dir=sys.argv[1] if sys.argv[1:] else None
    ) as folder:
        ours = times_of(sys.executable, "tensorwright", folder)
        theirs = times_of(peer_venv.python(), "tensorflow", folder)
    print(
        f"{'':28}{'save':>8}{'TF':>8}{'ratio':>7}{'dd':>8}{'of dd':>7}"
        f"{'restore':>10}{'TF':>8}{'ratio':>7}"
    )
    for case, (a, b, raw), (c, d, _) in zip(CASES, ours, theirs, strict=True):
        print(
            f"{case:28}{a:8.3f}{c:8.3f}{a / c:7.2f}{raw:8.3f}{raw / a:7.0%}"
            f"{b:10.3f}{d:8.3f}{b / d:7.2f}"
        )


if __name__ == "__main__":
    main()
