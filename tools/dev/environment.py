# SPDX-License-Identifier: Apache-2.0
"""Prints where the built package lies: `bazel run //tools/dev:environment`."""

import tensorwright

print(tensorwright.__file__)
