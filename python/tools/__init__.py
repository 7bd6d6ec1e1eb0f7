# SPDX-License-Identifier: Apache-2.0
"""Programs' tools under TensorFlow's names; `tw` has commands for most of them."""
