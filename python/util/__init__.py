# SPDX-License-Identifier: Apache-2.0
"""Small helpers that know nothing of graphs."""
