# SPDX-License-Identifier: Apache-2.0
"""Checks programs against the types of an installed wheel: check_types.py PYTHON FOLDER...

PYTHON is the interpreter of an environment with the wheel.  pyright in basic mode must find nothing in the folders, and
must find the mistakes of the program below: types that are `Any` everywhere would let both pass.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# basedpyright is pyright with a Node.js that comes from PyPI.
PYRIGHT = pathlib.Path(sys.prefix, "bin", "basedpyright")

# Each line that ends in `# wrong` is a mistake.
MISTAKES = """\
import tensorwright as tf

x = tf.placeholder(tf.float32, [None, 3], name="x")
v = tf.Variable(1.0, name="v")
tf.matmul(x, None)  # wrong
tf.matmul(x, v, nosuch=1)  # wrong
tf.nosuch(x)  # wrong
tf.placeholder([1.5])  # wrong
tf.nn.relu(x).nosuch  # wrong
tf.reduce_sum(x, keepdims="yes")  # wrong
(x + v).nosuch  # wrong
tf.nn.conv2d(x, v, [1, 1, 1, 1], 3)  # wrong
tf.Variable(1.0, nosuch=True)  # wrong
tf.train.AdamOptimizer("fast", beta1=None)  # wrong
with tf.Session() as session:
    session.run(3.5)  # wrong
    session.run(v, feed_dict=[x])  # wrong
"""


def errors_in(
    python: str, folders: list[str], beside: list[str] | None = None
) -> list[tuple[str, int, str]]:
    """The (file, line, text) of each error in the folders' programs, which may import what lies in `beside`."""
    with tempfile.TemporaryDirectory() as scratch:
        config = pathlib.Path(scratch, "pyrightconfig.json")
        # A program finds the modules beside it.
        options = {
            "include": folders,
            "extraPaths": [*folders, *(beside or ())],
            "typeCheckingMode": "basic",
        }
        config.write_text(json.dumps(options))
        command = [PYRIGHT, "--project", config, "--pythonpath", python, "--outputjson"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1):
        raise SystemExit(f"pyright failed:\n{result.stdout}{result.stderr}")
    report = json.loads(result.stdout)
    if not report["summary"]["filesAnalyzed"]:
        raise SystemExit(f"no program in {folders}")
    return [
        (d["file"], d["range"]["start"]["line"] + 1, d["message"])
        for d in report["generalDiagnostics"]
        if d["severity"] == "error"
    ]


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        raise SystemExit("usage: check_types.py PYTHON FOLDER...")
    python = str(pathlib.Path(argv[0]).absolute())
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch, "mistakes.py")
        program.write_text(MISTAKES)
        folders = [str(pathlib.Path(f).absolute()) for f in argv[1:]]
        found = errors_in(python, [*folders, str(program)])
        wrong = [e for e in found if e[0] != str(program)]
        seen = {line for file, line, _ in found if file == str(program)}
    problems = [f"{file}:{line}: {text}" for file, line, text in wrong]
    for number, line in enumerate(MISTAKES.splitlines(), 1):
        if line.endswith("# wrong") != (number in seen):
            what = "is not found" if number not in seen else "is found, but right"
            problems.append(f"the mistake {what}: {line.strip()}")
    print("\n".join(problems) if problems else "types: every program fits")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
