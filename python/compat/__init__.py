# SPDX-License-Identifier: Apache-2.0
"""`tensorflow.python.compat`: how long new ops must wait before graphs may have them."""
