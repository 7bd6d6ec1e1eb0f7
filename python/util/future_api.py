# SPDX-License-Identifier: Apache-2.0
"""Imported by programs for its effect in old versions; it has none here."""
