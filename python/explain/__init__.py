# SPDX-License-Identifier: Apache-2.0
"""From a Python line to the kernel's line: `tf.explain`, `tw where`, and the places in the errors of runs."""
