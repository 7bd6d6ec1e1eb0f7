# SPDX-License-Identifier: Apache-2.0
"""Checks the programs of this folder against the package's types: ./run tools/programs/check_program_types.py

pyright in basic mode must find nothing in the programs, whose `import tensorflow as tf` is tensorwright here.
"""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "dev"))
import check_types  # noqa: E402

THEIRS, OURS = "import tensorflow as tf\n", "import tensorwright as tf\n"


def main() -> int:
    beside = [
        path
        for path in map(os.path.abspath, sys.path)
        if os.path.isdir(os.path.join(path, "tensorwright"))
    ]
    programs = sorted(HERE.glob("programs/*.py"))
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            text = program.read_text()
            if THEIRS not in text:
                raise SystemExit(f"{program.name} does not {THEIRS.strip()!r}")
            pathlib.Path(folder, program.name).write_text(text.replace(THEIRS, OURS))
        wrong = check_types.errors_in(sys.executable, [folder], beside)
    for file, line, text in wrong:
        print(f"{pathlib.Path(file).name}:{line}: {text}")
    print(f"{len(programs)} programs, {len(wrong)} errors of types")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
