# SPDX-License-Identifier: Apache-2.0
"""What the tests of this tree share; no part of the package that is installed."""
