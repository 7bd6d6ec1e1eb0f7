# SPDX-License-Identifier: Apache-2.0
"""What a user calls to build a graph: sugar, gradients, generated wrappers."""
