# SPDX-License-Identifier: Apache-2.0
"""Input and output."""
