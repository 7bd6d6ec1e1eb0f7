# SPDX-License-Identifier: Apache-2.0
"""What a graph has, computes and takes: parameters, floating-point operations, time."""
