# SPDX-License-Identifier: Apache-2.0
"""`tensorflow` for the programs that `tw run COMMAND` starts: another name of tensorwright.

This file's folder is on their search path; what it imports takes its place.
"""

import sys

from tensorwright import compat

del sys.modules[__name__]
compat.alias()
import tensorflow  # noqa: E402, F401
