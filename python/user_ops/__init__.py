# SPDX-License-Identifier: Apache-2.0
"""Functions for the ops of user_ops/."""
