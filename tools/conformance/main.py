# SPDX-License-Identifier: Apache-2.0
"""How much of TensorFlow's surface is here: the figures that README states, counted.

Usage: ./run tools/conformance/main.py [ops | symbols | calls] [--show]

Compares names, arguments and registrations with the lists in tools/conformance/lists, and what each public symbol returns
for one call with calls.txt.  Exits with 1 if an op differs from its list, or a call from what TensorFlow returns.
"""

from __future__ import annotations

import argparse
import sys

import tensorwright as tf
from tensorwright.tools.conformance import calls, op_lists, symbols


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["ops", "symbols", "calls"])
    parser.add_argument("--show", action="store_true", help="name what is missing")
    options = parser.parse_args()
    code = 0
    if options.what in (None, "ops"):
        of_1_3, later, wrong = op_lists.all_differences()
        print(f"ops of TensorFlow 1.3: {of_1_3} of {len(op_lists.ops_of_1_3())}")
        print(f"ops of later versions: {later}")
        print("".join(f"  {difference}\n" for difference in wrong), end="")
        code = int(bool(wrong))
    if options.what in (None, "symbols"):
        for name, count in (
            ("symbols of tf.compat.v1", symbols.public("tensorwright")),
            ("names of tf.contrib", symbols.contrib("tensorwright")),
            ("modules", symbols.modules("tensorwright")),
        ):
            print(f"{name}: {count.matching} of {count.listed}")
            if options.show:
                print("".join(f"  {line}\n" for line in count.lacking), end="")
        print(
            f"of the {symbols.listed()} listed symbols {len(symbols.left_out())} are left out"
        )
    if options.what in (None, "calls"):
        outcome = calls.check(tf)
        print(
            f"symbols that return what TensorFlow returns: {outcome.matching} of {outcome.listed}"
        )
        print("".join(f"  {line}\n" for line in outcome.wrong), end="")
        for what, names in (
            ("differ on purpose", outcome.meant),
            ("are not called", outcome.uncalled),
        ):
            print(f"  {len(names)} {what}")
            if options.show:
                print("".join(f"    {n}: {why}\n" for n, why in names.items()), end="")
        code |= bool(outcome.wrong)
    return code


if __name__ == "__main__":
    sys.exit(main())
