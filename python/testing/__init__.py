# SPDX-License-Identifier: Apache-2.0
"""Modules that this tree's tests share; the installed package has no part of it."""
