# SPDX-License-Identifier: Apache-2.0
"""Flags, files, logging, tests."""
