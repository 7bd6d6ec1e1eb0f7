# SPDX-License-Identifier: Apache-2.0
"""Times GPU kernels and small training steps on a card, here or in PyTorch, one page each.

Usage: python benchmarks/gpu.py [--device /gpu:0] [--only NAME] [--small]      this package
       python benchmarks/gpu.py --peer [--only NAME] [--small]                 PyTorch, by a Python that has it

A kernel's time is a slope: chains of few and of many equal operations run in turn, and the difference of their
medians is divided by the difference of their lengths, so that neither feeds, fetches nor the session's own time are in
it.  A training step's time is a median of whole runs.  Float32 products are full float32 in both (no TF32).
`--small` makes everything tiny: for a try without a card.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

SHORT, LONG, RUNS = 4, 36, 9


def median_ms(run: Callable[[], object], runs: int = RUNS) -> float:
    run()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def slope_ms(chain: Callable[[int], Callable[[], object]]) -> float:
    """`chain(n)` returns a function that runs n dependent operations and waits for them."""
    short, long = chain(SHORT), chain(LONG)
    short(), long()
    return (median_ms(long) - median_ms(short)) / (LONG - SHORT)


class Ours:
    """The package's graphs.  A chain starts from variables on the device and ends in one fetched number."""

    def __init__(self, device: str) -> None:
        import tensorwright as tf

        self.tf, self.device = tf, device

    def _session(self, build: Callable[[], object]) -> Callable[[], object]:
        tf = self.tf
        graph = tf.Graph()
        with graph.as_default(), tf.device(self.device):
            fetch = build()
            initialize = tf.global_variables_initializer()
        session = tf.Session(graph=graph)
        session.run(initialize)
        return session.make_callable(fetch)

    def chain(
        self, step: str, *arrays: np.ndarray
    ) -> Callable[[int], Callable[[], object]]:
        tf = self.tf
        steps = {
            "matmul": lambda x, w: tf.matmul(x, w),
            "conv": lambda x, w: tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"),
            "add": lambda x, w: x + w,
            "tanh": lambda x: tf.tanh(x),
            "softmax": lambda x: tf.nn.softmax(x),
            # Two transposes alone would be taken out of the graph.
            "transpose": lambda x, c: tf.transpose(x) + c,
            "sum": lambda x: x + tf.reduce_sum(x, 1, keep_dims=True),
            "norm": lambda x: tf.nn.fused_batch_norm(
                x, tf.ones([x.shape[-1]]), tf.zeros([x.shape[-1]])
            )[0],
        }

        def build(n: int) -> object:
            x, *rest = [tf.Variable(a, trainable=False) for a in arrays]
            for _ in range(n):
                x = steps[step](x, *rest)
            return tf.reduce_sum(
                tf.cast(tf.slice(tf.reshape(x, [-1]), [0], [8]), tf.float32)
            )

        return lambda n: self._session(lambda: build(n))

    def training(self, kind: str, x: np.ndarray, y: np.ndarray) -> Callable[[], object]:
        tf = self.tf

        def weights(*shape: int) -> object:
            return tf.Variable(tf.truncated_normal(shape, stddev=0.05))

        def build() -> object:
            h = tf.Variable(x, trainable=False)
            labels = tf.Variable(y, trainable=False)
            if kind == "convnet":
                for channels, filters in [(1, 32), (32, 64)]:
                    h = tf.nn.conv2d(
                        h, weights(5, 5, channels, filters), [1, 1, 1, 1], "SAME"
                    )
                    h = tf.nn.relu(tf.nn.bias_add(h, tf.Variable(tf.zeros([filters]))))
                    h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
                h = tf.reshape(h, [x.shape[0], -1])
                sizes = [int(h.shape[1]), 512, 10]
            else:
                sizes = [x.shape[1], 1024, 1024, 1024, 10]
            for i, (rows, columns) in enumerate(
                zip(sizes[:-1], sizes[1:], strict=True)
            ):
                h = tf.matmul(h, weights(rows, columns)) + tf.Variable(
                    tf.zeros([columns])
                )
                h = tf.nn.relu(h) if i < len(sizes) - 2 else h
            loss = tf.reduce_mean(
                tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=h)
            )
            step = tf.train.MomentumOptimizer(1e-3, 0.9).minimize(loss)
            with tf.control_dependencies([step]):
                return tf.identity(loss)

        return self._session(build)


class Torch:
    """PyTorch on the first card, compiled by nothing: the same operations, one call each."""

    def __init__(self) -> None:
        import torch

        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        self.torch = torch

    def _array(self, a: np.ndarray) -> object:
        return self.torch.from_numpy(a).cuda()

    def chain(
        self, step: str, *arrays: np.ndarray
    ) -> Callable[[int], Callable[[], object]]:
        torch = self.torch
        x, *rest = [self._array(a) for a in arrays]
        if step in ("conv", "norm"):  # The same memory layout: channels last.
            x = x.permute(0, 3, 1, 2)
            rest = [
                r.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
                for r in rest
            ]
        steps = {
            "matmul": lambda x, w: x @ w,
            "conv": lambda x, w: torch.nn.functional.conv2d(x, w, padding="same"),
            "add": lambda x, w: x + w,
            "tanh": lambda x: torch.tanh(x),
            "softmax": lambda x: torch.softmax(x, -1),
            "transpose": lambda x, c: x.t().contiguous() + c,
            "sum": lambda x: x + x.sum(1, keepdim=True),
            "norm": lambda x: torch.nn.functional.batch_norm(
                x, None, None, training=True
            ),
        }

        def run(n: int) -> None:
            y = x
            for _ in range(n):
                y = steps[step](y, *rest)
            torch.cuda.synchronize()

        return lambda n: lambda: run(n)

    def training(self, kind: str, x: np.ndarray, y: np.ndarray) -> Callable[[], object]:
        torch = self.torch
        nn = torch.nn
        images, labels = self._array(x), self._array(y)
        if kind == "convnet":
            images = images.permute(0, 3, 1, 2)
            side = x.shape[1] // 4
            net = nn.Sequential(
                nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                nn.Flatten(), nn.Linear(64 * side * side, 512), nn.ReLU(), nn.Linear(512, 10),
            )  # fmt: skip
        else:
            net = nn.Sequential(
                nn.Linear(x.shape[1], 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(),
                nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10),
            )  # fmt: skip
        net = net.cuda()
        optimizer = torch.optim.SGD(net.parameters(), 1e-3, momentum=0.9)

        def run() -> float:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(images), labels)
            loss.backward()
            optimizer.step()
            return loss.item()

        return run


def cases(library: Ours | Torch, small: bool) -> dict[str, Callable[[], str]]:
    """Name -> a function that measures and says milliseconds and the rate that the case is about."""
    random = np.random.RandomState(0)

    def array(*shape: int, dtype: str = "float32") -> np.ndarray:
        return (random.standard_normal(shape) * 0.05).astype(dtype)

    n = 64 if small else 4096
    side, images, filters = (8, 2, 8) if small else (56, 64, 64)
    rows, columns = (64, 96) if small else (16384, 4096)

    def rate(step: str, amount: float, unit: str, *arrays: np.ndarray) -> str:
        ms = slope_ms(library.chain(step, *arrays))
        return f"{ms:9.4f} ms  {amount / ms / 1e9:9.2f} {unit}"

    def product(dtype: str) -> str:
        return rate(
            "matmul",
            2.0 * n**3,
            "TFLOP/s",
            array(n, n, dtype=dtype),
            array(n, n, dtype=dtype),
        )

    def moved(step: str, times: int, *more: np.ndarray) -> str:
        return rate(
            step,
            1e3 * times * 4.0 * rows * columns,
            "GB/s",
            array(rows, columns),
            *more,
        )

    def step(kind: str, *shape: int) -> str:
        labels = np.eye(10, dtype=np.float32)[random.randint(0, 10, shape[0])]
        return f"{median_ms(library.training(kind, array(*shape), labels), 50):9.4f} ms a step"

    flops = 2.0 * images * side * side * 9 * filters * filters
    return {
        f"product of {n}x{n}, float32": lambda: product("float32"),
        f"product of {n}x{n}, float16": lambda: product("float16"),
        f"3x3 convolution, {images}x{side}x{side}x{filters}": lambda: rate(
            "conv", flops, "TFLOP/s", array(images, side, side, filters), array(3, 3, filters, filters)
        ),
        f"x + y, {rows}x{columns}": lambda: moved("add", 3, array(rows, columns)),
        f"tanh, {rows}x{columns}": lambda: moved("tanh", 2),
        f"softmax, {rows}x{columns}": lambda: moved("softmax", 2),
        f"transpose and + c, {rows}x{columns}": lambda: moved("transpose", 4, array(1)),
        f"x + sum of rows, {rows}x{columns}": lambda: moved("sum", 3),
        f"batch norm, {images}x{side}x{side}x{filters}": lambda: rate(
            "norm", 1e3 * 2 * 4.0 * images * side * side * filters, "GB/s",
            array(images, side, side, filters),
        ),
        "train MLP of four layers, batch 256": lambda: step("mlp", 256, 784),
        "train MNIST convnet, batch 256": lambda: step("convnet", 256, 28, 28, 1),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="/gpu:0")
    parser.add_argument("--peer", action="store_true", help="time PyTorch")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    library = Torch() if args.peer else Ours(args.device)
    failed = 0
    for name, measure in cases(library, args.small).items():
        if args.only not in name:
            continue
        try:
            print(f"{name:44}{measure()}", flush=True)
        except Exception as error:  # The other cases still tell something.
            failed += 1
            print(
                f"{name:44}failed: {type(error).__name__}: {str(error)[:300]}",
                flush=True,
            )
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
