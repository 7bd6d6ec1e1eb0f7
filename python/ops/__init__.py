# SPDX-License-Identifier: Apache-2.0
"""The functions that build a graph: generated wrappers, sugar over them, and gradients."""
