# SPDX-License-Identifier: Apache-2.0
"""Measures the gain of each graph pass and special kernel.

Usage: ./run benchmarks/passes.py [--only NAME] [--samples N] [--markdown FILE]

For each, the cases that it claims to speed up run with it and without it, alternating, each in a process of its own.
It prints the medians and the ratio with / without: below 1, there is a gain.  A pass without any gain should go.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import sys

import peer

# Pass -> the cases that it is there for.
PASSES = {
    "dependencies": [
        "identities_between_layers",
        "train_mnist_convnet_b64",
        "train_ptb_lstm",
    ],
    "constant_folding": ["position_encoding", "frozen_resnet_block_b1"],
    "arithmetic": ["identities_and_neutral_elements"],
    "shapes": ["layouts_there_and_back"],
    "product_sums": ["train_ptb_lstm"],
    "common_subexpressions": ["norm_written_twice", "train_ptb_lstm"],
    "pool_places": ["max_pool_3x3s2_backward", "train_mnist_convnet_b64"],
    "batch_norm_folding": ["frozen_resnet_block_b1"],
    "contraction_fusion": [
        "frozen_mlp_b1",
        "frozen_resnet_block_b1",
        "train_mlp_4_layers_b32",
        "train_mnist_convnet_b64",
    ],
    "kept_filters": [
        "frozen_deep_block_b1",
        "frozen_resnet_block_b1",
        "train_resnet_block_b8",
    ],
    "update_fusion": ["clipped_momentum_step", "train_ptb_lstm"],
    "elementwise_fusion": [
        "smooth_chain_4m",
        "elementwise_chain_1m",
        "train_ptb_lstm",
        "train_resnet_block_b8",
    ],
}

# Special kernel, as TENSORWRIGHT_KERNELS_OFF names it -> likewise.
KERNELS: dict[str, list[str]] = {
    "winograd": ["conv2d_forward_3x3", "conv2d_backward_3x3", "frozen_resnet_block_b1"],
    "streamed_copies": [
        "transpose_nhwc_to_nchw",
        "array_transpose_nchw_to_nhwc",
        "array_transpose_matrix",
        "array_concat_channels",
        "array_stack_last",
        "array_tile_column",
        "array_strided_slice",
    ],
    "apart_windows": ["max_pool_3x3s3_gradient_alone", "max_pool_2x2s2_backward"],
}

WITH, WITHOUT = "with", "without"


def _worker(variables: dict[str, str]) -> peer.Worker:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        return peer.Worker(sys.executable, peer.OURS)
    finally:
        os.environ.clear()
        os.environ.update(before)


def measure(
    variables: dict[str, str], names: list[str], samples: int, seconds: float
) -> dict[str, tuple[float, float]]:
    """Returns case -> medians with and without the passes that `variables` turn off, in seconds."""
    workers = {WITH: _worker({}), WITHOUT: _worker(variables)}
    result = {}
    for name in names:
        times: dict[str, list[float]] = {WITH: [], WITHOUT: []}
        for _ in range(samples):
            for side, worker in workers.items():
                answer = worker.ask(case=name, seconds=seconds)
                times[side].append(answer["seconds"])
        for worker in workers.values():
            worker.ask(case=name, drop=True)
        result[name] = (
            statistics.median(times[WITH]),
            statistics.median(times[WITHOUT]),
        )
    for worker in workers.values():
        worker.close()
    return result


def _off(name: str) -> dict[str, str]:
    """The environment that turns a pass or a kernel off; the workers read it (peer_worker.py, kernel_switch.h)."""
    if name in PASSES:
        return {"BENCHMARK_PASSES": ",".join(p for p in PASSES if p != name)}
    if name == "winograd":
        return {"TF_ENABLE_WINOGRAD_NONFUSED": "0"}
    return {"TENSORWRIGHT_KERNELS_OFF": name}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="passes and kernels by substring")
    parser.add_argument("--samples", type=int, default=7, help="samples a side")
    parser.add_argument("--seconds", type=float, default=0.2, help="length of a sample")
    parser.add_argument(
        "--markdown", type=pathlib.Path, help="write the table here as well"
    )
    args = parser.parse_args()
    rows = ["| | case | with | without | ratio |", "| --- | --- | ---: | ---: | ---: |"]
    print("\n".join(rows), flush=True)
    for name, cases in {**PASSES, **KERNELS}.items():
        if args.only not in name:
            continue
        measured = measure(_off(name), cases, args.samples, args.seconds)
        for case, (a, b) in measured.items():
            times = f"{peer._time(a)} | {peer._time(b)}"
            rows.append(f"| `{name}` | {case} | {times} | {a / b:.3f} |")
            print(rows[-1], flush=True)
    if args.markdown:
        args.markdown.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
