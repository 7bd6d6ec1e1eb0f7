# SPDX-License-Identifier: Apache-2.0
"""Writes into seeds.txt the op seeds that TensorFlow 2.21, with Keras 2, takes for each expression.

./run tools/conformance/record_seeds.py

TensorFlow 2.21 counts a graph's draws where TensorFlow 1 counted its operations, and leaves out the bounds of uniform draws
that are 0 and 1.  Both are given TensorFlow 1's form here; the operations of all other functions are 2.21's own.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import types
from typing import Any

_HERE = pathlib.Path(__file__).resolve()


def main() -> int:
    from tensorwright.tools.conformance import seeds
    from tensorwright.tools.difftest import peer_venv

    draws = seeds.read()
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1"}
    environment.pop("PYTHONPATH", None)
    answer = subprocess.run(
        [peer_venv.python_with_keras(), str(_HERE), "--answer"],
        input=json.dumps([draw.expression for draw in draws]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        check=True,
    ).stdout
    told = json.loads(answer.splitlines()[-1])
    seeds.write(
        [
            dataclasses.replace(draw, expected=expected)
            for draw, expected in zip(draws, told, strict=True)
        ]
    )
    wrong = [t for t in told if t.startswith("error")]
    print("".join(f"{t}\n" for t in wrong), end="")
    return int(bool(wrong))


class _OperationsOfGraph(dict):
    """Stands in for TensorFlow's count of the draws of each graph: the count of its operations."""

    def setdefault(self, graph: Any, default: int = 0) -> int:
        return len(graph.get_operations())

    def __getitem__(self, graph: Any) -> int:
        return 0

    def __setitem__(self, graph: Any, count: int) -> None:
        pass


def _uniform_of_1(tf: Any) -> None:
    """Replaces `random_uniform`, wherever TensorFlow has imported it, by one that makes both bounds tensors."""
    from tensorflow.python.framework import dtypes, ops, random_seed
    from tensorflow.python.ops import gen_random_ops, random_ops

    random_seed._graph_to_seed_dict = _OperationsOfGraph()

    def uniform(
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        seed: int | None = None,
        name: str | None = None,
    ) -> Any:
        dtype = dtypes.as_dtype(dtype)
        high = 1 if maxval is None else maxval
        with ops.name_scope(name, "random_uniform", [shape, minval, high]) as scope:
            shape = random_ops.shape_util.shape_tensor(shape)
            low = ops.convert_to_tensor(minval, dtype=dtype, name="min")
            high = ops.convert_to_tensor(high, dtype=dtype, name="max")
            one, two = random_seed.get_seed(seed)
            if dtype.is_integer:
                return gen_random_ops.random_uniform_int(
                    shape, low, high, seed=one, seed2=two, name=scope
                )
            draws = gen_random_ops.random_uniform(shape, dtype, seed=one, seed2=two)
            return tf.add(draws * (high - low), low, name=scope)

    theirs = random_ops.random_uniform
    tf.random_uniform = tf.random.uniform = uniform
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith(("tensorflow.", "tf_keras.")):
            for name, value in list(vars(module).items()):
                if value is theirs:
                    setattr(module, name, uniform)


def _answer() -> None:
    """Builds the expressions, in the peer: prints the seeds of each."""
    sys.dont_write_bytecode = True
    # The peer has no package of that name: the modules lie beside this file.
    for name, folder in (("", 3), (".tools", 2), (".tools.conformance", 1)):
        module = types.ModuleType(f"tensorwright{name}")
        module.__path__ = [str(_HERE.parents[folder - 1])]
        sys.modules[module.__name__] = module
    import tensorflow.compat.v1 as tf

    from tensorwright.tools.conformance import seeds

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.FATAL)
    tf.layers.dense  # noqa: B018  Keras is imported by its first use.
    _uniform_of_1(tf)
    told = []
    for expression in json.load(sys.stdin):
        try:
            told.append(seeds.taken(tf, expression))
        except Exception as e:
            told.append(f"error {expression}: {type(e).__name__}: {str(e)[:300]}")
    print(json.dumps(told))


if __name__ == "__main__":
    sys.exit(_answer() if "--answer" in sys.argv else main())
