# SPDX-License-Identifier: Apache-2.0
"""Estimators: models with a folder, trained, measured, used and exported by one object."""
