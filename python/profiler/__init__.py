# SPDX-License-Identifier: Apache-2.0
"""Profiles of graphs: parameters, floating-point operations, time."""
