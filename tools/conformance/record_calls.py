# SPDX-License-Identifier: Apache-2.0
"""Writes into calls.txt what TensorFlow 2.21, with Keras 2, returns for each call that has no result yet.

./run tools/conformance/record_calls.py          calls without a result
./run tools/conformance/record_calls.py --all    every call
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import types

_HERE = pathlib.Path(__file__).resolve()
# Each call is made with these seeds of the graph: results that differ between them are random.
_SEEDS = (5, 6, 7)


def main() -> int:
    from tensorwright.tools.conformance import calls
    from tensorwright.tools.difftest import peer_venv

    peer = peer_venv.python_with_keras()
    known = calls.read()
    wanted = [
        i
        for i, call in enumerate(known)
        if call.is_made and ("--all" in sys.argv or not call.expected)
    ]
    failed = 0
    while wanted:
        asked = [(i, known[i].names[0], known[i].arguments) for i in wanted]
        with subprocess.Popen(
            [peer, str(_HERE), "--answer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={
                **os.environ,
                "TF_USE_LEGACY_KERAS": "1",
                "TF_ENABLE_ONEDNN_OPTS": "0",
            },
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(asked))
            process.stdin.close()
            for line in process.stdout:
                if not line.startswith("CALL"):
                    continue
                i, told, error = json.loads(line[4:])
                wanted.remove(i)
                known[i] = dataclasses.replace(known[i], expected=told)
                if error:
                    failed += 1
                    print(f"{known[i].names[0]}({known[i].arguments}): {error}")
        if process.returncode and wanted:
            i = wanted.pop(0)
            failed += 1
            print(f"{known[i].names[0]}({known[i].arguments}): TensorFlow died")
    calls.write(known)
    return int(bool(failed))


def _answer() -> None:
    """Makes the calls, in the peer: prints a line for each."""
    sys.dont_write_bytecode = True
    # The peer has no package of that name: the two modules lie beside this file.
    for name, folder in (("", 3), (".tools", 2), (".tools.conformance", 1)):
        module = types.ModuleType(f"tensorwright{name}")
        module.__path__ = [str(_HERE.parents[folder - 1])]
        sys.modules[module.__name__] = module
    import tensorflow.compat.v1 as tf

    from tensorwright.tools.conformance import calls

    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.FATAL)
    for i, name, arguments in json.load(sys.stdin):
        told, error = "", ""
        try:
            runs = [calls.result(tf, name, arguments, seed) for seed in _SEEDS]
            told = calls.stable(runs)
        except Exception as e:
            error = f"{type(e).__name__}: {str(e)[:300]}"
        print("CALL" + json.dumps([i, told, error]), flush=True)


if __name__ == "__main__":
    sys.exit(_answer() if "--answer" in sys.argv else main())
