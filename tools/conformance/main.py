# SPDX-License-Identifier: Apache-2.0
"""How much of TensorFlow's surface is here: the figures that README states, counted.

Usage: ./run tools/conformance/main.py [ops | symbols] [--show]

Compares names, arguments and registrations with the lists in tools/conformance/lists.  Exits with 1 if an op differs
from its list.
"""

from __future__ import annotations

import argparse
import sys

from tensorwright.tools.conformance import op_lists, symbols


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["ops", "symbols"])
    parser.add_argument("--show", action="store_true", help="name what is missing")
    options = parser.parse_args()
    code = 0
    if options.what != "symbols":
        of_1_3, later, wrong = op_lists.all_differences()
        print(f"ops of TensorFlow 1.3: {of_1_3} of {len(op_lists.ops_of_1_3())}")
        print(f"ops of later versions: {later}")
        print("".join(f"  {difference}\n" for difference in wrong), end="")
        code = int(bool(wrong))
    if options.what != "ops":
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
    return code


if __name__ == "__main__":
    sys.exit(main())
