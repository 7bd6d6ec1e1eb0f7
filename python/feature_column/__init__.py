# SPDX-License-Identifier: Apache-2.0
"""Feature columns: they describe how models use raw features."""
