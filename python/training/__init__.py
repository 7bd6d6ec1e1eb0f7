# SPDX-License-Identifier: Apache-2.0
"""Optimizers and what goes with them."""
