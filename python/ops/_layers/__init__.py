# SPDX-License-Identifier: Apache-2.0
"""Parts of python/layers/base.py, on which cells of recurrent networks stand too: import that."""
