# SPDX-License-Identifier: Apache-2.0
"""Feature columns: what models make of raw features."""
