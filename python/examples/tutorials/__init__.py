# SPDX-License-Identifier: Apache-2.0
"""Tutorials, by their subject."""
